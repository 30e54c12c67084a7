/* Compares ggml's operator GGML_OP_TIMESTEP_EMBEDDING with posenc. posenc gets the frequencies that ggml's
   expf makes. Every value must be within a float of the correctly rounded one, and odd dims must have the
   same column of zeros. The exit status is 0 on success. */
#include <ggml-cpu.h>
#include <ggml.h>
#include <math.h>
#include <posenc/models_c.h>
#include <posenc/posenc_c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, MAX_DIM = 321, MAX_PERIOD = 10000 };

static float timesteps[ROWS], ours[ROWS * MAX_DIM], theirs[ROWS * MAX_DIM];

static int RunGgml(int dim) {
  const struct ggml_init_params params = {(size_t)1 << 24, NULL, false};
  struct ggml_context* context = ggml_init(params);
  struct ggml_tensor* input = ggml_new_tensor_1d(context, GGML_TYPE_F32, ROWS);
  struct ggml_tensor* result = ggml_timestep_embedding(context, input, dim, MAX_PERIOD);
  struct ggml_cgraph* graph = ggml_new_graph(context);
  int failed;
  memcpy(input->data, timesteps, sizeof(timesteps));
  ggml_build_forward_expand(graph, result);
  failed = ggml_graph_compute_with_ctx(context, graph, 1) != GGML_STATUS_SUCCESS;
  memcpy(theirs, result->data, (size_t)ROWS * (size_t)dim * sizeof(float));
  ggml_free(context);
  return failed;
}

static int RunPosenc(const posenc_spec* spec) {
  const posenc_list positions = {POSENC_F32, timesteps};
  const posenc_rows out = {POSENC_F32, ours, spec->dim};
  posenc_encoder* encoder = NULL;
  posenc_status status = posenc_encoder_create(spec, &encoder);
  if (status == POSENC_OK) status = posenc_write_at(encoder, &positions, ROWS, &out, NULL);
  posenc_encoder_destroy(encoder);
  if (status != POSENC_OK) puts(posenc_status_message(status));
  return status != POSENC_OK;
}

/* How many floats a and b are apart. */
static int64_t Apart(float a, float b) {
  int32_t x, y;
  memcpy(&x, &a, sizeof(x));
  memcpy(&y, &b, sizeof(y));
  return llabs((x < 0 ? -(int64_t)(x & INT32_MAX) : x) - (y < 0 ? -(int64_t)(y & INT32_MAX) : y));
}

static int64_t Worst(int dim) {
  int64_t worst = 0;
  int i;
  for (i = 0; i < ROWS * dim; ++i) {
    const int64_t apart = Apart(ours[i], theirs[i]);
    if (apart > worst) worst = apart;
  }
  return worst;
}

static posenc_status Preset(posenc_spec* spec, int dim) {
  return posenc_spec_preset(spec, sizeof(*spec), "ggml_timestep", (size_t)dim, NULL);
}

static int Compare(int dim) {
  const int half = dim / 2;
  float frequencies[MAX_DIM / 2];
  int64_t worst_of_list;
  int i;
  posenc_spec spec;
  for (i = 0; i < half; ++i) frequencies[i] = expf(-logf((float)MAX_PERIOD) * (float)i / (float)half);
  if (RunGgml(dim)) return 1;
  if (posenc_spec_preset(&spec, sizeof(spec), "ggml_timestep", (size_t)dim, NULL) != POSENC_OK) return 1;

  spec.phase_rounding = POSENC_F32_LIST;
  spec.frequencies_f32 = frequencies;
  spec.frequency_count = (size_t)half;
  if (RunPosenc(&spec)) return 1;
  worst_of_list = Worst(dim);

  if (posenc_spec_preset(&spec, sizeof(spec), "ggml_timestep", (size_t)dim, NULL) != POSENC_OK) return 1;
  spec.phase_rounding = posenc_spec_preset_rounding("ggml_timestep");
  if (RunPosenc(&spec)) return 1;
  printf("dim %d: within %lld floats of posenc with its frequencies, %lld with the recipe\n", dim,
         (long long)worst_of_list, (long long)Worst(dim));
  for (i = 0; dim % 2 != 0 && i < ROWS; ++i) {
    if (ours[(i + 1) * dim - 1] != 0.0f || theirs[(i + 1) * dim - 1] != 0.0f) return 1;
  }
  return worst_of_list > 1;
}

int main(void) {
  int i;
  for (i = 0; i < ROWS; ++i) timesteps[i] = 15.65625f * (float)i * (i < ROWS / 2 ? 1.0f : 1000.0f);
  return Compare(320) | Compare(321) | Compare(15) | Compare(2);
}
