// Specs from the text of an attribute (src/spec/text.h), which may name a preset too: "preset=llama3
// factor=8".
#ifndef POSENC_ONNXRUNTIME_SPEC_TEXT_H_
#define POSENC_ONNXRUNTIME_SPEC_TEXT_H_

#include <cstddef>
#include <string>

#include "posenc/rotary_c.h"
#include "spec/text.h"

namespace posenc_onnxruntime {

// A spec, of posenc_spec or posenc_rotary_spec, with the lists and names that it points to. The members of
// the text are set over the preset's. An Error says which word is wrong.
template <class Spec>
class SpecText {
 public:
  // dim: the columns of a row or elements of a head, if the node's tensors tell them; else 0, and the text
  // must.
  SpecText(const std::string& text, std::size_t dim);
  SpecText(const SpecText&) = delete;

  Spec spec;

 private:
  posenc::internal::SpecData data_;
};

}  // namespace posenc_onnxruntime

#endif  // POSENC_ONNXRUNTIME_SPEC_TEXT_H_
