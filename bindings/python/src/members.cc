#include "members.h"

#include <cstring>

#include "arrays.h"
#include "posenc/rotary_c.h"

namespace posenc_python {
namespace {

const char* ToText(nb::handle value, const std::string& name) {
  if (value.is_none()) return nullptr;
  if (!PyUnicode_Check(value.ptr())) RaiseType(name + " must be a string, not " + TypeName(value));
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), nullptr);  // lives as long as value
  if (text == nullptr) nb::raise_python_error();
  return text;
}

// A copy of numbers, as doubles and as a new array of NumPy's.
nb::object CopyNumbers(nb::handle value, const std::string& name, std::vector<double>* numbers) {
  nb::object array;
  try {
    array = nb::module_::import_("numpy").attr("array")(value, "dtype"_a = "float64");
  } catch (nb::python_error& error) {
    nb::raise_from(error, PyExc_TypeError, "%s must be numbers, or an array of them", name.c_str());
  }
  const Array copy(array, name.c_str(), Access::kRead);
  if (copy.axes() != 1) RaiseValue(name + " must have one axis, and has " + std::to_string(copy.axes()));
  const auto* first = static_cast<const double*>(copy.data());
  numbers->reserve(1);  // an empty list is one, too
  numbers->assign(first, first + copy.count());
  return array;
}

}  // namespace

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
  void operator()(const char* Spec::*member) const { spec->*member = ToText(value, name); }
  void operator()(const Flag<Spec>& flag) const { spec->*flag.member = ToFlag(value, name) ? 1 : 0; }
  void operator()(const Choice<Spec>& choice) const {
    spec->*choice.member = ToChoice(choice.names, value, name);
  }
  void operator()(const Numbers<Spec>& numbers) const {
    if (value.is_none()) return;
    std::vector<double>& list = kept->lists.emplace_back();
    kept->arguments[name.c_str()] = CopyNumbers(value, name, &list);
    spec->*numbers.member = list.data();
    spec->*numbers.count = list.size();
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
