// posenc for C++: rotary position embeddings (RoPE), every rotated element correctly rounded.
//
// Types for the functions of rotary_c.h, which says what is computed and promised. As in posenc.h nothing
// here throws, checks or allocates by itself, and none of it is in the library.
//
//   posenc::RotarySpec spec;
//   posenc::Rotary rotary;
//   posenc::Status status = posenc::RotaryPreset("llama3", 128, &spec);
//   if (status == posenc::Status::kOk) status = posenc::Rotary::Create(spec, &rotary);
//   const posenc::Heads<float> q_heads{q, 32, 32 * 128, 128}, k_heads{k, 8, 8 * 128, 128};
//   if (status == posenc::Status::kOk) status = rotary.Rotate(n_past, tokens, {q_heads, k_heads});
#ifndef POSENC_ROTARY_H_
#define POSENC_ROTARY_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc.h"
#include "posenc/rotary_c.h"

namespace posenc {

// Elements of a head: 2 <= head_dim <= kMaxHeadDim.
inline constexpr std::size_t kMaxHeadDim = POSENC_MAX_HEAD_DIM;

// Elements of a head that turn: rotary_dim <= kMaxRotaryDim.
inline constexpr std::size_t kMaxRotaryDim = POSENC_MAX_ROTARY_DIM;

// Axes of a position.
inline constexpr std::size_t kMaxAxes = POSENC_MAX_AXES;

// Which elements of the rotary_dim = r ones are a pair.
enum class Pairing : posenc_pairing {
  kHalfSplit = POSENC_HALF_SPLIT,   // (x_i, x_{i + r/2})   GPT-NeoX, Llama in transformers
  kNeighbours = POSENC_NEIGHBOURS,  // (x_2i, x_{2i + 1})   RoFormer, GPT-J, Llama's own
  kSame = POSENC_SAME_PAIRING,      // of the output: that of the input
};

// What is computed.
enum class Arithmetic : posenc_arithmetic {
  kExact = POSENC_EXACT,  // the real number, rounded once
  kFast = POSENC_FAST,    // three float roundings, see rotary_c.h
};

// How a model's context was stretched; the formulas are in rotary_c.h.
enum class Scaling : posenc_scaling {
  kNone = POSENC_NO_SCALING,
  kLinear = POSENC_LINEAR,
  kNtk = POSENC_NTK,
  kDynamicNtk = POSENC_DYNAMIC_NTK,
  kQwenNtk = POSENC_QWEN_NTK,
  kMixedNtk = POSENC_MIXED_NTK,
  kYarn = POSENC_YARN,
  kYarnLog = POSENC_YARN_LOG,
  kLongRope = POSENC_LONGROPE,
  kLlama3 = POSENC_LLAMA3,
  kProportional = POSENC_PROPORTIONAL,
  kFrequencyFactors = POSENC_FREQUENCY_FACTORS,
};

// Which of the axes of a position turns which pair.
enum class AxisOrder : posenc_axis_order {
  kConsecutive = POSENC_CONSECUTIVE_AXES,  // Qwen2-VL
  kInterleaved = POSENC_INTERLEAVED_AXES,  // Qwen3-VL
  kAlternating = POSENC_ALTERNATING_AXES,  // ERNIE 4.5 VL
  kSplit = POSENC_SPLIT_AXES,              // Pixtral
  kAxial = POSENC_AXIAL_AXES,              // vision, DINOv3
  kImrope = POSENC_IMROPE_AXES,            // ggml
};

// Where the cosines and sines go in a row of a cache.
enum class CacheLayout : posenc_cache_layout {
  kHalves = POSENC_CACHE_HALVES,          // two tables [tokens, r/2]             ONNX Runtime
  kDuplicated = POSENC_CACHE_DUPLICATED,  // two tables [tokens, r]               transformers
  kCosSin = POSENC_CACHE_COS_SIN,         // [cos_0 cos_1 ... | sin_0 sin_1 ...]  vLLM
  kPairs = POSENC_CACHE_PAIRS,            // [cos_0 sin_0 cos_1 sin_1 ...]        ggml
};

// Either doubles or floats, [count], of any alignment. Create copies them.
struct NumberList {
  const double* doubles = nullptr;  // either these
  const float* floats = nullptr;    // or these
  std::size_t count = 0;            // rotary_dim / 2
};

// The factors of Scaling::kLongRope, which has both kinds, and of kFrequencyFactors.
struct FactorList {
  const double* doubles = nullptr;       // either these
  const float* floats = nullptr;         // or these
  const double* long_doubles = nullptr;  // of LongRoPE beyond original_length
  const float* long_floats = nullptr;    // the same, in the type of the others
  std::size_t count = 0;                 // of each list: rotary_dim / 2
};

// What to rotate by. Plain data; only head_dim must be set.
struct RotarySpec {
  std::size_t head_dim = 0;                             // elements of a head
  std::size_t rotary_dim = 0;                           // those that turn; 0 means head_dim - rotary_offset
  std::size_t rotary_offset = 0;                        // the first of them
  Pairing pairing = Pairing::kHalfSplit;                // of what is read
  Pairing output_pairing = Pairing::kSame;              // of what is written
  Arithmetic arithmetic = Arithmetic::kExact;           // of the rotation
  PhaseRounding phase_rounding = PhaseRounding::kNone;  // of the phases
  double base = 10000.0;                                // rope_theta
  double exponent_dim = 0.0;                            // 0 means rotary_dim
  double position_scale = 1.0;                          // multiplies every position
  FrequencyUnit unit = FrequencyUnit::kRadians;         // of the frequencies before scaling

  Scaling scaling = Scaling::kNone;  // of the frequencies
  double factor = 1.0;               // f
  double length = 0.0;               // L, the current length of the context
  double original_length = 0.0;      // L0, that of the training
  double beta_fast = 32.0;           // of YaRN
  double beta_slow = 1.0;            // of YaRN
  double mscale = 1.0;               // of YaRN's amplitude
  double mscale_all_dim = 0.0;       // of what divides it
  double low_freq_factor = 1.0;      // of Llama 3
  double high_freq_factor = 4.0;     // of Llama 3
  double proportion = 1.0;           // of kProportional, 0 .. 1
  double amplitude = 0.0;            // A instead of the scaling's; 0: the scaling's
  bool truncate = true;              // of YaRN: its ramp begins and ends at whole pairs
  FactorList factors;                // of kLongRope and kFrequencyFactors
  NumberList frequencies;            // if set, instead of those of base and exponent_dim

  std::size_t axes = 1;                            // of a position
  std::size_t sections[kMaxAxes] = {};             // pairs of each axis; of one axis none
  AxisOrder axis_order = AxisOrder::kConsecutive;  // of several
  const char* target = nullptr;                    // a name from Targets(); the best on this CPU if null
};

// The same for the C functions; points to what spec points to.
inline posenc_rotary_spec ToC(const RotarySpec& spec) {
  posenc_rotary_spec c{};
  c.struct_size = sizeof(c);
  c.head_dim = spec.head_dim;
  c.rotary_dim = spec.rotary_dim;
  c.rotary_offset = spec.rotary_offset;
  c.pairing = static_cast<posenc_pairing>(spec.pairing);
  c.output_pairing = static_cast<posenc_pairing>(spec.output_pairing);
  c.arithmetic = static_cast<posenc_arithmetic>(spec.arithmetic);
  c.phase_rounding = static_cast<posenc_phase_rounding>(spec.phase_rounding);
  c.base = spec.base;
  c.exponent_dim = spec.exponent_dim;
  c.position_scale = spec.position_scale;
  c.unit = static_cast<posenc_unit>(spec.unit);
  c.scaling = static_cast<posenc_scaling>(spec.scaling);
  c.factor = spec.factor;
  c.length = spec.length;
  c.original_length = spec.original_length;
  c.beta_fast = spec.beta_fast;
  c.beta_slow = spec.beta_slow;
  c.mscale = spec.mscale;
  c.mscale_all_dim = spec.mscale_all_dim;
  c.low_freq_factor = spec.low_freq_factor;
  c.high_freq_factor = spec.high_freq_factor;
  c.proportion = spec.proportion;
  c.amplitude = spec.amplitude;
  c.truncate = spec.truncate ? 1 : 0;
  c.factor_count = spec.factors.count;
  c.factors = spec.factors.doubles;
  c.factors_f32 = spec.factors.floats;
  c.long_factors = spec.factors.long_doubles;
  c.long_factors_f32 = spec.factors.long_floats;
  c.frequency_count = spec.frequencies.count;
  c.frequencies = spec.frequencies.doubles;
  c.frequencies_f32 = spec.frequencies.floats;
  c.axes = spec.axes;
  for (std::size_t k = 0; k < kMaxAxes; ++k) c.sections[k] = spec.sections[k];
  c.axis_order = static_cast<posenc_axis_order>(spec.axis_order);
  c.target = spec.target;
  return c;
}

// The reverse, of a spec whose struct_size is sizeof(posenc_rotary_spec).
inline RotarySpec FromC(const posenc_rotary_spec& c) {
  RotarySpec spec;
  spec.head_dim = c.head_dim;
  spec.rotary_dim = c.rotary_dim;
  spec.rotary_offset = c.rotary_offset;
  spec.pairing = static_cast<Pairing>(c.pairing);
  spec.output_pairing = static_cast<Pairing>(c.output_pairing);
  spec.arithmetic = static_cast<Arithmetic>(c.arithmetic);
  spec.phase_rounding = static_cast<PhaseRounding>(c.phase_rounding);
  spec.base = c.base;
  spec.exponent_dim = c.exponent_dim;
  spec.position_scale = c.position_scale;
  spec.unit = static_cast<FrequencyUnit>(c.unit);
  spec.scaling = static_cast<Scaling>(c.scaling);
  spec.factor = c.factor;
  spec.length = c.length;
  spec.original_length = c.original_length;
  spec.beta_fast = c.beta_fast;
  spec.beta_slow = c.beta_slow;
  spec.mscale = c.mscale;
  spec.mscale_all_dim = c.mscale_all_dim;
  spec.low_freq_factor = c.low_freq_factor;
  spec.high_freq_factor = c.high_freq_factor;
  spec.proportion = c.proportion;
  spec.amplitude = c.amplitude;
  spec.truncate = c.truncate != 0;
  spec.factors = {c.factors, c.factors_f32, c.long_factors, c.long_factors_f32, c.factor_count};
  spec.frequencies = {c.frequencies, c.frequencies_f32, c.frequency_count};
  spec.axes = c.axes;
  for (std::size_t k = 0; k < kMaxAxes; ++k) spec.sections[k] = c.sections[k];
  spec.axis_order = static_cast<AxisOrder>(c.axis_order);
  spec.target = c.target;
  return spec;
}

// Fills the first entries of presets [capacity], as many as fit, and returns how many there are.
inline std::size_t RotaryPresets(Preset* presets, std::size_t capacity) {
  return posenc_rotary_presets(presets, capacity);
}

// Sets *spec to that of a preset for heads of that size. Lengths and factors that differ between the models
// of a family are then set by the caller. On failure *spec is left as it was.
inline Status RotaryPreset(const char* name, std::size_t head_dim, RotarySpec* spec) {
  if (spec == nullptr) return Status::kNullPointer;
  posenc_rotary_spec c{};
  const posenc_status status = posenc_rotary_spec_preset(&c, sizeof(c), name, head_dim);
  if (status == POSENC_OK) *spec = FromC(c);
  return static_cast<Status>(status);
}

// Heads of one tensor: element e of head h of token t is at data + t * token_stride + h * head_stride + e.
// [tokens, heads, head_dim] has the strides heads * head_dim and head_dim, [heads, tokens, head_dim] has
// head_dim and tokens * head_dim. T is float, BFloat16 or Float16.
template <class T>
struct Heads {
  T* data = nullptr;                    // where the result goes
  std::size_t heads = 0;                // of each token
  std::size_t token_stride = 0;         // in elements
  std::size_t head_stride = 0;          // in elements
  const T* source = nullptr;            // what is rotated; null: data, in place
  std::size_t source_token_stride = 0;  // of source, in elements
  std::size_t source_head_stride = 0;   // of source, in elements
  double scale = 1.0;                   // of the result
  bool inverse = false;                 // turns back
};

// Heads{q, ...} of a pointer to T.
template <class T, class... More>
Heads(T*, More...) -> Heads<T>;

// The same for the C functions; points to what heads points to.
template <class T>
posenc_heads ToC(const Heads<T>& heads) {
  posenc_heads c{};
  c.data = heads.data;
  c.heads = heads.heads;
  c.token_stride = heads.token_stride;
  c.head_stride = heads.head_stride;
  c.source = heads.source;
  c.source_token_stride = heads.source_token_stride;
  c.source_head_stride = heads.source_head_stride;
  c.scale = heads.scale;
  c.inverse = heads.inverse ? 1 : 0;
  return c;
}

// A cache of cosines and sines [rows, row_stride]. T is float, BFloat16, Float16 or, where it is only
// written, double; const where it is only read.
template <class T>
struct Cache {
  CacheLayout layout = CacheLayout::kCosSin;  // of a row
  T* cos = nullptr;                           // the only table of kCosSin and kPairs
  T* sin = nullptr;                           // else null
  std::size_t row_stride = 0;                 // of either, in elements
};

// Cache{layout, cos, sin, ...} of a pointer to T, with a pointer or nullptr for sin.
template <class T, class Sin>
Cache(CacheLayout, T*, Sin, std::size_t) -> Cache<T>;

// The same for the C functions; points to what cache points to.
template <class T>
posenc_cache ToC(const Cache<T>& cache) {
  using Entry = std::remove_const_t<T>;
  posenc_cache c{};
  c.layout = static_cast<posenc_cache_layout>(cache.layout);
  c.type = TypeOf<Entry>();
  c.cos = const_cast<Entry*>(cache.cos);  // the functions that take a cache of const entries only read it
  c.sin = const_cast<Entry*>(cache.sin);
  c.row_stride = cache.row_stride;
  return c;
}

// posenc_rotary, which rotates heads. Immutable after Create. Each method is the C function of the same name,
// which says what it computes and refuses.
//
// T is float, BFloat16 or Float16, one for all tensors of a call, {q, k}; where there are more than the
// program knows, posenc_rotate takes them. Position is std::int32_t, std::int64_t, float or double, Index
// std::int32_t or std::int64_t. Positions are [axes, tokens]: first those of axis 0. *bad_index, if given, is
// the first entry at fault of a list that is checked.
class Rotary {
 public:
  // On failure *out is left as it was.
  static Status Create(const RotarySpec& spec, Rotary* out) {
    if (out == nullptr) return Status::kNullPointer;
    const posenc_rotary_spec c = ToC(spec);
    return out->rotary_.Take([&](posenc_rotary** made) { return posenc_rotary_create(&c, made); });
  }

  // The bytes of memory that CreateIn needs for that spec, on this CPU.
  static Status MemorySize(const RotarySpec& spec, std::size_t* bytes) {
    const posenc_rotary_spec c = ToC(spec);
    return static_cast<Status>(posenc_rotary_memory_size(&c, bytes));
  }

  // Create without allocating, as Encoder::CreateIn.
  static Status CreateIn(const RotarySpec& spec, void* memory, std::size_t bytes, Rotary* out) {
    if (out == nullptr) return Status::kNullPointer;
    const posenc_rotary_spec c = ToC(spec);
    return out->rotary_.Take(
        [&](posenc_rotary** made) { return posenc_rotary_create_in(&c, memory, bytes, made); });
  }

  // Before Create 0, 0, "", NaN and NaN.
  std::size_t head_dim() const { return posenc_rotary_head_dim(c_rotary()); }
  std::size_t frequency_count() const { return posenc_rotary_frequency_count(c_rotary()); }
  const char* target() const { return posenc_rotary_target(c_rotary()); }
  double amplitude() const { return posenc_rotary_amplitude(c_rotary()); }
  double Radians(std::size_t i) const { return posenc_rotary_radians(c_rotary(), i); }

  // For the C functions; null before Create.
  const posenc_rotary* c_rotary() const { return rotary_.get(); }

  // Rotates tensors at the positions first_position + t, t < tokens, the same on all axes. Cosines and sines
  // are computed once a token, for all heads and tensors.
  template <class T, std::size_t kCount>
  Status Rotate(std::int64_t first_position, std::size_t tokens, const Heads<T> (&tensors)[kCount]) const {
    static_assert(IsSummand<T>(), "T is float, BFloat16 or Float16");
    const Tensors<kCount> c(tensors);
    return static_cast<Status>(
        posenc_rotate(c_rotary(), first_position, tokens, TypeOf<T>(), c.heads, kCount));
  }

  // The same at positions [axes, tokens].
  template <class Position, class T, std::size_t kCount>
  Status RotateAt(const Position* positions, std::size_t tokens, const Heads<T> (&tensors)[kCount],
                  std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsPosition<Position>(), "see the types above the class");
    const Tensors<kCount> c(tensors);
    return static_cast<Status>(posenc_rotate_at(c_rotary(), TypeOf<Position>(), positions, tokens,
                                                TypeOf<T>(), c.heads, kCount, bad_index));
  }

  // Writes A cos(p w_i) and A sin(p w_i), correctly rounded, at first_position + t.
  template <class T>
  Status WriteCache(std::int64_t first_position, std::size_t tokens, const Cache<T>& cache) const {
    static_assert(IsEntry<T>(), "T is float, BFloat16, Float16 or double");
    const posenc_cache c = ToC(cache);
    return static_cast<Status>(posenc_rotary_write(c_rotary(), first_position, tokens, &c));
  }

  // The same at positions [axes, tokens].
  template <class Position, class T>
  Status WriteCacheAt(const Position* positions, std::size_t tokens, const Cache<T>& cache,
                      std::size_t* bad_index = nullptr) const {
    static_assert(IsEntry<T>() && IsPosition<Position>(), "see the types above the class");
    const posenc_cache c = ToC(cache);
    return static_cast<Status>(
        posenc_rotary_write_at(c_rotary(), TypeOf<Position>(), positions, tokens, &c, bad_index));
  }

  // Rotates by the rows of a cache [rows], fast whatever the rotary's arithmetic: token t by row
  // first_row + t.
  template <class Entry, class T, std::size_t kCount>
  Status RotateCached(const Cache<Entry>& cache, std::size_t rows, std::int64_t first_row, std::size_t tokens,
                      const Heads<T> (&tensors)[kCount]) const {
    static_assert(IsSummand<T>() && IsSummand<std::remove_const_t<Entry>>(), "see the types above the class");
    const posenc_cache c = ToC(cache);
    const Tensors<kCount> of(tensors);
    return static_cast<Status>(posenc_rotate_cached(c_rotary(), &c, rows, first_row, POSENC_I64, nullptr,
                                                    tokens, TypeOf<T>(), of.heads, kCount, nullptr));
  }

  // The same: token t by row row_indices[t].
  template <class Entry, class Index, class T, std::size_t kCount>
  Status RotateCachedAt(const Cache<Entry>& cache, std::size_t rows, const Index* row_indices,
                        std::size_t tokens, const Heads<T> (&tensors)[kCount],
                        std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsSummand<std::remove_const_t<Entry>>() && IsInteger<Index>(),
                  "see the types above the class");
    const posenc_cache c = ToC(cache);
    const Tensors<kCount> of(tensors);
    return static_cast<Status>(posenc_rotate_cached(c_rotary(), &c, rows, 0, TypeOf<Index>(), row_indices,
                                                    tokens, TypeOf<T>(), of.heads, kCount, bad_index));
  }

 private:
  template <std::size_t kCount>
  struct Tensors {
    template <class T>
    explicit Tensors(const Heads<T> (&tensors)[kCount]) {
      for (std::size_t i = 0; i < kCount; ++i) heads[i] = ToC(tensors[i]);
    }
    posenc_heads heads[kCount];
  };

  Owner<posenc_rotary, posenc_rotary_destroy> rotary_;
};

}  // namespace posenc

#endif  // POSENC_ROTARY_H_
