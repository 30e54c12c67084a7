// What posenc knows about models, for C++: presets of encoders and rotaries, rotary embeddings by a model's
// configuration, and positions from token ids and masks.
//
// Types for the functions of models_c.h, which says what each one does and refuses. As in posenc.h nothing
// here throws, checks or allocates by itself, and none of it is in the library.
//
//   posenc::RotarySpec spec;
//   posenc::Rotary rotary;
//   posenc::Status status = posenc::RotaryPreset(&spec, "llama3", 128);
//   if (status == posenc::Status::kOk) status = posenc::Rotary::Create(spec, &rotary);
#ifndef POSENC_MODELS_H_
#define POSENC_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/models_c.h"
#include "posenc/posenc.h"
#include "posenc/rotary.h"

namespace posenc {

// A convention with a name: its name, its formula in one line, its source (project, file, function).
using Preset = posenc_preset;

// Fills the first entries of presets [capacity], as many as fit, and returns how many there are.
inline std::size_t SpecPresets(Preset* presets, std::size_t capacity) {
  return posenc_spec_presets(presets, capacity);
}

// posenc_spec_preset: sets *spec to a preset for rows of dim columns.
inline Status SpecPreset(posenc_spec* spec, const char* name, std::size_t dim) {
  return posenc_spec_preset(spec, sizeof(posenc_spec), name, dim);
}

// posenc_spec_preset_rounding, for spec.phase_rounding; but kNone for an unknown name.
inline PhaseRounding SpecPresetRounding(const char* name) {
  const PhaseRounding rounding = posenc_spec_preset_rounding(name);
  return rounding < 0 ? PhaseRounding() : rounding;
}

// Fills the first entries of presets [capacity], as many as fit, and returns how many there are.
inline std::size_t RotaryPresets(Preset* presets, std::size_t capacity) {
  return posenc_rotary_presets(presets, capacity);
}

// posenc_rotary_spec_preset: sets *spec to a preset for heads of head_dim elements.
inline Status RotaryPreset(posenc_rotary_spec* spec, const char* name, std::size_t head_dim) {
  return posenc_rotary_spec_preset(spec, sizeof(posenc_rotary_spec), name, head_dim);
}

// posenc_config_kind, what the value of a key is.
struct ConfigKind : Named<posenc_config_kind> {
  using Named::Named;
  static constexpr Value kNumber = POSENC_CONFIG_NUMBER, kFlag = POSENC_CONFIG_FLAG,
                         kString = POSENC_CONFIG_STRING, kNumbers = POSENC_CONFIG_NUMBERS,
                         kNull = POSENC_CONFIG_NULL, kFlags = POSENC_CONFIG_FLAGS;
};

// posenc_config_entry, a key of a model's configuration with its value: ConfigEntry{"rope_theta", 1e6}.
struct ConfigEntry : posenc_config_entry {
  // A number or, of a bool, a flag.
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr ConfigEntry(const char* name, T value)
      : posenc_config_entry{name,
                            std::is_same_v<T, bool> ? ConfigKind::kFlag : ConfigKind::kNumber,
                            static_cast<double>(value),
                            nullptr,
                            nullptr,
                            0} {}

  // A string.
  constexpr ConfigEntry(const char* name, const char* value)
      : posenc_config_entry{name, ConfigKind::kString, 0.0, value, nullptr, 0} {}

  // A list of numbers.
  constexpr ConfigEntry(const char* name, const double* values, std::size_t size)
      : posenc_config_entry{name, ConfigKind::kNumbers, 0.0, nullptr, values, size} {}
};

// posenc_rotary_spec_from_config: sets *spec to the spec of a model's configuration. report may be null.
inline Status RotaryFromConfig(posenc_rotary_spec* spec, const posenc_config& config,
                               posenc_config_report* report = nullptr) {
  return posenc_rotary_spec_from_config(spec, sizeof(posenc_rotary_spec), &config, report);
}

// positions[b][s] = padding_id + past + the number of ids[b][0] .. ids[b][s] that are not padding_id; but
// padding_id for padding. Id and Position are std::int32_t or std::int64_t; strides, at least `sequence`,
// count elements.
template <class Id, class Position>
Status PositionsFromIds(const Id* ids, std::size_t batch, std::size_t sequence, std::size_t id_stride,
                        std::int64_t padding_id, std::int64_t past, Position* positions,
                        std::size_t position_stride) {
  static_assert(IsInteger<Id>() && IsInteger<Position>(), "Id and Position are std::int32_t or std::int64_t");
  return posenc_positions_from_ids(TypeOf<Id>(), ids, batch, sequence, id_stride, padding_id, past,
                                   TypeOf<Position>(), positions, position_stride);
}

// posenc_normalization, what running counts become.
struct Normalization : Named<posenc_normalization> {
  using Named::Named;
  static constexpr Value kNone = POSENC_NO_NORMALIZATION, kF32 = POSENC_NORMALIZE_F32,
                         kF64 = POSENC_NORMALIZE_F64;
};

// The positions of an image's cells, y and x [height * width]: running counts, normalized. In mask [height *
// width] 0 is a cell and any other byte padding; without a mask (null) all are cells. scale 0 means 2 pi.
inline Status PositionsFromMask(const std::uint8_t* mask, std::size_t height, std::size_t width,
                                Normalization normalization, double scale, double offset, double* y,
                                double* x) {
  return posenc_positions_from_mask(mask, height, width, normalization, scale, offset, y, x);
}

}  // namespace posenc

#endif  // POSENC_MODELS_H_
