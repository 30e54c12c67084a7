// The position of a row of a table, from its entries.
#ifndef POSENC_TOOLS_COMMAND_VERNIER_H_
#define POSENC_TOOLS_COMMAND_VERNIER_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "command/specs.h"
#include "command/table_settings.h"
#include "oracle/columns.h"
#include "posenc/accuracy.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace tools {

// Finds the position of a row: the slowest pair tells it roughly, faster ones ever finer, as on a vernier.
class Vernier {
 public:
  Vernier(const Settings& settings, std::size_t columns, posenc_type type) : offset_(settings.offset()) {
    if (settings.IsRotary()) {
      const RotaryHandle rotary = Create(*settings.rotary);
      const std::size_t pairs = posenc_rotary_frequency_count(rotary.get());
      std::vector<oracle::Entry> entries(columns);
      for (std::size_t c = 0; c < columns; ++c) entries[c] = settings.cache->At(c, pairs);
      amplitude_ = posenc_rotary_amplitude(rotary.get());
      Add(entries, pairs, [&](std::size_t i) { return posenc_rotary_radians(rotary.get(), i); });
    } else {
      posenc_spec own = settings.spec;
      own.lists_only = 1;
      const EncoderHandle encoder = Create(own);
      Add(oracle::EntriesOf(own), posenc_encoder_frequency_count(encoder.get()),
          [&](std::size_t i) { return posenc_encoder_radians(encoder.get(), i); });
    }
    std::sort(pairs_.begin(), pairs_.end(),
              [](const Pair& a, const Pair& b) { return std::fabs(a.rate) < std::fabs(b.rate); });
    noise_ = std::max(std::ldexp(4.0, SpacingExponent(type, 1.0)), 0x1p-40);
  }

  // Whether it finds every position.
  bool IsSure() const { return pairs_.size() >= 2; }

  // entry(c) is that of a column. Empty if there is no such position.
  template <class Entry>
  std::optional<double> Find(const Entry& entry) const {
    if (position_ != kNone) return entry(position_);
    if (!IsSure()) return std::nullopt;
    std::vector<double> angles;
    for (const Pair& pair : pairs_) {
      const double sine = entry(pair.sine), cosine = entry(pair.cosine);
      if (!(std::fabs(std::hypot(sine, cosine) - amplitude_) < 0.1)) return std::nullopt;
      angles.push_back(std::atan2(sine, cosine));
    }
    const double period = kTurn / std::fabs(pairs_[0].rate);
    for (double k = 0.0; k <= kMostPeriods || k * period <= kUsual; k = k > 0.0 ? -k : 1.0 - k) {
      const std::optional<double> position = Refine(angles, angles[0] / pairs_[0].rate + k * period);
      if (position) return *position - offset_;
      if (std::fabs(k * period) > POSENC_MAX_POSITION) break;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1), kMost = 64;
  static constexpr double kTurn = 6.283185307179586, kMostPeriods = 4096.0, kUsual = 0x1p18;

  struct Pair {
    std::size_t sine = kNone, cosine = kNone;  // columns
    double rate = 0.0;                         // radians per step
  };

  // Some of the pairs whose sine and cosine are both there.
  template <class Rate>
  void Add(const std::vector<oracle::Entry>& entries, std::size_t count, const Rate& rate) {
    std::vector<Pair> all(count);
    for (std::size_t c = 0; c < entries.size(); ++c) {
      if (entries[c].kind == oracle::Entry::kPosition) position_ = c;
      if (!entries[c].IsOfPair()) continue;
      Pair& pair = all[entries[c].pair];
      (entries[c].sine() ? pair.sine : pair.cosine) = c;
    }
    for (std::size_t i = 0; i < count; i += count / kMost + 1) {
      if (all[i].sine == kNone || all[i].cosine == kNone) continue;
      all[i].rate = rate(i);
      if (all[i].rate != 0.0) pairs_.push_back(all[i]);
    }
  }

  // What the roundings of entries and phases may make of an angle.
  double ErrorOf(double phase) const { return noise_ + std::ldexp(std::fabs(phase), -20); }

  std::optional<double> Refine(const std::vector<double>& angles, double position) const {
    double error = ErrorOf(position * pairs_[0].rate) / std::fabs(pairs_[0].rate);
    for (std::size_t i = 1; i < pairs_.size(); ++i) {
      const double rate = pairs_[i].rate, own = ErrorOf(position * rate);
      const double limit = std::fabs(rate) * error + own;
      if (limit > 2.5) continue;  // nearly all of the turn
      const double rest = std::remainder(angles[i] - rate * position, kTurn);
      if (!(std::fabs(rest) <= limit)) return std::nullopt;
      position += rest / rate;
      error = std::min(error, own / std::fabs(rate));
    }
    for (const double unit : {1.0, 2.0, 4.0, 8.0, 10.0, 16.0, 100.0, 256.0, 1e3, 1e4}) {
      const double whole = std::round(position * unit) / unit;
      if (std::fabs(whole - position) <= error) return whole;
    }
    return position;
  }

  double offset_, amplitude_ = 1.0;
  std::vector<Pair> pairs_;       // the slowest first
  std::size_t position_ = kNone;  // the column that is the position itself
  double noise_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_VERNIER_H_
