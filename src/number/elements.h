// The types of elements: which types there are, what code must know of each type, and functions that load and
// store elements one at a time, for the ends of rows and for the scalar reference.
//
// Code that treats types differently names all types that it knows, so that it does not compile for a new
// type. There are three ways:
//
//   the type is a template parameter   the last branch begins with static_assert(kType == POSENC_F16)
//   a constant for each type           the last value is NoValueFor(kType)
//   the type is known at run time      static_assert(kAreAllSummands<...>) or kAreAllEntries<...>
#ifndef POSENC_SRC_NUMBER_ELEMENTS_H_
#define POSENC_SRC_NUMBER_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "posenc/accuracy.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The types that encodings are added to, and the types that they are written as.
inline constexpr posenc_type kSummands[] = {POSENC_F32, POSENC_BF16, POSENC_F16};
inline constexpr posenc_type kEntries[] = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64};

template <std::size_t kCount>
constexpr bool Contains(const posenc_type (&types)[kCount], posenc_type type) {
  for (const posenc_type each : types) {
    if (each == type) return true;
  }
  return false;
}
constexpr bool IsSummand(posenc_type type) { return Contains(kSummands, type); }
constexpr bool IsEntry(posenc_type type) { return Contains(kEntries, type); }

// Whether kTypes are all types that encodings are added to, or all types that they are written as.
template <posenc_type... kTypes>
inline constexpr bool kAreAllSummands = sizeof...(kTypes) == std::size(kSummands) &&
                                        (IsSummand(kTypes) && ...);
template <posenc_type... kTypes>
inline constexpr bool kAreAllEntries = sizeof...(kTypes) == std::size(kEntries) && (IsEntry(kTypes) && ...);

// Stands for the value of a constant for all types that have none. It is not constexpr, and it is not
// defined. So the constant does not compile for such a type.
float NoValueFor(posenc_type type);

// The size of an array that these types index; index 0 is no type.
template <std::size_t kCount>
constexpr std::size_t IndexEnd(const posenc_type (&types)[kCount]) {
  std::size_t end = 0;
  for (const posenc_type type : types) {
    const auto next = static_cast<std::size_t>(type) + 1;
    if (end < next) end = next;
  }
  return end;
}
inline constexpr std::size_t kSummandTypes = IndexEnd(kSummands);
inline constexpr std::size_t kEntryTypes = IndexEnd(kEntries);

// The size of an element of a type, which must be one of kEntries. It is a table, because calls ask for sizes
// several times, and the branches of TraitsOf take longer.
struct ElementSizes {
  std::size_t of[kEntryTypes] = {};

  constexpr ElementSizes() {
    for (const posenc_type type : kEntries) of[type] = TraitsOf(type).size;
  }
};
inline constexpr ElementSizes kElementSizes;
constexpr std::size_t ElementSize(posenc_type type) { return kElementSizes.of[type]; }
constexpr bool HaveTraits() {
  for (const posenc_type type : kEntries) {
    if (ElementSize(type) == 0) return false;
  }
  return true;
}
static_assert(HaveTraits(), "TraitsOf must know each type");

// What else code must know of a type to which encodings are added:
//
//   Element   what loops load and store: an integer if C++ lacks the type
//   kNanBits  the bits of the canonical NaN: quiet, positive, without a payload
template <posenc_type kType>
struct Format;
template <>
struct Format<POSENC_F32> {
  using Element = float;
  static constexpr std::uint32_t kNanBits = 0x7FC00000;
};
template <>
struct Format<POSENC_BF16> {
  using Element = std::uint16_t;
  static constexpr std::uint32_t kNanBits = 0x7FC0;
};
template <>
struct Format<POSENC_F16> {
  using Element = std::uint16_t;
  static constexpr std::uint32_t kNanBits = 0x7E00;
};

template <posenc_type kType>
using ElementOf = typename Format<kType>::Element;
template <posenc_type kType>
inline constexpr std::uint32_t kNanBits = Format<kType>::kNanBits;

// 2^exponent as a double.
inline constexpr double TwoTo(int exponent) {
  double power = 1.0;
  for (; exponent > 0; --exponent) power *= 2.0;
  for (; exponent < 0; ++exponent) power /= 2.0;
  return power;
}

// LoadElement returns an element as a float. StoreElement rounds a float to an element. Any alignment.
float LoadElement(posenc_type type, const unsigned char* from);
void StoreElement(posenc_type type, float x, unsigned char* to);

// to[k * step] = entries[k], k < count, where steps count doubles. Any alignment.
void StoreDoubles(const double* entries, std::size_t count, std::size_t step, unsigned char* to);

// to[k] = from[k], k < count, widened to float: bfloat16 or float16. Any alignment.
template <posenc_type kType>
void WidenEntries(const void* from, std::size_t count, void* to);

// Makes each NaN among floats [count] the canonical one. Any alignment.
void MakeNansCanonical(std::size_t count, void* row);

// to[k] = the canonical NaN, k < count. Any alignment.
void StoreNans(posenc_type type, std::size_t count, void* to);

// Where the k-th entry of a row lies in a buffer: in the buffer's order; or, in a buffer [s0 c0 s1 c1 ...],
// the k-th sine, the k-th cosine, or the k-th of [c0 s0 c1 s1 ...].
struct EntryOrder {
  std::size_t step = 1;
  std::size_t flip = 0;

  std::size_t operator[](std::size_t k) const { return (k * step) ^ flip; }
};
inline constexpr EntryOrder kSines = {2, 0};
inline constexpr EntryOrder kCosines = {2, 1};
inline constexpr EntryOrder kCosinesFirst = {1, 1};

// One row: where its elements are read, if they are, and where they are written.
struct Row {
  const unsigned char* from;
  unsigned char* to;
};

// to[k] = e[k], or from[k] * *scale + e[k] if scale is not null, for first <= k < end, where e are the
// entries in that order. Each operation rounds to float, and the result is rounded to the type. Any
// alignment.
void StoreEntries(posenc_type type, const float* entries, EntryOrder order, std::size_t first,
                  std::size_t end, const float* scale, Row row);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_ELEMENTS_H_
