// A batch of two prompts with 5 and 3 tokens. The shorter one has 2 tokens of padding on its left.
#include <posenc/posenc_c.h>
#include <stdio.h>

enum { BATCH = 2, TOKENS = 5, DIM = 512 };
static float x[BATCH][TOKENS][DIM];

int main(void) {
  static const int64_t first_positions[BATCH] = {0, -2};  // minus the number of padding tokens
  const posenc_batch batch = {BATCH, TOKENS * DIM, {POSENC_I64, first_positions}};
  const posenc_rows rows = {POSENC_F32, x, DIM};
  posenc_encoder* encoder = NULL;
  posenc_spec spec;
  posenc_status status = posenc_spec_init(&spec, sizeof(spec));
  spec.dim = DIM;
  if (status == POSENC_OK) status = posenc_encoder_create(&spec, &encoder);
  if (status == POSENC_OK) status = posenc_add_batch(encoder, &batch, 0, TOKENS, &rows, 1.0f, NULL);
  posenc_encoder_destroy(encoder);
  if (status != POSENC_OK) return puts(posenc_status_message(status)), 1;
  printf("%.7f %.7f %.7f\n", x[0][2][0], x[1][4][0], x[1][0][0]);  // sin 2, sin 2, and sin -2 in the padding
  return 0;
}
// prints: 0.9092974 0.9092974 -0.9092974
