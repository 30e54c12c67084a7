// The storage types of rows, one entry at a time: for the ends of rows and for the reference.
#ifndef POSENC_SRC_ELEMENTS_H_
#define POSENC_SRC_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels.h"

namespace posenc {
namespace internal {

template <ElementType kType>
using ElementOf = std::conditional_t<kType == kFloat32, float, std::uint16_t>;

inline constexpr std::size_t ElementSize(ElementType type) {
  return type == kFloat64 ? sizeof(double) : type == kFloat32 ? sizeof(float) : sizeof(std::uint16_t);
}

// to[k * step] = entries[k], k < count, where steps count doubles. Any alignment.
void StoreDoubles(const double* entries, std::size_t count, std::size_t step, unsigned char* to);

// to[k] = e[k], or from[k] * *scale + e[k] if scale is not null, for first <= k < end, where e are the
// entries, or, if cosines is not null, entries and cosines by turns. Each operation rounds to float, the
// result to the type. Any alignment.
void StoreEntries(ElementType type, const float* entries, const float* cosines, std::size_t first,
                  std::size_t end, const float* scale, const void* from, void* to);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_ELEMENTS_H_
