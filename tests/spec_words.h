// Specs from texts (spec/text.h), "head_dim=128 scaling=yarn factor=4 original_length=32768", and from words
// that no text has, for specs that must be refused.
#ifndef POSENC_TESTS_SPEC_WORDS_H_
#define POSENC_TESTS_SPEC_WORDS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/rotary_c.h"
#include "refusal.h"
#include "spec/text.h"

namespace posenc {

// Reads a file in the source tree.
inline std::string ReadFile(const std::string& name) {
  std::ifstream file(POSENC_SOURCE_DIR "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::vector<std::string> Split(const std::string& text, char separator = ' ') {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

template <class T>
T NumberOf(const std::string& text) {
  T number{};
  EXPECT_TRUE(internal::ReadNumber(text, &number)) << text;
  return number;
}

template <class T>
std::vector<T> ListOf(const std::string& text) {
  std::vector<T> numbers;
  EXPECT_EQ(internal::ReadList(text, &numbers), "") << text;
  return numbers;
}

// A list with equal steps: Steps(1, 0.25, 3) is "1:1.25:1.5".
inline std::string Steps(double first, double step, std::size_t count) {
  std::vector<double> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(first + step * static_cast<double>(i));
  return internal::ListInText(list.data(), count);
}

// The largest size, which in a sum with other sizes counts as -1.
inline const std::string kMaxSizeText = std::to_string(std::numeric_limits<std::size_t>::max());

// The lists of all specs here. They stay in memory until the program ends.
inline internal::SpecData* Lists() {
  static internal::SpecData lists;
  return &lists;
}

// The spec with the members of a text.
template <class S>
S WithText(S spec, const std::string& text) {
  EXPECT_EQ(internal::ParseSpec(text, Lists(), &spec), "") << text;
  return spec;
}

// Sets what no text says. Returns false, and sets nothing, if the word may be in a text.
//   unit=256           the number of a choice or of a flag, also a wrong one
//   has_padding=1      a member that is part of another one
//   frequency_count=3  a count without its list
//   frequencies=       no list, although there is a count
//   +frequencies=1:2   a list beside the list of the other type
//   struct_size=7
template <class S>
bool SetWithoutText(const std::string& name, const std::string& value, S* spec) {
  if (name[0] == '+') {
    const S before = *spec;
    EXPECT_EQ(internal::ParseSpec(name.substr(1) + "=" + value, Lists(), spec), "") << name;
    for (const internal::Member& member : internal::MembersOf<S>()) {
      if (member.kind != internal::Kind::kList) continue;
      const internal::Member& floats = internal::FloatsOf<S>(member);
      const auto keep = [&](auto& list, auto* old) { list = list == nullptr ? old : list; };
      keep(internal::At<const double*>(member, spec), internal::At<const double*>(member, before));
      keep(internal::At<const float*>(floats, spec), internal::At<const float*>(floats, before));
    }
    return true;
  }
  if (name == "struct_size") {
    spec->struct_size = NumberOf<std::size_t>(value);
    return true;
  }
  const internal::Member* const member = internal::MembersOf<S>().Find(name);
  if (member == nullptr) return false;
  std::int32_t number = 0;
  const bool is_number = internal::ReadNumber(value, &number);
  switch (member->kind) {
    case internal::Kind::kChoice:
    case internal::Kind::kFlag:
    case internal::Kind::kPresence:
      return is_number && internal::UseNumber(*member, spec, [&](auto& to) {
               to = static_cast<std::decay_t<decltype(to)>>(number);
             });
    case internal::Kind::kList:
      if (value.empty()) internal::At<const double*>(*member, spec) = nullptr;
      return value.empty();
    case internal::Kind::kPart:
      if (value.empty()) internal::At<const float*>(*member, spec) = nullptr;
      if (name.find("_count") == std::string::npos) return value.empty();
      internal::At<std::size_t>(*member, spec) = NumberOf<std::size_t>(value);
      return true;
    default:
      return false;
  }
}

// The spec with the members of a text, or of words that no text has. If words set the same member, the last
// one counts.
template <class S>
S With(S spec, const std::string& text) {
  internal::SpecWords words, others;
  for (const std::string& word : Split(text)) {
    const std::string name = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    S trial = spec;
    if (SetWithoutText(name, value, &trial)) {
      others.emplace_back(name, value);
      continue;
    }
    bool are_floats = false;
    const auto* const member = internal::MemberInText<S>(name, &are_floats);
    words.erase(std::remove_if(words.begin(), words.end(),
                               [&](const auto& other) {
                                 return internal::MemberInText<S>(other.first, &are_floats) == member;
                               }),
                words.end());
    words.emplace_back(name, value);
  }
  EXPECT_EQ(internal::SetMembers(words, Lists(), &spec), "") << text;
  for (const auto& [name, value] : others) SetWithoutText(name, value, &spec);
  return spec;
}

inline posenc_spec EncoderSpec(const std::string& words) {
  posenc_spec spec;
  EXPECT_EQ(posenc_spec_init(&spec, sizeof(spec)), POSENC_OK);
  return With(spec, words);
}

inline posenc_rotary_spec RotarySpecOf(const std::string& words) {
  posenc_rotary_spec spec;
  EXPECT_EQ(posenc_rotary_spec_init(&spec, sizeof(spec)), POSENC_OK);
  return With(spec, words);
}

// Names the members that differ.
template <class S>
std::string Differences(const S& a, const S& b) {
  const auto bytes = [](const S& spec, const internal::Member& member) {
    return reinterpret_cast<const char*>(&spec) + member.offset;
  };
  std::string names;
  for (const internal::Member& member : internal::MembersOf<S>()) {
    if (std::memcmp(bytes(a, member), bytes(b, member), member.size) != 0)
      names += std::string(member.name) + " ";
  }
  return names;
}

}  // namespace posenc

#endif  // POSENC_TESTS_SPEC_WORDS_H_
