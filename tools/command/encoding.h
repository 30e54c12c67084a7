// The options that say which encoding is wanted, the same for every subcommand that makes one.
#ifndef POSENC_TOOLS_COMMAND_ENCODING_H_
#define POSENC_TOOLS_COMMAND_ENCODING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "posenc/posenc.h"

namespace CLI {
class App;
}  // namespace CLI

namespace posenc {
namespace tools {

// Rows of consecutive positions. What rotary embeddings understand in another way is kept as it was said.
struct Encoding {
  // Without a target and without a list, but with its unit; once all is parsed, over those of the preset.
  Spec spec;
  std::optional<std::string> preset;
  std::vector<double> frequencies;  // if not empty
  std::string phase_rounding = "none";
  std::optional<std::string> listed;  // the frequencies
  std::optional<std::string> target;
  std::int64_t first = 0;
  std::size_t rows = 0;
};

void AddEncodingOptions(CLI::App& app, Encoding* encoding);

// Once all is parsed: understands what was kept, or throws a UsageError for what does not go together.
void FinishEncoding(const CLI::App& app, Encoding* encoding);

// A UsageError for options that rotary embeddings have not.
void RefuseWithRotary(const CLI::App& app);

// A UsageError unless it is given.
void RequireOption(const CLI::App& app, const std::string& name);

// With the list, which stays the encoding's, but without the target.
Spec SpecOf(const Encoding& encoding);

// A UsageError if there is no such encoding.
Encoder CreateEncoder(const Encoding& encoding);

// A UsageError if some position is out of range, with the offset too: calls for parts of a run would find out
// only later.
void RequirePositions(std::int64_t first, std::size_t rows, std::int64_t offset);

std::vector<Preset> Presets();

std::vector<std::string> NamesOf(const std::vector<Preset>& presets);

// Of that preset and dim, or a UsageError.
Spec PresetSpec(const std::string& preset, std::size_t dim);

// "interleaved", "sin_cos", "cos_sin", "interleaved_cos_sin"
const char* Name(Layout layout);

// "none", "f32_pow_div", ...
const char* Name(PhaseRounding rounding);

// All of them, by their values.
const std::vector<const char*>& PhaseRoundingNames();

// "dim 512, base 10000, sin_cos, ...", "dim 4, 2 frequencies, sin_cos"
std::string Describe(const Spec& spec);

// The shortest decimal that names the double.
std::string Shortest(double value);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_ENCODING_H_
