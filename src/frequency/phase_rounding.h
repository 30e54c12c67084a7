// Phases as frameworks and engines compute them, rounded to float or double after each step.
// posenc_phase_rounding names these ways; docs/conventions.md has the formulas for encoders, and
// docs/rotary-engines.md for rotaries. This file is what calls do at each position; framework.h and
// rotary_phases.h prepare it.
#ifndef POSENC_SRC_FREQUENCY_PHASE_ROUNDING_H_
#define POSENC_SRC_FREQUENCY_PHASE_ROUNDING_H_

#include <cstddef>
#include <cstdint>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// What a table stores so that it can compute the phases at any position.
struct PhaseRounding {
  posenc_phase_rounding rounding;  // POSENC_NO_PHASE_ROUNDING: phases are not rounded
  // The last step multiplies the phase by this: an encoder's position_scale; for a rotary 1 / f with
  // POSENC_F32_ITERATED, else 1. f is the factor of POSENC_LINEAR.
  double scale;
  float position_factor;  // the first step multiplies f32(p) by this: 1 / f with POSENC_F32_EXP, else 1
  float ratio;            // POSENC_F32_ITERATED: t_{i+1} / t_i
  bool has_values;        // whether values is an array of the table
  // [pairs]: w_i, or the divisor of positions; with POSENC_F32_ITERATED the divisor of t_i.
  double* values;

  bool IsNone() const { return rounding == POSENC_NO_PHASE_ROUNDING; }

  // Whether values are factors, which Fill knows nothing of.
  bool HasFactors() const { return rounding == POSENC_F32_ITERATED && has_values; }

  // Writes phases [count], in radians, for the pairs first .. first + count - 1 at a position. A rotary with
  // factors or several axes needs FillOfAxes instead.
  void Fill(double position, std::size_t first, std::size_t count, double* phases) const;

  // The same for a rotary and a position [axis_count]. axes [count] is the axis of each pair; it is null if
  // there is only one axis.
  void FillOfAxes(const double* position, std::size_t axis_count, const std::uint8_t* axes, std::size_t first,
                  std::size_t count, double* phases) const;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_PHASE_ROUNDING_H_
