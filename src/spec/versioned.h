// Reads and writes specs of programs that were compiled with an older or a newer posenc. A spec only grows at
// its end, and its first member, struct_size, is the size of the spec in the program's version.
#ifndef POSENC_SRC_SPEC_VERSIONED_H_
#define POSENC_SRC_SPEC_VERSIONED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"
#include "spec/rows.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

// Where the last member ended in the first version of a spec.
template <class Spec>
inline constexpr std::size_t kFirstSize = 0;
template <>
inline constexpr std::size_t kFirstSize<posenc_spec> = offsetof(posenc_spec, target) + sizeof(char*);
template <>
inline constexpr std::size_t kFirstSize<posenc_rotary_spec> = offsetof(posenc_rotary_spec, target) +
                                                              sizeof(char*);

// The refusal of a spec whose struct_size no version has.
template <class Spec>
inline constexpr posenc_status kBadStructSize = rule::ok;
template <>
inline constexpr posenc_status kBadStructSize<posenc_spec> = rule::spec_struct_size;
template <>
inline constexpr posenc_status kBadStructSize<posenc_rotary_spec> = rule::rotary_struct_size;

// The same for a struct_size that is an argument.
template <class Spec>
inline constexpr posenc_status kBadSizeArgument = rule::ok;
template <>
inline constexpr posenc_status kBadSizeArgument<posenc_spec> = rule::spec_size_argument;
template <>
inline constexpr posenc_status kBadSizeArgument<posenc_rotary_spec> = rule::rotary_size_argument;

// No future version will have a larger spec.
inline constexpr std::size_t kLargestSize = 4096;

// Whether some version has, or may have, a spec of this size. A size that ends inside a member is refused,
// because part of a pointer or number is not its value. A size that is not a multiple of the alignment is
// refused, because no struct has such a size.
template <class Spec>
constexpr bool IsStructSize(std::size_t size) {
  static_assert(kFirstSize<Spec> != 0, "its first size");
  return size >= kFirstSize<Spec> && size <= kLargestSize && size % alignof(Spec) == 0 &&
         !EndsInMember<Spec>(size);
}
static_assert(IsStructSize<posenc_spec>(sizeof(posenc_spec)), "");
static_assert(IsStructSize<posenc_rotary_spec>(sizeof(posenc_rotary_spec)), "");

// Copies the caller's spec. Members that only this version knows get their defaults. Members that only the
// caller's version knows must be 0, which means that they are not used. to->struct_size is the caller's.
template <class Spec>
posenc_status CopySpec(const Spec* from, Spec* to) {
  if (from == nullptr) return rule::null_spec;
  if (!IsStructSize<Spec>(from->struct_size)) return kBadStructSize<Spec>;
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t i = sizeof(*from); i < from->struct_size; ++i) {
    if (bytes[i] != 0) return rule::unknown_members;
  }
  *to = Default<Spec>();
  std::memcpy(to, bytes, std::min(sizeof(*to), from->struct_size));
  return rule::ok;
}

// Writes the members that a caller with this struct_size knows, and zeros for members that only the caller
// knows. On failure *to stays as it is.
template <class Spec>
posenc_status WriteSpec(const Spec& from, std::size_t struct_size, Spec* to) {
  if (to == nullptr) return rule::null_spec;
  if (!IsStructSize<Spec>(struct_size)) return kBadSizeArgument<Spec>;
  std::memset(to, 0, struct_size);
  std::memcpy(to, &from, std::min(sizeof(from), struct_size));
  to->struct_size = struct_size;
  return rule::ok;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SPEC_VERSIONED_H_
