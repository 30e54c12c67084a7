#include "command/models.h"

#include <algorithm>
#include <cstdio>

#include "command/config.h"
#include "command/options.h"
#include "spec/rules.h"
#include "spec/tables.h"

namespace posenc {
namespace tools {
namespace {

using internal::WordsOf;

std::vector<std::string> NamesOf(const std::vector<posenc_preset>& presets) {
  std::vector<std::string> names;
  for (const posenc_preset& preset : presets) names.emplace_back(preset.name);
  return names;
}

bool Has(const std::vector<posenc_preset>& presets, const std::string& name) {
  return std::any_of(presets.begin(), presets.end(),
                     [&](const posenc_preset& preset) { return name == preset.name; });
}

constexpr char kAPreset[] = "a preset; see 'posenc presets'";

// Throws a UsageError if `status`, the result of looking up `preset`, is an error. `presets` are the names of
// the kind that `option` takes. If one of `others` has the name, the message says `other_kind`.
void RequirePreset(posenc_status status, const std::string& option, const std::string& preset,
                   const std::vector<posenc_preset>& presets, const std::vector<posenc_preset>& others,
                   const char* other_kind) {
  if (status == POSENC_OK) return;
  if (status == internal::rule::unknown_preset && !Has(others, preset))
    Refuse(option, preset, kAPreset, NamesOf(presets));
  if (status == internal::rule::unknown_preset)
    throw UsageError(option + ": " + preset + " is " + other_kind);
  throw UsageError(option + " " + Abbreviated(preset) + ": " + posenc_status_message(status));
}

posenc_rotary_spec ConfigSpec(SpecOptions* options) {
  if (options->Has("--dim")) throw UsageError("--dim excludes --config");
  ReadConfig("--config", *options->config, &options->entries);
  // With --config, --pairing states the pairing of a model that posenc does not know.
  if (options->Has("--pairing")) {
    const std::vector<std::string> words = WordsOf("pairing");
    const auto found = std::find(words.begin(), words.end(), options->given.at("--pairing"));
    if (found != words.end()) options->question.pairing = static_cast<posenc_pairing>(found - words.begin());
  }
  const internal::ConfigAnswer answer = internal::Ask(options->entries.entries, options->question);
  if (answer.status == POSENC_OK) return answer.spec;
  throw UsageError("--config " + Abbreviated(*options->config) + ": " + answer.report.text);
}

}  // namespace

bool IsRotary(SpecOptions* options) {
  if (options->config) return true;
  if (options->preset && !options->rotary && !Has(EncoderPresets(), *options->preset)) {
    options->has_moved = Has(RotaryPresets(), *options->preset);
    if (!options->has_moved) {
      std::vector<std::string> names = NamesOf(EncoderPresets());
      for (const std::string& name : NamesOf(RotaryPresets())) names.push_back(name);
      Refuse("--preset", *options->preset, kAPreset, names);
    }
    options->rotary.swap(options->preset);
  }
  return options->rotary.has_value();
}

posenc_rotary_spec RotarySpecOfModel(SpecOptions* options) {
  if (options->config) return ConfigSpec(options);
  posenc_rotary_spec spec;
  const posenc_status status =
      posenc_rotary_spec_preset(&spec, sizeof(spec), options->rotary->c_str(), DimOf(*options), nullptr);
  RequirePreset(status, options->has_moved ? "--preset" : "--rotary", *options->rotary, RotaryPresets(),
                EncoderPresets(), "a preset of encodings, not of rotary embeddings; --preset takes it");
  return spec;
}

posenc_phase_rounding RoundingOfSource(const SpecOptions& options) {
  if (!options.preset) throw UsageError("--phase-rounding source requires --preset");
  const posenc_phase_rounding rounding = posenc_spec_preset_rounding(options.preset->c_str());
  if (rounding <= POSENC_NO_PHASE_ROUNDING) {
    throw UsageError("--phase-rounding source: posenc cannot round as " + *options.preset + " does");
  }
  return rounding;
}

std::vector<posenc_preset> EncoderPresets() {
  std::vector<posenc_preset> presets(posenc_spec_presets(nullptr, 0));
  posenc_spec_presets(presets.data(), presets.size());
  return presets;
}

std::vector<posenc_preset> RotaryPresets() {
  std::vector<posenc_preset> presets(posenc_rotary_presets(nullptr, 0));
  posenc_rotary_presets(presets.data(), presets.size());
  return presets;
}

posenc_spec PresetSpec(const std::string& preset, std::size_t dim) {
  posenc_spec spec;
  const posenc_status status = posenc_spec_preset(&spec, sizeof(spec), preset.c_str(), dim, nullptr);
  RequirePreset(status, "--preset", preset, EncoderPresets(), RotaryPresets(),
                "a preset of rotary embeddings, not of encodings");
  return spec;
}

void PrintRotaryPresets() {
  for (const posenc_preset& preset : RotaryPresets()) {
    std::printf("%s\t%s\t%s\n", preset.name, preset.formula, preset.source);
  }
}

}  // namespace tools
}  // namespace posenc
