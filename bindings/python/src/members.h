// Specs from Python's keyword arguments, which are named as their members.
#ifndef POSENC_PYTHON_MEMBERS_H_
#define POSENC_PYTHON_MEMBERS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "errors.h"
#include "posenc/models_c.h"

namespace posenc_python {

// The type that a choice among words has in signatures: "typing.Literal['exact', 'fast']".
std::string TypeOf(const std::vector<std::string>& words);

// That of __init__, whose first argument is the spec's first member and whose keywords are the others.
template <class Spec>
std::string Signature();

// The words of each member that is a choice among them, a line each, for documentation.
template <class Spec>
std::string Choices();

// The place of a word.
int32_t ToChoice(const std::vector<std::string>& words, nb::handle value, const std::string& name);

// Sets what the arguments name, but for the preset, which comes before all others. TypeError for a name that
// is none of the members, or a value of a wrong type; ValueError for a value that is none. `kept` gets the
// arguments, for pickle. The spec points into lists among them, until creation has copied these.
template <class Spec>
void Set(const nb::dict& arguments, Spec* spec, nb::dict* kept);

// The name of a preset, as text that C's functions can read.
std::string ToPreset(nb::handle object);

// Raises what a preset's function refuses, with the report's sentence.
void CheckPreset(posenc_status status, const std::string& name, const posenc_model_report& report);

// `name(first, key=value, ...)`.
std::string Describe(const char* name, nb::handle first, const nb::dict& arguments);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_MEMBERS_H_
