// What the library itself uses of the rows of members.inc and values.inc: the defaults of members, where
// members end in a struct, and which values enums have.
#ifndef POSENC_SRC_SPEC_ROWS_H_
#define POSENC_SRC_SPEC_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_cache_c.h"

namespace posenc {
namespace internal {

// The kinds of members, each with its type.
enum class Kind : std::int32_t {
  kSize,      // size_t
  kReal,      // double
  kChoice,    // an enum
  kFlag,      // int32_t, 0 or 1
  kInteger,   // int64_t
  kRows,      // uint64_t
  kOptional,  // int64_t, used if its flag is 1
  kName,      // const char*
  kList,      // const double*; NAME_f32 beside it is a const float*, and `of` is their count
  kSizes,     // size_t [POSENC_MAX_AXES]
  kPresence,  // the flag of an Optional
  kPart,      // the other members of a List
};

template <Kind kKind, class T>
constexpr bool IsOfKind() {
  if constexpr (kKind == Kind::kSize) return std::is_same<T, std::size_t>::value;
  if constexpr (kKind == Kind::kReal) return std::is_same<T, double>::value;
  if constexpr (kKind == Kind::kRows) return std::is_same<T, std::uint64_t>::value;
  if constexpr (kKind == Kind::kName) return std::is_same<T, const char*>::value;
  if constexpr (kKind == Kind::kList) return std::is_same<T, const double*>::value;
  if constexpr (kKind == Kind::kSizes) return std::is_same<T, std::size_t[POSENC_MAX_AXES]>::value;
  if constexpr (kKind == Kind::kPart) return std::is_pointer<T>::value || std::is_same<T, std::size_t>::value;
  if constexpr (kKind == Kind::kInteger || kKind == Kind::kOptional)
    return std::is_same<T, std::int64_t>::value;
  if constexpr (kKind == Kind::kChoice) return std::is_enum<T>::value && sizeof(T) == sizeof(std::int32_t);
  return std::is_same<T, std::int32_t>::value;
}

#define POSENC_SPEC(kind, name, initial, of, must, help) \
  static_assert(IsOfKind<Kind::k##kind, decltype(posenc_spec::name)>(), #name);
#define POSENC_ROTARY(kind, name, initial, of, must, help) \
  static_assert(IsOfKind<Kind::k##kind, decltype(posenc_rotary_spec::name)>(), #name);
#include "spec/members.inc"

// Sets a member that is a number or an enum; pointers and arrays keep their value.
template <class T>
void SetNumber(double value, T* member) {
  if constexpr (std::is_arithmetic<T>::value || std::is_enum<T>::value) *member = static_cast<T>(value);
}

// The defaults of posenc_spec_init and posenc_rotary_spec_init, with struct_size 0.
template <class Spec>
Spec Default();
template <>
inline posenc_spec Default() {
  posenc_spec spec{};
#define POSENC_SPEC(kind, name, initial, of, must, help) SetNumber(initial, &spec.name);
#include "spec/members.inc"
  return spec;
}
template <>
inline posenc_rotary_spec Default() {
  posenc_rotary_spec spec{};
#define POSENC_ROTARY(kind, name, initial, of, must, help) SetNumber(initial, &spec.name);
#include "spec/members.inc"
  return spec;
}

// Whether the first `size` bytes of a spec hold a part of some member.
template <class Spec>
constexpr bool EndsInMember(std::size_t size);
template <>
constexpr bool EndsInMember<posenc_spec>(std::size_t size) {
  return false
#define POSENC_SPEC(kind, name, initial, of, must, help) \
  || (size > offsetof(posenc_spec, name) && size < offsetof(posenc_spec, name) + sizeof(posenc_spec::name))
#include "spec/members.inc"
      ;
}
template <>
constexpr bool EndsInMember<posenc_rotary_spec>(std::size_t size) {
  return false
#define POSENC_ROTARY(kind, name, initial, of, must, help) \
  || (size > offsetof(posenc_rotary_spec, name) &&         \
      size < offsetof(posenc_rotary_spec, name) + sizeof(posenc_rotary_spec::name))
#include "spec/members.inc"
      ;
}

// The enums that have rows in values.inc. Each is named like the C enum without "posenc_".
enum class Of {  // NOLINTBEGIN(readability-identifier-naming)
  layout,
  odd_column,
  phase_rounding,
  unit,
  pairing,
  arithmetic,
  scaling,
  axis_order,
  cache_layout,
  type
};  // NOLINTEND(readability-identifier-naming)

struct Value {
  Of of;
  const char* enum_name;  // "layout"
  std::int32_t number;
  const char* word;  // "sin_cos"
};

inline constexpr Value kValues[] = {
#define POSENC_VALUE(of, constant, word) {Of::of, #of, constant, word},
#include "spec/values.inc"
};

constexpr std::int32_t FirstOf(Of of) { return of == Of::type ? 1 : 0; }

// One more than the largest value.
constexpr std::int32_t EndOf(Of of) {
  std::int32_t end = FirstOf(of);
  for (const Value& value : kValues) end += value.of == of ? 1 : 0;
  return end;
}

constexpr bool ValuesFollowOneAnother() {
  Of of = Of::type;
  std::int32_t next = FirstOf(of);
  for (const Value& value : kValues) {
    if (value.of != of) next = FirstOf(value.of);
    of = value.of;
    if (value.number != next++) return false;
  }
  return true;
}
static_assert(ValuesFollowOneAnother(), "values.inc and the public headers");

template <Of kOf>
bool IsValue(std::int32_t number) {
  constexpr std::int32_t kFirst = FirstOf(kOf), kEnd = EndOf(kOf);
  return number >= kFirst && number < kEnd;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SPEC_ROWS_H_
