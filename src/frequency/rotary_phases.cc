// Plans the phase roundings of rotaries.
#include "number/exact.h"

#include "frequency/rotary_phases.h"

#include <cmath>
#include <cstddef>

#include "frequency/framework.h"
#include "frequency/nearest.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

// Whether pair is the first or the last of an ascending sequence of entries. All other values lie between the
// values at such ends, so only the ends need a check.
bool IsAnEnd(const Scaling& scaling, std::size_t pair) {
  if (pair == 0 || pair + 1 == scaling.pairs()) return true;
  const std::size_t entry = scaling.EntryOf(pair);
  return scaling.EntryOf(pair - 1) > entry || scaling.EntryOf(pair + 1) < entry;
}

// Whether x is small enough for a phase. Kernels can reduce far larger ones.
bool IsPhase(float x) { return std::fabs(x) <= 0x1p63f; }

// Checks that a rotary's values, and the phases at the largest position, do not overflow to infinity or
// underflow to 0.
posenc_status CheckValues(const Scaling& scaling, const Framework& framework, const PhaseRounding& phases) {
  const bool has_factors = scaling.formula.factors.count != 0,
             is_iterated = phases.rounding == POSENC_F32_ITERATED;
  const auto inverse_factor = static_cast<float>(phases.scale);  // 1 / f, if iterated
  auto last = static_cast<float>(POSENC_MAX_POSITION);
  last *= phases.position_factor;
  for (std::size_t i = 0; i < scaling.pairs(); ++i) {
    if (scaling.formula.IsListed() || has_factors || IsAnEnd(scaling, i)) {
      const auto value = static_cast<float>(framework.Value(scaling.EntryOf(i)));
      const bool is_zero = scaling.formula.IsListed() && value == 0.0f;
      if (!IsRegular(value) && !is_zero) return has_factors ? rule::rounding_factors : rule::rounding_base;
      const float phase = is_iterated ? inverse_factor * last / value : last * value;
      if (!IsPhase(phase)) return rule::frequency_range;
    }
    if (is_iterated) last *= phases.ratio;
  }
  return rule::ok;
}

// The phase rounding with one scaling. All scalings of a rotary have the same.
posenc_status PlanPhaseRounding(const Scaling& scaling, PhaseRounding* phases) {
  const posenc_rotary_spec& spec = scaling.spec;
  const bool is_iterated = spec.phase_rounding == POSENC_F32_ITERATED;
  *phases = {
      spec.phase_rounding, 1.0, 1.0f, 1.0f, !is_iterated || scaling.formula.factors.count != 0, nullptr};
  const Framework framework(scaling.formula, spec.phase_rounding);
  if (!framework.BaseIsRight()) return rule::rounding_base;
  if (is_iterated) {
    if (spec.rotary_dim > 2) phases->ratio = framework.Ratio();
    phases->scale = framework.InverseFactor();
  } else if (spec.phase_rounding == POSENC_F32_EXP) {
    phases->position_factor = framework.InverseFactor();
  }
  if (!IsRegular(phases->ratio)) return rule::rounding_base;
  const bool factors_are_right = IsRegular(framework.Factor()) && IsRegular(phases->position_factor) &&
                                 IsRegular(static_cast<float>(phases->scale));
  if (!factors_are_right) return rule::rounding_factor;
  return CheckValues(scaling, framework, *phases);
}

}  // namespace

posenc_status PlanPhaseRounding(const ScaledFrequencies& frequencies, PhaseRounding* phases) {
  if (frequencies.spec().phase_rounding == POSENC_NO_PHASE_ROUNDING) return rule::ok;
  for (std::size_t k = 0; k < frequencies.scaling_count(); ++k) {
    const Scaling& scaling = frequencies.scaling(k);
    const posenc_status status = scaling.pairs() == 0 ? rule::ok : PlanPhaseRounding(scaling, phases);
    if (status != POSENC_OK) return status;
  }
  return rule::ok;
}

}  // namespace internal
}  // namespace posenc
