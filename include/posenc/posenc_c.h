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
//   begin with a named convention (a preset)           posenc_spec_preset     models_c.h
//   encode the grid of an image's patches              posenc_write_grid      grid_c.h
//   rotate q and k (RoPE, M-RoPE, YaRN ...)            posenc_rotate          rotary_c.h
//
// A row of columns encodes one position p. Each pair i = 0, 1, ... of columns holds a sine and a cosine:
//
//   sin(p * w_i), cos(p * w_i)      by default w_i = 10000^(-2i / dim)
//
// ("Attention Is All You Need", section 3.5). Each entry is the real number above, rounded once, to nearest,
// ties to even. So the bits are the same on every CPU, with every compiler, and for every split of the rows
// among threads. A sine or cosine that is exactly 0 is +0.
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
// - Arguments are checked first. A failed call writes only *bad_index, *bad_axis, *report and config->read.
// - No call knows how long an array is. Too large a count or stride reads or writes beyond the array.
// - Only posenc_encoder_create and posenc_rotary_create allocate memory. No call takes a lock. Threads
//   may share encoders and rotaries, and may write different rows of one array.
// - Your floating-point state (rounding mode, flush-to-zero) changes no result. Calls restore that state.
#ifndef POSENC_POSENC_C_H_
#define POSENC_POSENC_C_H_
// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include <stddef.h>
#include <stdint.h>

// Marks functions that a shared library exports. For a static posenc, define POSENC_STATIC when you compile
// posenc and your code. A plugin compiled with -fvisibility=hidden then exports no function of posenc.
#if defined(_WIN32) && defined(posenc_EXPORTS)
#define POSENC_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(POSENC_STATIC)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif

// In C the type of each enum is int32_t. In C++ each type is an enum of the same size.
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

// What a call returns: POSENC_OK, or a number that says what is wrong. The low 8 bits of the number are the
// kind of mistake. The other bits name the broken rule, and may change from version to version. So compare a
// status with POSENC_OK, and posenc_status_kind(status) with the kinds below. (status == POSENC_OUT_OF_RANGE
// is never true, and does not compile in C++.) The compiler warns if a program ignores the status of a call.
typedef int32_t posenc_status;
#define POSENC_CALL POSENC_CHECKED POSENC_API posenc_status
enum POSENC_ENUM(posenc_ok) { POSENC_OK = 0 };
enum POSENC_ENUM(posenc_kind) {
  POSENC_NULL = 1,           // an object or a pointer is null
  POSENC_BAD_STRUCT = 2,     // struct_size is wrong, or members are set that this version does not know
  POSENC_BAD_MEMBER = 3,     // a member of a spec has a value that is not allowed
  POSENC_MEMBERS_CLASH = 4,  // members of a spec contradict each other
  POSENC_BAD_TARGET = 5,     // this build has no such target, or this CPU cannot run it
  POSENC_BAD_TYPE = 6,       // an array has a type that this call does not take
  POSENC_BAD_ARGUMENT = 7,   // another argument has a value that is not allowed
  POSENC_BAD_SIZE = 8,       // counts or strides are too large for the address space, or for a limit
  POSENC_BAD_STRIDE = 9,     // a stride is so small that rows or heads overlap
  POSENC_OVERLAP = 10,       // memory that the call writes overlaps other memory of the call
  POSENC_OUT_OF_RANGE = 11,  // a position, an id or a row is out of range
  POSENC_NO_MEMORY = 12,     // memory cannot be allocated, or the caller's memory is too small
  POSENC_BAD_BUILD = 13      // the library was compiled with flags that make results inexact
};

POSENC_API posenc_kind posenc_status_kind(posenc_status status);  // POSENC_OK: 0, in C++ posenc_kind{}
// A static string: a sentence that names the member or argument at fault, and says what would be right.
POSENC_API const char* posenc_status_message(posenc_status status);

#define POSENC_VERSION 100                // the version of this header, 10000 * major + 100 * minor + patch
POSENC_API int32_t posenc_version(void);  // the version of the library that runs

// Makes floating-point arithmetic round to nearest, keep subnormal numbers and mask exceptions; calls
// work(data); and restores your floating-point state. If you compute your own frequencies (spec.frequencies),
// do so in work, to keep your rounding mode and flush-to-zero from changing them. Fails only if work is NULL.
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
// keep their bytes. Arrays may have any alignment. This struct and the three structs below will not grow.
typedef struct posenc_rows {
  posenc_type type;  // F32, BF16 or F16; posenc_write, posenc_write_at and posenc_write_grid also take F64
  void* data;        // [rows, stride]
  size_t stride;     // from row to row, in elements; at least dim (for a grid: see grid_c.h)
} posenc_rows;

// A contiguous array: positions (I32, I64, F32 or F64), or integers such as token ids (I32 or I64).
typedef struct posenc_list {
  posenc_type type;  // of the elements; calls refuse types that they do not take
  const void* data;  // [rows], one for each row, unless the call says otherwise
} posenc_list;

// Token ids, and the table of embeddings with a row for each id.
typedef struct posenc_lookup {
  posenc_list ids;    // [rows], each 0 .. vocabulary - 1
  posenc_type type;   // of the table: the type of out, or BF16 or F16 if out is F32
  const void* table;  // [vocabulary, stride]
  size_t vocabulary;  // how many rows the table has
  size_t stride;      // from row to row of the table, in elements; at least dim
} posenc_lookup;

// The sequences in x of posenc_add_batch. Row r of sequence b begins at element b * stride + r * x->stride.
typedef struct posenc_batch {
  size_t sequences;             // how many sequences x has
  size_t stride;                // in elements; at least rows * x->stride; any number if sequences is 1
  posenc_list first_positions;  // [sequences], I32 or I64; data NULL means that all are 0
} posenc_batch;

#define POSENC_MAX_DIM 16777216  // columns of a row: 1 .. POSENC_MAX_DIM
// A position p may be a fraction. |p + spec.position_offset| must be at most POSENC_MAX_POSITION.
#define POSENC_MAX_POSITION INT64_C(2147483648)
// The order of the columns of a row.
enum POSENC_ENUM(posenc_layout) {
  POSENC_INTERLEAVED = 0,          // [sin_0 cos_0 sin_1 cos_1 ...]         the paper
  POSENC_INTERLEAVED_COS_SIN = 1,  // [cos_0 sin_0 cos_1 sin_1 ...]
  POSENC_SIN_COS = 2,              // [sin_0 sin_1 ... | cos_0 cos_1 ...]
  POSENC_COS_SIN = 3               // [cos_0 cos_1 ... | sin_0 sin_1 ...]   diffusion timesteps
};

// What a row with an odd number of columns holds besides its whole pairs.
enum POSENC_ENUM(posenc_odd_column) {
  POSENC_ODD_HALF_PAIR = 0,    // the sine of one more pair; the cosine with POSENC_INTERLEAVED_COS_SIN
  POSENC_ODD_ZERO_LAST = 1,    // a zero in the last column
  POSENC_ODD_ZERO_MIDDLE = 2,  // a zero between the two halves; not with interleaved layouts
  POSENC_ODD_COSINE_LAST = 3   // the cosine of pair 0 once more, in the last column
};
// The unit of phases p * w_i. A half turn is pi radians, a turn 2 pi radians.
enum POSENC_ENUM(posenc_unit) { POSENC_RADIANS = 0, POSENC_HALF_TURNS = 1, POSENC_TURNS = 2 };

// How phases p * w_i are rounded before sines and cosines are taken. Set a rounding if a model was trained
// with the rounded phases of a framework. Roundings need the unit POSENC_RADIANS. All but F32_LOG_INCREMENT
// need min_timescale 1. D is exponent_dim. docs/conventions.md has formulas with every rounding.
enum POSENC_ENUM(posenc_phase_rounding) {
  POSENC_NO_PHASE_ROUNDING = 0,  // p * w_i, the real number
  POSENC_F32_POW_DIV = 1,        // p / pow(base, 2i / D), in float
  POSENC_F32_EXP = 2,            // p * exp(2i * (-ln(base) / D)), in float
  POSENC_F32_LOG_DIV = 3,        // p * exp(-ln(base) * i / (D / 2)), in float
  POSENC_F32_LOG_INCREMENT = 4,  // p * (f * exp(i * -(ln(base / f) / (D / 2)))), in float; f is min_timescale
  POSENC_F32_INV_FREQ = 5,       // p * (1 / pow(base, 2i / D)), in float
  POSENC_F32_ITERATED = 6,       // p, multiplied i times by pow(base, -2 / D), in float
  POSENC_F32_LIST = 7,           // p * w_i, in float, with your own frequencies
  POSENC_F64_INV_FREQ = 8,       // p * w_i in float; w_i is 1 / pow(base, 2i / D) in double, then float
  POSENC_F64_POW_DIV = 9,        // p / pow(base, 2i / D), in double
  POSENC_F64_POW_MUL = 10        // p * pow(base, -2i / D), in double
};

// The settings of an encoder. posenc_spec_init sets the defaults, in brackets here. Then set dim, and what
// should differ. Creation copies the spec and its arrays. Later versions add members at the end only. Pair i
// has w_i = position_scale * f * (base / f)^(-2i / D). Each |w_i| must be 0 or 2^-126 .. 2^31 radians.
typedef struct posenc_spec {
  size_t struct_size;            // sizeof(posenc_spec), set by posenc_spec_init
  size_t dim;                    // the number of columns of a row (d_model)
  posenc_layout layout;          // [POSENC_INTERLEAVED]
  posenc_odd_column odd_column;  // [POSENC_ODD_HALF_PAIR] only for odd numbers of columns
  double base;                   // [10000] above 0
  double exponent_dim;      // [0, which means dim] D, -2^128 .. 2^128. With dim - 2 the last w_i is 1 / base
  double min_timescale;     // [1] f, a frequency in spite of the name: pair 0 has position_scale * f
  double position_scale;    // [1] multiplies every w_i, which has the effect of multiplying every position
  int64_t position_offset;  // [0] is first added to every position; the sum is rounded to double
  posenc_unit unit;         // [POSENC_RADIANS] of w_i

  // For your own frequencies set one of two arrays. Then w_i = position_scale * frequencies[i]. The array has
  // an entry for each pair, and one for the half pair of POSENC_ODD_HALF_PAIR. min_timescale must be 1. base
  // and exponent_dim are unused, but must be valid. The only phase rounding allowed is POSENC_F32_LIST.
  size_t frequency_count;                // [0] the number of entries
  const double* frequencies;             // [NULL]
  const float* frequencies_f32;          // [NULL]
  posenc_phase_rounding phase_rounding;  // [POSENC_NO_PHASE_ROUNDING]
  int32_t has_padding;       // [0] 1 makes the encoding of padding_position a row of zeros, in every call
  int64_t padding_position;  // [0] compared with p, before position_offset is added
  int32_t input_first;       // [0] 1 puts p + position_offset in column 0, and encodings in the other dim - 1
  int32_t nan_rows;     // [0] 1 writes a row of NaN for an entry of positions that is NaN or out of range
  int32_t lists_only;   // [0] 1 saves memory and creation time, but makes posenc_write and posenc_add slower
  uint64_t table_rows;  // [0] for speed only: the rows of the whole table, if several calls write it
  const char* target;   // [NULL, which means the best] a name from posenc_targets
} posenc_spec;

// Sets dim to 0, and all other members to the defaults. Pass sizeof(posenc_spec) for struct_size.
POSENC_CALL posenc_spec_init(posenc_spec* spec, size_t struct_size);

// An instruction set for which posenc was compiled. The last target is REFERENCE, scalar code without SIMD.
typedef struct posenc_target {
  const char* name;  // Highway's name, such as "AVX2"; static
  int32_t runnable;  // 1 if this CPU can run it, else 0
  int32_t best;      // 1 for the first runnable target, which is used unless a spec names another one
} posenc_target;
#define POSENC_MAX_TARGETS 32  // no build has more targets
// Returns how many targets there are. Fills targets [capacity], the fastest first. targets may be NULL.
POSENC_API size_t posenc_targets(posenc_target* targets, size_t capacity);

// An encoder writes and adds encodings. Encoders never change. posenc_encoder_create allocates memory, makes
// an encoder there, and sets *encoder. On failure *encoder stays as it was.
typedef struct posenc_encoder posenc_encoder;
POSENC_CALL posenc_encoder_create(const posenc_spec* spec, posenc_encoder** encoder);

// An encoder takes 78 KB for dim 512, or 6 KB with lists_only: posenc_encoder_memory_size says how many bytes
// are enough for a spec on this CPU. posenc_encoder_create_in makes the encoder in your own memory [bytes],
// at any alignment. The memory must not contain the spec, its arrays or *encoder, nor end beyond the address
// space. Never move the memory. Free it after the last call; posenc_encoder_destroy is then optional.
POSENC_CALL posenc_encoder_memory_size(const posenc_spec* spec, size_t* bytes);
POSENC_CALL posenc_encoder_create_in(const posenc_spec* spec, void* memory, size_t bytes,
                                     posenc_encoder** encoder);
POSENC_API void posenc_encoder_destroy(posenc_encoder* encoder);  // ignores NULL; never frees your memory

// What an encoder was made with. A NULL encoder gives 0, -1, "", 0 and NaN. posenc_encoder_radians computes
// w_i in radians per step of p, rounded to double, or NaN if there is no pair i. This takes microseconds.
POSENC_API size_t posenc_encoder_dim(const posenc_encoder* encoder);
POSENC_API posenc_layout posenc_encoder_layout(const posenc_encoder* encoder);
POSENC_API const char* posenc_encoder_target(const posenc_encoder* encoder);
POSENC_API size_t posenc_encoder_frequency_count(const posenc_encoder* encoder);  // a half pair counts as one
POSENC_API double posenc_encoder_radians(const posenc_encoder* encoder, size_t i);

// PE(p) is the encoding of position p. If an entry of positions, ids or first_positions is out of range, the
// call fails, and *bad_index becomes the index of the first bad one: a row, or a sequence in a batch. Else
// *bad_index stays as it was. bad_index may be NULL. (With nan_rows 1, positions may have any value, but ids
// and first positions may not.) Written memory, gaps between rows included, must overlap no other array.

// out[r] = PE(first_position + r), for r = 0 .. rows - 1
POSENC_CALL posenc_write(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                         const posenc_rows* out);

// out[r] = PE(positions[r])
POSENC_CALL posenc_write_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                            const posenc_rows* out, size_t* bad_index);

// x[r] = x[r] * scale + PE(first_position + r). scale is any float: 1, or sqrt(d_model) in the paper. PE, the
// product and the sum are each rounded to float, and then the sum to the type of x. So an F32 x gets the bits
// of float arithmetic with a table from posenc_write. docs/embedding.md says which NaN a sum becomes.
POSENC_CALL posenc_add(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                       const posenc_rows* x, float scale);

// x[r] = x[r] * scale + PE(positions[r])
POSENC_CALL posenc_add_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                          const posenc_rows* x, float scale, size_t* bad_index);

// x[b][r] = x[b][r] * scale + PE(first_position + first_positions[b] + r), for each sequence b. If sequence b
// has n padding rows on the left, set first_positions[b] to -n. Padding rows are not skipped: with
// first_position 0, the encodings of positions -n .. -1 are added there. This does not need spec.has_padding.
POSENC_CALL posenc_add_batch(const posenc_encoder* encoder, const posenc_batch* batch, int64_t first_position,
                             size_t rows, const posenc_rows* x, float scale, size_t* bad_index);

// out[r] = table[ids[r]] * scale + PE(first_position + r), rounded as in posenc_add
POSENC_CALL posenc_embed(const posenc_encoder* encoder, const posenc_lookup* lookup, int64_t first_position,
                         size_t rows, const posenc_rows* out, float scale, size_t* bad_index);

// out[r] = table[ids[r]] * scale + PE(positions[r]). *bad_index becomes the first row whose id or position
// is out of range. If the id and the position of that row are out of range, the status is about the id.
POSENC_CALL posenc_embed_at(const posenc_encoder* encoder, const posenc_lookup* lookup,
                            const posenc_list* positions, size_t rows, const posenc_rows* out, float scale,
                            size_t* bad_index);

#ifdef __cplusplus
}  // extern "C"
// A status never equals a kind. If a program compares both, the compiler's error message quotes a line below.
bool operator==(posenc_status status, posenc_kind kind) = delete;  // use posenc_status_kind(status)
bool operator==(posenc_kind kind, posenc_status status) = delete;  // use posenc_status_kind(status)
bool operator!=(posenc_status status, posenc_kind kind) = delete;  // use posenc_status_kind(status)
bool operator!=(posenc_kind kind, posenc_status status) = delete;  // use posenc_status_kind(status)
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)
#endif  // POSENC_POSENC_C_H_
