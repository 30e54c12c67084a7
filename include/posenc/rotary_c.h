// Rotary position embeddings (RoPE) for C (C99): frequencies of every scaling, caches of cosines and sines,
// and the rotation of q and k.
//
// At a position p each pair (a, b) of a head's elements, of frequency w_i, becomes
//
//   (A (a cos(p w_i) - b sin(p w_i)), A (b cos(p w_i) + a sin(p w_i))),   w_i = base^(-2i / rotary_dim)
//
// ("RoFormer", section 3.2.2). A scaling changes w_i; A is the amplitude of the scaling, rounded to double,
// times the scale of the call. With POSENC_EXACT, the default, each element becomes this real number, of the
// elements as they are given, rounded once, to nearest, ties to even. Hence the bits are the same on every
// target, for every type and at any context length. There is no table of positions; any |p| <= 2^31 will do.
//
//   posenc_rotary_spec spec;
//   posenc_rotary_spec_init(&spec, sizeof(spec));
//   spec.head_dim = 128;
//   posenc_rotary* rotary = NULL;
//   posenc_status status = posenc_rotary_create(&spec, &rotary);
//   posenc_heads tensors[2] = {  // [tokens, heads, 128]
//       {.data = q, .heads = 32, .token_stride = 32 * 128, .head_stride = 128},
//       {.data = k, .heads = 8, .token_stride = 8 * 128, .head_stride = 128}};
//   if (status == POSENC_OK) status = posenc_rotate(rotary, n_past, tokens, POSENC_F32, tensors, 2);
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//   posenc_rotary_destroy(rotary);
//
// What posenc_c.h says of memory, threads, floating-point state, statuses and versions holds here too.
#ifndef POSENC_ROTARY_C_H_
#define POSENC_ROTARY_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/posenc_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_pairing, posenc_arithmetic, posenc_scaling, posenc_axis_order, posenc_cache_layout;
#endif

// Elements of a head: 2 <= head_dim <= POSENC_MAX_HEAD_DIM.
#define POSENC_MAX_HEAD_DIM 65536

// Elements of a head that rotate: rotary_dim <= POSENC_MAX_ROTARY_DIM.
#define POSENC_MAX_ROTARY_DIM 16384

// Axes of a position: 1 .. POSENC_MAX_AXES.
#define POSENC_MAX_AXES 4

// Which two of the r = rotary_dim elements are a pair. docs/models.md says which model has which.
enum POSENC_ENUM(posenc_pairing) {
  POSENC_HALF_SPLIT = 0,   // (x_i, x_{i + r/2})
  POSENC_NEIGHBOURS = 1,   // (x_2i, x_{2i + 1}), also called interleaved
  POSENC_SAME_PAIRING = 2  // for output_pairing only: the same as pairing
};

// What is computed.
enum POSENC_ENUM(posenc_arithmetic) {
  // The real number, rounded once. An element that is exactly 0 is +0; one that rounds to 0 keeps its sign.
  // Where IEEE arithmetic makes a NaN (of a NaN or of infinities), the element is the positive quiet NaN
  // without a payload.
  POSENC_EXACT = 0,
  // A cos and A sin are correctly rounded to float; two products and their sum are each rounded to float, and
  // the sum to the type. The bits are the same on every target, except for NaNs. The error is below 2
  // ulp(hypot(a, b)), with an amplitude or scale below 3 ulp(A hypot(a, b)), as long as A hypot(a, b) is
  // below 2^127 (float16: 2^15). Beyond that, products and sums may overflow to infinities and NaNs.
  POSENC_FAST = 1
};

// How a model's context was stretched. L is `length`, L0 `original_length`, f `factor`, r rotary_dim, i a
// pair; w_i = base^(-2i / exponent_dim) before scaling. Each of AXIAL axes has r = 2 sections[k] and i from 0
// on, but the entries of lists go by the pair of the head. position_scale comes after scaling. Only the
// settings that a scaling uses must be valid, but none may be a NaN. docs/rotary.md has the names that models
// and frameworks have for scalings and for orders of axes.
enum POSENC_ENUM(posenc_scaling) {
  POSENC_NO_SCALING = 0,
  // Position interpolation: w_i / f.
  POSENC_LINEAR = 1,
  // base * f^(r / (r - 2)) replaces base. If r is 2, the only w_i is 1.
  POSENC_NTK = 2,
  // POSENC_NTK with f max(L, L0) / L0 - (f - 1) for f.
  POSENC_DYNAMIC_NTK = 3,
  // POSENC_NTK with 2^ceil(log2(L / L0) + 1) - 1, but at least 1, for f.
  POSENC_QWEN_NTK = 4,
  // base * f replaces base, and w_i / f^(2 / r) then w_i.
  POSENC_MIXED_NTK = 5,
  // YaRN: (m_i / f + 1 - m_i) w_i, where m_i = (i - low) / (high - low), limited to 0 .. 1. low and high are
  // the pairs that turn beta_fast and beta_slow times in L0: r ln(L0 / (2 pi beta)) / (2 ln base). Unless
  // `truncate` is 0, low is rounded down and high up; low is at least 0 and high at most r - 1; if they are
  // equal, high is 1/1000 more. base must be above 1. A = amplitude_factor (0.1 mscale ln f + 1) / (0.1
  // mscale_all_dim ln f + 1), where ln f is 0 if f <= 1.
  POSENC_YARN = 6,
  // YaRN, but f^(-m_i) w_i and A = 1.
  POSENC_YARN_LOG = 7,
  // w_i / factors[i], or w_i / long_factors[i] if L > L0; A = sqrt(1 + ln f / ln L0), or 1 if f <= 1.
  POSENC_LONGROPE = 8,
  // With turns = L0 |w_i| / (2 pi), low = low_freq_factor and high = high_freq_factor: w_i / f if turns <=
  // low, w_i if turns >= high, and between them (1 - s) w_i / f + s w_i, s = (turns - low) / (high - low). If
  // low = high, w_i is divided if turns <= low.
  POSENC_LLAMA3 = 9,
  // w_i / f for i < floor(f64(proportion * r) / 2), 0 for the others.
  POSENC_PROPORTIONAL = 10,
  // w_i / factors[i].
  POSENC_FREQUENCY_FACTORS = 11
};

// Which axis of a position rotates pair i. Axis k has sections[k] pairs.
enum POSENC_ENUM(posenc_axis_order) {
  // Axis 0's pairs first, then axis 1's ...
  POSENC_CONSECUTIVE_AXES = 0,
  // Axis k = i mod axes while i < axes * sections[k], else axis 0.
  POSENC_INTERLEAVED_AXES = 1,
  // Axes 1, 2, ... alternate, with equally many pairs; axis 0 follows.
  POSENC_ALTERNATING_AXES = 2,
  // Consecutive, where axis k has the scaled frequencies (and the entries of lists) k, k + axes, k + 2 axes,
  // ...
  POSENC_SPLIT_AXES = 3,
  // Consecutive, where axis k has the frequencies base^(-j / sections[k]), j = 0, 1, ..., before scaling, so
  // that axes with equally many pairs have the same. exponent_dim must be 0.
  POSENC_AXIAL_AXES = 4,
  // Interleaved M-RoPE: axis k = i mod (axes - 1) while i < (axes - 1) * sections[k], else the last one.
  POSENC_IMROPE_AXES = 5
};

// What to rotate by. Call posenc_rotary_spec_init first, then set head_dim and what else differs. Creation
// copies the spec and its lists.
//
// Rotary embeddings have four phase roundings, with the formulas of posenc_phase_rounding. D is exponent_dim
// or, if that is 0, rotary_dim; it is rounded to float, except for POSENC_F64_INV_FREQ. f is the factor of
// POSENC_LINEAR, and 1 with POSENC_NO_SCALING. They need one of these two scalings, except where a line below
// names another one, unit POSENC_RADIANS and position_scale 1. SPLIT and AXIAL axes need an INV_FREQ.
//   POSENC_F32_INV_FREQ  f32(w / f32(f)) for w, or your own list of floats
//   POSENC_F32_ITERATED  f32(f32(1 / f32(f)) * t_i), and with POSENC_FREQUENCY_FACTORS
//                        f32(t_i / f32(factors[i]))
//   POSENC_F32_EXP       w = f32(exp(f32(-i * f32(f32(ln(f32(base))) / f32(D / 2))))), and
//                        f32(f32(p) * f32(f64(1 / f))) for f32(p)
//   POSENC_F64_INV_FREQ  f32(w / f32(f)) for w
// docs/rotary.md says which engine rounds in which way.
typedef struct posenc_rotary_spec {
  size_t struct_size;    // sizeof(posenc_rotary_spec), set by posenc_rotary_spec_init
  size_t head_dim;       // elements of a head
  size_t rotary_dim;     // even; 0 (the default) means head_dim - rotary_offset
  size_t rotary_offset;  // the first element that rotates; 0. Other elements stay as they are, or are copied.
  posenc_pairing pairing;         // POSENC_HALF_SPLIT
  posenc_pairing output_pairing;  // POSENC_SAME_PAIRING; above rotary_dim 1024 another one not in place
  posenc_arithmetic arithmetic;   // POSENC_EXACT
  posenc_phase_rounding phase_rounding;  // POSENC_NO_PHASE_ROUNDING
  double base;                           // 10000 (rope_theta)
  double exponent_dim;                   // 0 (the default) means rotary_dim
  double position_scale;                 // multiplies every position; 1
  posenc_unit unit;  // of the frequencies before scaling; POSENC_RADIANS. Half turns are pi base^(...)

  posenc_scaling scaling;   // POSENC_NO_SCALING
  double factor;            // f, of all scalings, except for the w_i of LONGROPE and FREQUENCY_FACTORS; 1
  double length;            // L, the current length of the context; 0
  double original_length;   // L0, that of the training; 0
  double beta_fast;         // of YaRN, 32
  double beta_slow;         // of YaRN, 1
  double mscale;            // of YaRN's amplitude, 1
  double mscale_all_dim;    // likewise, 0
  double amplitude_factor;  // of YaRN, multiplies its amplitude, exactly; 1
  double low_freq_factor;   // of Llama 3, 1
  double high_freq_factor;  // of Llama 3, 4
  double proportion;        // of POSENC_PROPORTIONAL, 0 .. 1; 1
  double amplitude;         // A instead of the scaling's; 0 (the default): the scaling's
  int32_t truncate;         // of YaRN, 1 (the default) or 0
  posenc_axis_order axis_order;  // POSENC_CONSECUTIVE_AXES

  size_t factor_count;            // 0 (the default), or rotary_dim / 2
  const double* factors;          // NULL (the default), or these; positive
  const float* factors_f32;       // NULL (the default), or these
  const double* long_factors;     // of LongRoPE if L > L0, or these
  const float* long_factors_f32;  // of LongRoPE if L > L0; of the same type as its factors

  // The caller's frequencies (a checkpoint's inv_freq) instead of those of base and exponent_dim. They take
  // every scaling that does not change the base.
  size_t frequency_count;        // 0 (the default), or rotary_dim / 2
  const double* frequencies;     // NULL (the default), or these
  const float* frequencies_f32;  // NULL (the default), or these

  size_t axes;                       // of a position, 1 .. POSENC_MAX_AXES; 1
  size_t sections[POSENC_MAX_AXES];  // pairs of each axis, rotary_dim / 2 in all; 0 for one axis

  const char* target;  // a name from posenc_targets; NULL (the default) means the best on this CPU
} posenc_rotary_spec;

// Sets all members to their defaults, and head_dim to 0.
POSENC_API posenc_status posenc_rotary_spec_init(posenc_rotary_spec* spec, size_t struct_size);

// Rotates heads, and writes caches of cosines and sines. Immutable.
typedef struct posenc_rotary posenc_rotary;

// As posenc_encoder_create. The block of memory has up to 172 bytes a pair (above 256 pairs 60) and 6 KB;
// with a unit other than radians 16 bytes a pair more, with AXIAL axes 1 KB an axis more.
POSENC_API posenc_status posenc_rotary_create(const posenc_rotary_spec* spec, posenc_rotary** rotary);

// As posenc_encoder_memory_size, but takes microseconds.
POSENC_API posenc_status posenc_rotary_memory_size(const posenc_rotary_spec* spec, size_t* bytes);

// As posenc_encoder_create_in.
POSENC_API posenc_status posenc_rotary_create_in(const posenc_rotary_spec* spec, void* memory, size_t bytes,
                                                 posenc_rotary** rotary);

// As posenc_encoder_destroy.
POSENC_API void posenc_rotary_destroy(posenc_rotary* rotary);

// Elements of a head; 0 for a null rotary.
POSENC_API size_t posenc_rotary_head_dim(const posenc_rotary* rotary);

// rotary_dim / 2; 0 for a null rotary.
POSENC_API size_t posenc_rotary_frequency_count(const posenc_rotary* rotary);

// The name of the target in use; "" for a null rotary.
POSENC_API const char* posenc_rotary_target(const posenc_rotary* rotary);

// The amplitude, rounded to double; NaN for a null rotary.
POSENC_API double posenc_rotary_amplitude(const posenc_rotary* rotary);

// The scaled w_i rounded to double, in radians per step; NaN unless i < posenc_rotary_frequency_count. Slow.
POSENC_API double posenc_rotary_radians(const posenc_rotary* rotary, size_t i);

// Heads of one tensor: element e of head h of token t is at data + t * token_stride + h * head_stride + e.
// [tokens, heads, head_dim] has the strides heads * head_dim and head_dim, [heads, tokens, head_dim] has
// head_dim and tokens * head_dim. 0 is the default of each member after head_stride. This struct will not
// grow.
typedef struct posenc_heads {
  void* data;                  // where the result goes
  size_t heads;                // of each token
  size_t token_stride;         // in elements
  size_t head_stride;          // in elements
  const void* source;          // what is rotated; NULL: data, in place. Of any alignment, like data
  size_t source_token_stride;  // 0: that of data
  size_t source_head_stride;   // 0: that of data
  double scale;      // 2^-64 .. 2^64; 0: 1. Multiplies the amplitude exactly, for elements that rotate
  int32_t inverse;   // 1: rotates back, by -p; amplitude and scale multiply as they do otherwise
  int32_t reserved;  // 0
} posenc_heads;

// Rotates tensors [count] of one type (F32, BF16 or F16) at the positions first_position + t, t < tokens, the
// same on all axes. Heads that are written must not overlap each other, nor anything else that is read or
// written; those of a source may overlap each other. Cosines and sines are computed once a token, for all
// heads and tensors.
POSENC_API posenc_status posenc_rotate(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                                       posenc_type type, const posenc_heads* tensors, size_t count);

// The same at positions [axes, tokens] of I32, I64, F32 or F64: first those of axis 0. *bad_index, unless
// bad_index is null, becomes the index axis * tokens + token of the list's first entry at fault.
POSENC_API posenc_status posenc_rotate_at(const posenc_rotary* rotary, posenc_type position_type,
                                          const void* positions, size_t tokens, posenc_type type,
                                          const posenc_heads* tensors, size_t count, size_t* bad_index);

// Where the cosines and sines of r/2 pairs go in a row of a cache. docs/rotary.md says which models have
// which.
enum POSENC_ENUM(posenc_cache_layout) {
  POSENC_CACHE_HALVES = 0,  // two tables, cos and sin [tokens, r/2]
  // Two tables [tokens, r], each value for both elements of `pairing`: [cos_0 cos_0 cos_1 cos_1 ...] for
  // neighbours; the same as HALVES_TWICE for halves.
  POSENC_CACHE_DUPLICATED = 1,
  POSENC_CACHE_COS_SIN = 2,  // one table [cos_0 cos_1 ... | sin_0 sin_1 ...] [tokens, r]
  POSENC_CACHE_PAIRS = 3,    // one table [cos_0 sin_0 cos_1 sin_1 ...] [tokens, r]
  // Two tables [cos_0 cos_1 ... | cos_0 cos_1 ...] [tokens, r], whatever the pairing.
  POSENC_CACHE_HALVES_TWICE = 4
};

// A caller's cache of cosines and sines. This struct will not grow.
typedef struct posenc_cache {
  posenc_cache_layout layout;  // of both tables
  posenc_type type;            // F32, BF16, F16 or F64
  void* cos;                   // the only table of COS_SIN and PAIRS
  void* sin;                   // NULL with COS_SIN and PAIRS
  size_t row_stride;           // of either, in elements
} posenc_cache;

// Writes A cos(p w_i) and A sin(p w_i), correctly rounded, at first_position + t. Columns past those of the
// layout keep their bytes.
POSENC_API posenc_status posenc_rotary_write(const posenc_rotary* rotary, int64_t first_position,
                                             size_t tokens, const posenc_cache* cache);

// The same at positions [axes, tokens].
POSENC_API posenc_status posenc_rotary_write_at(const posenc_rotary* rotary, posenc_type position_type,
                                                const void* positions, size_t tokens,
                                                const posenc_cache* cache, size_t* bad_index);

// Rotates by the rows of a caller's cache [rows] of F32, BF16 or F16, in the arithmetic POSENC_FAST whatever
// the rotary's is; the scale times cos and sin is rounded to float. Token t takes row first_row + t or, if
// row_indices [tokens] of I32 or I64 is not null, row row_indices[t]; *bad_index is then the first index that
// is not a row of the cache.
POSENC_API posenc_status posenc_rotate_cached(const posenc_rotary* rotary, const posenc_cache* cache,
                                              size_t rows, int64_t first_row, posenc_type index_type,
                                              const void* row_indices, size_t tokens, posenc_type type,
                                              const posenc_heads* tensors, size_t count, size_t* bad_index);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_ROTARY_C_H_
