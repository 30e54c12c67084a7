// What a posenc_rotary_spec means, from the text of rotary_c.h, in long double; of specs whose members are
// right.
#ifndef POSENC_TESTS_FUZZ_ROTARY_ESTIMATES_H_
#define POSENC_TESTS_FUZZ_ROTARY_ESTIMATES_H_

#include <cstddef>

#include "posenc/rotary_c.h"

namespace posenc {
namespace fuzz {

// A number that is within a relative error of this one.
struct Estimate {
  long double value, error;
};

inline std::size_t RotaryDim(const posenc_rotary_spec& spec) {
  return spec.rotary_dim == 0 ? spec.head_dim - spec.rotary_offset : spec.rotary_dim;
}

// Which of the lists a LongRoPE takes.
inline bool IsLong(const posenc_rotary_spec& spec) {
  return spec.scaling == POSENC_LONGROPE && spec.length > spec.original_length;
}
inline bool UsesFactors(posenc_scaling scaling) {
  return scaling == POSENC_LONGROPE || scaling == POSENC_FREQUENCY_FACTORS;
}
inline bool IsYarn(posenc_scaling scaling) { return scaling == POSENC_YARN || scaling == POSENC_YARN_LOG; }

// Whether axes have schedules of their own.
inline bool HasOwnSchedules(const posenc_rotary_spec& spec) {
  return spec.axes > 1 && (spec.axis_order == POSENC_SPLIT_AXES || spec.axis_order == POSENC_AXIAL_AXES);
}

bool AxesAreRight(const posenc_rotary_spec& spec);
std::size_t AxisOf(const posenc_rotary_spec& spec, std::size_t pair);

// An entry of a list of doubles or else of floats, of any alignment.
double ListEntry(const double* doubles, const float* floats, std::size_t i);

// What NTK scalings put for f.
long double Stretch(const posenc_rotary_spec& spec);

// The scaled w_i, in radians per step.
Estimate FrequencyOf(const posenc_rotary_spec& spec, std::size_t pair);
Estimate AmplitudeOf(const posenc_rotary_spec& spec);

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_ROTARY_ESTIMATES_H_
