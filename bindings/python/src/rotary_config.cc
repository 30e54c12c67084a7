// posenc.Rotary.from_config: the entries of a configuration from Python's values, and arguments from the
// spec.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "posenc/rotary_config_c.h"
#include "rotary.h"
#include "spec/tables.h"

namespace posenc_python {
namespace {

using posenc::internal::At;
using posenc::internal::Kind;
using posenc::internal::Member;

// Keys and values, with what the entries point to.
class Entries {
 public:
  void Add(const std::string& key, nb::handle value, int depth = 0) {
    constexpr int kMaxDepth = 16;
    if (depth > kMaxDepth) RaiseValue("config has dictionaries within dictionaries without end");
    if (value.is_none()) return;
    if (const nb::object whole = Attribute(value, "tolist");
        !whole.is_none() && PyCallable_Check(whole.ptr()) != 0) {
      return AddPlain(key, whole(), depth);  // an array
    }
    AddPlain(key, value, depth);
  }

  const std::vector<posenc_config_entry>& all() const { return entries_; }

 private:
  static bool IsNumber(nb::handle value) { return PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()); }

  // Integers beyond a double's range are infinite.
  static double ToNumber(nb::handle value) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() == nullptr) return number;
    PyErr_Clear();
    return std::numeric_limits<double>::infinity();
  }

  void AddPlain(const std::string& key, nb::handle value, int depth) {
    if (PyDict_Check(value.ptr())) {
      for (const auto& [name, inner] : nb::borrow<nb::dict>(value)) {
        Add(key.empty() ? Text(name) : key + "." + Text(name), inner, depth + 1);
      }
      return;
    }
    posenc_config_entry entry = {Keep(key), posenc_config_kind{-1}, 0.0, nullptr, nullptr, 0};
    if (PyBool_Check(value.ptr())) {
      entry.kind = POSENC_CONFIG_FLAG;
      entry.number = value.ptr() == Py_True ? 1.0 : 0.0;
    } else if (IsNumber(value)) {
      entry.kind = POSENC_CONFIG_NUMBER;
      entry.number = ToNumber(value);
    } else if (PyUnicode_Check(value.ptr())) {
      entry.kind = POSENC_CONFIG_STRING;
      entry.string = Keep(Text(value));
    } else if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
      if (AddStrings(key, value)) return;
      SetNumbers(value, &entry);
    }
    entries_.push_back(entry);
  }

  // Of a list of strings, an entry per string.
  bool AddStrings(const std::string& key, nb::handle list) {
    if (nb::len(list) == 0) return false;
    for (const nb::handle item : list) {
      if (!PyUnicode_Check(item.ptr())) return false;
    }
    size_t index = 0;
    for (const nb::handle item : list) Add(key + "." + std::to_string(index++), item);
    return true;
  }

  // A list of anything but numbers keeps a kind that no key takes.
  void SetNumbers(nb::handle list, posenc_config_entry* entry) {
    std::vector<double> numbers;
    for (const nb::handle item : list) {
      if (!IsNumber(item)) return;
      numbers.push_back(ToNumber(item));
    }
    entry->kind = POSENC_CONFIG_NUMBERS;
    entry->count = numbers.size();
    entry->numbers = lists_.emplace_back(std::move(numbers)).data();
  }

  const char* Keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::vector<posenc_config_entry> entries_;
  std::deque<std::string> texts_;
  std::deque<std::vector<double>> lists_;
};

// A dictionary as it is; what the file at a path has; else what an object says of itself.
nb::object ToDictionary(nb::handle config) {
  if (PyDict_Check(config.ptr())) return nb::borrow(config);
  if (PyUnicode_Check(config.ptr()) || !Attribute(config, "__fspath__").is_none()) {
    const nb::object opened = nb::module_::import_("builtins").attr("open")(config, "encoding"_a = "utf-8");
    const nb::object text = opened.attr("read")();
    opened.attr("close")();
    const nb::object read = nb::module_::import_("json").attr("loads")(text);
    if (!PyDict_Check(read.ptr())) RaiseValue("config: " + Repr(config) + " has no JSON object");
    return read;
  }
  const nb::object method = Attribute(config, "to_dict");
  const nb::object made = method.is_none() ? Attribute(config, "__dict__") : method();
  if (!PyDict_Check(made.ptr())) {
    RaiseType("config must be a dict, a path or an object with to_dict(), not " + TypeName(config));
  }
  return made;
}

nb::object ArrayOf(const double* numbers, size_t count) {
  nb::list list;
  for (size_t i = 0; i < count; ++i) list.append(numbers[i]);
  return list;
}

// The members that are not the default, as keyword arguments have them.
nb::dict ArgumentsOf(const posenc_rotary_spec& spec) {
  const posenc_rotary_spec initial = posenc::internal::Default<posenc_rotary_spec>();
  nb::dict arguments;
  for (const Member& member : posenc::internal::MembersOf<posenc_rotary_spec>()) {
    const nb::str name(member.name);
    if (member.kind == Kind::kSize && At<size_t>(member, spec) != At<size_t>(member, initial)) {
      arguments[name] = At<size_t>(member, spec);
    } else if (member.kind == Kind::kReal && At<double>(member, spec) != At<double>(member, initial)) {
      arguments[name] = At<double>(member, spec);
    } else if (member.kind == Kind::kChoice && ChoiceIn(member, spec) != ChoiceIn(member, initial)) {
      const auto words = posenc::internal::WordsOf(member.of);
      arguments[name] = nb::str(words[static_cast<size_t>(ChoiceIn(member, spec))].c_str());
    } else if (member.kind == Kind::kFlag && At<int32_t>(member, spec) != At<int32_t>(member, initial)) {
      arguments[name] = At<int32_t>(member, spec) != 0;
    } else if (member.kind == Kind::kList && At<const double*>(member, spec) != nullptr) {
      arguments[name] = ArrayOf(At<const double*>(member, spec), spec.factor_count);
    }
  }
  if (spec.axes > 1) {
    nb::list sections;
    for (size_t k = 0; k < spec.axes; ++k) sections.append(spec.sections[k]);
    arguments["sections"] = sections;
  }
  if (spec.rotary_dim + spec.rotary_offset == spec.head_dim && spec.rotary_offset == 0) {
    PyDict_DelItemString(arguments.ptr(), "rotary_dim");
  }
  PyDict_DelItemString(arguments.ptr(), "head_dim");
  return arguments;
}

}  // namespace

nb::dict ArgumentsFromConfig(nb::handle config, nb::handle layer, nb::handle layer_type,
                             nb::handle model_type, size_t* head_dim) {
  const nb::object dictionary = ToDictionary(config);
  Entries entries;
  entries.Add("", dictionary);
  const int64_t number = layer.is_none() ? POSENC_NO_LAYER : ToInteger(layer, "layer");
  if (!layer.is_none() && number < 0) RaiseValue("layer must not be negative");
  posenc_rotary_spec spec;
  const char* bad_key = "";
  const posenc_status status = posenc_rotary_spec_from_config(
      &spec, sizeof(spec), entries.all().data(), entries.all().size(), number,
      ToString(layer_type, "layer_type"), ToString(model_type, "model_type"), nullptr, &bad_key);
  if (status == POSENC_BAD_CONFIG_KIND)
    RaiseType(bad_key + std::string(": ") + posenc_status_message(status));
  Check(status, bad_key);
  *head_dim = spec.head_dim;
  return ArgumentsOf(spec);
}

}  // namespace posenc_python
