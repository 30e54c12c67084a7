#include "members.h"

#include <algorithm>
#include <cstdio>

#include "arrays.h"
#include "spec/text.h"

namespace posenc_python {
namespace {

using posenc::internal::At;
using posenc::internal::Kind;
using posenc::internal::Member;
using posenc::internal::MembersOf;
using posenc::internal::WordsOf;

std::string RealDefault(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

// The type and the default value in a signature: "float = 10000.0".
std::string TypeAndDefault(const Member& member) {
  const auto initial = static_cast<size_t>(member.initial);
  switch (member.kind) {
    case Kind::kReal:
      return "float = " + RealDefault(member.initial);
    case Kind::kChoice:
      return TypeOf(WordsOf(member)) + " = '" + WordsOf(member)[initial] + "'";
    case Kind::kFlag:
      return std::string("bool = ") + (initial != 0 ? "True" : "False");
    case Kind::kOptional:
      return "int | None = None";
    case Kind::kName:
      return "str | None = None";
    case Kind::kList:
      return "posenc._types.Numbers | None = None";
    case Kind::kSizes:
      return "typing.Sequence[int] = ()";
    default:
      return "int = " + std::to_string(initial);
  }
}

void SetSizes(nb::handle value, const std::string& name, size_t* sizes) {
  const List list(value, name.c_str(), true);
  if (list.shape().size() != 1 || list.count() > POSENC_MAX_AXES) {
    RaiseValue(name + " must be a list of up to " + std::to_string(POSENC_MAX_AXES) + " counts");
  }
  std::fill(sizes, sizes + POSENC_MAX_AXES, size_t{0});
  for (size_t i = 0; i < list.count(); ++i) {
    if (list.Integer(i) < 0) RaiseValue(name + " must not be negative");
    sizes[i] = static_cast<size_t>(list.Integer(i));
  }
}

// Sets a list of doubles or of floats, depending on the type of `value`.
template <class Spec>
void SetNumbers(const Member& member, nb::handle value, Spec* spec, nb::dict* kept) {
  if (value.is_none()) return;
  const std::string name = member.name;
  const nb::object copy = CopyCoefficients(value, name);
  const Array list(copy, name.c_str(), Access::kRead);
  if (list.axes() != 1) RaiseValue(name + " must have one axis, and has " + std::to_string(list.axes()));
  (*kept)[member.name] = copy;
  const bool floats = list.type() == POSENC_F32;
  const std::string right =
      SetListOf(member, floats ? nullptr : static_cast<const double*>(list.data()),
                floats ? static_cast<const float*>(list.data()) : nullptr, list.count(), spec);
  if (!right.empty()) RaiseValue(name + " must be " + right);
}

template <class Spec>
void SetMember(const Member& member, nb::handle value, Spec* spec, nb::dict* kept) {
  const std::string name = member.name;
  switch (member.kind) {
    case Kind::kSize:
      At<size_t>(member, spec) = ToSize(value, name);
      break;
    case Kind::kReal:
      At<double>(member, spec) = ToReal(value, name);
      break;
    case Kind::kChoice:
      SetChoice(member, ToChoice(WordsOf(member), value, name), spec);
      break;
    case Kind::kFlag:
      At<int32_t>(member, spec) = ToFlag(value, name) ? 1 : 0;
      break;
    case Kind::kInteger:
      At<int64_t>(member, spec) = ToInteger(value, name);
      break;
    case Kind::kRows:
      At<uint64_t>(member, spec) = ToSize(value, name);
      break;
    case Kind::kOptional:
      At<int32_t>(*MembersOf<Spec>().Find(member.of), spec) = value.is_none() ? 0 : 1;
      At<int64_t>(member, spec) = value.is_none() ? 0 : ToInteger(value, name);
      break;
    case Kind::kName:
      At<const char*>(member, spec) = ToString(value, name);
      break;
    case Kind::kSizes:
      SetSizes(value, name, &At<size_t>(member, spec));
      break;
    default:
      SetNumbers(member, value, spec, kept);
  }
}

}  // namespace

std::string TypeOf(const std::vector<std::string>& words) {
  std::string type;
  for (const std::string& word : words) type += (type.empty() ? "typing.Literal['" : ", '") + word + "'";
  return type + "]";
}

template <class Spec>
std::string Signature() {
  const auto members = MembersOf<Spec>();
  std::string signature =
      std::string("def __init__(self, ") + members.first->name + ": int, *, preset: str | None = None";
  for (const Member& member : members) {
    if (&member == members.first || !IsShown(member)) continue;
    signature.append(", ").append(member.name).append(": ").append(TypeAndDefault(member));
  }
  return signature + ") -> None";
}

template <class Spec>
std::string Choices() {
  std::string text;
  for (const Member& member : MembersOf<Spec>()) {
    if (member.kind != Kind::kChoice || !IsShown(member)) continue;
    text.append("\n").append(member.name).append(":");
    std::string separator = " ";
    for (const std::string& word : WordsOf(member)) {
      text.append(separator).append(word);
      separator = ", ";
    }
  }
  return text;
}

int32_t ToChoice(const std::vector<std::string>& words, nb::handle value, const std::string& name) {
  if (!PyUnicode_Check(value.ptr())) RaiseType(name + " must be a string, not " + TypeName(value));
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(value.ptr(), words[i].c_str()) == 0) return static_cast<int32_t>(i);
    list += (i == 0 ? "" : ", ") + words[i];
  }
  RaiseValue(name + " must be one of " + list + ", not " + Repr(value));
}

template <class Spec>
void Set(const nb::dict& arguments, Spec* spec, nb::dict* kept) {
  for (const auto& [key, value] : arguments) {
    const std::string name = Text(key);
    const Member* const member = MembersOf<Spec>().Find(name);
    if (name != "preset" && (member == nullptr || !IsShown(*member))) {
      RaiseType("unexpected keyword argument " + name);
    }
    if (member != nullptr) SetMember(*member, value, spec, kept);
  }
}

template std::string Signature<posenc_spec>();
template std::string Signature<posenc_rotary_spec>();
template std::string Choices<posenc_spec>();
template std::string Choices<posenc_rotary_spec>();
template void Set(const nb::dict&, posenc_spec*, nb::dict*);
template void Set(const nb::dict&, posenc_rotary_spec*, nb::dict*);

std::string ToPreset(nb::handle object) {
  if (!PyUnicode_Check(object.ptr())) RaiseType("preset must be a string, not " + TypeName(object));
  return Text(object);
}

void CheckPreset(posenc_status status, const std::string& name, const posenc_model_report& report) {
  if (status == POSENC_OK) return;
  const bool is_named = *report.key != '\0';  // then the sentence names the preset
  Raise(status, (is_named ? "" : "preset " + name + ": ") + report.text);
}

}  // namespace posenc_python
