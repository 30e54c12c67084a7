/* What docs/rotary.md says about rotating back and rotating cached keys again: the functions of the page,
   taken out of it when this is built, and the trap. Moved keys are compared with keys that were rotated at
   the new positions. Prints nothing but mistakes. */
#include <math.h>
#include <posenc/models_c.h>
#include <posenc/rotary_cache_c.h>
#include <stdio.h>
#include <string.h>

#include "snippets/rotary.h"

enum { TOKENS = 7, HEADS = 3, MOST = 192, MOST_AXES = 3 };

static float given[TOKENS * HEADS * MOST], moved[TOKENS * HEADS * MOST], want[TOKENS * HEADS * MOST];
static int mistakes = 0;

static void Check(int is_right, const char* preset, const char* what) {
  if (!is_right) printf("%s: %s\n", preset, what);
  mistakes += !is_right;
}

/* Whether `moved` is factor times `want`, up to a few roundings to float32. */
static int IsMoved(size_t count, double factor) {
  size_t e;
  for (e = 0; e < count; ++e) {
    if (!(fabs(moved[e] - factor * want[e]) <= 4e-6))
      return 0; /* elements are below 2.5, after the amplitude */
  }
  return 1;
}

static posenc_heads Keys(float* data, size_t heads, size_t d) {
  posenc_heads keys;
  memset(&keys, 0, sizeof(keys));
  keys.type = POSENC_F32;
  keys.data = data;
  keys.heads = heads;
  keys.token_stride = heads * d;
  keys.head_stride = d;
  return keys;
}

/* `data` becomes the given keys, rotated at positions [axes, TOKENS]. */
static posenc_status RotateAt(const posenc_rotary* rotary, const int32_t* positions, float* data) {
  const size_t d = posenc_rotary_head_dim(rotary);
  const posenc_list list = {POSENC_I32, positions};
  posenc_heads keys = Keys(data, HEADS, d);
  keys.source = given;
  return posenc_rotate_at(rotary, &list, TOKENS, &keys, 1, NULL);
}

static void Test(const char* preset, size_t d, double least_amplitude) {
  const size_t count = TOKENS * HEADS * d;
  int32_t olds[MOST_AXES * TOKENS], news[MOST_AXES * TOKENS], differences[MOST_AXES * TOKENS],
      fixed[MOST_AXES * TOKENS];
  float table[TOKENS * MOST];
  posenc_rotary_spec spec;
  posenc_rotary *rotary = NULL, *shift = NULL;
  posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), preset, d, NULL);
  posenc_heads keys = Keys(moved, HEADS, d), all = Keys(moved, TOKENS * HEADS, d);
  double a;
  size_t k;
  for (k = 0; k < count; ++k) given[k] = (float)(k * 37 % 101) / 101 - 0.5f;
  for (k = 0; k < MOST_AXES * TOKENS; ++k) {
    olds[k] = (int32_t)(70000 + k * k * 3);
    differences[k] = (int32_t)(k % 5 * 11) - 60000;
    news[k] = olds[k] + differences[k];
    fixed[k] = olds[k] - 4096;
  }
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK) status = MakeShift(spec, &shift);
  Check(status == POSENC_OK, preset, "there are two rotaries");
  if (status != POSENC_OK) return;
  a = posenc_rotary_amplitude(rotary);
  Check(a >= least_amplitude && posenc_rotary_amplitude(shift) == 1, preset, "the amplitudes");

  /* Each token, on each axis. */
  Check(RotateAt(rotary, olds, moved) == POSENC_OK && RotateAt(rotary, news, want) == POSENC_OK, preset,
        "rotates");
  Check(MoveKeys(shift, moved, TOKENS, HEADS, differences) == POSENC_OK && IsMoved(count, 1), preset,
        "moved keys are right");

  /* All tokens, as heads of one token. */
  Check(RotateAt(rotary, olds, moved) == POSENC_OK && RotateAt(rotary, fixed, want) == POSENC_OK, preset,
        "rotates");
  Check(posenc_rotate(shift, -4096, 1, &all, 1) == POSENC_OK && IsMoved(count, 1), preset, "one difference");

  /* By a table of the second rotary, whose row for each token has the cosines and sines of the difference. */
  if (spec.axes == 1 && spec.rotary_dim == d) {
    const posenc_list by_axes = {POSENC_I32, differences};
    const posenc_cache cache = {POSENC_CACHE_PAIRS, POSENC_F32, table, NULL, d};
    const posenc_const_cache rows = {POSENC_CACHE_PAIRS, POSENC_F32, table, NULL, d, TOKENS};
    Check(RotateAt(rotary, olds, moved) == POSENC_OK && RotateAt(rotary, news, want) == POSENC_OK, preset,
          "rotates");
    Check(posenc_write_cache_at(shift, &by_axes, TOKENS, &cache, NULL) == POSENC_OK &&
              posenc_rotate_cached(shift, &rows, 0, TOKENS, &keys, 1) == POSENC_OK && IsMoved(count, 1),
          preset, "a table moves keys");
    Check(RotateAt(rotary, olds, moved) == POSENC_OK &&
              posenc_write_cache_at(rotary, &by_axes, TOKENS, &cache, NULL) == POSENC_OK &&
              posenc_rotate_cached(rotary, &rows, 0, TOKENS, &keys, 1) == POSENC_OK && IsMoved(count, a),
          preset, "a table of the model's rotary has the amplitude, too");
  }

  if (spec.output_pairing == POSENC_SAME_PAIRING && spec.rotary_dim == d) {
    /* The trap: the model's rotary multiplies by the amplitude once more. */
    const posenc_list list = {POSENC_I32, differences};
    Check(RotateAt(rotary, olds, moved) == POSENC_OK && RotateAt(rotary, news, want) == POSENC_OK, preset,
          "rotates");
    Check(posenc_rotate_at(rotary, &list, TOKENS, &keys, 1, NULL) == POSENC_OK && IsMoved(count, a), preset,
          "the trap");
    Check(a == 1 || !IsMoved(count, 1), preset, "the trap is seen");

    /* Its way out without a second rotary. */
    keys.scale = 1 / a;
    Check(RotateAt(rotary, olds, moved) == POSENC_OK, preset, "rotates");
    Check(posenc_rotate_at(rotary, &list, TOKENS, &keys, 1, NULL) == POSENC_OK && IsMoved(count, 1), preset,
          "scale 1 / A");

    /* Back, which multiplies by the amplitude again. */
    memcpy(want, given, sizeof(given));
    {
      const posenc_list back = {POSENC_I32, olds};
      keys.inverse = 1;
      keys.scale = 0;
      Check(RotateAt(rotary, olds, moved) == POSENC_OK, preset, "rotates");
      Check(posenc_rotate_at(rotary, &back, TOKENS, &keys, 1, NULL) == POSENC_OK && IsMoved(count, a * a),
            preset, "back has A^2");
      keys.scale = 1 / (a * a);
      Check(RotateAt(rotary, olds, moved) == POSENC_OK, preset, "rotates");
      Check(posenc_rotate_at(rotary, &back, TOKENS, &keys, 1, NULL) == POSENC_OK && IsMoved(count, 1), preset,
            "undone");
    }
  }
  posenc_rotary_destroy(rotary);
  posenc_rotary_destroy(shift);
}

int main(void) {
  Test("llama3", 128, 1);
  Test("yarn_qwen2_5", 128, 1.1);
  Test("gpt_oss", 64, 1.3);
  Test("qwen2_vl", 128, 1);
  Test("qwen3_vl", 128, 1);
  Test("glm4v", 128, 1);
  Test("deepseek_v3", 192, 1); /* reads neighbours, writes half-split pairs */
  return mistakes != 0;
}
