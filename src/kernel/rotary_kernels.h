// The rotary's kernels: one table of functions for each compiled target (targets.h) but the reference. The
// classes in token_angles.h and rotate_token.h call them, and nothing else does.
#ifndef POSENC_SRC_KERNEL_ROTARY_KERNELS_H_
#define POSENC_SRC_KERNEL_ROTARY_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/heads.h"
#include "kernel/norm_rows.h"
#include "kernel/rows.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// The kernels of norms. HeadNorm (head_norm.h) calls them. Arrays of floats are aligned to their size.
// `inverse` is 1 / sqrt(mean + epsilon), and `error` is NormError. Arrays of results have room for a whole
// vector more.
struct NormKernels {
  // Sums of squares of heads of `count` elements, `stride` floats apart; error below (count - 1) u. Then
  // 1 / sqrt(sum / count + epsilon) of such sums [many]; error below 4.1 u.
  void (*sums)(const float* x, std::size_t stride, std::size_t heads, std::size_t count, double* sums);
  void (*inverses)(double* sums, std::size_t many, double count, double epsilon);

  // These normalize a row, each element rounded once to float, and return whether all elements are decided.
  // If not, some of n are wrong. `bound` makes lower and upper factors [count] of a row's weights, and `head`
  // takes them. `part` takes the weights themselves. `closely` takes finite elements, and makes NaNs of those
  // that it leaves undecided.
  void (*bound)(const NormRow& row, double error, double* lower, double* upper);
  bool (*head)(const NormRow& row, double inverse, const double* lower, const double* upper);
  bool (*part)(const NormRow& row, double inverse, double error);
  bool (*closely)(const NormRow& row, const CloseMean& mean);

  // Adds the squares of x to sum[0] + sum[1]. Returns whether all x * scale are integers. `scale` is a power
  // of two, and |x * scale| is below 2^51. The sum has no error if they are and x are small (proof/norm.md).
  bool (*sum_closely)(const float* x, std::size_t count, double scale, double* sum);

  // Float arithmetic (norm_fast-inl.h): the sum of a head, inverses of roots, and normalized rows.
  float (*fast_sum)(const float* x, std::size_t count);
  void (*fast_inverses)(float* sums, std::size_t many, float count, float epsilon);
  void (*fast)(const NormRow& row, float inverse);

  // Normalizes and rotates heads of float32, all of whose elements rotate. Results are float32.
  void (*rotate[2])(const float* cosines, const float* sines, const Heads& heads, const FastFactors& norm);
};

// Kernels expect the default floating-point state (number/fp_state.h). Arrays of kernels are indexed by
// posenc_type or by both types (IndexOf), and by posenc_pairing. Arrays of cosines and sines are [pairs],
// aligned, with room for kVectorPadding more, which kernels may overwrite. G is the gain, u = 2^-53.
struct RotaryKernels {
  // Cosines and sines of a token's angles; relative error kDirectError (3 u).
  void (*sin_cos)(const FrequencyTable& table, const Multiples& multiples, double* cosines, double* sines,
                  Tally& tally);

  // Cosines and sines of an offset, a small whole position; absolute error u. The arrays have no room for
  // more than the pairs.
  void (*offset)(const FrequencyTable& table, double offset, double* cosines, double* sines);

  // Cosines and sines by angle addition, from an anchor's and an offset's; absolute error kAddedAngleError
  // (6.5 u).
  void (*add)(const AddedAngles& added, std::size_t pairs, double* cosines, double* sines);

  // A row of a cache: G cos and G sin, correctly rounded to the type. Angles without an offset come from
  // `sin_cos`. The ladder is in cache_row-inl.h.
  void (*round[kEntryTypes])(const Rotation& rotation, const AddedAngles& angles, void* cosines, void* sines);

  // The encoders' kernels of these names (encoder_kernels.h), for rows of a cache at consecutive positions.
  // Null if the target has no angle addition of rows.
  void (*fill_offsets)(const FrequencyTable& table);
  Tally (*write[kEntryTypes])(const FrequencyTable& table, const Columns& columns, const Rows& rows);

  // to [count] = from [count] as floats, for bfloat16 and float16.
  void (*widen[kSummandTypes])(const void* from, std::size_t count, void* to);

  // Writes G cos and G sin [pairs] to `packed` as `quickly` loads them for elements of the type. `packed` has
  // room for PackedBytes.
  void (*pack[kSummandTypes][2])(const double* cosines, const double* sines, std::size_t pairs,
                                 const Gain& gain, void* packed);

  // The tiers of the exact rotation: x = G (a cos - b sin), y = G (b cos + a sin), each rounded once.
  // HeadRotation::RotateExactly (rotate_token.cc) says which tier takes what. `quickly` and `bounded` rotate
  // pairs from `at` on, and return where they stopped. They queue single pairs that they leave undecided.
  // `bounded` may replace added angles by direct ones.
  PairCursor (*quickly[kConversions][2])(const Rotation& rotation, const void* packed, const Heads& heads,
                                         PairCursor at, UndecidedPairs& undecided);
  PairCursor (*bounded[kConversions])(const Rotation& rotation, TokenAngles& angles, const Heads& heads,
                                      PairCursor at, std::size_t count, UndecidedPairs& undecided);

  // How many pairs `quickly` takes at once, of elements of the type.
  std::size_t (*pairs_per_pass)(posenc_type type, posenc_pairing pairing);

  // Stores the queued pairs that are decided with direct angles, and leaves the others in the queue.
  void (*resolve)(const FrequencyTable& table, const Gain& gain, UndecidedPairs& undecided, Tally& tally);

  // The same in float arithmetic (POSENC_FAST), with cosines and sines of `round`; errors in
  // rotate_fast-inl.h.
  void (*fast[kConversions][2])(const float* cosines, const float* sines, const Heads& heads);

  // to [count] = from [count] * factor, rounded once, for elements that do not rotate (rest-inl.h). Any
  // alignment.
  void (*rest[kConversions])(const void* from, std::size_t count, float factor, void* to);

  NormKernels norm;
};

// The kernels of a target; null if it is not compiled. For the reference it is null, too:
// token_angles.cc and rotate_token.cc call the functions of rotary_reference.h instead.
const RotaryKernels* RotaryKernelsOf(std::int64_t target);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ROTARY_KERNELS_H_
