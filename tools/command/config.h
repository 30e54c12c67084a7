// --config: the entries of a model's configuration from a file of JSON.
#ifndef POSENC_TOOLS_COMMAND_CONFIG_H_
#define POSENC_TOOLS_COMMAND_CONFIG_H_

#include <deque>
#include <string>
#include <vector>

#include "posenc/rotary.h"

namespace posenc {
namespace tools {

// Keys and values, with what they point to.
struct Config {
  std::vector<posenc_config_entry> entries;
  std::deque<std::string> texts;
  std::deque<std::vector<double>> lists;
};

// A UsageError for a file that cannot be read or is no JSON object.
void ReadConfig(const std::string& path, Config* config);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_CONFIG_H_
