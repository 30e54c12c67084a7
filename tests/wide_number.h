// Conversions between the library's wide numbers and MPFR, and relative errors as powers of two.
#ifndef POSENC_TESTS_WIDE_NUMBER_H_
#define POSENC_TESTS_WIDE_NUMBER_H_

#include <cstdint>
#include <limits>

#include "number/wide.h"
#include "oracle/number.h"

namespace posenc {

inline constexpr mpfr_prec_t kOracleBits = 3000;

// The exact value of x.
template <int kLimbs>
oracle::Number ToNumber(const internal::Wide<kLimbs>& x) {
  oracle::Number result(kOracleBits), part(kOracleBits);
  mpfr_set_zero(result, 1);
  for (int i = 0; i < kLimbs; ++i) {
    for (int half = 0; half < 2; ++half) {
      const auto digits = static_cast<std::uint32_t>(x.limb[i] >> (32 * half));
      mpfr_set_ui_2exp(part, digits, 64 * (i - kLimbs) + 32 * half + static_cast<mpfr_exp_t>(x.exponent),
                       MPFR_RNDN);
      mpfr_add(result, result, part, MPFR_RNDN);
    }
  }
  if (x.negative) mpfr_neg(result, result, MPFR_RNDN);
  return result;
}

inline oracle::Number ToNumber(double x) {
  oracle::Number result(kOracleBits);
  mpfr_set_d(result, x, MPFR_RNDN);
  return result;
}

// The largest b for which |got - exact| <= 2^-b |exact|; a large number if they are equal.
inline long CorrectBits(const oracle::Number& got, const oracle::Number& exact) {
  oracle::Number error(kOracleBits);
  mpfr_sub(error, got, exact, MPFR_RNDN);
  if (mpfr_zero_p(error)) return std::numeric_limits<int>::max();
  if (mpfr_zero_p(exact)) return std::numeric_limits<int>::min();
  mpfr_div(error, error, exact, MPFR_RNDA);
  return -static_cast<long>(mpfr_get_exp(error));
}

}  // namespace posenc

#endif  // POSENC_TESTS_WIDE_NUMBER_H_
