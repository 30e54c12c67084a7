// The oldest 90 tokens left the cache, so each key moves 90 positions back: it is rotated again, by the
// difference.
#include <posenc/models_c.h>
#include <stdio.h>

enum { TOKENS = 10, HEADS = 8, DIM = 128, ROW = HEADS * DIM };
static float keys[TOKENS * ROW];

int main(void) {
  posenc_heads cached = {.type = POSENC_F32, .data = keys, .token_stride = ROW, .head_stride = DIM};
  posenc_rotary *rotary = NULL, *shift = NULL;
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), "yarn_qwen2_5", DIM, NULL);
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  spec.amplitude = 1.0;  // the keys in the cache already have YaRN's amplitude
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &shift);
  keys[0] = 1.0f;
  cached.heads = HEADS;
  if (status == POSENC_OK) status = posenc_rotate(rotary, 100, TOKENS, &cached, 1);
  cached.heads = TOKENS * HEADS;  // all keys move equally far, so they may be heads of one token
  if (status == POSENC_OK) status = posenc_rotate(shift, -90, 1, &cached, 1);
  if (status == POSENC_OK) printf("%.5f %.5f\n", keys[0], posenc_rotary_amplitude(rotary));  // A cos 10, A
  posenc_rotary_destroy(shift);
  posenc_rotary_destroy(rotary);
  return status != POSENC_OK;
}
// prints: -0.95539 1.13863
