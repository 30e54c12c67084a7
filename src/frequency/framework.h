// Frequencies as frameworks and engines compute them: after each step of a formula the value is rounded to
// float or double. pow and exp are correctly rounded, because frameworks differ in their last bits.
#ifndef POSENC_SRC_FREQUENCY_FRAMEWORK_H_
#define POSENC_SRC_FREQUENCY_FRAMEWORK_H_

#include <cstddef>

#include "frequency/formula.h"
#include "frequency/frequencies.h"
#include "frequency/phase_rounding.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// What a framework computes before it knows a position. In the formulas D is exponent_dim, and f is the
// factor of POSENC_LINEAR.
class Framework {
 public:
  Framework(const Formula& formula, posenc_phase_rounding rounding);

  bool BaseIsRight() const { return base_is_right_ || formula_.IsListed(); }

  // POSENC_F32_ITERATED: f32(pow(base, f32(-2 / D)))
  float Ratio() const;

  // f32(f)
  float Factor() const { return NearestFloat(formula_.linear_factor); }

  // f32(1 / f32(f)), or f32(f64(1 / f)) for POSENC_F32_EXP
  float InverseFactor() const;

  // The entry of PhaseRounding::values.
  double Value(std::size_t entry) const;

 private:
  double AsGiven(double x) const;
  double Frequency(std::size_t entry) const;

  const Formula& formula_;
  posenc_phase_rounding rounding_;
  bool base_is_right_;
  Wide256 log_base_;  // ln(base / min_timescale)
};

// The phase rounding of an encoder's spec that has passed CheckSpec. values and ratio are still missing:
// FinishPhaseRounding sets them.
PhaseRounding PlanPhaseRounding(const posenc_spec& spec);

// Computes what planning left out: values [count], and an encoder's ratio.
void FinishPhaseRounding(const Frequencies& frequencies, std::size_t count, PhaseRounding* phases);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_FRAMEWORK_H_
