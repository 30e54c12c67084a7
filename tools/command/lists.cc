// posenc targets: which instruction sets are compiled in, and which of them this CPU runs. posenc presets:
// the conventions that have names.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/options.h"
#include "command/specs.h"
#include "posenc/posenc.h"
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

std::string TargetsAsJson() {
  JsonText json;
  json.List(CompiledTargets(), [&](const Target& target) {
    json.Object([&] {
      json.Member("name", target.name);
      json.Member("runnable", target.runnable != 0);
      json.Member("best", target.best != 0);
    });
  });
  return json.Text();
}

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

std::string TargetsAsJson() { throw UsageError("--format json: built without RapidJSON"); }
std::string PresetsAsJson() { return TargetsAsJson(); }

#endif

void PrintTargets() {
  for (const Target& target : CompiledTargets()) {
    std::printf("%s\t%s%s\n", target.name, target.runnable ? "yes" : "no", target.best ? "\tbest" : "");
  }
}

void PrintAllPresets() {
  std::puts("# encodings (--preset): name, w_i, source, phase rounding of the source");
  for (const posenc_preset& preset : EncoderPresets()) {
    std::printf("%s\t%s\t%s\t%s\n", preset.name, preset.formula, preset.source, RoundingOf(preset));
  }
  std::puts("# rotary embeddings (--rotary): name, w_i, source");
  PrintRotaryPresets();
}

void AddList(CLI::App* command, Run* run, void (*print)(), std::string (*as_json)()) {
  const auto format = std::make_shared<std::int32_t>(0);
  AddChoice(*command, "--format", "Lines for people, or JSON", {"text", "json"},
            [=](std::int32_t number) { *format = number; });
  command->callback([=] {
    *run = [=] {
      *format == 0 ? print() : static_cast<void>(std::puts(as_json().c_str()));
      return kRight;
    };
  });
}

}  // namespace

void PrintRotaryPresets() {
  for (const posenc_preset& preset : RotaryPresets()) {
    std::printf("%s\t%s\t%s\n", preset.name, preset.formula, preset.source);
  }
}

void AddTargetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("targets", "List the compiled targets");
  command->footer(
      "One target a line, best first, tab-separated: its name, 'yes' if this CPU runs it or else 'no', and\n"
      "'best' on the one that is used by default. As JSON: name, runnable, best.\n"
      "Example: posenc targets --format json");
  AddList(command, run, PrintTargets, TargetsAsJson);
}

void AddPresetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("presets", "List the presets: conventions that have names");
  command->footer(
      "One a line, tab-separated: name, frequencies, source, and how the source rounds phases. Lines that\n"
      "begin with # are headings.\nExample: posenc presets --format json");
  AddList(command, run, PrintAllPresets, PresetsAsJson);
}

}  // namespace tools
}  // namespace posenc
