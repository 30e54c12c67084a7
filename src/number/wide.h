// Binary floating point of 256 and of 1,024 bits in plain integers: for frequencies, and for the last tier,
// which decides roundings that doubles leave undecided. Calls nothing of libm.
#ifndef POSENC_SRC_NUMBER_WIDE_H_
#define POSENC_SRC_NUMBER_WIDE_H_

#include <cstdint>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The number (-1)^negative * 0.mantissa * 2^exponent. The mantissa is limb[kLimbs - 1] : ... : limb[0] with
// its top bit set, or all zeros for the number 0. No use here makes the exponent overflow.
template <int kLimbs>
struct Wide {
  static constexpr int kBits = 64 * kLimbs;

  std::uint64_t limb[kLimbs] = {};
  std::int64_t exponent = 0;
  bool negative = false;

  bool IsZero() const { return limb[kLimbs - 1] == 0; }
};
using Wide256 = Wide<4>;
using Wide1024 = Wide<16>;

// Conversions. Those to Wide are exact; the double is finite. ToDouble rounds to nearest, ties to even, if
// the result is 0 or a normal number.
template <int kLimbs>
Wide<kLimbs> FromDouble(double x);
template <int kLimbs>
Wide<kLimbs> FromInteger(std::int64_t x);
template <int kLimbs>
double ToDouble(const Wide<kLimbs> &x);

// The leading limbs of x; the others are cut off.
template <int kTo, int kLimbs>
Wide<kTo> TopOf(const Wide<kLimbs> &x) {
  Wide<kTo> top;
  for (int i = 0; i < kTo; ++i) top.limb[i] = x.limb[kLimbs - kTo + i];
  top.exponent = x.exponent;
  top.negative = x.negative;
  return top;
}

// Arithmetic. Relative errors are below 2^-kWideBits, also of sums that cancel (measured by
// tests/wide_test.cc). The worst product of 1,024 bits that is known errs by 2^-1018.1. Products whose digits
// fit are exact. Divisors are not 0.
template <int kLimbs>
inline constexpr int kWideBits = kLimbs == 4 ? 251 : 1018;
template <int kLimbs>
Wide<kLimbs> Negate(Wide<kLimbs> x);
template <int kLimbs>
Wide<kLimbs> Add(const Wide<kLimbs> &a, const Wide<kLimbs> &b);
template <int kLimbs>
Wide<kLimbs> Subtract(const Wide<kLimbs> &a, const Wide<kLimbs> &b);
template <int kLimbs>
Wide<kLimbs> Multiply(const Wide<kLimbs> &a, const Wide<kLimbs> &b);
template <int kLimbs>
Wide<kLimbs> Divide(const Wide<kLimbs> &a, const Wide<kLimbs> &b);

// The integer nearest to x, |x| < 2^62; at a tie, the one farther from 0.
template <int kLimbs>
std::int64_t NearestInteger(const Wide<kLimbs> &x);

// exp(x) for |x| < 2^11, and the natural logarithm of x > 0. Relative errors are below 2^-kExpLogBits: argued
// in proof/wide_functions.md for 256 bits, and measured for both.
template <int kLimbs>
inline constexpr int kExpLogBits = 64 * kLimbs - 24;
Wide256 Exp(const Wide256 &x);
Wide1024 Exp(const Wide1024 &x);
template <int kLimbs>
Wide<kLimbs> Log(double x);
Wide256 Log(const Wide256 &x);    // 2^-2900 < x < 2^2900
Wide1024 Log(const Wide1024 &x);  // in the same range

// log(1 + e) for |e| < 2^-12, with the same relative error: more than Log(1 + e) has, where 1 + e must be
// rounded.
Wide256 LogOnePlus(const Wide256 &e);
Wide1024 LogOnePlus(const Wide1024 &e);

// The natural logarithm of x > 0. The error is below 2^-38 plus 2^-38 times the result.
double ApproximateLog(double x);

// sin and cos of r quarter turns, |r| <= 1/2. Relative errors are below 2^-kSinCosBits (measured by
// tests/wide_test.cc).
template <int kLimbs>
inline constexpr int kSinCosBits = 64 * kLimbs - 10;
template <int kLimbs>
void SinCosQuarterTurns(const Wide<kLimbs> &r, Wide<kLimbs> *sine, Wide<kLimbs> *cosine);

// 2/pi, the quarter turns in a radian, and pi/2. Relative errors are below 2^-(64 kLimbs - 1), from cutting
// the digits off.
template <int kLimbs>
Wide<kLimbs> QuarterTurnsPerRadian();
template <int kLimbs>
Wide<kLimbs> RadiansPerQuarterTurn();

// The square roots of 1/2 and 3/4, which are the sine of an eighth and the cosine of a twelfth of a turn.
// Their errors are the same.
template <int kLimbs>
Wide<kLimbs> RootOfHalf();
template <int kLimbs>
Wide<kLimbs> RootOfThreeFourths();

// x rounded to the nearest number of a type, ties to even. Sets *decided to false, and else leaves it, unless
// every real number within a factor 1 +- 2^-bits of x rounds to the same number.
template <int kLimbs>
double RoundToType(const Wide<kLimbs> &x, posenc_type type, int bits, bool *decided);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_WIDE_H_
