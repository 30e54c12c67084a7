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
// tools/models-table copies these comments into docs/models.md.
enum Slot : std::uint8_t {
  nothing,               // it has nothing to do with the rotation of q and k
  layers,                // how many layers the model has
  max_length,            // the longest context; positions have no maximum
  original_length,       // the context of the training, for scalings
  length_in_dictionary,  // the context of the training, for scalings
  hidden,                // the size of a hidden vector
  heads,                 // how many heads a layer has
  kv_heads,              // how many heads k has; a layer with 0 does not rotate
  head_dim,              // the size of a head
  layer_head_dim,        // the size of a head in layer N
  global_head_dim,       // the size of a head with full attention
  local_head_dim,        // the size of a head with sliding attention
  nope_dim,              // how many elements of a head do not rotate, with latent attention
  rope_dim,              // how many elements of a head rotate: its last ones
  rotary_dim,            // how many elements of a head rotate
  local_rotary_dim,      // how many elements of a head with sliding attention rotate
  share,                 // which share of a head rotates, rounded down to whole elements
  share_in_dictionary,   // which share of a head rotates, rounded down to whole elements
  neighbours,            // true: pairs of neighbours
  halves,                // true: pairs of halves
  base,                  // the base
  base_in_dictionary,    // the base; it goes before one beside the dictionary
  other_base,            // the base for vLLM; it must agree with the base for transformers
  base_ratio,            // what the base is multiplied by
  layer_bases,           // the base of each layer; a layer with 0 does not rotate
  local_base,            // the base with sliding attention
  global_base,           // the base with full attention
  compress_base,         // the base with compressed attention
  dictionary,        // the dictionary of the scaling; rope_scaling goes before rope_parameters, as a whole
  rope_type,         // the scaling
  old_type,          // the scaling, if there is no rope_type
  factor,            // the factor of the scaling
  alpha,             // the factor of an NTK scaling
  amplitude,         // the amplitude of YaRN and LongRoPE
  gain,              // what the amplitude is multiplied by
  short_mscale,      // the amplitude of LongRoPE
  long_mscale,       // the amplitude of LongRoPE in long contexts; it must be the same
  beta_fast,         // where YaRN's ramp begins
  beta_slow,         // where YaRN's ramp ends
  truncate,          // whether the ends of YaRN's ramp are whole pairs
  low_freq_factor,   // where the blend of Llama 3's scaling begins
  high_freq_factor,  // where the blend of Llama 3's scaling ends
  mscale,            // what makes YaRN's amplitude larger; only beside mscale_all_dim
  mscale_all_dim,    // what makes YaRN's amplitude smaller
  only_one,          // only 1 is taken
  short_factors,     // the factors of LongRoPE
  long_factors,      // the factors of LongRoPE in long contexts
  ggml_factors,      // factors of frequencies
  qwen_ntk,          // whether Qwen's NTK scaling is used
  qwen_length,       // the context from which Qwen's NTK scaling changes the base
  scaled_types,      // the types of layers that have the scaling
  sections,          // how many pairs each axis has
  interleaves,       // whether the axes take turns, pair by pair
  several_axes,      // whether positions have several axes
  layer_types,       // the type of each layer
  interval,          // every how many layers one has full attention
  sliding_layers,    // which layers have sliding attention: 1 means yes
  recurrent_layers,  // which layers do not rotate: 1 means that the layer does not
  compress_ratios,   // which layers have sliding attention: 0 means yes; other layers compress
  window,            // the window of sliding attention; some models go by whether there is one
  rotating_layers,   // which layers rotate: 1 means that the layer does, although some names say the opposite
  still_interval,    // every how many layers one does not rotate
  attending,         // the numbers of the layers with attention; others do not rotate
  crossing,          // the numbers of the layers with cross-attention, which do not rotate
  dense_layers,      // how many of the first layers are dense
  dense_interval,    // every how many dense layers one has full attention
  dense_types,       // which layers are dense
  rotates,           // whether the model rotates
  finetuned,         // whether the model rotates, for some architectures
  alibi,             // true: the model does not rotate
  position_type,     // the kind of positions; none but rope and rotary rotate
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

// The row of the key with this name in one of these places, or null.
const Key* FindKey(Text name, unsigned places);

// The name of the first key that has this slot in one of these places.
const char* NameOf(Slot slot, unsigned places);

// The number of the key's row. If a configuration has several keys with the same slot, the lowest rank
// counts.
std::size_t RankOf(const Key& key);

// What is wrong with the value of a key: a status, and words that complete the sentence "KEY is VALUE, but
// ...".
struct Wrong {
  posenc_status status;  // rule::ok, rule::kind_of_key or rule::value_of_key
  const char* words;
};
Wrong WhatIsWrong(const posenc_config_entry& entry, Kind kind);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_KEYS_H_
