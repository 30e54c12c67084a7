#include "number/exact.h"

#include "oracle/phase_rounding.h"

#include <utility>

namespace posenc {
namespace oracle {
namespace {

constexpr int kMany = 400;  // so precise that a result looks like a midpoint only if it is one

Number Of(double x) {
  Number number(kMany);
  mpfr_set_d(number, x, MPFR_RNDN);
  return number;
}

// The nearest float. It is rounded in one step, as hardware does, even if it is subnormal.
Number FloatOf(const Number& x) { return Of(static_cast<double>(mpfr_get_flt(x, MPFR_RNDN))); }
Number FloatOf(double x) { return Of(static_cast<double>(static_cast<float>(x))); }

Number DoubleOf(const Number& x) { return Of(mpfr_get_d(x, MPFR_RNDN)); }

// The result of one operation, before it is rounded.
template <class Operation>
Number ResultOf(const Operation& operation, const Number& a, const Number& b) {
  Number result(kMany);
  operation(result, a, b, MPFR_RNDN);
  return result;
}

Number Power(const Number& base, const Number& exponent) { return ResultOf(mpfr_pow, base, exponent); }
Number Product(const Number& a, const Number& b) { return ResultOf(mpfr_mul, a, b); }
Number Quotient(const Number& a, const Number& b) { return ResultOf(mpfr_div, a, b); }

Number Exp(const Number& x) {
  Number power(kMany);
  mpfr_exp(power, x, MPFR_RNDN);
  return power;
}

Number Log(const Number& x) {
  Number log(kMany);
  mpfr_log(log, x, MPFR_RNDN);
  return log;
}

double ExponentDim(const posenc_spec& spec) {
  return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
}

// 2i / exponent_dim, or -2 / exponent_dim, in float
Number FloatExponent(double numerator, const posenc_spec& spec) {
  return FloatOf(Quotient(FloatOf(numerator), FloatOf(ExponentDim(spec))));
}

// The same in double
Number DoubleExponent(double numerator, const posenc_spec& spec) {
  return DoubleOf(Quotient(Of(numerator), Of(ExponentDim(spec))));
}

}  // namespace

Number PhaseFactor(const posenc_spec& spec, std::size_t pair) {
  const double i = static_cast<double>(pair), twice = 2.0 * i;
  const auto half_dim = [&] { return FloatOf(Quotient(FloatOf(ExponentDim(spec)), Of(2.0))); };
  const auto power = [&](const Number& exponent) { return FloatOf(Power(FloatOf(spec.base), exponent)); };
  const auto double_power = [&](double numerator) {
    return DoubleOf(Power(Of(spec.base), DoubleExponent(numerator, spec)));
  };
  const posenc_phase_rounding rounding = spec.phase_rounding;
  if (rounding == POSENC_F32_LIST) {
    return FloatOf(spec.frequencies != nullptr ? spec.frequencies[pair]
                                               : static_cast<double>(spec.frequencies_f32[pair]));
  }
  // These are all the same, although with a tiny exponent_dim a step below is 0 / 0, or 0 times infinity.
  if (pair == 0 || spec.base == spec.min_timescale) return FloatOf(spec.min_timescale);
  switch (rounding) {
    case POSENC_F32_POW_DIV:
      return power(FloatExponent(twice, spec));
    case POSENC_F32_EXP: {
      const Number rate = FloatOf(Quotient(Log(Of(spec.base)), Of(-ExponentDim(spec))));
      return FloatOf(Exp(FloatOf(Product(rate, Of(twice)))));
    }
    case POSENC_F32_LOG_DIV: {
      const Number product = FloatOf(Product(FloatOf(Log(Of(spec.base))), Of(-i)));
      return FloatOf(Exp(FloatOf(Quotient(product, half_dim()))));
    }
    case POSENC_F32_LOG_INCREMENT: {
      const Number span = FloatOf(Log(Quotient(Of(spec.base), Of(spec.min_timescale))));
      const Number exponent = FloatOf(Product(FloatOf(Quotient(span, half_dim())), Of(-i)));
      return FloatOf(Product(FloatOf(spec.min_timescale), FloatOf(Exp(exponent))));
    }
    case POSENC_F32_INV_FREQ:
      return FloatOf(Quotient(Of(1.0), power(FloatExponent(twice, spec))));
    case POSENC_F32_ITERATED:
      return power(FloatExponent(-2.0, spec));
    case POSENC_F64_INV_FREQ:
      return FloatOf(DoubleOf(Quotient(Of(1.0), double_power(twice))));
    case POSENC_F64_POW_DIV:
      return double_power(twice);
    case POSENC_F64_POW_MUL:
      return double_power(-twice);
    default:
      return Of(0.0);
  }
}

double RoundedPhase(const posenc_spec& spec, const Number& factor, std::size_t pair, double position) {
  if (spec.phase_rounding == POSENC_F64_POW_DIV || spec.phase_rounding == POSENC_F64_POW_MUL) {
    const bool divides = spec.phase_rounding == POSENC_F64_POW_DIV;
    const Number phase = DoubleOf(divides ? Quotient(Of(position), factor) : Product(Of(position), factor));
    return mpfr_get_d(DoubleOf(Product(phase, Of(spec.position_scale))), MPFR_RNDN);
  }
  Number phase = FloatOf(position);
  if (spec.phase_rounding == POSENC_F32_ITERATED) {
    for (std::size_t i = 0; i < pair; ++i) phase = FloatOf(Product(phase, factor));
  } else if (spec.phase_rounding == POSENC_F32_POW_DIV) {
    phase = FloatOf(Quotient(phase, factor));
  } else {
    phase = FloatOf(Product(phase, factor));
  }
  return mpfr_get_d(FloatOf(Product(phase, FloatOf(spec.position_scale))), MPFR_RNDN);
}

}  // namespace oracle
}  // namespace posenc
