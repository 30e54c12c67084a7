// A graph of ggml in which posenc rotates q of one token, with 32 heads, at position 131071.
#include <stdio.h>

#include "posenc_ggml.h"

int main(void) {
  posenc_ggml_rope_arguments rope = {.head_dim = 128, .n_dims = 128, .mode = GGML_ROPE_TYPE_NEOX};
  struct ggml_context* ctx = ggml_init((struct ggml_init_params){1 << 24, NULL, false});
  struct ggml_cgraph* graph = ggml_new_graph(ctx);
  struct ggml_tensor* projected = ggml_new_tensor_3d(ctx, GGML_TYPE_F32, 128, 32, 1);
  struct ggml_tensor *positions = ggml_new_tensor_1d(ctx, GGML_TYPE_I32, 1), *q = NULL;
  for (size_t i = 0; i < 128 * 32; ++i) ((float*)projected->data)[i] = 1.0f;
  *(int32_t*)positions->data = 131071;
  rope.freq_base = 500000;
  rope.freq_scale = rope.attn_factor = 1;
  posenc_rotary_spec spec;
  const char* why = "the rotary cannot be created";
  posenc_rotary* rotary = NULL;  // one for all layers; it must outlive the graphs
  posenc_status status = posenc_ggml_rope_spec(&rope, &spec, &why);
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK)
    status = posenc_ggml_rope(ctx, projected, positions, rotary, /*in_place=*/0, &q, &why);
  if (status != POSENC_OK) return puts(why), 1;
  ggml_build_forward_expand(graph, q);
  ggml_backend_load_all();
  ggml_backend_graph_compute(ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, NULL), graph);
  printf("%.7f %.7f\n", ((float*)q->data)[0], ((float*)q->data)[1]);  // cos - sin of the first two pairs
}
// prints: -0.2427418 -1.3935056
