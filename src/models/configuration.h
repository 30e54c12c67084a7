// What a configuration says about the model that is asked for. models/keys.inc tells what each entry means.
// For a missing key the model's row may have a value.
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
  // Reads all entries. The first thing that is wrong becomes the status and the report.
  Configuration(const posenc_config& asked, posenc_model_report* report);

  posenc_status status() const { return status_; }
  bool is_gguf() const { return is_gguf_; }
  const Row& row() const { return model_.row; }
  const posenc_pairing* stated_pairing() const { return asked_.pairing; }
  bool names_layer() const { return asked_.layer != nullptr; }
  // The number of the layer that is asked for, or -1 if none is named.
  std::int64_t layer() const { return names_layer() ? *asked_.layer : -1; }
  Text asked_type() const { return asked_.layer_type == nullptr ? Text() : Text(asked_.layer_type); }

  // The entry of a key, or null. A key whose value is null has none.
  const posenc_config_entry* Entry(Slot slot) const;
  // Whether the key is there and its value is null.
  bool IsNull(Slot slot) const { return found_[slot] != nullptr && Entry(slot) == nullptr; }
  // Whether there is an entry, or the model's row has a value.
  bool Has(Slot slot) const { return Entry(slot) != nullptr || !Default(slot).empty(); }
  // The number; of a list, the entry for the layer that is asked for. Without an entry it is the row's
  // number, else that of sizes.inc, else `otherwise`.
  double Number(Slot slot, double otherwise = 0.0);
  // The same, but refuses a configuration in which the key is missing and for which the row has no number.
  double Needed(Slot slot);
  // The string; without an entry the row's word, else "".
  Text Word(Slot slot) const;
  // What the row has for a slot if its keys are missing; "" if it has nothing.
  Text Default(Slot slot) const;

  // How many layers the model has, 0 if nothing says it. A list of all layers' types counts more than what
  // the model's code has for a number that is missing.
  std::int64_t LayerCount();

  // Lists of strings, such as layer_types. Whether there is one; its string at an index, or ""; whether it
  // has a word.
  bool HasList(Slot slot) const { return lists_[PlaceOfList(slot)].end != 0; }
  Text Listed(Slot slot, std::int64_t index) const;
  bool ListHas(Slot slot, Text word) const;

  // Whether rope_scaling or rope_parameters is a dictionary, and whether it has a dictionary for each type of
  // layer.
  bool has_dictionary() const { return has_dictionary_; }
  bool has_types() const { return has_types_; }
  // Whether rope_scaling is read, not rope_parameters.
  bool is_scaling() const { return is_scaling_; }

  // Sets the type of the layer, and reads the keys of the dictionary for that type.
  void SetLayerType(Text type);
  Text layer_type() const { return type_; }
  // Whether there is a dictionary for the type of the layer, and whether it is null.
  bool is_by_type() const { return is_by_type_; }
  bool type_is_null() const { return type_is_null_; }
  // Whether any type of layer has null instead of a dictionary; whether there are both dictionaries.
  bool has_null_type() const { return has_null_type_; }
  bool has_both_dictionaries() const { return has_both_; }

  // Refuses with a sentence: first `before`, then a key with its value, or that the key is missing. The
  // caller adds the rest of the sentence. Only the first refusal counts.
  Sentence& Refuse(posenc_status status, Slot slot, Text before = {});
  // The same, with a sentence that names no key.
  Sentence& Refuse(posenc_status status);

  // The first entry of a slot whose key the model's code does not read, or null.
  const posenc_config_entry* Unread(Slot slot) const { return unread_[slot]; }

 private:
  struct Name;
  // A list of strings: the entry of its first item, and how many items there are.
  struct List {
    const posenc_config_entry* first;
    std::int64_t end;
  };
  static std::size_t PlaceOfList(Slot slot) { return slot == layer_types ? 0 : slot == scaled_types ? 1 : 2; }

  void FindModelAndPart();
  void RefuseModel(Text type);
  void ShowSource();
  bool StartsPart(Text part) const;
  Text PartOf(Text parts, Text* type) const;
  const posenc_config_entry* EntryOfPart(Text name) const;
  void Read();
  bool Parse(const posenc_config_entry& entry, Name* name) const;
  // The key of a list of strings that the model's code reads, if the entry is an item of one; else null.
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
  Row outer_;  // of a model of several parts, whose text model is read
  Sizes sizes_{};
  char prefix_[96] = "";  // what the keys of the text model begin with, such as "text_config."
  bool has_dictionary_ = false, has_types_ = false, is_scaling_ = false;
  bool is_by_type_ = false, type_is_null_ = false, has_null_type_ = false, has_both_ = false;
  List lists_[3] = {};
  Text type_;
  const posenc_config_entry* found_[kSlots] = {};
  const Key* keys_[kSlots] = {};
  const posenc_config_entry* unread_[kSlots] = {};
  const posenc_config_entry* of_one_layer_ = nullptr;  // a key for one layer, if no layer is asked for
};

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_CONFIGURATION_H_
