// posenc for C++17: rotary position embeddings (RoPE). The classes below are thin inline wrappers around the
// C functions, and rotary_c.h says what each of them computes and refuses. They never throw.
//
//   posenc::RotarySpec spec;
//   spec.head_dim = 128;
//   posenc::Rotary rotary;
//   posenc::Status status = posenc::Rotary::Create(spec, &rotary);
//   if (status == POSENC_OK)  // float q[tokens][32][128], k[tokens][8][128]
//     status = rotary.Rotate(n_past, tokens, {{q, 32, 32 * 128, 128}, {k, 8, 8 * 128, 128}});
#ifndef POSENC_ROTARY_H_
#define POSENC_ROTARY_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "posenc/posenc.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_cache_c.h"

namespace posenc {

// posenc_rotary_spec with its defaults. Only head_dim must be set.
struct RotarySpec : posenc_rotary_spec {
  RotarySpec() : posenc_rotary_spec{} {
    static_cast<void>(posenc_rotary_spec_init(this, sizeof(posenc_rotary_spec)));
  }
  explicit RotarySpec(const posenc_rotary_spec& spec)
      : posenc_rotary_spec(spec) {}  // a copy, with the same lists
};

// posenc_heads, the heads of one tensor in place. Set its other members for a source, a scale or an inverse.
struct Heads : posenc_heads {
  template <class T>
  constexpr Heads(T* elements, std::size_t count, std::size_t token_step, std::size_t head_step)
      : Heads(TypeOf<T>(), elements, count, token_step, head_step) {}
  constexpr Heads(posenc_type element_type, void* elements, std::size_t count, std::size_t token_step,
                  std::size_t head_step)
      : posenc_heads{} {
    type = element_type;
    data = elements;
    heads = count;
    token_stride = token_step;
    head_stride = head_step;
  }
};
static_assert(sizeof(Heads) == sizeof(posenc_heads), "a list of Heads is an array of posenc_heads");

// posenc_cache to write, and posenc_const_cache to rotate by. The sines are null if the layout has one table.
struct Cache : posenc_cache {
  template <class T>
  constexpr Cache(posenc_cache_layout order, T* cosines, Same<T>* sines, std::size_t stride)
      : Cache(order, TypeOf<T>(), cosines, sines, stride) {}
  constexpr Cache(posenc_cache_layout order, posenc_type of, void* cosines, void* sines, std::size_t stride)
      : posenc_cache{order, of, cosines, sines, stride} {}
};
struct ConstCache : posenc_const_cache {
  template <class T>
  constexpr ConstCache(posenc_cache_layout order, const T* cosines, const Same<T>* sines, std::size_t stride,
                       std::size_t count)
      : ConstCache(order, TypeOf<T>(), cosines, sines, stride, count) {}
  constexpr ConstCache(posenc_cache_layout order, posenc_type of, const void* cosines, const void* sines,
                       std::size_t stride, std::size_t count)
      : posenc_const_cache{order, of, cosines, sines, stride, count} {}
  constexpr ConstCache(const posenc_cache& written, std::size_t count)
      : ConstCache(written.layout, written.type, written.cos, written.sin, written.row_stride, count) {}
};

// The tensors of a call: {q, k}, or posenc_heads [count].
class Tensors {
 public:
  Tensors(std::initializer_list<Heads> tensors) : first_(tensors.begin()), count_(tensors.size()) {}
  Tensors(const posenc_heads* tensors, std::size_t count) : first_(tensors), count_(count) {}

  const posenc_heads* get() const { return first_; }
  std::size_t count() const { return count_; }

 private:
  const posenc_heads* first_;  // of a list that lives as long as the call
  std::size_t count_;
};

// posenc_rotary. Before Create it holds none, and every call fails.
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

  // As Create, in the caller's memory [bytes]. The memory must neither move nor be freed before *out is gone.
  [[nodiscard]] static Status CreateIn(const posenc_rotary_spec& spec, void* memory, std::size_t bytes,
                                       Rotary* out) {
    if (out == nullptr) return posenc_rotary_create_in(&spec, memory, bytes, nullptr);  // is refused
    return out->rotary_.Take(
        [&](posenc_rotary** made) { return posenc_rotary_create_in(&spec, memory, bytes, made); });
  }

  std::size_t head_dim() const { return posenc_rotary_head_dim(get()); }
  std::size_t frequency_count() const { return posenc_rotary_frequency_count(get()); }
  const char* target() const { return posenc_rotary_target(get()); }
  double amplitude() const { return posenc_rotary_amplitude(get()); }
  double Radians(std::size_t i) const { return posenc_rotary_radians(get(), i); }

  // For the C functions. Null before Create.
  const posenc_rotary* get() const { return rotary_.get(); }

  [[nodiscard]] Status Rotate(std::int64_t first_position, std::size_t tokens, const Tensors& tensors) const {
    return posenc_rotate(get(), first_position, tokens, tensors.get(), tensors.count());
  }
  [[nodiscard]] Status RotateAt(const List& positions, std::size_t tokens, const Tensors& tensors,
                                std::size_t* bad_index = nullptr) const {
    return posenc_rotate_at(get(), &positions, tokens, tensors.get(), tensors.count(), bad_index);
  }
  [[nodiscard]] Status WriteCache(std::int64_t first_position, std::size_t tokens, const Cache& cache) const {
    return posenc_write_cache(get(), first_position, tokens, &cache);
  }
  [[nodiscard]] Status WriteCacheAt(const List& positions, std::size_t tokens, const Cache& cache,
                                    std::size_t* bad_index = nullptr) const {
    return posenc_write_cache_at(get(), &positions, tokens, &cache, bad_index);
  }
  [[nodiscard]] Status RotateCached(const ConstCache& cache, std::int64_t first_row, std::size_t tokens,
                                    const Tensors& tensors) const {
    return posenc_rotate_cached(get(), &cache, first_row, tokens, tensors.get(), tensors.count());
  }
  [[nodiscard]] Status RotateCachedAt(const ConstCache& cache, const List& rows, std::size_t tokens,
                                      const Tensors& tensors, std::size_t* bad_index = nullptr) const {
    return posenc_rotate_cached_at(get(), &cache, &rows, tokens, tensors.get(), tensors.count(), bad_index);
  }

 private:
  Owner<posenc_rotary, posenc_rotary_destroy> rotary_;
};

}  // namespace posenc

#endif  // POSENC_ROTARY_H_
