// Finds out how a model normalizes q and k, from its row in norms.inc and the keys that the row names. For
// the command and for Python; the library itself does not use this file.
#ifndef POSENC_SRC_MODELS_NORMS_H_
#define POSENC_SRC_MODELS_NORMS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/models_c.h"

namespace posenc {
namespace internal {

// How a model normalizes q and k. If posenc does not know it, `kind` is "unknown".
struct NormReading {
  const char* kind = "unknown";  // or before, after, layer_norm, lengths, clipped or none
  std::string condition;         // what must be true, or why the kind is none or unknown. It may be empty
  // If the kind is "before":
  bool over_heads = false, plus_one = false;
  std::string epsilon_key;        // with the names of the dictionaries around it
  std::optional<double> epsilon;  // nothing if the configuration has no such number
};

// Reads the norm of a model from the entries of its configuration.
class NormReader {
 public:
  // `read` says for each entry whether the rotary embedding was read from it.
  NormReader(const std::vector<posenc_config_entry>& entries, const std::vector<unsigned char>& read)
      : entries_(entries), read_(read) {}

  NormReading Read(std::string_view type) const {
    NormReading norm;
    const posenc_config_entry* const architecture = Find("general.architecture");
    const std::string_view words = WordsOf(type, architecture != nullptr);
    const std::optional<std::string> part =
        architecture != nullptr ? std::optional<std::string>(TextOf(*architecture) + ".") : Part();
    for (const char* const kind : {"none", "after", "layer_norm", "lengths"}) {
      if (Has(words, kind)) norm.kind = kind;
    }
    if (Has(words, "heads") || Has(words, "token")) {
      norm.kind = "before";
      norm.over_heads = Has(words, "token");
      norm.plus_one = Has(words, "plus_one");
      norm.epsilon_key = part.value_or("") + Value(words, "epsilon=");
      const posenc_config_entry* const epsilon = part ? Find(norm.epsilon_key) : nullptr;
      if (epsilon != nullptr && epsilon->kind == POSENC_CONFIG_NUMBER) norm.epsilon = epsilon->number;
    }
    SetCondition(words, part, &norm);
    return norm;
  }

 private:
  // The words of a model's row; "" if norms.inc has no row for the model.
  static std::string_view WordsOf(std::string_view type, bool is_gguf) {
    struct Row {
      bool is_gguf;
      const char *types, *words;
    };
    static constexpr Row kRows[] = {
#define POSENC_NORM(types, words, files) {false, types, words},
#define POSENC_GGUF_NORM(types, words, files) {true, types, words},
#include "models/norms.inc"
#undef POSENC_NORM
#undef POSENC_GGUF_NORM
    };
    for (const Row& row : kRows) {
      if (row.is_gguf == is_gguf && Has(row.types, type)) return row.words;
    }
    return {};
  }

  static bool Has(std::string_view words, std::string_view word) {
    const std::string among = " " + std::string(words) + " ";
    return !word.empty() && among.find(" " + std::string(word) + " ") != std::string::npos;
  }

  // The text after a word such as "epsilon="; "" if the row has no such word.
  static std::string Value(std::string_view words, std::string_view name) {
    const std::string among = " " + std::string(words);
    const std::size_t at = among.find(" " + std::string(name));
    if (at == std::string::npos) return {};
    const std::size_t begin = at + 1 + name.size();
    return among.substr(begin, among.find(' ', begin) - begin);
  }

  static std::string TextOf(const posenc_config_entry& entry) {
    return entry.kind == POSENC_CONFIG_STRING && entry.string != nullptr ? entry.string : "";
  }

  const posenc_config_entry* Find(const std::string& key) const {
    for (const posenc_config_entry& entry : entries_) {
      if (key == entry.key) return &entry;
    }
    return nullptr;
  }

  // The names of the dictionaries around the keys of the model, such as "text_config."; nothing if the sizes
  // that were read are in different dictionaries, or none was read.
  std::optional<std::string> Part() const {
    std::optional<std::string> part;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::string key = entries_[i].key;
      const std::size_t end = key.rfind('.') == std::string::npos ? 0 : key.rfind('.') + 1;
      if (read_[i] == 0 || !Has("head_dim hidden_size num_attention_heads", key.substr(end))) continue;
      if (part && *part != key.substr(0, end)) return std::nullopt;
      part = key.substr(0, end);
    }
    return part;
  }

  void SetCondition(std::string_view words, const std::optional<std::string>& part, NormReading* norm) const {
    if (Has(words, "if_tensors")) {
      norm->condition = "the file has the tensors attn_q_norm and attn_k_norm";
    }
    if (const std::string name = Value(words, "if="); !name.empty()) {
      const std::string key = part.value_or("") + name;
      const posenc_config_entry* const flag = part ? Find(key) : nullptr;
      const bool is_flag = flag != nullptr && flag->kind == POSENC_CONFIG_FLAG;
      if (is_flag && flag->number != 0.0) return;
      norm->condition = is_flag ? key + " is false"
                                : "the model normalizes q and k only if " + key +
                                      " is true, and the configuration does not say so";
      norm->kind = is_flag ? "none" : "unknown";
    }
    if (const std::string name = Value(words, "unclipped="); !name.empty()) {
      const std::string key = part.value_or("") + name;
      const posenc_config_entry* const limit = Find(key);
      if (limit == nullptr || limit->kind == POSENC_CONFIG_NULL) return;
      norm->condition = key;
      norm->kind = "clipped";
    }
  }

  const std::vector<posenc_config_entry>& entries_;
  const std::vector<unsigned char>& read_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_NORMS_H_
