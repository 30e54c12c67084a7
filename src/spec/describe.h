// Describes specs in words, for the command and for Python. The library itself does not use this file.
#ifndef POSENC_SRC_SPEC_DESCRIBE_H_
#define POSENC_SRC_SPEC_DESCRIBE_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "spec/tables.h"

namespace posenc {
namespace internal {

// The shortest decimal number that reads back as the same double.
inline std::string Shortest(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// The value of a member in words; "" if there is nothing to say.
template <class Spec>
std::string MemberInWords(const Member& member, Spec spec) {
  const auto count = [&] { return At<std::size_t>(*MembersOf<Spec>().Find(member.of), spec); };
  const auto axes = [&] { return At<std::size_t>(*MembersOf<Spec>().Find("axes"), spec); };
  std::string text;
  if (member.kind == Kind::kChoice) {
    text = WordsOf(member.of)[static_cast<std::size_t>(ChoiceIn(member, spec))];
  } else if (member.kind == Kind::kReal) {
    text = Shortest(At<double>(member, spec));
  } else if (member.kind == Kind::kOptional) {
    const bool is_there = At<std::int32_t>(*MembersOf<Spec>().Find(member.of), spec) == 1;
    if (is_there) text = std::to_string(At<std::int64_t>(member, spec));
  } else if (member.kind == Kind::kList && std::strcmp(member.name, "long_factors") != 0) {
    if (count() != 0) text = std::to_string(count());
  } else if (member.kind == Kind::kSizes) {
    for (std::size_t k = 0; axes() > 1 && k < std::min<std::size_t>(axes(), POSENC_MAX_AXES); ++k) {
      text += (k == 0 ? "" : "+") + std::to_string((&At<std::size_t>(member, spec))[k]);
    }
  } else if (IsShown(member) && member.kind != Kind::kRows && std::strcmp(member.name, "axes") != 0) {
    UseNumber(member, &spec, [&](const auto& number) { text = std::to_string(number); });
  }
  return text;
}

template <class Spec>
std::string DescribeMembers(const Spec& spec, const Spec& defaults) {
  std::string all;
  for (const Member& member : MembersOf<Spec>()) {
    const std::string text = MemberInWords(member, spec);
    if (text.empty() || text == MemberInWords(member, defaults)) continue;
    all.append(all.empty() ? "" : ", ").append(member.name).append(" ").append(text);
  }
  return all;
}

// The members that differ from the default: "dim 512, layout sin_cos, exponent_dim 510".
inline std::string Describe(const posenc_spec& spec) { return DescribeMembers(spec, Default<posenc_spec>()); }
inline std::string Describe(const posenc_rotary_spec& spec) {
  return DescribeMembers(spec, Default<posenc_rotary_spec>());
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SPEC_DESCRIBE_H_
