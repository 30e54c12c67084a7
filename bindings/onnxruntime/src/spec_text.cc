#include "spec_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <type_traits>
#include <utility>

#include "arguments.h"
#include "posenc/models_c.h"
#include "spec/tables.h"

namespace posenc_onnxruntime {
namespace {

using posenc::internal::At;
using posenc::internal::Kind;
using posenc::internal::Member;
using posenc::internal::MembersOf;

posenc_status Initialize(posenc_spec* spec) { return posenc_spec_init(spec, sizeof(*spec)); }
posenc_status Initialize(posenc_rotary_spec* spec) { return posenc_rotary_spec_init(spec, sizeof(*spec)); }
posenc_status SetPreset(posenc_spec* spec, const char* name, std::size_t dim, posenc_model_report* report) {
  return posenc_spec_preset(spec, sizeof(*spec), name, dim, report);
}
posenc_status SetPreset(posenc_rotary_spec* spec, const char* name, std::size_t dim,
                        posenc_model_report* report) {
  return posenc_rotary_spec_preset(spec, sizeof(*spec), name, dim, report);
}

[[noreturn]] void Refuse(const std::string& name, const std::string& value, const std::string& what) {
  throw Error("spec: " + name + "=" + value + ": the value must be " + what);
}

// Without regard to the locale.
template <class T>
T ToNumber(const std::string& name, const std::string& value, const char* what) {
  T number{};
  const char* const end = value.data() + value.size();
  const auto [last, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || last != end) Refuse(name, value, what);
  return number;
}

template <class T>
std::vector<T> ToNumbers(const std::string& name, const std::string& value) {
  std::vector<T> numbers;
  for (std::size_t begin = 0, end = 0; begin <= value.size(); begin = end + 1) {
    end = std::min(value.find(',', begin), value.size());
    numbers.push_back(
        ToNumber<T>(name, value.substr(begin, end - begin), "numbers with commas between them"));
  }
  return numbers;
}

using Words = std::vector<std::pair<std::string, std::string>>;

Words WordsOf(const std::string& text) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) throw Error("spec: " + word + " is not NAME=VALUE");
    words.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].first == words.back().first) throw Error("spec: " + words[i].first + " is given twice");
    }
  }
  return words;
}

// The value of a name, or null.
const std::string* Find(const Words& words, const std::string& name) {
  for (const auto& word : words) {
    if (word.first == name) return &word.second;
  }
  return nullptr;
}

}  // namespace

template <class Spec>
SpecText<Spec>::SpecText(const std::string& text, std::size_t dim) {
  Check(Initialize(&spec));
  const Words words = WordsOf(text);
  const Member& first = *MembersOf<Spec>().first;  // dim or head_dim
  if (const std::string* own = Find(words, first.name)) {
    const auto said = ToNumber<std::size_t>(first.name, *own, "a whole number");
    if (dim != 0 && said != dim) {
      throw Error("spec: " + std::string(first.name) + "=" + *own + ", but the tensors have " +
                  std::to_string(dim));
    }
    dim = said;
  } else if (dim == 0) {
    throw Error("the shapes that the model states do not tell " + std::string(first.name) +
                ": spec must say " + first.name + "=...");
  }
  At<std::size_t>(first, &spec) = dim;
  if (const std::string* preset = Find(words, "preset")) {
    posenc_model_report report;
    if (SetPreset(&spec, preset->c_str(), dim, &report) != POSENC_OK) {
      throw Error("spec: preset=" + *preset + ": " + report.text);
    }
  }
  for (const auto& [name, value] : words) {
    if (name != "preset" && name != first.name) SetMember(name, value);
  }
}

template <class Spec>
void SpecText<Spec>::SetMember(const std::string& name, const std::string& value) {
  constexpr char kFloats[] = "_f32";
  const std::size_t size = name.size() - std::min(name.size(), std::strlen(kFloats));
  const bool are_floats = name.substr(size) == kFloats;
  const Member* const member = MembersOf<Spec>().Find(are_floats ? name.substr(0, size) : name);
  if (member == nullptr || !posenc::internal::IsShown(*member) ||
      (are_floats && member->kind != Kind::kList)) {
    throw Error("spec: " + name + " is not a name that a spec's text may have");
  }
  switch (member->kind) {
    case Kind::kReal:
      At<double>(*member, &spec) = ToNumber<double>(name, value, "a number");
      return;
    case Kind::kChoice: {
      const std::vector<std::string> choices = posenc::internal::WordsOf(*member);
      std::string list;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i] == value)
          return posenc::internal::SetChoice(*member, static_cast<std::int32_t>(i), &spec);
        list += (i == 0 ? "one of " : ", ") + choices[i];
      }
      Refuse(name, value, list);
    }
    case Kind::kFlag:
      if (value != "0" && value != "1") Refuse(name, value, "0 or 1");
      At<std::int32_t>(*member, &spec) = value == "1" ? 1 : 0;
      return;
    case Kind::kName:
      At<const char*>(*member, &spec) = names_.emplace_back(value).c_str();
      return;
    case Kind::kSizes: {
      const auto sizes = ToNumbers<std::size_t>(name, value);
      if (sizes.size() > POSENC_MAX_AXES)
        Refuse(name, value, "at most " + std::to_string(POSENC_MAX_AXES) + " counts");
      std::copy(sizes.begin(), sizes.end(), &At<std::size_t>(*member, &spec));
      return;
    }
    case Kind::kList: {
      const std::size_t other = At<std::size_t>(*MembersOf<Spec>().Find(member->of), spec);
      auto& doubles = doubles_.emplace_back();
      auto& floats = floats_.emplace_back();
      are_floats ? void(floats = ToNumbers<float>(name, value))
                 : void(doubles = ToNumbers<double>(name, value));
      const std::size_t count = doubles.size() + floats.size();
      if (other != 0 && other != count) throw Error("spec: as many long_factors as factors are needed");
      posenc::internal::SetList(*member, are_floats ? nullptr : doubles.data(),
                                are_floats ? floats.data() : nullptr, count, &spec);
      return;
    }
    case Kind::kOptional:
      At<std::int32_t>(*MembersOf<Spec>().Find(member->of), &spec) = 1;
      [[fallthrough]];
    default:
      posenc::internal::UseNumber(*member, &spec, [&](auto& number) {
        number = ToNumber<std::decay_t<decltype(number)>>(name, value, "a whole number");
      });
  }
}

template class SpecText<posenc_spec>;
template class SpecText<posenc_rotary_spec>;

}  // namespace posenc_onnxruntime
