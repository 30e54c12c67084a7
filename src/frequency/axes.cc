// Positions with several axes (M-RoPE and others): which axis rotates a pair, where the pair's frequency
// comes from, and what the frequency is multiplied by. rotary_c.h documents each axis_order and the models
// that use it.
#include "number/exact.h"

#include <cstddef>
#include <cstdint>

#include "frequency/phase_rounding.h"
#include "frequency/scaling.h"
#include "frequency/table.h"

namespace posenc {
namespace internal {

PairPlace PlaceOf(const posenc_rotary_spec& spec, std::size_t pair) {
  PairPlace place = {0, pair};
  if (spec.axes == 1) return place;
  const std::size_t others = spec.axes - 1;
  switch (spec.axis_order) {
    case POSENC_INTERLEAVED_AXES: {
      const std::size_t axis = pair % spec.axes;
      if (pair < spec.axes * spec.sections[axis]) place.axis = axis;
      return place;
    }
    case POSENC_IMROPE_AXES: {
      const std::size_t axis = pair % others;
      place.axis = pair < others * spec.sections[axis] ? axis : others;
      return place;
    }
    case POSENC_ALTERNATING_AXES:
      if (pair < others * spec.sections[1]) place.axis = 1 + pair % others;
      return place;
    default:
      break;
  }
  std::size_t j = pair;  // becomes the pair's number within its axis
  while (j >= spec.sections[place.axis]) j -= spec.sections[place.axis++];
  if (spec.axis_order == POSENC_SPLIT_AXES) place.entry = place.axis + j * spec.axes;
  if (spec.axis_order == POSENC_AXIAL_AXES) place.entry = j;
  return place;
}

// This function is here and not in phase_rounding.cc for two reasons: only rotaries call it, so a program
// without rotaries does not link it; and its loops run for every token, so this file is compiled for speed,
// not for size.
void PhaseRounding::FillOfAxes(const double* position, std::size_t axis_count, const std::uint8_t* axes,
                               std::size_t first, std::size_t count, double* phases) const {
  const bool is_iterated = rounding == POSENC_F32_ITERATED;
  const auto factor = static_cast<float>(scale);
  float at[POSENC_MAX_AXES] = {};
  for (std::size_t k = 0; k < axis_count; ++k) at[k] = static_cast<float>(position[k]) * position_factor;
  const auto advance = [&] {
    for (float& t : at) t *= ratio;
  };
  for (std::size_t i = 0; is_iterated && i < first; ++i) advance();
  for (std::size_t i = 0; i < count; ++i) {
    const float start = at[axes == nullptr ? 0 : axes[i]];
    const float value = values == nullptr ? 1.0f : static_cast<float>(values[first + i]);
    if (!is_iterated) {
      phases[i] = start * value;
      continue;
    }
    phases[i] = factor * start / value;
    advance();
  }
}

void RotaryTable::FillMultiples(const double* position, double* multiples) const {
  const std::size_t count = frequencies.count;
  const std::uint8_t* const axes = frequencies.axes;
  for (std::size_t i = count; i < count + kPadding; ++i) multiples[i] = 0.0;
  if (IsRounded() && axes == nullptr && frequencies.factors == nullptr) {
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
