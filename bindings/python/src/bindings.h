// Declares the functions that bind the parts of the module, and helpers to run calls and to initialize
// objects.
#ifndef POSENC_PYTHON_BINDINGS_H_
#define POSENC_PYTHON_BINDINGS_H_

#include <nanobind/nanobind.h>

#include <utility>

#include "arrays.h"

namespace posenc_python {

void BindAngles(nb::module_& module);
void BindEager(nb::module_& module);
void BindEncoder(nb::module_& module);
void BindGrid(nb::module_& module);
void BindPositions(nb::module_& module);
void BindRotary(nb::module_& module);

// Calls work() without the interpreter's lock, and returns its result. work() must not use Python objects.
template <class Work>
auto Released(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

// The __init__ of a class whose objects never change: initializes `self` with the result of make(). Raises
// TypeError if `self` is initialized a second time, also if two threads try at once.
template <class Make>
void Initialize(nb::handle self, const Make& make) {
  using Made = decltype(make());
  constexpr char kTwice[] = "an object of posenc's never changes, and cannot be initialized again";
  if (!self.type().is(nb::type<Made>())) RaiseType("__init__ of another type");
  if (nb::inst_ready(self)) RaiseType(kTwice);
  Made made = make();
  if (nb::inst_ready(self)) RaiseType(kTwice);
  new (nb::inst_ptr<Made>(self)) Made(std::move(made));
  nb::inst_mark_ready(self);
}

// The result of __reduce__: pickle makes the object again from its type and the text of its spec.
nb::tuple Reduce(nb::handle type, const std::string& spec);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_BINDINGS_H_
