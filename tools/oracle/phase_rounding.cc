#include "number/exact.h"

#include "oracle/phase_rounding.h"

#include <utility>

namespace posenc {
namespace oracle {
namespace {

constexpr int kFloat = 24, kDouble = 53;
constexpr int kMany = 400;  // so precise that a result looks like a midpoint only if it is one

Number Of(double x, int bits) {
  Number number(bits);
  mpfr_set_d(number, x, MPFR_RNDN);
  return number;
}

double ExponentDim(const posenc_spec& spec) {
  return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
}

// pow(base, exponent), with operands and result of this many bits.
Number Power(double base, const Number& exponent, int bits) {
  Number power(bits);
  mpfr_pow(power, Of(base, bits), exponent, MPFR_RNDN);
  return power;
}

// numerator / exponent_dim
Number Exponent(double numerator, const posenc_spec& spec, int bits) {
  Number exponent(bits);
  mpfr_div(exponent, Of(numerator, bits), Of(ExponentDim(spec), bits), MPFR_RNDN);
  return exponent;
}

Number Inverse(const Number& x, int bits) {
  Number inverse(bits);
  mpfr_ui_div(inverse, 1, x, MPFR_RNDN);
  return inverse;
}

Number Exp(const Number& x) {
  Number power(kFloat);
  mpfr_exp(power, x, MPFR_RNDN);
  return power;
}

Number MinusLog(double base, int bits) {
  Number log(bits);
  mpfr_log(log, Of(base, kDouble), MPFR_RNDN);
  mpfr_neg(log, log, MPFR_RNDN);
  return log;
}

// Computes an operation with enough bits, and rounds once to float, as hardware does, even if the result is
// subnormal.
template <class Operation>
float AsFloat(const Operation& operation, double a, double b) {
  Number result(kMany);
  operation(result, Of(a, kDouble), Of(b, kDouble), MPFR_RNDN);
  return mpfr_get_flt(result, MPFR_RNDN);
}

float FloatProduct(double a, double b) { return AsFloat(mpfr_mul, a, b); }
float FloatQuotient(double a, double b) { return AsFloat(mpfr_div, a, b); }

}  // namespace

Number PhaseFactor(const posenc_spec& spec, std::size_t pair) {
  const double twice = 2.0 * static_cast<double>(pair);
  switch (spec.phase_rounding) {
    case POSENC_NO_PHASE_ROUNDING:
      break;
    case POSENC_F32_POW_DIV:
      return Power(spec.base, Exponent(twice, spec, kFloat), kFloat);
    case POSENC_F32_EXP: {
      Number rate = MinusLog(spec.base, kMany), product(kFloat);
      mpfr_div_d(rate, rate, ExponentDim(spec), MPFR_RNDN);
      Number rounded(kFloat);
      mpfr_set(rounded, rate, MPFR_RNDN);
      mpfr_mul_d(product, rounded, twice, MPFR_RNDN);
      return Exp(product);
    }
    case POSENC_F32_LOG_DIV: {
      Number product(kFloat), half = Of(ExponentDim(spec), kFloat);
      mpfr_mul_d(product, MinusLog(spec.base, kFloat), twice / 2.0, MPFR_RNDN);
      mpfr_div_ui(half, half, 2, MPFR_RNDN);
      mpfr_div(product, product, half, MPFR_RNDN);
      return Exp(product);
    }
    case POSENC_F32_LOG_INCREMENT: {
      Number rate(kMany), half = Of(ExponentDim(spec), kFloat), least(kFloat);
      mpfr_set_d(rate, spec.base, MPFR_RNDN);
      mpfr_div_d(rate, rate, spec.min_timescale, MPFR_RNDN);
      mpfr_log(rate, rate, MPFR_RNDN);
      mpfr_prec_round(rate, kFloat, MPFR_RNDN);
      mpfr_div_ui(half, half, 2, MPFR_RNDN);
      mpfr_div(rate, rate, half, MPFR_RNDN);
      mpfr_mul_d(rate, rate, -twice / 2.0, MPFR_RNDN);
      mpfr_mul(least, Of(spec.min_timescale, kFloat), Exp(rate), MPFR_RNDN);
      return least;
    }
    case POSENC_F32_INV_FREQ:
      return Inverse(Power(spec.base, Exponent(twice, spec, kFloat), kFloat), kFloat);
    case POSENC_F32_ITERATED:
      return Power(spec.base, Exponent(-2.0, spec, kFloat), kFloat);
    case POSENC_F64_INV_FREQ: {
      Number inverse = Inverse(Power(spec.base, Exponent(twice, spec, kDouble), kDouble), kDouble);
      mpfr_prec_round(inverse, kFloat, MPFR_RNDN);
      return inverse;
    }
    case POSENC_F64_POW_DIV:
      return Power(spec.base, Exponent(twice, spec, kDouble), kDouble);
    case POSENC_F64_POW_MUL:
      return Power(spec.base, Exponent(-twice, spec, kDouble), kDouble);
    case POSENC_F32_LIST:
      return Of(spec.frequencies != nullptr ? spec.frequencies[pair]
                                            : static_cast<double>(spec.frequencies_f32[pair]),
                kFloat);
  }
  return Of(0.0, kFloat);
}

double RoundedPhase(const posenc_spec& spec, const Number& factor, std::size_t pair, double position) {
  const double f = mpfr_get_d(factor, MPFR_RNDN);
  if (spec.phase_rounding == POSENC_F64_POW_DIV || spec.phase_rounding == POSENC_F64_POW_MUL) {
    Number phase = Of(position, kDouble);
    if (spec.phase_rounding == POSENC_F64_POW_DIV) {
      mpfr_div_d(phase, phase, f, MPFR_RNDN);
    } else {
      mpfr_mul_d(phase, phase, f, MPFR_RNDN);
    }
    mpfr_mul_d(phase, phase, spec.position_scale, MPFR_RNDN);
    return mpfr_get_d(phase, MPFR_RNDN);
  }
  Number start(kMany);
  mpfr_set_d(start, position, MPFR_RNDN);
  float phase = mpfr_get_flt(start, MPFR_RNDN);
  if (spec.phase_rounding == POSENC_F32_ITERATED) {
    for (std::size_t i = 0; i < pair; ++i) phase = FloatProduct(static_cast<double>(phase), f);
  } else if (spec.phase_rounding == POSENC_F32_POW_DIV) {
    phase = FloatQuotient(static_cast<double>(phase), f);
  } else {
    phase = FloatProduct(static_cast<double>(phase), f);
  }
  if (spec.position_scale == 1.0) return static_cast<double>(phase);
  const Number scale = Of(spec.position_scale, kFloat);
  return static_cast<double>(FloatProduct(mpfr_get_d(scale, MPFR_RNDN), static_cast<double>(phase)));
}

}  // namespace oracle
}  // namespace posenc
