// posenc.Rotary as Python sees it: members, documentation, presets.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <vector>

#include "members.h"
#include "rotary.h"
#include "spec/tables.h"

namespace posenc_python {
namespace {

using S = posenc_rotary_spec;

constexpr char kRotaryDoc[] = R"(Rotary embeddings (RoPE): pairs (a, b) of a head's elements become

    A (a cos(p w_i) - b sin(p w_i)), A (b cos(p w_i) + a sin(p w_i)),   w_i = base^(-2i / rotary_dim), scaled

each rounded once. Immutable, for any number of threads. Arguments are members of posenc_rotary_spec
(posenc/rotary_c.h, which has the formulas):

head_dim     elements of a head, of which rotary_dim (0: all) from rotary_offset on turn
preset       a family of models, of posenc.rotary_presets(); further arguments change it
pairing      half_split (GPT-NeoX, Llama in transformers) or neighbours (GPT-J, Llama's own)
scaling      how the context was stretched, with factor, length, original_length and so on
factors      [rotary_dim / 2] of LongRoPE (with long_factors) and ggml; copied, float32 as it is
frequencies  [rotary_dim / 2] of your own, such as a checkpoint's inv_freq; copied, float32 as it is
axes         of a position, each with so many pairs as sections says, in axis_order)";

constexpr char kRotateDoc[] = R"(Rotates tensors, q and k for one, in place.

tensors     each [..., tokens, heads, head_dim] float32, float16 or bfloat16, writable, of any strides with elements
            next to each other; they may not overlap. For tensors that require a gradient write
            q * cos + rotate_half(q) * sin with the tensors of cache(), or use torch.no_grad()
first       position of the first token; [...], one for each sequence (left padding); 0
positions   instead of first: [tokens], or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]
scale       multiplies all that turns; a number, or one for each tensor
inverse     turns back
token_axis  -2 for [..., heads, tokens, head_dim] or [tokens, head_dim]

Returns the tensor, or a tuple of them. On an error all are as they were.)";

constexpr char kCacheDoc[] = R"(Cosines and sines, times the amplitude, correctly rounded.

tokens     for the positions first .. first + tokens - 1
positions  or for these: [...], with several axes [axes, ...]
layout     halves: cos, sin [..., rotary_dim / 2]; duplicated: cos, sin [..., rotary_dim], as pairing has them;
           halves_twice: those of halves, then once more, [..., rotary_dim], whatever the pairing;
           cos_sin or pairs: one array [..., rotary_dim], cosines first or interleaved
dtype      float32, or another of NumPy's or torch's

Returns (cos, sin) or the one array.)";

constexpr char kConfigDoc[] = R"(The rotary of a layer of a model, by its configuration.

config      a dict, the path of a config.json, or an object with to_dict(), as transformers' configurations are; or the
            metadata of a GGUF file as a dict, with its tensors rope_freqs and the like as lists
layer       the layer's number, or
layer_type  its type ("sliding_attention"): needed if rotaries differ between layers
model_type  the model's type or architecture, if it is not the configuration's
pairing     needed if posenc does not know the model, which then rotates by +p, along one axis and in all layers
overrides   arguments of Rotary, set over those that the configuration makes: length, if a scaling depends on it; base, if
            neither the configuration nor the model's code has one

The result shows its arguments. posenc never guesses. A configuration that it does not understand is a ValueError, and
so is a layer that does not rotate. The sentence names the file, if there is one, and the key, and says what would be
right. posenc.config() shows all layers.)";

// Both lists of factors have one count and one type: doubles if either has.
void MatchFactors(S* spec, nb::dict* kept) {
  constexpr const char* kNames[] = {"factors", "long_factors"};
  for (const char* name : kNames) {
    if (!kept->contains(name) || (*kept)[name].is_none()) return;
  }
  const nb::object factors = (*kept)[kNames[0]], longs = (*kept)[kNames[1]];
  if (nb::len(factors) != nb::len(longs)) RaiseValue("factors and long_factors must be as many");
  if ((spec->factors == nullptr) == (spec->long_factors == nullptr)) return;
  nb::dict doubles;
  doubles[kNames[0]] = factors.attr("astype")("float64");
  doubles[kNames[1]] = longs.attr("astype")("float64");
  Set(doubles, spec, kept);
}

void RequireFloats(posenc_phase_rounding rounding, const S& spec) {
  if (rounding == POSENC_F32_INV_FREQ && spec.frequencies != nullptr) {
    RaiseValue("frequencies must be float32 with f32_inv_freq, the buffer inv_freq itself, and are float64");
  }
}

nb::object Frequencies(const Rotary& self) {
  const size_t count = self.rotary.frequency_count();
  nb::object result = NewArray({static_cast<int64_t>(count)}, nb::str("float64"), nb::none());
  const Array array(result, "frequencies", Access::kWriteNew);
  for (size_t i = 0; i < count; ++i) static_cast<double*>(array.data())[i] = self.rotary.Radians(i);
  return result;
}

nb::list Presets() {
  std::vector<posenc_preset> presets(posenc_rotary_presets(nullptr, 0));
  posenc_rotary_presets(presets.data(), presets.size());
  nb::list list;
  for (const posenc_preset& preset : presets) {
    list.append(nb::make_tuple(preset.name, preset.formula, preset.source));
  }
  return list;
}

}  // namespace

Rotary MakeRotary(nb::handle head_dim, const nb::dict& arguments) {
  S spec;
  nb::dict kept;
  const size_t elements = ToSize(head_dim, "head_dim");
  if (arguments.contains("preset") && !arguments["preset"].is_none()) {
    const std::string preset = ToPreset(arguments["preset"]);
    posenc_model_report report;
    CheckPreset(posenc::RotaryPreset(&spec, preset.c_str(), elements, &report), preset, report);
  } else {
    Check(posenc_rotary_spec_init(&spec, sizeof(spec)));
    spec.head_dim = elements;
  }
  Set(arguments, &spec, &kept);
  MatchFactors(&spec, &kept);
  RequireFloats(spec.phase_rounding, spec);
  Rotary made;
  const posenc_status status = Released([&] { return posenc::Rotary::Create(spec, &made.rotary); });
  const bool is_clash = posenc_status_kind(status) == POSENC_MEMBERS_CLASH;
  Check(status, is_clash ? posenc::internal::UnequalPairs(spec) : "");
  made.axes = spec.axes;
  made.rotary_dim = 2 * made.rotary.frequency_count();
  made.rotary_offset = spec.rotary_offset;
  made.axis_order = spec.axis_order;
  made.pairing = spec.pairing;
  made.output_pairing = spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
  made.head_dim = nb::borrow(head_dim);
  made.arguments = kept;
  return made;
}

void BindRotary(nb::module_& module) {
  static const std::string signature = Signature<S>();
  static const std::string documentation = kRotaryDoc + ("\n" + Choices<S>());
  static const std::string cache_signature =
      "def cache(self, tokens: int | None = None, *, first: int | None = None, "
      "positions: posenc._types.Numbers | None = None, layout: " +
      TypeOf(posenc::internal::WordsOf("cache_layout")) +
      " = 'halves', dtype: posenc._types.DType = None) -> typing.Any";
  static const std::string pairings =
      TypeOf(posenc::internal::WordsOf(*posenc::internal::MembersOf<S>().Find("pairing")));
  static const std::string config_signature =
      "def from_config(config: typing.Any, *, layer: int | None = None, layer_type: str | None = None, "
      "model_type: str | None = None, pairing: " +
      pairings + " | None = None, **overrides) -> Rotary";
  nb::class_<Rotary>(module, "Rotary", nb::is_final(), documentation.c_str())
      .def(
          "__init__",
          [](nb::handle self, nb::object head_dim, const nb::args& more, nb::kwargs arguments) {
            RequireNoMore(more);
            Initialize(self, [&] { return MakeRotary(head_dim, arguments); });
          },
          "head_dim"_a.none() = nb::ellipsis(), "more"_a, "arguments"_a, nb::sig(signature.c_str()))
      .def_static(
          "preset",
          [](nb::object name, nb::object head_dim, const nb::args& more, nb::kwargs overrides) {
            RequireNoMore(more);
            overrides["preset"] = name;
            return MakeRotary(head_dim, overrides);
          },
          "name"_a.none() = nb::ellipsis(), "head_dim"_a.none() = nb::ellipsis(), "more"_a, "overrides"_a,
          nb::sig("def preset(name: str, head_dim: int, **overrides) -> Rotary"),
          "Rotary(head_dim, preset=name, **overrides): posenc.rotary_presets() has the names.")
      .def_static(
          "from_config",
          [](nb::object config, const nb::args& more, nb::handle layer, nb::handle layer_type,
             nb::handle model_type, nb::handle pairing, nb::kwargs overrides) {
            RequireNoMore(more);
            RequireGiven(config, "config");
            if (overrides.contains("head_dim")) RaiseType("unexpected keyword argument head_dim");
            if (overrides.contains("preset")) RaiseType("unexpected keyword argument preset");
            return RotaryFromConfig(config, layer, layer_type, model_type, pairing, overrides);
          },
          "config"_a.none() = nb::ellipsis(), "more"_a, "layer"_a = nb::none(), "layer_type"_a = nb::none(),
          "model_type"_a = nb::none(), "pairing"_a = nb::none(), "overrides"_a,
          nb::sig(config_signature.c_str()), kConfigDoc)
      .def("rotate_", &RotateInPlace, "tensors"_a, "first"_a = nb::none(), "positions"_a = nb::none(),
           "scale"_a.none() = 1.0, "inverse"_a.none() = false, "token_axis"_a.none() = -3, "unknown"_a,
           nb::sig(
               "def rotate_(self, *tensors: posenc._types.Array, first: int | posenc._types.Numbers | None = "
               "None, "
               "positions: posenc._types.Numbers | None = None, scale: float | typing.Sequence[float] = 1.0, "
               "inverse: bool = False, token_axis: typing.Literal[-3, -2] = -3) -> typing.Any"),
           kRotateDoc)
      .def("rotate", &RotateToNew, "tensors"_a, "first"_a = nb::none(), "positions"_a = nb::none(),
           "scale"_a.none() = 1.0, "inverse"_a.none() = false, "token_axis"_a.none() = -3, "unknown"_a,
           nb::sig(
               "def rotate(self, *tensors: posenc._types.Array, first: int | posenc._types.Numbers | None = "
               "None, "
               "positions: posenc._types.Numbers | None = None, scale: float | typing.Sequence[float] = 1.0, "
               "inverse: bool = False, token_axis: typing.Literal[-3, -2] = -3) -> typing.Any"),
           "New tensors, rotated, contiguous; otherwise as rotate_().")
      .def("cache", &Cache, "tokens"_a = nb::none(), "more"_a, "first"_a = nb::none(),
           "positions"_a = nb::none(), "layout"_a.none() = "halves", "dtype"_a = nb::none(), "unknown"_a,
           nb::sig(cache_signature.c_str()), kCacheDoc)
      .def_prop_ro(
          "head_dim", [](const Rotary& self) { return self.rotary.head_dim(); }, "Elements of a head.")
      .def_prop_ro(
          "rotary_dim", [](const Rotary& self) { return self.rotary_dim; }, "Those of them that turn.")
      .def_prop_ro(
          "rotary_offset", [](const Rotary& self) { return self.rotary_offset; }, "The first of these.")
      .def_prop_ro(
          "axes", [](const Rotary& self) { return self.axes; }, "Of a position.")
      .def_prop_ro(
          "axis_order",
          [](const Rotary& self) {
            return posenc::internal::WordOf<posenc::internal::Of::axis_order>(self.axis_order);
          },
          "Which pairs rotate by which of them.")
      .def_prop_ro(
          "pairing",
          [](const Rotary& self) {
            return posenc::internal::WordOf<posenc::internal::Of::pairing>(self.pairing);
          },
          "Which elements are a pair, as it is read.")
      .def_prop_ro(
          "output_pairing",
          [](const Rotary& self) {
            return posenc::internal::WordOf<posenc::internal::Of::pairing>(self.output_pairing);
          },
          "Which elements are a pair, as it is written.")
      .def_prop_ro(
          "amplitude", [](const Rotary& self) { return self.rotary.amplitude(); },
          "What the scaling multiplies all that turns by.")
      .def_prop_ro(
          "target", [](const Rotary& self) { return self.rotary.target(); }, "The instruction set in use.")
      .def_prop_ro(
          "frequencies", &Frequencies, nb::sig("def frequencies(self, /) -> posenc._types.Array"),
          "The scaled frequencies in radians per step, [rotary_dim / 2] float64. Slow: microseconds each.")
      .def("__repr__",
           [](const Rotary& self) { return Describe("posenc.Rotary", self.head_dim, self.arguments); })
      .def("__reduce__",
           [](const Rotary& self) { return Reduce(nb::type<Rotary>(), self.head_dim, self.arguments); })
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; });
  module.def("rotary_presets", &Presets);
  module.def("config", &ReadConfig, "config"_a, "layer"_a.none(), "layer_type"_a.none(),
             "model_type"_a.none(), "pairing"_a.none());
}

}  // namespace posenc_python
