// The specs of encodings and rotary embeddings: their members as options and in words, all from the rows of
// src/spec.
#ifndef POSENC_TOOLS_COMMAND_SPECS_H_
#define POSENC_TOOLS_COMMAND_SPECS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/config.h"
#include "posenc/models_c.h"
#include "posenc/posenc.h"
#include "posenc/rotary_c.h"
#include "spec/text.h"

namespace CLI {
class App;
}  // namespace CLI

namespace posenc {
namespace tools {

using EncoderHandle = std::shared_ptr<posenc_encoder>;
using RotaryHandle = std::shared_ptr<posenc_rotary>;

// What a command line says of a spec, and the lists that the spec then points to.
struct SpecOptions {
  std::optional<std::string> preset;  // --preset: of either noun
  std::optional<std::string> rotary;  // --rotary
  bool has_moved = false;             // from --preset to --rotary
  std::optional<std::string> config;  // --config, with --layer, --layer-type and --model-type
  ConfigQuestion question;
  std::map<std::string, std::string> given;  // by option; "" asks for frequencies or an amplitude
  internal::SpecData data;
  Config entries;
  std::int64_t first = 0;
  std::size_t rows = 0;

  bool Has(const std::string& option) const { return given.count(option) != 0; }
  bool AsksFor(const std::string& option) const { return Has(option) && given.at(option).empty(); }
};

// --dim, --rows, --first, --preset, --rotary, --config, and an option for each member.
void AddSpecOptions(CLI::App& app, SpecOptions* options);

// What says that it is one, for messages: "--rotary", "--config", or "--preset llama3, which is a preset of
// rotary embeddings".
std::string RotaryOption(const SpecOptions& options);

// The UsageError of an option that only rotary embeddings have.
[[noreturn]] void RefuseForEncodings(const std::string& option, const SpecOptions& options);

// The spec that was asked for; a UsageError for options that do not go together, or are not of this noun.
posenc_spec EncoderSpec(SpecOptions* options);
posenc_rotary_spec RotarySpec(SpecOptions* options);

// --dim, or a UsageError if it is not given.
std::size_t DimOf(const SpecOptions& options);

// A UsageError unless it is given.
void RequireOption(const CLI::App& app, const std::string& name);

// A UsageError if there is none.
EncoderHandle Create(const posenc_spec& spec);
RotaryHandle Create(const posenc_rotary_spec& spec);

// The scaled frequencies, in radians per step.
std::vector<double> FrequenciesOf(const posenc_rotary* rotary);

// A UsageError if some position is out of range, with the offset too: calls for parts of a run would find out
// only later.
void RequirePositions(std::int64_t first, std::size_t rows, std::int64_t offset);

// "none", "f32_pow_div", ...
const char* RoundingName(posenc_phase_rounding rounding);

using internal::NumberInText;
using internal::PrintSpec;

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_SPECS_H_
