// What posenc knows about models, for C++17: presets of encoders and rotaries, rotary embeddings by a model's
// configuration, and positions from token ids and masks. The functions below are thin inline wrappers around
// those of models_c.h, which says what each of them does and refuses.
//
//   posenc::RotarySpec spec;
//   posenc::Rotary rotary;
//   posenc::Status status = posenc::RotaryPreset(&spec, "llama3", 128);
//   if (status == POSENC_OK) status = posenc::Rotary::Create(spec, &rotary);
#ifndef POSENC_MODELS_H_
#define POSENC_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/models_c.h"
#include "posenc/posenc.h"
#include "posenc/rotary.h"

namespace posenc {

// Sets *spec to a preset for rows of dim columns. report, which may be null, says why it is refused.
[[nodiscard]] inline Status SpecPreset(posenc_spec* spec, const char* name, std::size_t dim,
                                       posenc_model_report* report = nullptr) {
  return posenc_spec_preset(spec, sizeof(posenc_spec), name, dim, report);
}

// The same of a rotary for heads of head_dim elements.
[[nodiscard]] inline Status RotaryPreset(posenc_rotary_spec* spec, const char* name, std::size_t head_dim,
                                         posenc_model_report* report = nullptr) {
  return posenc_rotary_spec_preset(spec, sizeof(posenc_rotary_spec), name, head_dim, report);
}

// posenc_config_entry, a key of a model's configuration with its value: ConfigEntry("rope_theta", 1e6).
struct ConfigEntry : posenc_config_entry {
  // A number or, of a bool, a flag.
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr ConfigEntry(const char* name, T value)
      : posenc_config_entry{name,
                            std::is_same_v<T, bool> ? POSENC_CONFIG_FLAG : POSENC_CONFIG_NUMBER,
                            static_cast<double>(value),
                            nullptr,
                            nullptr,
                            0} {}

  // A string.
  constexpr ConfigEntry(const char* name, const char* value)
      : posenc_config_entry{name, POSENC_CONFIG_STRING, 0.0, value, nullptr, 0} {}

  // A list of numbers.
  constexpr ConfigEntry(const char* name, const double* values, std::size_t size)
      : posenc_config_entry{name, POSENC_CONFIG_NUMBERS, 0.0, nullptr, values, size} {}
};

// Sets *spec to the spec of a model's configuration. report, which may be null, says why it is refused.
[[nodiscard]] inline Status RotaryFromConfig(posenc_rotary_spec* spec, const posenc_config& config,
                                             posenc_model_report* report = nullptr) {
  return posenc_rotary_spec_from_config(spec, sizeof(posenc_rotary_spec), &config, report);
}

// posenc_ids: token ids [batch, stride] of std::int32_t or std::int64_t, and the id of padding.
struct Ids : posenc_ids {
  template <class T>
  constexpr Ids(const T* ids, std::size_t row_stride, std::int64_t padding)
      : posenc_ids{TypeOf<T>(), ids, row_stride, padding} {}
};

// Numbers the tokens of sequences with padding.
[[nodiscard]] inline Status PositionsFromIds(const Ids& ids, std::size_t batch, std::size_t sequence,
                                             std::int64_t past, const Rows& positions) {
  return posenc_positions_from_ids(&ids, batch, sequence, past, &positions);
}

// Numbers the cells of an image with a mask. scale 0 means 2 pi.
[[nodiscard]] inline Status PositionsFromMask(const posenc_mask& mask, posenc_normalization normalization,
                                              double scale, double offset, double* y, double* x) {
  return posenc_positions_from_mask(&mask, normalization, scale, offset, y, x);
}

}  // namespace posenc

#endif  // POSENC_MODELS_H_
