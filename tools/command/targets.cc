// posenc targets: which instruction sets are compiled in, and which of them this CPU runs.
#include <cstdio>

#include "command/commands.h"
#include "command/options.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {
namespace {

ExitStatus ListTargets() {
  for (const Target& target : CompiledTargets()) {
    std::printf("%s\t%s%s\n", target.name, target.runnable ? "yes" : "no", target.best ? "\tbest" : "");
  }
  return kRight;
}

}  // namespace

void AddTargetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("targets", "List the compiled targets");
  command->footer(
      "One target a line, best first, tab-separated: its name, 'yes' if this CPU runs it or else 'no', and\n"
      "'best' on the one that is used by default.");
  command->callback([run] { *run = ListTargets; });
}

}  // namespace tools
}  // namespace posenc
