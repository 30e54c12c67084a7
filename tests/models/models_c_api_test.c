/* The C ABI of models from strict C99: presets, configurations and positions, as a runtime would use them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "posenc/models_c.h"

#define DIM 6

static int failures = 0;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++failures;                                                               \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

#define CHECK_OK(call)                                                                                    \
  do {                                                                                                    \
    const posenc_status check_status = (call);                                                            \
    if (check_status != POSENC_OK) {                                                                      \
      ++failures;                                                                                         \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, posenc_status_message(check_status)); \
    }                                                                                                     \
  } while (0)

static int IsNear(float got, double want) { return fabs((double)got - want) < 1e-6; }

static void CheckPresets(void) {
  posenc_preset presets[256];
  const size_t count = posenc_spec_presets(presets, 256);
  posenc_spec spec;
  posenc_encoder* encoder = NULL;
  float row[DIM];
  CHECK(count > 40 && count <= 256 && posenc_spec_presets(NULL, 0) == count);
  CHECK(strcmp(presets[0].name, "attention_is_all_you_need") == 0 && presets[count - 1].source[0] != '\0');
  CHECK_OK(posenc_spec_preset(&spec, sizeof(spec), "ctranslate2", DIM));
  CHECK(spec.dim == DIM && spec.exponent_dim == 4.0 && spec.layout == POSENC_SIN_COS);
  CHECK(posenc_spec_preset_rounding("fairseq") == POSENC_F32_EXP && posenc_spec_preset_rounding("") == -1);
  CHECK_OK(posenc_encoder_create(&spec, &encoder));
  CHECK_OK(posenc_write(encoder, 0, 1, POSENC_F32, row, DIM));
  CHECK(IsNear(row[0], sin(1.0)) && IsNear(row[2], sin(1e-4)) && IsNear(row[3], cos(1.0)));
  posenc_encoder_destroy(encoder);
  CHECK(posenc_spec_preset(&spec, sizeof(spec), "no such", DIM) == POSENC_UNKNOWN_PRESET);
}

static void CheckPresetsOfRotaries(void) {
  posenc_preset presets[256];
  const size_t count = posenc_rotary_presets(presets, 256);
  posenc_rotary_spec spec;
  posenc_rotary* rotary = NULL;
  CHECK(count > 40 && count <= 256 && posenc_rotary_presets(NULL, 0) == count && presets[0].name[0] != '\0');
  CHECK_OK(posenc_rotary_spec_preset(&spec, sizeof(spec), "llama3", 128));
  CHECK(spec.head_dim == 128 && spec.base == 500000.0 && spec.scaling == POSENC_LLAMA3);
  CHECK_OK(posenc_rotary_create(&spec, &rotary));
  CHECK(posenc_rotary_head_dim(rotary) == 128);
  posenc_rotary_destroy(rotary);
}

static void CheckConfiguration(void) {
  posenc_config_entry entries[2] = {{0}};
  posenc_config config = {0};
  posenc_config_report report;
  posenc_rotary_spec spec;
  entries[0].key = "model_type";
  entries[0].kind = POSENC_CONFIG_STRING;
  entries[0].string = "llama";
  entries[1].key = "head_dim";
  entries[1].kind = POSENC_CONFIG_NUMBER;
  entries[1].number = 64.0;
  config.entries = entries;
  config.count = 2;
  config.layer = POSENC_NO_LAYER;
  CHECK_OK(posenc_rotary_spec_from_config(&spec, sizeof(spec), &config, &report));
  CHECK(spec.head_dim == 64 && spec.base == 10000.0 && report.text[0] == '\0');
  entries[0].string = "none";
  CHECK(posenc_rotary_spec_from_config(&spec, sizeof(spec), &config, &report) == POSENC_UNKNOWN_MODEL);
  CHECK(report.text[0] != '\0');
}

static void CheckPositions(void) {
  const int32_t ids[3] = {3, 1, 4};
  const uint8_t mask[3] = {0, 0, 1};
  int64_t positions[3];
  double y[3], x[3];
  CHECK_OK(posenc_positions_from_ids(POSENC_I32, ids, 1, 3, 3, 1, 0, POSENC_I64, positions, 3));
  CHECK(positions[0] == 2 && positions[1] == 1 && positions[2] == 3);
  CHECK_OK(posenc_positions_from_mask(mask, 1, 3, POSENC_NO_NORMALIZATION, 0.0, 0.0, y, x));
  CHECK(y[0] == 1.0 && y[1] == 1.0 && y[2] == 0.0 && x[0] == 1.0 && x[1] == 2.0 && x[2] == 2.0);
  CHECK_OK(posenc_positions_from_mask(NULL, 1, 1, POSENC_NORMALIZE_F32, 0.0, 0.0, y, x));
  CHECK(y[0] == x[0] && y[0] < 6.2832 && y[0] > 6.2831);
}

int main(void) {
  CheckPresets();
  CheckPresetsOfRotaries();
  CheckConfiguration();
  CheckPositions();
  return failures == 0 ? 0 : 1;
}
