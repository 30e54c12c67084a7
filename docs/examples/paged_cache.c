// A decode step of a batch: the rotated keys go straight to the slots of a paged KV cache, in one call.
#include <posenc/rotary_slots_c.h>
#include <stdio.h>

enum { TOKENS = 3, HEADS = 8, DIM = 128, ROW = HEADS * DIM, BLOCKS = 64, BLOCK = 16 };
static float projected[TOKENS * ROW], cache[BLOCKS * BLOCK * ROW];  // cache [BLOCKS, BLOCK, HEADS, DIM]

int main(void) {
  static const int32_t n_past[TOKENS] = {40, 7, 300};  // the position of each sequence's token
  const posenc_list positions = {POSENC_I32, n_past};
  static const int64_t slot_mapping[TOKENS] = {5 * BLOCK + 8, -1, 41 * BLOCK + 12};  // -1: not written
  const posenc_slots slots = {{POSENC_I64, slot_mapping}, BLOCKS * BLOCK, BLOCK, BLOCK * ROW, ROW};
  posenc_heads keys = {.type = POSENC_F32, .data = cache, .heads = HEADS, .head_stride = DIM};
  posenc_rotary* rotary = NULL;
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
  spec.head_dim = DIM;
  projected[0] = 1.0f;
  keys.slots = &slots;
  keys.source = projected;
  keys.source_token_stride = ROW;
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK) status = posenc_rotate_at(rotary, &positions, TOKENS, &keys, 1, NULL);
  posenc_rotary_destroy(rotary);
  return status == POSENC_OK ? printf("%.7f\n", cache[(5 * BLOCK + 8) * ROW]) < 0 : 1;  // cos 40
}
// prints: -0.6669381
