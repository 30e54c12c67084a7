// posenc presets: lists the conventions that have names.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/options.h"
#include "command/specs.h"
#ifdef POSENC_HAVE_JSON
#include <nlohmann/json.hpp>
#endif

namespace posenc {
namespace tools {
namespace {

#ifdef POSENC_HAVE_JSON

nlohmann::ordered_json AsJson(const posenc_preset& preset) {
  return {{"name", preset.name}, {"frequencies", preset.formula}, {"source", preset.source}};
}

std::string PresetsAsJson() {
  nlohmann::ordered_json encodings, rotaries;
  for (const posenc_preset& preset : EncoderPresets()) {
    encodings.push_back(AsJson(preset));
    encodings.back()["phase_rounding"] = RoundingName(posenc_spec_preset_rounding(preset.name));
  }
  for (const posenc_preset& preset : RotaryPresets()) rotaries.push_back(AsJson(preset));
  const nlohmann::ordered_json all = {{"encodings", encodings}, {"rotary_embeddings", rotaries}};
  return all.dump(1);
}

#else

std::string PresetsAsJson() { RefuseJson(); }

#endif

ExitStatus ListPresets(bool as_json) {
  if (as_json) {
    std::puts(PresetsAsJson().c_str());
    return kRight;
  }
  std::puts("# encodings (--preset): name, w_i, source, phase rounding of the source");
  for (const posenc_preset& preset : EncoderPresets()) {
    std::printf("%s\t%s\t%s\t%s\n", preset.name, preset.formula, preset.source,
                RoundingName(posenc_spec_preset_rounding(preset.name)));
  }
  std::puts("# rotary embeddings (--rotary): name, w_i, source");
  PrintPresets(RotaryPresets());
  return kRight;
}

}  // namespace

void PrintPresets(const std::vector<posenc_preset>& presets) {
  for (const posenc_preset& preset : presets) {
    std::printf("%s\t%s\t%s\n", preset.name, preset.formula, preset.source);
  }
}

void AddPresetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("presets", "List the presets: conventions that have names");
  command->footer(
      "One a line, tab-separated: name, frequencies, source, and how the source rounds phases. Lines that\n"
      "begin with # are headings.\nExample: posenc presets --format json");
  const auto as_json = std::make_shared<bool>(false);
  AddFormat(*command, as_json.get());
  command->callback([=] { *run = [=] { return ListPresets(*as_json); }; });
}

}  // namespace tools
}  // namespace posenc
