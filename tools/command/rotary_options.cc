#include "command/rotary_options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "command/options.h"
#include "command/rotary_members.h"

namespace posenc {
namespace tools {
namespace {

std::string OptionOf(const char* name) {
  std::string option = std::string("--") + name;
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

std::vector<std::string> NamesOf(const RotaryChoice& choice) {
  return {choice.values.begin(), choice.values.end()};
}

std::int32_t ValueOf(const RotaryChoice& choice, const std::string& text) {
  for (std::size_t k = 0; k < choice.values.size(); ++k) {
    if (text == choice.values[k]) return static_cast<std::int32_t>(k);
  }
  RefuseChoice(OptionOf(choice.name), text, NamesOf(choice));
}

std::vector<double> ParseFactors(const std::string& option, const std::string& text) {
  return ParseList(option, text, "a positive, finite number",
                   [](double factor) { return factor > 0.0 && std::isfinite(factor); });
}

// Those that encodings have as well keep their declaration.
bool IsDeclared(const CLI::App& app, const std::string& option) {
  return app.get_option_no_throw(option) != nullptr;
}

void AddSections(CLI::App& app, RotaryOptions* options, CLI::Option* rotary) {
  AddOption(app, "--sections", "LIST", "Pairs of each axis: 16,24,24", [=](const std::string& text) {
    const std::vector<double> list = ParseList("--sections", text, "a whole number of pairs", [](double n) {
      return n >= 0.0 && n <= POSENC_MAX_ROTARY_DIM && n == std::floor(n);
    });
    if (list.size() > POSENC_MAX_AXES) Refuse("--sections", text, "a list of at most 4");
    options->set.emplace_back([=](posenc_rotary_spec* spec) {
      spec->axes = list.size();
      for (std::size_t k = 0; k < POSENC_MAX_AXES; ++k) {
        spec->sections[k] = list.size() > 1 && k < list.size() ? static_cast<std::size_t>(list[k]) : 0;
      }
    });
  })->needs(rotary);
}

void AddLists(CLI::App& app, RotaryOptions* options, CLI::Option* rotary) {
  AddOption(app, "--factors", "LIST", "Of LongRoPE or frequency_factors: 1,1.05 or @FILE",
            [=](const std::string& text) { options->factors = ParseFactors("--factors", text); })
      ->needs(rotary);
  AddOption(app, "--long-factors", "LIST", "Of LongRoPE beyond the original length",
            [=](const std::string& text) { options->long_factors = ParseFactors("--long-factors", text); })
      ->needs(rotary);
  AddSections(app, options, rotary);
}

void SetLists(const Encoding& encoding, RotaryOptions* options, posenc_rotary_spec* spec) {
  if (!options->factors.empty()) {
    spec->factors = options->factors.data();
    spec->factor_count = options->factors.size();
  }
  if (!options->long_factors.empty()) {
    if (options->long_factors.size() != options->factors.size()) {
      throw UsageError("--long-factors: as many as --factors are needed");
    }
    spec->long_factors = options->long_factors.data();
  }
  if (!encoding.listed || encoding.listed->empty()) return;
  if (spec->phase_rounding != POSENC_NO_PHASE_ROUNDING) {
    throw UsageError("--frequencies excludes --phase-rounding, whose own are floats");
  }
  options->frequencies = ParseList("--frequencies", *encoding.listed, "a finite number",
                                   [](double frequency) { return std::isfinite(frequency); });
  spec->frequencies = options->frequencies.data();
  spec->frequency_count = options->frequencies.size();
}

}  // namespace

void AddRotaryOptions(CLI::App& app, RotaryOptions* options) {
  app.option_defaults()->group("Rotary embeddings");
  CLI::Option* rotary = app.add_option("--rotary", options->preset,
                                       "Of rotary embeddings instead, by this preset; D is head_dim")
                            ->type_name("PRESET");
  for (const RotaryNumber& number : RotaryNumbers()) {
    const std::string option = OptionOf(number.name);
    if (IsDeclared(app, option)) continue;
    const auto parse = [=, member = number.member](const std::string& text) {
      if (option == "--amplitude") options->amplitude = text;
      if (option == "--amplitude" && text.empty()) return;
      const double value = ParseReal(option, text);
      options->set.emplace_back([=](posenc_rotary_spec* spec) { spec->*member = value; });
    };
    CLI::Option* added = AddOption(app, option, "X", number.help, parse)->needs(rotary);
    if (option == "--amplitude") added->expected(0, 1);
  }
  for (const RotarySize& size : RotarySizes()) {
    const std::string option = OptionOf(size.name);
    if (option == "--head-dim" || option == "--axes") continue;  // --dim, and as many as there are sections
    AddOption(app, option, "N", size.help, [=, member = size.member](const std::string& text) {
      const std::size_t value = ParseCount(option, text);
      options->set.emplace_back([=](posenc_rotary_spec* spec) { spec->*member = value; });
    })->needs(rotary);
  }
  for (const RotaryChoice& choice : RotaryChoices()) {
    const std::string option = OptionOf(choice.name);
    if (IsDeclared(app, option) || option == "--arithmetic" || option == "--output-pairing") continue;
    AddOption(app, option, Joined(NamesOf(choice)), choice.help, [=, &choice](const std::string& text) {
      const std::int32_t value = ValueOf(choice, text);
      options->set.emplace_back([=, &choice](posenc_rotary_spec* spec) { spec->*choice.member = value; });
    })->needs(rotary);
  }
  AddLists(app, options, rotary);
  app.option_defaults()->group("Options");
}

posenc_rotary_spec RotarySpecOf(const CLI::App& app, const Encoding& encoding, RotaryOptions* options) {
  RequireOption(app, "--dim");
  const std::string& preset = *options->preset;
  posenc_rotary_spec spec;
  const posenc_status status =
      posenc_rotary_spec_preset(&spec, sizeof(spec), preset.c_str(), encoding.spec.dim);
  if (status == POSENC_UNKNOWN_PRESET) {
    Refuse("--rotary", preset, "a preset; see 'posenc table --presets'", NamesOf(RotaryPresets()));
  }
  if (status != POSENC_OK)
    throw UsageError("--rotary " + Abbreviated(preset) + ": " + posenc_status_message(status));
  const auto given = [&](const char* name) {
    const std::string option = OptionOf(name);
    return app.count(option) != 0 ? app.get_option(option)->as<std::string>() : std::string();
  };
  for (const char* name : {"base", "exponent_dim", "position_scale", "phase_rounding", "unit"}) {
    const std::string text = given(name);
    if (text.empty()) continue;
    for (const RotaryNumber& number : RotaryNumbers()) {
      if (number.name == std::string(name)) spec.*number.member = ParseReal(OptionOf(name), text);
    }
    for (const RotaryChoice& choice : RotaryChoices()) {
      if (choice.name == std::string(name)) spec.*choice.member = ValueOf(choice, text);
    }
  }
  for (const auto& set : options->set) set(&spec);
  SetLists(encoding, options, &spec);
  if (encoding.target) spec.target = FindTarget("--target", *encoding.target).name;
  return spec;
}

RotaryHandle CreateRotary(const posenc_rotary_spec& spec) {
  posenc_rotary* rotary = nullptr;
  const posenc_status status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_BAD_FREQUENCIES) {  // its other causes cannot be asked for here
    throw UsageError("--frequencies: " + std::to_string(spec.frequency_count) + " given, but " +
                     std::to_string(spec.rotary_dim / 2) + " pairs turn");
  }
  Require(status);
  return RotaryHandle(rotary);
}

std::vector<double> FrequenciesOf(const posenc_rotary* rotary) {
  std::vector<double> frequencies(posenc_rotary_frequency_count(rotary));
  for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] = posenc_rotary_radians(rotary, i);
  return frequencies;
}

std::vector<posenc_preset> RotaryPresets() {
  std::vector<posenc_preset> presets(posenc_rotary_presets(nullptr, 0));
  posenc_rotary_presets(presets.data(), presets.size());
  return presets;
}

void PrintRotaryPresets() {
  for (const posenc_preset& preset : RotaryPresets()) {
    std::printf("%s\t%s\t%s\n", preset.name, preset.formula, preset.source);
  }
}

}  // namespace tools
}  // namespace posenc
