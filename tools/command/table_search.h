// Which presets, phase roundings and positions are nearest to a table.
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

class Search {
 public:
  // The table outlives the search.
  explicit Search(const NpyTable& table);

  // The nearest first; empty if none is near.
  std::vector<Candidate> Run() const;

  // Entries of the table that are the candidate's.
  std::size_t EqualTo(const Candidate& candidate) const;

  const Settings& SettingsOf(const Candidate& candidate) const { return settings_[candidate.settings]; }

 private:
  // The far rows first, which tell most candidates apart.
  std::vector<std::size_t> Sample() const;

  // What the roundings of phases may add to the mean of a sample, and those of entries: more than any does.
  double Slack(const Candidate& candidate, const std::vector<std::size_t>& sample) const;

  // All settings without a rounding, at all positions; those that may be near with one have a mean.
  std::vector<Candidate> Exact(const std::vector<std::size_t>& sample) const;

  // The roundings of those that are as near as the best but for what a rounding may make.
  void AddRounded(const std::vector<std::size_t>& sample, std::vector<Candidate>* candidates) const;

  // Of position 0, and of rows without pairs.
  bool AreRoundingsTheSame(const Candidate& candidate) const;

  bool IsValid(const Candidate& candidate) const;
  posenc_spec EncoderOf(const Candidate& candidate) const;
  posenc_rotary_spec RotaryOf(const Candidate& candidate) const;
  Writer WriterOf(const Candidate& candidate) const;

  // With the same position on all axes.
  Writer CacheWriterOf(const Candidate& candidate) const;

  // Where the table has zeros: the preset's own position, or another.
  std::optional<std::int64_t> PaddingOf(const Settings& settings, const Positions& positions) const;

  // Those that the first rows say, and the last if they are no whole numbers; then the usual ones.
  std::vector<Positions> PositionsOf(const Settings& settings) const;

  bool IsZero(const Entries& entries, std::size_t row) const;
  bool IsPadding(const Candidate& candidate, std::size_t row) const;
  std::size_t UnexplainedZeros(const Writer& writer, const Candidate& candidate) const;

  // Calls visit(row, block, k) for rows of the table: entries [k, columns] of a block are those of a
  // candidate without its padding. Ends where visit returns false.
  template <class Visit>
  void ForRows(const Writer& writer, const Candidate& candidate, const std::vector<std::size_t>& rows,
               const Visit& visit) const;

  // The mean is infinite if it is a NaN or beyond a limit.
  Distance DistanceTo(const Writer& writer, const Candidate& candidate, const std::vector<std::size_t>& rows,
                      double limit) const;
  void See(double given, double expected, Distance* distance) const;

  const NpyTable& table_;
  std::vector<Settings> settings_;
  std::vector<Positions> usual_;
  std::vector<std::size_t> compared_, zeros_;  // rows
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_SEARCH_H_
