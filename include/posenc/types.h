// What all C++ headers of posenc share: arrays with their types, and owners of C's objects.
#ifndef POSENC_TYPES_H_
#define POSENC_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc_c.h"

namespace posenc {

// POSENC_OK, or what is wrong. posenc_status_kind and posenc_status_message say more. All constants are C's:
// POSENC_SIN_COS, POSENC_NEIGHBOURS.
using Status = posenc_status;

// A bfloat16 as memory holds it.
struct BFloat16 {
  std::uint16_t bits;  // sign, 8 bits of exponent, 7 of mantissa
};

// An IEEE half precision number as memory holds it.
struct Float16 {
  std::uint16_t bits;  // sign, 5 bits of exponent, 10 of mantissa
};

// The posenc_type of float, double, BFloat16, Float16 and of signed integers with 32 or 64 bits. Other types
// do not compile. For a 16-bit type of your own pass the posenc_type beside a plain pointer:
// Rows(POSENC_BF16, data, stride).
template <class Element>
constexpr posenc_type TypeOf() {
  using T = std::remove_const_t<Element>;
  constexpr bool kIsInteger =
      std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
  static_assert(
      std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, BFloat16> ||
          std::is_same_v<T, Float16> || kIsInteger,
      "posenc has float, double, BFloat16, Float16, std::int32_t and std::int64_t; for a 16-bit type "
      "of your own pass its posenc_type and a pointer");
  if constexpr (std::is_same_v<T, float>) return POSENC_F32;
  if constexpr (std::is_same_v<T, BFloat16>) return POSENC_BF16;
  if constexpr (std::is_same_v<T, Float16>) return POSENC_F16;
  if constexpr (std::is_same_v<T, double>) return POSENC_F64;
  return sizeof(T) == 4 ? POSENC_I32 : POSENC_I64;
}

// T, but not for the compiler to find T by it.
template <class T>
using Same = std::common_type_t<T>;

// posenc_rows: rows [rows, stride] that a call writes or adds to.
struct Rows : posenc_rows {
  template <class T>
  constexpr Rows(T* elements, std::size_t row_stride) : Rows(TypeOf<T>(), elements, row_stride) {}
  constexpr Rows(posenc_type of, void* elements, std::size_t row_stride)
      : posenc_rows{of, elements, row_stride} {}
};

// posenc_list: positions, ids or rows of a cache.
struct List : posenc_list {
  template <class T>
  constexpr List(const T* values) : List(TypeOf<T>(), values) {}  // NOLINT(google-explicit-constructor)
  constexpr List(posenc_type of, const void* values) : posenc_list{of, values} {}
};

// posenc_lookup: token ids, and the table [vocabulary, stride] that they are looked up in.
struct Lookup : posenc_lookup {
  template <class T>
  constexpr Lookup(List token_ids, const T* embeddings, std::size_t count, std::size_t row_stride)
      : Lookup(token_ids, TypeOf<T>(), embeddings, count, row_stride) {}
  constexpr Lookup(List token_ids, posenc_type of, const void* embeddings, std::size_t count,
                   std::size_t row_stride)
      : posenc_lookup{token_ids, of, embeddings, count, row_stride} {}
};

// Owns an object that C's functions made, or null.
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

  Made* get() const { return made_; }

  // Replaces the object by the one that make(&made) makes. On failure the object stays.
  template <class Make>
  [[nodiscard]] Status Take(const Make& make) {
    Made* old = made_;
    const Status status = make(&made_);
    if (status == POSENC_OK) kDestroy(old);
    return status;
  }

 private:
  Made* made_ = nullptr;
};

}  // namespace posenc

#endif  // POSENC_TYPES_H_
