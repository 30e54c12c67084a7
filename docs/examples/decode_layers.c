// A decode step of several layers: cosines and sines are computed once, and used by all layers.
#include <posenc/models_c.h>
#include <posenc/rotary_angles_c.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 4, HEADS = 32 + 8, DIM = 128, N_PAST = 8 };
static float heads[LAYERS][HEADS * DIM];  // of q, then of k

int main(void) {
  posenc_rotary_spec spec;
  posenc_rotary* rotary = NULL;
  posenc_angles* angles = NULL;
  size_t bytes = 0;
  posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), "llama3", DIM, NULL);
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK) status = posenc_angles_memory_size(rotary, 1, &bytes);
  void* const memory = malloc(bytes);  // all steps may use it, one after another
  if (status == POSENC_OK) status = posenc_angles_make(rotary, N_PAST, 1, memory, bytes, &angles);
  for (int n = 0; n < LAYERS && status == POSENC_OK; ++n) {
    const posenc_heads all = {.type = POSENC_F32, .data = heads[n], .heads = HEADS, .head_stride = DIM};
    heads[n][0] = 1.0f;  // layer n computes q and k
    status = posenc_rotate_by_angles(rotary, angles, 0, 1, &all, 1);
  }
  free(memory);
  posenc_rotary_destroy(rotary);
  return status == POSENC_OK ? printf("%.7f %.7f\n", heads[3][0], heads[3][64]) < 0 : 1;  // cos 8, sin 8
}
// prints: -0.1455000 0.9893582
