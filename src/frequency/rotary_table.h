// What a rotary has besides the table of frequencies: an amplitude, offsets of tokens, and multiples, which
// are what steps are multiplied by.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_TABLE_H_
#define POSENC_SRC_FREQUENCY_ROTARY_TABLE_H_

#include <cstddef>

#include "frequency/scaled.h"
#include "frequency/table.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// A rotary evaluates the angles of one token, the anchor, and gets the angles of up to kMaxOffset tokens
// after it by angle addition. It does so only up to kMaxAddedPairs pairs, because the angles are on the
// stack.
inline constexpr std::size_t kMaxOffset = 7;
inline constexpr std::size_t kMaxAddedPairs = 256;

struct RotaryTable {
  FrequencyTable frequencies;  // without its offsets, which calls make if they need them (RowRuns)
  double amplitude;            // A, the nearest double

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

// Sets up a rotary's table, still without its arrays, from planned frequencies. The caller may set
// has_offsets afterwards. The status is an error if the phase rounding overflows.
posenc_status PlanRotaryTable(const ScaledFrequencies& frequencies, RotaryTable* table);

// The bytes of all arrays and of the exact frequencies, a multiple of the size of a double.
std::size_t ArrayBytes(const RotaryTable& table, const ScaledFrequencies& frequencies);

// Lays out the arrays in memory of that size, which must be aligned for doubles, and fills all of them except
// the offsets. Behind them it copies the exact frequencies, with their axes and lists.
void FillRotaryTable(void* memory, const ScaledFrequencies& frequencies, RotaryTable* table);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_TABLE_H_
