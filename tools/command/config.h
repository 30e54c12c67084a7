// Reads the configuration of a model from a JSON file, and declares the options about a configuration.
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

// The entries of a configuration, and the strings and lists to which they point.
struct Config {
  internal::ConfigEntries entries;
  std::deque<std::string> texts;
  std::deque<std::vector<double>> lists;
};

// Reads a file. Throws a UsageError with the option if the file cannot be read, and with the line and the
// column if it is not a JSON object.
void ReadConfig(const std::string& option, const std::string& path, Config* config);

// The same for the text of a file. `path` is only for messages.
void ParseConfig(const std::string& path, std::string text, Config* config);

// Adds the options --layer, --layer-type, --model-type and --pairing.
void AddConfigOptions(CLI::App& app, ConfigQuestion* question);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_CONFIG_H_
