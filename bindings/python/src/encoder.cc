// Binds posenc.Encoder: its doc strings, its methods and properties, and the list of its presets.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "encoder.h"
#include "members.h"
#include "posenc/models.h"
#include "spec/text.h"

namespace posenc_python {
namespace {

using S = posenc_spec;

constexpr char kEncoderDoc[] =
    R"(Computes sinusoidal position encodings: sin(p w_i) and cos(p w_i) for positions p, every entry correctly rounded, with

    w_i = position_scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim)

An Encoder never changes, so threads may share it. It is made in microseconds. Arguments are the members of posenc_spec,
which posenc/posenc_c.h describes. A wrong value raises ValueError, and a wrong type raises TypeError.

dim               number of columns (d_model)
preset            name of a convention (posenc.presets()); other arguments change it
layout            order of the columns: sines and cosines interleaved, or in two halves
exponent_dim      divides 2i in the exponent; 0 means dim
position_scale    multiplies every position
phase_rounding    rounds phases before the sine, as a framework does; none: phases are exact
target            name of an instruction set (posenc.targets()); None: the best one
frequencies       [pairs] your own frequencies instead of w_i, in `unit` per step; they are copied, and float32 stays float32
unit              unit of the frequencies: radians, half turns or turns per step
nan_rows          True: a position that is NaN or out of range makes a row of NaN; False: it raises ValueError
lists_only        True: takes less memory and less time to make, but table() and runs become as slow as lists of positions
odd_column        what the last column of an odd dim contains
min_timescale     the first frequency, as in the code of tensor2tensor: 2 and base 10000 give w from 2 to 0.0004.
                  For timescales 1 / w from 2 to 10000, use position_scale=0.5 and base=5000
position_offset   added to every position
input_first       True: column 0 is the position itself (NeRF)
padding_position  the row at this position is zero; None: no row is zero
table_rows        if calls write parts of one large table, its number of rows; large tables are written past the CPU's caches)";

constexpr char kEncodeDoc[] = R"(Returns the encoding at each position: [..., dim].

positions  [...] integers or floats of any type, in steps: an array, a list, a range or a number. |p| <= posenc.MAX_POSITION
dtype      type of the result: a dtype of NumPy or torch, or its name; the default is float32
out        [..., dim] float64, float32, float16 or bfloat16: an array to write to, instead of a new one

Returns out, or a new array. The new array is a torch tensor if dtype is a torch dtype, or if positions are a tensor and there
is no dtype. Otherwise it is a NumPy array.

Raises ValueError if a position is out of range; the message names the first one. Then nothing has been written.)";

constexpr char kTableDoc[] = R"(Returns the encoding at the positions first .. first + rows - 1: [rows, dim].

rows   number of rows
first  position of the first row, in steps

dtype, out, the type of the result and errors are the same as in encode().)";

constexpr char kAddDoc[] =
    R"(Adds the encoding in place: x = x * scale + encoding. Returns x.

The product x * scale and the sum are rounded to float32, and the encoding is a correctly rounded float32. For float16 and
bfloat16 the sum is then rounded to the type of x.

x          [..., rows, dim] float32, float16 or bfloat16; writable, with a stride of 1 between columns. If x is a tensor that
           requires a gradient, use x + encoder.table(..., dtype=x.dtype) or posenc.torch.add, or call under torch.no_grad()
first      position of the first row, in steps; or [...], one position for each sequence (left padding). The default is 0
positions  instead of first: [rows] or [..., rows], integers or floats
scale      multiplies x before the encoding is added

Raises ValueError or TypeError for a wrong argument; then x is unchanged.)";

constexpr char kEmbedDoc[] = R"(Returns table[ids] * scale + encoding, computed in one pass: [..., rows, dim].

ids        [..., rows] integers, 0 .. vocabulary - 1
table      [vocabulary, dim] float32, float16 or bfloat16
first      position of the first row of each sequence, in steps; the default is 0
positions  instead of first: [rows] or [..., rows], integers or floats
scale      multiplies the rows of the table
dtype      type of the result: the type of the table (the default), or float32
out        [..., rows, dim] an array to write to, instead of a new one

Raises ValueError if an id or a position is out of range; then out may have been written in part.)";

Encoder MakeEncoder(const S& initial, const nb::dict& arguments) {
  S spec = initial;
  nb::dict kept;
  Set(arguments, &spec, &kept);
  Encoder made;
  Check(Released([&] { return posenc::Encoder::Create(spec, &made.encoder); }));
  made.spec = posenc::internal::PrintSpec(spec);
  return made;
}

Encoder MakeOfArguments(nb::handle dim, const nb::dict& arguments) {
  S spec;
  const size_t columns = ToSize(dim, "dim");
  if (arguments.contains("preset") && !arguments["preset"].is_none()) {
    const std::string preset = ToPreset(arguments["preset"]);
    posenc_model_report report;
    CheckPreset(posenc::SpecPreset(&spec, preset.c_str(), columns, &report), preset, report);
  } else {
    Check(posenc_spec_init(&spec, sizeof(spec)));
    spec.dim = columns;
  }
  return MakeEncoder(spec, arguments);
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

nb::tuple Reduce(nb::handle type, const std::string& spec) {
  const nb::object caller = nb::module_::import_("operator").attr("methodcaller");
  return nb::make_tuple(caller("from_spec", spec), nb::make_tuple(type));
}

void BindEncoder(nb::module_& module) {
  static const std::string signature = Signature<S>();
  static const std::string documentation = kEncoderDoc + ("\n" + Choices<S>());
  nb::class_<Encoder>(module, "Encoder", nb::is_final(), documentation.c_str())
      .def(
          "__init__",
          [](nb::handle self, nb::object dim, const nb::args& more, nb::kwargs arguments) {
            RequireNoMore(more);
            Initialize(self, [&] { return MakeOfArguments(dim, arguments); });
          },
          "dim"_a.none() = nb::ellipsis(), "more"_a, "arguments"_a, nb::sig(signature.c_str()))
      .def_static(
          "preset",
          [](nb::object name, nb::object dim, const nb::args& more, nb::kwargs overrides) {
            RequireNoMore(more);
            overrides["preset"] = name;
            return MakeOfArguments(dim, overrides);
          },
          "name"_a.none() = nb::ellipsis(), "dim"_a.none() = nb::ellipsis(), "more"_a, "overrides"_a,
          nb::sig("def preset(name: str, dim: int, **overrides) -> Encoder"),
          "The same as Encoder(dim, preset=name, **overrides). posenc.presets() lists the names.")
      .def_static(
          "from_spec",
          [](nb::object text, const nb::args& more, nb::kwargs overrides) {
            RequireNoMore(more);
            S spec;
            Check(posenc_spec_init(&spec, sizeof(spec)));
            posenc::internal::SpecData data;
            ReadSpec(text, overrides, &data, &spec);
            return MakeEncoder(spec, overrides);
          },
          "text"_a.none() = nb::ellipsis(), "more"_a, "overrides"_a,
          nb::sig("def from_spec(text: str, **overrides) -> Encoder"), kFromSpecDoc)
      .def("encode", &Encode, "positions"_a.none() = nb::ellipsis(), "more"_a, "dtype"_a = nb::none(),
           "out"_a = nb::none(), "unknown"_a,
           nb::sig("def encode(self, positions: posenc._types.Numbers, *, dtype: posenc._types.DType = None, "
                   "out: posenc._types.Array | None = None) -> posenc._types.Array"),
           kEncodeDoc)
      .def("table", &Table, "rows"_a.none() = nb::ellipsis(), "more"_a, "first"_a.none() = 0,
           "dtype"_a = nb::none(), "out"_a = nb::none(), "unknown"_a,
           nb::sig("def table(self, rows: int, *, first: int = 0, dtype: posenc._types.DType = None, "
                   "out: posenc._types.Array | None = None) -> posenc._types.Array"),
           kTableDoc)
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
      .def_prop_ro(
          "spec", [](const Encoder& self) { return self.spec; },
          "The text of its spec: the members that are not the default.")
      .def("__repr__", [](const Encoder& self) { return "posenc.Encoder.from_spec('" + self.spec + "')"; })
      .def("__reduce__", [](const Encoder& self) { return Reduce(nb::type<Encoder>(), self.spec); })
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; });
  module.def("presets", &Presets);
}

}  // namespace posenc_python
