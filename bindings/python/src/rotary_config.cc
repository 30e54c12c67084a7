// posenc.Rotary.from_config and posenc.config: turns a Python configuration into entries for the library, and
// the library's spec into arguments of Rotary.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "members.h"
#include "models/groups.h"
#include "models/keys.h"
#include "rotary.h"
#include "spec/tables.h"

namespace posenc_python {
namespace {

using posenc::internal::At;
using posenc::internal::ConfigAnswer;
using posenc::internal::ConfigQuestion;
using posenc::internal::ConfigReading;
using posenc::internal::ConfigRefusal;
using posenc::internal::Kind;
using posenc::internal::LayerGroup;
using posenc::internal::Member;
using posenc::internal::NormReading;

// The most levels of a configuration. Real ones have few levels; a dict that contains itself has infinitely
// many.
constexpr int kMostLevels = 64;

using posenc::internal::models::kEmptyDictionary;
using posenc::internal::models::kLongList;
using posenc::internal::models::kMostItems;
using posenc::internal::models::kNoKind;

// Whether a dictionary is the metadata of a GGUF file, whose keys have dots.
bool IsGguf(const nb::dict& dictionary) {
  if (dictionary.contains("general.architecture")) return true;
  if (!dictionary.contains("general")) return false;
  const nb::object general = dictionary["general"];
  return PyDict_Check(general.ptr()) && nb::borrow<nb::dict>(general).contains("architecture");
}

// The entries of a configuration, and the strings and lists to which they point. A key must not occur twice.
class Entries {
 public:
  // `where` is the beginning of error messages: the file, if there is one.
  explicit Entries(std::string where) : where_(std::move(where)) {}

  // Adds everything in a configuration.
  void Add(const nb::dict& dictionary) {
    has_dots_ = IsGguf(dictionary);
    AddDictionary("", dictionary, 1);
  }

  // Adds a number, or puts it in the place of a key's value.
  void SetNumber(const std::string& key, double number) {
    Set(key, {nullptr, POSENC_CONFIG_NUMBER, number, nullptr, nullptr, 0});
  }

  const std::vector<posenc_config_entry>& all() const { return entries_; }

 private:
  // Adds the items of a dictionary; `prefix` comes before each key. A dot within a key is escaped, so that it
  // does not look like a dot between two dictionaries.
  void AddDictionary(const std::string& prefix, nb::handle dictionary, int levels) {
    RequireFew(levels);
    for (const auto& [name, value] : nb::borrow<nb::dict>(dictionary)) {
      std::string key = WordOf(name);
      for (size_t at = 0; !(has_dots_ && levels == 1) && (at = key.find('.', at)) != std::string::npos;) {
        key.replace(at, 1, "\\u002e");
      }
      AddValue(prefix + key, Whole(value), levels);
    }
  }

  static bool IsNumber(nb::handle value) { return PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()); }
  static bool IsText(nb::handle value) { return PyUnicode_Check(value.ptr()); }
  static bool IsList(nb::handle value) { return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()); }

  // The number as a double. Integers beyond the range of doubles become infinite.
  static double ToNumber(nb::handle value) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() == nullptr) return number;
    PyErr_Clear();
    const double infinity = std::numeric_limits<double>::infinity();
    return nb::borrow(value) < nb::int_(0) ? -infinity : infinity;
  }

  // The text as a C string: null characters are escaped.
  static std::string WordOf(nb::handle value) { return Text(value, "\\u0000"); }

  // Converts an array of any library to a list or a number. Returns any other value unchanged.
  static nb::object Whole(nb::handle value) {
    if (!value.is_none() && !IsNumber(value) && !IsText(value) && !IsList(value)) {
      const nb::object whole = Attribute(value, "tolist");
      if (PyCallable_Check(whole.ptr()) != 0) return whole();
    }
    return nb::borrow(value);
  }

  // The kind of a value that is not a list or a dictionary.
  static posenc_config_kind KindOf(nb::handle value) {
    if (value.is_none()) return POSENC_CONFIG_NULL;
    if (PyBool_Check(value.ptr())) return POSENC_CONFIG_FLAG;
    if (IsNumber(value)) return POSENC_CONFIG_NUMBER;
    return IsText(value) ? POSENC_CONFIG_STRING : kNoKind;
  }

  [[noreturn]] void RaiseWrong(const std::string& what) const {
    RaiseValue((where_.empty() ? "config: " : where_) + what);
  }

  void RequireFew(int levels) const {
    if (levels > kMostLevels)
      RaiseWrong("more than " + std::to_string(kMostLevels) + " levels of dictionaries and lists");
  }

  void AddValue(const std::string& key, nb::handle value, int levels) {
    if (PyDict_Check(value.ptr())) {
      AddDictionary(key + ".", value, levels + 1);
      if (PyDict_Size(value.ptr()) == 0) Put(key, {nullptr, kEmptyDictionary, 0.0, nullptr, nullptr, 0});
      return;
    }
    if (IsList(value)) return AddList(key, value, levels + 1);
    posenc_config_entry entry = {nullptr, KindOf(value), 0.0, nullptr, nullptr, 0};
    if (entry.kind == POSENC_CONFIG_STRING) {
      entry.string = Keep(WordOf(value));
    } else if (entry.kind == POSENC_CONFIG_NUMBER || entry.kind == POSENC_CONFIG_FLAG) {
      entry.number = ToNumber(value);
    }
    Put(key, entry);
  }

  // Adds a list. A list of strings becomes an entry for each string. A list of mixed kinds gets the kind -1.
  void AddList(const std::string& key, nb::handle list, int levels) {
    RequireFew(levels);
    bool is_mixed = false;
    posenc_config_kind kind = POSENC_CONFIG_NUMBER;
    std::vector<nb::object> items;
    for (const nb::handle listed : list) {
      nb::object item = Whole(listed);
      const posenc_config_kind own = KindOf(item);
      // The keys of a dictionary in a list are not keys of the model itself; "[]." marks them.
      if (PyDict_Check(item.ptr())) AddDictionary(key + "[].", item, levels + 1);
      if (IsList(item)) AddWithin(key, item, levels + 1);
      is_mixed = is_mixed || own == kNoKind || own == POSENC_CONFIG_NULL || (!items.empty() && own != kind);
      kind = own;
      items.push_back(std::move(item));
    }
    if (items.size() > kMostItems) return Put(key, {nullptr, kLongList, 0.0, nullptr, nullptr, 0});
    if (!is_mixed && kind == POSENC_CONFIG_STRING) {
      for (size_t i = 0; i < items.size(); ++i) {
        Put(key + "." + std::to_string(i), {nullptr, kind, 0.0, Keep(WordOf(items[i])), nullptr, 0});
      }
      return;
    }
    std::vector<double> numbers;
    for (const nb::object& item : items) numbers.push_back(is_mixed ? 0.0 : ToNumber(item));
    const std::vector<double>& kept = lists_.emplace_back(std::move(numbers));
    const posenc_config_kind of_list =
        kind == POSENC_CONFIG_FLAG ? POSENC_CONFIG_FLAGS : POSENC_CONFIG_NUMBERS;
    Put(key, {nullptr, is_mixed ? kNoKind : of_list, 0.0, nullptr, kept.data(), kept.size()});
  }

  // Adds the dictionaries in a list that is itself in a list. Its other items do not matter.
  void AddWithin(const std::string& key, nb::handle list, int levels) {
    RequireFew(levels);
    for (const nb::handle listed : list) {
      const nb::object item = Whole(listed);
      if (PyDict_Check(item.ptr())) AddDictionary(key + "[].", item, levels + 1);
      if (IsList(item)) AddWithin(key, item, levels + 1);
    }
  }

  // Dictionaries in a list have the same keys, which say nothing about the model itself.
  void Put(const std::string& key, const posenc_config_entry& entry) {
    const bool is_twice = places_.count(key) != 0 && key.find("[].") == std::string::npos;
    if (is_twice) RaiseWrong("the key " + key + " is given twice: give it once");
    Set(key, entry);
  }

  void Set(const std::string& key, posenc_config_entry entry) {
    const auto [found, is_new] = places_.try_emplace(key, entries_.size());
    if (is_new) entries_.emplace_back();
    entry.key = found->first.c_str();
    entries_[found->second] = entry;
  }

  const char* Keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::string where_;
  bool has_dots_ = false;
  std::vector<posenc_config_entry> entries_;
  std::unordered_map<std::string, size_t> places_;  // the index of each key's entry
  std::deque<std::string> texts_;
  std::deque<std::vector<double>> lists_;
};

// The dictionary of a configuration, which is a dictionary, the path of a file, or an object with to_dict().
struct Source {
  explicit Source(nb::handle config) {
    if (PyDict_Check(config.ptr())) {
      dictionary = nb::borrow(config);
    } else if (PyUnicode_Check(config.ptr()) || !Attribute(config, "__fspath__").is_none()) {
      where = Text(nb::module_::import_("os").attr("fsdecode")(config)) + ": ";
      dictionary = nb::module_::import_("posenc._config").attr("read")(config);
    } else {
      const nb::object method = Attribute(config, "to_dict");
      dictionary = method.is_none() ? Attribute(config, "__dict__") : method();
    }
    if (!PyDict_Check(dictionary.ptr())) {
      RaiseType("config must be a dict, a path or an object with to_dict(), not " + TypeName(config));
    }
  }

  std::string where;  // "config.json: ", or "" if there is no file
  nb::object dictionary;
};

// Makes a Rotary from the spec of a configuration. Arguments change its members.
Rotary MakeOfConfig(posenc_rotary_spec spec, const nb::dict& overrides) {
  if (spec.rotary_dim == spec.head_dim) spec.rotary_dim = 0;  // all of them, also if another offset is given
  return MakeRotary(spec, overrides);
}

ConfigQuestion QuestionOf(nb::handle layer, nb::handle layer_type, nb::handle model_type,
                          nb::handle pairing) {
  ConfigQuestion question;
  if (!layer.is_none()) question.layer = ToInteger(layer, "layer");
  if (question.layer && *question.layer < 0)
    RaiseValue("layer must not be negative, and is " + std::to_string(*question.layer));
  if (!layer_type.is_none()) question.layer_type = ToString(layer_type, "layer_type");
  if (!model_type.is_none()) question.model_type = ToString(model_type, "model_type");
  if (!pairing.is_none()) {
    const Member& member = *posenc::internal::MembersOf<posenc_rotary_spec>().Find("pairing");
    question.pairing =
        static_cast<posenc_pairing>(ToChoice(posenc::internal::WordsOf(member), pairing, "pairing"));
  }
  return question;
}

// Whether a configuration is refused because it has no base, or because its base is null.
bool LacksBase(const Entries& entries, const ConfigAnswer& answer) {
  const std::vector<posenc_config_entry>& all = entries.all();
  const size_t index = answer.report.index;
  if (answer.status == POSENC_OK || (index < all.size() && all[index].kind != POSENC_CONFIG_NULL))
    return false;
  const std::string key = answer.report.key;
  return key.find("theta") != std::string::npos || key.find("base") != std::string::npos;
}

// Asks again, with the base that the configuration lacks. The base is added in each part of the configuration
// from which keys were read, until the library finds it.
ConfigAnswer AskWithBase(double base, const ConfigQuestion& question, Entries* entries, ConfigAnswer answer) {
  const std::string key = answer.report.key;
  std::vector<std::string> prefixes = {""};
  for (size_t i = 0; i < entries->all().size(); ++i) {
    const std::string read = answer.read[i] != 0 ? entries->all()[i].key : "";
    const size_t end = read.rfind("_config.");
    if (end != std::string::npos) prefixes.push_back(read.substr(0, end) + "_config.");
  }
  for (const std::string& prefix : prefixes) {
    if (!LacksBase(*entries, answer)) break;
    entries->SetNumber(prefix + key, base);
    answer = Ask(entries->all(), question);
  }
  return answer;
}

}  // namespace

Rotary RotaryFromConfig(nb::handle config, nb::handle layer, nb::handle layer_type, nb::handle model_type,
                        nb::handle pairing, nb::dict overrides) {
  const ConfigQuestion question = QuestionOf(layer, layer_type, model_type, pairing);
  if (question.pairing) overrides["pairing"] = pairing;
  posenc_rotary_spec stated = posenc::internal::Default<posenc_rotary_spec>();
  nb::dict kept;
  Set(overrides, &stated, &kept);  // refuses wrong arguments before the configuration is read
  const Source source(config);
  Entries entries(source.where);
  entries.Add(nb::borrow<nb::dict>(source.dictionary));
  ConfigAnswer answer = Ask(entries.all(), question);
  if (LacksBase(entries, answer) && overrides.contains("base")) {
    answer = AskWithBase(stated.base, question, &entries, std::move(answer));
  }
  if (answer.status != POSENC_OK) Raise(answer.status, source.where + answer.report.text);
  try {
    return MakeOfConfig(answer.spec, overrides);
  } catch (const nb::builtin_exception& error) {
    if (source.where.empty() || error.type() != nb::exception_type::value_error) throw;
    RaiseValue(source.where + error.what());
  }
}

nb::tuple ReadConfig(nb::handle config, nb::handle layer, nb::handle layer_type, nb::handle model_type,
                     nb::handle pairing) {
  const ConfigQuestion question = QuestionOf(layer, layer_type, model_type, pairing);
  const Source source(config);
  Entries entries(source.where);
  entries.Add(nb::borrow<nb::dict>(source.dictionary));
  ConfigReading reading;
  try {
    reading = ReadLayers(entries.all(), question);
  } catch (const ConfigRefusal& refusal) {
    Raise(refusal.status(), source.where + refusal.what());
  }
  nb::list groups, keys;
  for (const LayerGroup& group : reading.groups) {
    nb::object layers = nb::none(), rotary = nb::none();
    if (!group.layers.empty()) {
      nb::list numbers;
      for (const int64_t number : group.layers) numbers.append(number);
      layers = numbers;
    }
    const posenc_rotary_spec& spec = group.answer.spec;
    if (group.rotates()) rotary = nb::cast(MakeOfConfig(spec, nb::dict()));
    groups.append(nb::make_tuple(layers, rotary, TextOf(group)));
  }
  for (const std::string& key : KeysRead(entries.all(), reading)) keys.append(key);
  std::string text;
  for (const std::string& line : LinesOf(entries.all(), question, reading))
    text += (text.empty() ? "" : "\n") + line;
  const posenc_model_report& report = reading.groups.front().answer.report;
  const std::optional<NormReading> norm = NormOf(entries.all(), reading);
  return nb::make_tuple(report.model_type, report.source, groups, keys, norm ? TextOf(*norm) : "", text);
}

}  // namespace posenc_python
