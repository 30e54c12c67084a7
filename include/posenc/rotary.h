// posenc for C++17: rotary position embeddings (RoPE).
//
//   to do this                                   call this
//   rotate consecutive tokens of a sequence      Rotary::Rotate
//   rotate tokens at an array of positions       Rotary::RotateAt
//   rotate by several axes (M-RoPE, images)      Rotary::RotateAt, a spec with axes
//   write a cache of cosines and sines           Rotary::WriteCache, Rotary::WriteCacheAt
//   rotate by a cache                            Rotary::RotateCached, Rotary::RotateCachedAt
//   make cosines and sines once for all layers   Rotary::MakeAngles, Rotary::RotateByAngles
//   write rotated keys into a paged KV cache     Slots, a member of Heads
//   normalize q and k before they rotate         Norm, a member of Heads
//   take a model's preset or configuration       RotaryPreset, RotaryFromConfig    models.h
//
//   // q is float [tokens][32][128], k is float [tokens][8][128]: arrays, or pointers to the first elements.
//   // They are rotated in place. For q[32][tokens][128] write {q, 32, 128, tokens * 128}.
//   posenc::RotarySpec spec;
//   spec.head_dim = 128;
//   posenc::Rotary rotary;
//   posenc::Status status = posenc::Rotary::Create(spec, &rotary);
//   if (status == POSENC_OK)
//     status = rotary.Rotate(n_past, tokens, {{q, 32, 32 * 128, 128}, {k, 8, 8 * 128, 128}});
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//
// These classes are thin inline wrappers around the functions of C. rotary_c.h, rotary_cache_c.h,
// rotary_angles_c.h, rotary_slots_c.h and rotary_norm_c.h say what each function computes and refuses, and
// how a batch is rotated. The classes never throw. Threads may share a Rotary, and Angles.
#ifndef POSENC_ROTARY_H_
#define POSENC_ROTARY_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "posenc/posenc.h"
#include "posenc/rotary_angles_c.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_cache_c.h"
#include "posenc/rotary_norm_c.h"
#include "posenc/rotary_slots_c.h"

namespace posenc {

// posenc_rotary_spec with its defaults. Only head_dim must be set.
struct RotarySpec : posenc_rotary_spec {
  RotarySpec() : posenc_rotary_spec{} {
    static_cast<void>(posenc_rotary_spec_init(this, sizeof(posenc_rotary_spec)));
  }
  explicit RotarySpec(const posenc_rotary_spec& spec)
      : posenc_rotary_spec(spec) {}  // a copy, which points to the same arrays
};

// posenc_slots: where the tokens of a tensor go in a paged KV cache. Set the member slots of Heads to its
// address. rotary_slots_c.h has the strides of usual caches.
//
//   [blocks, block_size, heads, d]    Slots(list, count, block_size, block_size * heads * d, heads * d)
//   [blocks, heads, block_size, d]    Slots(list, count, block_size, block_size * heads * d, d)
struct Slots : posenc_slots {
  constexpr Slots(const List& list_, std::size_t count_, std::size_t block_size_, std::size_t block_stride_,
                  std::size_t offset_stride_)
      : posenc_slots{list_, count_, block_size_, block_stride_, offset_stride_} {}
};

// posenc_norm: the RMSNorm of a tensor before its rotation. Set the member norm of Heads to its address.
//
//   every weight is 1      Norm(epsilon)
//   weight [head_dim]      Norm(epsilon, weight). Set plus_one to 1 if the model multiplies by 1 + weight
//   one mean for a token   Norm(epsilon, weight) with weight [heads, head_dim]. Set over_heads to 1
struct Norm : posenc_norm {
  constexpr explicit Norm(double epsilon_) : posenc_norm{} { epsilon = epsilon_; }
  template <class T>
  constexpr Norm(double epsilon_, const T* weight_) : Norm(epsilon_, TypeOf<T>(), weight_) {}
  constexpr Norm(double epsilon_, posenc_type weight_type_, const void* weight_) : Norm(epsilon_) {
    weight = weight_;
    weight_type = weight_type_;
  }
};

// posenc_heads: the heads of one tensor, rotated in place or from a source. Set other members for a scale,
// for inverse, for strides of the source, for slots, or for a norm.
//
//   [tokens, heads, head_dim]     Heads(data, heads, heads * head_dim, head_dim)
//   [heads, tokens, head_dim]     Heads(data, heads, head_dim, tokens * head_dim)
//   from a source, such as float to bfloat16    Heads(...).From(source)
struct Heads : posenc_heads {
  template <class T>
  constexpr Heads(T* data_, std::size_t heads_, std::size_t token_stride_, std::size_t head_stride_)
      : Heads(TypeOf<T>(), data_, heads_, token_stride_, head_stride_) {}
  constexpr Heads(posenc_type type_, void* data_, std::size_t heads_, std::size_t token_stride_,
                  std::size_t head_stride_)
      : posenc_heads{} {
    type = type_;
    data = data_;
    heads = heads_;
    token_stride = token_stride_;
    head_stride = head_stride_;
  }

  // The same heads, but read from a source with the same strides. Its type is T, or source_type_.
  template <class T>
  constexpr Heads From(const T* source_) const {
    return From(TypeOf<T>(), source_);
  }
  constexpr Heads From(posenc_type source_type_, const void* source_) const {
    Heads from = *this;
    from.source_type = source_type_;
    from.source = source_;
    return from;
  }
};
static_assert(sizeof(Heads) == sizeof(posenc_heads), "a list of Heads is an array of posenc_heads");

// posenc_cache: a cache to write. sin is null if the layout has one table.
struct Cache : posenc_cache {
  template <class T>
  constexpr Cache(posenc_cache_layout layout_, T* cos_, Same<T>* sin_, std::size_t row_stride_)
      : Cache(layout_, TypeOf<T>(), cos_, sin_, row_stride_) {}
  constexpr Cache(posenc_cache_layout layout_, posenc_type type_, void* cos_, void* sin_,
                  std::size_t row_stride_)
      : posenc_cache{layout_, type_, cos_, sin_, row_stride_} {}
};

// posenc_const_cache: a cache to rotate by, such as a written one with its number of rows.
struct ConstCache : posenc_const_cache {
  template <class T>
  constexpr ConstCache(posenc_cache_layout layout_, const T* cos_, const Same<T>* sin_,
                       std::size_t row_stride_, std::size_t rows_)
      : ConstCache(layout_, TypeOf<T>(), cos_, sin_, row_stride_, rows_) {}
  constexpr ConstCache(posenc_cache_layout layout_, posenc_type type_, const void* cos_, const void* sin_,
                       std::size_t row_stride_, std::size_t rows_)
      : posenc_const_cache{layout_, type_, cos_, sin_, row_stride_, rows_} {}
  constexpr ConstCache(const posenc_cache& written, std::size_t rows_)
      : ConstCache(written.layout, written.type, written.cos, written.sin, written.row_stride, rows_) {}
};

// The tensors of one call: a list {q, k}, or an array of posenc_heads [count]. The class keeps a pointer
// only. So write a list {q, k} within the call: a variable made of a list would point to memory that is gone.
class Tensors {
 public:
  Tensors(std::initializer_list<Heads> tensors) : first_(tensors.begin()), count_(tensors.size()) {}
  Tensors(const posenc_heads* tensors, std::size_t count) : first_(tensors), count_(count) {}

  // The array [count], for functions of C.
  const posenc_heads* get() const { return first_; }
  std::size_t count() const { return count_; }

 private:
  const posenc_heads* first_;
  std::size_t count_;
};

// The angles of a step's tokens, made by Rotary::MakeAngles or MakeAnglesAt. The class keeps a pointer only:
// the angles are in the caller's memory. Before MakeAngles it is null, and calls fail.
class Angles {
 public:
  // The object of C, for functions of C. Null before MakeAngles.
  const posenc_angles* get() const { return angles_; }

 private:
  friend class Rotary;
  const posenc_angles* angles_ = nullptr;
};

// Owns a posenc_rotary. Before Create a Rotary owns none, and every call fails. Rotaries can be moved, but
// not copied.
class Rotary {
 public:
  // On failure *out stays as it was.
  [[nodiscard]] static Status Create(const posenc_rotary_spec& spec, Rotary* out) {
    if (out == nullptr) return posenc_rotary_create(&spec, nullptr);  // is refused
    return out->rotary_.Take([&](posenc_rotary** made) { return posenc_rotary_create(&spec, made); });
  }

  // The bytes of memory that CreateIn needs for this spec on this CPU.
  [[nodiscard]] static Status MemorySize(const posenc_rotary_spec& spec, std::size_t* bytes) {
    return posenc_rotary_memory_size(&spec, bytes);
  }

  // Creates *out in the caller's memory [bytes], and allocates nothing. Do not move or free the memory
  // while *out lives, or while another Rotary lives that *out was moved to. So declare the memory first. To
  // replace *out, call CreateIn again, with exactly the same memory or with memory that does not overlap it.
  [[nodiscard]] static Status CreateIn(const posenc_rotary_spec& spec, void* memory, std::size_t bytes,
                                       Rotary* out) {
    if (out == nullptr) return posenc_rotary_create_in(&spec, memory, bytes, nullptr);  // is refused
    return out->rotary_.Take(
        [&](posenc_rotary** made) { return posenc_rotary_create_in(&spec, memory, bytes, made); });
  }

  // What the Rotary was made with. Radians(i) is w_i after scaling, times position_scale, in radians per step
  // of p. Before Create these functions return 0, 0, "", NaN and NaN.
  std::size_t head_dim() const { return posenc_rotary_head_dim(get()); }
  std::size_t frequency_count() const { return posenc_rotary_frequency_count(get()); }
  const char* target() const { return posenc_rotary_target(get()); }
  double amplitude() const { return posenc_rotary_amplitude(get()); }
  double Radians(std::size_t i) const { return posenc_rotary_radians(get(), i); }

  // The object of C, for functions of C. Null before Create.
  const posenc_rotary* get() const { return rotary_.get(); }

  // Token t is rotated at position first_position + t, on all axes.
  [[nodiscard]] Status Rotate(std::int64_t first_position, std::size_t tokens, const Tensors& tensors) const {
    return posenc_rotate(get(), first_position, tokens, tensors.get(), tensors.count());
  }
  // Token t is rotated at positions[k][t] on axis k. positions is one array [axes, tokens].
  [[nodiscard]] Status RotateAt(const List& positions, std::size_t tokens, const Tensors& tensors,
                                std::size_t* bad_index = nullptr) const {
    return posenc_rotate_at(get(), &positions, tokens, tensors.get(), tensors.count(), bad_index);
  }
  // Row t of the cache becomes A cos(p w_i) and A sin(p w_i), with p = first_position + t.
  [[nodiscard]] Status WriteCache(std::int64_t first_position, std::size_t tokens, const Cache& cache) const {
    return posenc_write_cache(get(), first_position, tokens, &cache);
  }
  // The same at positions [axes, tokens].
  [[nodiscard]] Status WriteCacheAt(const List& positions, std::size_t tokens, const Cache& cache,
                                    std::size_t* bad_index = nullptr) const {
    return posenc_write_cache_at(get(), &positions, tokens, &cache, bad_index);
  }
  // Token t is rotated by row first_row + t of the cache, with the arithmetic POSENC_FAST.
  [[nodiscard]] Status RotateCached(const ConstCache& cache, std::int64_t first_row, std::size_t tokens,
                                    const Tensors& tensors) const {
    return posenc_rotate_cached(get(), &cache, first_row, tokens, tensors.get(), tensors.count());
  }
  // Token t is rotated by row rows[t] of the cache.
  [[nodiscard]] Status RotateCachedAt(const ConstCache& cache, const List& rows, std::size_t tokens,
                                      const Tensors& tensors, std::size_t* bad_index = nullptr) const {
    return posenc_rotate_cached_at(get(), &cache, &rows, tokens, tensors.get(), tensors.count(), bad_index);
  }

  // *bytes becomes a size of memory that is enough for the angles of that number of tokens.
  [[nodiscard]] Status AnglesMemorySize(std::size_t tokens, std::size_t* bytes) const {
    return posenc_angles_memory_size(get(), tokens, bytes);
  }
  // Makes the angles of tokens at first_position + t, in the caller's memory [bytes]. Do not move or free the
  // memory while *out is used, and keep the Rotary as long. On failure *out stays as it was.
  [[nodiscard]] Status MakeAngles(std::int64_t first_position, std::size_t tokens, void* memory,
                                  std::size_t bytes, Angles* out) const {
    return Take(out, [&](posenc_angles** made) {
      return posenc_angles_make(get(), first_position, tokens, memory, bytes, made);
    });
  }
  // The same at positions [axes, tokens].
  [[nodiscard]] Status MakeAnglesAt(const List& positions, std::size_t tokens, void* memory,
                                    std::size_t bytes, Angles* out, std::size_t* bad_index = nullptr) const {
    return Take(out, [&](posenc_angles** made) {
      return posenc_angles_make_at(get(), &positions, tokens, memory, bytes, made, bad_index);
    });
  }
  // Token t of the tensors is rotated by the angles that were made for token first_token + t. The bits are
  // the same as with Rotate and RotateAt.
  [[nodiscard]] Status RotateByAngles(const Angles& angles, std::int64_t first_token, std::size_t tokens,
                                      const Tensors& tensors) const {
    return posenc_rotate_by_angles(get(), angles.get(), first_token, tokens, tensors.get(), tensors.count());
  }

 private:
  // Calls make(&made), which makes angles. If it succeeds, *out becomes these angles. If out is null, Take
  // calls make(nullptr), which fails and says that the pointer is null.
  template <class Make>
  static Status Take(Angles* out, const Make& make) {
    if (out == nullptr) return make(nullptr);
    posenc_angles* made = nullptr;
    const Status status = make(&made);
    if (status == POSENC_OK) out->angles_ = made;
    return status;
  }

  Owner<posenc_rotary, posenc_rotary_destroy> rotary_;
};

}  // namespace posenc

#endif  // POSENC_ROTARY_H_
