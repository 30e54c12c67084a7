#include "number/exact.h"

#include "api/config_values.h"

namespace posenc {
namespace internal {
namespace config {
namespace {

constexpr std::int64_t kMaxLayer = 0x7FFFFFFF;  // so that sums do not overflow

}  // namespace

// A key, taken apart.
struct ConfigValues::Key {
  unsigned places = 0;      // 0: it is not about this part of the model
  unsigned rank = 0;        // of several keys for a slot
  Text dictionary;          // the type of layer that the key's dictionary is for
  Text name;                // the last part
  std::int64_t index = -1;  // in a list of strings
  std::int64_t layer = -1;  // the only layer that it is for
};

ConfigValues::Key ConfigValues::Parse(const posenc_config_entry& entry) const {
  Key key;
  key.name = entry.key;
  if (is_gguf()) {
    key.places = TENSOR;
    if (Strip(architecture_, &key.name) && Strip(".", &key.name)) key.places = GGUF;
    Text part = key.name;
    if (Strip("vision.", &part) || Strip("audio.", &part)) key.places = 0;
    return key;
  }
  key.places = MODEL;
  for (const char* text :
       {"text_config.", "llm_config.", "language_config.", "thinker_config.text_config."}) {
    if (Strip(text, &key.name)) {
      key.rank = 8;
      break;
    }
  }
  Strip("attn_config.", &key.name);  // of DBRX
  if (Strip("per_layer_config.", &key.name)) {
    key.places = LAYER;
    key.layer = IndexOf(Next(".", &key.name));
    return key;
  }
  const bool is_scaling = Strip("rope_scaling.", &key.name);
  if (is_scaling || Strip("rope_parameters.", &key.name)) {
    key.places = ROPE;
    key.rank += is_scaling ? 3 : 2;
    Text rest = key.name;
    const Text first = Next(".", &rest);
    if (!rest.empty()) {
      key.dictionary = first;
      key.name = rest;
      key.rank += 4;
    }
    return key;
  }
  Text rest = key.name;
  const Text first = Next(".", &rest);
  if (rest.empty()) return key;
  key.index = IndexOf(rest);
  if (key.index >= 0) {
    key.name = first;
  } else if (EndsWith(first, "_config")) {
    key.places = 0;  // for another part of the model
  }
  return key;
}

// Whether the caller asks for that layer, or for layers of its type.
bool ConfigValues::IsAsked(std::int64_t layer) const {
  if (layer < 0) return false;
  if (arguments_.layer >= 0 || arguments_.layer_type == nullptr) return layer == arguments_.layer;
  const char* const listed = FindListed(layer_type, layer, nullptr);
  return listed != nullptr && Text(listed) == arguments_.layer_type;
}

void ConfigValues::Take(const posenc_config_entry& entry, bool is_second_pass) {
  const Key key = Parse(entry);
  if (key.places == 0) return;
  const unsigned row_rank = FindConfigRow(key.name, key.places);
  if (row_rank == 0) {
    if (IsAboutRotaries(entry.key)) RefuseEntry(POSENC_UNKNOWN_CONFIG_KEY, entry);
    return;
  }
  if (key.places == LAYER && !IsAsked(key.layer)) {
    if (arguments_.layer < 0 && arguments_.layer_type == nullptr) RefuseEntry(POSENC_BAD_LAYER, entry);
    return;
  }
  const ConfigRow row = ConfigRowOf(row_rank);
  if ((row.kind == WORDS) != (key.index >= 0)) {
    const bool is_empty = entry.kind == POSENC_CONFIG_NUMBERS && entry.count == 0 && key.index < 0;
    if (!is_empty) RefuseEntry(POSENC_BAD_CONFIG_KIND, entry);
    return;
  }
  const posenc_status status = CheckValue(entry, static_cast<ConfigKind>(row.kind));
  if (status != POSENC_OK) return RefuseEntry(status, entry);
  if (!key.dictionary.empty()) {
    has_types_ = true;
    if (!is_second_pass || key.dictionary != dictionary_) return;
    is_by_type_ = true;
  }
  const bool is_none = row.kind == SIZE_OR_NONE && entry.number == 0.0;
  Found& found = found_[is_none ? no_dim : static_cast<ConfigSlot>(row.slot)];
  const unsigned rank = key.rank * 256 + row_rank;
  if (rank > found.rank) found = {&entry, rank};
}

void ConfigValues::Read() {
  const posenc_config_entry* const begin = arguments_.entries;
  const posenc_config_entry* const end = begin + arguments_.count;
  for (const posenc_config_entry* entry = begin; entry != end; ++entry) {
    if (entry->key == nullptr) return RefuseEntry(POSENC_NULL_POINTER, *entry);
    if (Text(entry->key) != "general.architecture") continue;
    if (const posenc_status status = CheckValue(*entry, WORD); status != POSENC_OK)
      return RefuseEntry(status, *entry);
    architecture_ = entry->string;
    found_[model] = {entry, 1};
  }
  for (const posenc_config_entry* entry = begin; entry != end; ++entry) Take(*entry, false);
  if (status_ != POSENC_OK) return;
  const Text name = arguments_.model_type != nullptr ? arguments_.model_type : Word(model);
  settings_ = FindSettings(name, is_gguf() ? GGUF : MODEL);
  if (is_gguf() && settings_ == nullptr) Refuse(POSENC_BAD_CONFIG_VALUE, model);
  FindType();
  if (!has_types_ || status_ != POSENC_OK) return;
  if (type_.empty()) return RefuseLayer();
  // DeepSeek V4 names its dictionaries otherwise than its types of layers.
  for (const Text dictionary : {type_, Text(type_ == "sliding_attention" ? "main" : "compress")}) {
    if (is_by_type_) return;
    dictionary_ = dictionary;
    for (const posenc_config_entry* entry = begin; entry != end; ++entry) Take(*entry, true);
  }
  if (!is_by_type_ && !ListHas(layer_type, type_)) RefuseLayer();
}

// A string of a list: the one with that index, or any if it is negative, that is the word, unless that is
// null.
const char* ConfigValues::FindListed(ConfigSlot slot, std::int64_t index, const Text* word) const {
  for (std::size_t i = 0; i < arguments_.count; ++i) {
    const posenc_config_entry& entry = arguments_.entries[i];
    const Key key = Parse(entry);
    if (key.index < 0 || (index >= 0 && key.index != index)) continue;
    const unsigned rank = FindConfigRow(key.name, key.places);
    if (rank == 0 || ConfigRowOf(rank).slot != slot) continue;
    if (word == nullptr || *word == entry.string) return entry.string;
  }
  return nullptr;
}

// A layer's type by its number, where no list says it; "" if all layers are alike, or if there is no number.
Text ConfigValues::DerivedType() {
  const Text full = "full_attention", sliding = "sliding_attention";
  const std::int64_t layer = arguments_.layer;
  if (layer < 0) return {};
  const posenc_config_entry* const pattern = Entry(sliding_pattern);
  const bool lists_pattern = pattern != nullptr && pattern->kind == POSENC_CONFIG_NUMBERS;
  if (Entry(sliding_layers) != nullptr) return Number(sliding_layers) == 1.0 ? sliding : full;
  if (Entry(compress_ratios) != nullptr) return Number(compress_ratios) == 0.0 ? sliding : Text("compress");
  if (lists_pattern) return Number(sliding_pattern) == 0.0 ? full : sliding;
  const auto is_last_of = [&](double interval) {
    return (layer + 1) % static_cast<std::int64_t>(interval) == 0;
  };
  if (const double interval = Number(full_interval); interval >= 1.0) {
    return is_last_of(interval) ? full : Text("linear_attention");
  }
  const auto is_first_of = [&](double interval) { return layer % static_cast<std::int64_t>(interval) == 0; };
  if (const double interval = Number(global_interval); interval >= 1.0) {
    return is_first_of(interval) ? full : sliding;
  }
  const bool is_number = pattern == nullptr || pattern->kind == POSENC_CONFIG_NUMBER;
  if (const double interval = is_number ? Number(sliding_pattern) : 0.0; interval >= 1.0 && Has(window)) {
    return (Has(first_is_full) ? is_first_of(interval) : is_last_of(interval)) ? full : sliding;
  }
  return {};
}

void ConfigValues::FindType() {
  const std::int64_t layer = arguments_.layer;
  if (layer < POSENC_NO_LAYER || layer > kMaxLayer) return RefuseLayer();
  const char* const listed = layer < 0 ? nullptr : FindListed(layer_type, layer, nullptr);
  if (listed == nullptr && layer >= 0 && Has(layers) && static_cast<double>(layer) >= Number(layers)) {
    return RefuseLayer();
  }
  if (listed == nullptr && layer >= 0 && HasList(layer_type)) return Refuse(POSENC_BAD_LAYER, layer_type);
  type_ = listed != nullptr ? listed : DerivedType();
  if (arguments_.layer_type != nullptr) {
    const Text given = arguments_.layer_type;
    if (!type_.empty() && type_ != given) return RefuseLayer();
    const bool is_known = PlaceAmong(given, "full_attention sliding_attention main compress") != 0;
    if (HasList(layer_type) ? !ListHas(layer_type, given) && !has_types_ : !is_known && !has_types_) {
      return RefuseLayer();
    }
    type_ = given;
  }
}

const ModelSetting* ConfigValues::FindSetting(ConfigSlot slot) const {
  for (const ModelSetting* setting = settings_; setting != nullptr && setting->slot != nothing; ++setting) {
    if (setting->slot == slot) return setting;
  }
  return nullptr;
}

Text ConfigValues::Word(ConfigSlot slot) const {
  return Entry(slot) == nullptr ? Text() : Text(Entry(slot)->string);
}

double ConfigValues::Number(ConfigSlot slot, double otherwise) {
  const posenc_config_entry* const entry = Entry(slot);
  if (entry == nullptr) {
    const ModelSetting* const setting = FindSetting(slot);
    return setting == nullptr ? otherwise : setting->value;
  }
  if (entry->kind != POSENC_CONFIG_NUMBERS) return entry->number;
  const auto layer = static_cast<std::size_t>(arguments_.layer);
  if (arguments_.layer >= 0 && layer < entry->count) return entry->numbers[layer];
  Refuse(arguments_.layer < 0 ? POSENC_BAD_LAYER : POSENC_BAD_CONFIG_VALUE, slot);
  return otherwise;
}

double ConfigValues::Needed(ConfigSlot slot) {
  if (!Has(slot)) Refuse(POSENC_MISSING_CONFIG_KEY, slot);
  return Number(slot, 1.0);
}

void ConfigValues::RefuseEntry(posenc_status status, const posenc_config_entry& entry) {
  if (status_ != POSENC_OK) return;
  status_ = status;
  bad_entry_ = &entry;
  if (entry.key != nullptr) bad_key_ = entry.key;
}

void ConfigValues::Refuse(posenc_status status, ConfigSlot slot) {
  if (Entry(slot) != nullptr) return RefuseEntry(status, *Entry(slot));
  if (status_ != POSENC_OK) return;
  status_ = status;
  if (slot != nothing) bad_key_ = KeyOf(slot, is_gguf() ? GGUF | TENSOR : EITHER);
}

}  // namespace config
}  // namespace internal
}  // namespace posenc
