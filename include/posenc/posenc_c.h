// posenc for C (C99), and for every language that can call C: the sinusoidal position encodings of the
// Transformer, correctly rounded. posenc.h has the same for C++.
//
//   to do this                                      call this
//   fill a table of encodings                       posenc_write
//   encode positions of your own                    posenc_write_at
//   add encodings to activations, or in a step      posenc_add, posenc_add_at
//   add to a batch, also if it is left-padded       posenc_add_batch
//   look up tokens and add encodings in one pass    posenc_embed, posenc_embed_at
//   encode the timesteps of a diffusion model       posenc_write_at, layout POSENC_COS_SIN
//   encode the grid of an image's patches           posenc_write_grid      grid_c.h
//   rotate q and k (RoPE, M-RoPE, YaRN ...)         posenc_rotate          rotary_c.h
//   take a named convention (a preset)              posenc_spec_preset     models_c.h
//
// For a position p, each pair i of columns holds sin(p * w_i) and cos(p * w_i), where w_i is
// position_scale * base^(-2i / exponent_dim) ("Attention Is All You Need", section 3.5). Each entry is the
// real number, rounded to nearest, ties to even. So the bits are the same on every target, with every
// compiler, and for every split of the rows among threads. An entry that is exactly 0 is +0. An entry that
// rounds to 0 keeps its sign.
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
// Every argument is checked before anything is written. If the status is not POSENC_OK, nothing has been
// written, except for *bad_index. Only posenc_encoder_create allocates memory. After creation no call
// allocates, locks or keeps state, so threads may share an encoder. Results do not depend on the caller's
// floating-point state (rounding mode, flush-to-zero, exception masks), and calls leave this state as it was.
#ifndef POSENC_POSENC_C_H_
#define POSENC_POSENC_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include <stddef.h>
#include <stdint.h>

// Marks what a shared library exports. Define POSENC_STATIC to compile a static posenc and its users. With
// -fvisibility=hidden a plugin that contains posenc then exports nothing of it.
#if defined(_WIN32) && defined(posenc_EXPORTS)
#define POSENC_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(POSENC_STATIC)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif

// In C each enum is an int32_t. In C++ each one is a type of that size, with constants of its own.
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

// What a function returns: POSENC_OK, or what is wrong. Its low 8 bits are the kind. The other bits say which
// rule was broken. They may change from version to version, so branch on the kind only. The compiler warns if
// a program ignores the status of a call.
typedef int32_t posenc_status;
#define POSENC_CALL POSENC_CHECKED POSENC_API posenc_status

enum POSENC_ENUM(posenc_kind) {
  POSENC_OK = 0,
  POSENC_NULL = 1,           // an object or a pointer is null
  POSENC_BAD_STRUCT = 2,     // struct_size is wrong, or members are set that this version does not know
  POSENC_BAD_MEMBER = 3,     // a member of a spec has a value that it cannot have
  POSENC_MEMBERS_CLASH = 4,  // members of a spec contradict each other
  POSENC_BAD_TARGET = 5,     // this build has no such target, or this CPU cannot run it
  POSENC_BAD_TYPE = 6,       // an array has a type that it cannot have here
  POSENC_BAD_ARGUMENT = 7,   // another argument has a value that it cannot have
  POSENC_BAD_SIZE = 8,       // by its counts and strides, an array exceeds the address space
  POSENC_BAD_STRIDE = 9,     // a stride is so small that rows or heads overlap
  POSENC_OVERLAP = 10,       // memory that is written overlaps other memory of the call
  POSENC_OUT_OF_RANGE = 11,  // a position, an id or a row is out of range
  POSENC_NO_MEMORY = 12,     // memory cannot be allocated, or the caller's memory is too small
  POSENC_BAD_BUILD = 13      // the library was compiled with flags that make it inexact
};

// The kind of a status, and one static English sentence. The sentence names the member or argument at fault
// and says what would be right.
POSENC_API posenc_kind posenc_status_kind(posenc_status status);
POSENC_API const char* posenc_status_message(posenc_status status);

// The version of this header, 10000 * major + 100 * minor + patch, and of the library that runs.
#define POSENC_VERSION 100
POSENC_API int32_t posenc_version(void);

// Calls work(data) in the floating-point state in which posenc computes: round to nearest, subnormal numbers
// kept, exceptions masked. For programs that compute members of a spec.
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

// Rows that a call writes or adds to: row r begins at element r * stride of data. Columns 0 .. dim - 1 are
// used, so stride is at least dim. The other columns keep their bytes. Arrays may have any alignment. This
// struct and the next three will not grow.
typedef struct posenc_rows {
  posenc_type type;  // F32, BF16 or F16; also F64 if rows are only written
  void* data;        // [rows, stride]
  size_t stride;     // in elements
} posenc_rows;

// A list with one number for each row. Positions are I32, I64, F32 or F64. Ids and first positions are I32
// or I64.
typedef struct posenc_list {
  posenc_type type;
  const void* data;  // [rows]
} posenc_list;

// Token ids, and the table of embeddings that they are looked up in.
typedef struct posenc_lookup {
  posenc_list ids;    // each 0 .. vocabulary - 1
  posenc_type type;   // of the table: as out, or BF16 or F16 if out is F32
  const void* table;  // [vocabulary, stride]
  size_t vocabulary;  // rows of the table
  size_t stride;      // in elements
} posenc_lookup;

// Sequences of consecutive positions. Row r of sequence b is at element b * stride + r * rows.stride.
typedef struct posenc_batch {
  size_t sequences;
  size_t stride;                // in elements; at least rows * rows.stride, unless there is one sequence
  posenc_list first_positions;  // [sequences]; or data is NULL: all sequences begin at first_position
} posenc_batch;

#define POSENC_MAX_DIM 16777216  // columns of a row: 1 .. POSENC_MAX_DIM
// Positions are integers or any finite doubles with |p + position_offset| <= POSENC_MAX_POSITION.
#define POSENC_MAX_POSITION INT64_C(2147483648)
// The order of the columns of a row.
enum POSENC_ENUM(posenc_layout) {
  POSENC_INTERLEAVED = 0,          // [sin_0 cos_0 sin_1 cos_1 ...]         the paper
  POSENC_INTERLEAVED_COS_SIN = 1,  // [cos_0 sin_0 cos_1 sin_1 ...]
  POSENC_SIN_COS = 2,              // [sin_0 sin_1 ... | cos_0 cos_1 ...]
  POSENC_COS_SIN = 3               // [cos_0 cos_1 ... | sin_0 sin_1 ...]   diffusion timesteps
};

// What a row with an odd dim holds besides floor(dim / 2) pairs.
enum POSENC_ENUM(posenc_odd_column) {
  POSENC_ODD_HALF_PAIR = 0,    // the first half of one more pair: its sine, or with a cosine first its cosine
  POSENC_ODD_ZERO_LAST = 1,    // a zero in the last column
  POSENC_ODD_ZERO_MIDDLE = 2,  // a zero between the two halves; not with interleaved layouts
  POSENC_ODD_COSINE_LAST = 3   // the cosine of pair 0 once more, in the last column
};

// The unit of the frequencies of a step. Half turns are multiplied by pi, turns by 2 pi.
enum POSENC_ENUM(posenc_unit) { POSENC_RADIANS = 0, POSENC_HALF_TURNS = 1, POSENC_TURNS = 2 };

// How the phase p * w_i is rounded before its sine and cosine are taken. Set one to keep the phases of a
// trained model, whose framework rounds them step by step (docs/conventions.md). f32() and f64() round to
// nearest; D is exponent_dim, b is base, f is min_timescale. A position_scale other than 1 then multiplies
// the phase, which is rounded once more. A phase rounding needs unit POSENC_RADIANS and min_timescale 1;
// F32_LOG_INCREMENT takes any min_timescale. In F32 roundings w must be a float of at least 2^-126.
enum POSENC_ENUM(posenc_phase_rounding) {
  POSENC_NO_PHASE_ROUNDING = 0,  // the real number
  POSENC_F32_POW_DIV = 1,        // f32(f32(p) / f32(pow(f32(b), f32(2i / f32(D)))))
  POSENC_F32_EXP = 2,            // f32(f32(p) * w), w = f32(exp(f32(2i * f32(-ln(b) / D))))
  POSENC_F32_LOG_DIV = 3,        // f32(f32(p) * w), w = f32(exp(f32(f32(f32(-ln(b)) * i) / f32(D / 2))))
  POSENC_F32_LOG_INCREMENT = 4,  // f32(f32(p) * w), w = f32(f32(f) * f32(exp(f32(i * -r)))),
                                 // r = f32(f32(ln(b / f)) / f32(D / 2))
  POSENC_F32_INV_FREQ = 5,       // f32(f32(p) * w), w = f32(1 / f32(pow(f32(b), f32(2i / f32(D)))))
  POSENC_F32_ITERATED = 6,       // t_0 = f32(p), t_{i+1} = f32(t_i * f32(pow(f32(b), f32(-2 / f32(D)))))
  POSENC_F32_LIST = 7,           // f32(f32(p) * w), w = f32(your own frequency)
  POSENC_F64_INV_FREQ = 8,       // f32(f32(p) * w), w = f32(f64(1 / f64(pow(b, f64(2i / D)))))
  POSENC_F64_POW_DIV = 9,        // f64(p / f64(pow(b, f64(2i / D))))
  POSENC_F64_POW_MUL = 10        // f64(p * w), w = f64(pow(b, f64(-2i / D)))
};

// What to encode. First call posenc_spec_init or posenc_spec_preset. Then set dim and what differs from the
// defaults, which are in brackets. Creation copies the spec and its list. New members come at the end only.
typedef struct posenc_spec {
  size_t struct_size;            // sizeof(posenc_spec), set by posenc_spec_init
  size_t dim;                    // columns of a row (d_model)
  posenc_layout layout;          // [POSENC_INTERLEAVED]
  posenc_odd_column odd_column;  // [POSENC_ODD_HALF_PAIR]

  double base;              // [10000] above 0; the longest wavelength is about 2 pi * base
  double exponent_dim;      // [0, which means dim] D in base^(-2i / D)
  double min_timescale;     // [1] f in w_i = position_scale * f * (base / f)^(-2i / D): the first frequency
  double position_scale;    // [1] multiplies every position
  int64_t position_offset;  // [0] is added to every position before position_scale; the sum is a double
  posenc_unit unit;         // [POSENC_RADIANS] of all frequencies

  // Your own frequencies, one for each pair, in one of two arrays. posenc then ignores base and exponent_dim,
  // which must still be valid. The only phase rounding with a list is POSENC_F32_LIST.
  size_t frequency_count;                // [0] or the number of pairs
  const double* frequencies;             // [NULL]
  const float* frequencies_f32;          // [NULL]
  posenc_phase_rounding phase_rounding;  // [POSENC_NO_PHASE_ROUNDING]

  int32_t has_padding;       // [0] 1: the row at padding_position is zeros
  int64_t padding_position;  // [0] counted as the caller's positions are
  int32_t input_first;       // [0] 1: column 0 is the position itself, rounded; encodings follow
  int32_t nan_rows;          // [0] 1: a listed position that is NaN or out of range makes a row of NaN
  int32_t lists_only;        // [0] 1: less memory and creation time, but runs take as long as lists
  uint64_t table_rows;  // [0] rows of the whole table, if each call writes a part; changes only the speed
  const char* target;   // [NULL, which means the best] a name from posenc_targets
} posenc_spec;

// Sets all members to their defaults, and dim to 0. Pass sizeof(posenc_spec), as your program knows it.
POSENC_CALL posenc_spec_init(posenc_spec* spec, size_t struct_size);

// A compiled instruction set. The last one is always REFERENCE, the scalar path without SIMD.
typedef struct posenc_target {
  const char* name;  // Highway's name, such as "AVX2"; static
  int32_t runnable;  // 1 if this CPU can run it, else 0
  int32_t best;      // 1 for the target that is used unless a spec names another one
} posenc_target;

#define POSENC_MAX_TARGETS 32  // no build has more
// Fills targets [capacity], best first, and returns how many there are. targets may be null.
POSENC_API size_t posenc_targets(posenc_target* targets, size_t capacity);

// An encoder writes and adds encodings. It never changes after its creation, in one block of memory, which
// posenc_encoder_create allocates. On failure *encoder stays as it was.
typedef struct posenc_encoder posenc_encoder;
POSENC_CALL posenc_encoder_create(const posenc_spec* spec, posenc_encoder** encoder);

// Sets *bytes to a size of memory that is enough for an encoder with this spec on this CPU, for create_in.
// That creates an encoder in the caller's memory [bytes], of any alignment, and allocates nothing. The memory
// must not hold *spec, its lists or *encoder. It must stay where it is until the last call.
POSENC_CALL posenc_encoder_memory_size(const posenc_spec* spec, size_t* bytes);
POSENC_CALL posenc_encoder_create_in(const posenc_spec* spec, void* memory, size_t bytes,
                                     posenc_encoder** encoder);

// Frees what posenc_encoder_create allocated. encoder may be null, or in the caller's memory.
POSENC_API void posenc_encoder_destroy(posenc_encoder* encoder);

// What an encoder has. For a null encoder: 0, -1, "", 0 and NaN. radians is w_i rounded to double, in radians
// per step, or NaN if there is no pair i. It takes microseconds.
POSENC_API size_t posenc_encoder_dim(const posenc_encoder* encoder);
POSENC_API posenc_layout posenc_encoder_layout(const posenc_encoder* encoder);
POSENC_API const char* posenc_encoder_target(const posenc_encoder* encoder);
POSENC_API size_t posenc_encoder_frequency_count(const posenc_encoder* encoder);  // pairs of a row
POSENC_API double posenc_encoder_radians(const posenc_encoder* encoder, size_t i);

// PE(p) is the encoding of position p. If values of a list are refused, *bad_index becomes the index of the
// first one, unless bad_index is null. Memory that is written must not overlap memory that is read; gaps
// between rows count as written.

// out[r] = PE(first_position + r), for r = 0 .. rows - 1
POSENC_CALL posenc_write(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                         const posenc_rows* out);

// out[r] = PE(positions[r])
POSENC_CALL posenc_write_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                            const posenc_rows* out, size_t* bad_index);

// x[r] = x[r] * scale + PE(first_position + r). scale is usually sqrt(d_model). The encoding, the product and
// the sum are each rounded to float. A 16-bit x is widened to float first, and the sum is rounded to its type
// last. So a float x has the bits of "x * scale + a written table". A sum that is NaN becomes the positive
// quiet NaN without a payload. A NaN that a float x already held stays, made quiet; RISC-V and WebAssembly
// drop its sign and payload.
POSENC_CALL posenc_add(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                       const posenc_rows* x, float scale);

// x[r] = x[r] * scale + PE(positions[r])
POSENC_CALL posenc_add_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                          const posenc_rows* x, float scale, size_t* bad_index);

// x[b][r] = x[b][r] * scale + PE(first_position + first_positions[b] + r), for all sequences b. In a
// left-padded batch the first position of a sequence is minus its number of padding rows.
POSENC_CALL posenc_add_batch(const posenc_encoder* encoder, const posenc_batch* batch, int64_t first_position,
                             size_t rows, const posenc_rows* x, float scale, size_t* bad_index);

// out[r] = table[ids[r]] * scale + PE(first_position + r), rounded as in posenc_add
POSENC_CALL posenc_embed(const posenc_encoder* encoder, const posenc_lookup* lookup, int64_t first_position,
                         size_t rows, const posenc_rows* out, float scale, size_t* bad_index);

// out[r] = table[ids[r]] * scale + PE(positions[r])
POSENC_CALL posenc_embed_at(const posenc_encoder* encoder, const posenc_lookup* lookup,
                            const posenc_list* positions, size_t rows, const posenc_rows* out, float scale,
                            size_t* bad_index);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)
#endif  // POSENC_POSENC_C_H_
