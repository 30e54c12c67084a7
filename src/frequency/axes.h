// Positions with several axes (M-RoPE and others): which axis rotates a pair, and where the pair's frequency
// comes from. rotary_c.h documents each axis_order and the models that use it.
#ifndef POSENC_SRC_FREQUENCY_AXES_H_
#define POSENC_SRC_FREQUENCY_AXES_H_

#include <cstddef>

#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// Where the frequency of a pair comes from.
struct PairPlace {
  std::size_t axis;  // the axis whose position multiplies the frequency
  // The i of the formulas and of the caller's lists. For axial axes it counts from the axis' first pair.
  std::size_t entry;
};

// The place of a pair. The spec's sections must add up (SectionsAddUp in rotary_spec.cc).
PairPlace PlaceOf(const posenc_rotary_spec& spec, std::size_t pair);

// Whether each axis has separate frequencies, as if it were a rotary with one axis.
inline bool IsAxial(const posenc_rotary_spec& spec) {
  return spec.axes > 1 && spec.axis_order == POSENC_AXIAL_AXES;
}

// Treats one axial axis as a rotary by itself: returns the spec of a rotary with one axis and `pairs` pairs,
// one or more. `first` is the axis' first pair in `spec`, which has been checked.
posenc_rotary_spec SpecOfAxis(const posenc_rotary_spec& spec, std::size_t first, std::size_t pairs);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_AXES_H_
