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

// Two halves of x, of 26 bits each (Veltkamp); |x| < 2^996.
inline DoubleDouble Split(double x) {
  const double scaled = 0x1.0000002p27 * x;
  const double high = scaled - (scaled - x);
  return {high, x - high};
}

// a * b, exactly (Dekker), where nothing is subnormal or overflows.
inline DoubleDouble ExactProduct(double a, double b) {
  const double product = a * b;
  const DoubleDouble x = Split(a), y = Split(b);
  return {product, (((x.high * y.high - product) + x.high * y.low) + x.low * y.high) + x.low * y.low};
}

// Relative error below 2^-103 (PROOF.md, section 1), where nothing is subnormal.
inline DoubleDouble Multiply(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = ExactProduct(a.high, b.high);
  const double error = product.low + (a.high * b.low + a.low * b.high);
  const double sum = product.high + error;
  return {sum, error - (sum - product.high)};
}

// x rounded to odd: x if it is a double, else that of the two doubles around it whose last bit is 1. It
// rounds to shorter types as x does.
inline double ToOdd(const DoubleDouble& x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x.high, sizeof(bits));
  if (x.low != 0.0 && bits % 2 == 0)
    bits += (x.low > 0.0) == (x.high > 0.0) ? std::uint64_t{1} : ~std::uint64_t{0};
  double odd;
  std::memcpy(&odd, &bits, sizeof(odd));
  return odd;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_DOUBLE_DOUBLE_H_
