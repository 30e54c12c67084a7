// RMSNorm before the rotation, for C (C99): one call normalizes heads and rotates them.
//
// Many models normalize q and k right before they rotate (QK-norm). To do this, set the member norm of a
// tensor. The call then reads the elements x_i of the tensor's source, and computes
//
//   n_i = x_i g_i / sqrt(mean + epsilon),   mean = (x_0^2 + x_1^2 + ...) / d
//
// where g_i is weight_i, or 1 + weight_i. The mean is over all d = head_dim elements of a head. If over_heads
// is 1, it is over the d = heads * head_dim elements of a token. Elements that do not rotate count, too.
//
// Then n is rotated, as a head of float32 elements would be: by the token's angle, times amplitude, scale and
// the token's factor. Elements that do not rotate become n_i times the token's factor, rounded to the type of
// the result.
//
//   posenc_norm norm = {.weight = q_norm, .weight_type = POSENC_F32, .epsilon = 1e-6};
//   posenc_heads q = {.type = POSENC_F32, .data = queries, .heads = 32, .token_stride = 32 * 128,
//                     .head_stride = 128, .norm = &norm};
//
// With POSENC_EXACT there are two roundings. The real number n_i is rounded to the nearest float32, ties to
// even. From these floats, each rotated element is computed as a real number, and rounded to the type of the
// result. So the bits are the same on every CPU, and no sum overflows.
//
// This table says what n_i is for zeros, infinities and NaNs. The first line that applies counts. "Any x" is
// any element that the mean is over. x_i g_i follows IEEE arithmetic: 1 + weight is +0 if weight is -1.
//
//   any x is NaN                    NaN
//   all x are 0, and epsilon is 0   NaN
//   any x is infinite               x_i g_i / infinity: +-0, or NaN if x_i g_i is infinite or NaN
//   x_i g_i is infinite or NaN      x_i g_i
//   x_i g_i is 0                    x_i g_i
//
// Each NaN is the positive quiet NaN without a payload, also in elements that do not rotate.
//
// With POSENC_FAST, all is float arithmetic without fused operations, and the order of summation is fixed. So
// the bits are the same on every CPU, except for NaNs. Each head has sixteen sums. Sum k adds x_k^2,
// x_(k + 16)^2 and so on. Then sums 8 to 15 are added to sums 0 to 7, sums 4 to 7 to sums 0 to 3, sums 2 and
// 3 to sums 0 and 1, and sum 1 to sum 0. With over_heads, the sums of the heads are then added in order. If s
// is the result,
//
//   r = 1 / sqrt(s / d + epsilon),   n_i = (x_i r) g_i,   with epsilon, and 1 + weight_i, rounded to float
//
// The error of n_i is below (head_dim / 32 + 10) 2^-24 |n_i|, and with over_heads below
// (head_dim / 32 + heads + 10) 2^-24 |n_i|. This holds under four conditions:
//
//   n_i, x_i r and g_i    each is 0, or at least the least normal float in size, as a real number
//   |n_i|                 at most half of the largest float
//   the sum of squares    below 2^127. A larger sum may overflow. Then n_i is 0, or NaN if g_i is infinite
//   mean + epsilon        2^-100 or more
//
// The rotation of the computed n_i adds the error of POSENC_FAST (rotary_c.h).
//
// Types: float32 becomes float32, bfloat16 or float16. bfloat16 stays bfloat16, and float16 stays float16.
// A tensor with a norm may be rotated in place, and all its other members work. posenc_rotate_cached and
// posenc_rotate_cached_at refuse a norm.
//
// The list "In all headers" at the top of posenc_c.h holds here too.
#ifndef POSENC_ROTARY_NORM_C_H_
#define POSENC_ROTARY_NORM_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#endif

#define POSENC_MAX_NORM_ELEMENTS 65536  // heads * head_dim is at most this if over_heads is 1

// The norm of a tensor. Clear the struct, then set what you need. The struct will not grow. The weight may
// have any alignment. It must overlap neither the heads that the call writes, nor the gaps between them.
typedef struct posenc_norm {
  const void* weight;       // [head_dim], or [heads, head_dim] if over_heads is 1. NULL: all g_i are 1
  posenc_type weight_type;  // F32, BF16 or F16, whatever the type of the tensor. 0 if weight is NULL
  double epsilon;           // 0, or 2^-126 .. 1. POSENC_EXACT does not round it to float
  int32_t plus_one;         // 1: g_i = 1 + weight_i (zero-centred weights). 0 if weight is NULL
  int32_t over_heads;       // 1: one mean over all heads of a token
} posenc_norm;

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_ROTARY_NORM_C_H_
