// Reproduces the phases of frameworks and engines, which round every step of their computation to float or
// double. posenc_phase_rounding names these ways; docs/conventions.md has the formulas for encoders, and
// docs/rotary-engines.md for rotaries.
#ifndef POSENC_SRC_FREQUENCY_PHASE_ROUNDING_H_
#define POSENC_SRC_FREQUENCY_PHASE_ROUNDING_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

struct Schedule;

// What a table stores so that it can compute the phases at any position.
struct PhaseRounding {
  posenc_phase_rounding rounding;  // POSENC_NO_PHASE_ROUNDING: phases are not rounded
  double scale;                    // the last step multiplies the phase by this
  float position_factor;           // the first step multiplies f32(p) by this
  float ratio;                     // POSENC_F32_ITERATED: t_{i+1} / t_i
  bool has_values;                 // whether values is an array of the table
  // [pairs]: w_i, or the divisor of positions; with POSENC_F32_ITERATED the divisor of t_i.
  double* values;

  bool IsNone() const { return rounding == POSENC_NO_PHASE_ROUNDING; }

  // Writes phases [count], in radians, for the pairs first .. first + count - 1 at a position. A rotary with
  // factors or several axes needs FillOfAxes instead.
  void Fill(double position, std::size_t first, std::size_t count, double* phases) const;

  // The same for a rotary and a position [axis_count]. axes [count] is the axis of each pair; it is null if
  // there is only one axis.
  void FillOfAxes(const double* position, std::size_t axis_count, const std::uint8_t* axes, std::size_t first,
                  std::size_t count, double* phases) const;
};

// The phase rounding of a valid spec. values and ratio are still missing: FinishPhaseRounding sets them.
PhaseRounding PlanPhaseRounding(const posenc_spec& spec);

// The phase rounding of a rotary's schedule. values are still missing. Without a rounding, *phases stays as
// it is. The status is an error if a step of the computation overflows, or underflows to 0.
posenc_status PlanPhaseRounding(const Schedule& schedule, PhaseRounding* phases);

// Computes what planning left out: values [count], and an encoder's ratio.
void FinishPhaseRounding(const Schedule& schedule, std::size_t count, PhaseRounding* phases);

// x rounded to the nearest number of a type, ties to even. If 256 bits cannot tell x from a midpoint, it is
// one: only quotients, and powers with an integer exponent, come so close.
double NearestOrTie(Wide256 x, posenc_type type);

// Like a cast to float, but also defined for values beyond float's range: they become infinite.
float NearestFloat(double x);
float NearestFloat(const Wide256& x);

// Whether x is neither 0 nor infinite nor a NaN.
inline bool IsRegular(float x) { return x != 0.0f && std::isfinite(x); }

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_PHASE_ROUNDING_H_
