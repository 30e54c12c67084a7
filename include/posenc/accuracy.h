// What posenc promises about accuracy: one constant for each bound, and the types of entries and the
// definition of ULP that the library, the tests, the tools and the documents share.
#ifndef POSENC_ACCURACY_H_
#define POSENC_ACCURACY_H_

#include <cmath>
#include <cstddef>

#include "posenc/posenc_c.h"

namespace posenc {

// Every entry of a table is the correctly rounded value of the real-number formula: within half a unit in the
// last place of its type.
inline constexpr double kMaxUlp = 0.5;

// The error of elements that are rotated with POSENC_FAST, in ulp(hypot(a, b)), is less than this if hypot(a,
// b) is below 2^(max_exponent - 1), half of what overflows the type. With POSENC_EXACT it is at most kMaxUlp.
inline constexpr double kMaxFastUlp = 2.0;

// The same with an amplitude or a scale, whose product is A: in ulp(A hypot(a, b)), if A hypot(a, b) is below
// 2^(max_exponent - 1).
inline constexpr double kMaxScaledFastUlp = 3.0;

// A type of entries: a binary floating-point format with subnormal numbers.
struct ElementTraits {
  const char* name;  // as the tools and the benchmark call it
  std::size_t size;  // in bytes
  int digits;        // significant bits of a normal number
  int min_exponent;  // the least normal number is 2^(min_exponent - 1)
  int max_exponent;  // numbers from 2^max_exponent on are infinite

  // The least positive number is 2^least_exponent().
  constexpr int least_exponent() const { return min_exponent - digits; }
};

// The traits of POSENC_F32, POSENC_BF16, POSENC_F16 or POSENC_F64.
constexpr ElementTraits TraitsOf(posenc_type type) {
  switch (type) {
    case POSENC_BF16:
      return {"bf16", 2, 8, -125, 128};
    case POSENC_F16:
      return {"f16", 2, 11, -13, 16};
    case POSENC_F64:
      return {"f64", 8, 53, -1021, 1024};
    default:
      return {"f32", 4, 24, -125, 128};
  }
}

// log2 of the distance between neighbouring numbers of the type around a real number x. `magnitude` is x in
// any format with the exponent of x.
inline int SpacingExponent(posenc_type type, double magnitude) {
  const ElementTraits traits = TraitsOf(type);
  int exponent = traits.min_exponent;
  if (magnitude != 0.0) std::frexp(magnitude, &exponent);
  return (exponent < traits.min_exponent ? traits.min_exponent : exponent) - traits.digits;
}

// The error of an entry in units in the last place: |got - exact| / spacing(exact). `error` is the
// difference, taken in a precision wide enough for it.
inline double UlpError(posenc_type type, double error, double exact) {
  return std::ldexp(std::fabs(error), -SpacingExponent(type, exact));
}

}  // namespace posenc

#endif  // POSENC_ACCURACY_H_
