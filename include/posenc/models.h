// What posenc knows about models, for C++17.
//
//   to do this                                                  call this
//   fill the spec of an encoder by the name of a convention     SpecPreset
//   fill the spec of a rotary by the name of a model family     RotaryPreset
//   fill the spec of a rotary by a config.json or a GGUF file   RotaryFromConfig
//   number tokens, where sequences have padding                 PositionsFromIds
//   number the cells of an image that has a mask                PositionsFromMask
//   list presets; round phases as a preset's code does          the functions of C in models_c.h
//
//   posenc::RotarySpec spec;
//   posenc::Rotary rotary;
//   posenc::Status status = posenc::RotaryPreset(&spec, "llama3", 128);
//   if (status == POSENC_OK) status = posenc::Rotary::Create(spec, &rotary);
//
//   const posenc::ConfigEntry entries[] = {{"model_type", "llama"}, {"hidden_size", 4096},
//                                          {"num_attention_heads", 32}, {"rope_scaling", nullptr}};
//   posenc_model_report report;
//   status = posenc::RotaryFromConfig(&spec, posenc::Config(entries), &report);
//   if (status != POSENC_OK) puts(report.text);
//
// These functions are thin inline wrappers around the functions of C. models_c.h says what each function does
// and refuses. The wrappers never throw.
#ifndef POSENC_MODELS_H_
#define POSENC_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "posenc/models_c.h"
#include "posenc/posenc.h"
#include "posenc/rotary.h"

namespace posenc {

// Sets *spec, the spec of an encoder, to a preset for rows of dim columns. On failure *report says why.
[[nodiscard]] inline Status SpecPreset(posenc_spec* spec, const char* name, std::size_t dim,
                                       posenc_model_report* report = nullptr) {
  return posenc_spec_preset(spec, sizeof(posenc_spec), name, dim, report);
}

// Sets *spec, the spec of a rotary, to a preset for heads of head_dim elements. On failure *report says why.
[[nodiscard]] inline Status RotaryPreset(posenc_rotary_spec* spec, const char* name, std::size_t head_dim,
                                         posenc_model_report* report = nullptr) {
  return posenc_rotary_spec_preset(spec, sizeof(posenc_rotary_spec), name, head_dim, report);
}

// posenc_config_entry: a key of a configuration with its value. The entry points to your strings and numbers.
struct ConfigEntry : posenc_config_entry {
 private:
  // Whether T is the type of NULL, and not int. A NULL of type int cannot be told from the number 0.
  template <class T>
  static constexpr bool kIsNulls = std::is_same_v<T, decltype(NULL)> && !std::is_same_v<decltype(NULL), int>;
  // A number of that type. NULL itself becomes a null pointer instead.
  struct LikeNull {
    template <class T, class = std::enable_if_t<kIsNulls<T>>>
    constexpr LikeNull(T number_) : number(static_cast<double>(number_)) {}
    double number;
  };

 public:
  // A number. A bool becomes a flag.
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> && !kIsNulls<T>>>
  constexpr ConfigEntry(const char* name, T value)
      : posenc_config_entry{name,
                            std::is_same_v<T, bool> ? POSENC_CONFIG_FLAG : POSENC_CONFIG_NUMBER,
                            static_cast<double>(value),
                            nullptr,
                            nullptr,
                            0} {}

  // A number of the type that NULL has, such as long.
  constexpr ConfigEntry(const char* name, LikeNull value)
      : posenc_config_entry{name, POSENC_CONFIG_NUMBER, value.number, nullptr, nullptr, 0} {}

  // A string. If value is a null pointer, RotaryFromConfig fails. For the value null write nullptr, not NULL:
  // NULL becomes a null pointer to a string, or the number 0 if the compiler gives NULL the type int.
  constexpr ConfigEntry(const char* name, const char* value)
      : posenc_config_entry{name, POSENC_CONFIG_STRING, 0.0, value, nullptr, 0} {}

  // The key is there, but its value is null.
  template <class T, class = std::enable_if_t<std::is_same_v<T, std::nullptr_t>>, class = void>
  constexpr ConfigEntry(const char* name, T)
      : posenc_config_entry{name, POSENC_CONFIG_NULL, 0.0, nullptr, nullptr, 0} {}

  // A list of numbers.
  constexpr ConfigEntry(const char* name, const double* values, std::size_t size)
      : posenc_config_entry{name, POSENC_CONFIG_NUMBERS, 0.0, nullptr, values, size} {}

  // With kind_ POSENC_CONFIG_FLAGS this is a list of flags, each 0 or 1. With kind_ posenc_config_kind{-1} it
  // is a value that posenc has no kind for, such as a list of mixed kinds, and needs no values. An empty
  // dictionary has kind_ posenc_config_kind{-2}.
  constexpr ConfigEntry(const char* name, posenc_config_kind kind_, const double* values = nullptr,
                        std::size_t size = 0)
      : posenc_config_entry{name, kind_, 0.0, nullptr, values, size} {}
};

static_assert(sizeof(ConfigEntry) == sizeof(posenc_config_entry),
              "an array of ConfigEntry is an array of posenc_config_entry");

// posenc_config: entries of a configuration, with nothing else set. The struct points to the entries. Set
// other members to name a layer, for example.
struct Config : posenc_config {
  Config() : posenc_config{} {}
  Config(const posenc_config_entry* entries_, std::size_t count_) : posenc_config{} {
    entries = entries_;
    count = count_;
  }
  // An array, a std::array or a std::vector of ConfigEntry or of posenc_config_entry.
  template <class Entry, std::size_t kCount>
  explicit Config(const Entry (&all)[kCount]) : Config(all, kCount) {}
  template <class Vector, class = decltype(std::declval<const Vector&>().data())>
  explicit Config(const Vector& all) : Config(all.data(), all.size()) {}
};

// Sets *spec to the rotary embedding of a configuration's model. On failure *report says why.
[[nodiscard]] inline Status RotaryFromConfig(posenc_rotary_spec* spec, const posenc_config& config,
                                             posenc_model_report* report = nullptr) {
  return posenc_rotary_spec_from_config(spec, sizeof(posenc_rotary_spec), &config, report);
}

// posenc_ids: token ids [batch, stride], std::int32_t or std::int64_t, and the id of padding.
struct Ids : posenc_ids {
  template <class T>
  constexpr Ids(const T* data_, std::size_t stride_, std::int64_t padding_id_)
      : posenc_ids{TypeOf<T>(), data_, stride_, padding_id_} {}
};

// Numbers the tokens of a batch with padding. positions is [batch, stride], std::int32_t or std::int64_t.
[[nodiscard]] inline Status PositionsFromIds(const Ids& ids, std::size_t batch, std::size_t sequence,
                                             std::int64_t past, const Rows& positions) {
  return posenc_positions_from_ids(&ids, batch, sequence, past, &positions);
}

// Numbers the cells of an image: y and x [height * width]. scale 0 means 2 pi.
[[nodiscard]] inline Status PositionsFromMask(const posenc_mask& mask, posenc_normalization normalization,
                                              double scale, double offset, double* y, double* x) {
  return posenc_positions_from_mask(&mask, normalization, scale, offset, y, x);
}

}  // namespace posenc

#endif  // POSENC_MODELS_H_
