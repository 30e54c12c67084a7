#include "members.h"

#include "arrays.h"
#include "posenc/rotary_c.h"

namespace posenc_python {

const std::vector<const char*>& PhaseRoundings() {
  static const std::vector<const char*> names = {
      "none",         "f32_pow_div", "f32_exp",     "f32_log_div", "f32_inv_freq",     "f32_iterated",
      "f64_inv_freq", "f64_pow_div", "f64_pow_mul", "f32_list",    "f32_log_increment"};
  return names;
}

const std::vector<const char*>& Units() {
  static const std::vector<const char*> names = {"radians", "half_turns", "turns"};
  return names;
}

int32_t ToChoice(const std::vector<const char*>& names, nb::handle value, const std::string& name) {
  if (!PyUnicode_Check(value.ptr())) RaiseType(name + " must be a string, not " + TypeName(value));
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(value.ptr(), names[i]) == 0) return static_cast<int32_t>(i);
    list += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  RaiseValue(name + " must be one of " + list + ", not " + Repr(value));
}

template <class Spec>
struct Setter {
  Spec* spec;
  Kept* kept;
  std::string name;
  nb::handle value;

  void operator()(double Spec::*member) const { spec->*member = ToReal(value, name); }
  void operator()(size_t Spec::*member) const { spec->*member = ToSize(value, name); }
  void operator()(int64_t Spec::*member) const { spec->*member = ToInteger(value, name); }
  void operator()(const char* Spec::*member) const { spec->*member = ToString(value, name); }
  void operator()(const Flag<Spec>& flag) const { spec->*flag.member = ToFlag(value, name) ? 1 : 0; }
  void operator()(const Choice<Spec>& choice) const {
    spec->*choice.member = ToChoice(choice.names, value, name);
  }
  void operator()(const Numbers<Spec>& numbers) const {
    if (value.is_none()) return;
    const nb::object copy = CopyCoefficients(value, name);
    const Array list(copy, name.c_str(), Access::kRead);
    if (list.axes() != 1) RaiseValue(name + " must have one axis, and has " + std::to_string(list.axes()));
    kept->arguments[name.c_str()] = copy;
    const bool floats = list.type() == POSENC_F32;
    spec->*numbers.floats = floats ? static_cast<const float*>(list.data()) : nullptr;
    spec->*numbers.doubles = floats ? nullptr : static_cast<const double*>(list.data());
    spec->*numbers.count = list.count();
  }
  void operator()(void (*set)(Spec*, nb::handle)) const { set(spec, value); }
};

template <class Spec>
void Set(const Members<Spec>& members, const nb::dict& arguments, Spec* spec, Kept* kept) {
  for (const auto& [key, value] : arguments) {
    const std::string name = Text(key);
    const Member<Spec>* found = nullptr;
    for (const Member<Spec>& member : members) {
      if (name == member.name) found = &member;
    }
    if (found == nullptr) RaiseType("unexpected keyword argument " + name);
    kept->arguments[key] = value;
    std::visit(Setter<Spec>{spec, kept, name, value}, found->is);
  }
}

template void Set(const Members<posenc_spec>&, const nb::dict&, posenc_spec*, Kept*);
template void Set(const Members<posenc_rotary_spec>&, const nb::dict&, posenc_rotary_spec*, Kept*);

std::string Describe(const char* name, nb::handle first, const nb::dict& arguments) {
  std::string text = std::string(name) + "(" + Repr(first);
  for (const auto& [key, value] : arguments) {
    text.append(", ").append(Text(key)).append("=").append(Repr(value));
  }
  return text + ")";
}

}  // namespace posenc_python
