/* Calls the C interface of models from strict C99: presets, configurations and positions, as a runtime would
   use them. */
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

/* Whether the status is a refusal of this kind, and its sentence contains these words. */
static int IsRefusal(posenc_status status, posenc_kind kind, const char* words) {
  return posenc_status_kind(status) == kind && strstr(posenc_status_message(status), words) != NULL;
}

static void CheckPresets(void) {
  posenc_preset presets[256];
  const size_t count = posenc_spec_presets(presets, 256);
  posenc_spec spec;
  posenc_encoder* encoder = NULL;
  posenc_model_report report;
  float row[DIM];
  posenc_rows rows;
  CHECK(count > 40 && count <= 256 && posenc_spec_presets(NULL, 0) == count);
  CHECK(strcmp(presets[0].name, "attention_is_all_you_need") == 0 && presets[count - 1].source[0] != '\0');
  CHECK_OK(posenc_spec_preset(&spec, sizeof(spec), "ctranslate2", DIM, NULL));
  CHECK(spec.dim == DIM && spec.exponent_dim == 4.0 && spec.layout == POSENC_SIN_COS);
  CHECK(posenc_spec_preset_rounding("fairseq") == POSENC_F32_EXP && posenc_spec_preset_rounding("") == -1);
  CHECK_OK(posenc_encoder_create(&spec, &encoder));
  rows.type = POSENC_F32;
  rows.data = row;
  rows.stride = DIM;
  CHECK_OK(posenc_write(encoder, 0, 1, &rows));
  CHECK(IsNear(row[0], sin(1.0)) && IsNear(row[2], sin(1e-4)) && IsNear(row[3], cos(1.0)));
  posenc_encoder_destroy(encoder);
  CHECK(IsRefusal(posenc_spec_preset(&spec, sizeof(spec), "fairsec", DIM, &report), POSENC_BAD_ARGUMENT,
                  "no preset has that name"));
  CHECK(strstr(report.text, "did you mean \"fairseq\"?") != NULL && strcmp(report.key, "fairsec") == 0);
}

static void CheckPresetsOfRotaries(void) {
  posenc_preset presets[256];
  const size_t count = posenc_rotary_presets(presets, 256);
  posenc_rotary_spec spec;
  posenc_rotary* rotary = NULL;
  CHECK(count > 40 && count <= 256 && posenc_rotary_presets(NULL, 0) == count && presets[0].name[0] != '\0');
  CHECK_OK(posenc_rotary_spec_preset(&spec, sizeof(spec), "llama3", 128, NULL));
  CHECK(spec.head_dim == 128 && spec.base == 500000.0 && spec.scaling == POSENC_LLAMA3);
  CHECK_OK(posenc_rotary_create(&spec, &rotary));
  CHECK(posenc_rotary_head_dim(rotary) == 128);
  posenc_rotary_destroy(rotary);
}

static void CheckConfiguration(void) {
  posenc_config_entry entries[2] = {{0}};
  posenc_config config = {0};
  posenc_model_report report;
  posenc_rotary_spec spec;
  entries[0].key = "model_type";
  entries[0].kind = POSENC_CONFIG_STRING;
  entries[0].string = "llama";
  entries[1].key = "head_dim";
  entries[1].kind = POSENC_CONFIG_NUMBER;
  entries[1].number = 64.0;
  config.entries = entries;
  config.count = 2;
  CHECK_OK(posenc_rotary_spec_from_config(&spec, sizeof(spec), &config, &report));
  CHECK(spec.head_dim == 64 && spec.base == 10000.0 && report.text[0] == '\0');
  entries[0].string = "none";
  CHECK(IsRefusal(posenc_rotary_spec_from_config(&spec, sizeof(spec), &config, &report), POSENC_BAD_ARGUMENT,
                  "does not know that model"));
  CHECK(report.text[0] != '\0');
}

static void CheckPositions(void) {
  const int32_t ids[3] = {3, 1, 4};
  const uint8_t mask[3] = {0, 0, 1};
  int64_t positions[3];
  double y[3], x[3];
  posenc_ids tokens = {POSENC_I32, NULL, 3, 1};
  posenc_rows numbered = {POSENC_I64, NULL, 3};
  posenc_mask cells = {NULL, 1, 3};
  tokens.data = ids;
  numbered.data = positions;
  CHECK_OK(posenc_positions_from_ids(&tokens, 1, 3, 0, &numbered));
  CHECK(positions[0] == 2 && positions[1] == 1 && positions[2] == 3);
  cells.padding = mask;
  CHECK_OK(posenc_positions_from_mask(&cells, POSENC_NO_NORMALIZATION, 0.0, 0.0, y, x));
  CHECK(y[0] == 1.0 && y[1] == 1.0 && y[2] == 0.0 && x[0] == 1.0 && x[1] == 2.0 && x[2] == 2.0);
  cells.padding = NULL;
  cells.width = 1;
  CHECK_OK(posenc_positions_from_mask(&cells, POSENC_NORMALIZE_F32, 0.0, 0.0, y, x));
  CHECK(y[0] == x[0] && y[0] < 6.2832 && y[0] > 6.2831);
}

int main(void) {
  CheckPresets();
  CheckPresetsOfRotaries();
  CheckConfiguration();
  CheckPositions();
  return failures == 0 ? 0 : 1;
}
