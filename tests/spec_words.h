// Specs written as words, as in golden files and tests: "head_dim=128 scaling=YARN factor=4
// original_length=32768".
#ifndef POSENC_TESTS_SPEC_WORDS_H_
#define POSENC_TESTS_SPEC_WORDS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/rotary_c.h"
#include "refusal.h"

namespace posenc {

// Reads a file in the source tree.
inline std::string ReadFile(const std::string& name) {
  std::ifstream file(POSENC_SOURCE_DIR "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The values of all enums, by their names without "POSENC_".
inline const std::map<std::string, std::int32_t>& Constants() {
  static const std::map<std::string, std::int32_t> constants = {
#define POSENC_VALUE(of, constant, word) {&#constant[7], constant},
#include "spec/values.inc"
  };
  return constants;
}

// For an unsigned integer "-1" is the largest value.
template <class T>
T ParseAs(const std::string& text) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::strtod(text.c_str(), nullptr));
  const auto constant = Constants().find(text);
  if (constant != Constants().end()) return static_cast<T>(constant->second);
  return static_cast<T>(std::strtoull(text.c_str(), nullptr, 10));
}

// "1,2.5,4", or "1+0.25*3" for 1, 1.25, 1.5. The numbers stay in memory until the program ends.
template <class T>
const std::vector<T>& ParseList(const std::string& text) {
  static std::deque<std::vector<T>> lists;
  std::vector<T>& list = lists.emplace_back();
  if (const std::size_t star = text.find('*'); star != std::string::npos) {
    char* step = nullptr;
    const double first = std::strtod(text.c_str(), &step);
    for (std::size_t i = 0; i < ParseAs<std::size_t>(text.substr(star + 1)); ++i) {
      list.push_back(static_cast<T>(first + std::strtod(step + 1, nullptr) * static_cast<double>(i)));
    }
    return list;
  }
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, ',');) list.push_back(ParseAs<T>(number));
  return list;
}

// Calls visit(name, pointer to member) for all members except struct_size.
template <class Visit>
void ForEachMember(const posenc_spec& /*spec*/, const Visit& visit) {
#define POSENC_SPEC(kind, name, initial, of, must, help) visit(#name, &posenc_spec::name);
#include "spec/members.inc"
}
template <class Visit>
void ForEachMember(const posenc_rotary_spec& /*spec*/, const Visit& visit) {
#define POSENC_ROTARY(kind, name, initial, of, must, help) visit(#name, &posenc_rotary_spec::name);
#include "spec/members.inc"
}

// A list also sets its count. An empty list is a null pointer and does not set the count.
template <class S>
void SetMember(S* spec, const std::string& word) {
  const std::string name = word.substr(0, word.find('=')), text = word.substr(word.find('=') + 1);
  bool is_known = false;
  ForEachMember(*spec, [&](const char* member_name, auto member) {
    if (name != member_name) return;
    is_known = true;
    using Value = std::remove_reference_t<decltype(spec->*member)>;
    if constexpr (std::is_array_v<Value>) {
      std::vector<std::size_t> sections = ParseList<std::size_t>(text);
      sections.resize(POSENC_MAX_AXES);
      std::copy(sections.begin(), sections.end(), spec->*member);
    } else if constexpr (std::is_same_v<Value, const char*>) {
      ADD_FAILURE() << "no list: " << word;
    } else if constexpr (std::is_pointer_v<Value>) {
      const auto& list = ParseList<std::remove_const_t<std::remove_pointer_t<Value>>>(text);
      spec->*member = list.empty() ? nullptr : list.data();
      if (list.empty()) return;
      SetMember(spec, (name.find("freq") == 0 ? "frequency_count=" : "factor_count=") +
                          std::to_string(list.size()));
    } else {
      spec->*member = ParseAs<Value>(text);
    }
  });
  EXPECT_TRUE(is_known) << word;
}

inline std::vector<std::string> Split(const std::string& text, char separator = ' ') {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

template <class S>
S With(S spec, const std::string& words) {
  for (const std::string& word : Split(words)) SetMember(&spec, word);
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

// A good spec, changes that are good too, and changes for which creation refuses it. Semicolons separate
// changes. A bar in the last word makes several: "base=0|-1" is two changes.
struct Changes {
  std::string spec, passing, refused;
  Refusal refusal;
};

inline std::vector<std::string> ChangesOf(const std::string& text) {
  std::vector<std::string> changes;
  for (const std::string& change : Split(text, ';')) {
    const std::size_t values = change.rfind('=') + 1;
    for (const std::string& value : Split(change.substr(values), '|'))
      changes.push_back(change.substr(0, values) + value);
    if (values == change.size()) changes.push_back(change);
  }
  return changes;
}

// Calls expect(spec, what creation reports) for the spec and each changed spec.
template <class S, class Expect>
void ForEachChange(const Changes& changes, const S& spec, const Expect& expect) {
  SCOPED_TRACE(changes.spec);
  expect(spec, POSENC_OK);
  for (const std::string& change : ChangesOf(changes.passing)) {
    SCOPED_TRACE(change);
    expect(With(spec, change), POSENC_OK);
  }
  for (const std::string& change : ChangesOf(changes.refused)) {
    SCOPED_TRACE(change);
    expect(With(spec, change), changes.refusal);
  }
}

// Names the members that differ.
template <class S>
std::string Differences(const S& a, const S& b) {
  std::string names;
  ForEachMember(a, [&](const char* name, auto member) {
    if (std::memcmp(&(a.*member), &(b.*member), sizeof(a.*member)) != 0) names += std::string(name) + " ";
  });
  return names;
}

}  // namespace posenc

#endif  // POSENC_TESTS_SPEC_WORDS_H_
