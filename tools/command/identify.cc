// posenc identify: which preset, phase rounding and positions made a table.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "command/commands.h"
#include "command/npy.h"
#include "command/options.h"
#include "command/specs.h"
#include "oracle/columns.h"
#include "oracle/format.h"
#include "posenc/accuracy.h"
#include "posenc/posenc_c.h"
#include "spec/tables.h"

namespace posenc {
namespace tools {
namespace {

// What is compared of the table; rows of the first sample, and candidates that are left after that.
constexpr std::size_t kMaxRows = std::size_t{1} << 16;
constexpr std::size_t kMaxEntries = std::size_t{1} << 20;
constexpr std::size_t kSampleRows = 12;
constexpr std::int32_t kRoundings = internal::EndOf(internal::Of::phase_rounding);
constexpr std::size_t kLeft = 24;

// A mean difference beyond this is no rounding, not even that of bfloat16: tables of noise are at 0.7.
constexpr double kFar = 0.01;

// How the cosines (c) and sines (s) of a rotary's pairs lie in a table, or in two side by side.
struct CacheShape {
  const char* text;
  const char* parts;
  std::size_t copies;  // of each number
  bool are_adjacent;   // the copies; without copies the parts of a pair

  std::size_t ColumnsAPair() const { return std::strlen(parts) * copies; }
  oracle::Entry At(std::size_t column, std::size_t pairs) const {
    const bool alternates = are_adjacent && copies == 1;
    const std::size_t part = alternates ? column % 2 : column / (pairs * copies);
    const std::size_t k = column % (pairs * copies);
    const std::size_t pair = alternates ? column / 2 : are_adjacent ? k / copies : k % pairs;
    return {parts[part] == 's' ? oracle::Entry::kSine : oracle::Entry::kCosine, pair};
  }
};
constexpr CacheShape kCacheShapes[] = {{"cosines, sines", "cs", 1, false},
                                       {"sines, cosines", "sc", 1, false},
                                       {"pairs of cosine and sine", "cs", 1, true},
                                       {"cosines", "c", 1, false},
                                       {"sines", "s", 1, false},
                                       {"cosines in halves twice", "c", 2, false},
                                       {"sines in halves twice", "s", 2, false},
                                       {"each cosine twice", "c", 2, true},
                                       {"each sine twice", "s", 2, true},
                                       {"cosines, sines, in halves twice", "cs", 2, false},
                                       {"cosines, sines, each twice", "cs", 2, true}};

// What a preset says, and the names of all that say it.
struct Settings {
  posenc_spec spec;  // of an encoder, without its padding
  std::optional<std::int64_t> padding;
  std::vector<std::string> names;
  bool has_own_layout = true;         // else the columns of the preset in another order
  const CacheShape* cache = nullptr;  // of a rotary, which all that follows is for
  std::optional<posenc_rotary_spec> rotary = std::nullopt;

  bool IsRotary() const { return cache != nullptr; }
  bool HasOwnOrder() const { return IsRotary() ? cache->parts[0] == 'c' : has_own_layout; }
  double offset() const { return IsRotary() ? 0.0 : static_cast<double>(spec.position_offset); }
  double scale() const { return IsRotary() ? rotary->position_scale : spec.position_scale; }
};

// Writes the rows at the first `count` positions.
using Writer = std::function<void(const std::vector<double>& at, std::size_t count, Entries* rows)>;

// Row r has the position first + r * step.
struct Positions {
  double first, step;

  double At(std::size_t r) const { return first + step * static_cast<double>(r); }
  bool AreWhole() const { return first == std::round(first) && step == std::round(step); }
  bool operator==(const Positions& other) const { return first == other.first && step == other.step; }
};

struct Distance {
  double mean = 0.0;      // of entries, absolute
  double largest = 0.0;   // absolute
  double ulp = 0.0;       // the largest, in units of the type's spacing
  std::size_t equal = 0;  // entries of the rows that are compared
};

struct Candidate {
  std::size_t settings;
  posenc_phase_rounding rounding;
  Positions positions;
  std::size_t order;                    // of the positions, the likelier the lower
  std::optional<std::int64_t> padding;  // a position
  bool has_moved;                       // the padding, from the preset's position
  std::size_t zeros;                    // rows of zeros that the table has beyond that
  int oddity;                           // of columns in another order, and of positions between whole numbers
  Distance distance;

  auto Rank() const {
    return std::make_tuple(distance.mean, distance.largest, zeros + (has_moved ? 1 : 0), oddity);
  }
};

// Rows of one column of zeros.
bool IsEmpty(const posenc_spec& spec) {
  return spec.dim == 1 && spec.input_first == 0 &&
         (spec.odd_column == POSENC_ODD_ZERO_LAST || spec.odd_column == POSENC_ODD_ZERO_MIDDLE);
}

bool SaySame(const posenc_spec& a, const posenc_spec& b) {
  if (IsEmpty(a) || IsEmpty(b)) return IsEmpty(a) == IsEmpty(b);
  const std::size_t columns = a.dim - (a.input_first != 0 ? 1 : 0);
  // A frequency alone is 1 whatever the base, and even dims have no odd column.
  const bool is_alone = columns <= 2 || (columns == 3 && a.odd_column != POSENC_ODD_HALF_PAIR);
  const auto divisor = [](const posenc_spec& spec) {
    return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
  };
  const auto tie = [&](const posenc_spec& s) {
    return std::make_tuple(s.layout, is_alone ? 1.0 : s.base, is_alone ? 1.0 : divisor(s), s.position_scale,
                           s.frequency_unit, columns % 2 == 0 ? POSENC_ODD_HALF_PAIR : s.odd_column,
                           s.min_timescale, s.position_offset, s.input_first);
  };
  return tie(a) == tie(b);
}

std::vector<Settings>::iterator FindSame(std::vector<Settings>* all, const Settings& one) {
  return std::find_if(all->begin(), all->end(), [&](const Settings& other) {
    return other.padding == one.padding && SaySame(other.spec, one.spec);
  });
}

// Of all presets but those whose frequencies are the caller's; then the same in other layouts.
std::vector<Settings> AllSettings(std::size_t dim) {
  std::vector<Settings> all;
  for (const posenc_preset& preset : EncoderPresets()) {
    posenc_spec spec = PresetSpec(preset.name, dim);
    if (spec.frequency_count != 0) continue;
    std::optional<std::int64_t> padding;
    if (spec.has_padding != 0) padding = spec.padding_position;
    spec.has_padding = 0;
    const Settings settings = {spec, padding, {preset.name}};
    const auto same = FindSame(&all, settings);
    if (same != all.end()) {
      same->names.emplace_back(preset.name);
    } else {
      all.push_back(settings);
    }
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::int32_t layout = 0; layout < internal::EndOf(internal::Of::layout); ++layout) {
      Settings other = all[i];
      other.spec.layout = static_cast<posenc_layout>(layout);
      other.has_own_layout = false;
      if (FindSame(&all, other) == all.end()) all.push_back(other);
    }
  }
  return all;
}

// The preset for heads of which 2 pairs turn; empty if it has none.
std::optional<posenc_rotary_spec> FindRotary(const char* preset, std::size_t pairs) {
  std::vector<std::size_t> head_dims = {2 * pairs, 128, 192, 256};
  for (std::size_t i = 0; i < head_dims.size(); ++i) {
    posenc_rotary_spec spec;
    std::size_t bytes = 0;
    if (posenc_rotary_spec_preset(&spec, sizeof(spec), preset, head_dims[i]) != POSENC_OK) continue;
    const std::size_t turning = spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim - spec.rotary_offset;
    if (turning == 2 * pairs && posenc_rotary_memory_size(&spec, &bytes) == POSENC_OK) return spec;
    if (i == 0 && turning != 0) head_dims.push_back(2 * pairs * spec.head_dim / turning);  // a share turns
  }
  return std::nullopt;
}

// The amplitude and some frequencies, which tell rotaries apart.
std::vector<double> KeyOf(const posenc_rotary_spec& spec) {
  const RotaryHandle rotary = Create(spec);
  const std::size_t pairs = posenc_rotary_frequency_count(rotary.get());
  std::vector<double> key = {posenc_rotary_amplitude(rotary.get())};
  for (std::size_t i = 0; i < pairs; i += pairs / 16 + 1)
    key.push_back(posenc_rotary_radians(rotary.get(), i));
  return key;
}

// The rotaries of all presets, in all shapes of so many columns.
void AddCaches(std::size_t columns, std::vector<Settings>* all) {
  for (const std::size_t columns_a_pair : {2, 1, 4}) {
    if (columns % columns_a_pair != 0) continue;
    std::map<std::vector<double>, std::size_t> places;
    std::vector<Settings> rotaries;
    for (const posenc_preset& preset : RotaryPresets()) {
      const std::optional<posenc_rotary_spec> spec = FindRotary(preset.name, columns / columns_a_pair);
      if (!spec) continue;
      const auto [place, is_new] = places.emplace(KeyOf(*spec), rotaries.size());
      if (is_new) rotaries.push_back({{}, std::nullopt, {}, true, nullptr, spec});
      rotaries[place->second].names.emplace_back(preset.name);
    }
    for (const CacheShape& shape : kCacheShapes) {
      if (shape.ColumnsAPair() != columns_a_pair) continue;
      for (Settings& rotary : rotaries) {
        rotary.cache = &shape;
        all->push_back(rotary);
      }
    }
  }
}

// From 0, 1 or, after padding, 2 on; down to 0, or as far below: relative positions. Few columns do not tell
// positions, or only after a rounding that is not known.
std::vector<Positions> UsualPositions(std::size_t rows) {
  const auto n = static_cast<double>(rows);
  std::vector<Positions> all = {{0.0, 1.0}, {1.0, 1.0}, {2.0, 1.0}};
  if (rows > 1) all.push_back({n - 1.0, -1.0});
  if (rows > 1 && rows % 2 == 1) all.push_back({(n - 1.0) / 2.0, -1.0});
  return all;
}

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

class Search {
 public:
  explicit Search(const NpyTable& table)
      : table_(table), settings_(AllSettings(table.columns)), usual_(UsualPositions(table.rows)) {
    AddCaches(table.columns, &settings_);
    FindZeros();
  }

  // The nearest first; empty if none is near.
  std::vector<Candidate> Run() const {
    const std::vector<std::size_t> sample = Sample();
    std::vector<Candidate> near = Exact(sample);
    AddRounded(sample, &near);
    KeepNear(&near);
    if (sample.size() == compared_.size()) return near;
    // All that are as near as the best of them, and some more.
    std::size_t left = 0;
    while (left < near.size() && (left < kLeft || near[left].Rank() == near[0].Rank())) ++left;
    near.resize(left);
    for (Candidate& candidate : near) {
      candidate.distance = DistanceTo(WriterOf(candidate), candidate, compared_, kFar);
    }
    KeepNear(&near);
    return near;
  }

  // Entries of the table that are the candidate's.
  std::size_t EqualTo(const Candidate& candidate) const {
    return candidate.distance.equal + (zeros_.size() - candidate.zeros) * table_.columns;
  }

  const Settings& SettingsOf(const Candidate& candidate) const { return settings_[candidate.settings]; }

 private:
  // The nearest first.
  static void KeepNear(std::vector<Candidate>* candidates) {
    const auto is_far = [](const Candidate& c) { return !(c.distance.mean <= kFar); };
    candidates->erase(std::remove_if(candidates->begin(), candidates->end(), is_far), candidates->end());
    const auto key = [](const Candidate& c) {
      return std::make_tuple(c.Rank(), c.order, c.rounding, c.settings);
    };
    std::sort(candidates->begin(), candidates->end(),
              [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  }

  // A few rows of zeros may be padding of any position. If most are, they are what the table is.
  void FindZeros() {
    for (std::size_t r = 0; r < table_.kept; ++r) {
      (IsZero(table_.entries, r) ? zeros_ : compared_).push_back(r);
    }
    if (zeros_.size() <= compared_.size()) return;
    zeros_.clear();
    compared_.resize(table_.kept);
    std::iota(compared_.begin(), compared_.end(), std::size_t{0});
  }

  bool IsZero(const Entries& entries, std::size_t row) const {
    for (std::size_t c = 0; c < table_.columns; ++c) {
      if (oracle::Unpack(table_.type, entries[row * table_.columns + c]) != 0.0) return false;
    }
    return true;
  }

  // The far rows first, which tell most candidates apart.
  std::vector<std::size_t> Sample() const {
    std::vector<std::size_t> sample;
    const std::size_t count = compared_.size();
    for (std::size_t k = 0; k < kSampleRows; ++k) {
      const std::size_t at = k < kSampleRows / 2 ? k : (count - 1) * (k + 1) / kSampleRows;
      if (at < count && (sample.empty() || compared_[at] > sample.back())) sample.push_back(compared_[at]);
    }
    std::reverse(sample.begin(), sample.end());
    return sample;
  }

  // What the roundings of phases may add to the mean of a sample, and those of entries: more than any does.
  double Slack(const Candidate& candidate, const std::vector<std::size_t>& sample) const {
    const Settings& settings = SettingsOf(candidate);
    if (!settings.IsRotary() && settings.spec.exponent_dim < 0.0) return 2.0;  // frequencies beyond 1
    double sum = 0.0;
    for (const std::size_t r : sample) {
      const double position = candidate.positions.At(r) + settings.offset();
      sum += std::min(std::ldexp(std::fabs(position * settings.scale()) + 1.0, -18), 2.0);
    }
    return sum / static_cast<double>(sample.size()) + std::ldexp(1.0, SpacingExponent(table_.type, 1.0));
  }

  // All settings without a rounding, at all positions; those that may be near with one have a mean.
  std::vector<Candidate> Exact(const std::vector<std::size_t>& sample) const {
    std::vector<Candidate> all;
    for (std::size_t s = 0; s < settings_.size(); ++s) {
      Candidate candidate = {s, POSENC_NO_PHASE_ROUNDING, {}, 0, std::nullopt, false, 0, 0, {}};
      if (!IsValid(candidate)) continue;  // not of this dim
      const Writer writer = WriterOf(candidate);
      for (const Positions& positions : PositionsOf(settings_[s])) {
        candidate.positions = positions;
        ++candidate.order;
        candidate.padding = PaddingOf(settings_[s], positions);
        candidate.has_moved = candidate.padding != settings_[s].padding;
        candidate.oddity = (settings_[s].HasOwnOrder() ? 0 : 1) + (positions.AreWhole() ? 0 : 2);
        candidate.distance = DistanceTo(writer, candidate, sample, kFar + Slack(candidate, sample));
        if (candidate.distance.mean > 2.0) continue;
        candidate.zeros = UnexplainedZeros(writer, candidate);
        all.push_back(candidate);
      }
    }
    return all;
  }

  // The roundings of those that are as near as the best but for what a rounding may make.
  void AddRounded(const std::vector<std::size_t>& sample, std::vector<Candidate>* candidates) const {
    const std::size_t exact = candidates->size();
    double best = kFar;
    for (const Candidate& candidate : *candidates) best = std::min(best, candidate.distance.mean);
    for (std::int32_t k = 1; k < kRoundings; ++k) {
      std::optional<std::size_t> made;  // the settings of
      Writer writer;
      for (std::size_t c = 0; c < exact; ++c) {
        Candidate candidate = (*candidates)[c];
        if (candidate.distance.mean > best + Slack(candidate, sample)) continue;
        candidate.rounding = static_cast<posenc_phase_rounding>(k);
        if (!IsValid(candidate)) continue;  // not of this unit
        if (!AreRoundingsTheSame(candidate)) {
          if (made != candidate.settings) writer = WriterOf(candidate);
          made = candidate.settings;
          candidate.distance = DistanceTo(writer, candidate, sample, kFar);
        }
        candidates->push_back(candidate);
      }
    }
  }

  // Of position 0, and of rows without pairs.
  bool AreRoundingsTheSame(const Candidate& candidate) const {
    const Settings& settings = SettingsOf(candidate);
    const double first = candidate.positions.At(compared_[0]) + settings.offset();
    return (!settings.IsRotary() && IsEmpty(settings.spec)) || (compared_.size() == 1 && first == 0.0);
  }

  bool IsValid(const Candidate& candidate) const {
    std::size_t bytes;
    if (SettingsOf(candidate).IsRotary()) {
      const posenc_rotary_spec spec = RotaryOf(candidate);
      return posenc_rotary_memory_size(&spec, &bytes) == POSENC_OK;
    }
    const posenc_spec spec = EncoderOf(candidate);
    return posenc_encoder_memory_size(&spec, &bytes) == POSENC_OK;
  }

  posenc_spec EncoderOf(const Candidate& candidate) const {
    posenc_spec spec = SettingsOf(candidate).spec;
    spec.phase_rounding = candidate.rounding;
    spec.lists_only = 1;
    return spec;
  }

  posenc_rotary_spec RotaryOf(const Candidate& candidate) const {
    posenc_rotary_spec spec = *SettingsOf(candidate).rotary;
    spec.phase_rounding = candidate.rounding;
    return spec;
  }

  Writer WriterOf(const Candidate& candidate) const {
    if (SettingsOf(candidate).IsRotary()) return CacheWriterOf(candidate);
    return [=, encoder = Create(EncoderOf(candidate))](const std::vector<double>& at, std::size_t count,
                                                       Entries* rows) {
      Require(posenc_write_at(encoder.get(), POSENC_F64, at.data(), count, table_.type, rows->data(),
                              table_.columns, nullptr));
    };
  }

  // With the same position on all axes.
  Writer CacheWriterOf(const Candidate& candidate) const {
    const CacheShape& shape = *SettingsOf(candidate).cache;
    const std::size_t axes = SettingsOf(candidate).rotary->axes, size = TraitsOf(table_.type).size;
    return [=, rotary = Create(RotaryOf(candidate))](const std::vector<double>& at, std::size_t count,
                                                     Entries* rows) {
      const std::size_t pairs = posenc_rotary_frequency_count(rotary.get());
      std::vector<double> positions;
      for (std::size_t k = 0; k < axes; ++k) {
        positions.insert(positions.end(), at.begin(), at.begin() + static_cast<std::ptrdiff_t>(count));
      }
      Entries cosines(table_.type, count * pairs), sines(table_.type, count * pairs);
      const posenc_cache cache = {POSENC_CACHE_HALVES, table_.type, cosines.data(), sines.data(), pairs};
      Require(posenc_rotary_write_at(rotary.get(), POSENC_F64, positions.data(), count, &cache, nullptr));
      for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t c = 0; c < table_.columns; ++c) {
          const oracle::Entry entry = shape.At(c, pairs);
          const Entries& from = entry.sine() ? sines : cosines;
          std::memcpy(static_cast<char*>(rows->data()) + (r * table_.columns + c) * size,
                      static_cast<const char*>(from.data()) + (r * pairs + entry.pair) * size, size);
        }
      }
    };
  }

  // Where the table has zeros: the preset's own position, or another.
  std::optional<std::int64_t> PaddingOf(const Settings& settings, const Positions& positions) const {
    if (!settings.padding || zeros_.empty()) return settings.padding;
    for (const std::size_t r : zeros_) {
      if (positions.At(r) == static_cast<double>(*settings.padding)) return settings.padding;
    }
    return static_cast<std::int64_t>(positions.At(zeros_.front()));
  }

  // Those that the first rows say, and the last if they are no whole numbers; then the usual ones.
  std::vector<Positions> PositionsOf(const Settings& settings) const {
    std::vector<Positions> all = usual_;
    const Vernier vernier(settings, table_.columns, table_.type);
    const auto find = [&](std::size_t row) {
      return vernier.Find([&](std::size_t c) { return EntryAt(row, c); });
    };
    const std::optional<double> first = find(compared_[0]);
    if (!first && settings.IsRotary() && vernier.IsSure()) return {};
    if (!first) return all;
    double step = 1.0;
    for (const std::size_t row :
         {compared_[std::min<std::size_t>(1, compared_.size() - 1)], compared_.back()}) {
      if (row == compared_[0] ||
          (row == compared_.back() && step == std::round(step) && row > compared_[0] + 1))
        break;
      const std::optional<double> other = find(row);
      if (!other) return all;
      step = (*other - *first) / static_cast<double>(row - compared_[0]);
    }
    const Positions found = {*first - step * static_cast<double>(compared_[0]), step};
    const auto is_near = [&](std::size_t row) {
      return std::fabs(found.At(row) + settings.offset()) <= POSENC_MAX_POSITION;
    };
    if (!is_near(0) || !is_near(table_.rows - 1)) return all;
    if (settings.IsRotary()) return {found};
    if (std::find(all.begin(), all.end(), found) == all.end()) all.insert(all.begin(), found);
    return all;
  }

  double EntryAt(std::size_t row, std::size_t column) const {
    return oracle::Unpack(table_.type, table_.entries[row * table_.columns + column]);
  }

  // Calls visit(row, block, k) for rows of the table: entries [k, columns] of a block are those of a
  // candidate without its padding. Ends where visit returns false.
  template <class Visit>
  void ForRows(const Writer& writer, const Candidate& candidate, const std::vector<std::size_t>& rows,
               const Visit& visit) const {
    constexpr std::size_t kBlockEntries = 4096;
    const std::size_t columns = table_.columns;
    const std::size_t most = std::min(std::max<std::size_t>(kBlockEntries / columns, 1), rows.size());
    std::vector<double> at(most);
    Entries block(table_.type, most * columns);
    for (std::size_t begin = 0; begin < rows.size(); begin += most) {
      const std::size_t count = std::min(most, rows.size() - begin);
      for (std::size_t k = 0; k < count; ++k) at[k] = candidate.positions.At(rows[begin + k]);
      writer(at, count, &block);
      for (std::size_t k = 0; k < count; ++k) {
        if (!visit(rows[begin + k], block, k)) return;
      }
    }
  }

  std::size_t UnexplainedZeros(const Writer& writer, const Candidate& candidate) const {
    std::size_t count = 0;
    ForRows(writer, candidate, zeros_, [&](std::size_t r, const Entries& block, std::size_t k) {
      if (!IsPadding(candidate, r) && !IsZero(block, k)) ++count;
      return true;
    });
    return count;
  }

  bool IsPadding(const Candidate& candidate, std::size_t row) const {
    return candidate.padding && candidate.positions.At(row) == static_cast<double>(*candidate.padding);
  }

  // The mean is infinite if it is a NaN or beyond a limit.
  Distance DistanceTo(const Writer& writer, const Candidate& candidate, const std::vector<std::size_t>& rows,
                      double limit) const {
    const std::size_t columns = table_.columns;
    const auto count = static_cast<double>(rows.size() * columns);
    Distance distance;
    double& sum = distance.mean;
    ForRows(writer, candidate, rows, [&](std::size_t r, const Entries& block, std::size_t k) {
      const bool is_padding = IsPadding(candidate, r);
      for (std::size_t c = 0; c < columns; ++c) {
        const std::uint64_t given = table_.entries[r * columns + c];
        const std::uint64_t expected = is_padding ? 0 : block[k * columns + c];
        if (given == expected) {
          ++distance.equal;
        } else {
          See(oracle::Unpack(table_.type, given), oracle::Unpack(table_.type, expected), &distance);
        }
      }
      if (sum <= limit * count) return true;
      sum = std::numeric_limits<double>::infinity();
      return false;
    });
    sum /= count;
    return distance;
  }

  void See(double given, double expected, Distance* distance) const {
    if (given == expected) {
      ++distance->equal;
      return;
    }
    const double error = std::fabs(given - expected);
    distance->mean += error;  // as yet the sum
    distance->largest = std::max(distance->largest, error);
    distance->ulp = std::max(distance->ulp, std::ldexp(error, -SpacingExponent(table_.type, expected)));
  }

  const NpyTable& table_;
  std::vector<Settings> settings_;
  std::vector<Positions> usual_;
  std::vector<std::size_t> compared_, zeros_;  // rows
};

// Those that round so by themselves first; only those, if they explain every bit.
std::vector<std::string> NamesOf(const Settings& settings, const Candidate& candidate) {
  if (candidate.rounding == POSENC_NO_PHASE_ROUNDING) return settings.names;
  std::vector<std::string> names, others;
  for (const std::string& name : settings.names) {
    (posenc_spec_preset_rounding(name.c_str()) == candidate.rounding ? names : others).push_back(name);
  }
  if (names.empty() || candidate.distance.largest != 0.0)
    names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string TextOf(double position) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f", position);
  return position == std::round(position) ? text : Shortest(position);
}

void Print(const Search& search, const Candidate& candidate, const NpyTable& table) {
  const Positions& positions = candidate.positions;
  const Distance& distance = candidate.distance;
  for (const std::string& name : NamesOf(search.SettingsOf(candidate), candidate)) {
    std::printf("%s\t%s\t%s .. %s\t%.3g\t%.3g\t%zu of %zu", name.c_str(),
                candidate.rounding == POSENC_NO_PHASE_ROUNDING ? "exact" : RoundingName(candidate.rounding),
                TextOf(positions.first).c_str(), TextOf(positions.At(table.rows - 1)).c_str(),
                distance.largest, distance.ulp, search.EqualTo(candidate), table.kept * table.columns);
    const Settings& settings = search.SettingsOf(candidate);
    if (settings.IsRotary()) std::printf("\tcache of %s", settings.cache->text);
    if (!settings.has_own_layout)
      std::printf("\tlayout %s", internal::WordOf<internal::Of::layout>(settings.spec.layout));
    if (candidate.has_moved)
      std::printf("\tpadding_position %lld", static_cast<long long>(*candidate.padding));
    if (candidate.zeros != 0)
      std::printf("\tbut for %zu row%s of zeros", candidate.zeros, candidate.zeros == 1 ? "" : "s");
    std::puts("");
  }
}

// As much as the roundings of a phase, of a frequency and of the entries may make of a convention: beyond
// that the table is near, but another one.
bool IsExplainedByRounding(const Search& search, const Candidate& candidate, const NpyTable& table) {
  const Positions& positions = candidate.positions;
  const double farthest = std::max(std::fabs(positions.first), std::fabs(positions.At(table.rows - 1)));
  const double scale = std::fabs(search.SettingsOf(candidate).scale());
  const double of_phases = std::ldexp(std::max(farthest * scale, 1.0), -20);
  return candidate.distance.largest <= of_phases + std::ldexp(2.0, SpacingExponent(table.type, 1.0));
}

// Two tables side by side, as one.
NpyTable ReadTables(const std::vector<std::string>& paths) {
  NpyTable table = ReadNpy(paths[0], kMaxRows, kMaxEntries);
  if (paths.size() == 1) return table;
  const NpyTable other = ReadNpy(paths[1], kMaxRows, kMaxEntries);
  if (other.type != table.type || other.rows != table.rows || other.columns != table.columns) {
    throw UsageError("identify: '" + paths[0] + "' and '" + paths[1] + "' differ in type or size");
  }
  NpyTable both = {table.type, table.rows, 2 * table.columns, table.kept, {}};
  both.entries.Reset(both.type, both.kept * both.columns);
  for (std::size_t i = 0; i < table.kept * table.columns; ++i) {
    const std::size_t to = i / table.columns * both.columns + i % table.columns;
    both.entries.Set(to, table.entries[i]);
    both.entries.Set(to + table.columns, other.entries[i]);
  }
  return both;
}

// A half of the columns of some rows.
NpyTable Part(const NpyTable& table, std::size_t half, std::size_t first, std::size_t step,
              std::size_t count) {
  NpyTable part = {table.type, count, table.columns / 2, count, {}};
  part.entries.Reset(part.type, count * part.columns);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t c = 0; c < part.columns; ++c) {
      const std::size_t from = (first + r * step) * table.columns + half * part.columns + c;
      part.entries.Set(r * part.columns + c, table.entries[from]);
    }
  }
  return part;
}

// A row a cell, after rows of zeros: one half of the columns for the row of cells, the other for the place in
// it.
struct GridShape {
  std::size_t zeros, height, width, outer;  // outer: the half that changes with the row of cells
};

std::optional<GridShape> FindGrid(const NpyTable& table) {
  if (table.kept != table.rows || table.columns % 2 != 0) return std::nullopt;
  const std::size_t half = table.columns / 2;
  const auto is_same = [&](std::size_t part, std::size_t row, std::size_t other) {
    for (std::size_t c = part * half; c < (part + 1) * half; ++c) {
      if (table.entries[row * table.columns + c] != table.entries[other * table.columns + c]) return false;
    }
    return true;
  };
  GridShape grid = {0, 0, 0, 0};
  const Entries& entries = table.entries;
  const auto is_zero = [&](std::size_t row) {
    const auto is_zero_entry = [&](std::size_t c) { return entries[row * table.columns + c] == 0; };
    std::size_t c = 0;
    while (c < table.columns && is_zero_entry(c)) ++c;
    return c == table.columns;
  };
  while (grid.zeros < table.rows && is_zero(grid.zeros)) ++grid.zeros;
  const std::size_t begin = grid.zeros, cells = table.rows - begin;
  if (cells < 4) return std::nullopt;
  grid.outer = is_same(0, begin, begin + 1) ? 0 : 1;
  while (grid.width < cells && is_same(grid.outer, begin, begin + grid.width)) ++grid.width;
  grid.height = cells / grid.width;
  if (grid.width < 2 || grid.height < 2 || cells % grid.width != 0) return std::nullopt;
  for (std::size_t r = 0; r < cells; ++r) {
    const bool is_whole = is_same(grid.outer, begin + r, begin + r / grid.width * grid.width) &&
                          is_same(1 - grid.outer, begin + r, begin + r % grid.width);
    if (!is_whole) return std::nullopt;
  }
  return grid;
}

void Print(const Search& search, const std::vector<Candidate>& found, const NpyTable& table) {
  std::puts(
      "# preset, phase rounding, positions, largest difference, the same in ULP, entries that are equal");
  constexpr std::size_t kPlaces = 3;  // where the first is not equal in every entry
  std::size_t place = 1;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (k != 0 && found[k].Rank() != found[k - 1].Rank()) ++place;
    if (place > kPlaces || (place > 1 && found[0].distance.largest == 0.0)) break;
    Print(search, found[k], table);
  }
}

// Prints what made the table, if roundings explain what is left.
bool PrintIfExplained(const Search& search, const std::vector<Candidate>& found, const NpyTable& table) {
  if (found.empty() || !IsExplainedByRounding(search, found[0], table)) return false;
  Print(search, found, table);
  return true;
}

bool IdentifyGrid(const NpyTable& table) {
  const std::optional<GridShape> grid = FindGrid(table);
  if (!grid) return false;
  std::printf("# a grid of %zu rows of %zu cells, %zu rows of zeros before it\n", grid->height, grid->width,
              grid->zeros);
  bool is_explained = true;
  for (const std::size_t half : {0, 1}) {
    const bool is_outer = half == grid->outer;
    const std::size_t first = half * table.columns / 2;
    std::printf("# columns %zu .. %zu, by the %s\n", first, first + table.columns / 2 - 1,
                is_outer ? "row of cells" : "place in it");
    const NpyTable part =
        Part(table, half, grid->zeros, is_outer ? grid->width : 1, is_outer ? grid->height : grid->width);
    const Search search(part);
    const bool is_right = PrintIfExplained(search, search.Run(), part);
    if (!is_right) std::puts("none");
    is_explained = is_explained && is_right;
  }
  return is_explained;
}

ExitStatus Identify(const std::vector<std::string>& paths) {
  const NpyTable table = ReadTables(paths);
  std::printf(
      "# %zu rows of %zu, %s%s\n", table.rows, table.columns, TraitsOf(table.type).name,
      table.kept < table.rows ? (", of which " + std::to_string(table.kept) + " are compared").c_str() : "");
  const Search search(table);
  const std::vector<Candidate> found = search.Run();
  if (PrintIfExplained(search, found, table) || IdentifyGrid(table)) return kRight;
  std::printf(
      "# tried: %zu presets of encoders in all layouts, %zu of rotaries as %zu kinds of caches, exact and "
      "with\n"
      "# %d phase roundings; grids of two axes\n",
      EncoderPresets().size(), RotaryPresets().size(), std::size(kCacheShapes), kRoundings - 1);
  std::puts(found.empty() ? "none" : "none; the nearest, by more than roundings explain:");
  if (!found.empty()) Print(search, found, table);
  return kMismatch;
}

}  // namespace

void AddIdentifyCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("identify", "Find the preset that made a table");
  command->footer(
      "FILE.npy holds rows of columns: float32, float16, float64, or uint16 as the bits of bfloat16; two\n"
      "files are the cosines and the sines of a rotary. All presets are tried, exact and with each phase\n"
      "rounding: encoders in all layouts, rotaries as caches, with the positions that the table itself\n"
      "tells. One a line, tab-separated, the nearest first; several where they are the same; if none has\n"
      "every bit, the three nearest. A few rows of zeros may be padding of any position. 'none', and exit\n"
      "status 1, if roundings do not explain what is left; then those that are near all the same.\n"
      "Example: posenc identify fairseq.npy");
  const auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *paths, "The table, or two")->type_name("FILE.npy")->required()->expected(1, 2);
  command->callback([=] { *run = [=] { return Identify(*paths); }; });
}

}  // namespace tools
}  // namespace posenc
