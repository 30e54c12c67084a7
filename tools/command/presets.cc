// posenc presets: lists the presets of encodings and of rotary embeddings.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/lists.h"
#include "command/models.h"
#include "command/options.h"
#ifdef POSENC_HAVE_JSON
#include "command/json_text.h"
#endif

namespace posenc {
namespace tools {
namespace {

const char* RoundingOf(const posenc_preset& preset) {
  return RoundingName(posenc_spec_preset_rounding(preset.name));
}

#ifdef POSENC_HAVE_JSON

std::string PresetsAsJson() {
  JsonText json;
  const auto list = [&](const char* key, const std::vector<posenc_preset>& presets, bool with_rounding) {
    json.ListMember(key, presets, [&](const posenc_preset& preset) {
      json.Object([&] {
        json.Member("name", preset.name);
        json.Member("frequencies", preset.formula);
        json.Member("source", preset.source);
        if (with_rounding) json.Member("phase_rounding", RoundingOf(preset));
      });
    });
  };
  json.Object([&] {
    list("encodings", EncoderPresets(), true);
    list("rotary_embeddings", RotaryPresets(), false);
  });
  return json.Text();
}

#else

std::string PresetsAsJson() { throw UsageError("--format json: built without RapidJSON"); }

#endif

void PrintAllPresets() {
  std::puts("# encodings (--preset): name, w_i, source, phase rounding of the source");
  for (const posenc_preset& preset : EncoderPresets()) {
    std::printf("%s\t%s\t%s\t%s\n", preset.name, preset.formula, preset.source, RoundingOf(preset));
  }
  std::puts("# rotary embeddings (--rotary): name, w_i, source");
  PrintRotaryPresets();
}

}  // namespace

void AddPresetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("presets", "List the presets of frameworks and papers");
  command->footer(
      "Each line is a preset: name, frequencies, source, and how the source rounds phases, separated by\n"
      "tabs. Lines that begin with # are headings.\nExample: posenc presets --format json");
  AddList(command, run, PrintAllPresets, PresetsAsJson);
}

}  // namespace tools
}  // namespace posenc
