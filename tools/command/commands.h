// The subcommands of posenc. Each Add... declares its options on `app` and hands its work to `*run`, which
// is called when the whole command line has been understood and returns the exit status.
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
  kWrongUsage = 2,  // also: what was asked for cannot be done here
  kBrokenPipe = 3,  // nobody wanted to read the rest of the output
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
