// posenc.Rotary and its methods. The doc strings in rotary.cc describe their arguments.
#ifndef POSENC_PYTHON_ROTARY_H_
#define POSENC_PYTHON_ROTARY_H_

#include <nanobind/nanobind.h>

#include <string>

#include "bindings.h"
#include "posenc/models.h"

namespace posenc_python {

struct Rotary {
  posenc::Rotary rotary;
  size_t axes, rotary_dim, rotary_offset;
  posenc_pairing pairing, output_pairing;
  posenc_axis_order axis_order;
  std::string spec;  // its text
};

// Makes a Rotary from a spec. Arguments as Rotary() takes them change its members.
Rotary MakeRotary(posenc_rotary_spec spec, const nb::dict& arguments);

// Makes the Rotary for a layer of a model from its configuration. `overrides` replace arguments.
Rotary RotaryFromConfig(nb::handle config, nb::handle layer, nb::handle layer_type, nb::handle model_type,
                        nb::handle pairing, nb::dict overrides);

// Reads all layers, for posenc.config. Returns (model_type, source, [(layers, rotary, text)], keys, text).
nb::tuple ReadConfig(nb::handle config, nb::handle layer, nb::handle layer_type, nb::handle model_type,
                     nb::handle pairing);

nb::object RotateInPlace(const Rotary& self, const nb::args& objects, nb::handle first, nb::handle at,
                         nb::handle scale, nb::handle inverse, nb::handle token_axis, nb::handle angles,
                         nb::handle first_token, nb::handle factors, nb::handle norm,
                         const nb::kwargs& unknown);
nb::object RotateToNew(const Rotary& self, const nb::args& objects, nb::handle first, nb::handle at,
                       nb::handle scale, nb::handle inverse, nb::handle token_axis, nb::handle angles,
                       nb::handle first_token, nb::handle factors, nb::handle norm, nb::handle dtype,
                       nb::handle out, nb::handle slots, nb::handle slot_axis, const nb::kwargs& unknown);
nb::object MakeAngles(const Rotary& self, nb::handle tokens, const nb::args& more, nb::handle first,
                      nb::handle at, const nb::kwargs& unknown);
nb::object Cache(const Rotary& self, nb::handle tokens, const nb::args& more, nb::handle first, nb::handle at,
                 nb::handle layout, nb::handle dtype, const nb::kwargs& unknown);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ROTARY_H_
