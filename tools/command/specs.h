// Makes the specs of encodings and rotary embeddings from command-line options. The rows of src/spec define
// which options there are.
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

// The options of a command line about a spec, and the lists to which the spec then points.
struct SpecOptions {
  std::optional<std::string> preset;  // --preset: of encodings, or of rotary embeddings
  std::optional<std::string> rotary;  // --rotary
  bool has_moved = false;             // whether the preset was moved from --preset to --rotary
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

// Adds the options --dim, --rows, --first, --preset, --rotary and --config, and an option for each member.
void AddSpecOptions(CLI::App& app, SpecOptions* options);

// The option that makes it a rotary embedding, for messages: "--rotary", "--config", or "--preset llama3,
// which is a preset of rotary embeddings".
std::string RotaryOption(const SpecOptions& options);

// Throws the UsageError for an option that only rotary embeddings have.
[[noreturn]] void RefuseForEncodings(const std::string& option, const SpecOptions& options);

// The spec that the options describe. Throw a UsageError if options exclude each other, or do not belong to
// an encoding or a rotary embedding.
posenc_spec EncoderSpec(SpecOptions* options);
posenc_rotary_spec RotarySpec(SpecOptions* options);

// The value of --dim. Throws a UsageError if it is missing.
std::size_t DimOf(const SpecOptions& options);

// Throws a UsageError if an option is missing.
void RequireOption(const CLI::App& app, const std::string& name);

// Create an encoder or a rotary embedding. Throw a UsageError if the library refuses the spec.
EncoderHandle Create(const posenc_spec& spec);
RotaryHandle Create(const posenc_rotary_spec& spec);

// The scaled frequencies, in radians per step.
std::vector<double> FrequenciesOf(const posenc_rotary* rotary);

// Throws a UsageError if a position of a run is out of range, before or after the offset is added. Checking
// the whole run at once is necessary, because calls for parts of it would find out only later. `rule` is what
// a call for the whole run would return.
void RequirePositions(std::int64_t first, std::size_t rows, std::int64_t offset, posenc_status rule);

// The name of a phase rounding: "none", "f32_pow_div", ...
const char* RoundingName(posenc_phase_rounding rounding);

using internal::NumberInText;
using internal::PrintSpec;

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_SPECS_H_
