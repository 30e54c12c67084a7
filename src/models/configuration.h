// What a configuration says about the model that is asked for: its entries, found by the rows of
// models/keys.inc, and beside them what the model's own row has for keys that are missing.
#ifndef POSENC_SRC_MODELS_CONFIGURATION_H_
#define POSENC_SRC_MODELS_CONFIGURATION_H_

#include <cstddef>
#include <cstdint>

#include "models/keys.h"
#include "models/rows.h"
#include "models/text.h"
#include "posenc/rotary_config_c.h"

namespace posenc {
namespace internal {
namespace models {

class Configuration {
 public:
  // Reads all entries. The first thing that is wrong becomes the status and the report.
  Configuration(const posenc_config& asked, posenc_config_report* report);

  posenc_status status() const { return status_; }
  bool is_gguf() const { return is_gguf_; }
  const Row& row() const { return model_.row; }
  const posenc_pairing* stated_pairing() const { return asked_.pairing; }
  std::int64_t layer() const { return asked_.layer; }
  Text asked_type() const { return asked_.layer_type == nullptr ? Text() : Text(asked_.layer_type); }

  // The entry of a key, or null. A key whose value is null has none.
  const posenc_config_entry* Entry(Slot slot) const;
  // Whether the key is there and its value is null.
  bool IsNull(Slot slot) const { return found_[slot] != nullptr && Entry(slot) == nullptr; }
  // Whether a key or the model's row has the thing.
  bool Has(Slot slot) const { return Entry(slot) != nullptr || !Default(slot).empty(); }
  // The number, or that of the layer asked for in a list; else that of the row; else `otherwise`.
  double Number(Slot slot, double otherwise = 0.0);
  // The same, but a missing key is at fault.
  double Needed(Slot slot);
  // A string; else the word of the row; else "".
  Text Word(Slot slot) const;
  // What the row has for a slot if its keys are missing; "".
  Text Default(Slot slot) const;

  // Lists of strings, such as layer_types: whether there is one, what it has for a layer, or "", and whether
  // it has a word.
  bool HasList(Slot slot) const { return has_list_[slot == layer_types ? 0 : slot == scaled_types ? 1 : 2]; }
  Text Listed(Slot slot, std::int64_t index) const;
  bool ListHas(Slot slot, Text word) const;

  // Whether rope_scaling or rope_parameters has keys of its own, and whether it has a dictionary for each
  // type of layer.
  bool has_dictionary() const { return has_dictionary_; }
  bool has_types() const { return has_types_; }
  // Whether the keys of the dictionary are those of rope_scaling.
  bool is_scaling() const { return is_scaling_; }

  // Settles the type of the layer: only then are the keys of its own dictionary read.
  void SetLayerType(Text type);
  Text layer_type() const { return type_; }
  // Whether the type of the layer has a dictionary of its own; and whether that is null.
  bool is_by_type() const { return is_by_type_; }
  bool type_is_null() const { return type_is_null_; }

  // Refuses with a sentence that shows a key and its value, or says that the key is missing, after `before`.
  // What is added to the sentence goes on. Only the first refusal counts.
  Sentence& Refuse(posenc_status status, Slot slot, Text before = {});
  // The same, with a sentence that names no key.
  Sentence& Refuse(posenc_status status);

  // A key of a slot that the model's code does not read, whatever it says; null if there is none. `other`
  // counts on.
  const posenc_config_entry* Unread(Slot slot) const { return unread_[slot]; }

 private:
  struct Name;

  void FindModelAndPart();
  void RefuseModel(Text type);
  void ShowSource();
  bool StartsPart(Text part) const;
  Text PartOf(Text parts, Text* type) const;
  const posenc_config_entry* EntryOfPart(Text name) const;
  void Read();
  bool Parse(const posenc_config_entry& entry, Name* name) const;
  void Take(const posenc_config_entry& entry);
  bool IsOfAskedLayer(std::int64_t layer) const;
  Sentence& Refuse(posenc_status status, const posenc_config_entry& entry, Text before = {});
  Sentence& Begin(posenc_status status);
  void Show(const posenc_config_entry& entry);

  posenc_config asked_;
  posenc_config_report* report_;
  Sentence sentence_, none_;
  posenc_status status_ = POSENC_OK;
  bool is_gguf_ = false;
  Text architecture_;
  Model model_;
  Row outer_;  // of the model that has the one that is read as its text model
  Sizes sizes_{};
  char prefix_[96] = "";  // of the keys of the part that is read, such as "text_config."
  bool has_dictionary_ = false, has_types_ = false, is_scaling_ = false;
  bool is_by_type_ = false, type_is_null_ = false;
  bool has_list_[3] = {};
  Text type_;
  const posenc_config_entry* found_[kSlots] = {};
  const Key* keys_[kSlots] = {};
  const posenc_config_entry* unread_[kSlots] = {};
};

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_CONFIGURATION_H_
