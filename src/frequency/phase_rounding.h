// The phases of frameworks and engines, each of their own steps rounded to float or double, as
// posenc_phase_rounding (posenc_c.h, for rotaries rotary_c.h) names them and says their formulas.
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

// What a table needs for the phases of any position.
struct PhaseRounding {
  posenc_phase_rounding rounding;  // POSENC_NO_PHASE_ROUNDING: phases are not rounded
  double scale;                    // multiplies phases at last
  float position_factor;           // multiplies f32(p) at first
  float ratio;                     // POSENC_F32_ITERATED: of t_{i+1} and t_i
  bool has_values;
  double* values;  // [pairs]: w_i, or what positions are divided by; iterated: what t_i is divided by

  bool IsNone() const { return rounding == POSENC_NO_PHASE_ROUNDING; }

  // phases [count] in radians, of the pairs first .. first + count - 1 at a position; not of a rotary that
  // has factors or several axes.
  void Fill(double position, std::size_t first, std::size_t count, double* phases) const;

  // The same of a rotary at a position [axis_count]; axes [count] is the axis of each pair, or null if there
  // is one.
  void FillOfAxes(const double* position, std::size_t axis_count, const std::uint8_t* axes, std::size_t first,
                  std::size_t count, double* phases) const;
};

// Of a valid spec, without values and ratio.
PhaseRounding PlanPhaseRounding(const posenc_spec& spec);

// Of a rotary's schedule, without values; *phases is left as it is if there is no rounding. The status is not
// POSENC_OK if a step overflows or vanishes.
posenc_status PlanPhaseRounding(const Schedule& schedule, PhaseRounding* phases);

// Computes what is missing: values [count].
void FinishPhaseRounding(const Schedule& schedule, std::size_t count, PhaseRounding* phases);

// x rounded to the nearest number of a type, ties to even. What 256 bits cannot tell from a midpoint is
// treated as one: it is a quotient, or a power with an integer for exponent.
double NearestOrTie(Wide256 x, posenc_type type);

// As a cast, but defined out of float's range too.
float NearestFloat(double x);
float NearestFloat(const Wide256& x);

// Neither 0 nor infinite nor a NaN.
inline bool IsRegular(float x) { return x != 0.0f && std::isfinite(x); }

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_PHASE_ROUNDING_H_
