// posenc.Encoder as Python sees it: members, documentation, presets.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "encoder.h"
#include "members.h"
#include "posenc/models.h"
#include "spec/tables.h"

namespace posenc_python {
namespace {

using S = posenc_spec;

constexpr char kEncoderDoc[] =
    R"(Writes and adds encodings: sin(p w_i) and cos(p w_i), correctly rounded, with

    w_i = position_scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim)

Immutable, for any number of threads; made in microseconds. Arguments are members of posenc_spec (posenc/posenc_c.h):

dim               columns of a row (d_model)
preset            a framework's convention, of posenc.presets(); further arguments change it
layout            of the columns: sines and cosines interleaved, or one after the other
exponent_dim      divides 2i; 0 means dim
position_scale    multiplies every position
phase_rounding    how the phase is rounded before its sine is taken: as a framework does, or none
target            an instruction set, of posenc.targets(); None: the best
frequencies       [pairs] of your own instead of w_i, in `unit` per step; copied, float32 as it is
nan_rows          bad positions make rows of NaN, instead of ValueError
lists_only        made faster, for encode() and add_(positions=...)
odd_column        what an odd dim has besides pairs
min_timescale     the first frequency, as in tensor2tensor's code: 2 and base 10000 give w from 2 to 0.0004.
                  For timescales 1 / w from 2 to 10000: position_scale=0.5, base=5000
position_offset   added to every position
input_first       column 0 is the position itself (NeRF)
padding_position  rows at it are zero; None: no row
table_rows        of the whole table of which each call writes a part: large ones are streamed past the caches)";

constexpr char kEncodeDoc[] = R"(The encoding at each of the positions: [..., dim].

positions  [...] integers or floats of any type, a list, a range, or a number: |p| <= posenc.MAX_POSITION
dtype      of the result: float32, or another of NumPy's or torch's
out        [..., dim], written instead of a new array: float64, float32, float16 or bfloat16

Returns out, or a new array: torch's for its dtype, or for a tensor of positions without dtype; else NumPy's.
ValueError names the first position out of range; then nothing has been written.)";

constexpr char kAddDoc[] =
    R"(x = x * scale + encoding, in place, rounded as x * scale, a float32 encoding and the sum.

x          [..., rows, dim] float32, float16 or bfloat16, writable, columns next to each other. For a tensor that requires
           a gradient write x + encoder.table(..., dtype=x.dtype), or use torch.no_grad()
first      position of the first row; [...], one for each sequence (left padding); 0
positions  instead of first: [rows], or [..., rows], of any values

Returns x. On an error x is as it was.)";

constexpr char kEmbedDoc[] = R"(table[ids] * scale + encoding, in one pass: [..., rows, dim].

ids        [..., rows] integers, below the length of the table
table      [vocabulary, dim] float32, float16 or bfloat16
first      position of the first row of each sequence; 0
positions  instead of first: [rows], or [..., rows]
dtype      of the result: the table's, or float32
out        [..., rows, dim], written instead of a new array; on an error it may be written in part)";

Encoder MakeEncoder(nb::handle dim, const nb::dict& arguments) {
  S spec;
  nb::dict kept;
  const size_t columns = ToSize(dim, "dim");
  if (arguments.contains("preset") && !arguments["preset"].is_none()) {
    const std::string preset = ToPreset(arguments["preset"]);
    posenc_model_report report;
    CheckPreset(posenc::SpecPreset(&spec, preset.c_str(), columns, &report), preset, report);
  } else {
    Check(posenc_spec_init(&spec, sizeof(spec)));
    spec.dim = columns;
  }
  Set(arguments, &spec, &kept);
  Encoder made;
  Check(Released([&] { return posenc::Encoder::Create(spec, &made.encoder); }));
  made.dim = nb::borrow(dim);
  made.arguments = kept;
  return made;
}

nb::object Frequencies(const Encoder& self) {
  const size_t count = self.encoder.frequency_count();
  nb::object result = NewArray({static_cast<int64_t>(count)}, nb::str("float64"), nb::none());
  const Array array(result, "frequencies", Access::kWriteNew);
  for (size_t i = 0; i < count; ++i) static_cast<double*>(array.data())[i] = self.encoder.Radians(i);
  return result;
}

nb::list Presets() {
  std::vector<posenc_preset> presets(posenc_spec_presets(nullptr, 0));
  posenc_spec_presets(presets.data(), presets.size());
  nb::list list;
  for (const posenc_preset& preset : presets) {
    using namespace posenc::internal;
    const posenc_phase_rounding rounding = posenc_spec_preset_rounding(preset.name);
    list.append(nb::make_tuple(preset.name, preset.formula, preset.source,
                               WordOf<Of::phase_rounding>(std::max(rounding, POSENC_NO_PHASE_ROUNDING))));
  }
  return list;
}

}  // namespace

nb::tuple Reduce(nb::handle type, nb::handle first, const nb::dict& arguments) {
  const nb::object partial = nb::module_::import_("functools").attr("partial");
  return nb::make_tuple(partial(type, **nb::borrow<nb::kwargs>(arguments)), nb::make_tuple(first));
}

void BindEncoder(nb::module_& module) {
  static const std::string signature = Signature<S>();
  static const std::string documentation = kEncoderDoc + ("\n" + Choices<S>());
  nb::class_<Encoder>(module, "Encoder", nb::is_final(), documentation.c_str())
      .def(
          "__init__",
          [](nb::handle self, nb::object dim, const nb::args& more, nb::kwargs arguments) {
            RequireNoMore(more);
            Initialize(self, [&] { return MakeEncoder(dim, arguments); });
          },
          "dim"_a.none() = nb::ellipsis(), "more"_a, "arguments"_a, nb::sig(signature.c_str()))
      .def_static(
          "preset",
          [](nb::object name, nb::object dim, const nb::args& more, nb::kwargs overrides) {
            RequireNoMore(more);
            overrides["preset"] = name;
            return MakeEncoder(dim, overrides);
          },
          "name"_a.none() = nb::ellipsis(), "dim"_a.none() = nb::ellipsis(), "more"_a, "overrides"_a,
          nb::sig("def preset(name: str, dim: int, **overrides) -> Encoder"),
          "Encoder(dim, preset=name, **overrides): posenc.presets() has the names.")
      .def("encode", &Encode, "positions"_a.none() = nb::ellipsis(), "more"_a, "dtype"_a = nb::none(),
           "out"_a = nb::none(), "unknown"_a,
           nb::sig("def encode(self, positions: posenc._types.Numbers, *, dtype: posenc._types.DType = None, "
                   "out: posenc._types.Array | None = None) -> posenc._types.Array"),
           kEncodeDoc)
      .def("table", &Table, "rows"_a.none() = nb::ellipsis(), "more"_a, "first"_a.none() = 0,
           "dtype"_a = nb::none(), "out"_a = nb::none(), "unknown"_a,
           nb::sig("def table(self, rows: int, *, first: int = 0, dtype: posenc._types.DType = None, "
                   "out: posenc._types.Array | None = None) -> posenc._types.Array"),
           "The encoding at first .. first + rows - 1: [rows, dim], otherwise as encode().")
      .def("add_", &Add, "x"_a.none() = nb::ellipsis(), "more"_a, "first"_a = nb::none(),
           "positions"_a = nb::none(), "scale"_a.none() = 1.0, "unknown"_a,
           nb::sig(
               "def add_(self, x: posenc._types.Array, *, first: int | posenc._types.Numbers | None = None, "
               "positions: posenc._types.Numbers | None = None, scale: float = 1.0) -> posenc._types.Array"),
           kAddDoc)
      .def(
          "embed", &Embed, "ids"_a.none() = nb::ellipsis(), "table"_a.none() = nb::ellipsis(), "more"_a,
          "first"_a = nb::none(), "positions"_a = nb::none(), "scale"_a.none() = 1.0, "dtype"_a = nb::none(),
          "out"_a = nb::none(), "unknown"_a,
          nb::sig(
              "def embed(self, ids: posenc._types.Numbers, table: posenc._types.Array, *, "
              "first: int | None = None, positions: posenc._types.Numbers | None = None, scale: float = 1.0, "
              "dtype: posenc._types.DType = None, out: posenc._types.Array | None = None) "
              "-> posenc._types.Array"),
          kEmbedDoc)
      .def_prop_ro(
          "dim", [](const Encoder& self) { return self.encoder.dim(); }, "Columns of a row.")
      .def_prop_ro(
          "target", [](const Encoder& self) { return self.encoder.target(); }, "The instruction set in use.")
      .def_prop_ro("frequencies", &Frequencies, nb::sig("def frequencies(self, /) -> posenc._types.Array"),
                   "The frequencies in radians per step, [pairs] float64. Slow: microseconds each.")
      .def("__repr__",
           [](const Encoder& self) { return Describe("posenc.Encoder", self.dim, self.arguments); })
      .def("__reduce__",
           [](const Encoder& self) { return Reduce(nb::type<Encoder>(), self.dim, self.arguments); })
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; });
  module.def("presets", &Presets);
}

}  // namespace posenc_python
