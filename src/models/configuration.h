// Reads the entries of a configuration: what it says about the model and the layer that the caller asks for.
// models/keys.inc says what each key means. If a key is missing, the model's row may have a value for it.
#ifndef POSENC_SRC_MODELS_CONFIGURATION_H_
#define POSENC_SRC_MODELS_CONFIGURATION_H_

#include <cstddef>
#include <cstdint>

#include "models/keys.h"
#include "models/rows.h"
#include "models/text.h"
#include "posenc/models_c.h"

namespace posenc {
namespace internal {
namespace models {

class Configuration {
 public:
  // Reads all entries. The first mistake that it finds becomes the status and the report.
  Configuration(const posenc_config& asked, posenc_model_report* report);

  posenc_status status() const { return status_; }
  bool is_gguf() const { return is_gguf_; }
  const Row& row() const { return model_.row; }
  // Whether posenc knows the model.
  bool knows_model() const { return !model_.type.empty(); }
  const posenc_pairing* stated_pairing() const { return asked_.pairing; }
  bool names_layer() const { return asked_.layer != nullptr; }
  // The number of the layer that the caller asks for, or -1.
  std::int64_t layer() const { return names_layer() ? *asked_.layer : -1; }
  Text asked_type() const { return asked_.layer_type == nullptr ? Text() : Text(asked_.layer_type); }

  // The entry for a slot, or null if the key is missing or its value is null.
  const posenc_config_entry* Entry(Slot slot) const;
  // Whether the key is in the configuration, and its value is null.
  bool IsNull(Slot slot) const { return found_[slot] != nullptr && Entry(slot) == nullptr; }
  // Whether there is an entry for the slot, or the model's row has a value for it.
  bool Has(Slot slot) const { return Entry(slot) != nullptr || !Default(slot).empty(); }
  // The number for a slot; if it is a list, the number for the layer that the caller asks for. Without an
  // entry it is the number in the model's row, else the number in sizes.inc, else `otherwise`.
  double Number(Slot slot, double otherwise = 0.0);
  // The number for a slot. Refuses the configuration if neither an entry nor the row has one.
  double Needed(Slot slot);
  // The string for a slot; without an entry the word in the model's row, else "".
  Text Word(Slot slot) const;
  // The value in the model's row for a slot whose keys are missing; "" if the row has none.
  Text Default(Slot slot) const;
  // Refuses a null for which `value`, the value for a missing key, would count. A model's code may take null
  // for another value, or fail.
  void CheckNull(Slot slot, Text value);

  // How many layers the model has; 0 if that is unknown. If the key is missing, the length of the list of
  // layer types is used before the value that the model's code has.
  std::int64_t LayerCount();

  // For slots whose values are lists of strings, such as layer_types: whether there is a list; its string at
  // an index, or ""; whether the list contains a word.
  bool HasList(Slot slot) const { return lists_[PlaceOfList(slot)].end != 0; }
  Text Listed(Slot slot, std::int64_t index) const;
  bool ListHas(Slot slot, Text word) const;

  // Searches a list for the slot: the list that the model's code reads, or with `is_read` false a list that
  // it does not read. Returns the first string that is not one of `words`, which have commas between them, or
  // null.
  const posenc_config_entry* OtherWord(Slot slot, Text words, bool is_read) const;
  // Refuses an entry that OtherWord returned.
  Sentence& RefuseItem(posenc_status status, const posenc_config_entry& entry) {
    return Refuse(status, entry);
  }

  // Whether rope_scaling or rope_parameters is a dictionary.
  bool has_dictionary() const { return has_dictionary_; }
  // Whether the model's code reads a dictionary for each type of layer, within rope_parameters.
  bool reads_types() const { return row().Has("by_type") || row().Has("compressed"); }
  // Whether the configuration has a dictionary for each type of layer.
  bool has_types() const { return has_types_; }
  // Whether the dictionary that is read is rope_scaling; otherwise it is rope_parameters.
  bool is_scaling() const { return is_scaling_; }

  // Sets the type of the layer, and reads the keys of the dictionary for that type.
  void SetLayerType(Text type);
  Text layer_type() const { return type_; }
  // Whether there is a dictionary for that type of layers.
  bool HasDictionaryFor(Text type) const;
  // Whether there is a dictionary for the type of the layer.
  bool is_by_type() const { return is_by_type_; }
  // Whether the type of the layer has null instead of a dictionary.
  bool type_is_null() const { return null_type_ != nullptr; }
  // Whether any type of layer has null instead of a dictionary.
  bool has_null_type() const { return has_null_type_; }
  // Whether there are both dictionaries, rope_scaling and rope_parameters.
  bool has_both_dictionaries() const { return has_both_; }

  // Refuses the configuration with a sentence. It begins with `before`, followed by "KEY is VALUE" or "KEY is
  // missing"; the caller adds the rest to the sentence that is returned. Only the first refusal counts.
  Sentence& Refuse(posenc_status status, Slot slot, Text before = {});
  // The same, with a sentence that does not begin with a key.
  Sentence& Refuse(posenc_status status);

  // Refuses the first entry for a slot whose key the model's code does not read. There must be one.
  Sentence& RefuseUnread(posenc_status status, Slot slot) { return Refuse(status, *unread_[slot]); }
  // The first entry for a slot whose key the model's code does not read, or null.
  const posenc_config_entry* Unread(Slot slot) const { return unread_[slot]; }
  // Several such keys may say the same thing. Makes Unread return the next entry, for each slot that has one
  // more. Returns false if there is none.
  bool NextUnread();

 private:
  struct Name;
  // A list of strings, which has one entry for each item: the entry of its first item, how many there are,
  // and whether they are not in order.
  struct List {
    const posenc_config_entry* first;
    std::int64_t end;
    bool is_mixed_up;
  };
  static std::size_t PlaceOfList(Slot slot) { return slot == layer_types ? 0 : slot == scaled_types ? 1 : 2; }

  void FindModelAndPart();
  void RefuseModel(Text type);
  void CheckStill();
  void ShowSource();
  bool StartsPart(Text part) const;
  Text PartOf(Text parts, Text* type) const;
  const posenc_config_entry* EntryOfPart(Text name) const;
  bool HasValue(Text name) const;
  void CheckEntries();
  bool IsTwice(const posenc_config_entry* entry);
  bool IsTwice(const Key& key, const posenc_config_entry& entry);
  void CheckItems(const Key& list);
  void FindLists();
  void Read();
  bool Parse(const posenc_config_entry& entry, Name* name) const;
  // If the entry is an item of a list of strings that the model's code reads: the key of the list; else null.
  const Key* ListKey(const posenc_config_entry& entry, Name* name) const;
  void Take(const posenc_config_entry& entry);
  bool IsOfAskedLayer(std::int64_t layer) const;
  Sentence& Refuse(posenc_status status, const posenc_config_entry& entry, Text before = {});
  Sentence& Begin(posenc_status status);
  void Show(const posenc_config_entry& entry);

  posenc_config asked_;
  posenc_model_report* report_;
  Sentence sentence_, none_;
  posenc_status status_ = POSENC_OK;
  bool is_gguf_ = false;
  Text architecture_;
  Model model_;
  Row outer_;  // if a model has several parts: the row of the whole model, while model_ is its text model
  Sizes sizes_{};
  char prefix_[96] = "";  // the beginning of the text model's keys, such as "text_config."
  bool has_dictionary_ = false, has_types_ = false, is_scaling_ = false;
  bool is_by_type_ = false, has_null_type_ = false, has_both_ = false;
  const posenc_config_entry* null_type_ = nullptr;  // the layer's type, with null instead of a dictionary
  List lists_[3] = {};
  Text type_;
  const posenc_config_entry* found_[kSlots] = {};
  const Key* keys_[kSlots] = {};
  const posenc_config_entry* unread_[kSlots] = {};
  const posenc_config_entry* given_[kKeyCount] = {};  // the last entry that each row of keys.inc had
  // If the caller asks for no layer: an entry that is for one layer only, or null.
  const posenc_config_entry* of_one_layer_ = nullptr;
};

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_CONFIGURATION_H_
