// One token, two threads: each rotates half of the heads. The bits are the same as in one call for all heads.
#include <posenc/rotary_c.h>
#include <pthread.h>
#include <stdio.h>

enum { HEADS = 32 + 8, DIM = 128, THREADS = 2, SHARE = HEADS / THREADS };
static float heads[HEADS * DIM];  // of q, then of k
static posenc_rotary* rotary;     // shared: it never changes

static void* RotateShare(void* first) {
  const posenc_heads share = {
      .type = POSENC_F32, .data = first, .heads = SHARE, .token_stride = SHARE * DIM, .head_stride = DIM};
  return posenc_rotate(rotary, 131071, 1, &share, 1) == POSENC_OK ? NULL : first;
}

int main(void) {
  posenc_rotary_spec spec;
  if (posenc_rotary_spec_init(&spec, sizeof(spec)) != POSENC_OK) return 1;
  spec.head_dim = DIM;
  if (posenc_rotary_create(&spec, &rotary) != POSENC_OK) return 1;
  heads[0] = heads[SHARE * DIM] = 1.0f;
  pthread_t other;
  void* failed = &spec;
  if (pthread_create(&other, NULL, RotateShare, heads + SHARE * DIM) != 0) return 1;
  if (RotateShare(heads) != NULL || pthread_join(other, &failed) != 0 || failed != NULL) return 1;
  posenc_rotary_destroy(rotary);
  printf("%.7f %.7f\n", heads[0], heads[SHARE * DIM]);  // cos 131071, twice
}
// prints: -0.8179835 -0.8179835
