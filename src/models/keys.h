// The keys of configurations (models/keys.inc): what each key says, where it is in a configuration, and which
// values it may have.
#ifndef POSENC_SRC_MODELS_KEYS_H_
#define POSENC_SRC_MODELS_KEYS_H_

#include <cstddef>
#include <cstdint>

#include "models/text.h"
#include "posenc/models_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace models {

// NOLINTBEGIN(readability-identifier-naming)
// A slot is what a key says. Several keys may have the same slot, because models use different names.
// tools/models-table copies these comments into docs/models-keys.md and docs/models-gguf.md.
enum Slot : std::uint8_t {
  nothing,               // it does not change how q and k rotate
  layers,                // how many layers the model has
  predicting,            // how many of the last layers only predict further tokens
  max_length,            // the longest context; positions beyond it are allowed
  original_length,       // the longest context in the training; scalings need it
  length_in_dictionary,  // the longest context in the training; scalings need it
  hidden,                // the size of a hidden vector
  heads,                 // how many heads a layer has
  kv_heads,              // how many heads k has; a layer with 0 does not rotate
  head_dim,              // the size of a head
  layer_head_dim,        // the size of a head in layer N: per_layer_config has an object for each such layer
  global_head_dim,       // the size of a head with full attention
  local_head_dim,        // the size of a head with sliding attention
  nope_dim,              // how many elements of a head do not rotate, with latent attention
  rope_dim,              // how many elements at the end of a head rotate
  rotary_dim,            // how many elements of a head rotate
  local_rotary_dim,      // how many elements of a head with sliding attention rotate
  share,                 // which share of a head rotates, rounded down to whole elements
  share_in_dictionary,   // which share of a head rotates, rounded down to whole elements
  neighbours,            // true: pairs are neighbours
  half_split,            // true: pairs are half-split
  base,                  // the base
  base_in_dictionary,    // the base; another base outside the dictionary is refused
  other_base,            // the base for vLLM; it must agree with the base for transformers
  base_ratio,            // a factor that multiplies the base
  layer_bases,           // the base of each layer; a layer with 0 does not rotate
  local_base,            // the base with sliding attention
  global_base,           // the base with full attention
  compress_base,         // the base with compressed attention
  dictionary,            // the dictionary of the scaling; if both keys are there, only rope_scaling is read
  rope_type,             // the scaling
  old_type,              // the scaling, if there is no rope_type; else both must say the same
  factor,                // the factor of the scaling
  alpha,                 // the factor of an NTK scaling
  amplitude,             // the amplitude of YaRN and LongRoPE
  gain,                  // a factor that multiplies the amplitude
  short_mscale,          // the amplitude of LongRoPE
  long_mscale,           // the amplitude of LongRoPE in long contexts; it must be equal to short_mscale
  beta_fast,             // with YaRN, pairs of at least this many turns keep their frequency
  beta_slow,             // with YaRN, pairs of at most this many turns have the whole factor
  truncate,              // whether YaRN's ramp begins and ends at whole pairs
  low_freq_factor,       // with Llama 3's scaling, pairs of at most this many turns have the whole factor
  high_freq_factor,      // with Llama 3's scaling, pairs of at least this many turns keep their frequency
  mscale,                // `mscale` in the formula of YaRN's amplitude; not read without mscale_all_dim
  mscale_all_dim,        // mscale_all_dim in the formula of YaRN's amplitude; not read without `mscale`
  only_one,              // a factor; posenc refuses any number but 1
  short_factors,         // the factors of LongRoPE, one for each pair
  long_factors,          // the factors of LongRoPE in long contexts, one for each pair
  ggml_factors,          // divisors of the frequencies, one for each pair
  qwen_ntk,              // whether Qwen's NTK scaling is used
  qwen_length,           // the longest context for which Qwen's NTK scaling does not change the base
  scaled_types,          // the types of layers that have the scaling; other types have none
  sections,              // how many pairs each axis has
  interleaves,           // true: the axes take turns, pair by pair
  several_axes,          // whether positions have several axes
  layer_types,           // the type of each layer
  interval,              // N, if one of every N layers has full attention; the model's row says which one
  sliding_layers,        // a list with 1 for each layer that has sliding attention
  recurrent_layers,      // a list with 1 for each layer that does not rotate
  compress_ratios,       // a list with 0 for layers with sliding attention; others have compressed attention
  window,                // how far sliding attention sees; posenc only asks whether it has a limit
  rotating_layers,       // a list with 1 for each layer that rotates, even if the key's name says otherwise
  still_interval,        // N, if the last of every N layers does not rotate
  attending,             // the numbers of the layers with attention; others do not rotate
  crossing,              // the numbers of the layers with cross-attention, which do not rotate
  dense_layers,          // how many of the first layers are dense
  dense_interval,        // N, a sliding_window_pattern for the first first_k_dense_replace layers only
  dense_types,           // a list with dense for each layer that is dense
  rotates,               // whether the model rotates
  finetuned,             // whether the model rotates, for some architectures
  alibi,                 // true: the model does not rotate
  position_type,         // the kind of positions; the model rotates only for rope or rotary
  kSlots
};

// Where in a configuration a key may be (models/keys.inc explains the places).
enum Place : std::uint8_t { TOP = 1, DICTIONARY = 2, LAYER = 4, GGUF = 8, TENSOR = 16 };

// Which models' code reads a key.
enum Readers : std::uint8_t { ALL, SOME, NOBODY };

// What the value of a key may be. Kinds from LAYER_NUMBERS on may be lists with an entry for each layer.
enum Kind : std::uint8_t {
  WHATEVER,
  NEVER,  // the key itself may not have a value: it must be a dictionary, whose keys have separate rows
  WORD,
  WORDS,  // a string for each layer, whose key ends with the number of the layer
  FLAG,   // true or false, also as the number 1 or 0
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

// How many rows there are.
inline constexpr std::size_t kKeyCount = 0
#define POSENC_CONFIG_KEY(slot, place, kind, readers, key) +1  // NOLINT(bugprone-macro-parentheses)
#include "models/keys.inc"
    ;

// The kinds of entries that have no value (models_c.h). The command and the bindings pass no longer lists.
inline constexpr auto kNoKind = static_cast<posenc_config_kind>(-1);
inline constexpr auto kEmptyDictionary = static_cast<posenc_config_kind>(-2);
inline constexpr auto kLongList = static_cast<posenc_config_kind>(-3);
inline constexpr std::size_t kMostItems = POSENC_MAX_HEAD_DIM / 2;

// The row of the key with this name in one of these places, or null.
const Key* FindKey(Text name, unsigned places);

// The name of the first key that has this slot in one of these places.
const char* NameOf(Slot slot, unsigned places);

// The number of the key's row. If a configuration has several keys with the same slot, the lowest rank
// counts.
std::size_t RankOf(const Key& key);

// What is wrong with the value of a key: a status, and words that complete the sentence "KEY is VALUE, but
// ...". If a number in a list is wrong, `item` points to it, and the words are about this number.
struct Wrong {
  posenc_status status;  // rule::ok, rule::kind_of_key or rule::value_of_key
  const char* words;
  const double* item = nullptr;
};
Wrong WhatIsWrong(const posenc_config_entry& entry, Kind kind);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_KEYS_H_
