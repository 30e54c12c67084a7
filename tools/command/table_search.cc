#include "command/table_search.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "command/require.h"
#include "command/specs.h"
#include "command/vernier.h"
#include "oracle/format.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace tools {
namespace {

// How many rows the first comparison takes, and at least how many candidates it leaves.
constexpr std::size_t kSampleRows = 12;
constexpr std::size_t kLeft = 24;

// No rounding, not even to bfloat16, makes a larger mean difference. Tables of noise have about 0.7.
constexpr double kFar = 0.01;

// Positions that tables often have: from 0, from 1, or from 2 (after padding) upwards; and relative
// positions, from rows - 1 down to 0, or symmetric around 0. They are tried because a table with few columns
// does not determine its positions, or only if the phase rounding is known.
std::vector<Positions> UsualPositions(std::size_t rows) {
  const auto n = static_cast<double>(rows);
  std::vector<Positions> all = {{0.0, 1.0}, {1.0, 1.0}, {2.0, 1.0}};
  if (rows > 1) all.push_back({n - 1.0, -1.0});
  if (rows > 1 && rows % 2 == 1) all.push_back({(n - 1.0) / 2.0, -1.0});
  return all;
}

// Removes candidates that are too far away, and sorts the others, the nearest first.
void KeepNear(std::vector<Candidate>* candidates) {
  const auto is_far = [](const Candidate& c) { return !(c.distance.mean <= kFar); };
  candidates->erase(std::remove_if(candidates->begin(), candidates->end(), is_far), candidates->end());
  const auto key = [](const Candidate& c) {
    return std::make_tuple(c.Rank(), c.order, c.rounding, c.settings);
  };
  std::sort(candidates->begin(), candidates->end(),
            [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
}

}  // namespace

Search::Search(const NpyTable& table)
    : table_(table), settings_(AllSettings(table.columns)), usual_(UsualPositions(table.rows)) {
  // A few rows of zeros may be padding. If most rows are zeros, they belong to the encoding.
  for (std::size_t r = 0; r < table_.kept; ++r) {
    (IsZero(table_.entries, r) ? zeros_ : compared_).push_back(r);
  }
  if (zeros_.size() <= compared_.size()) return;
  zeros_.clear();
  compared_.resize(table_.kept);
  std::iota(compared_.begin(), compared_.end(), std::size_t{0});
}

template <class Visit>
void Search::ForRows(const Writer& writer, const Candidate& candidate, const std::vector<std::size_t>& rows,
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

std::vector<Candidate> Search::Run() const {
  const std::vector<std::size_t> sample = Sample();
  std::vector<Candidate> near = Exact(sample);
  AddRounded(sample, &near);
  KeepNear(&near);
  if (sample.size() == compared_.size()) return near;
  // Keep all that are as near as the best, and at least kLeft.
  std::size_t left = 0;
  while (left < near.size() && (left < kLeft || near[left].Rank() == near[0].Rank())) ++left;
  near.resize(left);
  for (Candidate& candidate : near) {
    candidate.distance = DistanceTo(WriterOf(candidate), candidate, compared_, kFar);
  }
  KeepNear(&near);
  return near;
}

std::size_t Search::EqualTo(const Candidate& candidate) const {
  return candidate.distance.equal + (zeros_.size() - candidate.zeros) * table_.columns;
}

bool Search::IsZero(const Entries& entries, std::size_t row) const {
  for (std::size_t c = 0; c < table_.columns; ++c) {
    if (oracle::Unpack(table_.type, entries[row * table_.columns + c]) != 0.0) return false;
  }
  return true;
}

std::vector<std::size_t> Search::Sample() const {
  std::vector<std::size_t> sample;
  const std::size_t count = compared_.size();
  for (std::size_t k = 0; k < kSampleRows; ++k) {
    const std::size_t at = k < kSampleRows / 2 ? k : (count - 1) * (k + 1) / kSampleRows;
    if (at < count && (sample.empty() || compared_[at] > sample.back())) sample.push_back(compared_[at]);
  }
  std::reverse(sample.begin(), sample.end());
  return sample;
}

double Search::Slack(const Candidate& candidate, const std::vector<std::size_t>& sample) const {
  const Settings& settings = SettingsOf(candidate);
  if (!settings.IsRotary() && settings.spec.exponent_dim < 0.0) return 2.0;  // frequencies beyond 1
  double sum = 0.0;
  for (const std::size_t r : sample) {
    const double position = candidate.positions.At(r) + settings.offset();
    sum += std::min(std::ldexp(std::fabs(position * settings.scale()) + 1.0, -18), 2.0);
  }
  return sum / static_cast<double>(sample.size()) + std::ldexp(1.0, SpacingExponent(table_.type, 1.0));
}

std::vector<Candidate> Search::Exact(const std::vector<std::size_t>& sample) const {
  std::vector<Candidate> all;
  for (std::size_t s = 0; s < settings_.size(); ++s) {
    Candidate candidate = {s, POSENC_NO_PHASE_ROUNDING, {}, 0, std::nullopt, false, 0, 0, {}};
    if (!IsValid(candidate)) continue;  // the library refuses this dim
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

void Search::AddRounded(const std::vector<std::size_t>& sample, std::vector<Candidate>* candidates) const {
  const std::size_t exact = candidates->size();
  double best = kFar;
  for (const Candidate& candidate : *candidates) best = std::min(best, candidate.distance.mean);
  for (std::int32_t k = 1; k < kRoundings; ++k) {
    std::optional<std::size_t> made;  // the settings that `writer` was made for
    Writer writer;
    for (std::size_t c = 0; c < exact; ++c) {
      Candidate candidate = (*candidates)[c];
      if (candidate.distance.mean > best + Slack(candidate, sample)) continue;
      candidate.rounding = static_cast<posenc_phase_rounding>(k);
      if (!IsValid(candidate)) continue;  // the library refuses this rounding, for example for a unit
      if (!AreRoundingsTheSame(candidate)) {
        if (made != candidate.settings) writer = WriterOf(candidate);
        made = candidate.settings;
        candidate.distance = DistanceTo(writer, candidate, sample, kFar);
      }
      candidates->push_back(candidate);
    }
  }
}

bool Search::AreRoundingsTheSame(const Candidate& candidate) const {
  const Settings& settings = SettingsOf(candidate);
  const double first = candidate.positions.At(compared_[0]) + settings.offset();
  return (!settings.IsRotary() && IsEmpty(settings.spec)) || (compared_.size() == 1 && first == 0.0);
}

bool Search::IsValid(const Candidate& candidate) const {
  std::size_t bytes;
  if (SettingsOf(candidate).IsRotary()) {
    const posenc_rotary_spec spec = RotaryOf(candidate);
    return posenc_rotary_memory_size(&spec, &bytes) == POSENC_OK;
  }
  const posenc_spec spec = EncoderOf(candidate);
  return posenc_encoder_memory_size(&spec, &bytes) == POSENC_OK;
}

posenc_spec Search::EncoderOf(const Candidate& candidate) const {
  posenc_spec spec = SettingsOf(candidate).spec;
  spec.phase_rounding = candidate.rounding;
  spec.lists_only = 1;
  return spec;
}

posenc_rotary_spec Search::RotaryOf(const Candidate& candidate) const {
  posenc_rotary_spec spec = *SettingsOf(candidate).rotary;
  spec.phase_rounding = candidate.rounding;
  return spec;
}

Writer Search::WriterOf(const Candidate& candidate) const {
  if (SettingsOf(candidate).IsRotary()) return CacheWriterOf(candidate);
  return [=, encoder = Create(EncoderOf(candidate))](const std::vector<double>& at, std::size_t count,
                                                     Entries* rows) {
    const List positions(at.data());
    const Rows out(table_.type, rows->data(), table_.columns);
    Require(posenc_write_at(encoder.get(), &positions, count, &out, nullptr));
  };
}

Writer Search::CacheWriterOf(const Candidate& candidate) const {
  const Settings& settings = SettingsOf(candidate);
  const CacheShape& shape = *settings.cache;
  const std::size_t axes = settings.rotary->axes, size = TraitsOf(table_.type).size;
  const bool is_exact = candidate.rounding == POSENC_NO_PHASE_ROUNDING;
  return [=, rotary = is_exact ? settings.exact : Create(RotaryOf(candidate))](
             const std::vector<double>& at, std::size_t count, Entries* rows) {
    const std::size_t pairs = posenc_rotary_frequency_count(rotary.get());
    std::vector<double> positions;
    for (std::size_t k = 0; k < axes; ++k) {
      positions.insert(positions.end(), at.begin(), at.begin() + static_cast<std::ptrdiff_t>(count));
    }
    Entries cosines(table_.type, count * pairs), sines(table_.type, count * pairs);
    const posenc_cache cache = {POSENC_CACHE_HALVES, table_.type, cosines.data(), sines.data(), pairs};
    const List list(positions.data());
    Require(posenc_write_cache_at(rotary.get(), &list, count, &cache, nullptr));
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

std::optional<std::int64_t> Search::PaddingOf(const Settings& settings, const Positions& positions) const {
  if (!settings.padding || zeros_.empty()) return settings.padding;
  for (const std::size_t r : zeros_) {
    if (positions.At(r) == static_cast<double>(*settings.padding)) return settings.padding;
  }
  return static_cast<std::int64_t>(positions.At(zeros_.front()));
}

std::vector<Positions> Search::PositionsOf(const Settings& settings) const {
  std::vector<Positions> all = usual_;
  const Vernier vernier(settings, table_.columns, table_.type);
  const auto find = [&](std::size_t row) {
    return vernier.Find(
        [&](std::size_t c) { return oracle::Unpack(table_.type, table_.entries[row * table_.columns + c]); });
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

std::size_t Search::UnexplainedZeros(const Writer& writer, const Candidate& candidate) const {
  std::size_t count = 0;
  ForRows(writer, candidate, zeros_, [&](std::size_t r, const Entries& block, std::size_t k) {
    if (!IsPadding(candidate, r) && !IsZero(block, k)) ++count;
    return true;
  });
  return count;
}

bool Search::IsPadding(const Candidate& candidate, std::size_t row) const {
  return candidate.padding && candidate.positions.At(row) == static_cast<double>(*candidate.padding);
}

Distance Search::DistanceTo(const Writer& writer, const Candidate& candidate,
                            const std::vector<std::size_t>& rows, double limit) const {
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

void Search::See(double given, double expected, Distance* distance) const {
  if (given == expected) {
    ++distance->equal;
    return;
  }
  const double error = std::fabs(given - expected);
  distance->mean += error;  // a sum until DistanceTo divides it
  distance->largest = std::max(distance->largest, error);
  distance->ulp = std::max(distance->ulp, std::ldexp(error, -SpacingExponent(table_.type, expected)));
}

}  // namespace tools
}  // namespace posenc
