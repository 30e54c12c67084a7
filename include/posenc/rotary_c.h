// Rotary position embeddings (RoPE) for C (C99): they rotate q and k, and write caches of cosines and sines.
//
//   to do this                                       call this
//   rotate q and k, in place or into other memory    posenc_rotate
//   rotate tokens at positions of their own          posenc_rotate_at
//   rotate by several axes (M-RoPE, images)         posenc_rotate_at, a spec with axes
//   stretch the context (YaRN, Llama 3, NTK ...)     a spec with a scaling
//   write a cache of cosines and sines               posenc_rotary_write      rotary_cache_c.h
//   rotate by a cache                                posenc_rotate_cached     rotary_cache_c.h
//   take a model's preset or its configuration       models_c.h
//
// At position p, each pair (a, b) of a head's elements becomes
//
//   (A (a cos(p w_i) - b sin(p w_i)), A (b cos(p w_i) + a sin(p w_i))),   w_i = base^(-2i / rotary_dim)
//
// ("RoFormer", section 3.2.2). A scaling changes w_i. A is the scaling's amplitude, rounded to double, times
// the scale of the tensor. With POSENC_EXACT, the default, each element becomes this real number, rounded
// once, to nearest, ties to even. So the bits are the same on every target, for every type and at any context
// length.
//
//   posenc_heads tensors[2] = {  // float q[tokens][32][128], k[tokens][8][128]
//       {.type = POSENC_F32, .data = q, .heads = 32, .token_stride = 32 * 128, .head_stride = 128},
//       {.type = POSENC_F32, .data = k, .heads = 8, .token_stride = 8 * 128, .head_stride = 128}};
//   posenc_rotary_spec spec;
//   posenc_rotary* rotary = NULL;
//   posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
//   spec.head_dim = 128;
//   spec.base = 500000;
//   if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
//   if (status == POSENC_OK) status = posenc_rotate(rotary, n_past, tokens, tensors, 2);
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//   posenc_rotary_destroy(rotary);
//
// What posenc_c.h says about memory, threads, the floating-point state and statuses holds here too.
#ifndef POSENC_ROTARY_C_H_
#define POSENC_ROTARY_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/posenc_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_pairing, posenc_arithmetic, posenc_scaling, posenc_axis_order;
#endif

#define POSENC_MAX_HEAD_DIM 65536    // elements of a head: 2 .. POSENC_MAX_HEAD_DIM
#define POSENC_MAX_ROTARY_DIM 16384  // elements of a head that rotate
#define POSENC_MAX_AXES 4            // axes of a position: 1 .. POSENC_MAX_AXES

// Which elements of a head are a pair, where r = rotary_dim.
enum POSENC_ENUM(posenc_pairing) {
  POSENC_HALF_SPLIT = 0,   // (x_i, x_{i + r/2})   also called rotate_half
  POSENC_NEIGHBOURS = 1,   // (x_2i, x_{2i + 1})   also called interleaved
  POSENC_SAME_PAIRING = 2  // for output_pairing only: as pairing
};

// How an element is computed.
enum POSENC_ENUM(posenc_arithmetic) {
  // The real number, rounded once. An element that is exactly 0 is +0. An element that rounds to 0 keeps its
  // sign. If an input is NaN, or infinite so that IEEE arithmetic would make a NaN, the element is the
  // positive
  // quiet NaN without a payload.
  POSENC_EXACT = 0,
  // A cos and A sin are correctly rounded to float. Two products and their sum are each rounded to float, and
  // the sum then to the type. The bits are the same on every target, except for those of NaNs. The error is
  // below 2 ulp of hypot(a, b). If an amplitude or a scale is set, it is below 3 ulp of A hypot(a, b). From
  // A hypot(a, b) = 2^127 on (float16: 2^15) products and sums may overflow.
  POSENC_FAST = 1
};

// Which axis of a position rotates pair i. Axis k has sections[k] pairs.
enum POSENC_ENUM(posenc_axis_order) {
  // First all pairs of axis 0, then all pairs of axis 1, and so on: Qwen2-VL.
  POSENC_CONSECUTIVE_AXES = 0,
  // The axes alternate: pair i has axis k = i mod axes if i < axes * sections[k], else axis 0: Qwen3-VL.
  POSENC_INTERLEAVED_AXES = 1,
  // Axes 1, 2, ... alternate, with equally many pairs each. The pairs of axis 0 follow: ERNIE 4.5 VL.
  POSENC_ALTERNATING_AXES = 2,
  // As consecutive, but the pairs of axis k have the scaled frequencies w_k, w_(k + axes), w_(k + 2 axes) and
  // so on: Pixtral.
  POSENC_SPLIT_AXES = 3,
  // As consecutive, but each axis has frequencies of its own before scaling: base^(-j / sections[k]) for
  // j = 0, 1, ... exponent_dim must be 0. Vision towers, DINOv3, FLUX.
  POSENC_AXIAL_AXES = 4,
  // All axes but the last one alternate: pair i has axis k = i mod (axes - 1) if i is below
  // (axes - 1) * sections[k], else the last axis: ggml's IMROPE.
  POSENC_IMROPE_AXES = 5
};

// How a model's context was stretched. In the formulas L is length, L0 original_length, f factor, r
// rotary_dim, and w_i = base^(-2i / exponent_dim) the frequency before scaling. position_scale comes after
// scaling. Only the settings that a scaling uses must be valid, but no setting may be NaN. With axial axes,
// each axis is scaled with r = 2 sections[k] and its own i; lists of factors still count all pairs of the
// head.
enum POSENC_ENUM(posenc_scaling) {
  POSENC_NO_SCALING = 0,
  // Position interpolation: w_i / f.
  POSENC_LINEAR = 1,
  // The base becomes base * g^(r / (r - 2)), with g = f. If r is 2, the only w_i is 1.
  POSENC_NTK = 2,
  // As NTK, with g = f max(L, L0) / L0 - (f - 1), also called dynamic.
  POSENC_DYNAMIC_NTK = 3,
  // As NTK, with g = max(1, 2^ceil(log2(L / L0) + 1) - 1).
  POSENC_QWEN_NTK = 4,
  // The base becomes base * f. Then each w_i becomes w_i / f^(2 / r).
  POSENC_MIXED_NTK = 5,
  // YaRN: (m_i / f + 1 - m_i) w_i, where m_i = (i - low) / (high - low), limited to 0 .. 1. low is the pair
  // that turns beta_fast times in L0, and high the pair that turns beta_slow times: r ln(L0 / (2 pi beta)) /
  // (2 ln base). With truncate, low is rounded down and high is rounded up. low is at least 0, high at most r
  // - 1. If they are equal, high is 1/1000 more. base must be above 1. The amplitude is amplitude_factor *
  // (0.1 mscale ln f + 1) / (0.1 mscale_all_dim ln f + 1), or amplitude_factor if f <= 1.
  POSENC_YARN = 6,
  // As YaRN, but f^(-m_i) w_i, and the amplitude is 1.
  POSENC_YARN_LOG = 7,
  // LongRoPE: w_i / factors[i], or w_i / long_factors[i] if L > L0. The amplitude is sqrt(1 + ln f / ln L0),
  // or 1 if f <= 1.
  POSENC_LONGROPE = 8,
  // Llama 3: let t = L0 |w_i| / (2 pi), the turns of a pair. If t <= low_freq_factor: w_i / f. If t >=
  // high_freq_factor: w_i. Between them: (1 - s) w_i / f + s w_i, where s = (t - low) / (high - low).
  POSENC_LLAMA3 = 9,
  // w_i / f for i < floor(f64(proportion * r) / 2), and 0 for the other pairs.
  POSENC_PROPORTIONAL = 10,
  // w_i / factors[i].
  POSENC_FREQUENCY_FACTORS = 11
};

// What to rotate by. First call posenc_rotary_spec_init or posenc_rotary_spec_preset. Then set head_dim and
// what differs from the defaults, which are in brackets. Creation copies the spec and its lists. New members
// come at the end only.
typedef struct posenc_rotary_spec {
  size_t struct_size;             // sizeof(posenc_rotary_spec), set by posenc_rotary_spec_init
  size_t head_dim;                // elements of a head
  size_t rotary_dim;              // [0: all from rotary_offset on] how many elements rotate; even
  size_t rotary_offset;           // [0] the first element that rotates. The others stay, or are copied
  posenc_pairing pairing;         // [POSENC_HALF_SPLIT] of q and k as they are given
  posenc_pairing output_pairing;  // [POSENC_SAME_PAIRING] of the result; above rotary_dim 1024 not in place
  posenc_arithmetic arithmetic;   // [POSENC_EXACT]

  double base;            // [10000] rope_theta
  double exponent_dim;    // [0, which means rotary_dim] D in base^(-2i / D)
  double position_scale;  // [1] multiplies every position
  posenc_unit unit;       // [POSENC_RADIANS] of the frequencies before scaling

  // Your own frequencies (a checkpoint's inv_freq), in one of two arrays. posenc then ignores base and
  // exponent_dim. Scalings that change the base do not take them.
  size_t frequency_count;        // [0] or rotary_dim / 2
  const double* frequencies;     // [NULL]
  const float* frequencies_f32;  // [NULL]

  size_t axes;                       // [1] of a position
  size_t sections[POSENC_MAX_AXES];  // [0] pairs of each of several axes: rotary_dim / 2 in all
  posenc_axis_order axis_order;      // [POSENC_CONSECUTIVE_AXES]

  posenc_scaling scaling;         // [POSENC_NO_SCALING]
  double factor;                  // [1] f; also of LongRoPE's amplitude
  double length;                  // [0] L, the current length of the context
  double original_length;         // [0] L0, the length of the context in training
  double beta_fast;               // [32] YaRN
  double beta_slow;               // [1] YaRN
  int32_t truncate;               // [1] YaRN
  double mscale;                  // [1] YaRN's amplitude
  double mscale_all_dim;          // [0] YaRN's amplitude
  double amplitude_factor;        // [1] YaRN's amplitude
  double low_freq_factor;         // [1] Llama 3
  double high_freq_factor;        // [4] Llama 3
  double proportion;              // [1] 0 .. 1, POSENC_PROPORTIONAL
  size_t factor_count;            // [0] or rotary_dim / 2
  const double* factors;          // [NULL] LongRoPE and POSENC_FREQUENCY_FACTORS: positive
  const float* factors_f32;       // [NULL] or these
  const double* long_factors;     // [NULL] LongRoPE, if L > L0
  const float* long_factors_f32;  // [NULL] or these, beside factors_f32
  double amplitude;               // [0: what the scaling says] A, 2^-64 .. 2^64

  // One of four roundings, with the formulas of posenc_phase_rounding; docs/rotary-engines.md names the
  // engines that round so. They need POSENC_NO_SCALING (f is 1) or POSENC_LINEAR, unit POSENC_RADIANS and
  // position_scale 1. Split and axial axes take an INV_FREQ only. In the formulas put
  //   POSENC_F32_INV_FREQ, POSENC_F64_INV_FREQ: f32(w / f32(f)) for w; F32 takes your own list of floats, too
  //   POSENC_F32_ITERATED: f32(f32(1 / f32(f)) * t_i), or with factors f32(t_i / f32(factors[i])), for t_i
  //   POSENC_F32_EXP: f32(f32(p) * f32(1 / f)) for f32(p), and
  //     w = f32(exp(f32(-i * f32(f32(ln(f32(b))) / f32(D / 2)))))
  posenc_phase_rounding phase_rounding;  // [POSENC_NO_PHASE_ROUNDING]

  const char* target;  // [NULL: the best] a name from posenc_targets
} posenc_rotary_spec;

// Sets all members to their defaults, and head_dim to 0.
POSENC_CALL posenc_rotary_spec_init(posenc_rotary_spec* spec, size_t struct_size);

// Rotates heads, and writes caches. It never changes after creation.
typedef struct posenc_rotary posenc_rotary;

// As the functions of encoders in posenc_c.h.
POSENC_CALL posenc_rotary_create(const posenc_rotary_spec* spec, posenc_rotary** rotary);
POSENC_CALL posenc_rotary_memory_size(const posenc_rotary_spec* spec, size_t* bytes);
POSENC_CALL posenc_rotary_create_in(const posenc_rotary_spec* spec, void* memory, size_t bytes,
                                    posenc_rotary** rotary);
POSENC_API void posenc_rotary_destroy(posenc_rotary* rotary);

// What a rotary has. For a null rotary: 0, 0, "", NaN and NaN. radians is the scaled w_i, as of encoders.
POSENC_API size_t posenc_rotary_head_dim(const posenc_rotary* rotary);
POSENC_API size_t posenc_rotary_frequency_count(const posenc_rotary* rotary);  // rotary_dim / 2
POSENC_API const char* posenc_rotary_target(const posenc_rotary* rotary);
POSENC_API double posenc_rotary_amplitude(const posenc_rotary* rotary);  // rounded to double
POSENC_API double posenc_rotary_radians(const posenc_rotary* rotary, size_t i);

// The heads of one tensor. Element e of head h of token t is at data + t * token_stride + h * head_stride +
// e. A tensor [tokens, heads, head_dim] has the strides heads * head_dim and head_dim. A tensor [heads,
// tokens, head_dim] has the strides head_dim and tokens * head_dim. Clear the struct, then set what you need:
// each member after head_stride may be 0. This struct will not grow.
typedef struct posenc_heads {
  posenc_type type;            // F32, BF16 or F16
  posenc_type source_type;     // 0, or the same as type
  void* data;                  // where the result goes
  size_t heads;                // of each token
  size_t token_stride;         // in elements
  size_t head_stride;          // in elements
  const void* source;          // what is rotated; NULL: data, in place
  size_t source_token_stride;  // 0: token_stride
  size_t source_head_stride;   // 0: head_stride
  double scale;                // 2^-64 .. 2^64, or 0, which means 1; multiplies the elements that rotate
  int32_t inverse;             // 1: rotates by -p. Amplitude and scale still multiply
  int32_t reserved;            // 0
  const void* norm;            // NULL; reserved for a norm before the rotation
  const void* slots;           // NULL; reserved for the slots of a paged cache
  const float* token_factors;  // NULL; reserved for a factor for each token
} posenc_heads;

// Rotates tensors [count] at the positions first_position + t, for t = 0 .. tokens - 1, the same on all axes.
// Heads that are written must overlap nothing else that is read or written. The heads of a source may overlap
// each other. Cosines and sines are computed once for each token, for all heads and tensors.
POSENC_CALL posenc_rotate(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                          const posenc_heads* tensors, size_t count);

// The same at positions [axes, tokens], first all positions of axis 0. If a position is out of range,
// *bad_index becomes the index axis * tokens + token of the first such position.
POSENC_CALL posenc_rotate_at(const posenc_rotary* rotary, const posenc_list* positions, size_t tokens,
                             const posenc_heads* tensors, size_t count, size_t* bad_index);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_ROTARY_C_H_
