// What the nouns of the module share: where each is bound, how calls run, how objects are made.
#ifndef POSENC_PYTHON_BINDINGS_H_
#define POSENC_PYTHON_BINDINGS_H_

#include <nanobind/nanobind.h>

#include <utility>

#include "arrays.h"

namespace posenc_python {

void BindEager(nb::module_& module);
void BindEncoder(nb::module_& module);
void BindGrid(nb::module_& module);
void BindPositions(nb::module_& module);
void BindRotary(nb::module_& module);

// What work() returns, which runs without the interpreter's lock and touches nothing of Python's.
template <class Work>
auto Released(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

// __init__ of a class that never changes: makes what make() returns, once. Two threads may try.
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

// How pickle makes an object again: of its type and its arguments.
nb::tuple Reduce(nb::handle type, nb::handle first, const nb::dict& arguments);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_BINDINGS_H_
