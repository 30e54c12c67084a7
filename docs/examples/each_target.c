// How long does a decode step take with each instruction set of this machine, and are the bits the same?
#include <posenc/rotary_c.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static float want[40 * 128], x[40 * 128];  // 40 heads of 128 elements

int main(void) {
  posenc_heads q = {.type = POSENC_F32, .data = x, .heads = 40, .token_stride = 40 * 128, .head_stride = 128};
  posenc_target targets[POSENC_MAX_TARGETS];
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
  spec.head_dim = 128;
  for (size_t t = 0, n = posenc_targets(targets, POSENC_MAX_TARGETS); t < n; ++t) {
    posenc_rotary* rotary = NULL;
    spec.target = targets[t].name;
    if (!targets[t].runnable || posenc_rotary_create(&spec, &rotary) != POSENC_OK) continue;
    for (size_t i = 0; i < 40 * 128; ++i) x[i] = (float)i;
    const clock_t begin = clock();
    for (int p = 0; p < 1000 && status == POSENC_OK; ++p) status = posenc_rotate(rotary, p, 1, &q, 1);
    fprintf(stderr, "%s: %.1f us\n", spec.target, (double)(clock() - begin) / CLOCKS_PER_SEC * 1e3);
    posenc_rotary_destroy(rotary);
    if (targets[t].best) memcpy(want, x, sizeof(x));
    if (status != POSENC_OK || memcmp(want, x, sizeof(x)) != 0) return puts("other bits"), 1;
  }
  return puts("the same bits"), 0;
}
// prints: the same bits
