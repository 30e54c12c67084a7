// Elements of each type, one at a time: for the ends of rows and for the scalar reference.
#ifndef POSENC_SRC_NUMBER_ELEMENTS_H_
#define POSENC_SRC_NUMBER_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/accuracy.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The sizes of arrays that are indexed by posenc_type; index 0 is no type.
inline constexpr std::size_t kSummandTypes = POSENC_F16 + 1;  // those that encodings are added to
inline constexpr std::size_t kEntryTypes = POSENC_F64 + 1;    // those that they are written as

inline bool IsSummand(posenc_type type) {
  return type == POSENC_F32 || type == POSENC_BF16 || type == POSENC_F16;
}
inline bool IsEntry(posenc_type type) { return IsSummand(type) || type == POSENC_F64; }

inline constexpr std::size_t ElementSize(posenc_type type) { return TraitsOf(type).size; }

template <posenc_type kType>
using ElementOf = std::conditional_t<kType == POSENC_F32, float, std::uint16_t>;

// 2^exponent, of a double.
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

// An element as a float, and a float rounded to one. Any alignment.
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

// to[k] = e[k], or from[k] * *scale + e[k] if scale is not null, for first <= k < end, where e are the
// entries in that order. Each operation rounds to float, the result to the type, a summand. Any alignment.
void StoreEntries(posenc_type type, const float* entries, EntryOrder order, std::size_t first,
                  std::size_t end, const float* scale, const void* from, void* to);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_ELEMENTS_H_
