// Makes specs from Python's keyword arguments, which have the names of the members.
#ifndef POSENC_PYTHON_MEMBERS_H_
#define POSENC_PYTHON_MEMBERS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "errors.h"
#include "posenc/models_c.h"
#include "spec/text.h"

namespace posenc_python {

// The type annotation for a choice of words: "typing.Literal['exact', 'fast']".
std::string TypeOf(const std::vector<std::string>& words);

// The signature of __init__. The first argument is the first member of the spec, and the other members are
// keywords.
template <class Spec>
std::string Signature();

// Text for doc strings: a line with the words for each member that is a choice of words.
template <class Spec>
std::string Choices();

// The index of `value` in `words`. Raises TypeError or ValueError if it is not there.
int32_t ToChoice(const std::vector<std::string>& words, nb::handle value, const std::string& name);

// Sets the members of a spec from arguments. The argument `preset` is skipped, because it is applied first.
// Raises TypeError for an unknown name or a value of a wrong type, and ValueError for any other wrong value.
// `kept` receives the lists among the arguments. The spec points into them until the encoder or rotary has
// been created, which copies them.
template <class Spec>
void Set(const nb::dict& arguments, Spec* spec, nb::dict* kept);

// The name of a preset, as a string for C functions.
std::string ToPreset(nb::handle object);

// Raises an error, with the sentence of the report, if the function for a preset has refused.
void CheckPreset(posenc_status status, const std::string& name, const posenc_model_report& report);

// The documentation of from_spec().
inline constexpr char kFromSpecDoc[] =
    R"(Reads the text of a spec: "head_dim=128 base=500000 frequencies=1:0.1:0.01". The property `spec` has this text,
'posenc config' prints it, and ONNX Runtime's operators take it. Keyword arguments change members.)";

// Reads the text of a spec over the members that it has. ValueError for a wrong text, with the word and what
// would be right.
template <class Spec>
void ReadSpec(nb::handle text, const nb::dict& overrides, posenc::internal::SpecData* data, Spec* spec) {
  if (overrides.contains("preset")) RaiseType("unexpected keyword argument preset");
  const std::string wrong = posenc::internal::ParseSpec(ToString(text, "text"), data, spec);
  if (!wrong.empty()) RaiseValue("spec: " + wrong);
}

}  // namespace posenc_python

#endif  // POSENC_PYTHON_MEMBERS_H_
