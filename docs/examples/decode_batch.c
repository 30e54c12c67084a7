// A decode step of three sequences with different lengths: one call, with a position for each sequence.
#include <posenc/rotary_c.h>
#include <stdio.h>

enum { BATCH = 3, HEADS = 8, DIM = 128, ROW = HEADS * DIM };
static float q[BATCH * ROW];

int main(void) {
  static const int32_t n_past[BATCH] = {4, 1000, 131071};
  const posenc_list positions = {POSENC_I32, n_past};
  const posenc_heads heads = {
      .type = POSENC_F32, .data = q, .heads = HEADS, .token_stride = ROW, .head_stride = DIM};
  posenc_rotary* rotary = NULL;
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
  spec.head_dim = DIM;
  for (size_t b = 0; b < BATCH; ++b) q[b * ROW] = 1.0f;
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK) status = posenc_rotate_at(rotary, &positions, BATCH, &heads, 1, NULL);
  posenc_rotary_destroy(rotary);
  if (status != POSENC_OK) return puts(posenc_status_message(status)), 1;
  printf("%.7f %.7f %.7f\n", q[0], q[ROW], q[2 * ROW]);  // cos 4, cos 1000, cos 131071
  return 0;
}
// prints: -0.6536436 0.5623791 -0.8179835
