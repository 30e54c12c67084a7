// The oracle for norms: normalizes elements with MPFR. It uses the library's public headers, but none of its
// arithmetic.
//
//   n_i = x_i g_i / sqrt(mean(x^2) + epsilon)
//
// Each n_i is computed with an error bound. If the bound is too large to be certain of the rounding, n_i is
// next to the midpoint m of two numbers or equal to it. Then x_i^2 g_i^2 d is compared with
// m^2 (S + d epsilon), where S is the sum of the d squares. MPFR computes both exactly.
#ifndef POSENC_TOOLS_ORACLE_NORM_ORACLE_H_
#define POSENC_TOOLS_ORACLE_NORM_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "oracle/distances.h"
#include "oracle/number.h"

namespace posenc {
namespace oracle {

// The elements that share a mean: one head or, with a mean over all heads, all heads of a token.
class NormOracle {
 public:
  // x [count]: elements, which floats hold exactly. count is at most 65,536. `epsilon` is 0 or 2^-126 .. 1.
  NormOracle(const double* x, std::size_t count, double epsilon);

  // n_i, rounded to float32, for an element and its weight. The weight is one that a float holds exactly.
  // With plus_one, 1 is added to it as a real number. A NaN has the bits that Pack returns.
  Rounding Normalize(double x, double weight, bool plus_one);

  // The exact value in scientific notation.
  std::string Exact(double x, double weight, bool plus_one, int digits = 30);

 private:
  static constexpr int kBits = 192;      // of approximations
  static constexpr int kExact = 704;     // enough for exact numbers, and checked; the longest has 621 bits
  static constexpr int kProduct = 320;   // the same for x_i g_i, which has at most 302 bits
  static constexpr int kRelative = 186;  // approximations are right up to 2^-kRelative, relatively

  bool IsFinite() const { return !has_nan_ && !has_infinity_; }
  bool SetProduct(double x, double weight, bool plus_one);  // false if it is not finite, or if it is 0
  Rounding Compare();

  std::size_t count_;
  bool has_nan_ = false, has_infinity_ = false;
  Number sum_;              // S + d epsilon, exact
  Number root_;             // sqrt(d / sum_), approximately
  Number product_, value_;  // x_i g_i, exact; n_i, approximately
  Number left_, right_, middle_;
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_NORM_ORACLE_H_
