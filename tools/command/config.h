// A model's configuration from a file of JSON, and what posenc makes of it.
#ifndef POSENC_TOOLS_COMMAND_CONFIG_H_
#define POSENC_TOOLS_COMMAND_CONFIG_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "posenc/rotary.h"

namespace CLI {
class App;
}  // namespace CLI

namespace posenc {
namespace tools {

// Keys and values, with what they point to.
struct Config {
  std::vector<posenc_config_entry> entries;
  std::deque<std::string> texts;
  std::deque<std::vector<double>> lists;
};

// A UsageError for a file that cannot be read or is no JSON object; it names the option, or the line and the
// column.
void ReadConfig(const std::string& option, const std::string& path, Config* config);

// What is asked of a configuration.
struct ConfigQuestion {
  std::int64_t layer = POSENC_NO_LAYER;
  std::optional<std::string> layer_type, model_type;
  std::optional<posenc_pairing> pairing;
};

// What posenc makes of it.
struct ConfigAnswer {
  posenc_status status = POSENC_OK;
  posenc_rotary_spec spec{};
  posenc_config_report report{};
  std::vector<unsigned char> read;  // of each entry, whether it was read
};

// --layer, --layer-type, --model-type and --pairing, of which --pairing alone is not needed by another
// option.
void AddConfigOptions(CLI::App& app, ConfigQuestion* question);

ConfigAnswer Ask(const Config& config, const ConfigQuestion& question);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_CONFIG_H_
