// The rows of models: how the code of each model treats its configuration (transformers.inc, others.inc,
// llama_cpp.inc).
#ifndef POSENC_SRC_MODELS_ROWS_H_
#define POSENC_SRC_MODELS_ROWS_H_

#include <cstdint>

#include "models/text.h"

namespace posenc {
namespace internal {
namespace models {

// The words of a row, such as "half_split rope_theta=10000 full_attention:rope_theta=1000000".
// models/transformers.inc explains all words.
class Row {
 public:
  Row() = default;
  explicit Row(Text words) : words_(words) {}

  // Whether the row has this word, with or without a value.
  bool Has(Text name) const;
  // The text after "name=" or "group:name="; "" if the row has no such word.
  Text Value(Text name) const { return Value({}, name); }
  Text Value(Text group, Text name) const;
  bool HasGroup(Text group) const;
  // The value of the first word "name=value" for which is_right(name); "" if the row has none.
  template <class IsRight>
  Text ValueOf(const IsRight& is_right) const {
    for (Text rest = words_; !rest.empty();) {
      Text word = Next(" ", &rest);
      const Text name = Next("=", &word);
      if (!word.empty() && is_right(name)) return word;
    }
    return {};
  }

 private:
  Text words_;
};

// A model that posenc knows.
struct Model {
  Text type;  // the model_type or the architecture; "" if posenc does not know the model
  Row row;
  Text source;
};

// The model with this model_type, or for a GGUF file with this architecture.
Model FindModel(Text type, bool is_gguf);

// The sizes that the model's code uses if a configuration leaves them out; 0 if the code has none.
struct Sizes {
  double hidden, heads, layers, max_length;
};
Sizes SizesOf(Text type);

// The known type that is spelled most like this one; "" if three or more letters differ.
Text MostLike(Text type, bool is_gguf);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_ROWS_H_
