// The options of rotary embeddings: a preset, and the members of posenc_rotary_spec over it.
#ifndef POSENC_TOOLS_COMMAND_ROTARY_OPTIONS_H_
#define POSENC_TOOLS_COMMAND_ROTARY_OPTIONS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/encoding.h"
#include "posenc/rotary_c.h"

namespace CLI {
class App;
}  // namespace CLI

namespace posenc {
namespace tools {

struct RotaryDeleter {
  void operator()(posenc_rotary* rotary) const { posenc_rotary_destroy(rotary); }
};
using RotaryHandle = std::unique_ptr<posenc_rotary, RotaryDeleter>;

struct RotaryOptions {
  std::optional<std::string> preset;
  std::optional<std::string> amplitude;  // "" asks for it, as an empty list of
                                         // frequencies asks for them
  std::vector<double> factors, long_factors, frequencies;
  std::vector<std::function<void(posenc_rotary_spec*)>> set;
};

// After those of AddEncodingOptions, some of which mean the same here.
void AddRotaryOptions(CLI::App& app, RotaryOptions* options);

// The spec that was asked for, which points to the lists of `options`; or a UsageError.
posenc_rotary_spec RotarySpecOf(const CLI::App& app, const Encoding& encoding, RotaryOptions* options);

// A UsageError if there is none.
RotaryHandle CreateRotary(const posenc_rotary_spec& spec);

// The scaled frequencies, in radians per step.
std::vector<double> FrequenciesOf(const posenc_rotary* rotary);

std::vector<posenc_preset> RotaryPresets();

// Name, formula and source of each, separated by tabs.
void PrintRotaryPresets();

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_ROTARY_OPTIONS_H_
