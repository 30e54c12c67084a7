// Norms without vectors (rotary_norm_c.h): integers, which decide what doubles leave undecided, and the float
// arithmetic of POSENC_FAST. The target REFERENCE uses nothing else.
#ifndef POSENC_SRC_KERNEL_NORM_REFERENCE_H_
#define POSENC_SRC_KERNEL_NORM_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "kernel/norm_rows.h"
#include "number/double_double.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The elements of some heads. Element e of head h is at `elements` + h * stride bytes, e elements on. Any
// alignment.
struct NormSource {
  posenc_type type;
  const unsigned char* elements;
  std::size_t stride;
  std::size_t heads;
  std::size_t head_dim;

  const unsigned char* At(std::size_t head, std::size_t element) const;
};

// The mean of squares without any error: S + d epsilon, where S is the sum of the squares of d elements.
class ExactMean {
 public:
  bool IsSet() const { return is_set_; }
  void Clear() { is_set_ = false; }

  // Sums up all elements of the heads, which must be finite, and at most 2^16.
  void Set(const NormSource& source, double epsilon);

  // The same for d elements with this sum of squares.
  void Set(const DoubleDouble& sum, std::size_t count, double epsilon);

  // x * factor / sqrt(mean + epsilon), rounded to float, where the factor is weight or 1 + weight. x and the
  // weight are finite, and the product and the mean + epsilon are not 0. `estimate` is near the result.
  float Round(float x, float weight, bool plus_one, double estimate) const;

 private:
  void SetTotal(const Wide1024& sum, std::size_t count, double epsilon);

  bool is_set_ = false;
  std::size_t count_ = 0;  // d
  Wide1024 total_;         // S + d epsilon
};

// The mean of d elements with this sum of squares, for the second tier. If the sum has an error, the nudge is
// not known. `about` is 1 / sqrt(mean + epsilon) with an error below NormError(d).
CloseMean CloseMeanOf(const DoubleDouble& sum, bool is_exact, std::size_t count, double epsilon,
                      double about);

// x * factor * inverse in double, where `inverse` is 1 / sqrt(mean + epsilon). It has the signs of zeros, the
// infinities and the NaNs that the norm must have.
inline double EstimateNormalized(float x, float weight, bool plus_one, double inverse) {
  const double factor = plus_one ? 1.0 + static_cast<double>(weight) : static_cast<double>(weight);
  return static_cast<double>(x) * factor * inverse;
}

// The sum of squares in double; each square is exact.
double ReferenceSquares(const float* x, std::size_t count);

// 1 / sqrt(x) with an error of at most 3.1 u; x is 0, or at least 2^-400 and below 2^400, or infinite, or a
// NaN. Calls no libm.
double ReferenceInverseRoot(double x);

// The sum of the squares of a head in float arithmetic: sixteen sums, which SumOfSixteen adds. AddSquares
// goes on with elements from `first` on, which are x [count].
inline constexpr std::size_t kFastSums = 16;
void AddSquares(const float* x, std::size_t count, std::size_t first, float* sums);
float SumOfSixteen(const float* sums);

// 1 / sqrt(sum / count + epsilon), where each operation rounds to float. Calls no libm.
float ReferenceFastInverse(float sum, float count, float epsilon);

// n = (x * inverse) * weight in float arithmetic. The weight includes the 1 that plus_one adds.
void ReferenceNormalizeFast(const NormRow& row, float inverse);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_NORM_REFERENCE_H_
