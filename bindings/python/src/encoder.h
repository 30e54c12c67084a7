// posenc.Encoder and its calls, whose arguments encoder.cc documents.
#ifndef POSENC_PYTHON_ENCODER_H_
#define POSENC_PYTHON_ENCODER_H_

#include <nanobind/nanobind.h>

#include "bindings.h"
#include "posenc/posenc.h"

namespace posenc_python {

struct Encoder {
  posenc::Encoder encoder;
  nb::object dim;
  nb::dict arguments;  // that it was made of
};

nb::object Encode(const Encoder& self, nb::handle positions, nb::handle dtype, nb::handle out);
nb::object Table(const Encoder& self, nb::handle rows, nb::handle first, nb::handle dtype, nb::handle out);
nb::object Add(const Encoder& self, nb::object x, nb::handle first, nb::handle positions, nb::handle scale);
nb::object Embed(const Encoder& self, nb::handle ids, nb::handle table, nb::handle first,
                 nb::handle positions, nb::handle scale, nb::handle dtype, nb::handle out);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ENCODER_H_
