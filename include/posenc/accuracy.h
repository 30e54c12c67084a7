// What posenc promises about accuracy, for C++: a constant for each bound, and a measure of errors in ulps.
#ifndef POSENC_ACCURACY_H_
#define POSENC_ACCURACY_H_

#include <cmath>
#include <cstddef>

#include "posenc/posenc_c.h"

namespace posenc {

// Entries of tables, and elements that POSENC_EXACT rotates, are correctly rounded: their error is at most
// half an ulp (unit in the last place) of their type.
inline constexpr double kMaxUlp = 0.5;

// The error of POSENC_FAST for a pair of elements a and b, in ulps of hypot(a, b), is below this constant if
// hypot(a, b) is below 2^127, or with float16 below 2^15.
inline constexpr double kMaxFastUlp = 2.0;

// The same with an amplitude or a scale. S is their product. The error, in ulps of S hypot(a, b), is below
// this constant if S hypot(a, b) is below 2^127, or with float16 below 2^15.
inline constexpr double kMaxScaledFastUlp = 3.0;

// With POSENC_FAST, a norm computes n_i (rotary_norm_c.h) with an error below FastNormError times |n_i|.
// `heads` is 0 unless the mean is over all heads. The bound holds under the conditions in that header: among
// others, the sum of squares must be below kLargestFastNormSum, and mean + epsilon at least
// kLeastFastNormMean.
inline constexpr double kLargestFastNormSum = 0x1p127;
inline constexpr double kLeastFastNormMean = 0x1p-100;
constexpr double FastNormError(std::size_t head_dim, std::size_t heads) {
  return (static_cast<double>(head_dim) / 32.0 + static_cast<double>(heads) + 10.0) * 0x1p-24;
}

// The format of a type of elements: binary floating point with subnormal numbers.
struct ElementTraits {
  const char* name;  // as the tools and the benchmark call it
  std::size_t size;  // in bytes
  int digits;        // significant bits of a normal number
  int min_exponent;  // the least normal number is 2^(min_exponent - 1)
  int max_exponent;  // numbers from 2^max_exponent on are infinite

  // The least positive number is 2^least_exponent().
  constexpr int least_exponent() const { return min_exponent - digits; }
};

// The traits of POSENC_F32, POSENC_BF16, POSENC_F16 or POSENC_F64. For other types the size is 0.
constexpr ElementTraits TraitsOf(posenc_type type) {
  switch (type) {
    case POSENC_F32:
      return {"f32", 4, 24, -125, 128};
    case POSENC_BF16:
      return {"bf16", 2, 8, -125, 128};
    case POSENC_F16:
      return {"f16", 2, 11, -13, 16};
    case POSENC_F64:
      return {"f64", 8, 53, -1021, 1024};
    case POSENC_I32:
    case POSENC_I64:
      break;
  }
  return {"", 0, 0, 0, 0};
}

// Numbers of the type that have the exponent of x lie 2^SpacingExponent(type, x) apart.
// For a real number that is not a double, pass a double with the same exponent.
inline int SpacingExponent(posenc_type type, double x) {
  const ElementTraits traits = TraitsOf(type);
  int exponent = traits.min_exponent;
  if (x != 0.0) std::frexp(x, &exponent);
  return (exponent < traits.min_exponent ? traits.min_exponent : exponent) - traits.digits;
}

// |error| in ulps of the type at the true value, `exact`. The caller computes error = got - exact,
// in a precision that keeps the bits that matter.
inline double UlpError(posenc_type type, double error, double exact) {
  return std::ldexp(std::fabs(error), -SpacingExponent(type, exact));
}

}  // namespace posenc

#endif  // POSENC_ACCURACY_H_
