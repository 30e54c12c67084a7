// The frequencies of a rotary embedding as its kernels read them.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_TABLE_H_
#define POSENC_SRC_FREQUENCY_ROTARY_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/rotary_schedule.h"
#include "frequency/rotary_phases.h"
#include "frequency/table.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// Turns of tokens so far behind another, the anchor, are added from its, if these are no more: stack is
// scarce.
inline constexpr std::size_t kMaxOffset = 7;
inline constexpr std::size_t kMaxAddedPairs = 256;

struct RotaryTable {
  RotarySchedule schedule;
  FrequencyTable frequencies;  // without offsets; with a phase rounding each is 1 radian

  RoundedPhases phases;  // of a phase rounding

  // [kMaxOffset][2][count], cosines and sines of positions 1, 2 ..., for the caller to fill; null if it has
  // not set has_offsets.
  double* offsets;
  bool has_offsets;

  std::uint8_t* axes;  // [count], the axis of each pair; null if there is one axis

  // Whether pairs have multiples of their own: the positions of their axes, or rounded phases.
  bool HasMultiples() const { return IsRounded() || schedule.spec.axes > 1; }
  bool IsRounded() const { return schedule.spec.phase_rounding != POSENC_NO_PHASE_ROUNDING; }

  // The cosines of an offset; the sines follow.
  double* OffsetCosines(std::size_t offset) const { return offsets + 2 * (offset - 1) * frequencies.count; }

  // multiples [frequencies.padded], 0 past the pairs, of a position [axes].
  void FillMultiples(const double* position, double* multiples) const;
};

// A table without its arrays, of a spec of which all but struct_size and target is checked here.
posenc_status PlanRotaryTable(const posenc_rotary_spec& spec, RotaryTable* table);

// Of the arrays, all of them.
std::size_t ArrayBytes(const RotaryTable& table);

// Puts the arrays into memory [ArrayBytes(*table)], aligned for doubles, and fills them. The table is where
// it will stay; the caller's lists are copied.
void FillRotaryTable(void* memory, RotaryTable* table);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_TABLE_H_
