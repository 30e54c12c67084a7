// Takes the place of models.cc in a build without models: every option and command that names a preset or a
// configuration is refused.
#include <CLI/CLI.hpp>
#include <string>

#include "command/commands.h"
#include "command/models.h"
#include "command/options.h"

namespace posenc {
namespace tools {
namespace {

[[noreturn]] void RefuseName(const std::string& option) {
  throw UsageError(option + ": " + kWithoutModels + "; set each member by its option instead");
}

// A hidden command that accepts any arguments and then refuses.
void AddRefusal(CLI::App& app, Run* run, const std::string& name) {
  CLI::App* command = OfModels(app.add_subcommand(name, kWithoutModels));
  command->allow_extras();
  command->callback([=] { *run = [=]() -> ExitStatus { throw UsageError(name + ": " + kWithoutModels); }; });
}

}  // namespace

// In a build without models --rotary takes no name. It says that the other options describe a rotary
// embedding.
bool IsRotary(SpecOptions* options) {
  if (options->preset) RefuseName("--preset");
  if (options->config) RefuseName("--config");
  if (!options->rotary.value_or("").empty()) RefuseName("--rotary " + Abbreviated(*options->rotary));
  return options->rotary.has_value();
}

posenc_spec PresetSpec(const std::string& /*preset*/, std::size_t /*dim*/) { RefuseName("--preset"); }

posenc_rotary_spec RotarySpecOfModel(SpecOptions* options) {
  posenc_rotary_spec spec;
  Require(posenc_rotary_spec_init(&spec, sizeof(spec)));
  spec.head_dim = DimOf(*options);
  return spec;
}

posenc_phase_rounding RoundingOfSource(const SpecOptions& /*options*/) {
  RefuseName("--phase-rounding source");
}

void PrintRotaryPresets() { throw UsageError(std::string("--presets: ") + kWithoutModels); }

void AddPresetsCommand(CLI::App& app, Run* run) { AddRefusal(app, run, "presets"); }
void AddConfigCommand(CLI::App& app, Run* run) { AddRefusal(app, run, "config"); }
void AddDiffCommand(CLI::App& app, Run* run) { AddRefusal(app, run, "diff"); }
void AddIdentifyCommand(CLI::App& app, Run* run) { AddRefusal(app, run, "identify"); }

}  // namespace tools
}  // namespace posenc
