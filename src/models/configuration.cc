// Finds the model of a configuration, reads all entries, and keeps what they say, slot by slot.
#include "number/exact.h"

#include "models/configuration.h"

#include <algorithm>
#include <cstring>

namespace posenc {
namespace internal {
namespace models {
namespace {

// The row for a model that posenc does not know, if the caller states the pairing. It names keys that many
// models read, and has no values for missing keys. Whether a head has hidden_size / num_attention_heads
// elements depends on the model's code, so head_dim must be given.
constexpr Text kAnyModel = "rope_theta partial_rotary_factor n_layer n_layers num_layers head_dim_needed";

// The dictionaries in which most models of several parts have the keys of their text model.
constexpr Text kTextParts = "text_config llm_config language_config";

bool IsList(const posenc_config_entry& entry) {
  return entry.kind == POSENC_CONFIG_NUMBERS || entry.kind == POSENC_CONFIG_FLAGS;
}

// Whether two entries have the same value.
bool AreSame(const posenc_config_entry& entry, const posenc_config_entry& other) {
  if (entry.kind != other.kind) return false;
  if (entry.kind == POSENC_CONFIG_STRING) return Text(entry.string) == Text(other.string);
  if (!IsList(entry)) return entry.number == other.number;
  return std::equal(entry.numbers, entry.numbers + entry.count, other.numbers, other.numbers + other.count);
}

Text TextOf(const posenc_config_entry* entry) {
  const bool is_text = entry != nullptr && entry->kind == POSENC_CONFIG_STRING && entry->string != nullptr;
  return is_text ? Text(entry->string) : Text();
}

}  // namespace

// The parts of an entry's name, such as "text_config.rope_parameters.full_attention.rope_theta".
struct Configuration::Name {
  unsigned place = TOP;
  Text dictionary;          // the type of layer whose dictionary the key is in, such as "full_attention"
  Text key;                 // the key itself, such as "rope_theta"
  std::int64_t index = -1;  // the number of an item in a list of strings
  std::int64_t layer = -1;  // the layer, if the key is for one layer only
};

Configuration::Configuration(const posenc_config& asked, posenc_model_report* report)
    : asked_(asked), report_(report), sentence_(report->text, sizeof(report->text)), none_(nullptr, 0) {
  report->key = "";
  report->model_type[0] = report->source[0] = '\0';
  report->index = asked.count;
  report->layers = 0;
  report->rotates = 1;
  if (asked.read != nullptr) std::memset(asked.read, 0, asked.count);
  CheckEntries();
  if (status_ != POSENC_OK) return;
  FindModelAndPart();
  if (status_ != POSENC_OK) return;
  Read();
  if (status_ != POSENC_OK) return;
  report->layers = LayerCount();
  if (status_ != POSENC_OK) return;
  // This comes last, so that a caller that is refused still learns how many layers it can ask for.
  if (of_one_layer_ != nullptr) Refuse(rule::bad_layer, *of_one_layer_) << ", so layers differ: name a layer";
}

// Refuses an entry that lacks what its kind needs.
void Configuration::CheckEntries() {
  for (std::size_t i = 0; i < asked_.count; ++i) {
    const posenc_config_entry& entry = asked_.entries[i];
    const bool lacks_string = entry.kind == POSENC_CONFIG_STRING && entry.string == nullptr;
    const bool lacks_numbers = IsList(entry) && entry.numbers == nullptr && entry.count != 0;
    if (entry.key != nullptr && !lacks_string && !lacks_numbers) continue;
    report_->index = i;
    Sentence& sentence = Refuse(rule::null_entry) << "entry " << static_cast<double>(i);
    if (entry.key == nullptr) {
      sentence << " has no key: its key must not be null";
    } else {
      report_->key = entry.key;
      (sentence << ", ").Shown(entry.key)
          << (lacks_string ? ", has a string that is a null pointer: for null" : ", has no numbers: for null")
          << ", its kind must be POSENC_CONFIG_NULL";
    }
    return;
  }
}

// ---- Keys that are given twice ----

constexpr char kTwice[] = ", but the key is given twice: give it once";
constexpr char kNullAndDictionary[] = ", but the key is also a dictionary with keys: give one of the two";

// Refuses an entry if a later one has the same key.
bool Configuration::IsTwice(const posenc_config_entry* entry) {
  if (entry == nullptr) return false;
  const posenc_config_entry* const end = asked_.entries + asked_.count;
  for (const posenc_config_entry* other = entry + 1; other != end; ++other) {
    if (std::strcmp(other->key, entry->key) != 0) continue;
    Refuse(rule::key_twice, *other) << kTwice;
    return true;
  }
  return false;
}

// Refuses an entry for a row of keys.inc if an earlier one has the same key. It is enough to compare an entry
// with the one before it: the entries of a row have the same key, except that entries in the dictionary for
// the layer's type follow all entries beside it, and that several layers may have dictionaries.
bool Configuration::IsTwice(const Key& key, const posenc_config_entry& entry) {
  const posenc_config_entry* const before = given_[RankOf(key)];
  given_[RankOf(key)] = &entry;
  if (before == nullptr) return false;
  if (key.place == LAYER && !names_layer()) {
    const bool are_equal = before->kind == entry.kind && before->number == entry.number;
    if (!are_equal) Refuse(rule::bad_layer, entry) << ", so layers of that type differ: name a layer";
    return !are_equal;
  }
  if (key.place != LAYER && std::strcmp(before->key, entry.key) != 0) return false;
  Refuse(rule::key_twice, entry) << kTwice;
  return true;
}

// Refuses a list of strings that has an item twice.
void Configuration::CheckItems(const Key& list) {
  std::uint64_t seen[kMostItems / 64] = {};
  const posenc_config_entry* const end = asked_.entries + asked_.count;
  for (const posenc_config_entry* entry = asked_.entries; entry != end; ++entry) {
    Name name;
    if (ListKey(*entry, &name) != &list) continue;
    std::uint64_t& word = seen[name.index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (name.index % 64);
    if ((word & bit) != 0) {
      Refuse(rule::key_twice, *entry) << kTwice;
      return;
    }
    word |= bit;
  }
}

// ---- Which model, and which part of the configuration ----

bool Configuration::StartsPart(Text part) const {
  const Text prefix = prefix_;
  for (std::size_t i = 0; i < asked_.count; ++i) {
    Text key = asked_.entries[i].key;
    if (Strip(prefix, &key) && Strip(part, &key) && StartsWith(key, ".")) return true;
  }
  return false;
}

// `parts` names dictionaries, such as "text_config,thinker_config:qwen3_asr_thinker". Returns the first one
// that the configuration has, or else the first one. If a colon follows, *type becomes the text after it.
Text Configuration::PartOf(Text parts, Text* type) const {
  Text first = parts;
  first = Next(",", &first);
  while (!parts.empty()) {
    Text own = Next(",", &parts);
    const Text part = Next(":", &own);
    if (!StartsPart(part)) continue;
    if (!own.empty()) *type = own;
    return part;
  }
  return first;
}

const posenc_config_entry* Configuration::EntryOfPart(Text name) const {
  const Text prefix = prefix_;
  for (std::size_t i = 0; i < asked_.count; ++i) {
    Text key = asked_.entries[i].key;
    if (Strip(prefix, &key) && key == name) return &asked_.entries[i];
  }
  return nullptr;
}

// Whether the part has this key with a value that is not null.
bool Configuration::HasValue(Text name) const {
  const posenc_config_entry* const entry = EntryOfPart(name);
  return entry != nullptr && entry->kind != POSENC_CONFIG_NULL;
}

void Configuration::RefuseModel(Text type) {
  const char* const name = is_gguf_ ? "general.architecture" : "model_type";
  const posenc_config_entry* const entry = EntryOfPart(name);
  Sentence& sentence = Begin(rule::unknown_model);
  report_->key = entry == nullptr ? name : entry->key;
  if (entry != nullptr) report_->index = static_cast<std::size_t>(entry - asked_.entries);
  if (type.empty() && entry != nullptr) {
    Show(*entry);
  } else if (type.empty()) {
    sentence << prefix_ << name << " is missing";
  } else {
    (sentence << "posenc does not know the " << (is_gguf_ ? "architecture \"" : "model type \"")).Shown(type)
        << "\"";
    if (const Text like = MostLike(type, is_gguf_); !like.empty())
      sentence << " (do you mean " << like << "?)";
  }
  sentence << ": pass as model_type a " << (is_gguf_ ? "known architecture" : "known model type")
           << " that rotates in the same way";
  if (!is_gguf_)
    sentence << ", or as pairing half_split or neighbours if this model rotates by +p along one axis in all "
                "layers, and rotates whole heads unless partial_rotary_factor is given";
}

// Finds the model's row. If the model has several parts, the keys of its text model are in a dictionary; then
// this finds the text model's row, and no other keys are read.
void Configuration::FindModelAndPart() {
  if (const posenc_config_entry* const entry = EntryOfPart("general.architecture"); entry != nullptr) {
    is_gguf_ = true;
    architecture_ = TextOf(entry);
    if (asked_.read != nullptr) asked_.read[entry - asked_.entries] = 1;
    if (IsTwice(entry)) return;
    if (entry->kind != POSENC_CONFIG_STRING) {
      Refuse(rule::kind_of_key, *entry) << ", but must be a string";
      return;
    }
  }
  const Text stated = asked_.model_type == nullptr ? Text() : Text(asked_.model_type);
  Text type = is_gguf_ ? architecture_ : Text();
  if (!is_gguf_) {
    const posenc_config_entry* const entry = EntryOfPart("model_type");
    if (IsTwice(entry)) return;
    if (entry != nullptr && entry->kind != POSENC_CONFIG_STRING && entry->kind != POSENC_CONFIG_NULL) {
      Refuse(rule::kind_of_key, *entry) << ", but must be a string";
      return;
    }
    type = TextOf(entry);
    if (entry != nullptr && asked_.read != nullptr) asked_.read[entry - asked_.entries] = 1;
  }
  // A part may have parts, too. No known model has more than three levels.
  for (int level = 0; level < 3; ++level) {
    model_ = FindModel(type, is_gguf_);
    Text inner = model_.row.Value("type"), part = PartOf(model_.row.Value("part"), &inner);
    if (part.empty() && model_.type.empty() && (!stated.empty() || asked_.pairing != nullptr)) {
      for (Text rest = kTextParts; !rest.empty();) {
        const Text usual = Next(" ", &rest);
        if (part.empty() && (StartsPart(usual) || HasValue(usual))) part = usual;
      }
    }
    if (part.empty()) break;
    if (const posenc_config_entry* const entry = EntryOfPart(part); entry != nullptr) {
      const bool is_null = entry->kind == POSENC_CONFIG_NULL, has_keys = StartsPart(part);
      if (is_null && has_keys) Refuse(rule::key_twice, *entry) << kNullAndDictionary;
      if (!is_null) {
        Refuse(rule::kind_of_key, *entry) << ", but must be a dictionary with the keys of the text model";
      }
      if (status_ != POSENC_OK) return;
    }
    if (StartsPart(part)) {
      char* end = prefix_ + std::strlen(prefix_);
      if (static_cast<std::size_t>(end - prefix_) + part.size() + 2 > sizeof(prefix_)) break;
      std::memcpy(end, part.data(), part.size());
      std::memcpy(end + part.size(), ".", 2);
      const posenc_config_entry* const entry = EntryOfPart("model_type");
      if (IsTwice(entry)) return;
      if (entry != nullptr && asked_.read != nullptr) asked_.read[entry - asked_.entries] = 1;
      const Text own = TextOf(entry);
      outer_ = model_.row;
      type = own.empty() || model_.row.Has("fixed") ? inner : own;
    } else if (model_.row.Has("flat")) {
      type = inner;
      model_ = FindModel(type, false);
      break;
    } else if (stated.empty()) {
      Sentence& sentence = Begin(rule::missing_key);
      (sentence << "a model of the type ").Shown(type)
          << " has the keys of its text model in " << part << ", which is missing";
      return;
    } else {
      break;
    }
  }
  if (!stated.empty()) {
    type = stated;
    model_ = FindModel(type, is_gguf_);
    if (model_.type.empty() && asked_.pairing == nullptr) return RefuseModel(type);
  }
  if (model_.type.empty() && (asked_.pairing == nullptr || is_gguf_)) return RefuseModel(type);
  if (model_.type.empty()) model_.row = Row(kAnyModel);
  if (prefix_[0] != '\0' && model_.row.Has("axes")) {
    Sentence& sentence = Begin(rule::missing_key);
    (sentence << "a model of the type ").Shown(type)
        << " is a vision tower, and the configuration has a text model in "
        << Text(prefix_).substr(0, std::strlen(prefix_) - 1) << ": pass the tower's dictionary alone";
    return;
  }
  Sentence(report_->model_type, sizeof(report_->model_type)).Shown(model_.type);
  ShowSource();
  sizes_ = is_gguf_ ? Sizes{} : SizesOf(type);
  if (model_.row.Has("none")) {
    CheckStill();
    Sentence& sentence = Begin(rule::no_rotary);
    (sentence << "a model of the type ").Shown(type) << " has no rotary embedding";
    if (const Text has = model_.row.Value("has"); !has.empty()) {
      sentence << ": it has ";
      for (const char c : has) sentence << Text(c == '_' ? " " : Text(&c, 1));
    }
  } else if (model_.row.Has("odd")) {
    Sentence& sentence = Begin(rule::model_without_spec);
    (sentence << "a model of the type ").Shown(type)
        << " has a rotary for which posenc makes no spec: " << model_.source;
  }
}

// If the code that was read has no rotary, refuses a key with which other code of the model rotates.
void Configuration::CheckStill() {
  for (const Key& key : AllKeys()) {
    if (key.slot != rotates || !model_.row.Has(key.name)) continue;
    const posenc_config_entry* const entry = EntryOfPart(key.name);
    if (entry == nullptr || entry->kind == POSENC_CONFIG_NULL || entry->number == 0.0) continue;
    Refuse(rule::unknown_key, *entry)
        << ", but the code of this model that posenc knows has no rotary embedding";
  }
}

// Writes the source to the report, such as "transformers, models/llama". A row may name several folders.
void Configuration::ShowSource() {
  if (model_.type.empty() || model_.row.Has("odd")) return;
  Text folder;
  for (Text rest = model_.source; !rest.empty();) {
    const Text word = Next(" ", &rest);
    if (StartsWith(model_.type, word) && word.size() > folder.size()) folder = word;
  }
  Sentence source(report_->source, sizeof(report_->source));
  if (model_.source.find(',') != Text::npos || is_gguf_) {
    // If there is too little room for all of it, the first place is enough.
    const bool has_room = model_.source.size() < sizeof(report_->source);
    source << (has_room ? model_.source : model_.source.substr(0, model_.source.find(';')));
  } else {
    source << "transformers, models" << (folder.empty() ? "" : "/") << folder;
  }
}

// ---- Reading the entries ----

bool Configuration::Parse(const posenc_config_entry& entry, Name* name) const {
  name->key = entry.key;
  if (is_gguf_) {
    Text rest = name->key;
    if (Strip(architecture_, &rest) && Strip(".", &rest)) {
      name->key = rest;
      name->place = GGUF;
      return !StartsWith(rest, "vision.") && !StartsWith(rest, "audio.");
    }
    name->place = TENSOR;
    return true;
  }
  if (!Strip(prefix_, &name->key)) return false;
  const bool is_scaling = StartsWith(name->key, "rope_scaling.");
  if (is_scaling || StartsWith(name->key, "rope_parameters.")) {
    if (is_scaling != is_scaling_) return false;  // only one of the two is read
    Next(".", &name->key);
    name->place = DICTIONARY;
    Text rest = name->key;
    const Text first = Next(".", &rest);
    if (!rest.empty() && IndexOf(rest) < 0) {
      name->dictionary = first;
      name->key = rest;
    } else if (FindKey(first, DICTIONARY) == nullptr &&
               (entry.kind == POSENC_CONFIG_NULL || entry.kind == kEmptyDictionary)) {
      name->dictionary = first;  // a type of layer that has null or nothing instead of keys
      name->key = {};
    }
    return true;
  }
  if (Strip("per_layer_config.", &name->key)) {
    name->place = LAYER;
    name->layer = IndexOf(Next(".", &name->key));
    return true;
  }
  if (FindKey(name->key, TOP) != nullptr) return true;
  Text rest = name->key;
  const Text first = Next(".", &rest);
  if (rest.empty()) return true;
  name->index = IndexOf(rest);
  if (name->index >= 0) {
    name->key = first;
    return true;
  }
  // Such a key belongs to another part of the model, unless the name says that it is about the model's own
  // attention or positions, or about a text model, which this model is itself.
  return !EndsWith(first, "_config") || SpeaksOfPositions(first) || SpeaksOfAttention(first) ||
         HasWord(kTextParts, first, " ");
}

bool Configuration::IsOfAskedLayer(std::int64_t layer) const {
  if (layer < 0) return false;
  if (names_layer() || asked_.layer_type == nullptr) return layer == this->layer();
  return Listed(layer_types, layer) == asked_.layer_type;
}

// Finds the lists of strings, and the dictionary that is read.
void Configuration::FindLists() {
  const posenc_config_entry* const end = asked_.entries + asked_.count;
  const posenc_config_entry* null_scaling = nullptr;
  bool has_parameters = false;
  for (const posenc_config_entry* entry = asked_.entries; entry != end && !is_gguf_; ++entry) {
    Text key = entry->key;
    if (!Strip(prefix_, &key)) continue;
    if (StartsWith(key, "rope_scaling.")) is_scaling_ = has_dictionary_ = true;
    if (StartsWith(key, "rope_parameters.")) has_dictionary_ = has_parameters = true;
    if (key == "rope_scaling" && entry->kind == POSENC_CONFIG_NULL) null_scaling = entry;
    Name name;
    const Key* const list = ListKey(*entry, &name);
    if (list == nullptr) continue;
    if (name.index >= static_cast<std::int64_t>(kMostItems)) {
      Refuse(rule::value_of_key, *entry)
          << ", but a list may have at most " << static_cast<double>(kMostItems) << " items";
      return;
    }
    List& items = lists_[PlaceOfList(static_cast<Slot>(list->slot))];
    items.is_mixed_up = items.is_mixed_up || name.index != items.end;
    items.end = std::max(items.end, name.index + 1);
    if (name.index == 0 && items.first == nullptr) items.first = entry;
  }
  has_both_ = has_parameters && is_scaling_;
  if (null_scaling != nullptr && !has_dictionary_ && !row().Value("dict", "rope_type").empty()) {
    Refuse(rule::value_of_key, *null_scaling)
        << ", and versions of the model's code differ in whether that means no scaling: write a dictionary "
           "with rope_type and rope_theta, or remove the key to get the code's own scaling";
  }
  for (const Key& key : AllKeys()) {
    if (key.kind == WORDS && lists_[PlaceOfList(static_cast<Slot>(key.slot))].is_mixed_up) CheckItems(key);
  }
}

void Configuration::Read() {
  FindLists();
  if (status_ != POSENC_OK) return;
  const posenc_config_entry* const end = asked_.entries + asked_.count;
  for (const posenc_config_entry* entry = asked_.entries; entry != end; ++entry) {
    Take(*entry);
    if (status_ != POSENC_OK) return;
  }
}

void Configuration::Take(const posenc_config_entry& entry) {
  Name name;
  if (!Parse(entry, &name)) return;
  const auto index = static_cast<std::size_t>(&entry - asked_.entries);
  if (!name.dictionary.empty()) {
    if (FindKey(name.dictionary, DICTIONARY) != nullptr) {
      (Refuse(rule::kind_of_key, entry) << ", but ").Shown(name.dictionary) << " must not be a dictionary";
      return;
    }
    // If the model's code knows no types of layers, null or nothing belongs to a key that posenc does not
    // know.
    if (name.key.empty() && !reads_types()) {
      Refuse(rule::unknown_key, entry)
          << ", and posenc does not know what that key does to the rotary embedding";
      return;
    }
    has_types_ = true;
    has_null_type_ = has_null_type_ || (name.key.empty() && entry.kind == POSENC_CONFIG_NULL);
    if (name.dictionary != type_) {
      // A dictionary for another type of layer: its values are not read, but posenc must know its keys.
      if (!name.key.empty() && FindKey(name.key, DICTIONARY) == nullptr) {
        Refuse(rule::unknown_key, entry) << ", and posenc does not know that key";
      }
      return;
    }
    if (name.key.empty()) {
      if (entry.kind != POSENC_CONFIG_NULL) {
        Refuse(rule::kind_of_key, entry) << ", but must be a dictionary with keys, or null";
        return;
      }
      null_type_ = &entry;
      if (asked_.read != nullptr) asked_.read[index] = 1;
      return;
    }
    is_by_type_ = true;
  }
  const Key* const key = FindKey(name.key, name.place);
  if (key == nullptr) {
    Text rest = name.key;
    const bool may_be_item = name.place == TOP || name.place == DICTIONARY;
    const Key* const whole = may_be_item ? FindKey(Next(".", &rest), name.place) : nullptr;
    if (whole != nullptr && whole->readers != NOBODY && whole->kind != WHATEVER) {
      Refuse(rule::kind_of_key, entry) << ", but " << whole->name << " must not be a dictionary"
                                       << (whole->kind == WORDS ? "" : " or a list of strings");
      return;
    }
    if (entry.kind == POSENC_CONFIG_NULL) return;
    // "type" may be the type of something else.
    const Key* const inner =
        name.place == TOP && name.key != "type" ? FindKey(name.key, DICTIONARY) : nullptr;
    if (inner != nullptr && inner->readers != NOBODY) {
      Refuse(rule::unknown_key, entry) << ", a key that known code reads only within rope_scaling or "
                                          "rope_parameters: move it there, or remove it";
      return;
    }
    if (name.place == DICTIONARY || SpeaksOfPositions(name.key)) {
      Refuse(rule::unknown_key, entry)
          << ", and posenc does not know what that key does to the rotary embedding";
    } else if (!knows_model() && SpeaksOfLayers(name.key) &&
               !(entry.kind == POSENC_CONFIG_FLAG && entry.number == 0.0)) {
      Refuse(rule::unknown_key, entry) << ", and posenc does not know which layers then have attention";
    }
    return;
  }
  if (key->readers == NOBODY) return;
  if (key->slot == dictionary) {
    if (entry.kind != POSENC_CONFIG_NULL) {
      Refuse(rule::kind_of_key, entry) << ", but must be a dictionary with keys, or null";
    } else if (StartsPart(name.key)) {
      Refuse(rule::key_twice, entry) << kNullAndDictionary;
    }
    return;
  }
  if (key->place == LAYER && !IsOfAskedLayer(name.layer)) {
    if (!names_layer() && asked_.layer_type == nullptr) of_one_layer_ = &entry;
    return;
  }
  if (name.index < 0 && IsTwice(*key, entry)) return;
  const bool is_read = key->readers == ALL || model_.row.Has(key->name);
  const bool is_list = key->kind == WORDS, is_item = name.index >= 0;
  const bool is_empty_list = IsList(entry) && entry.count == 0;
  if (is_item && !is_list) {
    Refuse(rule::kind_of_key, entry) << ", but " << key->name
                                     << " must not be a dictionary or a list of strings";
    return;
  }
  if (is_item || !(is_list && is_empty_list)) {
    // Only some models' code takes a list for the base.
    const bool is_one_base = key->kind == LAYER_BASES && !row().Has("by_first_layer");
    Wrong wrong = WhatIsWrong(entry, is_one_base ? POSITIVE : static_cast<Kind>(key->kind));
    if (is_item && is_list && entry.kind != POSENC_CONFIG_STRING) {
      wrong = {rule::kind_of_key, "must be a string"};
    } else if (!is_item && is_list && entry.kind == POSENC_CONFIG_STRING) {
      wrong = {rule::kind_of_key, "must be a list of strings"};
    }
    if (wrong.status != POSENC_OK) {
      Sentence& sentence = Refuse(wrong.status, entry) << ", but ";
      if (wrong.item != nullptr) {
        sentence << "its item " << static_cast<double>(wrong.item - entry.numbers) << ", " << *wrong.item
                 << ", ";
      }
      sentence << wrong.words;
      return;
    }
  }
  if (!is_read) {
    if (unread_[key->slot] == nullptr && entry.kind != POSENC_CONFIG_NULL) unread_[key->slot] = &entry;
    return;
  }
  if (asked_.read != nullptr) asked_.read[index] = 1;
  if (is_list) return;
  // If several keys have the same slot, a key in the dictionary for the layer's type counts; else the key
  // whose row comes first in keys.inc. If the other key is one that only some models' code reads, posenc
  // does not know which of the two counts for this model. A tensor's two names are names of the same tensor.
  const posenc_config_entry* const other = Entry(static_cast<Slot>(key->slot));
  const bool differs = other != nullptr && name.dictionary.empty() && entry.kind != POSENC_CONFIG_NULL &&
                       key->slot != layers && !AreSame(entry, *other);
  const bool is_first = other == nullptr || RankOf(*key) < RankOf(*keys_[key->slot]);
  if (differs && (key->place == TENSOR || (is_first ? keys_[key->slot] : key)->readers == SOME)) {
    (Refuse(rule::value_of_key, entry) << ", but ").Shown(other->key)
        << " is another value for the same: remove the wrong one";
    return;
  }
  if (found_[key->slot] != nullptr && name.dictionary.empty() && RankOf(*keys_[key->slot]) <= RankOf(*key))
    return;
  found_[key->slot] = &entry;
  keys_[key->slot] = key;
}

bool Configuration::NextUnread() {
  bool has_next[kSlots] = {}, has_any = false;
  for (const Key& key : AllKeys()) {
    const posenc_config_entry*& entry = given_[RankOf(key)];
    if (entry == nullptr || entry->kind == POSENC_CONFIG_NULL) continue;
    if (key.readers != SOME || model_.row.Has(key.name) || has_next[key.slot]) continue;
    if (entry != unread_[key.slot]) {
      unread_[key.slot] = entry;
      has_next[key.slot] = has_any = true;
    }
    entry = nullptr;  // it is or was the one that Unread returns
  }
  return has_any;
}

void Configuration::SetLayerType(Text type) {
  type_ = type;
  if (!has_types_) return;
  const posenc_config_entry* const end = asked_.entries + asked_.count;
  for (const posenc_config_entry* entry = asked_.entries; entry != end && status_ == POSENC_OK; ++entry) {
    Name name;
    if (Parse(*entry, &name) && name.dictionary == type && !type.empty()) Take(*entry);
  }
  if (null_type_ != nullptr && is_by_type_) Refuse(rule::key_twice, *null_type_) << kNullAndDictionary;
}

bool Configuration::HasDictionaryFor(Text type) const {
  return std::any_of(asked_.entries, asked_.entries + asked_.count, [&](const posenc_config_entry& entry) {
    Name name;
    return Parse(entry, &name) && name.dictionary == type && !name.key.empty();
  });
}

// ---- What was found ----

const posenc_config_entry* Configuration::Entry(Slot slot) const {
  const posenc_config_entry* const entry = found_[slot];
  return entry == nullptr || entry->kind == POSENC_CONFIG_NULL ? nullptr : entry;
}

Text Configuration::Default(Slot slot) const {
  if (slot == head_dim && IsNull(head_dim)) return {};  // null means hidden_size / number of heads
  const auto is_right = [&](unsigned places) {
    return [slot, places](Text name) {
      const Key* const key = FindKey(name, places);
      return key != nullptr && key->slot == slot;
    };
  };
  // A model of several parts may set values for its text model.
  Text value;
  for (const Key& key : AllKeys()) {
    if (key.slot == slot && key.place == TOP && value.empty()) value = outer_.Value("text", key.name);
  }
  if (!value.empty()) return value;
  // If the configuration has no dictionary, some models' code uses one with fixed values.
  const Text group = row().Has("by_type") ? type_ : Text("dict");
  const bool is_missing = row().Has("by_type") ? !is_by_type_ && !group.empty() : !has_dictionary_;
  if (is_missing) {
    for (const Key& key : AllKeys()) {
      if (key.slot == slot && key.place == DICTIONARY && value.empty()) value = row().Value(group, key.name);
    }
  }
  if (value.empty()) value = row().ValueOf(is_right(is_gguf_ ? unsigned{GGUF} : unsigned{TOP | DICTIONARY}));
  return value;
}

double Configuration::Number(Slot slot, double otherwise) {
  const posenc_config_entry* const entry = Entry(slot);
  if (entry == nullptr) {
    if (const Text text = Default(slot); !text.empty()) {
      CheckNull(slot, text);
      return NumberOf(text);
    }
    const double size = slot == hidden       ? sizes_.hidden
                        : slot == heads      ? sizes_.heads
                        : slot == layers     ? sizes_.layers
                        : slot == max_length ? sizes_.max_length
                                             : 0.0;
    if (size == 0.0) return otherwise;
    char shown[32];
    Sentence(shown, sizeof(shown)) << size;
    CheckNull(slot, shown);
    return size;
  }
  if (!IsList(*entry)) return entry->number;
  if (layer() < 0) {
    for (std::size_t i = 1; i < entry->count; ++i) {
      if (entry->numbers[i] == entry->numbers[0]) continue;
      Refuse(rule::bad_layer, slot) << ", so layers differ: name a layer";
      return otherwise;
    }
    if (entry->count != 0) return entry->numbers[0];
  }
  const auto index = static_cast<std::size_t>(layer() < 0 ? 0 : layer());
  if (index < entry->count) return entry->numbers[index];
  Refuse(rule::value_of_key, slot) << ", a list that has no entry for the layer";
  return otherwise;
}

void Configuration::CheckNull(Slot slot, Text value) {
  if (!IsNull(slot)) return;
  if (keys_[slot]->kind == FLAG) value = value == "0" ? "false" : "true";
  Refuse(rule::value_of_key, slot) << ", and posenc does not know what the model's code then does: write a "
                                      "value, or remove the key, without which the code uses "
                                   << value;
}

double Configuration::Needed(Slot slot) {
  const double number = Number(slot, -1.0);
  if (number != -1.0) return number;
  Refuse(rule::missing_key, slot) << ", and the rotary embedding needs it";
  return 1.0;
}

std::int64_t Configuration::LayerCount() {
  if (Entry(layers) == nullptr && HasList(layer_types)) return lists_[PlaceOfList(layer_types)].end;
  const double all = Number(layers), extra = row().Has("all_predict") ? 0.0 : Number(predicting);
  if (all != 0.0 && extra >= all)
    Refuse(rule::value_of_key, predicting) << ", but must be below the number of all layers, " << all;
  return static_cast<std::int64_t>(all > extra ? all - extra : all);
}

Text Configuration::Word(Slot slot) const {
  const Text word = TextOf(Entry(slot));
  return word.empty() ? Default(slot) : word;
}

const Key* Configuration::ListKey(const posenc_config_entry& entry, Name* name) const {
  const Text text = entry.key;
  if (text.empty() || text.back() < '0' || text.back() > '9') return nullptr;  // true for most keys
  if (!Parse(entry, name) || name->index < 0 || name->place != TOP) return nullptr;
  const Key* const key = FindKey(name->key, TOP);
  const bool is_read = key != nullptr && (key->readers == ALL || model_.row.Has(key->name));
  return is_read && key->kind == WORDS ? key : nullptr;
}

Text Configuration::Listed(Slot slot, std::int64_t index) const {
  const List& list = lists_[PlaceOfList(slot)];
  if (index < 0 || index >= list.end) return {};
  const auto is_item = [&](const posenc_config_entry& entry) {
    Name name;
    const Key* const key = ListKey(entry, &name);
    return key != nullptr && key->slot == slot && name.index == index;
  };
  // Items of a list usually follow one another. If not, search all entries.
  const posenc_config_entry* const end = asked_.entries + asked_.count;
  if (list.first != nullptr && index < end - list.first && is_item(list.first[index]))
    return TextOf(&list.first[index]);
  for (const posenc_config_entry* entry = asked_.entries; entry != end; ++entry) {
    if (is_item(*entry)) return TextOf(entry);
  }
  return {};
}

bool Configuration::ListHas(Slot slot, Text word) const {
  for (std::size_t i = 0; i < asked_.count; ++i) {
    Name name;
    if (!Parse(asked_.entries[i], &name) || name.index < 0 || name.place != TOP) continue;
    const Key* const key = FindKey(name.key, TOP);
    if (key != nullptr && key->slot == slot && TextOf(&asked_.entries[i]) == word) return true;
  }
  return false;
}

const posenc_config_entry* Configuration::OtherWord(Slot slot, Text words, bool is_read) const {
  for (std::size_t i = 0; i < asked_.count; ++i) {
    Name name;
    const Text text = asked_.entries[i].key;
    if (text.empty() || text.back() < '0' || text.back() > '9') continue;  // true for most keys
    if (!Parse(asked_.entries[i], &name) || name.index < 0 || name.place != TOP) continue;
    const Key* const key = FindKey(name.key, TOP);
    if (key == nullptr || key->slot != slot) continue;
    if (is_read != (key->readers == ALL || row().Has(key->name))) continue;
    if (!HasWord(words, TextOf(&asked_.entries[i]), ",")) return &asked_.entries[i];
  }
  return nullptr;
}

// ---- Refusals ----

Sentence& Configuration::Begin(posenc_status status) {
  if (status_ != POSENC_OK) return none_;
  status_ = status;
  if (status == rule::no_rotary) report_->rotates = 0;
  return sentence_;
}

Sentence& Configuration::Refuse(posenc_status status) { return Begin(status); }

Sentence& Configuration::Refuse(posenc_status status, const posenc_config_entry& entry, Text before) {
  if (status_ != POSENC_OK) return none_;
  Begin(status) << before;
  report_->key = entry.key;
  report_->index = static_cast<std::size_t>(&entry - asked_.entries);
  Show(entry);
  return sentence_;
}

Sentence& Configuration::Refuse(posenc_status status, Slot slot, Text before) {
  if (found_[slot] != nullptr) return Refuse(status, *found_[slot], before);
  if (unread_[slot] != nullptr && status != rule::missing_key) return Refuse(status, *unread_[slot], before);
  if (status_ != POSENC_OK) return none_;
  Begin(status) << before;
  const unsigned places = is_gguf_ ? GGUF | TENSOR : TOP | DICTIONARY;
  report_->key = NameOf(slot, places);
  // If several keys have this slot, name one that the code of this model reads, else of all models.
  const Key* read_by_all = nullptr;
  for (const Key& key : AllKeys()) {
    if (key.slot != slot || (key.place & places) == 0) continue;
    if (key.readers == ALL && read_by_all == nullptr) read_by_all = &key;
    if (read_by_all != nullptr) report_->key = read_by_all->name;
    if (!row().Has(key.name)) continue;
    report_->key = key.name;
    break;
  }
  if (is_gguf_ && FindKey(report_->key, GGUF) != nullptr) sentence_.Shown(architecture_) << ".";
  const Key* const key = FindKey(report_->key, DICTIONARY);
  if (key != nullptr && key->slot == slot && !is_gguf_)
    sentence_ << (is_scaling_ ? "rope_scaling." : "rope_parameters.");
  if (const Text value = Default(slot); !value.empty()) {
    return sentence_ << report_->key << " is missing, so the model's code uses " << value;
  }
  return sentence_ << report_->key << " is missing";
}

void Configuration::Show(const posenc_config_entry& entry) {
  constexpr std::size_t kShown = 4;
  sentence_.Shown(entry.key) << " is ";
  // These two kinds are no values of the enum, so that a switch could not have them.
  if (entry.kind == kEmptyDictionary) return void(sentence_ << "an empty dictionary");
  if (entry.kind == kLongList) {
    return void(sentence_ << "a list of more than " << static_cast<double>(kMostItems) << " items");
  }
  switch (entry.kind) {
    case POSENC_CONFIG_NUMBER:
      sentence_ << entry.number;
      break;
    case POSENC_CONFIG_FLAG:
      sentence_ << (entry.number != 0.0 ? "true" : "false");
      break;
    case POSENC_CONFIG_STRING:
      (sentence_ << "\"").Shown(entry.string) << "\"";
      break;
    case POSENC_CONFIG_NUMBERS:
    case POSENC_CONFIG_FLAGS:
      sentence_ << "[";
      for (std::size_t i = 0; i < entry.count && i < kShown; ++i) {
        sentence_ << (i == 0 ? "" : ", ");
        if (entry.kind == POSENC_CONFIG_NUMBERS) sentence_ << entry.numbers[i];
        if (entry.kind == POSENC_CONFIG_FLAGS) sentence_ << (entry.numbers[i] != 0.0 ? "true" : "false");
      }
      sentence_ << (entry.count > kShown ? ", ...]" : "]");
      break;
    case POSENC_CONFIG_NULL:
      sentence_ << "null";
      break;
    default:
      sentence_ << "of mixed kinds, or of a kind that posenc does not read";
  }
}

}  // namespace models
}  // namespace internal
}  // namespace posenc
