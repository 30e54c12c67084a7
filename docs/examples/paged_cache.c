// Keys go into a paged cache: blocks of 16 tokens, which lie anywhere in a pool. Each call fills one block.
#include <posenc/rotary_c.h>
#include <stdio.h>

enum { HEADS = 8, DIM = 128, ROW = HEADS * DIM, BLOCK = 16, BLOCKS = 6, TOKENS = 40 };
static float projected[TOKENS * ROW], pool[BLOCKS * BLOCK * ROW];

int main(void) {
  static const size_t block_table[] = {5, 0, 3};  // the blocks of this sequence
  posenc_rotary* rotary = NULL;
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
  spec.head_dim = DIM;
  for (size_t t = 0; t < TOKENS; ++t) projected[t * ROW] = 1.0f;
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  for (size_t t = 0, n; t < TOKENS && status == POSENC_OK; t += n) {
    const size_t slot = block_table[t / BLOCK] * BLOCK + t % BLOCK, room = BLOCK - t % BLOCK;
    posenc_heads keys = {.type = POSENC_F32, .heads = HEADS, .token_stride = ROW, .head_stride = DIM};
    keys.source = projected + t * ROW;
    keys.data = pool + slot * ROW;
    n = room < TOKENS - t ? room : TOKENS - t;
    status = posenc_rotate(rotary, (int64_t)t, n, &keys, 1);
  }
  posenc_rotary_destroy(rotary);
  printf("%.7f %.7f\n", pool[5 * BLOCK * ROW], pool[(3 * BLOCK + 7) * ROW]);  // cos 0, cos 39
  return status != POSENC_OK;
}
// prints: 1.0000000 0.2666429
