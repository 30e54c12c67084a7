// What posenc knows about models, for C (C99): named conventions (presets), rotary embeddings by a model's
// configuration, and positions as models number them. All of it only fills specs and lists of positions, for
// the functions of posenc_c.h and rotary_c.h. A posenc that was built with POSENC_BUILD_MODELS=OFF does not
// have these functions.
//
//   to do this                                                  call this
//   fill the spec of an encoder by the name of a convention     posenc_spec_preset
//   keep the phases of a convention's source                    posenc_spec_preset_rounding
//   list the conventions of encoders                            posenc_spec_presets
//   fill the spec of a rotary by the name of a model family     posenc_rotary_spec_preset
//   list these families                                         posenc_rotary_presets
//   fill the spec of a rotary by a config.json or a GGUF file   posenc_rotary_spec_from_config
//   number tokens, where sequences have padding                 posenc_positions_from_ids
//   number the cells of an image that has a mask                posenc_positions_from_mask
//
// docs/conventions.md and docs/rotary-presets.md have the presets, docs/models.md the models whose
// configurations posenc knows. What posenc_c.h says about memory, threads, the floating-point state and
// statuses holds here too.
#ifndef POSENC_MODELS_C_H_
#define POSENC_MODELS_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_config_kind, posenc_normalization;
#endif

// What a function found. After a refusal, text says why: it is one sentence, and says what would be right.
// This struct will not grow.
typedef struct posenc_model_report {
  const char* key;      // the key or preset at fault; "" if there is none. The caller's, or constant text
  size_t index;         // of the key among the entries of a configuration; their count if it is not there
  int64_t layers;       // how many layers the model has; 0 if the configuration does not say
  int32_t rotates;      // 0: the layer does not rotate, or the model does not, so there is no spec
  char model_type[64];  // the type under which posenc knows the model; "" if it does not
  char source[64];      // the code in which that was read, such as "transformers, models/llama"; or ""
  char text[512];       // why there is no spec; "" if there is one
} posenc_model_report;

// A convention with a name. This struct will not grow.
typedef struct posenc_preset {
  const char* name;     // such as "fairseq", "llama3"
  const char* formula;  // in one line
  const char* source;   // project, file, function
} posenc_preset;

// Sets all members of *spec as a preset has them for rows of `dim` columns, without a phase rounding. Change
// what differs afterwards, but not dim, because exponent_dim follows from it. If the frequencies of a preset
// are your own ("gaussian_fourier"), it sets frequency_count, and you set one of the two arrays. On failure
// *spec stays as it was. report may be null; it names the preset that you may have meant.
POSENC_CALL posenc_spec_preset(posenc_spec* spec, size_t struct_size, const char* name, size_t dim,
                               posenc_model_report* report);

// How the source of a preset rounds its phases: set spec.phase_rounding to match its tables. It is
// POSENC_NO_PHASE_ROUNDING if posenc does not have the source's rounding, and -1 if no preset has that name.
POSENC_API posenc_phase_rounding posenc_spec_preset_rounding(const char* name);

// Fills presets [capacity], as far as they fit, and returns how many there are. presets may be null.
POSENC_API size_t posenc_spec_presets(posenc_preset* presets, size_t capacity);

// Sets all members of *spec as a preset has them for heads of head_dim elements. Then set the lengths and
// factors that differ between the models of a family. A head_dim that does not suit the preset is refused.
// On failure *spec stays as it was. report may be null.
POSENC_CALL posenc_rotary_spec_preset(posenc_rotary_spec* spec, size_t struct_size, const char* name,
                                      size_t head_dim, posenc_model_report* report);

// Fills presets [capacity], as far as they fit, and returns how many there are. presets may be null.
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

// A configuration, and what is asked of it. Entries may have any order. This struct will not grow. Clear all
// of it, then set what you have.
typedef struct posenc_config {
  const posenc_config_entry* entries;  // of a config.json, or of a GGUF file with "general.architecture"
  size_t count;                        // of entries
  const int64_t* layer;                // the number of a layer, from 0 on; NULL: none is named
  const char* layer_type;              // a type of layer, such as "sliding_attention", or NULL
  const char* model_type;              // NULL: the configuration's own type or architecture
  const posenc_pairing* pairing;       // NULL: the pairing of the model, which posenc must know then
  unsigned char* read;                 // NULL, or [count]: becomes 1 for each entry that was read, else 0
} posenc_config;

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
// On failure *spec stays as it was, and *report says why: it names the key at fault, and says whether the
// layer rotates at all. report may be null.
POSENC_CALL posenc_rotary_spec_from_config(posenc_rotary_spec* spec, size_t struct_size,
                                           const posenc_config* config, posenc_model_report* report);

// Token ids with padding. This struct will not grow.
typedef struct posenc_ids {
  posenc_type type;    // I32 or I64
  const void* data;    // [batch, stride], of which the columns 0 .. sequence - 1 are used
  size_t stride;       // in elements; at least sequence
  int64_t padding_id;  // at least -2^31
} posenc_ids;

// Numbers the tokens of sequences with padding, as fairseq's make_positions and transformers'
// create_position_ids_from_input_ids do: positions[b][s] = padding_id + past + the number of ids[b][0] ..
// ids[b][s] that are not padding_id, but padding_id if ids[b][s] is padding_id. past is how many tokens came
// before (past_key_values_length): 0, or more for sequences that go on.
//
// positions [batch, stride] are I32 or I64, and stride is at least sequence. ids and positions must not
// overlap. padding_id + past + sequence, the largest position there may be, must be at most 2^31 and fit the
// type of positions, whatever the ids are. posenc_embed_at then takes the positions.
POSENC_CALL posenc_positions_from_ids(const posenc_ids* ids, size_t batch, size_t sequence, int64_t past,
                                      const posenc_rows* positions);

// What a running count n becomes if the last count of its column or row is m. f32() and f64() round each
// operation to nearest.
enum POSENC_ENUM(posenc_normalization) {
  POSENC_NO_NORMALIZATION = 0,  // n
  // f32(f32(f32(n + f32(offset)) / f32(m + f32(1e-6))) * f32(scale)), what DETR, Conditional DETR and
  // Mask2Former compute with offset 0, Deformable DETR with -0.5.
  POSENC_NORMALIZE_F32 = 1,
  POSENC_NORMALIZE_F64 = 2  // f64(f64(f64(n + offset) / f64(m + f64(1e-6))) * scale)
};

// The cells of an image. This struct will not grow.
typedef struct posenc_mask {
  const uint8_t* padding;  // [height * width], row after row: 0 is a cell, any other byte padding. Or NULL:
                           // all are cells
  size_t height;           // at most 2^31
  size_t width;            // at most 2^31
} posenc_mask;

// Numbers the cells of an image, as DETR does: y, x [height * width], row after row, of any alignment.
// y[r][c] counts the cells (0, c) .. (r, c) that are not padding. x[r][c] counts the cells (r, 0) .. (r, c)
// that are not padding. Both begin with 1, and a normalization changes them.
//
// scale 0 means 2 pi, rounded to double. Without a normalization, scale and offset change nothing. Both must
// be in -2^31 .. 2^31. y, x and the mask must not overlap.
//
// DETR encodes y in the first half of the columns and x in the second half. Make the encoder from the preset
// "detr" for dim / 2 columns, and set position_offset to 0, because these positions begin with 1 already:
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
