// What all C++ headers of posenc share: arrays with their types, and owners of C's objects.
#ifndef POSENC_TYPES_H_
#define POSENC_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc_c.h"

namespace posenc {

// POSENC_OK, or a number that says what is wrong: posenc_status_kind and posenc_status_message explain the
// number. The C++ headers use the constants of C, such as POSENC_SIN_COS.
using Status = posenc_status;

// A bfloat16 as memory holds it.
struct BFloat16 {
  std::uint16_t bits;  // sign, 8 bits of exponent, 7 of mantissa
};

// An IEEE half precision number as memory holds it.
struct Float16 {
  std::uint16_t bits;  // sign, 5 bits of exponent, 10 of mantissa
};

// The posenc_type of float, double, BFloat16, Float16, std::int32_t and std::int64_t, and of arrays of them:
// TypeOf<float[512]>() is POSENC_F32. Other types do not compile. Rows(POSENC_BF16, data, stride) takes any
// other 16-bit type.
template <class Element>
constexpr posenc_type TypeOf() {
  using T = std::remove_const_t<std::remove_all_extents_t<Element>>;
  constexpr bool kIsInteger =
      std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, BFloat16> ||
                    std::is_same_v<T, Float16> || kIsInteger,
                "posenc takes pointers to float, double, posenc::BFloat16, posenc::Float16, std::int32_t and "
                "std::int64_t; for a 16-bit type of your own, write its posenc_type before the pointer: "
                "{POSENC_BF16, data, stride}");
  if constexpr (std::is_same_v<T, float>) return POSENC_F32;
  if constexpr (std::is_same_v<T, BFloat16>) return POSENC_BF16;
  if constexpr (std::is_same_v<T, Float16>) return POSENC_F16;
  if constexpr (std::is_same_v<T, double>) return POSENC_F64;
  return sizeof(T) == 4 ? POSENC_I32 : POSENC_I64;
}

// T itself, but the compiler does not deduce T from a parameter Same<T>* (std::type_identity_t).
template <class T>
struct SameType {
  using type = T;  // NOLINT(readability-identifier-naming)
};
template <class T>
using Same = typename SameType<T>::type;

// In the constructors below, parameters are named after the members of C, with an underscore after them.
// data_ is an array, or a pointer to the first element. The array may have several dimensions, as in
// float table[512][512].

// posenc_rows: rows [rows, stride] that a call writes or adds to. Counts and strides are std::size_t.
struct Rows : posenc_rows {
  template <class T>
  constexpr Rows(T* data_, std::size_t stride_) : Rows(TypeOf<T>(), data_, stride_) {}
  constexpr Rows(posenc_type type_, void* data_, std::size_t stride_) : posenc_rows{type_, data_, stride_} {}
};

// posenc_list: an array of positions, ids or rows of a cache.
struct List : posenc_list {
  template <class T>
  constexpr List(const T* data_) : List(TypeOf<T>(), data_) {}  // NOLINT(google-explicit-constructor)
  constexpr List(posenc_type type_, const void* data_) : posenc_list{type_, data_} {}
};

// posenc_lookup: token ids, and the table [vocabulary, stride] of their embeddings.
struct Lookup : posenc_lookup {
  template <class T>
  constexpr Lookup(List ids_, const T* table_, std::size_t vocabulary_, std::size_t stride_)
      : Lookup(ids_, TypeOf<T>(), table_, vocabulary_, stride_) {}
  constexpr Lookup(List ids_, posenc_type type_, const void* table_, std::size_t vocabulary_,
                   std::size_t stride_)
      : posenc_lookup{ids_, type_, table_, vocabulary_, stride_} {}
};

// Owns an object of C, or nothing.
template <class Made, void (*kDestroy)(Made*)>
class Owner {
 public:
  Owner() = default;
  Owner(Owner&& other) noexcept : made_(other.made_) { other.made_ = nullptr; }  // other then owns nothing
  Owner& operator=(Owner&& other) noexcept {  // the two exchange their objects
    Made* mine = made_;
    made_ = other.made_;
    other.made_ = mine;
    return *this;
  }
  ~Owner() { kDestroy(made_); }

  // The object, or null.
  Made* get() const { return made_; }

  // Calls make(&made), which makes another object. If it succeeds, Take destroys the old one, else the old
  // one stays.
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
