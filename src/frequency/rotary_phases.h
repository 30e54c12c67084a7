// Plans the phase roundings of rotaries, and refuses those that would overflow or underflow.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_PHASES_H_
#define POSENC_SRC_FREQUENCY_ROTARY_PHASES_H_

#include "frequency/phase_rounding.h"
#include "frequency/scaled.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The phase rounding of a rotary. values are still missing: FinishPhaseRounding (framework.h) sets them.
// Without a rounding, *phases stays as it is. The status is an error if a step of the computation overflows,
// or underflows to 0.
posenc_status PlanPhaseRounding(const ScaledFrequencies& frequencies, PhaseRounding* phases);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_PHASES_H_
