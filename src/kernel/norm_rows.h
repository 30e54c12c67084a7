// What the kernels of norms read and write (rotary_norm_c.h): rows of elements with their weights.
#ifndef POSENC_SRC_KERNEL_NORM_ROWS_H_
#define POSENC_SRC_KERNEL_NORM_ROWS_H_

#include <cstddef>

namespace posenc {
namespace internal {

// Norms are computed for so many elements at a time: a few heads, or a part of a head.
inline constexpr std::size_t kNormBuffer = 1024;

// Elements of one head that a kernel normalizes. Arrays of floats [count], aligned to their size. n may be x.
struct NormRow {
  const float* x;
  const float* weights;
  std::size_t count;
  bool plus_one;  // the factor of an element is 1 + weight
  float* n;
};

// Heads are normalized and rotated at once if their number of pairs is a multiple of this: of the lanes of
// any vector whose length is fixed.
inline constexpr std::size_t kFastPairs = 16;

// A mean as the second tier takes it. The tier computes n_i with an error. If n_i is so near to a midpoint m
// that this error may hide on which side of m it is, n_i rounds as m + m * nudge does. This holds for factors
// that are doubles. The nudge is a NaN if it is not known.
struct CloseMean {
  double inverse, inverse_low;  // 1 / sqrt(mean + epsilon) as a sum of two doubles
  double error;                 // of n_i, as a part of n_i (CloseNormError)
  double nudge;
};

// The factors of heads that are normalized and rotated at once, in float arithmetic. Element e of head h
// becomes (x * inverse[h]) * factors[h * stride + e]. The stride is 0 if heads have the same factors. If
// `inverse` is null, each head has its own, 1 / sqrt(mean + epsilon).
struct FastFactors {
  const float* inverse;
  const float* factors;
  std::size_t stride;
  float epsilon;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_NORM_ROWS_H_
