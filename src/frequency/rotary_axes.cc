#include "frequency/rotary_axes.h"

#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

// Whether as many pairs are left as sections say, no more.
bool SectionsAddUp(const posenc_rotary_spec& spec) {
  std::size_t left = spec.axes == 1 ? 0 : spec.rotary_dim / 2;
  for (std::size_t k = 0; k < POSENC_MAX_AXES; ++k) {
    if (spec.sections[k] > (k < spec.axes ? left : 0)) return false;
    left -= spec.sections[k];
  }
  return left == 0;
}

}  // namespace

bool AxesAreRight(const posenc_rotary_spec& spec) {
  if (spec.axes == 0 || spec.axes > POSENC_MAX_AXES || !IsValue<Of::axis_order>(spec.axis_order))
    return false;
  if (!SectionsAddUp(spec)) return false;
  if (spec.axes == 1) return true;
  // An order may have no place for that many pairs of an axis.
  const std::size_t pairs = spec.rotary_dim / 2;
  std::size_t found[POSENC_MAX_AXES] = {};
  for (std::size_t i = 0; i < pairs; ++i) {
    const PairPlace place = PlaceOf(spec, i);
    if (place.entry >= pairs) return false;
    ++found[place.axis];
  }
  for (std::size_t k = 0; k < spec.axes; ++k) {
    if (found[k] != spec.sections[k]) return false;
  }
  return true;
}

PairPlace PlaceOf(const posenc_rotary_spec& spec, std::size_t pair) {
  PairPlace place = {0, pair, pair, spec.exponent_dim};
  if (spec.axes == 1) return place;
  if (spec.axis_order == POSENC_INTERLEAVED_AXES) {
    const std::size_t axis = pair % spec.axes;
    if (pair < spec.axes * spec.sections[axis]) place.axis = axis;
    return place;
  }
  const std::size_t others = spec.axes - 1;
  if (spec.axis_order == POSENC_IMROPE_AXES) {
    const std::size_t axis = pair % others;
    place.axis = pair < others * spec.sections[axis] ? axis : others;
    return place;
  }
  if (spec.axis_order == POSENC_ALTERNATING_AXES) {
    if (pair < others * spec.sections[1]) place.axis = 1 + pair % others;
    return place;
  }
  std::size_t j = pair;
  while (j >= spec.sections[place.axis]) j -= spec.sections[place.axis++];
  if (spec.axis_order == POSENC_SPLIT_AXES) {
    place.entry = place.axis + j * spec.axes;
    place.exponent = place.entry;
  } else if (spec.axis_order == POSENC_AXIAL_AXES) {
    place.exponent = j;
    place.exponent_dim = 2.0 * static_cast<double>(spec.sections[place.axis]);
  }
  return place;
}

}  // namespace internal
}  // namespace posenc
