// Sums of two doubles, for what must be a little wider than double and is needed by the thousand.
#ifndef POSENC_SRC_NUMBER_DOUBLE_DOUBLE_H_
#define POSENC_SRC_NUMBER_DOUBLE_DOUBLE_H_

#include "number/wide.h"

namespace posenc {
namespace internal {

struct DoubleDouble {
  double high, low;  // the value is high + low, |low| <= ulp(high) / 2
};

// Good to 2^-106.
inline DoubleDouble ToDoubleDouble(const Wide256& x) {
  const double high = ToDouble(x);
  return {high, ToDouble(Subtract(x, FromDouble<4>(high)))};
}

// Two halves of x, of 26 bits each (Veltkamp); |x| < 2^996.
inline DoubleDouble Split(double x) {
  const double scaled = 0x1.0000002p27 * x;
  const double high = scaled - (scaled - x);
  return {high, x - high};
}

// Relative error below 2^-103 (PROOF.md, section 1), where nothing is subnormal.
inline DoubleDouble Multiply(const DoubleDouble& a, const DoubleDouble& b) {
  const double product = a.high * b.high;
  const DoubleDouble x = Split(a.high), y = Split(b.high);
  const double exact_error =  // Dekker
      (((x.high * y.high - product) + x.high * y.low) + x.low * y.high) + x.low * y.low;
  const double error = exact_error + (a.high * b.low + a.low * b.high);
  const double sum = product + error;
  return {sum, error - (sum - product)};
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_DOUBLE_DOUBLE_H_
