// Shared by the commands that print a list, as lines or as JSON.
#ifndef POSENC_TOOLS_COMMAND_LISTS_H_
#define POSENC_TOOLS_COMMAND_LISTS_H_

#include <string>

#include "command/commands.h"

namespace posenc {
namespace tools {

// Adds the option --format to a command, which then prints the list by `print`, or the JSON text of
// `as_json`.
void AddList(CLI::App* command, Run* run, void (*print)(), std::string (*as_json)());

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_LISTS_H_
