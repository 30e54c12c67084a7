// 256-bit binary floating point in plain integers, for what must be wider than double: building the
// frequency schedule, and the last resort when a double cannot decide a rounding.
#ifndef POSENC_SRC_NUMBER_WIDE_H_
#define POSENC_SRC_NUMBER_WIDE_H_

#include <cstdint>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// (-1)^negative * 0.mantissa * 2^exponent. The mantissa is limb[3] : limb[2] : limb[1] : limb[0], its top
// bit set; zero has an all-zero mantissa. The exponent does not overflow in any use here.
struct Wide {
  std::uint64_t limb[4] = {0, 0, 0, 0};
  std::int64_t exponent = 0;
  bool negative = false;

  bool IsZero() const { return limb[3] == 0; }
};

// Conversions to Wide are exact, those to double round to nearest (normal range only).
Wide FromDouble(double x);
Wide FromInteger(std::int64_t x);
double ToDouble(const Wide& x);

// Each result has a relative error below 2^-kWideBits, also after cancellation. Divisors are not 0.
inline constexpr int kWideBits = 251;
Wide Negate(Wide x);
Wide Add(const Wide& a, const Wide& b);
Wide Subtract(const Wide& a, const Wide& b);
Wide Multiply(const Wide& a, const Wide& b);
Wide Divide(const Wide& a, const Wide& b);
Wide DivideSmall(const Wide& a, std::uint32_t b);

// The nearest integer (either one at a tie); |x| < 2^62.
std::int64_t NearestInteger(const Wide& x);

// exp(x) for |x| < 2^11: relative error below 2^-240.
Wide Exp(const Wide& x);

// The natural logarithm of x > 0: relative error below 2^-236.
Wide Log(double x);

// sin and cos of r quarter turns, |r| <= 1/2: relative errors below 2^-kSinCosBits.
inline constexpr int kSinCosBits = 246;
void SinCosQuarterTurns(const Wide& r, Wide* sine, Wide* cosine);

// 2/pi: quarter turns in a radian, and its inverse; relative errors below 2^-255.
const Wide& QuarterTurnsPerRadian();
const Wide& RadiansPerQuarterTurn();

// Rounds x to the nearest number of a type, ties to even. *decided becomes false unless every real
// number within a factor 1 +- 2^-bits of x rounds to the same one.
double RoundToType(const Wide& x, posenc_type type, int bits, bool* decided);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_WIDE_H_
