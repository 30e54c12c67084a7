// posenc.Rotary and its calls, whose arguments rotary.cc documents.
#ifndef POSENC_PYTHON_ROTARY_H_
#define POSENC_PYTHON_ROTARY_H_

#include <nanobind/nanobind.h>

#include "bindings.h"
#include "posenc/models.h"

namespace posenc_python {

struct Rotary {
  posenc::Rotary rotary;
  size_t axes, rotary_dim, rotary_offset;
  posenc_pairing pairing, output_pairing;
  posenc_axis_order axis_order;
  nb::object head_dim;
  nb::dict arguments;  // that it was made of
};

// Of arguments as Rotary() takes them.
Rotary MakeRotary(nb::handle head_dim, const nb::dict& arguments);

// The rotary of a layer by a model's configuration, with arguments over those that it makes.
Rotary RotaryFromConfig(nb::handle config, nb::handle layer, nb::handle layer_type, nb::handle model_type,
                        nb::handle pairing, nb::dict overrides);

// What posenc makes of all layers, for posenc.config: (model_type, source, [(layers, rotary, text)], keys,
// text).
nb::tuple ReadConfig(nb::handle config, nb::handle layer, nb::handle layer_type, nb::handle model_type,
                     nb::handle pairing);

nb::object RotateInPlace(const Rotary& self, const nb::args& objects, nb::handle first, nb::handle at,
                         nb::handle scale, nb::handle inverse, nb::handle token_axis,
                         const nb::kwargs& unknown);
nb::object RotateToNew(const Rotary& self, const nb::args& objects, nb::handle first, nb::handle at,
                       nb::handle scale, nb::handle inverse, nb::handle token_axis,
                       const nb::kwargs& unknown);
nb::object Cache(const Rotary& self, nb::handle tokens, const nb::args& more, nb::handle first, nb::handle at,
                 nb::handle layout, nb::handle dtype, const nb::kwargs& unknown);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ROTARY_H_
