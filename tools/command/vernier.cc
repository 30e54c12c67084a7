#include "command/vernier.h"

#include <algorithm>
#include <cmath>

#include "command/specs.h"
#include "posenc/accuracy.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace tools {
namespace {

constexpr double kTurn = 6.283185307179586;

// The search goes to kMostPeriods periods of the slowest hand, or to kUsual steps if that is farther, but
// never beyond kTooManyPeriods periods.
constexpr double kMostPeriods = 4096.0, kUsual = 0x1p18, kTooManyPeriods = 0x1p16;

// An angle whose error may exceed this, in radians, says nothing about the position.
constexpr double kNearlyHalfTurn = 2.5;

double Reduced(double angle) { return angle - kTurn * std::nearbyint(angle / kTurn); }

}  // namespace

Vernier::Vernier(const Settings& settings, std::size_t columns, posenc_type type)
    : type_(type), offset_(settings.offset()) {
  const double spacing = std::ldexp(1.0, SpacingExponent(type, 1.0));
  exact_ = {std::max(0.5 * spacing, 0x1p-44), 0x1p-49};
  rounded_ = {std::max(4.0 * spacing, 0x1p-40), 0x1p-20};
  if (settings.IsRotary()) {
    const posenc_rotary* rotary = settings.exact.get();
    const std::size_t pairs = posenc_rotary_frequency_count(rotary);
    std::vector<oracle::Entry> entries(columns);
    for (std::size_t c = 0; c < columns; ++c) entries[c] = settings.cache->At(c, pairs);
    amplitude_ = posenc_rotary_amplitude(rotary);
    Add(entries, pairs, [&](std::size_t i) { return posenc_rotary_radians(rotary, i); });
  } else {
    posenc_spec own = settings.spec;
    own.lists_only = 1;
    const EncoderHandle encoder = Create(own);
    Add(oracle::EntriesOf(own), posenc_encoder_frequency_count(encoder.get()),
        [&](std::size_t i) { return posenc_encoder_radians(encoder.get(), i); });
  }
  AddDifferences();
}

void Vernier::Add(const std::vector<oracle::Entry>& entries, std::size_t count,
                  const std::function<double(std::size_t)>& rate) {
  constexpr std::size_t kMost = 64;
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
  std::sort(pairs_.begin(), pairs_.end(),
            [](const Pair& a, const Pair& b) { return std::fabs(a.rate) < std::fabs(b.rate); });
  const auto has_same_rate = [](const Pair& a, const Pair& b) {
    return a.rate == b.rate;
  };  // pairs of other axes
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end(), has_same_rate), pairs_.end());
}

void Vernier::AddDifferences() {
  std::vector<double> rates;
  for (const Pair& pair : pairs_) {
    rates.push_back(pair.rate);
    hands_.push_back({pair.rate, 1.0, std::fabs(pair.rate)});
  }
  std::vector<Hand> slower;
  double slowest = rates.empty() ? 0.0 : std::fabs(rates[0]), noise = 1.0;
  while (rates.size() > 1 && kTurn / slowest < 2.0 * POSENC_MAX_POSITION) {
    for (std::size_t i = 0; i + 1 < rates.size(); ++i) rates[i] = rates[i + 1] - rates[i];
    rates.pop_back();
    noise *= 2.0;
    const double rate = std::fabs(rates[0]);
    // A turn of this hand must be long enough to decide in which turn the next hand is.
    const bool is_slower =
        rate < slowest && rate * kNearlyHalfTurn > 4.0 * noise * exact_.of_entries * slowest;
    if (!is_slower) break;
    slowest = rate;
    slower.push_back({rates[0], noise, noise * std::fabs(pairs_[slower.size() + 1].rate)});
  }
  differences_ = slower.size();
  hands_.insert(hands_.begin(), slower.rbegin(), slower.rend());
}

double Vernier::Tolerance::For(const Hand& hand, double position) const {
  return hand.noise * of_entries + std::fabs(position) * hand.span * of_phases;
}

std::vector<double> Vernier::AnglesOf(const std::function<double(std::size_t)>& entry) const {
  std::vector<double> angles;
  for (const Pair& pair : pairs_) {
    const double sine = entry(pair.sine), cosine = entry(pair.cosine);
    if (!(std::fabs(std::hypot(sine, cosine) - amplitude_) < 0.1)) return {};
    angles.push_back(std::atan2(sine, cosine));
  }
  std::vector<double> others(angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(
                                                                  std::min(differences_ + 1, angles.size())));
  for (std::size_t k = 0; k < differences_; ++k) {
    for (std::size_t i = 0; i + 1 < others.size(); ++i) others[i] = others[i + 1] - others[i];
    others.pop_back();
    angles.insert(angles.begin(), Reduced(others[0]));
  }
  return angles;
}

std::optional<double> Vernier::Find(const std::function<double(std::size_t)>& entry) const {
  const std::vector<double> angles = AnglesOf(entry);
  if (position_ != kNone) return FindNear(entry(position_), angles);
  if (angles.empty()) return std::nullopt;
  std::optional<double> position = FindWithin(exact_, 0, angles);
  if (!position) position = FindWithin(rounded_, differences_, angles);
  if (!position) return std::nullopt;
  return *position - offset_;
}

std::optional<double> Vernier::FindNear(double given, const std::vector<double>& angles) const {
  if (angles.size() != hands_.size() || !std::isfinite(given)) return std::nullopt;
  const double error = std::ldexp(0.5, SpacingExponent(type_, given));
  std::optional<Found> found = Refine(exact_, 0, angles, given, error);
  if (!found) found = Refine(rounded_, differences_, angles, given, error);
  if (!found) return std::nullopt;
  return found->position - offset_;
}

std::optional<double> Vernier::FindWithin(const Tolerance& tolerance, std::size_t first,
                                          const std::vector<double>& angles) const {
  const double rate = hands_[first].rate, period = kTurn / std::fabs(rate);
  const double farthest = std::min(
      {std::max(kMostPeriods * period, kUsual), kTooManyPeriods * period, POSENC_MAX_POSITION + period});
  std::optional<double> between;  // a position between whole numbers
  for (double k = 0.0; std::fabs(k) * period <= farthest; k = k > 0.0 ? -k : 1.0 - k) {
    const double position = angles[first] / rate + k * period;
    const double error = tolerance.For(hands_[first], position) / std::fabs(rate);
    const std::optional<Found> found = Refine(tolerance, first + 1, angles, position, error);
    if (!found) continue;
    if (found->is_whole) return found->position;
    if (!between && IsSure()) between = found->position;
  }
  return between;
}

std::optional<Vernier::Found> Vernier::Refine(const Tolerance& tolerance, std::size_t first,
                                              const std::vector<double>& angles, double position,
                                              double error) const {
  for (std::size_t i = first; i < hands_.size(); ++i) {
    const double rate = hands_[i].rate, own = tolerance.For(hands_[i], position);
    const double limit = std::fabs(rate) * error + own;
    if (limit > kNearlyHalfTurn) continue;
    const double rest = Reduced(angles[i] - rate * position);
    if (!(std::fabs(rest) <= limit)) return std::nullopt;
    position += rest / rate;
    error = std::min(error, own / std::fabs(rate));
  }
  if (!(std::fabs(position) <= POSENC_MAX_POSITION + error)) return std::nullopt;
  constexpr double kMostError =
      0x1p-8;  // with a larger error too many positions would pass for whole numbers
  for (const double unit : {1.0, 2.0, 4.0, 8.0, 10.0, 16.0, 100.0, 256.0, 1e3, 1e4}) {
    const double whole = std::round(position * unit) / unit;
    if (std::fabs(whole - position) <= error) return Found{whole, unit == 1.0 && error <= kMostError};
  }
  return Found{position, false};
}

}  // namespace tools
}  // namespace posenc
