// posenc for C (C99) and for everything that calls C. This is the library's binary interface; posenc.h only
// gives these functions C++ types.
//
// For a position p and a pair index i the encoding is the real number
//
//   sin(p * w_i) and cos(p * w_i),   w_i = position_scale * base^(-2i / exponent_dim)
//
// ("Attention Is All You Need", section 3.5, has exponent_dim = dim; w_i may also be frequencies of your
// own), rounded to nearest, ties to even. An entry that is exactly 0 is +0; one that rounds to 0 keeps its
// sign. Hence the bits are the same on every target, with every compiler, for every split of the rows.
//
// Only posenc_encoder_create allocates; afterwards nothing allocates, locks or keeps state, so one encoder
// may be used by any number of threads at once. Results do not depend on the caller's floating-point state
// (rounding mode, flush-to-zero, exception masks), which is left as it was.
//
//   posenc_spec spec;
//   posenc_spec_init(&spec, sizeof(spec));
//   spec.dim = 512;
//   posenc_encoder* encoder = NULL;
//   posenc_status status = posenc_encoder_create(&spec, &encoder);
//   if (status == POSENC_OK) status = posenc_write(encoder, 0, rows, POSENC_F32, out, 512);
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//   posenc_encoder_destroy(encoder);
//
// On any status but POSENC_OK nothing has been written, except *bad_index if there is one. Null pointers and
// unknown values are reported, and never used.
//
// The binary interface only grows: constants keep their values, functions their parameters, and posenc_spec
// gets new members at its end only; struct_size tells which members a program knows.
#ifndef POSENC_POSENC_C_H_
#define POSENC_POSENC_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include <stddef.h>
#include <stdint.h>

// Marks what a shared library exports. A static posenc and its users are compiled with POSENC_STATIC, so that
// a plugin that contains posenc (and is compiled with -fvisibility=hidden) neither exports it nor uses
// another one. CMake defines posenc_EXPORTS while it compiles a DLL; programs that call functions of a DLL
// need no mark.
#if defined(_WIN32) && defined(posenc_EXPORTS)
#define POSENC_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(POSENC_STATIC)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif

// Every enum is passed and stored as int32_t, which is its type in C. In C++ each is a type of its own, so
// that the compiler refuses a constant of another enum.
#ifdef __cplusplus
// clang-format off
#define POSENC_ENUM(name) name : int32_t
// clang-format on
extern "C" {
#else
#define POSENC_ENUM(name)
typedef int32_t posenc_status, posenc_type, posenc_layout, posenc_odd_column, posenc_phase_rounding;
typedef int32_t posenc_unit;
#endif

// The version of this header, 10000 * major + 100 * minor + patch.
#define POSENC_VERSION 100

// The version of the library that runs, counted likewise.
POSENC_API int32_t posenc_version(void);

// Positions are steps, integers or any finite doubles, with |p + position_offset| <= POSENC_MAX_POSITION.
#define POSENC_MAX_POSITION INT64_C(2147483648)

// Columns of a row: 1 <= dim <= POSENC_MAX_DIM.
#define POSENC_MAX_DIM 16777216

// The largest number of targets that any build has.
#define POSENC_MAX_TARGETS 32

// What a call reports. On any status but POSENC_OK nothing has been written.
enum POSENC_ENUM(posenc_status) {
  POSENC_OK = 0,
  POSENC_NULL_POINTER = 1,  // a null pointer where there is something to read or write
  POSENC_NOT_CREATED = 2,   // the encoder or rotary is null
  POSENC_BAD_DIM = 3,       // dim is 0 or exceeds POSENC_MAX_DIM
  POSENC_BAD_BASE = 4,      // base is NaN, infinite, zero or negative (with a phase rounding: as float), or
                            // with YaRN not above 1
  POSENC_BAD_EXPONENT_DIM = 5,  // exponent_dim is NaN or infinite (with a phase rounding: or 0, as float), or
                                // set with axial axes
  POSENC_BAD_POSITION_SCALE = 6,  // position_scale is NaN or infinite (with a phase rounding: or 0, as float;
                                  // of a rotary: not 1)
  POSENC_BAD_LAYOUT = 7,          // not a posenc_layout
  POSENC_BAD_PHASE_ROUNDING = 8,  // not a posenc_phase_rounding, or one that rotaries lack
  POSENC_FREQUENCY_OUT_OF_RANGE = 9,  // some w_i, as double, is neither 0 nor 2^-126 <= |w_i| <= 2^31
  POSENC_UNKNOWN_TARGET = 10,         // no compiled target has that name
  POSENC_UNAVAILABLE_TARGET = 11,     // this CPU cannot run that target
  POSENC_OUT_OF_MEMORY = 12,          // creation could not allocate
  POSENC_STRIDE_TOO_SMALL = 13,       // row_stride is smaller than a row, or an axis of a grid ends after it
  POSENC_SIZE_OVERFLOW = 14,          // a matrix, batch, tensor or list exceeds the address space
  POSENC_POSITION_OUT_OF_RANGE = 15,  // a position is outside -2^31 .. 2^31 or a NaN
  POSENC_ID_OUT_OF_RANGE = 16,        // some token id is negative or not below the vocabulary's size
  POSENC_BUFFERS_OVERLAP = 17,        // what is written shares memory with what else is read or written
  POSENC_MEMORY_TOO_SMALL = 18,       // less memory than the function of its size asks for
  POSENC_BAD_TYPE = 19,               // not a posenc_type that this parameter takes
  POSENC_BAD_STRUCT_SIZE = 20,        // struct_size is not the struct's size in any version, past or future
  POSENC_BAD_FREQUENCIES = 21,        // not exactly one array of frequencies is given where one is needed
  POSENC_BAD_FLAG = 22,               // a member that is 0 or 1 is neither, or `reserved` is not 0

  // Of rotary embeddings (rotary_c.h).
  POSENC_BAD_HEAD_DIM = 23,  // head_dim is below 2, exceeds POSENC_MAX_HEAD_DIM, or does not suit the preset
  POSENC_BAD_ROTARY_DIM = 24,  // rotary_dim is 0, odd, above POSENC_MAX_ROTARY_DIM or beyond the head
  POSENC_BAD_PAIRING = 25,     // pairing or output_pairing is not a posenc_pairing
  POSENC_BAD_ARITHMETIC = 26,  // not a posenc_arithmetic
  POSENC_BAD_SCALING = 27,     // not a posenc_scaling
  POSENC_BAD_FACTOR = 28,      // factor, or what dynamic NTK makes of it, is not positive and finite
  POSENC_BAD_LENGTH = 29,      // length or original_length is not positive and finite (LongRoPE: L0 above 1),
                               // where the scaling uses it
  POSENC_BAD_BETA = 30,  // beta_fast or beta_slow is not positive and finite, or beta_fast is the smaller one
  POSENC_BAD_MSCALE = 31,       // mscale or mscale_all_dim is negative or not finite
  POSENC_BAD_FREQ_FACTOR = 32,  // not 0 < low_freq_factor <= high_freq_factor, finite
  POSENC_BAD_PROPORTION = 33,   // proportion is outside 0 .. 1
  POSENC_BAD_FACTOR_LIST = 34,  // not exactly one array of factors is given where one is needed
  POSENC_BAD_AXES = 35,         // axes, sections or axis_order: sections do not add up, or unknown
  POSENC_BAD_AMPLITUDE = 36,    // an amplitude, or times a scale, is outside 2^-64 .. 2^64
  POSENC_UNKNOWN_PRESET = 37,   // no preset has that name
  POSENC_BAD_CACHE = 38,        // sin is given although the layout has one table

  // Of encoders, again.
  POSENC_BAD_MIN_TIMESCALE =
      39,                      // min_timescale is not positive and finite, or not 1 although it is not used
  POSENC_BAD_ODD_COLUMN = 40,  // not a posenc_odd_column, or one that the layout cannot have
  POSENC_BAD_POSITION_OFFSET = 41,  // position_offset is outside -2^31 .. 2^31

  // Of grids (grid_c.h) and of positions made from ids and masks (models_c.h).
  POSENC_BAD_GRID = 42,           // no axis or more than POSENC_MAX_GRID_AXES
  POSENC_BAD_NORMALIZATION = 43,  // not a posenc_normalization

  // Of encoders, again.
  POSENC_BAD_PADDING_POSITION = 44,  // with position_offset added, padding_position is outside -2^31 .. 2^31

  // Of calls.
  POSENC_TABLE_STRIDE_TOO_SMALL = 45,  // table_stride is smaller than a row of the table
  POSENC_BATCH_STRIDE_TOO_SMALL = 46,  // batch_stride is smaller than rows * row_stride
  POSENC_TOKEN_STRIDE_TOO_SMALL = 47,  // heads overlap because token_stride is too small
  POSENC_HEAD_STRIDE_TOO_SMALL = 48,   // heads overlap because head_stride is too small
  POSENC_ID_STRIDE_TOO_SMALL = 49,     // id_stride is smaller than a sequence
  POSENC_CACHE_ROW_OUT_OF_RANGE = 50,  // a row that is asked for is not in the cache

  // Of lists of frequencies, units and phase roundings.
  POSENC_BAD_FREQUENCY_COUNT = 51,     // frequency_count is not the number of pairs
  POSENC_FREQUENCY_NOT_FINITE = 52,    // some listed frequency is infinite or a NaN
  POSENC_BAD_UNIT = 53,                // not a posenc_unit
  POSENC_ROUNDING_NEEDS_RADIANS = 54,  // a phase rounding with another unit
  POSENC_ROUNDING_TAKES_NO_LIST = 55,  // a list that the phase rounding does not take

  // Of structs, grids, caches and masks.
  POSENC_UNKNOWN_MEMBERS = 56,           // members that this version does not know are set
  POSENC_COLUMNS_OVERLAP = 57,           // two axes of a grid have columns in common
  POSENC_BAD_CACHE_LAYOUT = 58,          // not a posenc_cache_layout
  POSENC_BAD_NORMALIZATION_SCALE = 59,   // it is a NaN or outside -2^31 .. 2^31
  POSENC_BAD_NORMALIZATION_OFFSET = 60,  // it is a NaN or outside -2^31 .. 2^31

  // Of scalings.
  POSENC_ROUNDING_TAKES_NO_SCALING = 61,  // a scaling that the phase rounding does not take
  POSENC_LIST_TAKES_NO_SCALING = 62,      // a scaling that changes the base, with a list of frequencies
  POSENC_BAD_FACTOR_COUNT = 63,           // factor_count is not rotary_dim / 2
  POSENC_BAD_LISTED_FACTOR = 64,          // some listed factor is not positive and finite

  // Of models' configurations (models_c.h).
  POSENC_UNKNOWN_CONFIG_KEY = 65,  // a key speaks about positions, and the model's code does not read it
  POSENC_BAD_CONFIG_KIND = 66,     // a key's value is of another kind than it must be
  POSENC_BAD_CONFIG_VALUE = 67,    // a key's value cannot be, or contradicts another key
  POSENC_MISSING_CONFIG_KEY = 68,  // a key that the rotary needs is missing
  POSENC_BAD_LAYER = 69,  // the model has no such layer or type of layer, or layers differ and none was named
  POSENC_LAYER_HAS_NO_ROTARY = 70,  // the layer does not rotate, or the model does not

  // Of calls, again.
  POSENC_PAIRING_IN_PLACE = 71,  // another output_pairing in place, with rotary_dim above 1024

  // Of creation.
  // The library was compiled with a flag that joins products and sums, such as Clang's -ffp-contract=fast.
  POSENC_INEXACT_BUILD = 74,
  // More about models' configurations.
  POSENC_UNKNOWN_MODEL = 75  // posenc does not know the model, or has no spec for what it does
};

// One static English sentence for a status; never null.
POSENC_API const char* posenc_status_message(posenc_status status);

// The types of arrays. Entries are F32, BF16 or F16, or F64 if they are only written; positions are I32, I64,
// F32 or F64; ids and first positions are I32 or I64.
enum POSENC_ENUM(posenc_type) {
  POSENC_F32 = 1,   // float
  POSENC_BF16 = 2,  // bfloat16, the bits in a uint16_t
  POSENC_F16 = 3,   // IEEE half precision, the bits in a uint16_t
  POSENC_F64 = 4,   // double
  POSENC_I32 = 5,   // int32_t
  POSENC_I64 = 6    // int64_t
};

// The order of the columns of a row. posenc_odd_column says what an odd dim has in place of a last pair, and
// docs/conventions.md which framework has which layout.
enum POSENC_ENUM(posenc_layout) {
  POSENC_INTERLEAVED = 0,         // [sin_0 cos_0 sin_1 cos_1 ...], as in the paper
  POSENC_SIN_COS = 1,             // [sin_0 sin_1 ... | cos_0 cos_1 ...]
  POSENC_COS_SIN = 2,             // [cos_0 cos_1 ... | sin_0 sin_1 ...]
  POSENC_INTERLEAVED_COS_SIN = 3  // [cos_0 sin_0 cos_1 sin_1 ...]
};

// What a row of odd dim has besides floor(dim / 2) pairs.
enum POSENC_ENUM(posenc_odd_column) {
  POSENC_ODD_HALF_PAIR = 0,    // half a pair more: its sine (POSENC_INTERLEAVED_COS_SIN: its cosine)
  POSENC_ODD_ZERO_LAST = 1,    // a zero in the last column
  POSENC_ODD_ZERO_MIDDLE = 2,  // a zero between two halves; not for interleaved layouts
  POSENC_ODD_COSINE_LAST = 3   // the cosine of pair 0 once more, in the last column
};

// How the phase p * w_i is rounded before its sine and cosine are taken: step by step, as frameworks do, for
// those who must keep the phases of a trained model. f32() and f64() round to nearest; D is exponent_dim.
// pow, exp, and the sine and cosine of the phase are correctly rounded here, but not always by frameworks:
// docs/conventions.md says which framework rounds in which way, and how often its phases differ. A
// position_scale other than 1 multiplies the phase in one more rounded product. Every phase rounding needs
// unit POSENC_RADIANS and, except for F32_LOG_INCREMENT, min_timescale 1; w of the F32 ones must be a float
// of at least 2^-126.
enum POSENC_ENUM(posenc_phase_rounding) {
  // The real number.
  POSENC_NO_PHASE_ROUNDING = 0,
  // q = f32(pow(f32(base), f32(2i / f32(D)))), phase = f32(f32(p) / q).
  POSENC_F32_POW_DIV = 1,
  // w = f32(exp(f32(2i * f32(-ln(base) / D)))), phase = f32(f32(p) * w).
  POSENC_F32_EXP = 2,
  // w = f32(exp(f32(f32(f32(-ln(base)) * i) / f32(D / 2)))), phase = f32(f32(p) * w).
  POSENC_F32_LOG_DIV = 3,
  // w = f32(1 / f32(pow(f32(base), f32(2i / f32(D))))), phase = f32(f32(p) * w).
  POSENC_F32_INV_FREQ = 4,
  // t_0 = f32(p), t_{i+1} = f32(t_i * f32(pow(f32(base), f32(-2 / f32(D))))), phase = t_i.
  POSENC_F32_ITERATED = 5,
  // w = f32(f64(1 / f64(pow(base, f64(2i / D))))), phase = f32(f32(p) * w).
  POSENC_F64_INV_FREQ = 6,
  // phase = f64(p / f64(pow(base, f64(2i / D)))).
  POSENC_F64_POW_DIV = 7,
  // w = f64(pow(base, f64(-2i / D))), phase = f64(p * w).
  POSENC_F64_POW_MUL = 8,
  // w = f32 of the caller's frequency, phase = f32(f32(p) * w).
  POSENC_F32_LIST = 9,
  // r = f32(f32(ln(base / min_timescale)) / f32(D / 2)), w = f32(f32(min_timescale) * f32(exp(f32(i * -r)))),
  // phase = f32(f32(p) * w).
  POSENC_F32_LOG_INCREMENT = 10
};

// The unit of frequencies, per step: those in half turns are multiplied by pi, those in turns by 2 pi.
enum POSENC_ENUM(posenc_unit) { POSENC_RADIANS = 0, POSENC_HALF_TURNS = 1, POSENC_TURNS = 2 };

// What to encode. Call posenc_spec_init first, then set dim and what else differs.
// Creation copies the spec and its list. The frequencies are, in their unit,
//
//   w_i = position_scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim)
//
// or position_scale times a frequency of the caller's.
typedef struct posenc_spec {
  size_t struct_size;                    // sizeof(posenc_spec), set by posenc_spec_init
  size_t dim;                            // columns of a row (d_model), 1 .. POSENC_MAX_DIM
  double base;                           // 10000: the longest wavelength is near 2 pi * base
  double exponent_dim;                   // divides 2i; 0 (the default) means dim, all columns of a row
  double position_scale;                 // multiplies every position; 1
  posenc_layout layout;                  // POSENC_INTERLEAVED
  posenc_phase_rounding phase_rounding;  // POSENC_NO_PHASE_ROUNDING
  const char* target;  // a name from posenc_targets; NULL (the default) means the best on this CPU

  // The caller's frequencies, one a pair, instead of those of base and exponent_dim (which must be valid
  // nevertheless): one of the two arrays. They must be finite; any alignment and order will do.
  // POSENC_F32_LIST is the only phase rounding that takes them.
  const double* frequencies;     // NULL (the default), or these
  const float* frequencies_f32;  // NULL (the default), or these
  size_t frequency_count;        // 0 (the default), or the pairs: posenc_encoder_frequency_count
  posenc_unit frequency_unit;    // of all frequencies, listed or not; POSENC_RADIANS

  // 1: in an _at call, a position that is a NaN or out of range makes a row of NaN. 0 (the default): the call
  // is refused. For the first positions of a batch it is refused in either case.
  int32_t nan_rows;
  // 1: the encoder is made for lists of positions only. It takes 16 instead of 240 bytes a pair, and creation
  // less time (at dim 1024 a third with AVX-512, a sixteenth with SSE4); runs of positions then take as long
  // as lists. 0 is the default.
  int32_t lists_only;
  posenc_odd_column odd_column;  // POSENC_ODD_HALF_PAIR
  // The first frequency, in spite of its name: as tensor2tensor is coded (its max_timescale is base), 2 and
  // base 10000 give frequencies from 2 to 0.0004, hence timescales 1 / w from 0.5 to 2500. For timescales
  // from 2 to 10000 set position_scale 0.5 and base 5000. 1 is the default.
  double min_timescale;
  int64_t position_offset;  // added to every position (the sum rounds to double) before the scale; 0
  int32_t has_padding;      // 1: rows at padding_position are zero; 0 (the default)
  // 1: column 0 holds the position itself, rounded to the type, and encodings follow; dim counts it.
  // 0 is the default.
  int32_t input_first;
  int64_t padding_position;  // as callers pass it; with position_offset added it must be in range; 0
  // Rows of the whole table, if a call of posenc_write makes only a part of it, as in a thread pool. Parts of
  // a table of 4 MiB or more are then streamed past the caches, as one call for all rows is, provided that
  // the table begins at a multiple of 64 bytes and that row_stride (of layouts in halves, also each half) is
  // a multiple of 64 bytes. 0 (the default): each call makes a whole table. Any number is allowed, and
  // changes no bit.
  uint64_t table_rows;
} posenc_spec;

// Sets all members to their defaults, and dim to 0. struct_size is sizeof(posenc_spec) as the caller knows
// it.
POSENC_API posenc_status posenc_spec_init(posenc_spec* spec, size_t struct_size);

// One compiled instruction set. REFERENCE, the scalar path without SIMD, is always there and last. This
// struct will not grow.
typedef struct posenc_target {
  const char* name;  // Highway's name, e.g. "AVX2"; static
  int32_t runnable;  // 1 if this CPU can run it, else 0
  int32_t best;      // 1 for the one that is used unless posenc_spec.target names another
} posenc_target;

// Fills the first entries of targets [capacity], best first, as many as fit, and returns how many targets
// there are. With null targets it only returns their number.
POSENC_API size_t posenc_targets(posenc_target* targets, size_t capacity);

// Calls work(data) in the floating-point state in which posenc computes: round to nearest, subnormal numbers
// kept, exceptions masked. Then restores the caller's state. Code that computes members of a spec thus gets
// the same members in every state of its caller.
POSENC_API posenc_status posenc_with_fp_state(void (*work)(void* data), void* data);

// Writes or adds encodings, a row per position. Immutable.
typedef struct posenc_encoder posenc_encoder;

// Creates an encoder in one block of memory, which it allocates: up to 240 bytes a pair of columns and 16 KB.
// Frequencies of the caller's take 8 bytes a pair more, frequencies above 6.28 take 16 more, a unit other
// than radians 16 more, and all of these together 19 KB instead of 16. On failure *encoder is left as it was.
POSENC_API posenc_status posenc_encoder_create(const posenc_spec* spec, posenc_encoder** encoder);

// Sets *bytes to a size that is enough for posenc_encoder_create_in with that spec on this CPU. This takes
// nanoseconds, because frequencies are only estimated: a spec with a frequency within a millionth of a limit
// of the range may get a size although creation refuses it.
POSENC_API posenc_status posenc_encoder_memory_size(const posenc_spec* spec, size_t* bytes);

// As posenc_encoder_create, but without allocating: the encoder lies in memory [bytes] of any alignment,
// which stays the caller's and must not move. *spec, its list of frequencies and *encoder must lie elsewhere.
// The memory may be freed at any time after the last call, with or without posenc_encoder_destroy.
POSENC_API posenc_status posenc_encoder_create_in(const posenc_spec* spec, void* memory, size_t bytes,
                                                  posenc_encoder** encoder);

// Frees what posenc_encoder_create allocated. Null is fine.
POSENC_API void posenc_encoder_destroy(posenc_encoder* encoder);

// The columns of a row; 0 for a null encoder.
POSENC_API size_t posenc_encoder_dim(const posenc_encoder* encoder);

// The layout of a row; -1 for a null encoder.
POSENC_API posenc_layout posenc_encoder_layout(const posenc_encoder* encoder);

// The name of the target in use; "" for a null encoder.
POSENC_API const char* posenc_encoder_target(const posenc_encoder* encoder);

// Pairs of a row: half of the columns that input_first leaves, rounded up with POSENC_ODD_HALF_PAIR and else
// down, but at least 1; 0 for a null encoder.
POSENC_API size_t posenc_encoder_frequency_count(const posenc_encoder* encoder);

// w_i rounded to double, in radians per step; NaN unless i < posenc_encoder_frequency_count. Slow
// (microseconds): for inspection.
POSENC_API double posenc_encoder_radians(const posenc_encoder* encoder, size_t i);

// In all functions below, out and x are [rows, row_stride] entries of `type`. Columns 0 .. dim - 1 are used;
// the others keep their bytes. Strides count entries and are at least dim. Any alignment will do, also for
// lists. What is written must not overlap a list or table that is read; the gaps between rows count as
// written. If a list is refused, *bad_index becomes its first row at fault, unless bad_index is null.

// out[r] = PE(first_position + r), correctly rounded to type.
POSENC_API posenc_status posenc_write(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                                      posenc_type type, void* out, size_t row_stride);

// out[r] = PE(positions[r]); positions [rows] of I32, I64, F32 or F64.
POSENC_API posenc_status posenc_write_at(const posenc_encoder* encoder, posenc_type position_type,
                                         const void* positions, size_t rows, posenc_type type, void* out,
                                         size_t row_stride, size_t* bad_index);

// x[r] = x[r] * scale + PE(first_position + r), where scale usually is sqrt(d_model). The encoding, the
// product and the sum are each rounded to float. 16-bit entries are widened to float first, and their sum is
// rounded to `type` last. For float the result is bit-identical to adding a written table.
//
// A sum that is a NaN becomes the positive quiet NaN without a payload, on every target. The one exception is
// a NaN that a float x (or, in posenc_embed, its table) contains, with a scale that is neither 0, infinite
// nor a NaN: it is kept and made quiet, unless the processor drops its sign and payload (RISC-V,
// WebAssembly).
POSENC_API posenc_status posenc_add(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                                    posenc_type type, void* x, size_t row_stride, float scale);

// The same at positions[r]; positions [rows] of I32, I64, F32 or F64.
POSENC_API posenc_status posenc_add_at(const posenc_encoder* encoder, posenc_type position_type,
                                       const void* positions, size_t rows, posenc_type type, void* x,
                                       size_t row_stride, float scale, size_t* bad_index);

// Token embedding in one pass: out[r] = table[ids[r]] * scale + PE(first_position + r), rounded as in
// posenc_add. ids [rows] of I32 or I64, table [vocabulary, table_stride] of table_type, table_stride >= dim.
// table_type is `type`; if that is F32, it may also be BF16 or F16.
POSENC_API posenc_status posenc_embed(const posenc_encoder* encoder, posenc_type id_type, const void* ids,
                                      size_t rows, posenc_type table_type, const void* table,
                                      size_t vocabulary, size_t table_stride, int64_t first_position,
                                      posenc_type type, void* out, size_t row_stride, float scale,
                                      size_t* bad_index);

// The same at positions[r]; positions [rows] of I32, I64, F32 or F64. *bad_index is the first row at fault;
// the status tells which list it is a row of (if both are at fault, the ids). models_c.h numbers sequences
// with padding.
POSENC_API posenc_status posenc_embed_at(const posenc_encoder* encoder, posenc_type id_type, const void* ids,
                                         size_t rows, posenc_type table_type, const void* table,
                                         size_t vocabulary, size_t table_stride, posenc_type position_type,
                                         const void* positions, posenc_type type, void* out,
                                         size_t row_stride, float scale, size_t* bad_index);

// A batch of sequences, each with a first position of its own: x[b][r] = x[b][r] * scale + PE(first_position
// + first_positions[b] + r). first_positions [batch] of I32 or I64, or null if all begin at first_position; x
// [batch, batch_stride] entries, each sequence [rows, row_stride] within; batch_stride >= rows * row_stride
// unless batch is 1. The row of a position is computed once for up to 64 sequences that contain it.
// *bad_index is the index of a sequence.
POSENC_API posenc_status posenc_add_batch(const posenc_encoder* encoder, int64_t first_position,
                                          posenc_type position_type, const void* first_positions,
                                          size_t batch, size_t rows, posenc_type type, void* x,
                                          size_t batch_stride, size_t row_stride, float scale,
                                          size_t* bad_index);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_POSENC_C_H_
