#include "number/exact.h"

#include "oracle/norm_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "oracle/format.h"
#include "oracle/rounding.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace oracle {
namespace {

constexpr ElementTraits kFloat = TraitsOf(POSENC_F32);

// Ends the program if an operation that must be exact was rounded.
void MustBeExact(int inexact) {
  if (inexact != 0) std::abort();
}

}  // namespace

NormOracle::NormOracle(const double* x, std::size_t count, double epsilon)
    : count_(count),
      sum_(kExact),
      root_(kBits),
      product_(kProduct),
      value_(kBits),
      left_(kExact),
      right_(kExact),
      middle_(kExact) {
  mpfr_set_d(sum_, epsilon, MPFR_RNDN);
  MustBeExact(mpfr_mul_ui(sum_, sum_, static_cast<unsigned long>(count), MPFR_RNDN));
  for (std::size_t i = 0; i < count; ++i) {
    has_nan_ = has_nan_ || std::isnan(x[i]);
    has_infinity_ = has_infinity_ || std::isinf(x[i]);
    if (!std::isfinite(x[i])) continue;
    mpfr_set_d(left_, x[i], MPFR_RNDN);
    MustBeExact(mpfr_sqr(left_, left_, MPFR_RNDN));
    MustBeExact(mpfr_add(sum_, sum_, left_, MPFR_RNDN));
  }
  if (!IsFinite() || mpfr_zero_p(static_cast<mpfr_srcptr>(sum_)) != 0) return;
  mpfr_ui_div(root_, static_cast<unsigned long>(count), sum_, MPFR_RNDN);
  mpfr_sqrt(root_, root_, MPFR_RNDN);
}

bool NormOracle::SetProduct(double x, double weight, bool plus_one) {
  if (!std::isfinite(x) || !std::isfinite(weight)) return false;
  mpfr_set_d(product_, weight, MPFR_RNDN);
  if (plus_one) MustBeExact(mpfr_add_ui(product_, product_, 1, MPFR_RNDN));
  MustBeExact(mpfr_mul_d(product_, product_, x, MPFR_RNDN));
  return mpfr_zero_p(static_cast<mpfr_srcptr>(product_)) == 0;
}

Rounding NormOracle::Normalize(double x, double weight, bool plus_one) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (has_nan_) return {Pack(POSENC_F32, kNaN), 0};
  if (!SetProduct(x, weight, plus_one)) {
    // A product that IEEE arithmetic knows without rounding. 1 + weight is rounded here. It is infinite, NaN,
    // 0 or something else, and of either sign, as the real number is.
    const double product = x * (plus_one ? 1.0 + weight : weight);
    const bool is_zero = !has_infinity_ && mpfr_zero_p(static_cast<mpfr_srcptr>(sum_)) != 0;
    const double divisor = has_infinity_ ? HUGE_VAL : is_zero ? 0.0 : 1.0;
    return {Pack(POSENC_F32, product / divisor), 0};
  }
  const double sign = mpfr_sgn(static_cast<mpfr_srcptr>(product_)) < 0 ? -1.0 : 1.0;
  if (has_infinity_) return {Pack(POSENC_F32, sign * 0.0), 0};
  // The sum is not 0, because x is not.
  mpfr_mul(value_, product_, root_, MPFR_RNDN);
  Rounding rounding;
  if (Round(POSENC_F32, value_, mpfr_get_exp(value_) - kRelative, &rounding)) return rounding;
  return Compare();
}

// Rounds n_i by comparing it with the midpoint that is nearest to value_.
Rounding NormOracle::Compare() {
  const mpfr_exp_t exponent = mpfr_get_exp(value_);
  const mpfr_exp_t spacing = std::max<mpfr_exp_t>(exponent - kFloat.digits, kFloat.least_exponent());
  mpfr_abs(left_, value_, MPFR_RNDN);
  mpfr_div_2si(left_, left_, spacing, MPFR_RNDN);
  mpfr_floor(middle_, left_);
  const auto below = static_cast<std::uint64_t>(mpfr_get_ui(middle_, MPFR_RNDN));  // in units of the spacing
  MustBeExact(mpfr_add_d(middle_, middle_, 0.5, MPFR_RNDN));
  MustBeExact(mpfr_mul_2si(middle_, middle_, spacing, MPFR_RNDN));
  MustBeExact(mpfr_sqr(left_, product_, MPFR_RNDN));
  MustBeExact(mpfr_mul_ui(left_, left_, static_cast<unsigned long>(count_), MPFR_RNDN));
  MustBeExact(mpfr_sqr(right_, middle_, MPFR_RNDN));
  MustBeExact(mpfr_mul(right_, right_, sum_, MPFR_RNDN));
  const int order = mpfr_cmp(left_, right_);
  const bool is_up = order > 0 || (order == 0 && below % 2 == 1);
  double magnitude = std::ldexp(static_cast<double>(is_up ? below + 1 : below), static_cast<int>(spacing));
  if (magnitude >= std::ldexp(1.0, kFloat.max_exponent)) magnitude = HUGE_VAL;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  const bool is_negative = mpfr_sgn(static_cast<mpfr_srcptr>(product_)) < 0;
  return {Pack(POSENC_F32, is_negative ? -magnitude : magnitude), is_up ? kHalf : kHalf - 1};
}

std::string NormOracle::Exact(double x, double weight, bool plus_one, int digits) {
  if (!IsFinite() || mpfr_zero_p(static_cast<mpfr_srcptr>(sum_)) != 0) return "of no finite numbers";
  if (!SetProduct(x, weight, plus_one)) return "of no finite numbers, or 0";
  mpfr_mul(value_, product_, root_, MPFR_RNDN);
  char* text = nullptr;
  if (mpfr_asprintf(&text, "%.*Re", digits - 1, static_cast<mpfr_srcptr>(value_)) < 0) return "?";
  std::string result(text);
  mpfr_free_str(text);
  return result;
}

}  // namespace oracle
}  // namespace posenc
