#include "frequency/rotary_phases.h"

#include <cmath>

#include "frequency/float_steps.h"
#include "number/wide.h"

namespace posenc {
namespace internal {
namespace {

// The float steps before a position is known.
class Recipe {
 public:
  explicit Recipe(const RotarySchedule& schedule) : schedule_(schedule), spec_(schedule.spec) {
    const bool takes_double = spec_.phase_rounding == POSENC_F64_INV_FREQ;
    if (!takes_double) {
      spec_.base = static_cast<double>(NearestFloat(spec_.base));
      spec_.exponent_dim = static_cast<double>(NearestFloat(spec_.exponent_dim));
    }
    base_is_right_ = spec_.base > 0.0 && std::isfinite(spec_.base);
    if (base_is_right_) log_base_ = Log<4>(spec_.base);
  }

  bool BaseIsRight() const { return base_is_right_ || schedule_.list.count != 0; }

  // f32(pow(f32(base), f32(-2 / f32(D))))
  float Ratio() const { return ExpAsFloat(QuotientAsFloat(-2.0, spec_.exponent_dim), log_base_); }

  float Factor() const { return spec_.scaling == POSENC_LINEAR ? NearestFloat(spec_.factor) : 1.0f; }

  // f32(1 / f32(f)); MLX divides doubles: f32(f64(1 / f))
  float InverseFactor() const {
    const bool divides_doubles = spec_.scaling == POSENC_LINEAR && spec_.phase_rounding == POSENC_F32_EXP;
    return divides_doubles ? NearestFloat(1.0 / spec_.factor) : 1.0f / Factor();
  }

  // w_i before linear scaling
  float Frequency(const PairPlace& place) const {
    if (schedule_.list.count != 0) return static_cast<float>(schedule_.list[place.entry]);
    const auto i = static_cast<double>(place.exponent);
    if (place.exponent == 0) return 1.0f;  // however little exponent_dim is
    switch (spec_.phase_rounding) {
      case POSENC_F32_INV_FREQ:
        return 1.0f / ExpAsFloat(QuotientAsFloat(2.0 * i, place.exponent_dim), log_base_);
      case POSENC_F32_EXP: {
        const float rate =
            QuotientAsFloat(2.0 * static_cast<double>(NearestFloat(log_base_)), place.exponent_dim);
        return ExpAsFloat(static_cast<float>(-i) * rate, FromInteger<4>(1));
      }
      default:  // POSENC_F64_INV_FREQ
        return NearestFloat(1.0 / ExpAsType(2.0 * i / place.exponent_dim, log_base_, POSENC_F64));
    }
  }

  float Value(std::size_t pair) const {
    const PairPlace place = PlaceOf(spec_, pair);
    if (spec_.phase_rounding == POSENC_F32_ITERATED) {
      return schedule_.factors.count == 0 ? 1.0f : NearestFloat(schedule_.factors[place.entry]);
    }
    const float frequency = Frequency(place);
    const bool divides = spec_.scaling == POSENC_LINEAR && spec_.phase_rounding != POSENC_F32_EXP;
    return divides ? frequency / Factor() : frequency;
  }

 private:
  const RotarySchedule& schedule_;
  posenc_rotary_spec spec_;  // base and exponent_dim rounded
  bool base_is_right_;
  Wide256 log_base_;
};

// Values of an axis are between those of its ends.
bool IsAnEnd(const posenc_rotary_spec& spec, std::size_t pair) {
  if (pair == 0 || pair + 1 == spec.rotary_dim / 2) return true;
  const std::size_t axis = PlaceOf(spec, pair).axis;
  return PlaceOf(spec, pair - 1).axis != axis || PlaceOf(spec, pair + 1).axis != axis;
}

// Of phases, far below what kernels reduce.
bool IsPhase(float x) { return std::fabs(x) <= 0x1p63f; }

posenc_status CheckValues(const RotarySchedule& schedule, const Recipe& recipe, const RoundedPhases& phases) {
  const bool is_listed = schedule.list.count != 0 || schedule.factors.count != 0;
  const posenc_status status = schedule.factors.count != 0 ? POSENC_BAD_LISTED_FACTOR : POSENC_BAD_BASE;
  auto last = static_cast<float>(POSENC_MAX_POSITION);
  last *= phases.position_factor;
  for (std::size_t i = 0; i < schedule.spec.rotary_dim / 2; ++i) {
    if (is_listed || IsAnEnd(schedule.spec, i)) {
      const float value = recipe.Value(i);
      const bool is_zero = schedule.list.count != 0 && value == 0.0f;
      if (!IsRegular(value) && !is_zero) return status;
      const float phase = phases.is_iterated ? phases.factor * last / value : last * value;
      if (!IsPhase(phase)) return POSENC_FREQUENCY_OUT_OF_RANGE;
    }
    if (phases.is_iterated) last *= phases.ratio;
  }
  return POSENC_OK;
}

}  // namespace

posenc_status PlanRoundedPhases(const RotarySchedule& schedule, RoundedPhases* phases) {
  const Recipe recipe(schedule);
  if (!recipe.BaseIsRight()) return POSENC_BAD_BASE;
  *phases = {};
  phases->is_iterated = schedule.spec.phase_rounding == POSENC_F32_ITERATED;
  phases->position_factor = phases->factor = phases->ratio = 1.0f;
  if (phases->is_iterated && schedule.spec.rotary_dim > 2) phases->ratio = recipe.Ratio();
  if (phases->is_iterated) phases->factor = recipe.InverseFactor();
  if (schedule.spec.phase_rounding == POSENC_F32_EXP) phases->position_factor = recipe.InverseFactor();
  if (!IsRegular(phases->ratio)) return POSENC_BAD_BASE;
  const bool factors_are_right =
      IsRegular(recipe.Factor()) && IsRegular(phases->factor) && IsRegular(phases->position_factor);
  if (!factors_are_right) return POSENC_BAD_FACTOR;
  return CheckValues(schedule, recipe, *phases);
}

void FillRoundedValues(const RotarySchedule& schedule, float* values) {
  const Recipe recipe(schedule);
  for (std::size_t i = 0; i < schedule.spec.rotary_dim / 2; ++i) values[i] = recipe.Value(i);
}

void RoundedPhases::Fill(const double* position, std::size_t axis_count, const std::uint8_t* axes,
                         std::size_t pairs, double* phases) const {
  float at[POSENC_MAX_AXES] = {};
  for (std::size_t k = 0; k < axis_count; ++k) at[k] = static_cast<float>(position[k]) * position_factor;
  for (std::size_t i = 0; i < pairs; ++i) {
    const float start = at[axes == nullptr ? 0 : axes[i]];
    if (!is_iterated) {
      phases[i] = static_cast<double>(start * values[i]);
      continue;
    }
    phases[i] = static_cast<double>(factor * start / values[i]);
    for (float& t : at) t *= ratio;
  }
}

}  // namespace internal
}  // namespace posenc
