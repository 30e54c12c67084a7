// posenc.Encoder and its methods. The doc strings in encoder.cc describe their arguments.
#ifndef POSENC_PYTHON_ENCODER_H_
#define POSENC_PYTHON_ENCODER_H_

#include <nanobind/nanobind.h>

#include <string>

#include "bindings.h"
#include "posenc/posenc.h"

namespace posenc_python {

struct Encoder {
  posenc::Encoder encoder;
  std::string spec;  // its text
};

nb::object Encode(const Encoder& self, nb::handle positions, const nb::args& more, nb::handle dtype,
                  nb::handle out, const nb::kwargs& unknown);
nb::object Table(const Encoder& self, nb::handle rows, const nb::args& more, nb::handle first,
                 nb::handle dtype, nb::handle out, const nb::kwargs& unknown);
nb::object Add(const Encoder& self, nb::object x, const nb::args& more, nb::handle first,
               nb::handle positions, nb::handle scale, const nb::kwargs& unknown);
nb::object Embed(const Encoder& self, nb::handle ids, nb::handle table, const nb::args& more,
                 nb::handle first, nb::handle positions, nb::handle scale, nb::handle dtype, nb::handle out,
                 const nb::kwargs& unknown);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ENCODER_H_
