// The rows of models/keys.inc: what each key says, where it stands, and what its value may be.
#ifndef POSENC_SRC_MODELS_KEYS_H_
#define POSENC_SRC_MODELS_KEYS_H_

#include <cstddef>
#include <cstdint>

#include "models/text.h"
#include "posenc/rotary_config_c.h"

namespace posenc {
namespace internal {
namespace models {

// NOLINTBEGIN(readability-identifier-naming)
// The thing that a key says. Several keys may say the same thing.
enum Slot : std::uint8_t {
  nothing,
  layers,
  max_length,
  original_length,
  length_in_dictionary,
  hidden,
  heads,
  kv_heads,
  head_dim,
  layer_head_dim,
  global_head_dim,
  local_head_dim,
  nope_dim,
  rope_dim,
  rotary_dim,
  local_rotary_dim,
  share,
  share_in_dictionary,
  neighbours,
  halves,
  base,
  base_in_dictionary,
  other_base,
  base_ratio,
  layer_bases,
  local_base,
  global_base,
  compress_base,
  dictionary,
  rope_type,
  old_type,
  factor,
  alpha,
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
  only_one,
  short_factors,
  long_factors,
  ggml_factors,
  qwen_ntk,
  qwen_length,
  scaled_types,
  sections,
  interleaves,
  layer_types,
  interval,
  sliding_layers,
  recurrent_layers,
  compress_ratios,
  window,
  rotating_layers,
  still_interval,
  attending,
  crossing,
  dense_layers,
  dense_interval,
  dense_types,
  rotates,
  finetuned,
  alibi,
  position_type,
  several_axes,
  kSlots
};

// Where a key stands in a configuration.
enum Place : std::uint8_t { TOP = 1, DICTIONARY = 2, LAYER = 4, GGUF = 8, TENSOR = 16 };

// Whose code reads a key.
enum Readers : std::uint8_t { ALL, SOME, NOBODY };

// What a value may be. Those after LAYER_NUMBERS may be lists with an entry for each layer.
enum Kind : std::uint8_t {
  WHATEVER,
  NEVER,  // it must be a dictionary, whose keys have rows of their own
  WORD,
  WORDS,  // a string for each layer, whose key ends with the number of the layer
  FLAG,   // also as the number 0 or 1
  SIZE,
  WHOLE,
  POSITIVE,
  NOT_NEGATIVE,
  SHARE,
  FACTORS,  // a list
  SECTIONS,
  PATTERN,  // a size, a flag for each layer, or a string such as "LLLG"
  LAYER_NUMBERS,
  LAYER_FLAGS,
  LAYER_SIZES,
  LAYER_SHARES,
  LAYER_BASES
};
// NOLINTEND(readability-identifier-naming)

struct Key {
  std::uint8_t slot, place, kind, readers;
  const char* name;
};

// All rows.
struct AllKeys {
  const Key* begin() const;
  const Key* end() const;
};

// The row of a key in one of these places, or null.
const Key* FindKey(Text name, unsigned places);

// The first key of a slot in one of these places.
const char* NameOf(Slot slot, unsigned places);

// Of several keys for a slot, the one with the lowest rank counts.
std::size_t RankOf(const Key& key);

// What is wrong with the value of a key: a status and words that go on "KEY is VALUE, but ".
struct Wrong {
  posenc_status status;  // POSENC_OK, POSENC_BAD_CONFIG_KIND or POSENC_BAD_CONFIG_VALUE
  const char* words;
};
Wrong WhatIsWrong(const posenc_config_entry& entry, Kind kind);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_KEYS_H_
