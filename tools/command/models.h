// What the command has from src/models: presets and configurations. A posenc without models
// (POSENC_BUILD_MODELS=OFF) has no_models.cc in place of models.cc: it refuses whatever names one.
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

// An option or a command that needs models; --help does not show what always refuses.
template <class Shown>
Shown* OfModels(Shown* shown) {
  if (!kHasModels) shown->group("");
  return shown;
}

// Once all is parsed: whether a rotary embedding is meant, by --rotary, --config or the name of a preset,
// which it moves to --rotary. A UsageError if --preset is of neither kind.
bool IsRotary(SpecOptions* options);

// Of that preset of encodings and dim, or a UsageError.
posenc_spec PresetSpec(const std::string& preset, std::size_t dim);

// Of --config or --rotary, before the other options change it; or a UsageError.
posenc_rotary_spec RotarySpecOfModel(SpecOptions* options);

// The phase rounding of the source of --preset, or a UsageError.
posenc_phase_rounding RoundingOfSource(const SpecOptions& options);

std::vector<posenc_preset> EncoderPresets();
std::vector<posenc_preset> RotaryPresets();

// Name, formula and source of each, separated by tabs.
void PrintRotaryPresets();

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_MODELS_H_
