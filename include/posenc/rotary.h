// posenc for C++: rotary position embeddings (RoPE), every rotated element correctly rounded.
//
// Types for the functions of rotary_c.h, which says what is computed and promised. As in posenc.h nothing
// here throws, checks or allocates by itself, and none of it is in the library.
//
//   posenc::RotarySpec spec;
//   spec.head_dim = 128;
//   posenc::Rotary rotary;
//   posenc::Status status = posenc::Rotary::Create(spec, &rotary);
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

// Elements of a head that rotate: rotary_dim <= kMaxRotaryDim.
inline constexpr std::size_t kMaxRotaryDim = POSENC_MAX_ROTARY_DIM;

// Axes of a position: 1 .. kMaxAxes.
inline constexpr std::size_t kMaxAxes = POSENC_MAX_AXES;

// posenc_pairing, which two elements are a pair.
struct Pairing : Named<posenc_pairing> {
  using Named::Named;
  static constexpr Value kHalfSplit = POSENC_HALF_SPLIT, kNeighbours = POSENC_NEIGHBOURS,
                         kSame = POSENC_SAME_PAIRING;
};

// posenc_arithmetic, what is computed.
struct Arithmetic : Named<posenc_arithmetic> {
  using Named::Named;
  static constexpr Value kExact = POSENC_EXACT, kFast = POSENC_FAST;
};

// posenc_scaling, how a model's context was stretched.
struct Scaling : Named<posenc_scaling> {
  using Named::Named;
  static constexpr Value kNone = POSENC_NO_SCALING, kLinear = POSENC_LINEAR, kNtk = POSENC_NTK,
                         kDynamicNtk = POSENC_DYNAMIC_NTK, kQwenNtk = POSENC_QWEN_NTK,
                         kMixedNtk = POSENC_MIXED_NTK, kYarn = POSENC_YARN, kYarnLog = POSENC_YARN_LOG,
                         kLongRope = POSENC_LONGROPE, kLlama3 = POSENC_LLAMA3,
                         kProportional = POSENC_PROPORTIONAL, kFrequencyFactors = POSENC_FREQUENCY_FACTORS;
};

// posenc_axis_order, which axis of a position rotates which pair.
struct AxisOrder : Named<posenc_axis_order> {
  using Named::Named;
  static constexpr Value kConsecutive = POSENC_CONSECUTIVE_AXES, kInterleaved = POSENC_INTERLEAVED_AXES,
                         kAlternating = POSENC_ALTERNATING_AXES, kSplit = POSENC_SPLIT_AXES,
                         kAxial = POSENC_AXIAL_AXES, kImrope = POSENC_IMROPE_AXES;
};

// posenc_cache_layout, where the cosines and sines go in a row of a cache.
struct CacheLayout : Named<posenc_cache_layout> {
  using Named::Named;
  static constexpr Value kHalves = POSENC_CACHE_HALVES, kDuplicated = POSENC_CACHE_DUPLICATED,
                         kCosSin = POSENC_CACHE_COS_SIN, kPairs = POSENC_CACHE_PAIRS,
                         kHalvesTwice = POSENC_CACHE_HALVES_TWICE;
};

// posenc_rotary_spec, what to rotate by; rotary_c.h documents its members. Only head_dim must be set.
struct RotarySpec : posenc_rotary_spec {
  // All defaults of posenc_rotary_spec_init.
  RotarySpec() : posenc_rotary_spec{} { posenc_rotary_spec_init(this, sizeof(posenc_rotary_spec)); }

  // Points to what `spec` points to.
  explicit RotarySpec(const posenc_rotary_spec& spec) : posenc_rotary_spec(spec) {}
};

// posenc_heads, the heads of one tensor, of float, BFloat16 or Float16.
template <class T>
struct Heads : posenc_heads {
  // The members in their order.
  constexpr Heads(T* to, std::size_t count, std::size_t token_step, std::size_t head_step,
                  const T* from = nullptr, std::size_t from_token_step = 0, std::size_t from_head_step = 0,
                  double factor = 1.0, bool turns_back = false)
      : posenc_heads{to,     count,      token_step, head_step, from, from_token_step, from_head_step,
                     factor, turns_back, 0} {}

  // All members null, 0 or the default.
  constexpr Heads() : Heads(nullptr, 0, 0, 0) {}
};

// Heads{q, ...} of a pointer to T.
template <class T, class... More>
Heads(T*, More...) -> Heads<T>;

// posenc_cache, a cache of cosines and sines [rows, row_stride]. T is float, BFloat16 or Float16, or double
// if it is only written; const if it is only read.
template <class T>
struct Cache : posenc_cache {
  using Entry = std::remove_const_t<T>;  // T as posenc_cache has it

  // The members in their order, without the type. Functions that take a cache of const entries only read it.
  constexpr Cache(CacheLayout order, T* cosines, T* sines, std::size_t stride)
      : posenc_cache{order, TypeOf<Entry>(), const_cast<Entry*>(cosines), const_cast<Entry*>(sines), stride} {
  }

  // COS_SIN without a table.
  constexpr Cache() : Cache(CacheLayout::kCosSin, nullptr, nullptr, 0) {}
};

// Cache{layout, cos, sin, ...} of a pointer to T, with a pointer or nullptr for sin.
template <class T, class Sin>
Cache(CacheLayout, T*, Sin, std::size_t) -> Cache<T>;

// posenc_rotary, which rotates heads. Immutable after Create. Each method is the C function of the same name,
// which says what it computes and refuses.
//
// T is float, BFloat16 or Float16, the same for all tensors of a call, {q, k}; for a number of tensors that
// is only known at run time, call posenc_rotate. Position is std::int32_t, std::int64_t, float or double;
// Index is std::int32_t or std::int64_t. Positions are [axes, tokens]: first those of axis 0. *bad_index, if
// given, becomes the first entry at fault if a list is refused.
class Rotary {
 public:
  // On failure *out is left as it was.
  static Status Create(const posenc_rotary_spec& spec, Rotary* out) {
    if (out == nullptr) return Status::kNullPointer;
    return out->rotary_.Take([&](posenc_rotary** made) { return posenc_rotary_create(&spec, made); });
  }

  // The bytes of memory that CreateIn needs for that spec, on this CPU.
  static Status MemorySize(const posenc_rotary_spec& spec, std::size_t* bytes) {
    return posenc_rotary_memory_size(&spec, bytes);
  }

  // Create without allocating, as Encoder::CreateIn.
  static Status CreateIn(const posenc_rotary_spec& spec, void* memory, std::size_t bytes, Rotary* out) {
    if (out == nullptr) return Status::kNullPointer;
    return out->rotary_.Take(
        [&](posenc_rotary** made) { return posenc_rotary_create_in(&spec, memory, bytes, made); });
  }

  std::size_t head_dim() const { return posenc_rotary_head_dim(c_rotary()); }  // 0 before Create
  std::size_t frequency_count() const { return posenc_rotary_frequency_count(c_rotary()); }  // 0 before
  const char* target() const { return posenc_rotary_target(c_rotary()); }                    // "" before
  double amplitude() const { return posenc_rotary_amplitude(c_rotary()); }                   // NaN before
  double Radians(std::size_t i) const { return posenc_rotary_radians(c_rotary(), i); }       // NaN before

  // For the C functions; null before Create.
  const posenc_rotary* c_rotary() const { return rotary_.get(); }

  // Rotates tensors at the positions first_position + t, t < tokens, the same on all axes. Cosines and sines
  // are computed once a token, for all heads and tensors.
  template <class T, std::size_t kCount>
  Status Rotate(std::int64_t first_position, std::size_t tokens, const Heads<T> (&tensors)[kCount]) const {
    static_assert(IsSummand<T>(), "T is float, BFloat16 or Float16");
    const Tensors<kCount> c(tensors);
    return posenc_rotate(c_rotary(), first_position, tokens, TypeOf<T>(), c.heads, kCount);
  }

  // The same at positions [axes, tokens].
  template <class Position, class T, std::size_t kCount>
  Status RotateAt(const Position* positions, std::size_t tokens, const Heads<T> (&tensors)[kCount],
                  std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsPosition<Position>(), "see the types above the class");
    const Tensors<kCount> c(tensors);
    return posenc_rotate_at(c_rotary(), TypeOf<Position>(), positions, tokens, TypeOf<T>(), c.heads, kCount,
                            bad_index);
  }

  // Writes A cos(p w_i) and A sin(p w_i), correctly rounded, at first_position + t.
  template <class T>
  Status WriteCache(std::int64_t first_position, std::size_t tokens, const Cache<T>& cache) const {
    static_assert(IsEntry<T>(), "T is float, BFloat16, Float16 or double");
    return posenc_rotary_write(c_rotary(), first_position, tokens, &cache);
  }

  // The same at positions [axes, tokens].
  template <class Position, class T>
  Status WriteCacheAt(const Position* positions, std::size_t tokens, const Cache<T>& cache,
                      std::size_t* bad_index = nullptr) const {
    static_assert(IsEntry<T>() && IsPosition<Position>(), "see the types above the class");
    return posenc_rotary_write_at(c_rotary(), TypeOf<Position>(), positions, tokens, &cache, bad_index);
  }

  // Rotates by the rows of a cache [rows], in fast arithmetic whatever the rotary's is. Token t takes row
  // first_row + t.
  template <class Entry, class T, std::size_t kCount>
  Status RotateCached(const Cache<Entry>& cache, std::size_t rows, std::int64_t first_row, std::size_t tokens,
                      const Heads<T> (&tensors)[kCount]) const {
    static_assert(IsSummand<T>() && IsSummand<std::remove_const_t<Entry>>(), "see the types above the class");
    const Tensors<kCount> of(tensors);
    return posenc_rotate_cached(c_rotary(), &cache, rows, first_row, POSENC_I64, nullptr, tokens, TypeOf<T>(),
                                of.heads, kCount, nullptr);
  }

  // The same, but token t takes row row_indices[t].
  template <class Entry, class Index, class T, std::size_t kCount>
  Status RotateCachedAt(const Cache<Entry>& cache, std::size_t rows, const Index* row_indices,
                        std::size_t tokens, const Heads<T> (&tensors)[kCount],
                        std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsSummand<std::remove_const_t<Entry>>() && IsInteger<Index>(),
                  "see the types above the class");
    const Tensors<kCount> of(tensors);
    return posenc_rotate_cached(c_rotary(), &cache, rows, 0, TypeOf<Index>(), row_indices, tokens,
                                TypeOf<T>(), of.heads, kCount, bad_index);
  }

 private:
  template <std::size_t kCount>
  struct Tensors {
    template <class T>
    explicit Tensors(const Heads<T> (&tensors)[kCount]) {
      for (std::size_t i = 0; i < kCount; ++i) heads[i] = tensors[i];
    }
    posenc_heads heads[kCount];
  };

  Owner<posenc_rotary, posenc_rotary_destroy> rotary_;
};

}  // namespace posenc

#endif  // POSENC_ROTARY_H_
