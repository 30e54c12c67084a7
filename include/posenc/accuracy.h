// What posenc promises about accuracy, each bound one constant, and the definition of ULP that the
// tests, the tools and the documents share.
#ifndef POSENC_ACCURACY_H_
#define POSENC_ACCURACY_H_

#include <cmath>
#include <limits>

namespace posenc {

// Every entry of a table, float, BFloat16, Float16 or double, is the correctly rounded value of the
// real-number formula: within half a unit in the last place of its type.
inline constexpr double kMaxUlp = 0.5;

// The distance between neighbouring floats around a real number x, 2^(floor(log2 |x|) - 23), and 2^-149
// below the normal numbers. (Of BFloat16: 2^(floor(log2 |x|) - 7), 2^-133; of Float16: - 10, 2^-24.)
// `magnitude` is x in any format with the exponent of x.
inline double FloatSpacing(double magnitude) {
  constexpr int kDigits = std::numeric_limits<float>::digits;
  constexpr int kMinExponent = std::numeric_limits<float>::min_exponent;
  int exponent = kMinExponent;
  if (magnitude != 0.0) std::frexp(magnitude, &exponent);
  return std::ldexp(1.0, (exponent < kMinExponent ? kMinExponent : exponent) - kDigits);
}

// The error of a float in units in the last place: |got - exact| / spacing(exact). `error` is the
// difference, taken in a precision wide enough for it.
inline double UlpError(double error, double exact) { return std::fabs(error) / FloatSpacing(exact); }

}  // namespace posenc

#endif  // POSENC_ACCURACY_H_
