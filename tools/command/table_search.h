// Searches for the presets, phase roundings and positions that make a table nearest to a given one.
#ifndef POSENC_TOOLS_COMMAND_TABLE_SEARCH_H_
#define POSENC_TOOLS_COMMAND_TABLE_SEARCH_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "command/entries.h"
#include "command/npy.h"
#include "command/table_settings.h"
#include "posenc/posenc_c.h"
#include "spec/rows.h"

namespace posenc {
namespace tools {

inline constexpr std::int32_t kRoundings = internal::EndOf(internal::Of::phase_rounding);

// Writes `count` rows, at the first `count` positions of `at`.
using Writer = std::function<void(const std::vector<double>& at, std::size_t count, Entries* rows)>;

// The positions of the rows: row r has the position first + r * step.
struct Positions {
  double first, step;

  double At(std::size_t r) const { return first + step * static_cast<double>(r); }
  bool AreWhole() const { return first == std::round(first) && step == std::round(step); }
  bool operator==(const Positions& other) const { return first == other.first && step == other.step; }
};

// How much a candidate differs from the table.
struct Distance {
  double mean = 0.0;      // the mean absolute difference of entries
  double largest = 0.0;   // the largest absolute difference
  double ulp = 0.0;       // the largest difference, in ULP of the type
  std::size_t equal = 0;  // the number of compared entries that are equal
};

// What may have made the table.
struct Candidate {
  std::size_t settings;  // an index of settings_
  posenc_phase_rounding rounding;
  Positions positions;
  std::size_t order;                    // lower for likelier positions
  std::optional<std::int64_t> padding;  // the position of the padding
  bool has_moved;                       // whether the padding is at another position than in the preset
  std::size_t zeros;                    // how many more rows of the table are zeros
  int oddity;                           // higher for columns in another order, and for fractional positions
  Distance distance;

  auto Rank() const {
    return std::make_tuple(distance.mean, distance.largest, zeros + (has_moved ? 1 : 0), oddity);
  }
};

class Search {
 public:
  // The table must outlive the search.
  explicit Search(const NpyTable& table);

  // The candidates that are near the table, the nearest first. Empty if none is near.
  std::vector<Candidate> Run() const;

  // How many entries of the table are equal to the candidate's entries, rows of padding included.
  std::size_t EqualTo(const Candidate& candidate) const;

  const Settings& SettingsOf(const Candidate& candidate) const { return settings_[candidate.settings]; }

 private:
  // A few rows for the first comparison. Rows at the end of the table come first, because most candidates
  // differ there.
  std::vector<std::size_t> Sample() const;

  // An upper bound for what roundings of phases and of entries add to the mean difference of a sample.
  double Slack(const Candidate& candidate, const std::vector<std::size_t>& sample) const;

  // All settings without phase rounding, at all likely positions, compared on a sample. A candidate that is
  // too far away, even if it had a phase rounding, is left out.
  std::vector<Candidate> Exact(const std::vector<std::size_t>& sample) const;

  // Adds every phase rounding of those candidates that may be the nearest once their phases are rounded.
  void AddRounded(const std::vector<std::size_t>& sample, std::vector<Candidate>* candidates) const;

  // Whether phase rounding makes no difference: at position 0, and if rows have no pairs.
  bool AreRoundingsTheSame(const Candidate& candidate) const;

  bool IsValid(const Candidate& candidate) const;
  posenc_spec EncoderOf(const Candidate& candidate) const;
  posenc_rotary_spec RotaryOf(const Candidate& candidate) const;
  Writer WriterOf(const Candidate& candidate) const;

  // Writes rows of a rotary cache, with the same position on all axes.
  Writer CacheWriterOf(const Candidate& candidate) const;

  // The position of the padding: the preset's own if the table has a row of zeros there, and otherwise the
  // position of the first row of zeros.
  std::optional<std::int64_t> PaddingOf(const Settings& settings, const Positions& positions) const;

  // The positions to try: first the positions that can be computed from the first two rows, or, if these are
  // fractions, from the first and the last row. Then the usual positions.
  std::vector<Positions> PositionsOf(const Settings& settings) const;

  bool IsZero(const Entries& entries, std::size_t row) const;
  bool IsPadding(const Candidate& candidate, std::size_t row) const;
  std::size_t UnexplainedZeros(const Writer& writer, const Candidate& candidate) const;

  // Calls visit(row, block, k) for each of `rows`. Row k of `block` is what the candidate has for this row of
  // the table, before padding. Stops when visit returns false.
  template <class Visit>
  void ForRows(const Writer& writer, const Candidate& candidate, const std::vector<std::size_t>& rows,
               const Visit& visit) const;

  // The distance of a candidate from `rows` of the table. The mean is infinite if it exceeds `limit`, or if
  // an entry is NaN.
  Distance DistanceTo(const Writer& writer, const Candidate& candidate, const std::vector<std::size_t>& rows,
                      double limit) const;
  void See(double given, double expected, Distance* distance) const;

  const NpyTable& table_;
  std::vector<Settings> settings_;
  std::vector<Positions> usual_;
  std::vector<std::size_t> compared_,
      zeros_;  // rows that are compared, and rows of zeros that may be padding
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_SEARCH_H_
