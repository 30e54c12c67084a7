// posenc for C++: sinusoidal position encodings, every entry correctly rounded, on every instruction set.
//
// Types for the functions of posenc_c.h, the library's binary interface, which says what is computed and
// promised. Nothing here throws, checks or allocates by itself, and none of it is in the library: any C++17
// compiler and any of its flags will do.
#ifndef POSENC_POSENC_H_
#define POSENC_POSENC_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc_c.h"

namespace posenc {

// Positions are steps, integers or any finite doubles, with |p + position_offset| <= kMaxPosition.
inline constexpr std::int64_t kMaxPosition = POSENC_MAX_POSITION;

// Columns of a row: 1 <= dim <= kMaxDim.
inline constexpr std::size_t kMaxDim = POSENC_MAX_DIM;

// A bfloat16 as memory holds it.
struct BFloat16 {
  std::uint16_t bits;  // sign, 8 of exponent, 7 of mantissa
};

// An IEEE half precision number as memory holds it.
struct Float16 {
  std::uint16_t bits;  // sign, 5 of exponent, 10 of mantissa
};

// What a call reports. On any status but kOk nothing has been written.
enum class Status : posenc_status {
  kOk = POSENC_OK,
  kNullPointer = POSENC_NULL_POINTER,
  kNotCreated = POSENC_NOT_CREATED,
  kBadDim = POSENC_BAD_DIM,
  kBadBase = POSENC_BAD_BASE,
  kBadExponentDim = POSENC_BAD_EXPONENT_DIM,
  kBadPositionScale = POSENC_BAD_POSITION_SCALE,
  kBadLayout = POSENC_BAD_LAYOUT,
  kBadPhaseRounding = POSENC_BAD_PHASE_ROUNDING,
  kFrequencyOutOfRange = POSENC_FREQUENCY_OUT_OF_RANGE,
  kUnknownTarget = POSENC_UNKNOWN_TARGET,
  kUnavailableTarget = POSENC_UNAVAILABLE_TARGET,
  kOutOfMemory = POSENC_OUT_OF_MEMORY,
  kStrideTooSmall = POSENC_STRIDE_TOO_SMALL,
  kSizeOverflow = POSENC_SIZE_OVERFLOW,
  kPositionOutOfRange = POSENC_POSITION_OUT_OF_RANGE,
  kIdOutOfRange = POSENC_ID_OUT_OF_RANGE,
  kBuffersOverlap = POSENC_BUFFERS_OVERLAP,
  kMemoryTooSmall = POSENC_MEMORY_TOO_SMALL,
  kBadType = POSENC_BAD_TYPE,
  kBadStructSize = POSENC_BAD_STRUCT_SIZE,
  kBadFrequencies = POSENC_BAD_FREQUENCIES,
  kBadFlag = POSENC_BAD_FLAG,
  kBadHeadDim = POSENC_BAD_HEAD_DIM,
  kBadRotaryDim = POSENC_BAD_ROTARY_DIM,
  kBadPairing = POSENC_BAD_PAIRING,
  kBadArithmetic = POSENC_BAD_ARITHMETIC,
  kBadScaling = POSENC_BAD_SCALING,
  kBadFactor = POSENC_BAD_FACTOR,
  kBadLength = POSENC_BAD_LENGTH,
  kBadBeta = POSENC_BAD_BETA,
  kBadMscale = POSENC_BAD_MSCALE,
  kBadFreqFactor = POSENC_BAD_FREQ_FACTOR,
  kBadProportion = POSENC_BAD_PROPORTION,
  kBadFactorList = POSENC_BAD_FACTOR_LIST,
  kBadAxes = POSENC_BAD_AXES,
  kBadAmplitude = POSENC_BAD_AMPLITUDE,
  kUnknownPreset = POSENC_UNKNOWN_PRESET,
  kBadCache = POSENC_BAD_CACHE,
  kBadGrid = POSENC_BAD_GRID,
  kBadNormalization = POSENC_BAD_NORMALIZATION,
  kBadPaddingPosition = POSENC_BAD_PADDING_POSITION,
  kBadMinTimescale = POSENC_BAD_MIN_TIMESCALE,
  kBadOddColumn = POSENC_BAD_ODD_COLUMN,
  kBadPositionOffset = POSENC_BAD_POSITION_OFFSET,
  kTableStrideTooSmall = POSENC_TABLE_STRIDE_TOO_SMALL,
  kBatchStrideTooSmall = POSENC_BATCH_STRIDE_TOO_SMALL,
  kTokenStrideTooSmall = POSENC_TOKEN_STRIDE_TOO_SMALL,
  kHeadStrideTooSmall = POSENC_HEAD_STRIDE_TOO_SMALL,
  kIdStrideTooSmall = POSENC_ID_STRIDE_TOO_SMALL,
  kCacheRowOutOfRange = POSENC_CACHE_ROW_OUT_OF_RANGE,
  kBadFrequencyCount = POSENC_BAD_FREQUENCY_COUNT,
  kFrequencyNotFinite = POSENC_FREQUENCY_NOT_FINITE,
  kBadUnit = POSENC_BAD_UNIT,
  kRoundingNeedsRadians = POSENC_ROUNDING_NEEDS_RADIANS,
  kRoundingTakesNoList = POSENC_ROUNDING_TAKES_NO_LIST,
  kUnknownMembers = POSENC_UNKNOWN_MEMBERS,
  kColumnsOverlap = POSENC_COLUMNS_OVERLAP,
  kBadCacheLayout = POSENC_BAD_CACHE_LAYOUT,
  kBadNormalizationScale = POSENC_BAD_NORMALIZATION_SCALE,
  kBadNormalizationOffset = POSENC_BAD_NORMALIZATION_OFFSET,
  kRoundingTakesNoScaling = POSENC_ROUNDING_TAKES_NO_SCALING,
  kListTakesNoScaling = POSENC_LIST_TAKES_NO_SCALING,
  kBadFactorCount = POSENC_BAD_FACTOR_COUNT,
  kBadListedFactor = POSENC_BAD_LISTED_FACTOR,
};

// One static English sentence for a status; never null.
inline const char* StatusMessage(Status status) {
  return posenc_status_message(static_cast<posenc_status>(status));
}

// Where the columns of a row go. What an odd dim has in place of a last pair: OddColumn.
enum class Layout : posenc_layout {
  kInterleaved = POSENC_INTERLEAVED,  // [sin_0 cos_0 sin_1 cos_1 ...]          the paper
  kSinCos = POSENC_SIN_COS,           // [sin_0 sin_1 ... | cos_0 cos_1 ...]    tensor2tensor, Marian
  kCosSin = POSENC_COS_SIN,           // [cos_0 cos_1 ... | sin_0 sin_1 ...]    diffusion timesteps
  kInterleavedCosSin =
      POSENC_INTERLEAVED_COS_SIN  // [cos_0 sin_0 cos_1 sin_1 ...]          rotary caches of ggml
};

// What a row of odd dim has besides floor(dim / 2) pairs.
enum class OddColumn : posenc_odd_column {
  kHalfPair =
      POSENC_ODD_HALF_PAIR,  // a pair more, of which only the sine (or, interleaved after it, the cosine)
  kZeroLast = POSENC_ODD_ZERO_LAST,      // a zero in the last column
  kZeroMiddle = POSENC_ODD_ZERO_MIDDLE,  // a zero between two halves
  kCosineLast = POSENC_ODD_COSINE_LAST,  // the cosine of pair 0 once more, in the last column
};

// How the phase p * w_i is rounded before its sine and cosine are taken; posenc_c.h has the formulas.
enum class PhaseRounding : posenc_phase_rounding {
  kNone = POSENC_NO_PHASE_ROUNDING,             // the real number
  kF32PowDiv = POSENC_F32_POW_DIV,              // NumPy and PyTorch notebooks
  kF32Exp = POSENC_F32_EXP,                     // PyTorch's tutorial, fairseq; MLX
  kF32LogDiv = POSENC_F32_LOG_DIV,              // diffusers, ggml
  kF32InvFreq = POSENC_F32_INV_FREQ,            // transformers, vLLM
  kF32Iterated = POSENC_F32_ITERATED,           // ggml's rope
  kF64InvFreq = POSENC_F64_INV_FREQ,            // gemma.cpp
  kF64PowDiv = POSENC_F64_POW_DIV,              // Python's and NumPy's doubles
  kF64PowMul = POSENC_F64_POW_MUL,              // Wan
  kF32List = POSENC_F32_LIST,                   // any runtime with a list of its own
  kF32LogIncrement = POSENC_F32_LOG_INCREMENT,  // tensor2tensor, Marian, CTranslate2, gemma.cpp
};

// What the numbers of a FrequencyList count, per step: frequencies in half turns are multiplied by pi, those
// in turns by 2 pi.
enum class FrequencyUnit : posenc_unit {
  kRadians = POSENC_RADIANS,
  kHalfTurns = POSENC_HALF_TURNS,
  kTurns = POSENC_TURNS,
};

// A caller's own frequencies, such as a checkpoint's inv_freq: either doubles or floats, [count], of any
// alignment and in any order, finite; with PhaseRounding::kNone or kF32List. Create copies them.
struct FrequencyList {
  const double* doubles = nullptr;               // either these
  const float* floats = nullptr;                 // or these
  std::size_t count = 0;                         // frequency_count()
  FrequencyUnit unit = FrequencyUnit::kRadians;  // of each, and of those of base without a list
};

// What to encode. Plain data; only dim must be set.
struct Spec {
  std::size_t dim = 0;                                  // columns of a row (d_model)
  Layout layout = Layout::kInterleaved;                 // of the columns
  double base = 10000.0;                                // the longest wavelength is near 2 pi * base
  double exponent_dim = 0.0;                            // divides 2i; 0 means dim
  double position_scale = 1.0;                          // multiplies every position
  PhaseRounding phase_rounding = PhaseRounding::kNone;  // of phases, none
  const char* target = nullptr;                         // a name from Targets(); the best on this CPU if null
  FrequencyList frequencies;                            // if set, instead of those of base and exponent_dim
  bool nan_rows = false;    // bad positions of At calls make rows of NaN instead of refusing them
  bool lists_only = false;  // made faster and smaller, for WriteAt and AddAt
  OddColumn odd_column = OddColumn::kHalfPair;  // of an odd dim
  double min_timescale = 1.0;                   // tensor2tensor's; base is its max_timescale
  std::int64_t position_offset = 0;             // added to every position, before the scale
  bool input_first = false;                     // column 0 is the position itself (NeRF), encodings follow
  bool has_padding = false;                     // rows at padding_position are zero
  std::int64_t padding_position = 0;            // as callers pass it, before the offset
  std::uint64_t table_rows = 0;  // of a table that calls of Write make in parts, which are streamed as it is
};

// The same for the C functions; points to what spec points to.
inline posenc_spec ToC(const Spec& spec) {
  posenc_spec c{};
  c.struct_size = sizeof(c);
  c.dim = spec.dim;
  c.base = spec.base;
  c.exponent_dim = spec.exponent_dim;
  c.position_scale = spec.position_scale;
  c.layout = static_cast<posenc_layout>(spec.layout);
  c.phase_rounding = static_cast<posenc_phase_rounding>(spec.phase_rounding);
  c.target = spec.target;
  c.frequencies = spec.frequencies.doubles;
  c.frequencies_f32 = spec.frequencies.floats;
  c.frequency_count = spec.frequencies.count;
  c.frequency_unit = static_cast<posenc_unit>(spec.frequencies.unit);
  c.nan_rows = spec.nan_rows ? 1 : 0;
  c.lists_only = spec.lists_only ? 1 : 0;
  c.odd_column = static_cast<posenc_odd_column>(spec.odd_column);
  c.min_timescale = spec.min_timescale;
  c.position_offset = spec.position_offset;
  c.input_first = spec.input_first ? 1 : 0;
  c.has_padding = spec.has_padding ? 1 : 0;
  c.padding_position = spec.padding_position;
  c.table_rows = spec.table_rows;
  return c;
}

// The reverse; points to what c points to.
inline Spec FromC(const posenc_spec& c) {
  Spec spec;
  spec.dim = c.dim;
  spec.base = c.base;
  spec.exponent_dim = c.exponent_dim;
  spec.position_scale = c.position_scale;
  spec.layout = static_cast<Layout>(c.layout);
  spec.phase_rounding = static_cast<PhaseRounding>(c.phase_rounding);
  spec.target = c.target;
  spec.frequencies = {c.frequencies, c.frequencies_f32, c.frequency_count,
                      static_cast<FrequencyUnit>(c.frequency_unit)};
  spec.nan_rows = c.nan_rows != 0;
  spec.lists_only = c.lists_only != 0;
  spec.odd_column = static_cast<OddColumn>(c.odd_column);
  spec.min_timescale = c.min_timescale;
  spec.position_offset = c.position_offset;
  spec.input_first = c.input_first != 0;
  spec.has_padding = c.has_padding != 0;
  spec.padding_position = c.padding_position;
  spec.table_rows = c.table_rows;
  return spec;
}

// A convention that has a name: name, formula in one line, source (project, file, function).
using Preset = posenc_preset;

// Fills the first entries of presets [capacity], as many as fit, and returns how many there are.
inline std::size_t SpecPresets(Preset* presets, std::size_t capacity) {
  return posenc_spec_presets(presets, capacity);
}

// Sets *spec to that of a preset for rows of dim columns, in exact arithmetic; change what differs
// afterwards. One whose frequencies are the caller's sets frequencies.count, and Create reports
// kBadFrequencies until they are there. On failure *spec is left as it was.
inline Status SpecPreset(const char* name, std::size_t dim, Spec* spec) {
  if (spec == nullptr) return Status::kNullPointer;
  posenc_spec c{};
  const posenc_status status = posenc_spec_preset(&c, sizeof(c), name, dim);
  if (status == POSENC_OK) *spec = FromC(c);
  return static_cast<Status>(status);
}

// How the source of a preset rounds its phases, for spec.phase_rounding; kNone where it does so in none of
// the ways that there are, or there is no such preset.
inline PhaseRounding SpecPresetRounding(const char* name) {
  const posenc_phase_rounding rounding = posenc_spec_preset_rounding(name);
  return rounding < 0 ? PhaseRounding::kNone : static_cast<PhaseRounding>(rounding);
}

// One compiled instruction set: name, runnable (this CPU can run it), best (the one that is used unless
// Spec::target names another). REFERENCE, the scalar path without SIMD, is always there and last.
using Target = posenc_target;

// No build has more targets.
inline constexpr std::size_t kMaxTargets = POSENC_MAX_TARGETS;

// Fills targets [kMaxTargets], best first, and returns how many there are.
inline std::size_t Targets(Target (&targets)[kMaxTargets]) { return posenc_targets(targets, kMaxTargets); }

// The posenc_type of a type: of entries float, BFloat16, Float16 or double; of positions and ids
// std::int32_t, std::int64_t, float or double.
template <class T>
constexpr posenc_type TypeOf() {
  if constexpr (std::is_same_v<T, float>) return POSENC_F32;
  if constexpr (std::is_same_v<T, BFloat16>) return POSENC_BF16;
  if constexpr (std::is_same_v<T, Float16>) return POSENC_F16;
  if constexpr (std::is_same_v<T, double>) return POSENC_F64;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4) return POSENC_I32;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8) return POSENC_I64;
  return 0;
}

// Whether T is float, BFloat16 or Float16.
template <class T>
constexpr bool IsSummand() {
  return TypeOf<T>() == POSENC_F32 || TypeOf<T>() == POSENC_BF16 || TypeOf<T>() == POSENC_F16;
}

// Whether T is float, BFloat16, Float16 or double.
template <class T>
constexpr bool IsEntry() {
  return IsSummand<T>() || TypeOf<T>() == POSENC_F64;
}

// Whether T is std::int32_t or std::int64_t.
template <class T>
constexpr bool IsInteger() {
  return TypeOf<T>() == POSENC_I32 || TypeOf<T>() == POSENC_I64;
}

// Whether T is std::int32_t, std::int64_t, float or double.
template <class T>
constexpr bool IsPosition() {
  return IsInteger<T>() || TypeOf<T>() == POSENC_F32 || TypeOf<T>() == POSENC_F64;
}

// Owns what C's functions made; null before.
template <class Made, void (*kDestroy)(Made*)>
class Owner {
 public:
  Owner() = default;
  Owner(Owner&& other) noexcept : made_(other.made_) { other.made_ = nullptr; }  // leaves other null
  Owner& operator=(Owner&& other) noexcept {                                     // exchanges the two
    Made* mine = made_;
    made_ = other.made_;
    other.made_ = mine;
    return *this;
  }
  ~Owner() { kDestroy(made_); }

  // What it owns.
  Made* get() const { return made_; }

  // Replaces it by what make(&made) makes; on failure it stays.
  template <class Make>
  Status Take(const Make& make) {
    Made* old = made_;
    const posenc_status status = make(&made_);
    if (status == POSENC_OK) kDestroy(old);
    return static_cast<Status>(status);
  }

 private:
  Made* made_ = nullptr;
};

// posenc_encoder, which writes or adds encodings, a row per position. Immutable after Create. Each method is
// the C function of the same name, which says what it computes and refuses.
//
// T is float, BFloat16 or Float16, where rows are only written also double. Id is std::int32_t or
// std::int64_t, and so is Position, in lists also float or double. out and x are [rows, row_stride] elements;
// *bad_index, if given, is the first row at fault of a list that is checked.
class Encoder {
 public:
  // On failure *out is left as it was.
  static Status Create(const Spec& spec, Encoder* out) {
    if (out == nullptr) return Status::kNullPointer;
    const posenc_spec c = ToC(spec);
    return out->encoder_.Take([&](posenc_encoder** made) { return posenc_encoder_create(&c, made); });
  }

  // The bytes of memory that CreateIn needs for that spec, on this CPU.
  static Status MemorySize(const Spec& spec, std::size_t* bytes) {
    const posenc_spec c = ToC(spec);
    return static_cast<Status>(posenc_encoder_memory_size(&c, bytes));
  }

  // Create without allocating: the encoder lies in memory [bytes], which must neither move nor be freed
  // before *out is gone, and must not be in use by *out nor hold it.
  static Status CreateIn(const Spec& spec, void* memory, std::size_t bytes, Encoder* out) {
    if (out == nullptr) return Status::kNullPointer;
    const posenc_spec c = ToC(spec);
    return out->encoder_.Take(
        [&](posenc_encoder** made) { return posenc_encoder_create_in(&c, memory, bytes, made); });
  }

  // Before Create 0, none, "", 0 and NaN.
  std::size_t dim() const { return posenc_encoder_dim(c_encoder()); }
  Layout layout() const { return static_cast<Layout>(posenc_encoder_layout(c_encoder())); }
  const char* target() const { return posenc_encoder_target(c_encoder()); }
  std::size_t frequency_count() const { return posenc_encoder_frequency_count(c_encoder()); }
  double Radians(std::size_t i) const { return posenc_encoder_radians(c_encoder(), i); }

  // For the C functions; null before Create.
  const posenc_encoder* c_encoder() const { return encoder_.get(); }

  // out[r] = PE(first_position + r), correctly rounded to T.
  template <class T>
  Status Write(std::int64_t first_position, std::size_t rows, T* out, std::size_t row_stride) const {
    static_assert(IsEntry<T>(), "T is float, BFloat16, Float16 or double");
    return static_cast<Status>(posenc_write(c_encoder(), first_position, rows, TypeOf<T>(), out, row_stride));
  }

  // out[r] = PE(positions[r]). Doubles count as the real numbers that they are.
  template <class T, class Position>
  Status WriteAt(const Position* positions, std::size_t rows, T* out, std::size_t row_stride,
                 std::size_t* bad_index = nullptr) const {
    static_assert(IsEntry<T>() && IsPosition<Position>(), "see the types above the class");
    return static_cast<Status>(posenc_write_at(c_encoder(), TypeOf<Position>(), positions, rows, TypeOf<T>(),
                                               out, row_stride, bad_index));
  }

  // x[r] = x[r] * scale + PE(first_position + r).
  template <class T>
  Status Add(std::int64_t first_position, std::size_t rows, T* x, std::size_t row_stride,
             float scale = 1.0f) const {
    static_assert(IsSummand<T>(), "T is float, BFloat16 or Float16");
    return static_cast<Status>(
        posenc_add(c_encoder(), first_position, rows, TypeOf<T>(), x, row_stride, scale));
  }

  // The same at positions[r].
  template <class T, class Position>
  Status AddAt(const Position* positions, std::size_t rows, T* x, std::size_t row_stride, float scale = 1.0f,
               std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsPosition<Position>(), "see the types above the class");
    return static_cast<Status>(posenc_add_at(c_encoder(), TypeOf<Position>(), positions, rows, TypeOf<T>(), x,
                                             row_stride, scale, bad_index));
  }

  // Token embedding in one pass: out[r] = table[ids[r]] * scale + PE(first_position + r). ids [rows], table
  // [vocabulary, table_stride]. Element is T, or BFloat16 or Float16 where T is float.
  template <class T, class Id, class Element>
  Status Embed(const Id* ids, std::size_t rows, const Element* table, std::size_t vocabulary,
               std::size_t table_stride, std::int64_t first_position, T* out, std::size_t row_stride,
               float scale = 1.0f, std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsInteger<Id>() && IsSummand<Element>() &&
                      (std::is_same_v<T, Element> || std::is_same_v<T, float>),
                  "see the types above the class");
    return static_cast<Status>(posenc_embed(c_encoder(), TypeOf<Id>(), ids, rows, TypeOf<Element>(), table,
                                            vocabulary, table_stride, first_position, TypeOf<T>(), out,
                                            row_stride, scale, bad_index));
  }

  // The same at positions[r]; the status tells of which list *bad_index is.
  template <class T, class Id, class Element, class Position>
  Status EmbedAt(const Id* ids, std::size_t rows, const Element* table, std::size_t vocabulary,
                 std::size_t table_stride, const Position* positions, T* out, std::size_t row_stride,
                 float scale = 1.0f, std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsInteger<Id>() && IsSummand<Element>() && IsPosition<Position>() &&
                      (std::is_same_v<T, Element> || std::is_same_v<T, float>),
                  "see the types above the class");
    return static_cast<Status>(posenc_embed_at(c_encoder(), TypeOf<Id>(), ids, rows, TypeOf<Element>(), table,
                                               vocabulary, table_stride, TypeOf<Position>(), positions,
                                               TypeOf<T>(), out, row_stride, scale, bad_index));
  }

  // A batch of sequences, each with a first position of its own: x[b][r] = x[b][r] * scale +
  // PE(first_positions[b] + r). x [batch, batch_stride] elements, each sequence [rows, row_stride] within.
  // *bad_index is a sequence.
  template <class T, class Position>
  Status AddBatch(const Position* first_positions, std::size_t batch, std::size_t rows, T* x,
                  std::size_t batch_stride, std::size_t row_stride, float scale = 1.0f,
                  std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsInteger<Position>(), "see the types above the class");
    return static_cast<Status>(posenc_add_batch(c_encoder(), 0, TypeOf<Position>(), first_positions, batch,
                                                rows, TypeOf<T>(), x, batch_stride, row_stride, scale,
                                                bad_index));
  }

  // The same where all sequences begin at one position.
  template <class T>
  Status AddBatch(std::int64_t first_position, std::size_t batch, std::size_t rows, T* x,
                  std::size_t batch_stride, std::size_t row_stride, float scale = 1.0f) const {
    static_assert(IsSummand<T>(), "T is float, BFloat16 or Float16");
    return static_cast<Status>(posenc_add_batch(c_encoder(), first_position, POSENC_I64, nullptr, batch, rows,
                                                TypeOf<T>(), x, batch_stride, row_stride, scale, nullptr));
  }

 private:
  Owner<posenc_encoder, posenc_encoder_destroy> encoder_;
};

}  // namespace posenc

#endif  // POSENC_POSENC_H_
