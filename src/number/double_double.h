// Sums of two doubles, for numbers that must be a little wider than double and are computed by the thousand.
#ifndef POSENC_SRC_NUMBER_DOUBLE_DOUBLE_H_
#define POSENC_SRC_NUMBER_DOUBLE_DOUBLE_H_

#include <cstdint>
#include <cstring>

#include "number/wide.h"

namespace posenc {
namespace internal {

struct DoubleDouble {
  double high, low;  // the value is high + low, |low| <= ulp(high) / 2
};

// The relative error of x as such a sum is below 2^-106.
DoubleDouble ToDoubleDouble(const Wide256& x);

// Returns a + b, exactly (Knuth).
inline DoubleDouble ExactSum(double a, double b) {
  const double sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}

// Splits x into two halves of 26 bits each (Veltkamp); |x| < 2^996.
inline DoubleDouble Split(double x) {
  const double scaled = 0x1.0000002p27 * x;
  const double high = scaled - (scaled - x);
  return {high, x - high};
}

// Returns a * b, exactly (Dekker), if nothing is subnormal or overflows.
inline DoubleDouble ExactProduct(double a, double b) {
  const double product = a * b;
  const DoubleDouble x = Split(a), y = Split(b);
  return {product, (((x.high * y.high - product) + x.high * y.low) + x.low * y.high) + x.low * y.low};
}

// Returns a * b with a relative error below 2^-103 (PROOF.md, "Steps"), if nothing is subnormal.
inline DoubleDouble Multiply(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = ExactProduct(a.high, b.high);
  const double error = product.low + (a.high * b.low + a.low * b.high);
  const double sum = product.high + error;
  return {sum, error - (sum - product.high)};
}

// Returns nearest + rest rounded to odd; |rest| is at most half an ulp. The result is `nearest` if rest is 0
// or if the last bit of `nearest` is set. Otherwise it is the neighbour of `nearest` on the side of rest. A
// type that has at least two digits fewer rounds the result as it rounds nearest + rest.
template <class Word, class Number>
Number RoundToOdd(Number nearest, double rest) {
  Word bits;
  std::memcpy(&bits, &nearest, sizeof(bits));
  const bool is_positive = bits >> (8 * sizeof(bits) - 1) == 0;
  if (rest != 0.0 && bits % 2 == 0) bits += (rest > 0.0) == is_positive ? Word{1} : ~Word{0};
  std::memcpy(&nearest, &bits, sizeof(bits));
  return nearest;
}

// ToOdd rounds a sum of two doubles to an odd double, which rounds to shorter types as the sum does.
// ToOddFloat rounds a finite double to an odd float, which rounds to 16-bit types as the double does.
inline double ToOdd(const DoubleDouble& x) { return RoundToOdd<std::uint64_t>(x.high, x.low); }
inline float ToOddFloat(double x) {
  const auto nearest = static_cast<float>(x);
  return RoundToOdd<std::uint32_t>(nearest, x - static_cast<double>(nearest));
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_DOUBLE_DOUBLE_H_
