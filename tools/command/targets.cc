// posenc targets: which instruction sets are compiled in, and which of them this CPU runs.
#include <cstdio>
#include <memory>
#include <string>

#include "command/commands.h"
#include "command/options.h"
#include "posenc/posenc.h"
#ifdef POSENC_HAVE_JSON
#include <nlohmann/json.hpp>
#endif

namespace posenc {
namespace tools {
namespace {

#ifdef POSENC_HAVE_JSON

std::string TargetsAsJson() {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Target& target : CompiledTargets()) {
    json.push_back({{"name", target.name}, {"runnable", target.runnable != 0}, {"best", target.best != 0}});
  }
  return json.dump(1);
}

#else

std::string TargetsAsJson() { RefuseJson(); }

#endif

ExitStatus ListTargets(bool as_json) {
  if (as_json) {
    std::puts(TargetsAsJson().c_str());
    return kRight;
  }
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
      "'best' on the one that is used by default. As JSON: name, runnable, best.\n"
      "Example: posenc targets --format json");
  const auto as_json = std::make_shared<bool>(false);
  AddFormat(*command, as_json.get());
  command->callback([=] { *run = [=] { return ListTargets(*as_json); }; });
}

}  // namespace tools
}  // namespace posenc
