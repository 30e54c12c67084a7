// posenc for C (C99), and for every language that can call C: the sinusoidal position encodings of the
// Transformer. posenc.h wraps these functions for C++.
//
//   to do this                                         call this
//   fill a table of encodings                          posenc_write
//   encode an array of positions                       posenc_write_at
//   add encodings to activations, consecutive rows     posenc_add
//   add in a decode step                               posenc_add for one sequence, posenc_add_at for a batch
//   add to a batch, left-padded or not                 posenc_add_batch
//   look up tokens and add encodings in one pass       posenc_embed, posenc_embed_at
//   encode the timesteps of a diffusion model          posenc_write_at, with a preset of models_c.h
//   take a convention by its name (a preset)           posenc_spec_preset     models_c.h
//   encode the grid of an image's patches              posenc_write_grid      grid_c.h
//   rotate q and k (RoPE, M-RoPE, YaRN ...)            posenc_rotate          rotary_c.h
//
// The encoding of a position p has a sine and a cosine for each pair i = 0, 1, ... of its columns:
//
//   sin(p * w_i), cos(p * w_i)      by default w_i = 10000^(-2i / dim)
//
// ("Attention Is All You Need", section 3.5). Each entry is this real number, rounded once, to nearest, ties
// to even. So the bits are the same on every CPU, with every compiler, and for every split of the rows among
// threads. A sine or cosine that is exactly 0 is +0.
//
//   posenc_spec spec;
//   posenc_encoder* encoder = NULL;
//   posenc_rows out = {POSENC_F32, table, 512};                         // float table[rows][512]
//   posenc_status status = posenc_spec_init(&spec, sizeof(spec));
//   spec.dim = 512;
//   if (status == POSENC_OK) status = posenc_encoder_create(&spec, &encoder);
//   if (status == POSENC_OK) status = posenc_write(encoder, 0, rows, &out);
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//   posenc_encoder_destroy(encoder);
//
// In all headers:
// - Arguments are checked first. A failed call writes at most *bad_index, *bad_axis, *report, config->read.
// - Arrays carry no lengths. If a count or a stride is too large, the call reads or writes beyond the array.
// - Only posenc_encoder_create and posenc_rotary_create allocate memory. No call locks. Threads may share
//   encoders and rotaries, and may write different rows of one array.
// - The caller's floating-point state (rounding mode, flush-to-zero) changes no result. Calls restore it.
#ifndef POSENC_POSENC_C_H_
#define POSENC_POSENC_C_H_
// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include <stddef.h>
#include <stdint.h>

// Marks what a shared library exports. Define POSENC_STATIC to compile a static posenc and its users. With
// POSENC_STATIC and -fvisibility=hidden, a plugin that contains posenc does not export these functions.
#if defined(_WIN32) && defined(posenc_EXPORTS)
#define POSENC_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(POSENC_STATIC)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif

// In C each enum type is int32_t. In C++ it is an enum of the same size.
#ifdef __cplusplus
// clang-format off
#define POSENC_ENUM(name) name : int32_t
#define POSENC_CHECKED [[nodiscard]]
// clang-format on
extern "C" {
#else
#define POSENC_ENUM(name)
#ifdef __GNUC__
#define POSENC_CHECKED __attribute__((warn_unused_result))
#else
#define POSENC_CHECKED
#endif
typedef int32_t posenc_kind, posenc_type, posenc_layout, posenc_odd_column;
typedef int32_t posenc_unit, posenc_phase_rounding;
#endif

// What a function returns: POSENC_OK, or a number that says what is wrong. Its low 8 bits are its kind. The
// other bits say which rule was broken, and may change from version to version. So compare a status with
// POSENC_OK, and posenc_status_kind(status) with the kinds. (status == POSENC_OUT_OF_RANGE is never true, and
// does not compile in C++.) The compiler warns if a program ignores the status of a call.
typedef int32_t posenc_status;
#define POSENC_CALL POSENC_CHECKED POSENC_API posenc_status
enum POSENC_ENUM(posenc_ok) { POSENC_OK = 0 };
enum POSENC_ENUM(posenc_kind) {
  POSENC_NULL = 1,           // an object or a pointer is null
  POSENC_BAD_STRUCT = 2,     // struct_size is wrong, or members are set that this version does not know
  POSENC_BAD_MEMBER = 3,     // a member of a spec has a value that it cannot have
  POSENC_MEMBERS_CLASH = 4,  // members of a spec contradict each other
  POSENC_BAD_TARGET = 5,     // this build has no such target, or this CPU cannot run it
  POSENC_BAD_TYPE = 6,       // an array has a type that it cannot have here
  POSENC_BAD_ARGUMENT = 7,   // another argument has a value that it cannot have
  POSENC_BAD_SIZE = 8,       // counts times strides make an array that exceeds the address space
  POSENC_BAD_STRIDE = 9,     // a stride is so small that rows or heads overlap
  POSENC_OVERLAP = 10,       // memory that is written overlaps other memory of the call
  POSENC_OUT_OF_RANGE = 11,  // a position, an id or a row is out of range
  POSENC_NO_MEMORY = 12,     // memory cannot be allocated, or the caller's memory is too small
  POSENC_BAD_BUILD = 13      // the library was compiled with flags that make it inexact
};

POSENC_API posenc_kind posenc_status_kind(posenc_status status);  // 0 for POSENC_OK, which is no kind
// A static English sentence. It names the member or argument at fault and says what would be right.
POSENC_API const char* posenc_status_message(posenc_status status);

#define POSENC_VERSION 100                // the version of this header, 10000 * major + 100 * minor + patch
POSENC_API int32_t posenc_version(void);  // the version of the library that runs

// Calls work(data) while floating-point arithmetic rounds to nearest, keeps subnormal numbers and masks
// exceptions. Then it restores your floating-point state. Compute your own frequencies (spec.frequencies) in
// work, so that your rounding mode or flush-to-zero does not change them. Fails only if work is NULL.
POSENC_CALL posenc_with_fp_state(void (*work)(void* data), void* data);
// The type of an array's elements.
enum POSENC_ENUM(posenc_type) {
  POSENC_F32 = 1,   // float
  POSENC_BF16 = 2,  // bfloat16, the bits in a uint16_t
  POSENC_F16 = 3,   // IEEE half precision, the bits in a uint16_t
  POSENC_F64 = 4,   // double
  POSENC_I32 = 5,   // int32_t
  POSENC_I64 = 6    // int64_t
};

// Rows that a call writes or adds to. Row r begins at element r * stride. Columns that a call does not fill
// keep their bytes. Arrays may have any alignment. This struct and the next three will not grow.
typedef struct posenc_rows {
  posenc_type type;  // F32, BF16 or F16; posenc_write, posenc_write_at and posenc_write_grid also take F64
  void* data;        // [rows, stride]
  size_t stride;     // in elements; at least dim (for a grid: see grid_c.h)
} posenc_rows;

// A contiguous array of positions (I32, I64, F32, F64), or of ids, first positions or cache rows (I32, I64).
typedef struct posenc_list {
  posenc_type type;
  const void* data;  // [rows], one for each row, unless the call says otherwise
} posenc_list;

// Token ids, and the table of embeddings with a row for each id.
typedef struct posenc_lookup {
  posenc_list ids;    // [rows], each 0 .. vocabulary - 1
  posenc_type type;   // the table's type: the same as out's. If out is F32, it may also be BF16 or F16
  const void* table;  // [vocabulary, stride]
  size_t vocabulary;  // rows of the table
  size_t stride;      // the table's stride, in elements; at least dim
} posenc_lookup;

// A batch of sequences in x, a posenc_rows. Row r of sequence b begins at element b * stride + r * x->stride.
typedef struct posenc_batch {
  size_t sequences;
  size_t stride;                // in elements; at least rows * x->stride, unless there is only one sequence
  posenc_list first_positions;  // [sequences], I32 or I64; data NULL means that all are 0
} posenc_batch;

#define POSENC_MAX_DIM 16777216  // columns of a row: 1 .. POSENC_MAX_DIM
// A position p is an integer or a fraction; |p + position_offset| must be at most POSENC_MAX_POSITION.
#define POSENC_MAX_POSITION INT64_C(2147483648)
// The order of the columns of a row.
enum POSENC_ENUM(posenc_layout) {
  POSENC_INTERLEAVED = 0,          // [sin_0 cos_0 sin_1 cos_1 ...]         the paper
  POSENC_INTERLEAVED_COS_SIN = 1,  // [cos_0 sin_0 cos_1 sin_1 ...]
  POSENC_SIN_COS = 2,              // [sin_0 sin_1 ... | cos_0 cos_1 ...]
  POSENC_COS_SIN = 3               // [cos_0 cos_1 ... | sin_0 sin_1 ...]   diffusion timesteps
};

// What an odd number of columns holds besides whole pairs.
enum POSENC_ENUM(posenc_odd_column) {
  POSENC_ODD_HALF_PAIR = 0,    // one more sine; with POSENC_INTERLEAVED_COS_SIN one more cosine
  POSENC_ODD_ZERO_LAST = 1,    // a zero in the last column
  POSENC_ODD_ZERO_MIDDLE = 2,  // a zero between the two halves; not with interleaved layouts
  POSENC_ODD_COSINE_LAST = 3   // the cosine of pair 0 once more, in the last column
};
// The unit of phases p * w_i. A half turn is pi radians, a turn 2 pi radians.
enum POSENC_ENUM(posenc_unit) { POSENC_RADIANS = 0, POSENC_HALF_TURNS = 1, POSENC_TURNS = 2 };

// How the phase p * w_i is rounded before its sine and cosine are taken. Set one for a trained model whose
// framework computed phases step by step, in float or double. All roundings need the unit POSENC_RADIANS. All
// but F32_LOG_INCREMENT need min_timescale 1. D is exponent_dim. docs/conventions.md has the exact formulas.
enum POSENC_ENUM(posenc_phase_rounding) {
  POSENC_NO_PHASE_ROUNDING = 0,  // p * w_i, the real number
  POSENC_F32_POW_DIV = 1,        // p / pow(base, 2i / D), in float
  POSENC_F32_EXP = 2,            // p * exp(2i * (-ln(base) / D)), in float
  POSENC_F32_LOG_DIV = 3,        // p * exp(-ln(base) * i / (D / 2)), in float
  POSENC_F32_LOG_INCREMENT = 4,  // p * (f * exp(i * -(ln(base / f) / (D / 2)))), in float; f is min_timescale
  POSENC_F32_INV_FREQ = 5,       // p * (1 / pow(base, 2i / D)), in float
  POSENC_F32_ITERATED = 6,       // p, multiplied i times by pow(base, -2 / D), in float
  POSENC_F32_LIST = 7,           // p * w_i, in float, with your own frequencies
  POSENC_F64_INV_FREQ = 8,       // p * w_i in float, where w_i = 1 / pow(base, 2i / D) in double
  POSENC_F64_POW_DIV = 9,        // p / pow(base, 2i / D), in double
  POSENC_F64_POW_MUL = 10        // p * pow(base, -2i / D), in double
};

// What to encode. posenc_spec_init sets the defaults, which are in brackets here. Then set dim and what
// should differ. Creation copies the spec and its arrays. Later versions add members at the end only. Pair i
// has w_i = position_scale * f * (base / f)^(-2i / D). Each |w_i| must be 0 or 2^-126 .. 2^31 radians.
typedef struct posenc_spec {
  size_t struct_size;            // sizeof(posenc_spec), set by posenc_spec_init
  size_t dim;                    // all columns of a row (d_model)
  posenc_layout layout;          // [POSENC_INTERLEAVED]
  posenc_odd_column odd_column;  // [POSENC_ODD_HALF_PAIR] only for odd numbers of columns
  double base;                   // [10000] above 0
  double exponent_dim;           // [0, which means dim] D. If D is dim - 2, the frequencies end at 1 / base
  double min_timescale;     // [1] f, a frequency, although its name says time: pair 0 has position_scale * f
  double position_scale;    // [1] multiplies every position, because it is a factor of w_i
  int64_t position_offset;  // [0] is added to every position first; the sum is rounded to double
  posenc_unit unit;         // [POSENC_RADIANS] of w_i

  // Your own frequencies, in one of two arrays: w_i = position_scale * frequencies[i]. Set one for each pair,
  // and one for the half pair of POSENC_ODD_HALF_PAIR. min_timescale must be 1. base and exponent_dim are not
  // used, but must be valid. Of the phase roundings, only POSENC_F32_LIST is allowed.
  size_t frequency_count;                // [0] the number of your frequencies
  const double* frequencies;             // [NULL]
  const float* frequencies_f32;          // [NULL]
  posenc_phase_rounding phase_rounding;  // [POSENC_NO_PHASE_ROUNDING]
  int32_t has_padding;       // [0] 1: in every call, the encoding of padding_position is a row of zeros
  int64_t padding_position;  // [0] a position as you pass it, before position_offset is added
  int32_t input_first;  // [0] 1: column 0 is p + position_offset, and dim - 1 columns of encodings follow
  int32_t nan_rows;     // [0] 1: if a position in an array is NaN or out of range, its row becomes NaN
  int32_t lists_only;   // [0] 1: less memory, faster creation; but posenc_write and posenc_add are slower
  uint64_t table_rows;  // [0] the rows of the whole table, if several calls write parts of it; for speed only
  const char* target;   // [NULL, which means the best] a name from posenc_targets
} posenc_spec;

// Sets all members to their defaults, and dim to 0. Pass sizeof(posenc_spec).
POSENC_CALL posenc_spec_init(posenc_spec* spec, size_t struct_size);

// An instruction set for which posenc was compiled. The last one is REFERENCE, scalar code without SIMD.
typedef struct posenc_target {
  const char* name;  // Highway's name, such as "AVX2"; static
  int32_t runnable;  // 1 if this CPU can run it, else 0
  int32_t best;      // 1 for the first target that is runnable. It is used unless a spec names another one
} posenc_target;
#define POSENC_MAX_TARGETS 32  // no build has more
// Returns how many targets there are, and lists the fastest first in targets [capacity], which may be NULL.
POSENC_API size_t posenc_targets(posenc_target* targets, size_t capacity);

// An encoder writes and adds encodings. It never changes. posenc_encoder_create makes one in memory that it
// allocates, and sets *encoder. On failure *encoder stays as it was.
typedef struct posenc_encoder posenc_encoder;
POSENC_CALL posenc_encoder_create(const posenc_spec* spec, posenc_encoder** encoder);

// posenc_encoder_memory_size says how many bytes are enough for this spec on this CPU: 77 KB for dim 512, or
// 6 KB with lists_only. posenc_encoder_create allocates as many. posenc_encoder_create_in allocates nothing:
// it makes the encoder in the caller's memory [bytes], at any alignment. The spec, its arrays and the pointer
// *encoder must not be in the memory. Never move it. Free it after the last call; destroy is optional.
POSENC_CALL posenc_encoder_memory_size(const posenc_spec* spec, size_t* bytes);
POSENC_CALL posenc_encoder_create_in(const posenc_spec* spec, void* memory, size_t bytes,
                                     posenc_encoder** encoder);
POSENC_API void posenc_encoder_destroy(posenc_encoder* encoder);  // frees nothing of NULL or caller's memory

// What an encoder was made with. For a NULL encoder: 0, -1, "", 0 and NaN. posenc_encoder_radians is w_i
// in radians for each step of p, rounded to double; NaN if there is no pair i. It takes microseconds.
POSENC_API size_t posenc_encoder_dim(const posenc_encoder* encoder);
POSENC_API posenc_layout posenc_encoder_layout(const posenc_encoder* encoder);
POSENC_API const char* posenc_encoder_target(const posenc_encoder* encoder);
POSENC_API size_t posenc_encoder_frequency_count(const posenc_encoder* encoder);  // half a pair counts
POSENC_API double posenc_encoder_radians(const posenc_encoder* encoder, size_t i);

// PE(p) is the encoding of position p. If a value in an array is out of range, the call fails, and *bad_index
// becomes the index of the first such value: a row, or in posenc_add_batch a sequence. Otherwise *bad_index
// stays as it was. (With nan_rows 1, positions may have any value, but ids and first positions may not.)
// bad_index may be NULL. Memory that is written, with the gaps between rows, must not overlap other arrays.

// out[r] = PE(first_position + r), for r = 0 .. rows - 1
POSENC_CALL posenc_write(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                         const posenc_rows* out);

// out[r] = PE(positions[r])
POSENC_CALL posenc_write_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                            const posenc_rows* out, size_t* bad_index);

// x[r] = x[r] * scale + PE(first_position + r). scale is any float: 1, or sqrt(d_model) in the paper. PE, the
// product and the sum are each rounded to float, and the sum then to the type of x. So a float x has the bits
// of "x * scale + a written table". docs/embedding.md says which NaN a sum becomes.
POSENC_CALL posenc_add(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                       const posenc_rows* x, float scale);

// x[r] = x[r] * scale + PE(positions[r])
POSENC_CALL posenc_add_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                          const posenc_rows* x, float scale, size_t* bad_index);

// x[b][r] = x[b][r] * scale + PE(first_position + first_positions[b] + r), for each sequence b. In a
// left-padded batch, set the first position of a sequence to minus its number of padding rows. Padding rows
// are not skipped: they get the encodings of the positions before 0. has_padding is not needed for this.
POSENC_CALL posenc_add_batch(const posenc_encoder* encoder, const posenc_batch* batch, int64_t first_position,
                             size_t rows, const posenc_rows* x, float scale, size_t* bad_index);

// out[r] = table[ids[r]] * scale + PE(first_position + r), rounded as in posenc_add
POSENC_CALL posenc_embed(const posenc_encoder* encoder, const posenc_lookup* lookup, int64_t first_position,
                         size_t rows, const posenc_rows* out, float scale, size_t* bad_index);

// out[r] = table[ids[r]] * scale + PE(positions[r]). If ids and positions are out of range, *bad_index is the
// first row that has such an id or position. If it has both, the status is about the id.
POSENC_CALL posenc_embed_at(const posenc_encoder* encoder, const posenc_lookup* lookup,
                            const posenc_list* positions, size_t rows, const posenc_rows* out, float scale,
                            size_t* bad_index);

#ifdef __cplusplus
}  // extern "C"
// A status never equals a kind. Compilers show such a line in their error message, with its comment.
bool operator==(posenc_status status, posenc_kind kind) = delete;  // status with POSENC_OK, kinds with kinds
bool operator==(posenc_kind kind, posenc_status status) = delete;  // status with POSENC_OK, kinds with kinds
bool operator!=(posenc_status status, posenc_kind kind) = delete;  // status with POSENC_OK, kinds with kinds
bool operator!=(posenc_kind kind, posenc_status status) = delete;  // status with POSENC_OK, kinds with kinds
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)
#endif  // POSENC_POSENC_C_H_
