#include "number/exact.h"

#include "oracle/rounding.h"

#include <algorithm>
#include <cmath>

#include "oracle/format.h"

namespace posenc {
namespace oracle {
namespace {

// The first 128 bits of a mantissa.
struct Leading {
  std::uint64_t high, low;
};

Leading LeadingBits(mpfr_srcptr v) {
  const auto* limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(v));
  int limb = static_cast<int>((mpfr_get_prec(v) + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
  std::uint64_t words[2] = {0, 0};
  for (int bits = 0; bits < 128 && limb > 0; bits += GMP_NUMB_BITS) {
    words[bits / 64] |= static_cast<std::uint64_t>(limbs[--limb]) << (64 - GMP_NUMB_BITS - bits % 64);
  }
  return {words[0], words[1]};
}

// Rounds a number below the smallest subnormal number. It rounds up if it is above one half of that number;
// no exact value equals this half.
bool RoundTiny(posenc_type type, const Number& v, mpfr_exp_t error, double* out) {
  const int least = TraitsOf(type).least_exponent();
  Number above(mpfr_get_prec(v)), half(MPFR_PREC_MIN);
  mpfr_set_ui_2exp(half, 1, least - 1, MPFR_RNDN);
  mpfr_abs(above, v, MPFR_RNDN);
  mpfr_sub(above, above, half, MPFR_RNDN);
  if (mpfr_zero_p(above) || mpfr_get_exp(above) < error + 2) return false;
  *out = std::copysign(mpfr_sgn(above) > 0 ? std::ldexp(1.0, least) : 0.0,
                       static_cast<double>(mpfr_sgn(static_cast<mpfr_srcptr>(v))));
  return true;
}

// Rounds a number whose leading bits are not enough: it is too close to a midpoint, or its error is too
// large.
bool RoundWithCare(posenc_type type, const Number& v, mpfr_exp_t error, double* out) {
  const mpfr_exp_t exponent = mpfr_get_exp(v);
  const mpfr_exp_t bits =
      std::min<mpfr_exp_t>(TraitsOf(type).digits, exponent - TraitsOf(type).least_exponent());
  if (bits < 1) return RoundTiny(type, v, error, out);
  if (!mpfr_can_round(v, exponent - error, MPFR_RNDN, MPFR_RNDN, bits)) return false;
  Number rounded(bits);
  mpfr_set(rounded, v, MPFR_RNDN);
  *out = mpfr_get_d(rounded, MPFR_RNDN);
  return true;
}

}  // namespace

bool Round(posenc_type type, const Number& v, mpfr_exp_t error, Rounding* out) {
  if (mpfr_zero_p(v) || mpfr_get_exp(v) < error + 2)
    return false;  // the number might be 0 or have either sign
  const ElementTraits traits = TraitsOf(type);
  const mpfr_exp_t exponent = mpfr_get_exp(v);
  if (exponent > traits.max_exponent && exponent > error + 64) {
    *out = {Pack(type, std::copysign(HUGE_VAL, mpfr_signbit(static_cast<mpfr_srcptr>(v)) != 0 ? -1.0 : 1.0)),
            0};
    return true;
  }
  const mpfr_exp_t spacing = std::max<mpfr_exp_t>(exponent - traits.digits, traits.least_exponent());
  const auto kept = static_cast<int>(std::max<mpfr_exp_t>(exponent - spacing, -64));
  const Leading leading = LeadingBits(v);
  std::uint64_t units = 0;
  if (kept > 0) {
    units = leading.high >> (64 - kept);
    out->fraction = leading.high << kept | leading.low >> (64 - kept);
  } else {
    out->fraction = kept > -64 ? leading.high >> -kept : 0;
  }
  // The fraction is truncated, and v has an error of at most a quarter of its last unit. So the rounding is
  // uncertain only next to the midpoint.
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  if (error > spacing - 66 || out->fraction - (kHalf - 2) < 4) {
    double rounded;
    if (!RoundWithCare(type, v, error, &rounded)) return false;
    out->bits = Pack(type, rounded);
    return true;
  }
  if (out->fraction >= kHalf) ++units;
  // The leading digit of a normal number is not stored; here it carries into the exponent and adds 1.
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(spacing - traits.least_exponent()) << (traits.digits - 1)) + units;
  const std::uint64_t sign = mpfr_signbit(static_cast<mpfr_srcptr>(v)) != 0 ? 1 : 0;
  out->bits = magnitude | sign << (8 * traits.size - 1);
  return true;
}

void RoundExact(posenc_type type, const Number& v, Rounding* out) {
  *out = {};
  if (mpfr_zero_p(v) != 0) return;
  const int least = TraitsOf(type).least_exponent();
  const mpfr_exp_t bits = std::min<mpfr_exp_t>(TraitsOf(type).digits, mpfr_get_exp(v) - least);
  double value = 0.0;
  if (bits >= 1) {
    Number rounded(bits);
    mpfr_set(rounded, v, MPFR_RNDN);
    value = std::fabs(mpfr_get_d(rounded, MPFR_RNDN));
    if (value >= std::ldexp(1.0, TraitsOf(type).max_exponent)) value = HUGE_VAL;
  } else if (bits == 0) {  // one half of the smallest subnormal number, or more
    value = mpfr_min_prec(v) > 1 ? std::ldexp(1.0, least) : 0.0;
  }
  out->bits = Pack(type, mpfr_signbit(static_cast<mpfr_srcptr>(v)) != 0 ? -value : value);
}

}  // namespace oracle
}  // namespace posenc
