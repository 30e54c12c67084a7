// Makes the spec of a rotary embedding from a model's configuration, for C (C99): from the keys of a
// config.json, as transformers, vLLM and mlx-lm read it, or from the metadata of a GGUF file, as llama.cpp
// reads it. posenc parses neither format. The caller passes keys and values.
//
//   posenc_config_entry entries[] = {
//       {.key = "model_type", .kind = POSENC_CONFIG_STRING, .string = "llama"},
//       {.key = "hidden_size", .number = 4096},
//       {.key = "num_attention_heads", .number = 32},
//       {.key = "rope_theta", .number = 500000},
//       {.key = "rope_scaling.rope_type", .kind = POSENC_CONFIG_STRING, .string = "linear"},
//       {.key = "rope_scaling.factor", .number = 4}};
//   posenc_config config = {.entries = entries, .count = 6, .layer = POSENC_NO_LAYER};
//   posenc_config_report report;
//   posenc_rotary_spec spec;
//   posenc_status status = posenc_rotary_spec_from_config(&spec, sizeof(spec), &config, &report);
//   if (status != POSENC_OK) printf("%s\n", report.text);
//
// docs/models.md lists the models that posenc knows. What posenc_c.h says about memory, threads, the
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
  POSENC_CONFIG_NUMBER = 0,   // number
  POSENC_CONFIG_FLAG = 1,     // number, which is 0 (false) or 1 (true)
  POSENC_CONFIG_STRING = 2,   // string
  POSENC_CONFIG_NUMBERS = 3,  // numbers [count]
  POSENC_CONFIG_NULL = 4,     // nothing: the key is there, but its value is null
  POSENC_CONFIG_FLAGS = 5     // numbers [count], which are 0 (false) or 1 (true)
};

// A key with its value. Keys of dictionaries within dictionaries are joined by dots, as in
// "rope_parameters.full_attention.rope_theta". A list of strings has an entry for each string. The key of
// such an entry ends with the index of the string: "layer_types.3". An empty list is a list of numbers. A
// value that is none of these kinds, such as a list of mixed kinds, has an entry with the kind -1. This
// struct will not grow.
typedef struct posenc_config_entry {
  const char* key;          // posenc keeps no copy
  posenc_config_kind kind;  // of the value; it says which of the members below is read
  double number;            // of a NUMBER or a FLAG
  const char* string;       // of a STRING
  const double* numbers;    // of NUMBERS and FLAGS; a spec points to a list of factors, so keep that list
  size_t count;             // of numbers
} posenc_config_entry;

// For a caller that names no layer by its number.
#define POSENC_NO_LAYER (-1)

// A configuration, and what is asked of it. Entries may have any order. This struct will not grow. Clear all
// of it, then set what you have.
typedef struct posenc_config {
  const posenc_config_entry* entries;  // of a config.json, or of a GGUF file with "general.architecture"
  size_t count;                        // of entries
  int64_t layer;                       // a layer, from 0 on, or POSENC_NO_LAYER
  const char* layer_type;              // a type of layer, such as "sliding_attention", or NULL
  const char* model_type;              // NULL: the configuration's own type or architecture
  const posenc_pairing* pairing;       // NULL: the pairing of the model, which posenc must know then
  unsigned char* read;                 // NULL, or [count]: becomes 1 for each entry that was read, else 0
} posenc_config;

// What posenc found. This struct will not grow.
typedef struct posenc_config_report {
  const char* key;      // the key at fault; "" if there is none. It points into entries, or to constant text
  size_t index;         // its index in entries; count if it is not among them
  int64_t layers;       // how many layers the model has; 0 if the configuration does not say
  char model_type[64];  // the type under which posenc knows the model; "" if it does not
  char source[64];      // the code in which that was read, such as "transformers, models/llama"; ""
  char text[512];       // one sentence: why there is no spec, and what would be right; "" if there is one
} posenc_config_report;

// Sets all members of *spec to those of a model's rotary embedding.
//
// posenc reads keys as the model's own code does. If a key is missing for which that code has a value, posenc
// takes that value. Everything else is refused: a model that posenc does not know; a key that speaks about
// positions and that the model's code does not read; a key that is missing. A key that has nothing to do with
// positions is passed over. So are keys of other parts of a model, such as "vision_config.hidden_size".
//
// If posenc does not know the model, the caller may state its pairing. posenc then takes the keys that all
// models have. It also takes for granted that the model rotates by +p, along one axis and in all layers.
//
// The tensors rope_freqs, rope_factors_short and rope_factors_long of a GGUF file are lists under these
// names. For scalings that depend on the length of the context, `length` becomes original_length. Set it as
// needed.
//
// Name a layer or a type of layer if layers have different rotary embeddings; posenc refuses otherwise. In
// some models some layers rotate alike and the others do not rotate. Without a layer the spec is for those
// that rotate. Ask for each layer, to find out which ones do.
//
// On failure *spec stays as it was, and *report says why. report may be null. These statuses are about
// configurations:
//   POSENC_UNKNOWN_MODEL         posenc does not know the model, or has no spec for what it does
//   POSENC_UNKNOWN_CONFIG_KEY    a key speaks about positions, and the model's code does not read it
//   POSENC_BAD_CONFIG_KIND       a value is a string, for example, and must be a number
//   POSENC_BAD_CONFIG_VALUE      a value cannot be, or contradicts another one
//   POSENC_MISSING_CONFIG_KEY    a key is needed and missing
//   POSENC_BAD_LAYER             there is no such layer or type of layer, or layers differ and none was named
//   POSENC_LAYER_HAS_NO_ROTARY   the layer does not rotate, or the model does not
POSENC_API posenc_status posenc_rotary_spec_from_config(posenc_rotary_spec* spec, size_t struct_size,
                                                        const posenc_config* config,
                                                        posenc_config_report* report);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_ROTARY_CONFIG_C_H_
