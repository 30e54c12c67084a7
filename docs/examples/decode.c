// A decode loop: a prompt, then a token at a time. Keys are rotated on their way to the cache.
#include <posenc/models_c.h>
#include <stdio.h>

enum { HEADS = 8, DIM = 128, ROW = HEADS * DIM, PROMPT = 6, TOKENS = 8 };

int main(void) {
  static float projected[TOKENS * ROW], cache[TOKENS * ROW];
  posenc_rotary_spec spec;
  posenc_rotary* rotary = NULL;
  posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), "llama3", DIM, NULL);
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  for (size_t i = 0; i < TOKENS * ROW; ++i) projected[i] = 1.0f;
  for (size_t n_past = 0, n = PROMPT; n_past < TOKENS && status == POSENC_OK; n_past += n, n = 1) {
    const posenc_heads keys = {.type = POSENC_F32,
                               .data = cache + n_past * ROW,
                               .heads = HEADS,
                               .token_stride = ROW,
                               .head_stride = DIM,
                               .source = projected + n_past * ROW};
    status = posenc_rotate(rotary, (int64_t)n_past, n, &keys, 1);
  }
  posenc_rotary_destroy(rotary);
  if (status != POSENC_OK) return puts(posenc_status_message(status)), 1;
  printf("%.7f %.7f\n", cache[6 * ROW], cache[7 * ROW]);  // cos 6 - sin 6, cos 7 - sin 7
  return 0;
}
// prints: 1.2395858 0.0969157
