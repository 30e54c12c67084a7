// The C++ module posenc._posenc. The package posenc exports its names.

#include <nanobind/nanobind.h>

#include "bindings.h"
#include "norm.h"

namespace posenc_python {
namespace {

nb::list Targets() {
  posenc_target targets[POSENC_MAX_TARGETS];
  const size_t count = posenc_targets(targets, POSENC_MAX_TARGETS);
  nb::list list;
  for (size_t i = 0; i < count; ++i) {
    list.append(nb::make_tuple(targets[i].name, targets[i].runnable != 0, targets[i].best != 0));
  }
  return list;
}

}  // namespace
}  // namespace posenc_python

NB_MODULE(_posenc, module) {
  using namespace posenc_python;
  nb::set_leak_warnings(
      false);  // torch keeps operators, and the objects that they use, until the process ends
  ImportArrays();
  ImportNorm();
  module.attr("version") = posenc_version();
  module.attr("MAX_POSITION") = POSENC_MAX_POSITION;
  module.def("targets", &Targets);
  BindEager(module);
  BindEncoder(module);
  BindRotary(module);
  BindAngles(module);
  BindGrid(module);
  BindPositions(module);
}
