// Computes frequencies as frameworks do.
#include "number/exact.h"

#include "frequency/framework.h"

#include <cmath>
#include <limits>

#include "frequency/encoder_spec.h"
#include "frequency/nearest.h"

namespace posenc {
namespace internal {
namespace {

// f32(a / b)
float QuotientAsFloat(double a, double b) {
  return a == 0.0 ? 0.0f : NearestFloat(Divide(FromDouble<4>(a), FromDouble<4>(b)));
}

// exp(exponent * log), rounded to a type. The result is 0 or infinite if it is out of range for every type.
double ExpAsType(double exponent, const Wide256& log, posenc_type type) {
  constexpr double kBeyond = 800.0;
  if (log.IsZero()) return 1.0;
  const double estimate = exponent * ToDouble(log);
  if (!(estimate <= kBeyond)) return std::numeric_limits<double>::infinity();
  if (estimate < -kBeyond) return 0.0;
  return NearestOrTie(Exp(Multiply(FromDouble<4>(exponent), log)), type);
}

float ExpAsFloat(double exponent, const Wide256& log) {
  return NearestFloat(ExpAsType(exponent, log, POSENC_F32));
}

// f32(exp(exponent))
float ExpAsFloat(float exponent) { return ExpAsFloat(exponent, FromInteger<4>(1)); }

}  // namespace

Framework::Framework(const Formula& formula, posenc_phase_rounding rounding)
    : formula_(formula), rounding_(rounding) {
  const double base = AsGiven(formula.base);
  base_is_right_ = base > 0.0 && std::isfinite(base);
  if (formula.IsListed() || !base_is_right_) return;
  log_base_ = Log<4>(base);
  if (formula.min_timescale != 1.0) log_base_ = Subtract(log_base_, Log<4>(formula.min_timescale));
}

float Framework::Ratio() const {
  return ExpAsFloat(QuotientAsFloat(-2.0, AsGiven(formula_.exponent_dim)), log_base_);
}

float Framework::InverseFactor() const {
  return rounding_ == POSENC_F32_EXP ? NearestFloat(1.0 / formula_.linear_factor) : 1.0f / Factor();
}

double Framework::Value(std::size_t entry) const {
  if (rounding_ == POSENC_F32_ITERATED) {
    return formula_.factors.count == 0 ? 1.0 : static_cast<double>(NearestFloat(formula_.factors[entry]));
  }
  const double frequency = Frequency(entry);
  const bool divides = formula_.linear_factor != 1.0 && rounding_ != POSENC_F32_EXP;
  return divides ? static_cast<float>(frequency) / Factor() : frequency;
}

// base or D as the framework has it. For a rotary, most roundings take it as a float. For an encoder, BaseOf
// and ExponentDimOf have already rounded it.
double Framework::AsGiven(double x) const {
  const bool is_rounded = formula_.is_rotary && rounding_ != POSENC_F64_INV_FREQ;
  return is_rounded ? static_cast<double>(NearestFloat(x)) : x;
}

// w_i before linear scaling, or 1 / w_i for the POW_DIV roundings, which divide positions by it.
double Framework::Frequency(std::size_t entry) const {
  if (formula_.IsListed()) return formula_.list[entry];
  const float min_timescale = NearestFloat(formula_.min_timescale);
  if (entry == 0 || log_base_.IsZero()) return min_timescale;  // even if i / D is infinite
  const auto i = static_cast<float>(entry);
  const double exponent_dim = AsGiven(formula_.exponent_dim), exponent = 2.0 * i / exponent_dim;
  const float half_dim = NearestFloat(exponent_dim) / 2.0f;
  switch (rounding_) {
    case POSENC_F32_POW_DIV:
      return ExpAsFloat(QuotientAsFloat(2.0 * i, exponent_dim), log_base_);
    case POSENC_F32_INV_FREQ:
      return 1.0f / ExpAsFloat(QuotientAsFloat(2.0 * i, exponent_dim), log_base_);
    case POSENC_F32_EXP: {
      if (formula_.is_rotary) {  // a rotary's logarithm is rounded before the division
        return ExpAsFloat(-i * QuotientAsFloat(2.0 * NearestFloat(log_base_), exponent_dim));
      }
      Wide256 rate = Negate(Divide(log_base_, FromDouble<4>(exponent_dim)));
      ++rate.exponent;  // doubled, because i multiplies it, and not 2i
      return ExpAsFloat(i * NearestFloat(rate));
    }
    case POSENC_F32_LOG_DIV:
      return ExpAsFloat(NearestFloat(Negate(log_base_)) * i / half_dim);
    case POSENC_F32_LOG_INCREMENT:
      return min_timescale * ExpAsFloat(i * -(NearestFloat(log_base_) / half_dim));
    case POSENC_F64_INV_FREQ:
      return static_cast<double>(NearestFloat(1.0 / ExpAsType(exponent, log_base_, POSENC_F64)));
    case POSENC_F64_POW_DIV:
      return ExpAsType(exponent, log_base_, POSENC_F64);
    default:  // POSENC_F64_POW_MUL
      return ExpAsType(-exponent, log_base_, POSENC_F64);
  }
}

PhaseRounding PlanPhaseRounding(const posenc_spec& spec) {
  const posenc_phase_rounding rounding = spec.phase_rounding;
  const bool is_of_doubles = IsOneOf(rounding, POSENC_F64_POW_DIV, POSENC_F64_POW_MUL);
  const double scale = is_of_doubles ? spec.position_scale : NearestFloat(spec.position_scale);
  const bool has_values = !IsOneOf(rounding, POSENC_NO_PHASE_ROUNDING, POSENC_F32_ITERATED);
  return {rounding, scale, 1.0f, 1.0f, has_values, nullptr};
}

void FinishPhaseRounding(const Frequencies& frequencies, std::size_t count, PhaseRounding* phases) {
  if (phases->IsNone()) return;
  const Formula& first = frequencies.AxisOf(0).formula;
  if (!phases->has_values && !first.is_rotary) phases->ratio = Framework(first, phases->rounding).Ratio();
  for (std::size_t i = 0; phases->has_values && i < count;) {
    const Formula& formula = frequencies.AxisOf(i).formula;
    const Framework framework(formula, phases->rounding);
    for (; i < count; ++i) {
      const AxisEntry at = frequencies.AxisOf(i);
      if (&at.formula != &formula) break;
      phases->values[i] = framework.Value(at.entry);
    }
  }
}

}  // namespace internal
}  // namespace posenc
