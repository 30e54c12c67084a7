// Specs from the text of an attribute: words that name a preset or set members, "preset=llama3 factor=8".
#ifndef POSENC_ONNXRUNTIME_SPEC_TEXT_H_
#define POSENC_ONNXRUNTIME_SPEC_TEXT_H_

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "posenc/rotary_c.h"

namespace posenc_onnxruntime {

// A spec, of posenc_spec or posenc_rotary_spec, with the lists and names that it points to.
//
// The words of the text are NAME=VALUE, in any order, with white space between them. NAME is `preset`, on
// which the members are then set, or a member as posenc_c.h and rotary_c.h have it. VALUE is a number, a word
// of an enum (src/spec/values.inc), 0 or 1 for a flag, and for a list numbers with commas between them, which
// are floats if NAME ends with _f32. An Error says which word is wrong.
template <class Spec>
class SpecText {
 public:
  // dim: the columns of a row or elements of a head, if the node's tensors tell them; else 0, and the text
  // must.
  SpecText(const std::string& text, std::size_t dim);
  SpecText(const SpecText&) = delete;

  Spec spec;

 private:
  void SetMember(const std::string& name, const std::string& value);

  std::deque<std::string> names_;
  std::deque<std::vector<double>> doubles_;
  std::deque<std::vector<float>> floats_;
};

}  // namespace posenc_onnxruntime

#endif  // POSENC_ONNXRUNTIME_SPEC_TEXT_H_
