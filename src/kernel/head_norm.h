// Normalizes the heads of a token before they rotate (rotary_norm_c.h). It calls the kernels of a target
// (NormKernels), or the scalar reference, in the right order.
#ifndef POSENC_SRC_KERNEL_HEAD_NORM_H_
#define POSENC_SRC_KERNEL_HEAD_NORM_H_

#include <cstddef>

#include "kernel/norm_reference.h"
#include "kernel/norm_rows.h"
#include "kernel/rotary_kernels.h"
#include "kernel/rows.h"
#include "number/elements.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_norm_c.h"

namespace posenc {
namespace internal {

// So many heads are normalized at once, at most. 1 / sqrt(mean + epsilon) of all of them is computed in
// vectors.
inline constexpr std::size_t kNormHeads = 16;

// Heads of a group share their factors, as doubles, if they have at most so many elements.
inline constexpr std::size_t kSharedFactors = 256;

// Where a group of heads, or a part of a head, begins, and how many there are.
struct NormRange {
  std::size_t first, count;
};

// The norm of one tensor for the heads of one token.
class HeadNorm {
 public:
  // `is_overwritten`: whether elements are overwritten before all elements of their mean are normalized. Then
  // the exact mean is computed at once, unless no element needs it.
  HeadNorm(const RotaryKernels* kernels, posenc_arithmetic arithmetic, const posenc_norm& norm,
           const NormSource& source, bool is_overwritten);

  // How many heads, from a head on, Normalize takes at once: as many as fit into its buffer, or 1 if no whole
  // head fits. With at_once: how many heads Factors takes at once, because the room for factors is limited.
  std::size_t HeadsFrom(std::size_t head, bool at_once) const;

  // Writes n [heads][elements] of heads and of the same elements of each head, as floats. There is more than
  // one head only if each has all its elements. n has room for kNormBuffer numbers.
  void Normalize(NormRange heads, NormRange elements, float* n);

  // Whether the float arithmetic can rotate the elements themselves: they are float32 and aligned, and there
  // are kernels.
  bool TakesElements() const;

  // What RotateNormed needs for whole heads. `room` is for kNormBuffer factors, and `inverses` for kNormHeads
  // numbers.
  FastFactors Factors(NormRange heads, float* room, float* inverses);

  const NormSource& source() const { return source_; }

  // How many elements were left to integers.
  std::size_t recomputed() const { return recomputed_; }

 private:
  // Weights of a group of heads: floats, those of a head `stride` behind those of the head before.
  struct Weights {
    const float* first;
    std::size_t stride;

    const float* Of(std::size_t k) const { return first + k * stride; }
  };

  bool IsFast() const { return arithmetic_ == POSENC_FAST; }
  std::size_t ElementsOfMean() const { return (is_over_heads_ ? source_.heads : 1) * source_.head_dim; }
  std::size_t MeanOf(std::size_t head) const { return is_over_heads_ ? 0 : head; }
  bool HasRoot() const { return inverse_ > 0.0 && inverse_ - inverse_ == 0.0; }  // neither 0 nor infinite

  const float* Read(std::size_t head, NormRange elements, float* room) const;
  Weights ReadWeights(NormRange heads, NormRange elements, float* room) const;
  NormRow RowOf(const float* x, const float* weights, std::size_t count, float* n) const;

  void NormalizeHeads(NormRange heads, float* n);
  void NormalizeParts(NormRange heads, NormRange elements, float* n);
  double SumOf(const float* x, std::size_t count) const;
  double SumOfMean(std::size_t head, float* room, std::size_t size) const;
  float FastSumOf(const float* x, std::size_t count) const;
  float FastSumOfHead(std::size_t head, float* room) const;
  void SetMean(std::size_t head, double sum);
  void SetInverse(std::size_t head, double inverse);
  void SetFastMean(std::size_t head, float sum);
  void Measure(std::size_t head, float* room, float* weight_room);
  bool AreDecided(NormRange heads, float* room, float* weight_room) const;

  void Decide(std::size_t head, NormRange elements, const NormRow& row);
  void NormalizeWithoutRoot(const NormRow& row) const;
  NormRange HeadsOfMean(std::size_t head) const { return {MeanOf(head), is_over_heads_ ? source_.heads : 1}; }
  const CloseMean& Close(std::size_t head);
  float NormalizeOne(std::size_t head, float x, float weight);
  const ExactMean& Exact(std::size_t head);

  const RotaryKernels* target_;  // null: the reference
  const NormKernels* kernels_;   // of the target
  posenc_arithmetic arithmetic_;
  const posenc_norm& norm_;
  NormSource source_;
  bool is_over_heads_, is_overwritten_;

  // The mean that was measured last, of a head or of the token.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t measured_ = kNone;
  double inverse_ = 0.0;  // 1 / sqrt(mean + epsilon)
  float fast_inverse_ = 0.0f;
  bool has_close_ = false, is_sum_exact_ = false;  // whether close_ is known, and sum_ has no error
  DoubleDouble sum_;                               // of squares
  CloseMean close_;
  ExactMean exact_;
  std::size_t recomputed_ = 0;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_HEAD_NORM_H_
