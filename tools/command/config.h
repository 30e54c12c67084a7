// A model's configuration from a file of JSON, and what posenc makes of it.
#ifndef POSENC_TOOLS_COMMAND_CONFIG_H_
#define POSENC_TOOLS_COMMAND_CONFIG_H_

#include <deque>
#include <string>
#include <vector>

#include "models/groups.h"

namespace CLI {
class App;
}  // namespace CLI

namespace posenc {
namespace tools {

using internal::ConfigQuestion;

// Keys and values, with what they point to.
struct Config {
  internal::ConfigEntries entries;
  std::deque<std::string> texts;
  std::deque<std::vector<double>> lists;
};

// A UsageError for a file that cannot be read or is no JSON object; it names the option, or the line and the
// column.
void ReadConfig(const std::string& option, const std::string& path, Config* config);

// The same of the text of such a file.
void ParseConfig(const std::string& path, std::string text, Config* config);

// --layer, --layer-type, --model-type and --pairing, of which --pairing alone is not needed by another
// option.
void AddConfigOptions(CLI::App& app, ConfigQuestion* question);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_CONFIG_H_
