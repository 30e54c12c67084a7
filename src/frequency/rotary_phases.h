// The phases of other engines, step by step in float, as posenc_phase_rounding names them.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_PHASES_H_
#define POSENC_SRC_FREQUENCY_ROTARY_PHASES_H_

#include <cstddef>
#include <cstdint>

#include "frequency/rotary_schedule.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

struct RoundedPhases {
  bool is_iterated;       // POSENC_F32_ITERATED
  float position_factor;  // multiplies f32(p)
  float ratio, factor;    // if iterated: of t_{i+1} and t_i; what t_i is multiplied by
  const float* values;    // [pairs]: w_i; if iterated: what t_i is divided by

  // phases [pairs] of a position [axes], each of which axes [pairs] says unless it is null.
  void Fill(const double* position, std::size_t axis_count, const std::uint8_t* axes, std::size_t pairs,
            double* phases) const;
};

// All but the values. Not POSENC_OK if a step overflows, or vanishes.
posenc_status PlanRoundedPhases(const RotarySchedule& schedule, RoundedPhases* phases);

// values [pairs]
void FillRoundedValues(const RotarySchedule& schedule, float* values);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_PHASES_H_
