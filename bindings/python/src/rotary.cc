// Binds posenc.Rotary: its doc strings, its methods and properties, and the list of its presets.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <vector>

#include "members.h"
#include "rotary.h"
#include "spec/text.h"

namespace posenc_python {
namespace {

using S = posenc_rotary_spec;

constexpr char kRotaryDoc[] =
    R"(Computes rotary embeddings (RoPE). At position p, pair i of the elements of a head, (a, b), becomes

    A (a cos(p w_i) - b sin(p w_i)), A (b cos(p w_i) + a sin(p w_i)),   w_i = base^(-2i / rotary_dim), scaled

Each result is rounded once. A Rotary never changes, so threads may share it. Arguments are the members of posenc_rotary_spec;
posenc/rotary_c.h describes them and has all formulas. A wrong value raises ValueError, and a wrong type raises TypeError.

head_dim       number of elements in a head
rotary_dim     how many of them rotate; 0 means all
rotary_offset  the first element that rotates
preset         name of a family of models (posenc.rotary_presets()); other arguments change it
pairing        which elements are a pair: half_split (GPT-NeoX, Llama in transformers) or neighbours (GPT-J, Llama's own code)
scaling        how the context was extended; uses factor, length, original_length and other arguments
factors        [rotary_dim / 2] factors of LongRoPE (with long_factors) or ggml; they are copied, and float32 stays float32
frequencies    [rotary_dim / 2] your own frequencies, such as inv_freq of a checkpoint; they are copied, and float32 stays float32
axes           number of axes of a position; sections says how many pairs each axis rotates, and axis_order in which order
amplitude      A; 0 means the amplitude of the scaling)";

constexpr char kRotateDoc[] =
    R"(Rotates tensors in place, for example q and k. Returns the tensor, or a tuple of tensors.

tensors     each [..., tokens, heads, head_dim] float32, float16 or bfloat16, all of one type; writable, with a stride of 1
            between elements of a head. Tensors must not overlap. If they require a gradient, use posenc.torch.rotate, or
            q * cos + rotate_half(q) * sin with the result of cache(), or call under torch.no_grad()
first       position of the first token, in steps; or [...], one position for each sequence (left padding). The default is 0
positions   instead of first: [tokens] or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]
scale       multiplies the elements that rotate: a number, or a list with a number for each tensor
inverse     True: rotates backwards
token_axis  -3, or -2 if tensors are [..., heads, tokens, head_dim] or [tokens, head_dim]
angles      instead of first and positions: what angles() of this Rotary returned for these positions. The bits are the same
first_token with angles: the tensors begin with this token of the angles
factors     [tokens] or [..., tokens], rounded to float32. Each factor multiplies all elements of a token, also the elements that
            do not rotate. For several tensors: a list with factors, or None, for each
norm        a posenc.Norm: RMSNorm of each head before it rotates. For several tensors: a list with a Norm, or None, for each

Raises ValueError or TypeError for a wrong argument; then all tensors are unchanged.)";

constexpr char kRotateToNewDoc[] =
    R"(Returns rotated tensors: new, contiguous arrays, or the arrays in `out`. The tensors themselves are only read.

dtype      type of a new array; without it, the tensor's own type. Only float32 may become another type, float16 or bfloat16,
           with one rounding. For several tensors: a dtype for all, or a list with a dtype, or None, for each
out        instead of dtype: an array to write to, of the tensor's shape; it may be the tensor itself. For several tensors: a list
           with an array, or None, for each
slots      [tokens] integers: `out` is a paged KV cache, and token t goes to the slot slots[t] = block * block_size + offset. If
           slots[t] is -1, it goes nowhere. No other slot changes. If a slot occurs twice, the later token wins. The tensor is
           [tokens, heads, head_dim], or with token_axis -2 [heads, tokens, head_dim]. For several tensors: a list with slots, or
           None, for each
slot_axis  -3 if caches are [blocks, block_size, heads, head_dim], or -2 if they are [blocks, heads, block_size, head_dim]. A cache
           may have any strides if each block lies behind the block before it

Other arguments and errors are the same as in rotate_(). After an error `out` is unchanged.)";

constexpr char kAnglesDoc[] =
    R"(Computes the cosines and sines of a step's tokens once. Each layer then rotates by them: rotate_(q, k, angles=angles).

tokens     number of tokens, at the positions first .. first + tokens - 1
first      position of the first token, in steps; or [...], one position for each sequence. The default is 0
positions  instead of tokens and first: [tokens] or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]

Angles take 1.3 to 4.2 KB for each token if 128 elements rotate. Raises ValueError if a position is out of range.)";

constexpr char kCacheDoc[] =
    R"(Returns cosines and sines, times the amplitude, correctly rounded: (cos, sin), or one array.

tokens     the positions are first .. first + tokens - 1
positions  instead of tokens: [...], or with several axes [axes, ...]
layout     halves: cos and sin are [..., rotary_dim / 2].
           duplicated: cos and sin are [..., rotary_dim], with the value of a pair for both of its elements.
           halves_twice: cos and sin are [..., rotary_dim]; the second half repeats the first, with any pairing.
           cos_sin, pairs: one array [..., rotary_dim], with cosines before sines, or interleaved
dtype      type of the result: a dtype of NumPy or torch, or its name; the default is float32)";

constexpr char kConfigDoc[] =
    R"(Makes the Rotary for a layer of a model from the model's configuration.

config      a dict; the path of a config.json; an object with to_dict(), such as a configuration of transformers; or the
            metadata of a GGUF file as a dict, with tensors such as rope_freqs as lists
layer       number of the layer, from 0 on. layer or layer_type is needed if layers have different rotary embeddings
layer_type  type of the layer, such as "sliding_attention"
model_type  replaces the model type or architecture in the configuration
pairing     half_split or neighbours; needed if posenc does not know the model. posenc then assumes that the model rotates by
            +p, along one axis, in all layers, and whole heads unless partial_rotary_factor is given. The
            configuration must have head_dim
overrides   arguments of Rotary that replace what the configuration says. length is needed if a scaling depends on it, and base
            if neither the configuration nor the model's code has one

print() shows the arguments of the result, and posenc.config() shows all layers. posenc never guesses: it raises ValueError for
a configuration that it does not understand, and for a layer that does not rotate. The message names the file, if there is one,
and the key, and says what would be right.)";

// Makes both lists of factors have the same type: doubles if one of them has doubles.
void MatchFactors(S* spec, posenc::internal::SpecData* data) {
  const auto to_doubles = [&](const float* floats) {
    return data->Keep(std::vector<double>(floats, floats + spec->factor_count));
  };
  if (spec->factors != nullptr && spec->long_factors_f32 != nullptr) {
    spec->long_factors = to_doubles(spec->long_factors_f32);
    spec->long_factors_f32 = nullptr;
  } else if (spec->factors_f32 != nullptr && spec->long_factors != nullptr) {
    spec->factors = to_doubles(spec->factors_f32);
    spec->factors_f32 = nullptr;
  }
}

void RequireFloats(posenc_phase_rounding rounding, const S& spec) {
  if (rounding == POSENC_F32_INV_FREQ && spec.frequencies != nullptr) {
    RaiseValue("frequencies must be float32 with f32_inv_freq, as the buffer inv_freq is, and are float64");
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

Rotary MakeOfArguments(nb::handle head_dim, const nb::dict& arguments) {
  S spec;
  const size_t elements = ToSize(head_dim, "head_dim");
  if (arguments.contains("preset") && !arguments["preset"].is_none()) {
    const std::string preset = ToPreset(arguments["preset"]);
    posenc_model_report report;
    CheckPreset(posenc::RotaryPreset(&spec, preset.c_str(), elements, &report), preset, report);
  } else {
    Check(posenc_rotary_spec_init(&spec, sizeof(spec)));
    spec.head_dim = elements;
  }
  return MakeRotary(spec, arguments);
}

}  // namespace

Rotary MakeRotary(S spec, const nb::dict& arguments) {
  nb::dict kept;
  posenc::internal::SpecData data;
  Set(arguments, &spec, &kept);
  MatchFactors(&spec, &data);
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
  made.spec = posenc::internal::PrintSpec(spec);
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
            Initialize(self, [&] { return MakeOfArguments(head_dim, arguments); });
          },
          "head_dim"_a.none() = nb::ellipsis(), "more"_a, "arguments"_a, nb::sig(signature.c_str()))
      .def_static(
          "preset",
          [](nb::object name, nb::object head_dim, const nb::args& more, nb::kwargs overrides) {
            RequireNoMore(more);
            overrides["preset"] = name;
            return MakeOfArguments(head_dim, overrides);
          },
          "name"_a.none() = nb::ellipsis(), "head_dim"_a.none() = nb::ellipsis(), "more"_a, "overrides"_a,
          nb::sig("def preset(name: str, head_dim: int, **overrides) -> Rotary"),
          "The same as Rotary(head_dim, preset=name, **overrides). posenc.rotary_presets() lists the names.")
      .def_static(
          "from_spec",
          [](nb::object text, const nb::args& more, nb::kwargs overrides) {
            RequireNoMore(more);
            S spec;
            Check(posenc_rotary_spec_init(&spec, sizeof(spec)));
            posenc::internal::SpecData data;
            ReadSpec(text, overrides, &data, &spec);
            return MakeRotary(spec, overrides);
          },
          "text"_a.none() = nb::ellipsis(), "more"_a, "overrides"_a,
          nb::sig("def from_spec(text: str, **overrides) -> Rotary"), kFromSpecDoc)
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
      .def(
          "rotate_", &RotateInPlace, "tensors"_a, "first"_a = nb::none(), "positions"_a = nb::none(),
          "scale"_a.none() = 1.0, "inverse"_a.none() = false, "token_axis"_a.none() = -3,
          "angles"_a = nb::none(), "first_token"_a.none() = 0, "factors"_a = nb::none(),
          "norm"_a = nb::none(), "unknown"_a,
          nb::sig(
              "def rotate_(self, *tensors: posenc._types.Array, first: int | posenc._types.Numbers | None = "
              "None, "
              "positions: posenc._types.Numbers | None = None, scale: float | typing.Sequence[float] = 1.0, "
              "inverse: bool = False, token_axis: typing.Literal[-3, -2] = -3, angles: Angles | None = None, "
              "first_token: int = 0, factors: posenc._types.Numbers | None = None, "
              "norm: typing.Any = None) -> typing.Any"),
          kRotateDoc)
      .def(
          "rotate", &RotateToNew, "tensors"_a, "first"_a = nb::none(), "positions"_a = nb::none(),
          "scale"_a.none() = 1.0, "inverse"_a.none() = false, "token_axis"_a.none() = -3,
          "angles"_a = nb::none(), "first_token"_a.none() = 0, "factors"_a = nb::none(),
          "norm"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(), "slots"_a = nb::none(),
          "slot_axis"_a.none() = -3, "unknown"_a,
          nb::sig(
              "def rotate(self, *tensors: posenc._types.Array, first: int | posenc._types.Numbers | None = "
              "None, "
              "positions: posenc._types.Numbers | None = None, scale: float | typing.Sequence[float] = 1.0, "
              "inverse: bool = False, token_axis: typing.Literal[-3, -2] = -3, angles: Angles | None = None, "
              "first_token: int = 0, factors: posenc._types.Numbers | None = None, norm: typing.Any = None, "
              "dtype: typing.Any = None, out: typing.Any = None, slots: typing.Any = None, slot_axis: "
              "typing.Literal[-3, -2] = -3) -> "
              "typing.Any"),
          kRotateToNewDoc)
      .def("angles", &MakeAngles, "tokens"_a = nb::none(), "more"_a, "first"_a = nb::none(),
           "positions"_a = nb::none(), "unknown"_a,
           nb::sig("def angles(self, tokens: int | None = None, *, first: int | posenc._types.Numbers | None "
                   "= None, "
                   "positions: posenc._types.Numbers | None = None) -> Angles"),
           kAnglesDoc)
      .def("cache", &Cache, "tokens"_a = nb::none(), "more"_a, "first"_a = nb::none(),
           "positions"_a = nb::none(), "layout"_a.none() = "halves", "dtype"_a = nb::none(), "unknown"_a,
           nb::sig(cache_signature.c_str()), kCacheDoc)
      .def_prop_ro(
          "head_dim", [](const Rotary& self) { return self.rotary.head_dim(); },
          "The number of elements in a head.")
      .def_prop_ro(
          "rotary_dim", [](const Rotary& self) { return self.rotary_dim; }, "How many of them rotate.")
      .def_prop_ro(
          "rotary_offset", [](const Rotary& self) { return self.rotary_offset; },
          "The first element that rotates.")
      .def_prop_ro(
          "axes", [](const Rotary& self) { return self.axes; }, "The number of axes of a position.")
      .def_prop_ro(
          "axis_order",
          [](const Rotary& self) {
            return posenc::internal::WordOf<posenc::internal::Of::axis_order>(self.axis_order);
          },
          "Which axis rotates which pairs.")
      .def_prop_ro(
          "pairing",
          [](const Rotary& self) {
            return posenc::internal::WordOf<posenc::internal::Of::pairing>(self.pairing);
          },
          "Which elements are a pair in the input.")
      .def_prop_ro(
          "output_pairing",
          [](const Rotary& self) {
            return posenc::internal::WordOf<posenc::internal::Of::pairing>(self.output_pairing);
          },
          "Which elements are a pair in the result.")
      .def_prop_ro(
          "amplitude", [](const Rotary& self) { return self.rotary.amplitude(); },
          "The factor A of all elements that rotate.")
      .def_prop_ro(
          "target", [](const Rotary& self) { return self.rotary.target(); }, "The instruction set in use.")
      .def_prop_ro("frequencies", &Frequencies, nb::sig("def frequencies(self, /) -> posenc._types.Array"),
                   "The scaled frequencies, in radians per step: [rotary_dim / 2] float64. Computing them "
                   "takes microseconds each.")
      .def_prop_ro(
          "spec", [](const Rotary& self) { return self.spec; },
          "The text of its spec: the members that are not the default.")
      .def("__repr__", [](const Rotary& self) { return "posenc.Rotary.from_spec('" + self.spec + "')"; })
      .def("__reduce__", [](const Rotary& self) { return Reduce(nb::type<Rotary>(), self.spec); })
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; });
  module.def("rotary_presets", &Presets);
  module.def("config", &ReadConfig, "config"_a, "layer"_a.none(), "layer_type"_a.none(),
             "model_type"_a.none(), "pairing"_a.none());
}

}  // namespace posenc_python
