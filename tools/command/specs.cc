#include "command/specs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "command/models.h"
#include "command/options.h"
#include "spec/rules.h"

namespace posenc {
namespace tools {
namespace {

using internal::At;
using internal::FloatsOf;
using internal::Kind;
using internal::Member;
using internal::MembersOf;
using internal::SpecData;
using internal::WordsOf;
using Words = std::vector<std::string>;

// The word for the phase rounding that the source of the preset uses.
constexpr char kOfSource[] = "source";

// The option for a member: "--exponent-dim". Encodings and rotary embeddings share the options for size and
// unit.
std::string OptionOf(const std::string& name) {
  if (name == "head_dim") return "--dim";
  if (name == "unit") return "--unit";
  std::string option = "--" + name;
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

// Whether a member has an option. --sections gives the number of axes, and the other two members without an
// option do not change a cache or the frequencies.
bool IsOption(const Member& member) {
  const std::string name = member.name;
  return IsShown(member) && name != "axes" && name != "arithmetic" && name != "output_pairing";
}

bool HasSource(const Member& member) { return kHasModels && std::string(member.name) == "phase_rounding"; }

std::string HelpOf(const Member& member) {
  return std::string(member.help) + (HasSource(member) ? "; source: as in the source of the preset" : "");
}

// The name of the value in --help.
std::string TypeName(const Member& member) {
  const std::string name = member.name;
  switch (member.kind) {
    case Kind::kReal:
      return name == "base" ? "B" : name == "position_scale" ? "S" : name == "min_timescale" ? "T" : "X";
    case Kind::kChoice:
      return Joined(WordsOf(member)) + (HasSource(member) ? std::string("|") + kOfSource : "");
    case Kind::kFlag:
      return "0|1";
    case Kind::kList:
    case Kind::kSizes:
      return "LIST";
    case Kind::kName:
      return "NAME";
    default:
      return name == "dim" ? "D" : member.kind == Kind::kSize || member.kind == Kind::kRows ? "N" : "P";
  }
}

// The default value that --help shows, or "".
std::string DefaultOf(const Member& member) {
  const bool has_number = member.kind == Kind::kReal || member.kind == Kind::kInteger;
  if (member.kind == Kind::kChoice) return WordsOf(member)[static_cast<std::size_t>(member.initial)];
  if (member.kind == Kind::kOptional) return "none";
  return has_number && std::strcmp(member.name, "exponent_dim") != 0 ? NumberInText(member.initial) : "";
}

// The name of a member in the text of a spec, by its option.
std::string NameOf(const Member& member, const std::string& option) {
  return member.name + std::string(option == OptionOf(member.name) ? "" : "_f32");
}

// Lists have finite numbers only, and factors are positive.
void RequireNumbers(const Member& member, const std::string& option, const posenc_list& list,
                    std::size_t count) {
  const bool is_factor = std::strcmp(member.of, "factor_count") == 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double number = list.type == POSENC_F64 ? static_cast<const double*>(list.data)[i]
                                                  : double{static_cast<const float*>(list.data)[i]};
    if (std::isfinite(number) && (number > 0.0 || !is_factor)) continue;
    Refuse(option + ", item " + std::to_string(i + 1), NumberInText(number),
           is_factor ? "a positive, finite number" : "a finite number");
  }
}

// Sets a member to what the text of its option says.
template <class Spec>
void SetMember(const Member& member, const std::string& option, const std::string& text, SpecData* data,
               Spec* spec) {
  if (member.kind == Kind::kName) {
    At<const char*>(member, spec) = FindTarget(option, text).name;
    return;
  }
  const bool is_list = member.kind == Kind::kList || member.kind == Kind::kSizes;
  const std::string right =
      internal::SetMember(NameOf(member, option), is_list ? ListText(option, text) : text, data, spec);
  if (!right.empty()) Refuse(option, text, right, member.kind == Kind::kChoice ? WordsOf(member) : Words{});
  if (member.kind == Kind::kList) {
    const auto [doubles, floats] =
        std::pair(At<const double*>(member, *spec), At<const float*>(FloatsOf<Spec>(member), *spec));
    RequireNumbers(member, option,
                   doubles != nullptr ? posenc_list{POSENC_F64, doubles} : posenc_list{POSENC_F32, floats},
                   At<std::size_t>(*MembersOf<Spec>().Find(member.of), *spec));
  }
  if (option == "--exponent-dim" && At<double>(member, spec) == 0.0)
    throw UsageError(option + " must not be 0");
}

bool MayAsk(const std::string& option) { return option == "--frequencies" || option == "--amplitude"; }

template <class Spec>
void AddMember(CLI::App& app, const Member& member, SpecOptions* options) {
  const std::string option = OptionOf(member.name);
  if (app.get_option_no_throw(option) != nullptr) return;  // the other noun's too
  if (member.kind == Kind::kFlag && member.initial == 0.0) {
    const auto set = [=, &app](std::int64_t sum) {  // --no-X counts as -1
      if (app.count(option) > 1) throw UsageError(option + GivenTwice());
      options->given[option] = sum > 0 ? "1" : "0";
    };
    app.add_flag_function(option + ",!--no-" + option.substr(2), set, member.help);
    return;
  }
  const auto parse = [=](const std::string& text) {
    options->given[option] = text;
    if (text.empty() && MayAsk(option)) return;
    Spec scratch{};  // wrong values are refused where they are said
    SpecData data;
    if (member.kind != Kind::kName && text != kOfSource) SetMember(member, option, text, &data, &scratch);
  };
  CLI::Option* added = AddOption(app, option, TypeName(member), HelpOf(member), parse);
  if (MayAsk(option)) added->expected(0, 1);
  const std::string initial = DefaultOf(member);
  if (std::is_same<Spec, posenc_spec>::value && !initial.empty()) added->default_str(initial);
  if (member.kind != Kind::kList) return;
  AddOption(app, option + "-f32", "LIST", "The same list, with its numbers read as floats",
            [=](const std::string& text) { options->given[option + "-f32"] = text; });
}

// Puts the options over the members of a preset, or over the defaults.
template <class Spec>
void SetMembers(SpecOptions* options, Spec* spec) {
  for (const Member& member : MembersOf<Spec>()) {
    const std::string option = OptionOf(member.name);
    if (!IsOption(member) || &member == MembersOf<Spec>().first) continue;
    if (member.kind == Kind::kList && options->Has(option + "-f32")) {
      if (options->Has(option) && !options->AsksFor(option))
        throw UsageError("only one of " + option + " and " + option + "-f32 may be given");
      SetMember(member, option + "-f32", options->given[option + "-f32"], &options->data, spec);
    }
    const auto given = options->given.find(option);
    const bool asks =
        std::is_same<Spec, posenc_rotary_spec>::value && options->AsksFor(option) && MayAsk(option);
    if (given == options->given.end() || asks || given->second == kOfSource) continue;
    SetMember(member, option, given->second, &options->data, spec);
  }
}

template <class Spec>
bool IsOf(const std::string& option) {
  for (const Member& member : MembersOf<Spec>()) {
    const std::string own = OptionOf(member.name);
    if (IsOption(member) && (option == own || (member.kind == Kind::kList && option == own + "-f32")))
      return true;
  }
  return false;
}

bool IsAsSource(const SpecOptions& options) {
  return options.Has("--phase-rounding") && options.given.at("--phase-rounding") == kOfSource;
}

}  // namespace

void AddSpecOptions(CLI::App& app, SpecOptions* options) {
  AddNumber(app, "--rows", "N", "Number of rows, one for each position from --first on", &options->rows);
  AddOption(app, "--first", "P", "Position of the first row, in steps, |P| <= 2^31",
            [=](const std::string& text) {
              // A position that is out of range is refused later: --position-offset may be added to it.
              if (internal::ReadNumber(text, &options->first)) return;
              options->first = ParseInteger("--first", text, -POSENC_MAX_POSITION, POSENC_MAX_POSITION);
            })
      ->default_str("0");
  OfModels(app.add_option("--preset", options->preset,
                          "Use a preset (see 'posenc presets'); other options change it"))
      ->type_name("NAME");
  for (const Member& member : MembersOf<posenc_spec>()) {
    if (IsOption(member)) AddMember<posenc_spec>(app, member, options);
  }
  app.option_defaults()->group("Rotary embeddings");
  AddOption(app, "--rotary", kHasModels ? "PRESET" : "",
            kHasModels ? "Use a rotary embedding, from this preset; --dim is head_dim"
                       : "Use a rotary embedding; --dim is head_dim",
            [=](const std::string& preset) { options->rotary = preset; })
      ->expected(kHasModels ? 1 : 0, 1);
  CLI::Option* const config =
      OfModels(app.add_option("--config", options->config,
                              "Use the rotary embedding of a model, from its config.json, or its GGUF "
                              "metadata as JSON; without --dim"));
  config->type_name("FILE");
  OfModels(AddOption(app, "--layer", "N", "Number of the layer, if layers have different rotary embeddings",
                     [=](const std::string& text) {
                       options->question.layer = ParseInteger<std::int64_t>("--layer", text, 0);
                     }))
      ->needs(config);
  OfModels(app.add_option("--layer-type", options->question.layer_type,
                          "Type of the layer, instead of its number: sliding_attention"))
      ->type_name("NAME")
      ->needs(config);
  OfModels(app.add_option("--model-type", options->question.model_type,
                          "Type of the model [as in the configuration]"))
      ->type_name("NAME")
      ->needs(config);
  for (const Member& member : MembersOf<posenc_rotary_spec>()) {
    if (IsOption(member)) AddMember<posenc_rotary_spec>(app, member, options);
  }
  app.option_defaults()->group("Options");
}

std::string RotaryOption(const SpecOptions& options) {
  if (options.config) return "--config";
  return options.has_moved ? "--preset " + *options.rotary + ", which is a preset of rotary embeddings"
                           : "--rotary";
}

void RefuseForEncodings(const std::string& option, const SpecOptions& options) {
  throw UsageError(option + " requires --rotary" +
                   (options.preset ? ", and " + *options.preset + " is a preset of encodings" : ""));
}

posenc_spec EncoderSpec(SpecOptions* options) {
  for (const auto& [option, text] : options->given) {
    if (!IsOf<posenc_spec>(option)) RefuseForEncodings(option, *options);
  }
  posenc_spec spec;
  Require(posenc_spec_init(&spec, sizeof(spec)));
  spec.dim = DimOf(*options);
  if (options->preset) spec = PresetSpec(*options->preset, spec.dim);
  if (options->Has("--frequencies") || options->Has("--frequencies-f32")) {
    for (const char* other : {"--base", "--exponent-dim", "--min-timescale"}) {
      if (options->Has(other)) throw UsageError(std::string("--frequencies excludes ") + other);
    }
  }
  if (IsAsSource(*options)) spec.phase_rounding = RoundingOfSource(*options);
  SetMembers(options, &spec);
  return spec;
}

posenc_rotary_spec RotarySpec(SpecOptions* options) {
  const std::string noun = RotaryOption(*options);
  if (options->Has("--layout")) throw UsageError("--layout excludes " + noun + "; there is --cache instead");
  if (options->preset) throw UsageError("--preset excludes " + noun);
  if (options->config && options->rotary) throw UsageError("--rotary excludes --config");
  for (const auto& [option, text] : options->given) {
    if (!IsOf<posenc_rotary_spec>(option)) throw UsageError(option + " excludes " + noun);
  }
  posenc_rotary_spec spec = RotarySpecOfModel(options);
  if (IsAsSource(*options))
    ParseChoice("--phase-rounding", kOfSource, WordsOf("phase_rounding"));  // no such word
  SetMembers(options, &spec);
  if (spec.frequencies != nullptr && spec.phase_rounding != POSENC_NO_PHASE_ROUNDING) {
    throw UsageError("--frequencies excludes --phase-rounding, whose own are floats: --frequencies-f32");
  }
  if (spec.factors == nullptr && spec.factors_f32 == nullptr) {
    for (const char* longs : {"--long-factors", "--long-factors-f32"}) {
      if (options->Has(longs)) throw UsageError(std::string(longs) + " requires --factors, a list as long");
    }
  }
  return spec;
}

std::size_t DimOf(const SpecOptions& options) {
  if (!options.Has("--dim")) throw UsageError("--dim is required");
  return ParseInteger<std::size_t>("--dim", options.given.at("--dim"));
}

void RequireOption(const CLI::App& app, const std::string& name) {
  if (app.count(name) == 0) throw UsageError(name + " is required");
}

EncoderHandle Create(const posenc_spec& spec) {
  posenc_encoder* encoder = nullptr;
  const posenc_status status = posenc_encoder_create(&spec, &encoder);
  const bool is_missing = spec.frequencies == nullptr && spec.frequencies_f32 == nullptr;
  namespace rule = internal::rule;
  const bool needs_list = status == rule::frequencies_missing || status == rule::f32_list_needs_list;
  if (status == rule::frequency_count || (needs_list && is_missing)) {
    const std::size_t columns = spec.dim - (spec.input_first != 0 ? 1 : 0);
    const std::size_t half = spec.odd_column == POSENC_ODD_HALF_PAIR ? columns % 2 : 0;
    const std::size_t listed = is_missing ? 0 : spec.frequency_count;
    throw UsageError("--frequencies: " + std::to_string(listed) + " given, but --dim " +
                     std::to_string(spec.dim) + " needs " +
                     std::to_string(std::max<std::size_t>(columns / 2 + half, 1)));
  }
  Require(status);
  return {encoder, posenc_encoder_destroy};
}

RotaryHandle Create(const posenc_rotary_spec& spec) {
  posenc_rotary* rotary = nullptr;
  const posenc_status status = posenc_rotary_create(&spec, &rotary);
  if (status == internal::rule::rotary_frequency_count) {
    const std::size_t pairs =
        (spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim - spec.rotary_offset) / 2;
    throw UsageError("--frequencies: " + std::to_string(spec.frequency_count) + " given, but " +
                     std::to_string(pairs) + " pairs turn");
  }
  if (status == internal::rule::sections_sum && !internal::UnequalPairs(spec).empty()) {
    throw UsageError("--sections: " + internal::UnequalPairs(spec));
  }
  Require(status);
  return {rotary, posenc_rotary_destroy};
}

std::vector<double> FrequenciesOf(const posenc_rotary* rotary) {
  std::vector<double> frequencies;
  const auto next = [&] { return posenc_rotary_radians(rotary, frequencies.size()); };
  for (double w = next(); !std::isnan(w); w = next()) frequencies.push_back(w);
  return frequencies;
}

void RequirePositions(std::int64_t first, std::size_t rows, std::int64_t offset, posenc_status rule) {
  if (rows == 0) return;
  const auto is_in_range = [&](std::int64_t start) {
    return start >= -POSENC_MAX_POSITION && start <= POSENC_MAX_POSITION &&
           rows - 1 <= static_cast<std::uint64_t>(POSENC_MAX_POSITION - start);
  };
  // Twice the range is far from the ends of 64 bits.
  const bool may_be = first >= -2 * POSENC_MAX_POSITION && first <= 2 * POSENC_MAX_POSITION;
  if (may_be && is_in_range(first + offset)) return;
  throw UsageError(std::string("--first, --rows: ") + posenc_status_message(rule));
}

const char* RoundingName(posenc_phase_rounding rounding) {
  return internal::WordOf<internal::Of::phase_rounding>(rounding);
}

}  // namespace tools
}  // namespace posenc
