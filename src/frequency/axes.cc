// Which axis rotates a pair, where its frequency comes from, and the specs of axial axes.
#include "number/exact.h"

#include "frequency/axes.h"

namespace posenc {
namespace internal {
namespace {

// The rest of a list, from entry `first` on; null for a null list.
template <class T>
const T* From(const T* list, std::size_t first) {
  return list == nullptr ? nullptr : list + first;
}

}  // namespace

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

posenc_rotary_spec SpecOfAxis(const posenc_rotary_spec& spec, std::size_t first, std::size_t pairs) {
  posenc_rotary_spec part = spec;
  part.exponent_dim = static_cast<double>(2 * pairs);
  part.factors = From(spec.factors, first);
  part.factors_f32 = From(spec.factors_f32, first);
  part.long_factors = From(spec.long_factors, first);
  part.long_factors_f32 = From(spec.long_factors_f32, first);
  part.frequencies = From(spec.frequencies, first);
  part.frequencies_f32 = From(spec.frequencies_f32, first);
  if (spec.factor_count != 0) part.factor_count = pairs;
  if (spec.frequency_count != 0) part.frequency_count = pairs;
  part.head_dim = part.rotary_dim = 2 * pairs;
  part.rotary_offset = 0;
  part.axes = 1;
  part.axis_order = POSENC_CONSECUTIVE_AXES;
  for (std::size_t& section : part.sections) section = 0;
  return part;
}

}  // namespace internal
}  // namespace posenc
