// A rotary from a model's configuration for C (C99): what the keys of a config.json of transformers, or of
// the metadata of a GGUF file, make of a posenc_rotary_spec. posenc parses neither: the caller passes keys
// and values.
//
//   posenc_config_entry entries[] = {
//       {.key = "model_type", .kind = POSENC_CONFIG_STRING, .string = "llama"},
//       {.key = "hidden_size", .number = 4096},
//       {.key = "num_attention_heads", .number = 32},
//       {.key = "rope_theta", .number = 500000},
//       {.key = "rope_scaling.rope_type", .kind = POSENC_CONFIG_STRING, .string = "linear"},
//       {.key = "rope_scaling.factor", .number = 4}};
//   posenc_rotary_spec spec;
//   const char* bad_key = "";
//   posenc_status status = posenc_rotary_spec_from_config(
//       &spec, sizeof(spec), entries, 6, POSENC_NO_LAYER, NULL, NULL, NULL, &bad_key);
//   if (status != POSENC_OK) printf("%s: %s\n", bad_key, posenc_status_message(status));
//
// docs/rotary.md lists the keys and what becomes of them. What posenc_c.h says of memory, threads,
// floating-point state, statuses and versions holds here too.
#ifndef POSENC_ROTARY_CONFIG_C_H_
#define POSENC_ROTARY_CONFIG_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_config_kind;
#endif

// What the value of a key is.
enum POSENC_ENUM(posenc_config_kind) {
  POSENC_CONFIG_NUMBER = 0,  // number
  POSENC_CONFIG_FLAG = 1,    // number, which is 0 (false) or 1 (true)
  POSENC_CONFIG_STRING = 2,  // string
  POSENC_CONFIG_NUMBERS = 3  // numbers [count]; of flags 0 and 1
};

// A key with its value. Keys of dictionaries within dictionaries are joined by dots, as in
// "rope_parameters.full_attention.rope_theta". A list of strings has an entry per string, whose key ends with
// the string's index: "layer_types.3"; an empty list is one of numbers. Keys whose value is null have no
// entry. This struct will not grow.
typedef struct posenc_config_entry {
  const char* key;          // a copy is not kept
  posenc_config_kind kind;  // of the value: which of the members below it is
  double number;            // of a NUMBER or FLAG
  const char* string;       // of a STRING
  const double* numbers;    // of NUMBERS; a spec points to lists of factors until the rotary is created
  size_t count;             // of numbers
} posenc_config_entry;

// For a caller that names no layer by its number.
#define POSENC_NO_LAYER (-1)

// Sets all members to those of a model's rotary. The entries, in any order, are those of a config.json, or
// those of a GGUF file, which have "general.architecture"; the tensors rope_freqs, rope_factors_short and
// rope_factors_long of the latter are lists under these names. Keys that say nothing about the rotary are
// passed over, and so are those of dictionaries for other parts of a model ("vision_config."); keys of
// "text_config." take precedence.
//
// layer is a layer's number, from 0 on, or POSENC_NO_LAYER; layer_type is a type of layer as the
// configuration names it ("sliding_attention"), or null. At least one of them is needed if rotaries differ
// between layers. model_type is the model's type or architecture, or null for the configuration's: which
// elements are pairs follows from it, and so do values that a config.json leaves out. A model_type of
// transformers that posenc does not know pairs halves; an unknown architecture of GGUF is refused.
//
// For scalings that depend on the context, length becomes original_length: set it as needed.
//
// On failure *spec is left as it was, and, unless null, *bad_key becomes the key at fault, or "" if there is
// none, and *bad_index its index in entries, or `count` if it is not among them. POSENC_UNKNOWN_CONFIG_KEY: a
// key about the rotary is none that posenc knows. POSENC_BAD_CONFIG_KIND: the value is of another kind than
// the key's. POSENC_BAD_CONFIG_VALUE: it is none that the key may have here. POSENC_MISSING_CONFIG_KEY: the
// key is needed and missing. POSENC_BAD_LAYER: the model has no such layer or type of layer, or none was
// named. POSENC_LAYER_HAS_NO_ROTARY: the layer's heads do not rotate.
POSENC_API posenc_status posenc_rotary_spec_from_config(posenc_rotary_spec* spec, size_t struct_size,
                                                        const posenc_config_entry* entries, size_t count,
                                                        int64_t layer, const char* layer_type,
                                                        const char* model_type, size_t* bad_index,
                                                        const char** bad_key);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_ROTARY_CONFIG_C_H_
