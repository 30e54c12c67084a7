// Structs that grow at their end, as programs of other versions pass them: struct_size, the first member, is
// the size that the caller knows.
#ifndef POSENC_SRC_API_VERSIONED_H_
#define POSENC_SRC_API_VERSIONED_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// More than any of these structs will ever have.
constexpr std::size_t kMaxStructSize = 4096;

// first_size is that of the struct in the first version that had it.
inline bool IsStructSize(std::size_t size, std::size_t first_size) {
  return size >= first_size && size <= kMaxStructSize;
}

// A caller who knows fewer members gets the defaults of the others. One who knows more must have left them
// zero, which means that they are not used.
template <class Struct>
posenc_status CopyVersioned(const Struct* from, std::size_t first_size, const Struct& defaults, Struct* to) {
  if (from == nullptr) return POSENC_NULL_POINTER;
  if (!IsStructSize(from->struct_size, first_size)) return POSENC_BAD_STRUCT_SIZE;
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t i = sizeof(*from); i < from->struct_size; ++i) {
    if (bytes[i] != 0) return POSENC_BAD_STRUCT_SIZE;
  }
  *to = defaults;
  std::memcpy(to, bytes, std::min(sizeof(*to), from->struct_size));
  return POSENC_OK;
}

// Writes what a caller of that struct_size knows of from, and zeros for what this version does not know.
template <class Struct>
posenc_status WriteVersioned(const Struct& from, std::size_t first_size, std::size_t struct_size,
                             Struct* to) {
  if (to == nullptr) return POSENC_NULL_POINTER;
  if (!IsStructSize(struct_size, first_size)) return POSENC_BAD_STRUCT_SIZE;
  std::memset(to, 0, struct_size);
  std::memcpy(to, &from, std::min(sizeof(from), struct_size));
  to->struct_size = struct_size;
  return POSENC_OK;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_VERSIONED_H_
