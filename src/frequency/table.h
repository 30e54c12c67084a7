// The frequencies of an encoder or a rotary as arrays for kernels. The main arrays are the phase steps, in
// quarter turns per position, as sums of two doubles; the others help to evaluate them.
#ifndef POSENC_SRC_FREQUENCY_TABLE_H_
#define POSENC_SRC_FREQUENCY_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/phase_rounding.h"
#include "frequency/rational.h"
#include "frequency/scaling.h"
#include "frequency/schedule.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

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

  // Copies of the caller's frequencies and factors, if the spec has such lists.
  double* listed;
  double* factors;

  std::size_t axis_count;  // how many axes a position has; 1 for encoders
  std::uint8_t* axes;      // the axis of each pair; null if there is one axis

  std::size_t first;  // in a slice: the pair of the whole table at which the slice begins; else 0

  Schedule schedule;  // gives frequencies in 256 and 1,024 bits, for pairs that doubles cannot decide

  // With a phase rounding: writes phases [pairs] for the pairs from i on.
  void FillPhases(double position, std::size_t i, std::size_t pairs, double* phases) const {
    phase_rounding.Fill(position, first + i, pairs, phases);
  }

  // Of the pairs i .. i + pairs - 1, the number of first ones for which polynomials with fewer terms are
  // worth trying at that position.
  std::size_t QuickPairs(double position, std::size_t i, std::size_t pairs) const;

  // A table of the pairs first_pair .. first_pair + pairs - 1 only, which shares this table's arrays.
  FrequencyTable Slice(std::size_t first_pair, std::size_t pairs) const;
};
inline constexpr int kTableBits = 97;

// Checks an encoder's spec and sets up *table, still without its schedule and its arrays. This takes
// nanoseconds. The caller may set has_offsets afterwards.
posenc_status PlanTable(const posenc_spec& spec, FrequencyTable* table);

// The bytes of all arrays, a multiple of the size of a double.
std::size_t ArrayBytes(const FrequencyTable& table);

// Sets the members that decide which arrays a table has, from its pairs, schedule and phase rounding.
void PlanArrays(std::size_t pairs, bool has_large, FrequencyTable* table);

// Lays out the arrays in memory [ArrayBytes(*table)], which must be aligned for doubles, and fills all of
// them except offsets and axes. The table must have its schedule; the schedule's lists are copied.
void FillTable(void* memory, FrequencyTable* table);

// A rotary evaluates the angles of one token, the anchor, and gets the angles of up to kMaxOffset tokens
// after it by angle addition. It does so only up to kMaxAddedPairs pairs, because the angles are on the
// stack.
inline constexpr std::size_t kMaxOffset = 7;
inline constexpr std::size_t kMaxAddedPairs = 256;

struct RotaryTable {
  Scaling scaling;             // frequencies.schedule points to it
  FrequencyTable frequencies;  // its offsets are unused

  std::size_t axis_bytes;  // memory for the schedules of axial axes and for their lists

  // [kMaxOffset][2][count]: cosines and sines of the angles at positions 1, 2, ... The caller fills them.
  // Null unless the caller has set has_offsets.
  double* offsets;
  bool has_offsets;

  // Whether different pairs multiply their steps by different numbers: by the positions of their axes, or by
  // rounded phases.
  bool HasMultiples() const { return IsRounded() || frequencies.axis_count > 1; }
  bool IsRounded() const { return !frequencies.phase_rounding.IsNone(); }

  // The cosines of an offset, 1 .. kMaxOffset. The sines follow them.
  double* OffsetCosines(std::size_t offset) const { return offsets + 2 * (offset - 1) * frequencies.count; }

  // Writes multiples [frequencies.count + kPadding] for a position [axes]: what each pair's step is
  // multiplied by, and zeros after the pairs.
  void FillMultiples(const double* position, double* multiples) const;
};

// Checks a rotary's spec, except struct_size and target, and sets up *table, still without its arrays. For
// axial axes it writes their schedules to axes [POSENC_MAX_AXES], which FillRotaryTable needs.
posenc_status PlanRotaryTable(const posenc_rotary_spec& spec, AxisSchedule* axes, RotaryTable* table);

std::size_t ArrayBytes(const RotaryTable& table);

// Lays out the arrays in memory [ArrayBytes(*table)], which must be aligned for doubles, and fills all of
// them except the offsets. The table must be at its final address, because the schedule points into it.
// Schedules of axial axes are copied from `planned`.
void FillRotaryTable(void* memory, const AxisSchedule* planned, RotaryTable* table);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_TABLE_H_
