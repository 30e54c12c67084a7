// The entries of a model's configuration, found by the rows of spec/config_keys.inc and checked by their
// kinds.
#ifndef POSENC_SRC_API_CONFIG_VALUES_H_
#define POSENC_SRC_API_CONFIG_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "api/config_rows.h"
#include "posenc/rotary_config_c.h"

namespace posenc {
namespace internal {
namespace config {

// The caller's arguments.
struct ConfigArguments {
  const posenc_config_entry* entries;
  std::size_t count;
  std::int64_t layer;
  const char* layer_type;
  const char* model_type;
};

class ConfigValues {
 public:
  // Reads all entries. The first thing that is wrong becomes the status.
  explicit ConfigValues(const ConfigArguments& arguments) : arguments_(arguments) { Read(); }

  posenc_status status() const { return status_; }
  const posenc_config_entry* bad_entry() const { return bad_entry_; }  // null if a key is missing
  const char* bad_key() const { return bad_key_; }                     // "" unless a key is at fault
  bool is_gguf() const { return !architecture_.empty(); }
  bool is_by_type() const { return is_by_type_; }  // the values of `type` are in a dictionary of their own
  // The layer's type is listed, but unlike other types it has no dictionary, or null for one.
  bool is_left_out() const { return has_types_ && !is_by_type_; }
  std::int64_t layer() const { return arguments_.layer; }

  // Whether a key or the model has it.
  bool Has(ConfigSlot slot) const { return Entry(slot) != nullptr || FindSetting(slot) != nullptr; }
  // The key's entry, or null.
  const posenc_config_entry* Entry(ConfigSlot slot) const { return found_[slot].entry; }
  Text Word(ConfigSlot slot) const;
  // The key's number or, of a list with an entry per layer, the layer's; else the model's; else `otherwise`.
  double Number(ConfigSlot slot, double otherwise = 0.0);
  // The same, but a missing key is at fault.
  double Needed(ConfigSlot slot);
  // Whether there is a list of strings, and whether it has that word.
  bool HasList(ConfigSlot slot) const { return FindListed(slot, -1, nullptr) != nullptr; }
  bool ListHas(ConfigSlot slot, Text word) const { return FindListed(slot, -1, &word) != nullptr; }

  // The layer's type, or "" if it is not known.
  Text LayerType() const { return type_; }

  // The first refusal counts.
  void Refuse(posenc_status status, ConfigSlot slot);
  void RefuseLayer() { Refuse(POSENC_BAD_LAYER, nothing); }

 private:
  struct Found {
    const posenc_config_entry* entry;
    unsigned rank;  // of entries for a slot, the one with the highest rank counts
  };
  struct Key;

  void Read();
  void RefuseEntry(posenc_status status, const posenc_config_entry& entry);
  Key Parse(const posenc_config_entry& entry) const;
  bool IsAsked(std::int64_t layer) const;
  void Take(const posenc_config_entry& entry, bool is_second_pass);
  void FindType();
  Text DerivedType();
  const ModelSetting* FindSetting(ConfigSlot slot) const;
  const char* FindListed(ConfigSlot slot, std::int64_t index, const Text* word) const;

  ConfigArguments arguments_;
  posenc_status status_ = POSENC_OK;
  const posenc_config_entry* bad_entry_ = nullptr;
  const char* bad_key_ = "";
  Text architecture_;  // of a GGUF file, else empty
  Text type_;
  Text dictionary_;         // the name of the dictionary that has the type's values
  bool has_types_ = false;  // there are dictionaries by type of layer
  bool is_by_type_ = false;
  Found found_[kConfigSlots] = {};
  const ModelSetting* settings_ = nullptr;  // the model's, or null
};

}  // namespace config
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_CONFIG_VALUES_H_
