// The rows of members.inc and values.inc as tables, for the command, the tests and Python. The library itself
// does not use this file.
#ifndef POSENC_SRC_SPEC_TABLES_H_
#define POSENC_SRC_SPEC_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "spec/rows.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

struct Member {
  const char* name;  // "base"
  Kind kind;
  std::size_t offset, size;
  const char* of;  // the enum of a Choice, the count of a List, the flag of an Optional, or "none"
  double initial;
  const char* help;
  const char* must;  // what a value must be by itself, such as "1 .. 4"; "" if it may be any
};

// The words of the `must` column of members.inc (spec/rules.h).
#define POSENC_MUST_BE(must) POSENC_MUST_BE_OF(must)
#define POSENC_MUST_BE_OF(use, end, check) end

inline constexpr Member kSpecMembers[] = {
#define POSENC_SPEC(kind, name, initial, of, must, help)                                      \
  {#name,   Kind::k##kind, offsetof(posenc_spec, name),       sizeof(posenc_spec::name), #of, \
   initial, help,          POSENC_MUST_BE(POSENC_MUST_##must)},
#include "spec/members.inc"
};

inline constexpr Member kRotaryMembers[] = {
#define POSENC_ROTARY(kind, name, initial, of, must, help)                                            \
  {#name,   Kind::k##kind, offsetof(posenc_rotary_spec, name), sizeof(posenc_rotary_spec::name), #of, \
   initial, help,          POSENC_MUST_BE(POSENC_MUST_##must)},
#include "spec/members.inc"
};

// Whether the members follow struct_size in order, with no gap larger than alignment needs.
template <std::size_t kCount>
constexpr bool AreWhole(const Member (&members)[kCount], std::size_t struct_size) {
  std::size_t end = sizeof(std::size_t);
  for (const Member& member : members) {
    if (member.offset < end || member.offset - end >= sizeof(double)) return false;
    end = member.offset + member.size;
  }
  return struct_size >= end && struct_size - end < sizeof(double);
}
static_assert(AreWhole(kSpecMembers, sizeof(posenc_spec)), "members.inc lacks members of posenc_spec");
static_assert(AreWhole(kRotaryMembers, sizeof(posenc_rotary_spec)),
              "members.inc lacks members of posenc_rotary_spec");

// The members of a spec, by its type: `for (const Member& member : MembersOf<posenc_spec>())`.
struct Members {
  const Member* first;
  std::size_t count;
  const Member* begin() const { return first; }
  const Member* end() const { return first + count; }

  // The member of that name, or null.
  const Member* Find(const std::string& name) const {
    for (const Member& member : *this) {
      if (name == member.name) return &member;
    }
    return nullptr;
  }
};

template <class Spec>
Members MembersOf();
template <>
inline Members MembersOf<posenc_spec>() {
  return {kSpecMembers, sizeof(kSpecMembers) / sizeof(Member)};
}
template <>
inline Members MembersOf<posenc_rotary_spec>() {
  return {kRotaryMembers, sizeof(kRotaryMembers) / sizeof(Member)};
}

// Whether the command and the bindings show the member under its name.
inline bool IsShown(const Member& member) {
  return member.kind != Kind::kPart && member.kind != Kind::kPresence;
}

template <class T, class Spec>
T& At(const Member& member, Spec* spec) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(spec) + member.offset);
}
template <class T, class Spec>
const T& At(const Member& member, const Spec& spec) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&spec) + member.offset);
}

// Choices are read and written by copies: they have different enum types, which std::int32_t must not alias.
template <class Spec>
std::int32_t ChoiceIn(const Member& member, const Spec& spec) {
  std::int32_t number;
  std::memcpy(&number, reinterpret_cast<const char*>(&spec) + member.offset, sizeof(number));
  return number;
}
template <class Spec>
void SetChoice(const Member& member, std::int32_t number, Spec* spec) {
  std::memcpy(reinterpret_cast<char*>(spec) + member.offset, &number, sizeof(number));
}

// Calls use(number) with a reference to the member's number, in the member's type. Returns false for members
// that are not numbers, such as lists and names.
template <class Spec, class Use>
bool UseNumber(const Member& member, Spec* spec, const Use& use) {
  switch (member.kind) {
    case Kind::kSize:
      return use(At<std::size_t>(member, spec)), true;
    case Kind::kReal:
      return use(At<double>(member, spec)), true;
    case Kind::kChoice: {
      std::int32_t number = ChoiceIn(member, *spec);
      use(number);
      return SetChoice(member, number, spec), true;
    }
    case Kind::kFlag:
    case Kind::kPresence:
      return use(At<std::int32_t>(member, spec)), true;
    case Kind::kInteger:
    case Kind::kOptional:
      return use(At<std::int64_t>(member, spec)), true;
    case Kind::kRows:
      return use(At<std::uint64_t>(member, spec)), true;
    default:
      return false;
  }
}

// The member beside a List that has its numbers as floats.
template <class Spec>
const Member& FloatsOf(const Member& list) {
  return *MembersOf<Spec>().Find(std::string(list.name) + "_f32");
}

// Sets a List [count], given as doubles or as floats: one of the two pointers must be null.
template <class Spec>
void SetList(const Member& member, const double* doubles, const float* floats, std::size_t count,
             Spec* spec) {
  At<const double*>(member, spec) = doubles;
  At<const float*>(FloatsOf<Spec>(member), spec) = floats;
  At<std::size_t>(*MembersOf<Spec>().Find(member.of), spec) = count;
}

// A sentence with both numbers if sections do not add up to the pairs that rotate; else "".
inline std::string UnequalPairs(const posenc_rotary_spec& spec) {
  const std::size_t elements = spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim - spec.rotary_offset;
  std::size_t pairs = 0;
  for (const std::size_t section : spec.sections) pairs += section;
  if (spec.axes == 1 || pairs == elements / 2) return "";
  return "sections have " + std::to_string(pairs) + " pairs, and " + std::to_string(elements / 2) + " rotate";
}

// The words of an enum, in the order of its values.
inline std::vector<std::string> WordsOf(const char* enum_name) {
  std::vector<std::string> words;
  for (const Value& value : kValues) {
    if (std::strcmp(value.enum_name, enum_name) == 0) words.emplace_back(value.word);
  }
  return words;
}

// The words that a member may have as value. Of the two pairings, only output_pairing may be "same".
inline std::vector<std::string> WordsOf(const Member& member) {
  std::vector<std::string> words = WordsOf(member.of);
  if (std::strcmp(member.name, "pairing") == 0) words.pop_back();
  return words;
}

template <Of kOf>
const char* WordOf(std::int32_t number) {
  for (const Value& value : kValues) {
    if (value.of == kOf && value.number == number) return value.word;
  }
  return "unknown";
}

// Whether sines and cosines alternate in a layout. The word of such a layout begins with "interleaved".
inline bool IsInterleaved(posenc_layout layout) {
  return std::string(WordOf<Of::layout>(layout)).rfind("interleaved", 0) == 0;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SPEC_TABLES_H_
