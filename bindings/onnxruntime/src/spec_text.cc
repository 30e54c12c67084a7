#include "spec_text.h"

#include <algorithm>

#include "arguments.h"
#include "posenc/models_c.h"

namespace posenc_onnxruntime {
namespace {

posenc_status Initialize(posenc_spec* spec) { return posenc_spec_init(spec, sizeof(*spec)); }
posenc_status Initialize(posenc_rotary_spec* spec) { return posenc_rotary_spec_init(spec, sizeof(*spec)); }
posenc_status SetPreset(posenc_spec* spec, const char* name, std::size_t dim, posenc_model_report* report) {
  return posenc_spec_preset(spec, sizeof(*spec), name, dim, report);
}
posenc_status SetPreset(posenc_rotary_spec* spec, const char* name, std::size_t dim,
                        posenc_model_report* report) {
  return posenc_rotary_spec_preset(spec, sizeof(*spec), name, dim, report);
}

void Require(const std::string& wrong) {
  if (!wrong.empty()) throw Error("spec: " + wrong);
}

// Takes the word with this name out of the words, and returns its value; "" if there is none.
std::string Take(const std::string& name, posenc::internal::SpecWords* words) {
  const auto found =
      std::find_if(words->begin(), words->end(), [&](const auto& word) { return word.first == name; });
  if (found == words->end()) return "";
  const std::string value = found->second;
  words->erase(found);
  return value;
}

}  // namespace

template <class Spec>
SpecText<Spec>::SpecText(const std::string& text, std::size_t dim) {
  Check(Initialize(&spec));
  posenc::internal::SpecWords words;
  Require(posenc::internal::SplitText(text, &words));
  const posenc::internal::Member& first = *posenc::internal::MembersOf<Spec>().first;  // dim or head_dim
  std::size_t& own = posenc::internal::At<std::size_t>(first, &spec);
  const std::string preset = Take("preset", &words), said = Take(first.name, &words);
  if (!said.empty()) {
    Require(posenc::internal::SetMembers({{first.name, said}}, &data_, &spec));
    if (dim != 0 && own != dim) {
      throw Error("spec: " + std::string(first.name) + "=" + said + ", but the tensors have " +
                  std::to_string(dim));
    }
  } else if (dim == 0) {
    throw Error("the shapes that the model states do not tell " + std::string(first.name) +
                ": spec must say " + first.name + "=...");
  } else {
    own = dim;
  }
  if (!preset.empty()) {
    posenc_model_report report;
    if (SetPreset(&spec, preset.c_str(), own, &report) != POSENC_OK)
      throw Error("spec: preset=" + preset + ": " + report.text);
  }
  Require(posenc::internal::SetMembers(words, &data_, &spec));
}

template class SpecText<posenc_spec>;
template class SpecText<posenc_rotary_spec>;

}  // namespace posenc_onnxruntime
