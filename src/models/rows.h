// The rows of models: what the code of each model makes of its configuration.
#ifndef POSENC_SRC_MODELS_ROWS_H_
#define POSENC_SRC_MODELS_ROWS_H_

#include <cstdint>

#include "models/text.h"

namespace posenc {
namespace internal {
namespace models {

// The words of a row, such as "halves rope_theta=10000 full_attention:rope_theta=1000000".
// models/transformers.inc lists them.
class Row {
 public:
  Row() = default;
  explicit Row(Text words) : words_(words) {}

  // Whether there is such a word, with a value or without.
  bool Has(Text name) const;
  // The text after "name=" or "group:name="; "" if there is no such word.
  Text Value(Text name) const { return Value({}, name); }
  Text Value(Text group, Text name) const;
  bool HasGroup(Text group) const;
  // The value of the first word "name=value" whose name is right; "" if there is none.
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
  Text type;  // or architecture; "" if posenc does not know the model
  Row row;
  Text source;
};

// The model with that model_type, or with that architecture of GGUF.
Model FindModel(Text type, bool is_gguf);

// What the model's code has for these sizes if a configuration leaves them out; 0 if it has nothing.
struct Sizes {
  double hidden, heads, layers, max_length;
};
Sizes SizesOf(Text type);

// The known type that is most like this one; "" if three letters or more differ.
Text MostLike(Text type, bool is_gguf);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_ROWS_H_
