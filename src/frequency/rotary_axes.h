// The pairs of a rotary embedding whose positions have several axes.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_AXES_H_
#define POSENC_SRC_FREQUENCY_ROTARY_AXES_H_

#include <cstddef>

#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// Where the frequency of a pair comes from.
struct PairPlace {
  std::size_t axis;      // that turns it
  std::size_t entry;     // of the caller's lists; what a scaling takes for i
  std::size_t exponent;  // base^(-2 exponent / exponent_dim), unless frequencies are listed
  double exponent_dim;
};

// Whether axes, sections and axis_order are right.
bool AxesAreRight(const posenc_rotary_spec& spec);

// Of a spec whose axes are right, and whose rotary_dim and exponent_dim are not 0.
PairPlace PlaceOf(const posenc_rotary_spec& spec, std::size_t pair);

// Whether the frequencies of an axis are not those of its pairs in the whole schedule.
inline bool HasSchedulesOfAxes(const posenc_rotary_spec& spec) {
  return spec.axes > 1 && (spec.axis_order == POSENC_SPLIT_AXES || spec.axis_order == POSENC_AXIAL_AXES);
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_AXES_H_
