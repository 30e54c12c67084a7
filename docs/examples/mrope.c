// M-RoPE of Qwen2-VL: each token has three positions. One text token, 2 x 2 patches of an image, one text
// token.
#include <posenc/models_c.h>
#include <stdio.h>

enum { TOKENS = 6, HEADS = 28, DIM = 128, ROW = HEADS * DIM };
static float q[TOKENS * ROW];

int main(void) {
  static const int32_t ids[3][TOKENS] = {{0, 1, 1, 1, 1, 3},   // time
                                         {0, 1, 1, 2, 2, 3},   // y
                                         {0, 1, 2, 1, 2, 3}};  // x
  const posenc_list positions = {POSENC_I32, ids};
  const posenc_heads heads = {
      .type = POSENC_F32, .data = q, .heads = HEADS, .token_stride = ROW, .head_stride = DIM};
  posenc_rotary* rotary = NULL;
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), "qwen2_vl", DIM, NULL);
  q[4 * ROW] = q[4 * ROW + 16] = q[4 * ROW + 40] = 1.0f;  // the last patch, the first pair of each axis
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK) status = posenc_rotate_at(rotary, &positions, TOKENS, &heads, 1, NULL);
  if (status == POSENC_OK)  // cos(1 w_0), cos(2 w_16), cos(2 w_40)
    printf("%.7f %.7f %.7f\n", q[4 * ROW], q[4 * ROW + 16], q[4 * ROW + 40]);
  posenc_rotary_destroy(rotary);
  return status != POSENC_OK;
}
// prints: 0.5403023 0.9980007 0.9999999
