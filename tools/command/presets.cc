// posenc presets: lists the conventions that have names.
#include <cstdio>
#include <vector>

#include "command/commands.h"
#include "command/encoding.h"
#include "command/rotary_options.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {
namespace {

ExitStatus ListPresets() {
  std::vector<Preset> presets(SpecPresets(nullptr, 0));
  SpecPresets(presets.data(), presets.size());
  std::puts("# encodings (--preset): name, w_i, source, phase rounding of the source");
  for (const Preset& preset : presets) {
    std::printf("%s\t%s\t%s\t%s\n", preset.name, preset.formula, preset.source,
                Name(SpecPresetRounding(preset.name)));
  }
  std::puts("# rotary embeddings (--rotary): name, w_i, source");
  PrintPresets();
  return kRight;
}

}  // namespace

void AddPresetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("presets", "List the presets: conventions that have names");
  command->footer(
      "One a line, tab-separated: name, frequencies, source, and how the source rounds phases. Lines that\n"
      "begin with # are headings.");
  command->callback([run] { *run = ListPresets; });
}

}  // namespace tools
}  // namespace posenc
