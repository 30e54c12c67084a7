// What the commands that print a list have in common.
#ifndef POSENC_TOOLS_COMMAND_LISTS_H_
#define POSENC_TOOLS_COMMAND_LISTS_H_

#include <string>

#include "command/commands.h"

namespace posenc {
namespace tools {

// Adds --format, and prints the list in it.
void AddList(CLI::App* command, Run* run, void (*print)(), std::string (*as_json)());

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_LISTS_H_
