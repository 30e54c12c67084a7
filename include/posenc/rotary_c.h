// Rotary position embeddings (RoPE) for C (C99): rotating q and k, and caches of cosines and sines.
//
//   to do this                                       call this
//   rotate consecutive tokens of a sequence          posenc_rotate
//   rotate tokens at an array of positions           posenc_rotate_at
//   rotate a batch, or decode a batch                see the comment of posenc_rotate
//   rotate by several axes (M-RoPE, images)          posenc_rotate_at, a spec with axes
//   stretch the context (YaRN, Llama 3, NTK ...)     a spec with a scaling
//   write a cache of cosines and sines               posenc_write_cache       rotary_cache_c.h
//   rotate by a cache                                posenc_rotate_cached     rotary_cache_c.h
//   compute cosines and sines once for all layers    posenc_angles_make       rotary_angles_c.h
//   write the rotated keys into a paged KV cache     member slots of heads    rotary_slots_c.h
//   normalize q and k before they rotate (RMSNorm)   member norm of heads     rotary_norm_c.h
//   take a model's preset or its configuration       models_c.h
//
// At position p, each pair (a, b) of a head's elements becomes
//
//   (A (a cos(p w_i) - b sin(p w_i)), A (b cos(p w_i) + a sin(p w_i))),   w_i = base^(-2i / rotary_dim)
//
// ("RoFormer", section 3.2.2). The amplitude A is 1, unless a scaling or the spec sets it. A scaling may also
// change w_i. By default (POSENC_EXACT) each element becomes the real number above, rounded once, to nearest,
// ties to even. So the bits are the same on every CPU, and they are right at every position.
//
//   // Two layouts: float q[tokens][32][128] and float k[8][tokens][128].
//   posenc_heads tensors[2] = {
//       {.type = POSENC_F32, .data = q, .heads = 32, .token_stride = 32 * 128, .head_stride = 128},
//       {.type = POSENC_F32, .data = k, .heads = 8, .token_stride = 128, .head_stride = tokens * 128}};
//   posenc_rotary_spec spec;
//   posenc_rotary* rotary = NULL;
//   posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
//   spec.head_dim = 128;
//   spec.base = 500000;
//   if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
//   if (status == POSENC_OK) status = posenc_rotate(rotary, n_past, tokens, tensors, 2);   // in place
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//   posenc_rotary_destroy(rotary);
// The list "In all headers" at the top of posenc_c.h holds here too.
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

// Which elements of a head are pair i. The elements that rotate are x_0, x_1, ...; r is rotary_dim.
enum POSENC_ENUM(posenc_pairing) {
  POSENC_HALF_SPLIT = 0,   // (x_i, x_{i + r/2})   also called rotate_half
  POSENC_NEIGHBOURS = 1,   // (x_2i, x_{2i + 1})   also called interleaved
  POSENC_SAME_PAIRING = 2  // for output_pairing only: the same as the member pairing
};

// How an element is computed.
enum POSENC_ENUM(posenc_arithmetic) {
  // The real number, rounded once. If an element rotates and its real number is 0, it becomes +0. If another
  // number rounds to 0, that 0 has its sign. If an input is NaN or infinite, the element is what IEEE
  // arithmetic makes with the exact cosine and sine; NaNs become the positive quiet NaN without a payload.
  POSENC_EXACT = 0,
  // Takes 0.25 to 0.7 times as long (docs/speed_rotary.md). S is A times scale times the token's factor.
  // S cos, S sin, two products and their sum are each rounded to float, and the sum then to the type. Except
  // for NaNs, bits are the same on every CPU. The error is below 2 ulp of hypot(a, b) if S is 1, else below
  // 3 ulp of S hypot(a, b). If S hypot(a, b) reaches 2^127 (float16: 2^15), sums may overflow.
  POSENC_FAST = 1
};

// If positions have several axes: which axis rotates pair i. Axis k rotates sections[k] pairs. Creation fails
// if the sections do not add up to rotary_dim / 2, or if an order cannot give every axis that many pairs.
enum POSENC_ENUM(posenc_axis_order) {
  // First all pairs of axis 0, then all pairs of axis 1, and so on: Qwen2-VL.
  POSENC_CONSECUTIVE_AXES = 0,
  // The axes alternate. Axis k = i mod axes rotates pair i if i < axes * sections[k], else axis 0: Qwen3-VL.
  POSENC_INTERLEAVED_AXES = 1,
  // Axes 1, 2, ... alternate, with equally many pairs each. The pairs of axis 0 follow: ERNIE 4.5 VL.
  POSENC_ALTERNATING_AXES = 2,
  // As CONSECUTIVE_AXES, but the pairs of axis k have the scaled frequencies w_k, w_(k + axes), ...: Pixtral.
  POSENC_SPLIT_AXES = 3,
  // As CONSECUTIVE_AXES, but pair j = 0, 1, ... of axis k has w_j = base^(-j / sections[k]). In formulas
  // of scalings read j for i, and 2 sections[k] for r. exponent_dim must be 0. Vision towers, DINOv3, FLUX.
  POSENC_AXIAL_AXES = 4,
  // All axes but the last one alternate. With n = axes - 1: axis k = i mod n if i < n * sections[k], else the
  // last axis: ggml's IMROPE. In IMROPE a section may exceed the number of pairs that its axis gets. Here set
  // sections[k] to this number: with 64 pairs, replace IMROPE's {24, 20, 20, 0} by {22, 20, 20, 2}.
  POSENC_IMROPE_AXES = 5
};

// How the frequencies change, so that a model can take a longer context. In the formulas w_i is the frequency
// before scaling, base^(-2i / exponent_dim) or your own, converted to radians. Other names are members:
//   f = factor   L = length   L0 = original_length   r = rotary_dim
// Members factor .. long_factors_f32 that a formula lacks are ignored, but must not be NaN either.
enum POSENC_ENUM(posenc_scaling) {
  POSENC_NO_SCALING = 0,  // w_i unchanged
  // Position interpolation: w_i / f.
  POSENC_LINEAR = 1,
  // base becomes base * g^(r / (r - 2)), with g = f. (With r = 2 the only frequency stays 1.)
  POSENC_NTK = 2,
  // As POSENC_NTK, with g = f max(L, L0) / L0 - (f - 1). Also called dynamic.
  POSENC_DYNAMIC_NTK = 3,
  // As POSENC_NTK, with g = max(1, 2^ceil(log2(L / L0) + 1) - 1).
  POSENC_QWEN_NTK = 4,
  // base becomes base * f. Then each frequency is divided by f^(2 / r).
  POSENC_MIXED_NTK = 5,
  // YaRN: (m_i / f + 1 - m_i) w_i, where m_i = (i - low) / (high - low), but at least 0 and at most 1.
  //   low = pair(beta_fast), high = pair(beta_slow), pair(n) = r ln(L0 / (2 pi n)) / (2 ln base).
  // If truncate is 1, low is rounded down and high up. Then, for any truncate, a low below 0 becomes 0, and a
  // high above r - 1 becomes r - 1. If low = high, 1/1000 is added to high. base must be above 1.
  //   A = amplitude_factor, times (0.1 mscale ln f + 1) / (0.1 mscale_all_dim ln f + 1) if f > 1.
  POSENC_YARN = 6,
  // w_i / f^(m_i), with the m_i of POSENC_YARN. This scaling sets no amplitude.
  POSENC_YARN_LOG = 7,
  // LongRoPE: w_i / factors[i] if L <= L0, else w_i / long_factors[i]. If f > 1, A = sqrt(1 + ln f / ln L0).
  POSENC_LONGROPE = 8,
  // Llama 3: let t = L0 |w_i| / (2 pi), low = low_freq_factor, high = high_freq_factor.
  //   t <= low: w_i / f    t >= high: w_i    else: (1 - s) w_i / f + s w_i, with s = (t - low) / (high - low)
  POSENC_LLAMA3 = 9,
  // w_i / f for i < floor(n / 2), where n is proportion * r rounded to double. Other pairs have frequency 0.
  POSENC_PROPORTIONAL = 10,
  // w_i / factors[i].
  POSENC_FREQUENCY_FACTORS = 11
};

// The settings of a rotary. posenc_rotary_spec_init sets the defaults, in brackets here. Then set head_dim,
// and what should differ. Creation copies the spec and its arrays. Later versions add members at the end
// only. A rotary never changes: if length or another member changes, create a new one. Each |w_i|, after
// scaling and times position_scale, must be 0 or 2^-126 .. 2^31 radians.
typedef struct posenc_rotary_spec {
  size_t struct_size;      // sizeof(posenc_rotary_spec), set by posenc_rotary_spec_init
  size_t head_dim;         // elements of a head
  size_t rotary_dim;       // [0, which means head_dim - rotary_offset] how many elements rotate; even
  size_t rotary_offset;    // [0] the first element that rotates
  posenc_pairing pairing;  // [POSENC_HALF_SPLIT] of q and k before the rotation
  // [POSENC_SAME_PAIRING] of the result. To change the pairing in place, rotary_dim must be at most 1024.
  posenc_pairing output_pairing;
  posenc_arithmetic arithmetic;  // [POSENC_EXACT]

  double base;            // [10000] rope_theta
  double exponent_dim;    // [0, which means rotary_dim] D in w_i = base^(-2i / D), -2^128 .. 2^128
  double position_scale;  // [1] multiplies every position
  posenc_unit unit;       // [POSENC_RADIANS] of the frequencies before scaling

  // For your own frequencies (a checkpoint's inv_freq) set one of two arrays; not with NTK scalings. Only
  // YARN and YARN_LOG then use base, and nothing uses exponent_dim; but both must be valid.
  size_t frequency_count;        // [0] rotary_dim / 2 entries, or none
  const double* frequencies;     // [NULL]
  const float* frequencies_f32;  // [NULL]

  size_t axes;                       // [1] how many axes a position has
  size_t sections[POSENC_MAX_AXES];  // [all 0] how many pairs each axis rotates. With one axis leave them 0
  posenc_axis_order axis_order;      // [POSENC_CONSECUTIVE_AXES]

  // DYNAMIC_NTK, QWEN_NTK, LONGROPE need both lengths. YARN, YARN_LOG, LLAMA3 need only original_length.
  posenc_scaling scaling;    // [POSENC_NO_SCALING]
  double factor;             // [1] f; 2^-100 .. 2^100 with YARN and LLAMA3, at least 2^-100 with DYNAMIC_NTK
  double length;             // [0] L, the length of the context now
  double original_length;    // [0] L0, the length in training
  double beta_fast;          // [32] YARN, YARN_LOG
  double beta_slow;          // [1] YARN, YARN_LOG
  int32_t truncate;          // [1] YARN, YARN_LOG
  double mscale;             // [1] YARN
  double mscale_all_dim;     // [0] YARN
  double amplitude_factor;   // [1] YARN; multiplies the amplitude that YARN computes (attn_factor)
  double low_freq_factor;    // [1] LLAMA3
  double high_freq_factor;   // [4] LLAMA3; at most 2^100 low_freq_factor
  double proportion;         // [1] PROPORTIONAL: 0 .. 1
  size_t factor_count;       // [0] rotary_dim / 2 entries, or none
  const double* factors;     // [NULL] LONGROPE, FREQUENCY_FACTORS; positive
  const float* factors_f32;  // [NULL] instead of factors
  const double* long_factors;     // [NULL] LONGROPE, which needs them beside factors
  const float* long_factors_f32;  // [NULL] LONGROPE, which needs them beside factors_f32
  double amplitude;  // [0] A, 2^-64 .. 2^64 (attention_factor); 0 means 1, or what YARN or LONGROPE computes

  // The phases of an engine that rounds them (docs/rotary-engines.md). Rotaries take F32_INV_FREQ,
  // F64_INV_FREQ, F32_EXP and F32_ITERATED, with POSENC_RADIANS, position_scale 1, and NO_SCALING or LINEAR.
  // F32_ITERATED also takes FREQUENCY_FACTORS. Split and axial axes take the two INV_FREQ only. The array
  // frequencies takes no rounding. frequencies_f32 takes only F32_INV_FREQ: p * frequencies_f32[i], in float.
  posenc_phase_rounding phase_rounding;  // [POSENC_NO_PHASE_ROUNDING]
  const char* target;                    // [NULL: the best] a name from posenc_targets
} posenc_rotary_spec;

// Sets head_dim to 0, and all other members to the defaults. Pass sizeof(posenc_rotary_spec).
POSENC_CALL posenc_rotary_spec_init(posenc_rotary_spec* spec, size_t struct_size);

typedef struct posenc_rotary posenc_rotary;  // rotates heads, and writes caches
// As posenc_encoder_create and so on in posenc_c.h. With rotary_dim 128 a rotary takes 11 KB.
POSENC_CALL posenc_rotary_create(const posenc_rotary_spec* spec, posenc_rotary** rotary);
POSENC_CALL posenc_rotary_memory_size(const posenc_rotary_spec* spec, size_t* bytes);
POSENC_CALL posenc_rotary_create_in(const posenc_rotary_spec* spec, void* memory, size_t bytes,
                                    posenc_rotary** rotary);
POSENC_API void posenc_rotary_destroy(posenc_rotary* rotary);

// What a rotary was made with. A NULL rotary gives 0, 0, "", NaN and NaN. posenc_rotary_radians is w_i after
// scaling, times position_scale, in radians per step of p, or NaN if there is no pair i.
POSENC_API size_t posenc_rotary_head_dim(const posenc_rotary* rotary);
POSENC_API size_t posenc_rotary_frequency_count(const posenc_rotary* rotary);  // rotary_dim / 2
POSENC_API const char* posenc_rotary_target(const posenc_rotary* rotary);
POSENC_API double posenc_rotary_amplitude(const posenc_rotary* rotary);  // rounded to double
POSENC_API double posenc_rotary_radians(const posenc_rotary* rotary, size_t i);

// The heads of one tensor. Element e of head h of token t is data[t * token_stride + h * head_stride + e].
//   tensor                        token_stride        head_stride
//   [tokens, heads, head_dim]     heads * head_dim    head_dim
//   [heads, tokens, head_dim]     head_dim            tokens * head_dim
// Clear the struct, then set what you need: members after head_stride may stay 0. The struct will not grow.
// If the types differ, source must not overlap data. Elements that do not rotate are converted and take the
// token's factor, but not the scale. With one type, factor 1 and no norm they keep all bits, also of NaNs;
// else NaNs become the NaN of POSENC_EXACT. A times scale times factor must be 2^-64 .. 2^64, too.
typedef struct posenc_heads {
  posenc_type type;                // of the result: F32, BF16 or F16
  posenc_type source_type;         // of the input: F32, or the same as type. 0 means type
  void* data;                      // where the result goes
  size_t heads;                    // of each token
  size_t token_stride;             // in elements
  size_t head_stride;              // in elements
  const void* source;              // the input. If NULL, or data with equal strides: in place
  size_t source_token_stride;      // 0 means token_stride
  size_t source_head_stride;       // 0 means head_stride
  double scale;                    // multiplies the amplitude; 2^-64 .. 2^64, or 0, which means 1
  int32_t inverse;                 // 1 rotates by -p. With scale 1 / A^2, that undoes a rotation with scale 1
  int32_t reserved;                // 0
  const struct posenc_norm* norm;  // NULL, or the norm that comes before the rotation: rotary_norm_c.h
  const struct posenc_slots* slots;  // NULL, or the slots of a paged cache: rotary_slots_c.h
  const float* token_factors;  // NULL, or [tokens], 2^-64 .. 2^64: each multiplies all elements of its token
} posenc_heads;

// Rotates tensors [count], all read as one type. Token t is at position first_position + t on all axes, and
// |p| <= POSENC_MAX_POSITION. Each call computes cosines and sines once for each token. Tensors may be
// rotated in place. Otherwise written heads must overlap nothing that the call uses. Batches:
//   [batch, heads, tokens, head_dim], equal positions in all sequences    one call, heads = batch * heads
//   [batch, heads, tokens, head_dim], positions differ (left padding)     a call for each sequence
//   [batch, tokens, heads, head_dim]            posenc_rotate_at, tokens = batch * tokens
//   [batch, heads, head_dim], a decode step     posenc_rotate_at, tokens = batch
POSENC_CALL posenc_rotate(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                          const posenc_heads* tensors, size_t count);

// The same at positions [axes, tokens]: one array, first all positions of axis 0. If a position is out of
// range, *bad_index becomes axis * tokens + token of the first bad one. bad_index may be NULL. To rotate
// sequence by sequence, copy the positions of each from [axes, batch, tokens] to [axes, tokens].
POSENC_CALL posenc_rotate_at(const posenc_rotary* rotary, const posenc_list* positions, size_t tokens,
                             const posenc_heads* tensors, size_t count, size_t* bad_index);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)
#endif  // POSENC_ROTARY_C_H_
