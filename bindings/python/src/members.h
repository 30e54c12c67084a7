// Specs from Python's keyword arguments, which are named as their members.
#ifndef POSENC_PYTHON_MEMBERS_H_
#define POSENC_PYTHON_MEMBERS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "errors.h"

namespace posenc_python {

// The arguments, for pickle. The spec points into lists among them, until creation has copied these.
struct Kept {
  nb::dict arguments;
};

template <class Spec>
struct Choice {  // one of some names, whose places are the values
  int32_t Spec::*member;
  std::vector<const char*> names;
};

template <class Spec>
struct Numbers {  // a list, of doubles or of floats as it comes
  const double* Spec::*doubles;
  const float* Spec::*floats;
  size_t Spec::*count;
};

template <class Spec>
struct Flag {
  int32_t Spec::*member;
};

template <class Spec>
struct Member {
  const char* name;
  std::variant<double Spec::*, size_t Spec::*, int64_t Spec::*, const char * Spec::*, Flag<Spec>,
               Choice<Spec>, Numbers<Spec>, void (*)(Spec*, nb::handle)>
      is;
};

template <class Spec>
using Members = std::vector<Member<Spec>>;

// "f32_exp" and so on, by value.
const std::vector<const char*>& PhaseRoundings();
const std::vector<const char*>& Units();

// The value of a name.
int32_t ToChoice(const std::vector<const char*>& names, nb::handle value, const std::string& name);

// Sets what the arguments name. TypeError for a name that is none of the members, or a value of a wrong type;
// ValueError for a value that is none.
template <class Spec>
void Set(const Members<Spec>& members, const nb::dict& arguments, Spec* spec, Kept* kept);

// `name(first, key=value, ...)`.
std::string Describe(const char* name, nb::handle first, const nb::dict& arguments);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_MEMBERS_H_
