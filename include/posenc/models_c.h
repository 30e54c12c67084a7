// What posenc knows about models, for C (C99): named conventions (presets), the rotary embedding of a model's
// configuration, and positions as models number them. These functions only fill specs and arrays of
// positions, for the functions of posenc_c.h and rotary_c.h. The CMake option POSENC_BUILD_MODELS=OFF leaves
// them out.
//
//   to do this                                                  call this
//   fill the spec of an encoder by the name of a convention     posenc_spec_preset
//   round phases as the code of a convention does               posenc_spec_preset_rounding
//   list the conventions of encoders                            posenc_spec_presets
//   fill the spec of a rotary by the name of a model family     posenc_rotary_spec_preset
//   list these families                                         posenc_rotary_presets
//   fill the spec of a rotary by a config.json or a GGUF file   posenc_rotary_spec_from_config
//   number tokens, where sequences have padding                 posenc_positions_from_ids
//   number the cells of an image that has a mask                posenc_positions_from_mask
//
// docs/conventions.md and docs/rotary-presets.md list the presets, docs/models.md the models whose
// configurations posenc knows. The list "In all headers" at the top of posenc_c.h holds here too.
#ifndef POSENC_MODELS_C_H_
#define POSENC_MODELS_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_config_kind, posenc_normalization;
#endif

// What a function found out. If it failed, text says why, and what would be right. This struct will not grow.
typedef struct posenc_model_report {
  const char* key;  // the key or preset at fault, or "". It points to the caller's key or to constant text
  size_t index;     // of this key's entry; equal to the number of entries if no entry is at fault
  int64_t layers;   // how many layers the model has; 0 if unknown
  int32_t rotates;  // 0 if the layer or model does not rotate (a status of kind POSENC_BAD_ARGUMENT), else 1
  char model_type[64];  // the type or architecture whose rules were taken; "" if posenc does not know it
  char source[64];      // where posenc's authors read these rules: "transformers, models/llama"; or ""
  char text[512];       // why the function failed; "" if it did not
} posenc_model_report;

// A convention with a name. This struct will not grow.
typedef struct posenc_preset {
  const char* name;     // such as "fairseq" or "llama3"
  const char* formula;  // for people, in one line
  const char* source;   // the project, file and function where posenc's authors read the formula
} posenc_preset;

// Sets all members of *spec to a preset for rows of dim columns, without a phase rounding. You may then
// change other members, but not dim, because exponent_dim depends on dim. Presets with your own frequencies
// ("gaussian_fourier") set frequency_count; you set frequencies or frequencies_f32. On failure *spec stays as
// it was, and *report names the preset that you may have meant. report may be NULL.
POSENC_CALL posenc_spec_preset(posenc_spec* spec, size_t struct_size, const char* name, size_t dim,
                               posenc_model_report* report);

// How the code of a preset's source rounds phases. Set spec.phase_rounding to the result, to get the same
// phases. The result is POSENC_NO_PHASE_ROUNDING if posenc cannot round as that code does, and -1 if no
// preset has the name.
POSENC_API posenc_phase_rounding posenc_spec_preset_rounding(const char* name);

// Fills presets [capacity], as far as they fit, and returns how many there are. presets may be NULL.
POSENC_API size_t posenc_spec_presets(posenc_preset* presets, size_t capacity);

// Sets all members of *spec to a preset for heads of head_dim elements. base, factor and lengths are the
// numbers of one model of the family. posenc_rotary_presets lists the formula and the source. If your model
// has another base, factor or length, set that member afterwards. Two presets are not complete:
// "phi3_longrope" needs factors, and "grok1_yarn_log" needs original_length. On failure, such as a head_dim
// that does not suit the preset, *spec stays as it was. report may be NULL.
POSENC_CALL posenc_rotary_spec_preset(posenc_rotary_spec* spec, size_t struct_size, const char* name,
                                      size_t head_dim, posenc_model_report* report);

// Fills presets [capacity], as far as they fit, and returns how many there are. presets may be NULL.
POSENC_API size_t posenc_rotary_presets(posenc_preset* presets, size_t capacity);

// Configurations. posenc_rotary_spec_from_config makes the spec of a rotary from the keys and values of a
// config.json, as transformers, vLLM and mlx-lm read it, or of a GGUF file, as llama.cpp reads it. Parse the
// file with your own parser, and pass one entry for each key.
//
//   posenc_config_entry entries[] = {
//       {.key = "model_type", .kind = POSENC_CONFIG_STRING, .string = "llama"},
//       {.key = "hidden_size", .number = 4096},
//       {.key = "num_attention_heads", .number = 32},
//       {.key = "rope_theta", .number = 500000},
//       {.key = "rope_scaling.rope_type", .kind = POSENC_CONFIG_STRING, .string = "linear"},
//       {.key = "rope_scaling.factor", .number = 4}};
//   posenc_config config = {.entries = entries, .count = 6};
//   posenc_model_report report;
//   posenc_rotary_spec spec;
//   posenc_status status = posenc_rotary_spec_from_config(&spec, sizeof(spec), &config, &report);
//   if (status != POSENC_OK) printf("%s\n", report.text);

// What the value of a key is.
enum POSENC_ENUM(posenc_config_kind) {
  POSENC_CONFIG_NUMBER = 0,   // number
  POSENC_CONFIG_FLAG = 1,     // number, which is 0 (false) or 1 (true)
  POSENC_CONFIG_STRING = 2,   // string
  POSENC_CONFIG_NUMBERS = 3,  // numbers [count]
  POSENC_CONFIG_NULL = 4,     // nothing: the key has the value null
  POSENC_CONFIG_FLAGS = 5     // numbers [count], which are 0 (false) or 1 (true)
};

// A key with its value. A dictionary has no entry itself, but each key in it has one: "rope_scaling.factor".
// (If a key has null instead of a dictionary, it is an entry of the kind NULL.) A list of strings becomes an
// entry for each string, whose key ends with the index: "layer_types.3". An empty list is of the kind
// NUMBERS. Three more kinds have numbers instead of names. Their entries have no value:
//   -1  a list of mixed kinds, or another value that has no kind above
//   -2  an empty dictionary
//   -3  a list that you do not pass, because it has more than POSENC_MAX_HEAD_DIM / 2 items
// This struct will not grow.
typedef struct posenc_config_entry {
  const char* key;          // posenc_model_report.key may point here
  posenc_config_kind kind;  // of the value: says which member below is read
  double number;            // of a NUMBER or a FLAG
  const char* string;       // of a STRING
  const double* numbers;    // of NUMBERS and FLAGS. Keep the array until creation: the spec may point to it
  size_t count;             // how many numbers
} posenc_config_entry;

// A configuration, and a question about it. Entries may have any order, but two entries that are read must
// not have the same key. Clear the struct, then set entries, count and what you need. It will not grow.
typedef struct posenc_config {
  const posenc_config_entry* entries;  // all keys of a config.json, or of the metadata of a GGUF file
  size_t count;                        // of entries
  const int64_t* layer;                // the number of a layer, from 0 on, or NULL
  const char* layer_type;              // a type of layer, such as "sliding_attention", or NULL
  const char* model_type;              // instead of the configuration's model_type, or NULL
  const posenc_pairing* pairing;       // for a model that posenc does not know, or NULL
  unsigned char* read;  // NULL, or an array [count] to write: 1 for each entry that was used, else 0
} posenc_config;

// Sets all members of *spec as the rotary embedding of the configuration's model needs them.
//
// - posenc reads keys as the model's own code does. For a missing key posenc takes the default of that code.
// - The function fails for a model that posenc does not know, for a key about positions that the model's code
//   does not read, and for a configuration without a key that the code needs. Keys that are not about
//   positions, and keys about other parts of a model ("vision_config.hidden_size"), are ignored.
// - For a config.json of an unknown model, you may set pairing. posenc then reads the keys that most models
//   read, and assumes that the model rotates by +p along one axis, in all layers, and whole heads unless
//   partial_rotary_factor is given. The keys head_dim and rope_theta must be given.
// - If a GGUF file has the tensors "rope_freqs.weight", "rope_factors_short.weight" or
//   "rope_factors_long.weight", pass their values as NUMBERS, with these names as keys.
// - For scalings that use the member length, this function sets length to original_length. Then set length to
//   the context that you need.
// - If layers rotate differently, set layer or layer_type, else the call fails. If all layers
//   that rotate do so alike, you need set neither: the spec is for these layers. To see which layers
//   rotate, set layer to each, and read report->rotates.
// - posenc_rotary_create accepts the spec, unless its frequencies are out of range, as with a rope_theta of
//   1e41.
//
// On failure *spec stays as it was, and *report says why. report may be NULL.
POSENC_CALL posenc_rotary_spec_from_config(posenc_rotary_spec* spec, size_t struct_size,
                                           const posenc_config* config, posenc_model_report* report);

// Token ids with padding. This struct will not grow.
typedef struct posenc_ids {
  posenc_type type;    // I32 or I64
  const void* data;    // [batch, stride]; the columns after the first `sequence` ones are not read
  size_t stride;       // in elements; at least sequence
  int64_t padding_id;  // at least -2^31
} posenc_ids;

// Numbers the tokens of a batch with padding, as fairseq's make_positions and transformers'
// create_position_ids_from_input_ids do, for posenc_embed_at. For s = 0 .. sequence - 1:
//
//   positions[b][s] = padding_id               if ids[b][s] is padding_id
//   positions[b][s] = padding_id + past + n    else
//
// n is how many of ids[b][0] .. ids[b][s] are not padding_id. past is the number of tokens that came before
// (past_key_values_length), or 0. positions is [batch, stride]. Unlike in other functions, the type of this
// posenc_rows is I32 or I64. The stride must be at least sequence. posenc_embed_at reads positions without
// gaps, so for it the stride must be sequence. positions must not overlap ids. padding_id + past + sequence
// must be at most 2^31 and fit the type.
POSENC_CALL posenc_positions_from_ids(const posenc_ids* ids, size_t batch, size_t sequence, int64_t past,
                                      const posenc_rows* positions);

// What posenc_positions_from_mask (below) makes of a count n. n is the y or the x of a cell. m is the last
// count in the column of the cell (for y) or in the row of the cell (for x). f32() and f64() round to
// nearest.
enum POSENC_ENUM(posenc_normalization) {
  POSENC_NO_NORMALIZATION = 0,  // n
  // f32(f32(f32(n + f32(offset)) / f32(m + f32(1e-6))) * f32(scale)), what DETR, Conditional DETR and
  // Mask2Former compute with offset 0, Deformable DETR with -0.5.
  POSENC_NORMALIZE_F32 = 1,
  POSENC_NORMALIZE_F64 = 2  // f64(f64(f64(n + offset) / f64(m + f64(1e-6))) * scale)
};

// The cells of an image. This struct will not grow.
typedef struct posenc_mask {
  const uint8_t* padding;  // [height * width], row after row: 0 if the cell belongs to the image, another
                           // byte if it is padding. NULL if no cell is padding
  size_t height;           // at most 2^31
  size_t width;            // at most 2^31
} posenc_mask;

// Writes two counts for each cell of an image, y and x [height * width], row after row, as DETR does. Cells
// of padding get counts, too:
//
//   y[r][c] = how many of the cells (0, c) .. (r, c) are not padding
//   x[r][c] = how many of the cells (r, 0) .. (r, c) are not padding
//
// Then each count is normalized, unless normalization is POSENC_NO_NORMALIZATION. scale 0 means 2 pi, rounded
// to double. scale and offset must be in -2^31 .. 2^31. y, x and the mask must not overlap.
//
// DETR encodes y in the first half of the columns and x in the second half. Make the encoder from the preset
// "detr" for dim / 2 columns. The preset sets position_offset to 1, for positions that begin with 0. Set it
// back to 0 before creation, because these counts begin with 1 already:
//
//   posenc_list rows = {POSENC_F64, y}, columns = {POSENC_F64, x};
//   posenc_rows first = {POSENC_F32, out, dim}, second = {POSENC_F32, out + dim / 2, dim};
//   status = posenc_write_at(encoder, &rows, height * width, &first, NULL);
//   if (status == POSENC_OK) status = posenc_write_at(encoder, &columns, height * width, &second, NULL);
POSENC_CALL posenc_positions_from_mask(const posenc_mask* mask, posenc_normalization normalization,
                                       double scale, double offset, double* y, double* x);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_MODELS_C_H_
