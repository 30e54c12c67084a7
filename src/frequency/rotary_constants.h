// What all pairs of a rotary embedding share, from its spec.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_CONSTANTS_H_
#define POSENC_SRC_FREQUENCY_ROTARY_CONSTANTS_H_

#include "frequency/rotary_schedule.h"
#include "number/wide.h"

namespace posenc {
namespace internal {

// Of a schedule that has all but its constants.
template <int kLimbs>
RotaryConstants<kLimbs> MakeConstants(const RotarySchedule& schedule);

// POSENC_YARN's ramp, rounded to integers.
void RoundRamp(RotarySchedule* schedule);

// Whether what NTK puts for f is finite, as double.
bool NtkFactorIsRight(const posenc_rotary_spec& spec);

// Whether Exp can take all exponents, and without large errors: no natural logarithm of an unscaled frequency
// exceeds 1023, nor do the terms that it is the sum of.
bool ExponentsAreRight(const RotarySchedule& schedule);

// Whether a ramp magnifies errors of 256 bits beyond what a schedule promises. It has its constants.
bool IsSteep(const RotarySchedule& schedule);

// A, the spec's or the scaling's; may be infinite.
double AmplitudeOf(const posenc_rotary_spec& spec);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_CONSTANTS_H_
