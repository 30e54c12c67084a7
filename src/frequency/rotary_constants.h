// What all pairs of a rotary embedding share, from its spec.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_CONSTANTS_H_
#define POSENC_SRC_FREQUENCY_ROTARY_CONSTANTS_H_

#include "frequency/rotary_schedule.h"
#include "number/wide.h"

namespace posenc {
namespace internal {

inline Wide256 TopOf(const Wide1024& x) {
  Wide256 top;
  for (int i = 0; i < 4; ++i) top.limb[i] = x.limb[12 + i];
  top.exponent = x.exponent;
  top.negative = x.negative;
  return top;
}

// Of a schedule that has all but its constants.
template <int kLimbs>
RotaryConstants<kLimbs> MakeConstants(const RotarySchedule& schedule);

// POSENC_YARN's ramp, rounded to integers.
void RoundRamp(RotarySchedule* schedule);

// Whether what NTK puts for f is finite, as double.
bool NtkFactorIsRight(const posenc_rotary_spec& spec);

// Whether Exp can take all exponents, and without large errors. Where it cannot some scaled frequency is out
// of range. It has its constants.
bool ExponentsAreRight(const RotarySchedule& schedule);

// Whether a ramp magnifies errors of 256 bits beyond what a schedule promises. It has its constants.
bool IsSteep(const RotarySchedule& schedule);

// A, the spec's or the scaling's; may be infinite.
double AmplitudeOf(const posenc_rotary_spec& spec);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_CONSTANTS_H_
