#include "command/encoding.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "command/options.h"

namespace posenc {
namespace tools {
namespace {

// As the source of --preset does.
constexpr char kOfSource[] = "source";

const std::vector<std::pair<std::string, OddColumn>>& OddColumns() {
  static const std::vector<std::pair<std::string, OddColumn>> columns = {
      {"half_pair", OddColumn::kHalfPair},
      {"zero_last", OddColumn::kZeroLast},
      {"zero_middle", OddColumn::kZeroMiddle},
      {"cosine_last", OddColumn::kCosineLast}};
  return columns;
}

// What options set in a Spec, over that of a preset.
struct Member {
  const char* option;
  void (*take)(const Spec& from, Spec* to);
};
constexpr Member kMembers[] = {
    {"--base", [](const Spec& from, Spec* to) { to->base = from.base; }},
    {"--exponent-dim", [](const Spec& from, Spec* to) { to->exponent_dim = from.exponent_dim; }},
    {"--position-scale", [](const Spec& from, Spec* to) { to->position_scale = from.position_scale; }},
    {"--min-timescale", [](const Spec& from, Spec* to) { to->min_timescale = from.min_timescale; }},
    {"--position-offset", [](const Spec& from, Spec* to) { to->position_offset = from.position_offset; }},
    {"--padding-position",
     [](const Spec& from, Spec* to) {
       to->has_padding = from.has_padding;
       to->padding_position = from.padding_position;
     }},
    {"--input-first", [](const Spec& from, Spec* to) { to->input_first = from.input_first; }},
    {"--odd-column", [](const Spec& from, Spec* to) { to->odd_column = from.odd_column; }},
    {"--layout", [](const Spec& from, Spec* to) { to->layout = from.layout; }},
    {"--unit", [](const Spec& from, Spec* to) { to->frequencies.unit = from.frequencies.unit; }},
};

void AddReal(CLI::App& app, const char* name, const char* type, const char* help, double* value,
             const char* default_value) {
  AddOption(app, name, type, help, [=](const std::string& text) {
    *value = ParseReal(name, text);
  })->default_str(default_value);
}

void AddSchedule(CLI::App& app, Encoding* encoding) {
  Spec* spec = &encoding->spec;
  AddReal(app, "--base", "B", "Base of the frequencies, above 0", &spec->base, "10000");
  AddOption(app, "--exponent-dim", "X", "Divisor in the exponent -2i/X of the base, not 0 [D]",
            [=](const std::string& text) {
              spec->exponent_dim = ParseReal("--exponent-dim", text);
              if (spec->exponent_dim == 0.0) throw UsageError("--exponent-dim must not be 0");
            });
  AddReal(app, "--min-timescale", "T", "Shortest timescale, of which B is the longest", &spec->min_timescale,
          "1");
  AddReal(app, "--position-scale", "S", "Multiplies every position, also with --frequencies",
          &spec->position_scale, "1");
  std::vector<std::pair<std::string, std::string>> choices;
  for (const char* name : PhaseRoundingNames()) choices.emplace_back(name, name);
  choices.emplace_back(kOfSource, kOfSource);
  AddChoice<std::string>(app, "--phase-rounding",
                         "Rounding of the phases: none, that of a framework, or that of the preset's source; "
                         "f32_list with --frequencies",
                         &encoding->phase_rounding, choices);
}

// What a row has besides pairs, and what positions count.
void AddRowOptions(CLI::App& app, Encoding* encoding) {
  Spec* spec = &encoding->spec;
  AddChoice<OddColumn>(app, "--odd-column", "Of an odd D, besides D/2 pairs: half a pair, zero, or a cosine",
                       &spec->odd_column, OddColumns());
  AddOption(app, "--position-offset", "P", "Added to every position, before S", [=](const std::string& text) {
    spec->position_offset = ParseInteger("--position-offset", text);
  })->default_str("0");
  AddOption(app, "--padding-position", "P", "The row of this position, as --first counts, is zero; or none",
            [=](const std::string& text) {
              spec->has_padding = text != "none";
              if (spec->has_padding) spec->padding_position = ParseInteger("--padding-position", text);
            })
      ->default_str("none");
  app.add_flag("--input-first,!--no-input-first", spec->input_first,
               "Column 0 is the position itself, as in NeRF");
}

// Instead of the schedule's.
void AddFrequencies(CLI::App& app, Encoding* encoding) {
  AddOption(app, "--frequencies", "LIST", "Frequencies of your own, ceil(D/2) of them: 1,0.01 or @FILE",
            [=](const std::string& text) { encoding->listed = text; })
      ->expected(0, 1);
  AddChoice<FrequencyUnit>(app, "--unit", "Of the frequencies, per step", &encoding->spec.frequencies.unit,
                           {{"radians", FrequencyUnit::kRadians},
                            {"half-turns", FrequencyUnit::kHalfTurns},
                            {"turns", FrequencyUnit::kTurns}});
}

}  // namespace

void AddEncodingOptions(CLI::App& app, Encoding* encoding) {
  AddOption(app, "--dim", "D", "Columns of a row (d_model), 1 .. 2^24",
            [=](const std::string& text) { encoding->spec.dim = ParseCount("--dim", text); });
  AddOption(app, "--rows", "N", "Rows, one for each position from --first on",
            [=](const std::string& text) { encoding->rows = ParseCount("--rows", text); });
  app.add_option("--preset", encoding->preset,
                 "A convention by name, see 'posenc presets'; options besides it change it")
      ->type_name("NAME");
  AddOption(app, "--first", "P", "Position of the first row, in steps, |P| <= 2^31",
            [=](const std::string& text) { encoding->first = ParseInteger("--first", text); })
      ->default_str("0");
  AddSchedule(app, encoding);
  AddFrequencies(app, encoding);
  AddChoice<Layout>(app, "--layout",
                    "Columns: sines and cosines by turns, all sines first, all cosines first, or cosines and "
                    "sines by turns",
                    &encoding->spec.layout,
                    {{Name(Layout::kInterleaved), Layout::kInterleaved},
                     {Name(Layout::kSinCos), Layout::kSinCos},
                     {Name(Layout::kCosSin), Layout::kCosSin},
                     {Name(Layout::kInterleavedCosSin), Layout::kInterleavedCosSin}});
  AddRowOptions(app, encoding);
  app.add_option("--target", encoding->target, "A name from 'posenc targets' [the best on this CPU]")
      ->type_name("NAME");
}

void RequireOption(const CLI::App& app, const std::string& name) {
  if (app.count(name) == 0) throw UsageError(name + " is required");
}

void RefuseWithRotary(const CLI::App& app) {
  if (app.count("--layout") != 0) throw UsageError("--layout: with --rotary there is --cache");
  for (const char* other : {"--preset", "--min-timescale", "--odd-column", "--position-offset",
                            "--padding-position", "--input-first"}) {
    if (app.count(other) != 0) throw UsageError(std::string(other) + " excludes --rotary");
  }
}

std::vector<Preset> Presets() {
  std::vector<Preset> presets(SpecPresets(nullptr, 0));
  SpecPresets(presets.data(), presets.size());
  return presets;
}

std::vector<std::string> NamesOf(const std::vector<Preset>& presets) {
  std::vector<std::string> names;
  names.reserve(presets.size());
  for (const Preset& preset : presets) names.emplace_back(preset.name);
  return names;
}

Spec PresetSpec(const std::string& preset, std::size_t dim) {
  Spec spec;
  const Status status = SpecPreset(preset.c_str(), dim, &spec);
  if (status == Status::kUnknownPreset) {
    Refuse("--preset", preset, "a preset; see 'posenc presets'", NamesOf(Presets()));
  }
  Require(status);
  return spec;
}

namespace {

PhaseRounding ParseRounding(const Encoding& encoding) {
  const std::string& name = encoding.phase_rounding;
  if (name != kOfSource) {
    const std::vector<const char*>& names = PhaseRoundingNames();
    return static_cast<PhaseRounding>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  if (!encoding.preset) throw UsageError("--phase-rounding source requires --preset");
  const PhaseRounding rounding = SpecPresetRounding(encoding.preset->c_str());
  if (rounding == PhaseRounding::kNone) {
    throw UsageError("--phase-rounding source: that of " + *encoding.preset + " is not one of posenc's");
  }
  return rounding;
}

}  // namespace

void FinishEncoding(const CLI::App& app, Encoding* encoding) {
  RequireOption(app, "--dim");
  if (encoding->preset) {
    Spec spec = PresetSpec(*encoding->preset, encoding->spec.dim);
    for (const Member& member : kMembers) {
      if (app.count(member.option) != 0) member.take(encoding->spec, &spec);
    }
    encoding->spec = spec;
  }
  encoding->spec.phase_rounding = ParseRounding(*encoding);
  if (!encoding->listed) return;
  for (const char* other : {"--base", "--exponent-dim", "--min-timescale"}) {
    if (app.count(other) != 0) throw UsageError(std::string("--frequencies excludes ") + other);
  }
  encoding->frequencies = ParseList("--frequencies", *encoding->listed, "a finite number",
                                    [](double frequency) { return std::isfinite(frequency); });
}

Spec SpecOf(const Encoding& encoding) {
  Spec spec = encoding.spec;
  const std::vector<double>& list = encoding.frequencies;
  if (!list.empty()) spec.frequencies = {list.data(), nullptr, list.size(), spec.frequencies.unit};
  return spec;
}

Encoder CreateEncoder(const Encoding& encoding) {
  Spec spec = SpecOf(encoding);
  if (encoding.target) spec.target = FindTarget("--target", *encoding.target).name;
  Encoder encoder;
  const Status status = Encoder::Create(spec, &encoder);
  if (status == Status::kBadFrequencies) {
    if (spec.phase_rounding != PhaseRounding::kNone && spec.phase_rounding != PhaseRounding::kF32List) {
      throw UsageError("--frequencies excludes --phase-rounding but f32_list");
    }
    const std::size_t columns = spec.dim - (spec.input_first ? 1 : 0);
    const std::size_t half = spec.odd_column == OddColumn::kHalfPair ? columns % 2 : 0;
    throw UsageError("--frequencies: " + std::to_string(encoding.frequencies.size()) + " given, but --dim " +
                     std::to_string(spec.dim) + " needs " +
                     std::to_string(std::max<std::size_t>(columns / 2 + half, 1)));
  }
  Require(status);
  return encoder;
}

void RequirePositions(std::int64_t first, std::size_t rows, std::int64_t offset) {
  if (rows == 0) return;
  const auto is_in_range = [&](std::int64_t start) {
    return start >= -kMaxPosition && start <= kMaxPosition &&
           rows - 1 <= static_cast<std::uint64_t>(kMaxPosition - start);
  };
  // Twice the range is far from the ends of 64 bits.
  const bool may_be = first >= -2 * kMaxPosition && first <= 2 * kMaxPosition;
  if (!may_be || !is_in_range(first + offset)) Require(Status::kPositionOutOfRange);
}

const char* Name(Layout layout) {
  constexpr const char* kNames[] = {"interleaved", "sin_cos", "cos_sin", "interleaved_cos_sin"};
  return kNames[static_cast<int>(layout)];
}

const char* Name(PhaseRounding rounding) { return PhaseRoundingNames()[static_cast<std::size_t>(rounding)]; }

const std::vector<const char*>& PhaseRoundingNames() {
  static const std::vector<const char*> names = {
      "none",         "f32_pow_div", "f32_exp",     "f32_log_div", "f32_inv_freq",     "f32_iterated",
      "f64_inv_freq", "f64_pow_div", "f64_pow_mul", "f32_list",    "f32_log_increment"};
  return names;
}

std::string Describe(const Spec& spec) {
  const std::size_t listed = spec.frequencies.count;
  std::string text = "dim " + std::to_string(spec.dim) + ", ";
  text += listed == 0 ? "base " + Shortest(spec.base) : std::to_string(listed) + " frequencies";
  text.append(", ").append(Name(spec.layout));
  const auto say = [&](const char* name, const std::string& value) {
    text.append(", ").append(name).append(" ").append(value);
  };
  if (spec.exponent_dim != 0.0) say("exponent_dim", Shortest(spec.exponent_dim));
  if (spec.min_timescale != 1.0) say("min_timescale", Shortest(spec.min_timescale));
  if (spec.position_scale != 1.0) say("position_scale", Shortest(spec.position_scale));
  if (spec.position_offset != 0) say("position_offset", std::to_string(spec.position_offset));
  if (spec.has_padding) say("padding_position", std::to_string(spec.padding_position));
  if (spec.input_first) text += ", input_first";
  if (spec.odd_column != OddColumn::kHalfPair) {
    text.append(", ").append(OddColumns()[static_cast<std::size_t>(spec.odd_column)].first);
  }
  if (spec.phase_rounding != PhaseRounding::kNone) text.append(", ").append(Name(spec.phase_rounding));
  return text;
}

std::string Shortest(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace tools
}  // namespace posenc
