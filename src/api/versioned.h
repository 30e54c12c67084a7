// Specs, which grow at their end, as programs of other versions pass them: struct_size, the first member, is
// the size that the caller knows.
#ifndef POSENC_SRC_API_VERSIONED_H_
#define POSENC_SRC_API_VERSIONED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {

// More than any of them will ever have.
constexpr std::size_t kMaxStructSize = 4096;

// The size of each in the first version that had it.
template <class Spec>
inline constexpr std::size_t kFirstSize = 0;
template <>
inline constexpr std::size_t kFirstSize<posenc_spec> = offsetof(posenc_spec, table_rows) +
                                                       sizeof(std::uint64_t);
template <>
inline constexpr std::size_t kFirstSize<posenc_rotary_spec> = offsetof(posenc_rotary_spec, target) +
                                                              sizeof(char*);

template <class Spec>
bool IsStructSize(std::size_t size) {
  return size >= kFirstSize<Spec> && size <= kMaxStructSize;
}

// A caller who knows fewer members gets the defaults of the others. One who knows more must have left them
// zero, which means that they are not used. struct_size is that of the caller.
template <class Spec>
posenc_status CopySpec(const Spec* from, Spec* to) {
  if (from == nullptr) return POSENC_NULL_POINTER;
  if (!IsStructSize<Spec>(from->struct_size)) return POSENC_BAD_STRUCT_SIZE;
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t i = sizeof(*from); i < from->struct_size; ++i) {
    if (bytes[i] != 0) return POSENC_UNKNOWN_MEMBERS;
  }
  *to = Default<Spec>();
  std::memcpy(to, bytes, std::min(sizeof(*to), from->struct_size));
  return POSENC_OK;
}

// Writes what a caller of that struct_size knows of from, and zeros for what this version does not know. On
// failure *to is left as it was.
template <class Spec>
posenc_status WriteSpec(const Spec& from, std::size_t struct_size, Spec* to) {
  if (to == nullptr) return POSENC_NULL_POINTER;
  if (!IsStructSize<Spec>(struct_size)) return POSENC_BAD_STRUCT_SIZE;
  std::memset(to, 0, struct_size);
  std::memcpy(to, &from, std::min(sizeof(from), struct_size));
  to->struct_size = struct_size;
  return POSENC_OK;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_VERSIONED_H_
