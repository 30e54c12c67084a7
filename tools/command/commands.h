// The subcommands of posenc. Each Add... function declares a subcommand and its options on `app`. When the
// command line names this subcommand, `*run` becomes the function that does the work. It is called after the
// whole command line has been parsed, and returns the exit status.
#ifndef POSENC_TOOLS_COMMAND_COMMANDS_H_
#define POSENC_TOOLS_COMMAND_COMMANDS_H_

#include <functional>

namespace CLI {
class App;
}  // namespace CLI

namespace posenc {
namespace tools {

enum ExitStatus : int {
  kRight = 0,
  kMismatch = 1,
  kWrongUsage = 2,  // also if this machine or this build cannot do what was asked
  kBrokenPipe = 3,  // the reader of the output left before its end
};

using Run = std::function<ExitStatus()>;

void AddTargetsCommand(CLI::App& app, Run* run);
void AddTableCommand(CLI::App& app, Run* run);
void AddPlotCommand(CLI::App& app, Run* run);
void AddPresetsCommand(CLI::App& app, Run* run);
void AddConfigCommand(CLI::App& app, Run* run);
void AddDiffCommand(CLI::App& app, Run* run);
void AddIdentifyCommand(CLI::App& app, Run* run);
void AddVerifyCommand(CLI::App& app, Run* run);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_COMMANDS_H_
