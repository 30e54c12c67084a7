// The rows of spec/config_keys.inc, and what values keys may have.
#ifndef POSENC_SRC_API_CONFIG_ROWS_H_
#define POSENC_SRC_API_CONFIG_ROWS_H_

#include <cstdint>

#include "api/config_text.h"
#include "posenc/rotary_config_c.h"

namespace posenc {
namespace internal {
namespace config {

// NOLINTBEGIN(readability-identifier-naming)
// What a key says. Several keys may say the same.
enum ConfigSlot : std::uint8_t {
  nothing,
  model,
  layers,
  max_length,
  head_dim,
  layer_head_dim,
  hidden,
  heads,
  kv_heads,
  global_head_dim,
  local_head_dim,
  still_dim,
  turning_dim,
  rotary_dim,
  local_rotary_dim,
  share,
  no_dim,  // a part of latent attention's heads that is 0
  neighbours,
  halves,
  base,
  base_ratio,
  layer_bases,
  local_base,
  global_base,
  type,
  factor,
  alpha,
  original_length,
  amplitude,
  gain,
  short_mscale,
  long_mscale,
  beta_fast,
  beta_slow,
  truncate,
  low_freq_factor,
  high_freq_factor,
  mscale,
  mscale_all_dim,
  extrapolation,
  mixed_b,
  short_factors,
  long_factors,
  ggml_factors,
  dynamic,
  dynamic_length,
  sections,
  interleaves,
  layer_type,
  yarn_types,
  sliding_pattern,
  sliding_layers,
  global_interval,
  full_interval,
  compress_ratios,
  window,
  turning_layers,
  attending_layers,
  still_interval,
  turns,
  finetuned,
  alibi,
  position_type,
  // Of models only.
  to_halves,
  is_last,
  axes,
  axis_order,
  global_part,      // of rotary_dim, in layers with full attention; factors are for all of it
  first_is_full,    // of sliding_pattern's layers, instead of the last one
  local_is_plain,   // layers with sliding attention have no scaling
  global_is_still,  // if there is sliding attention, layers with full attention have no rotary
  finetuned_turns,  // if it is not finetuned, it has no rotary
  scales_logits,    // the amplitude of YaRN is 1, because the model multiplies its logits instead
  kConfigSlots
};

// Where a configuration has a key.
enum ConfigPlace : std::uint8_t {
  MODEL = 1,
  ROPE = 2,
  EITHER = MODEL | ROPE,
  GGUF = 4,
  TENSOR = 8,
  LAYER = 16
};

// What a key's value may be.
enum ConfigKind : std::uint8_t {
  ANYTHING,
  WORD,
  WORDS,    // a string per entry, whose key ends with its index
  FLAG,     // also as the number 0 or 1
  PATTERN,  // a size, or a list of flags with one per layer
  SIZE,
  SIZE_OR_NONE,  // 0 counts as no_dim
  POSITIVE,
  NOT_NEGATIVE,
  LAYER_SIZES,  // these may be lists, with an entry per layer
  LAYER_SHARES,
  LAYER_BASES,
  LAYER_BASES_OR_0,  // these are lists; also numbers of layers
  LAYER_FLAGS,
  FACTORS,
  SECTIONS
};
// NOLINTEND(readability-identifier-naming)

// A key, without its name.
struct ConfigRow {
  std::uint8_t slot, place, kind;
};

// The rank of a row, which is the higher the earlier it comes; 0 if no row has that key in one of the places.
unsigned FindConfigRow(Text key, unsigned places);
ConfigRow ConfigRowOf(unsigned rank);

// The first key of a slot.
const char* KeyOf(ConfigSlot slot, unsigned places);

// POSENC_OK, POSENC_BAD_CONFIG_KIND, POSENC_BAD_CONFIG_VALUE or POSENC_NULL_POINTER.
posenc_status CheckValue(const posenc_config_entry& entry, ConfigKind kind);

// What a model's code has for a slot; `nothing` ends a model's settings.
struct ModelSetting {
  std::uint8_t slot;
  double value;
};

// A model's settings; null if no row has that name in that place.
const ModelSetting* FindSettings(Text name, ConfigPlace place);

}  // namespace config
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_CONFIG_ROWS_H_
