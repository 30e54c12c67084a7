// The text of a spec: its members as NAME=VALUE with blanks between them, in any order,
// "dim=128 base=500000 frequencies=1:0.1:0.01". The command, its verify, tests and the bindings read and
// print it. The library itself does not use it.
//
//   numbers    1e6 or 0x1.8p-3; printed as the shortest decimal that reads back as the same number
//   enums      a word of values.inc
//   flags      0 or 1
//   optional   an integer, or none
//   lists      numbers with colons between them: doubles, or floats if NAME ends with _f32
//   sections   whole numbers with colons between them; `axes` is their count, unless the text says it too
#ifndef POSENC_SRC_SPEC_TEXT_H_
#define POSENC_SRC_SPEC_TEXT_H_

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "spec/tables.h"

namespace posenc {
namespace internal {

// What the members of a spec point to. It must live until the spec is not used any more.
class SpecData {
 public:
  SpecData() = default;
  SpecData(SpecData&&) = default;
  SpecData& operator=(SpecData&&) = default;

  const char* Keep(const std::string& name) { return names_.emplace_back(name).c_str(); }
  const double* Keep(std::vector<double> list) { return doubles_.emplace_back(std::move(list)).data(); }
  const float* Keep(std::vector<float> list) { return floats_.emplace_back(std::move(list)).data(); }

 private:
  std::deque<std::string> names_;
  std::deque<std::vector<double>> doubles_;
  std::deque<std::vector<float>> floats_;
};

// Reads the whole text as a number, in any locale. False if the text is none, or if T cannot hold it.
template <class T>
bool ReadNumber(std::string_view text, T* number) {
  const char *begin = text.data(), *end = begin + text.size();
  if constexpr (!std::is_floating_point<T>::value) {
    const auto [last, error] = std::from_chars(begin, end, *number);
    return error == std::errc() && last == end;
  } else {
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
    // This libc++ has no from_chars for floating point. strtod takes white space, +, 0X and the locale's
    // decimal point as well.
    if (text.find_first_not_of("0123456789abcdefinptyABCDEFINPTYx.+-") != text.npos ||
        text.substr(0, 1) == "+")
      return false;
    std::string copy(text);
    const std::size_t point = copy.find('.');
    if (point != copy.npos) copy.replace(point, 1, std::localeconv()->decimal_point);
    char* last = nullptr;
    errno = 0;
    if constexpr (std::is_same<T, float>::value) {
      *number = std::strtof(copy.c_str(), &last);
    } else {
      *number = std::strtod(copy.c_str(), &last);
    }
    const bool is_held = errno != ERANGE || (*number != 0 && std::isfinite(*number));
    return is_held && !copy.empty() && last == copy.c_str() + copy.size();
#else
    const std::size_t sign = text.substr(0, 1) == "-" ? 1 : 0;
    const bool is_hex = text.substr(sign, 2) == "0x";
    if (is_hex) {
      begin += sign + 2;
      if (begin == end || (std::isxdigit(static_cast<unsigned char>(*begin)) == 0 && *begin != '.'))
        return false;
    }
    const auto [last, error] =
        std::from_chars(begin, end, *number, is_hex ? std::chars_format::hex : std::chars_format::general);
    if (is_hex && sign == 1) *number = -*number;
    const bool has_digits = text.find_first_of("0123456789") != std::string_view::npos;  // "inf" has none
    return error == std::errc() && last == end && (std::isfinite(*number) || !has_digits);
#endif
  }
}

// The shortest decimal that reads back as the same number; 500000, and not 5e+05.
template <class T>
std::string NumberInText(T number) {
  char text[32];
  char* const end = text + sizeof(text);
  if constexpr (std::is_floating_point<T>::value) {
    if (std::fabs(number) < T(1e15) && std::trunc(number) == number)
      return std::string(text, std::to_chars(text, end, number, std::chars_format::fixed).ptr);
  }
  return std::string(text, std::to_chars(text, end, number).ptr);
}

template <class T>
std::string ListInText(const T* numbers, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ":").append(NumberInText(numbers[i]));
  return text;
}

// A word in a message, with its end left out if it is long.
inline std::string Cut(const std::string& word) {
  std::size_t longest = 80;
  if (word.size() <= longest) return word;
  while (longest > 0 && (static_cast<unsigned char>(word[longest]) & 0xC0) == 0x80)
    --longest;  // inside a character of UTF-8
  return word.substr(0, longest) + "...";
}

// Reads numbers with colons between them. Returns "", or which of them is wrong.
template <class T>
std::string ReadList(std::string_view text, std::vector<T>* numbers) {
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(':', begin), text.size());
    const std::string item(text.substr(begin, end - begin));
    if (!ReadNumber(item, &numbers->emplace_back()))
      return "item " + std::to_string(numbers->size()) + ", '" + Cut(item) + "', is not such a number";
  }
  return "";
}

// The member that a name of a text says, or null: "frequencies_f32" is the list `frequencies`, as floats.
template <class Spec>
const Member* MemberInText(const std::string& name, bool* are_floats) {
  constexpr std::string_view kFloats = "_f32";
  const std::size_t size = name.size() - std::min(name.size(), kFloats.size());
  *are_floats = name.compare(size, std::string::npos, kFloats) == 0;
  const Member* const member = MembersOf<Spec>().Find(*are_floats ? name.substr(0, size) : name);
  if (member == nullptr || !IsShown(*member)) return nullptr;
  return *are_floats && member->kind != Kind::kList ? nullptr : member;
}

// "one of interleaved, sin_cos"
inline std::string OneOf(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "one of " : ", ").append(word);
  return text;
}

// What the text of a whole number must be: "a whole number, 1 .. 4".
template <class T>
std::string WholeNumber(const Member& member) {
  const std::string must = member.must;
  const auto least = std::to_string(std::numeric_limits<T>::min());
  return "a whole number, " +
         (must.empty() ? least + " .. " + std::to_string(std::numeric_limits<T>::max()) : must);
}

// Sets a list [count] of doubles or of floats. Returns "", or what would be right: lists that share a count
// must be as long.
template <class Spec>
std::string SetListOf(const Member& member, const double* doubles, const float* floats, std::size_t count,
                      Spec* spec) {
  for (const Member& other : MembersOf<Spec>()) {
    if (other.kind != Kind::kList || other.offset == member.offset || std::strcmp(other.of, member.of) != 0)
      continue;
    const bool is_set =
        At<const double*>(other, spec) != nullptr || At<const float*>(FloatsOf<Spec>(other), spec) != nullptr;
    const std::size_t its = At<std::size_t>(*MembersOf<Spec>().Find(other.of), spec);
    if (is_set && its != count)
      return "a list of " + std::to_string(its) + " numbers, as long as " + other.name;
  }
  SetList(member, doubles, floats, count, spec);
  return "";
}

// Sets the member with this name to what the text says. Returns "", or what the text must be; the spec then
// stays as it is. The name must be one that MemberInText finds.
template <class Spec>
std::string SetMember(const std::string& name, const std::string& text, SpecData* data, Spec* spec) {
  bool are_floats = false;
  const Member& member = *MemberInText<Spec>(name, &are_floats);
  const auto sibling = [&](const char* its) -> const Member& { return *MembersOf<Spec>().Find(its); };
  switch (member.kind) {
    case Kind::kChoice: {
      const std::vector<std::string> words = WordsOf(member);
      const auto found = std::find(words.begin(), words.end(), text);
      if (found == words.end()) return OneOf(words);
      SetChoice(member, static_cast<std::int32_t>(found - words.begin()), spec);
      return "";
    }
    case Kind::kFlag:
      if (text != "0" && text != "1") return "0 or 1";
      At<std::int32_t>(member, spec) = text == "1" ? 1 : 0;
      return "";
    case Kind::kName:
      if (text.empty() || text.find('\0') != text.npos) return "a name";
      At<const char*>(member, spec) = data->Keep(text);
      return "";
    case Kind::kOptional: {
      std::int64_t number = 0;
      const bool is_none = text == "none";
      if (!is_none && !ReadNumber(text, &number)) return WholeNumber<std::int64_t>(member) + ", or none";
      At<std::int32_t>(sibling(member.of), spec) = is_none ? 0 : 1;
      At<std::int64_t>(member, spec) = number;
      return "";
    }
    case Kind::kSizes: {
      std::vector<std::size_t> sizes;
      std::string wrong = ReadList(text, &sizes);
      if (sizes.size() > POSENC_MAX_AXES) wrong = "these are " + std::to_string(sizes.size());
      if (!wrong.empty()) {
        return "a list of at most " + std::to_string(POSENC_MAX_AXES) + " whole numbers, 0 .. " +
               std::to_string(std::numeric_limits<std::size_t>::max()) +
               ", with colons between them, such as 16:24:24; " + wrong;
      }
      At<std::size_t>(sibling("axes"), spec) = sizes.size();
      sizes.resize(POSENC_MAX_AXES);
      std::copy(sizes.begin(), sizes.end(), &At<std::size_t>(member, spec));
      return "";
    }
    case Kind::kList: {
      std::vector<double> doubles;
      std::vector<float> floats;
      const std::string wrong = are_floats ? ReadList(text, &floats) : ReadList(text, &doubles);
      if (!wrong.empty()) {
        return std::string("a list of numbers that a ") + (are_floats ? "float" : "double") +
               " can hold, with colons between them, such as 1:0.5:0.25; " + wrong;
      }
      const std::size_t count = doubles.size() + floats.size();
      return are_floats ? SetListOf(member, nullptr, data->Keep(std::move(floats)), count, spec)
                        : SetListOf(member, data->Keep(std::move(doubles)), nullptr, count, spec);
    }
    default: {
      std::string right;
      UseNumber(member, spec, [&](auto& number) {
        using T = std::remove_reference_t<decltype(number)>;
        T read = number;
        if (ReadNumber(text, &read)) {
          number = read;
        } else if constexpr (std::is_floating_point<T>::value) {
          right = "a number that a double can hold";
        } else {
          right = WholeNumber<T>(member);
        }
      });
      return right;
    }
  }
}

using SpecWords = std::vector<std::pair<std::string, std::string>>;  // names and values

// The words of a text. Returns "", or what is wrong with them.
inline std::string SplitText(std::string_view text, SpecWords* words) {
  constexpr char kBlanks[] = " \t\n\v\f\r";
  std::set<std::string> names;
  for (std::size_t begin = 0, end = 0; (begin = text.find_first_not_of(kBlanks, end)) != text.npos;) {
    end = std::min(text.find_first_of(kBlanks, begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    const std::size_t equals = word.find('=');
    if (equals == word.npos || equals == 0)
      return Cut(word) + ": a word must be NAME=VALUE, without blanks around the =";
    const std::string name = word.substr(0, equals);
    if (!names.insert(name).second) return Cut(word) + ": " + Cut(name) + " is given twice";
    words->emplace_back(name, word.substr(equals + 1));
  }
  return "";
}

// Sets what the words say on a spec that has all its members: defaults, or those of a preset. Returns "", or
// a sentence that names the word and says what would be right.
template <class Spec>
std::string SetMembers(const SpecWords& words, SpecData* data, Spec* spec) {
  for (const bool is_axes : {false, true}) {  // after the sections, which set them too
    for (const auto& [name, value] : words) {
      if ((name == "axes") != is_axes) continue;
      bool are_floats = false;
      const Member* const member = MemberInText<Spec>(name, &are_floats);
      if (member == nullptr) {
        std::string names;
        for (const Member& known : MembersOf<Spec>()) {
          if (IsShown(known)) names.append(names.empty() ? "" : ", ").append(known.name);
        }
        return Cut(name + "=" + value) + ": the name must be a member of the spec: " + names +
               ", or a list's with _f32 after it";
      }
      const auto is_doubles = [&](const auto& word) { return are_floats && word.first == member->name; };
      if (std::any_of(words.begin(), words.end(), is_doubles))
        return Cut(name + "=" + value) + ": only one of " + member->name + " and " + name + " may be given";
      const std::string right = SetMember(name, value, data, spec);
      if (!right.empty()) return Cut(name + "=" + value) + ": the value must be " + right;
    }
  }
  return "";
}

// The same for a whole text.
template <class Spec>
std::string ParseSpec(std::string_view text, SpecData* data, Spec* spec) {
  SpecWords words;
  const std::string wrong = SplitText(text, &words);
  return wrong.empty() ? SetMembers(words, data, spec) : wrong;
}

// The sections that a text says: those of all axes, if there are any.
template <class Spec>
std::string SectionsInText(const Member& member, const Spec& spec, std::size_t* count) {
  const std::size_t* const sections = &At<std::size_t>(member, spec);
  std::size_t used = POSENC_MAX_AXES;
  while (used > 0 && sections[used - 1] == 0) --used;
  const std::size_t axes = At<std::size_t>(*MembersOf<Spec>().Find("axes"), spec);
  *count = used == 0 || axes > POSENC_MAX_AXES ? used : std::max(axes, used);
  return ListInText(sections, *count);
}

// The value of a member that is no list.
template <class Spec>
std::string ValueInText(const Member& member, const Spec& spec) {
  if (member.kind == Kind::kChoice) {
    for (const Value& value : kValues) {
      if (value.number == ChoiceIn(member, spec) && std::strcmp(value.enum_name, member.of) == 0)
        return value.word;
    }
  }
  if (member.kind == Kind::kOptional && At<std::int32_t>(*MembersOf<Spec>().Find(member.of), spec) == 0)
    return "none";
  if (member.kind == Kind::kName)
    return At<const char*>(member, spec) == nullptr ? "" : At<const char*>(member, spec);
  std::size_t sections = 0;
  if (member.kind == Kind::kSizes) return SectionsInText(member, spec, &sections);
  std::string text;
  Spec copy = spec;
  UseNumber(member, &copy, [&](const auto& number) { text = NumberInText(number); });
  return text;
}

// The members that are not the default, in the order of the struct. ParseSpec makes the same spec of the
// text, unless the spec has what no text can say, such as a number that its enum does not have.
template <class Spec>
std::string PrintSpec(const Spec& spec) {
  std::string text;
  const auto put = [&](const std::string& name, const std::string& value) {
    text.append(text.empty() ? "" : " ").append(name).append("=").append(value);
  };
  Spec defaults = Default<Spec>();
  for (const Member& member : MembersOf<Spec>()) {
    if (!IsShown(member)) continue;
    if (member.kind == Kind::kList) {
      const std::size_t count = At<std::size_t>(*MembersOf<Spec>().Find(member.of), spec);
      const double* const doubles = At<const double*>(member, spec);
      const float* const floats = At<const float*>(FloatsOf<Spec>(member), spec);
      if (doubles != nullptr) put(member.name, ListInText(doubles, count));
      if (floats != nullptr) put(std::string(member.name) + "_f32", ListInText(floats, count));
      continue;
    }
    if (std::strcmp(member.name, "axes") == 0) {  // unless the sections say them
      std::size_t sections = 0;
      SectionsInText(*MembersOf<Spec>().Find("sections"), spec, &sections);
      if (sections != 0) At<std::size_t>(member, &defaults) = sections;
    }
    const std::string value = ValueInText(member, spec);
    if (value != ValueInText(member, defaults)) put(member.name, value);
  }
  return text;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SPEC_TEXT_H_
