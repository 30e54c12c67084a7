// Plans and fills the tables of rotaries, and computes multiples, which differ between pairs if a position
// has several axes or if phases are rounded.
#include "number/exact.h"

#include "frequency/rotary_table.h"

#include <cstdint>
#include <cstring>

#include "frequency/axes.h"
#include "frequency/rotary_phases.h"

namespace posenc {
namespace internal {
namespace {

std::size_t OffsetBytes(const RotaryTable& table) {
  return table.has_offsets ? (2 * kMaxOffset * table.frequencies.count + kPadding) * sizeof(double) : 0;
}

}  // namespace

posenc_status PlanRotaryTable(const ScaledFrequencies& frequencies, RotaryTable* table) {
  const posenc_rotary_spec& spec = frequencies.spec();
  PhaseRounding phases = {};
  const posenc_status status = PlanPhaseRounding(frequencies, &phases);
  PlanTable(spec.rotary_dim / 2, spec.unit, frequencies.HasLarge(), phases, &table->frequencies);
  table->frequencies.axis_count = spec.axes;
  table->amplitude = frequencies.amplitude();
  table->offsets = nullptr;
  table->has_offsets = false;
  return status;
}

std::size_t ArrayBytes(const RotaryTable& table, const ScaledFrequencies& frequencies) {
  return ArrayBytes(table.frequencies) + OffsetBytes(table) + frequencies.CopyBytes();
}

void FillRotaryTable(void* memory, const ScaledFrequencies& frequencies, RotaryTable* table) {
  FrequencyTable& steps = table->frequencies;
  unsigned char* const offsets = static_cast<unsigned char*>(memory) + ArrayBytes(steps);
  FillTable(memory, *frequencies.CopyTo(offsets + OffsetBytes(*table)), &steps);
  for (std::size_t i = 0; steps.axes != nullptr && i < steps.count; ++i) {
    steps.axes[i] = static_cast<std::uint8_t>(PlaceOf(frequencies.spec(), i).axis);
  }
  if (!table->has_offsets) return;
  table->offsets = reinterpret_cast<double*>(offsets);
  std::memset(offsets, 0, OffsetBytes(*table));
}

void RotaryTable::FillMultiples(const double* position, double* multiples) const {
  const std::size_t count = frequencies.count;
  const std::uint8_t* const axes = frequencies.axes;
  for (std::size_t i = count; i < count + kPadding; ++i) multiples[i] = 0.0;
  if (IsRounded() && axes == nullptr && !frequencies.phase_rounding.HasFactors()) {
    frequencies.FillPhases(*position, 0, count, multiples);
  } else if (IsRounded()) {
    frequencies.phase_rounding.FillOfAxes(position, frequencies.axis_count, axes, frequencies.first, count,
                                          multiples);
  } else if (axes == nullptr) {
    for (std::size_t i = 0; i < count; ++i) multiples[i] = *position;
  } else {
    for (std::size_t i = 0; i < count; ++i) multiples[i] = position[axes[i]];
  }
}

}  // namespace internal
}  // namespace posenc
