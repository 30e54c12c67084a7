// The command's access to src/models: presets and configurations of models. models.cc implements it. If
// posenc is built without models (POSENC_BUILD_MODELS=OFF), no_models.cc takes its place, and refuses every
// option that names a preset or a configuration.
#ifndef POSENC_TOOLS_COMMAND_MODELS_H_
#define POSENC_TOOLS_COMMAND_MODELS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "command/specs.h"
#include "posenc/models_c.h"

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_MODELS
inline constexpr bool kHasModels = true;
#else
inline constexpr bool kHasModels = false;
#endif

inline constexpr char kWithoutModels[] = "this posenc was built without models (POSENC_BUILD_MODELS=OFF)";

// Marks an option or a command that needs models. In a build without models --help does not show it.
template <class Shown>
Shown* OfModels(Shown* shown) {
  if (!kHasModels) shown->group("");
  return shown;
}

// Whether the options describe a rotary embedding: by --rotary, by --config, or by a --preset that is a
// rotary embedding. Such a preset is moved from --preset to --rotary. Call this after all options have been
// parsed. Throws a UsageError if no preset of either kind has the name.
bool IsRotary(SpecOptions* options);

// The spec of a preset of encodings, for `dim` columns. Throws a UsageError if there is none.
posenc_spec PresetSpec(const std::string& preset, std::size_t dim);

// The spec that --config or --rotary names, before other options change it. Throws a UsageError if there is
// none.
posenc_rotary_spec RotarySpecOfModel(SpecOptions* options);

// The phase rounding that the source of --preset uses. Throws a UsageError if posenc does not have it.
posenc_phase_rounding RoundingOfSource(const SpecOptions& options);

std::vector<posenc_preset> EncoderPresets();
std::vector<posenc_preset> RotaryPresets();

// Prints a line for each preset of rotary embeddings: name, formula and source, separated by tabs.
void PrintRotaryPresets();

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_MODELS_H_
