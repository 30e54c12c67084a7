// posenc targets: lists the compiled instruction sets, and which of them this CPU runs. Also defines AddList.
#include <cstdio>
#include <memory>
#include <string>

#include "command/commands.h"
#include "command/lists.h"
#include "command/options.h"
#include "posenc/posenc.h"
#ifdef POSENC_HAVE_JSON
#include "command/json_text.h"
#endif

namespace posenc {
namespace tools {
namespace {

#ifdef POSENC_HAVE_JSON

std::string TargetsAsJson() {
  JsonText json;
  json.List(CompiledTargets(), [&](const posenc_target& target) {
    json.Object([&] {
      json.Member("name", target.name);
      json.Member("runnable", target.runnable != 0);
      json.Member("best", target.best != 0);
    });
  });
  return json.Text();
}

#else

std::string TargetsAsJson() { throw UsageError("--format json: built without RapidJSON"); }

#endif

void PrintTargets() {
  for (const posenc_target& target : CompiledTargets()) {
    std::printf("%s\t%s%s\n", target.name, target.runnable ? "yes" : "no", target.best ? "\tbest" : "");
  }
}

}  // namespace

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

void AddTargetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("targets", "List the compiled instruction sets");
  command->footer(
      "Each line is an instruction set (a target), the best one first: its name, 'yes' or 'no' for whether\n"
      "this CPU runs it, and 'best' if posenc uses it by default, separated by tabs. As JSON: name, "
      "runnable,\n"
      "best.\n"
      "Example: posenc targets --format json");
  AddList(command, run, PrintTargets, TargetsAsJson);
}

}  // namespace tools
}  // namespace posenc
