// What posenc knows about models, for C (C99): named conventions (presets), rotary embeddings by a model's
// configuration, and positions as models number them. All of it only fills specs and lists of positions, for
// the functions of posenc_c.h and rotary_c.h. A posenc that was built with POSENC_BUILD_MODELS=OFF does not
// have these functions.
//
//   to                                                          call
//   make the spec of an encoder by the name of a convention     posenc_spec_preset
//   keep the phases of a convention's source                    posenc_spec_preset_rounding
//   list the conventions of encoders                            posenc_spec_presets
//   make the spec of a rotary by the name of a model family     posenc_rotary_spec_preset
//   list these families                                         posenc_rotary_presets
//   make the spec of a rotary from a config.json or GGUF file   posenc_rotary_spec_from_config
//   number tokens, where sequences have padding                 posenc_positions_from_ids
//   number the cells of an image that has a mask                posenc_positions_from_mask
//
// docs/conventions.md and docs/rotary.md have the presets, docs/models.md the models whose configurations
// posenc knows. What posenc_c.h says about memory, threads, the floating-point state, statuses and versions
// holds here too.
#ifndef POSENC_MODELS_C_H_
#define POSENC_MODELS_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_config_kind, posenc_normalization;
#endif

// Presets.

// A convention with a name, as posenc_spec_presets and posenc_rotary_presets list it. This struct will not
// grow.
typedef struct posenc_preset {
  const char* name;     // e.g. "fairseq", "llama3"
  const char* formula;  // in one line
  const char* source;   // project, file, function
} posenc_preset;

// Sets all members of *spec as a preset (docs/conventions.md) has them for rows of `dim` columns, without a
// phase rounding. Then change what differs, but not dim, because exponent_dim follows from it. A preset whose
// frequencies are the caller's ("gaussian_fourier") sets frequency_count; creation then returns
// POSENC_BAD_FREQUENCIES until one of the two arrays is set. Returns POSENC_UNKNOWN_PRESET if no preset has
// that name; on failure *spec is left as it was.
POSENC_API posenc_status posenc_spec_preset(posenc_spec* spec, size_t struct_size, const char* name,
                                            size_t dim);

// Returns how the source of a preset rounds its phases. Set spec.phase_rounding to it to get the source's
// tables. POSENC_NO_PHASE_ROUNDING means that posenc does not have the source's rounding, and -1 means that
// the name is unknown.
POSENC_API posenc_phase_rounding posenc_spec_preset_rounding(const char* name);

// Fills the first entries of presets [capacity], as many as fit, and returns how many there are.
POSENC_API size_t posenc_spec_presets(posenc_preset* presets, size_t capacity);

// Sets all members of *spec as a preset has them for heads of head_dim elements. If the models of a family
// have different lengths or factors, set these afterwards. Returns POSENC_UNKNOWN_PRESET if no preset has
// that name, POSENC_BAD_HEAD_DIM if head_dim does not suit the preset (odd, too small, or not the one that
// its sections need). On failure *spec is left as it was.
POSENC_API posenc_status posenc_rotary_spec_preset(posenc_rotary_spec* spec, size_t struct_size,
                                                   const char* name, size_t head_dim);

// Fills the first entries of presets [capacity], as many as fit, and returns how many there are.
POSENC_API size_t posenc_rotary_presets(posenc_preset* presets, size_t capacity);

// Configurations. posenc_rotary_spec_from_config makes the spec of a rotary embedding from the keys of a
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
// of it, set `layer` (0 is the first layer, not "no layer"), then set what you have.
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

// Sets all members of *spec as the rotary embedding of a model needs them.
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

// Positions, for posenc_embed_at and posenc_write_at: from token ids with padding, as fairseq and
// transformers number them, and from the mask of an image, as DETR does.

// positions[b][s] = padding_id + past + the number of ids[b][0] .. ids[b][s] that are not padding_id; but
// padding_id if ids[b][s] is padding_id. So fairseq's make_positions and transformers'
// create_position_ids_from_input_ids have it. past is the number of tokens that came before
// (past_key_values_length): 0, or more for sequences that go on.
//
// ids [batch, id_stride] and positions [batch, position_stride] of I32 or I64, of which the columns
// 0 .. sequence - 1 are used; strides count elements and are at least `sequence`. They must not overlap.
// POSENC_POSITION_OUT_OF_RANGE: padding_id is below -2^31, past is negative, or padding_id or
// padding_id + past + sequence, the largest position there may be, exceeds 2^31 or the type of positions,
// whatever the ids.
POSENC_API posenc_status posenc_positions_from_ids(posenc_type id_type, const void* ids, size_t batch,
                                                   size_t sequence, size_t id_stride, int64_t padding_id,
                                                   int64_t past, posenc_type position_type, void* positions,
                                                   size_t position_stride);

// What a running count n becomes if the last count of its column or row is m. f32() and f64() round each
// operation to nearest.
enum POSENC_ENUM(posenc_normalization) {
  POSENC_NO_NORMALIZATION = 0,  // n
  // f32(f32(f32(n + f32(offset)) / f32(m + f32(1e-6))) * f32(scale)), what DETR, Conditional DETR and
  // Mask2Former compute with offset 0, Deformable DETR with -0.5.
  POSENC_NORMALIZE_F32 = 1,
  POSENC_NORMALIZE_F64 = 2  // f64(f64(f64(n + offset) / f64(m + f64(1e-6))) * scale)
};

// The positions of an image's cells: y, x [height * width], row after row, of any alignment. y[r][c] counts
// the cells (0, c) .. (r, c) that are not padding. x[r][c] counts the cells (r, 0) .. (r, c) that are not
// padding. Both begin with 1, and a normalization changes them. In mask [height * width] 0 is a cell and any
// other byte padding; without a mask (null) all are cells.
//
// scale 0 means 2 pi, rounded to double. Without a normalization, scale and offset change nothing. Both must
// be in -2^31 .. 2^31. POSENC_POSITION_OUT_OF_RANGE: height or width exceeds 2^31 (or POSENC_SIZE_OVERFLOW,
// if there are too many cells). y, x and mask must not overlap.
//
// DETR encodes y in the first half of the columns and x in the second half. Make the encoder from the preset
// "detr" for dim / 2 columns, and set position_offset to 0, because these positions begin with 1 already:
//
//   posenc_write_at(encoder, POSENC_F64, y, height * width, POSENC_F32, out, dim, NULL);
//   posenc_write_at(encoder, POSENC_F64, x, height * width, POSENC_F32, out + dim / 2, dim, NULL);
POSENC_API posenc_status posenc_positions_from_mask(const uint8_t* mask, size_t height, size_t width,
                                                    posenc_normalization normalization, double scale,
                                                    double offset, double* y, double* x);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_MODELS_C_H_
