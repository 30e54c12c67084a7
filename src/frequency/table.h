// The frequencies of an encoder or a rotary as arrays, which kernels read: the phase steps in quarter turns
// as sums of two doubles, and what helps to evaluate them.
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

// Entries of the arrays past `count` are zero, so that kernels may load whole vectors.
inline constexpr std::size_t kPadding = 64;

// Rows on either side of an anchor, and the offsets of a pair: to each of them and to two more anchors.
inline constexpr std::size_t kReach = 8;
inline constexpr std::size_t kOffsets = kReach + 2;

// The arrays are described once, by ForEachArray in table.cc, and lie behind one another in one block of
// memory.
struct FrequencyTable {
  // What kernels read comes first, within the reach of short instructions.
  std::size_t count;
  std::size_t padded;

  // The phase steps in quarter turns, w_i * 2/pi, as high + low with a relative error below 2^-kTableBits.
  // For integer positions, and half-integers as anchors of a run of rows, steps beyond four quarter turns are
  // kept modulo eight.
  double* high;
  double* low;

  // The steps themselves, for other positions: the same arrays if no step is that large.
  double* unreduced_high;
  double* unreduced_low;

  // A reduced phase r is accurate only if |r| is at least this times |phase|: kMinUncancelled; 0 if the
  // steps, and with them the phases, are exact.
  double min_uncancelled;

  // How many pairs, the first ones, have steps of at least kMinQuick, so that fewer terms are worth trying; 0
  // if steps are exact or phases rounded.
  std::size_t quick_pairs;

  // [kOffsets][2][padded], cosines and sines of w s for the offsets s of angle addition
  // (kernel/anchors-inl.h); null unless has_offsets.
  double* offsets;
  float* float_offsets;  // [kReach][2][padded], the first kReach of them as floats
  bool has_offsets;

  bool has_rational;
  bool steps_are_reduced;
  RationalStep* rational;  // the same steps, if they are in turns; else null

  PhaseRounding phase_rounding;  // if phases are rounded; each step is one radian then

  // The caller's frequencies and factors, if it gave some.
  double* listed;
  double* factors;

  std::size_t axis_count;  // of a position; 1 for encoders
  std::uint8_t* axes;      // the axis of each pair; null if there is one axis

  std::size_t first;  // of the schedule's pairs, in a slice of them; else 0

  Schedule schedule;  // what the steps were made of, for wide arithmetic

  // phases [pairs], rounded, of the pairs from i on.
  void FillPhases(double position, std::size_t i, std::size_t pairs, double* phases) const {
    phase_rounding.Fill(position, first + i, pairs, phases);
  }

  // How many of `pairs` pairs from pair i on, the first ones, are worth trying with fewer terms at that
  // position.
  std::size_t QuickPairs(double position, std::size_t i, std::size_t pairs) const;

  // The pairs first .. first + count - 1.
  FrequencyTable Slice(std::size_t first_pair, std::size_t pairs) const;
};
inline constexpr int kTableBits = 97;

// A table without its schedule and its arrays, in nanoseconds. The caller may set has_offsets.
posenc_status PlanTable(const posenc_spec& spec, FrequencyTable* table);

// The bytes of all arrays, a multiple of the size of a double.
std::size_t ArrayBytes(const FrequencyTable& table);

// Sets what follows from pairs, schedule and phase rounding.
void PlanArrays(std::size_t pairs, bool has_large, FrequencyTable* table);

// Puts the arrays into memory [ArrayBytes(*table)], which is aligned for doubles, and fills all but offsets
// and axes. The table has its schedule, whose lists are copied.
void FillTable(void* memory, FrequencyTable* table);

// The angles of tokens that are so far behind another token, the anchor, are added from the anchor's, if a
// rotary has no more pairs: stack is scarce.
inline constexpr std::size_t kMaxOffset = 7;
inline constexpr std::size_t kMaxAddedPairs = 256;

struct RotaryTable {
  Scaling scaling;             // the scaling of frequencies.schedule
  FrequencyTable frequencies;  // without offsets

  std::size_t axis_bytes;  // of the schedules of axial axes and their lists

  // [kMaxOffset][2][count], cosines and sines of positions 1, 2 ..., which the caller fills; null unless it
  // has set has_offsets.
  double* offsets;
  bool has_offsets;

  // Whether pairs have multiples of their own: the positions of their axes, or rounded phases.
  bool HasMultiples() const { return IsRounded() || frequencies.axis_count > 1; }
  bool IsRounded() const { return !frequencies.phase_rounding.IsNone(); }

  // The cosines of an offset; the sines follow.
  double* OffsetCosines(std::size_t offset) const { return offsets + 2 * (offset - 1) * frequencies.count; }

  // multiples [frequencies.count + kPadding], 0 past the pairs, of a position [axes].
  void FillMultiples(const double* position, double* multiples) const;
};

// A table without its arrays, of a spec of which all but struct_size and target is checked here. Of axial
// axes axes [POSENC_MAX_AXES] become the schedules, for FillRotaryTable.
posenc_status PlanRotaryTable(const posenc_rotary_spec& spec, AxisSchedule* axes, RotaryTable* table);

std::size_t ArrayBytes(const RotaryTable& table);

// Puts the arrays into memory [ArrayBytes(*table)], which is aligned for doubles, and fills all but the
// offsets. The table is at the address at which it will stay; axial axes are copied from `planned`.
void FillRotaryTable(void* memory, const AxisSchedule* planned, RotaryTable* table);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_TABLE_H_
