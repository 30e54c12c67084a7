// Which axis of a position turns a rotary's pair, and where the pair's frequency comes from. axis_order names
// the models; rotary_c.h has their rules.
#include "frequency/scaling.h"

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
  std::size_t j = pair;  // of its axis
  while (j >= spec.sections[place.axis]) j -= spec.sections[place.axis++];
  if (spec.axis_order == POSENC_SPLIT_AXES) place.entry = place.axis + j * spec.axes;
  if (spec.axis_order == POSENC_AXIAL_AXES) place.entry = j;
  return place;
}

}  // namespace internal
}  // namespace posenc
