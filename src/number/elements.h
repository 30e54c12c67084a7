// Loads and stores elements of each type, one at a time, for the ends of rows and for the scalar reference.
#ifndef POSENC_SRC_NUMBER_ELEMENTS_H_
#define POSENC_SRC_NUMBER_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

inline constexpr std::size_t ElementSize(posenc_type type) { return TraitsOf(type).size; }

template <posenc_type kType>
using ElementOf = std::conditional_t<kType == POSENC_F32, float, std::uint16_t>;

// 2^exponent as a double.
inline constexpr double TwoTo(int exponent) {
  double power = 1.0;
  for (; exponent > 0; --exponent) power *= 2.0;
  for (; exponent < 0; ++exponent) power /= 2.0;
  return power;
}

// The bits of a canonical NaN: quiet, positive, without a payload.
template <posenc_type kType>
inline constexpr std::uint32_t kNanBits = kType == POSENC_F32    ? 0x7FC00000u
                                          : kType == POSENC_BF16 ? 0x7FC0u
                                                                 : 0x7E00u;

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
