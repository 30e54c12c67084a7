// The frequencies of an encoder or a rotary as arrays for kernels. The main arrays are the phase steps, in
// quarter turns per position, as sums of two doubles; the others help to evaluate them. A table owns nothing:
// it points to arrays and to exact frequencies, so that slices of it are cheap.
#ifndef POSENC_SRC_FREQUENCY_TABLE_H_
#define POSENC_SRC_FREQUENCY_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/frequencies.h"
#include "frequency/phase_rounding.h"
#include "frequency/rational.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline bool IsWhole(double position) {
  return static_cast<double>(static_cast<std::int64_t>(position)) == position;
}

// Each array has this number of zeros after its `count` entries, so that kernels may load whole vectors.
inline constexpr std::size_t kPadding = 64;

// Angle addition computes the kReach rows before and after an anchor row from the anchor. So a pair needs
// kReach offsets for these rows, and two more for the distances to other anchors.
inline constexpr std::size_t kReach = 8;
inline constexpr std::size_t kOffsets = kReach + 2;

// The arrays lie one after another in one block of memory. ForEachArray in table.cc is the only place that
// lists their sizes.
struct FrequencyTable {
  // The members that kernels read come first, so that instructions can address them with short offsets.
  std::size_t count;
  std::size_t padded;

  // The phase steps in quarter turns, w_i * 2/pi, as high + low with a relative error below 2^-kTableBits.
  // Steps beyond four quarter turns are reduced modulo eight. So these arrays are for integer positions, and
  // for the half-integers that can be anchors of a run.
  double* high;
  double* low;

  // The steps before that reduction, for all other positions. They are high and low if no step is so large.
  double* unreduced_high;
  double* unreduced_low;

  // A reduced phase r is accurate if |r| >= min_uncancelled * |phase|. A smaller |r| lost too many bits to
  // cancellation. It is kMinUncancelled, or 0 if the steps and so all phases are exact.
  double min_uncancelled;

  // The first quick_pairs pairs have steps of at least kMinQuick, so polynomials with fewer terms are worth
  // trying first. It is 0 if steps are exact or phases are rounded.
  std::size_t quick_pairs;

  // With a phase rounding: the phases of the first quick_phases pairs are at most as large as the position
  // times the scale. 0 without one.
  std::size_t quick_phases;

  // [kOffsets][2][padded]: cosines and sines of w_i s, for each offset s that angle addition uses
  // (kernel/anchors-inl.h). Null unless has_offsets.
  double* offsets;
  float* float_offsets;  // [kReach][2][padded]: the first kReach offsets as floats
  bool has_offsets;

  bool has_rational;
  bool steps_are_reduced;
  RationalStep* rational;  // the unreduced steps as rational numbers; null if the unit is radians

  // With a phase rounding, kernels get rounded phases instead of positions, and each step is one radian.
  PhaseRounding phase_rounding;

  std::size_t axis_count;  // how many axes a position has; 1 for encoders
  std::uint8_t* axes;      // the axis of each pair; null if there is one axis

  std::size_t first;  // in a slice: the pair of the whole table at which the slice begins; else 0

  const Frequencies* exact;  // in 256 and 1,024 bits, for pairs that doubles cannot decide

  // With a phase rounding: writes phases [pairs] for the pairs from i on.
  void FillPhases(double position, std::size_t i, std::size_t pairs, double* phases) const {
    phase_rounding.Fill(position, first + i, pairs, phases);
  }

  // Of the pairs i .. i + pairs - 1, the number of first ones for which polynomials with fewer terms are
  // worth trying at that position. It is 0 at positions between -1 and 1. If a step is reduced modulo eight,
  // it is also 0 at positions that are not integers.
  std::size_t QuickPairs(double position, std::size_t i, std::size_t pairs) const;

  // The same for the rounded phases [pairs] of such a position.
  std::size_t QuickPhases(double position, std::size_t i, std::size_t pairs, const double* phases) const;

  // Whether a step is so near to half turns, but not equal to them, that angle addition is not right for it
  // (kMinAddedStep). Nobody wants such frequencies: they are next to whole turns, or next to 0.
  bool HasStepBesideHalfTurns() const;

  // A table of the pairs first_pair .. first_pair + pairs - 1 only, which shares this table's arrays.
  FrequencyTable Slice(std::size_t first_pair, std::size_t pairs) const;
};
inline constexpr int kTableBits = 97;

// Sets up a table, still without arrays and exact frequencies: the members that decide which arrays it has.
// `has_large` says whether a step may exceed four quarter turns. The caller may set has_offsets and
// axis_count afterwards.
void PlanTable(std::size_t pairs, posenc_unit unit, bool has_large, const PhaseRounding& phases,
               FrequencyTable* table);

// The bytes of all arrays, a multiple of the size of a double.
std::size_t ArrayBytes(const FrequencyTable& table);

// Lays out the arrays in memory [ArrayBytes(*table)], which must be aligned for doubles, and fills all of
// them except offsets and axes. The table refers to the exact frequencies from now on.
void FillTable(void* memory, const Frequencies& exact, FrequencyTable* table);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_TABLE_H_
