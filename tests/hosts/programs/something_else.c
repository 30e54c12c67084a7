/* Compares the functions of docs/something-else.md with the formulas of their models, written anew in double.
   Elements must agree, except for the rounding to float32. The build takes the functions out of the page.
   Prints only mistakes. */
#include <math.h>
#include <posenc/models_c.h>
#include <posenc/rotary_cache_c.h>
#include <stdio.h>
#include <stdlib.h>

#include "snippets/something_else.h"

enum { TOKENS = 5, HEADS = 3, DIM = 24, PAIRS = DIM / 2, SIZE = TOKENS * HEADS * DIM };

static const double tau = 6.283185307179586;
static float q[SIZE];
static double want[SIZE];
static int mistakes = 0;

/* Numbers that no encoding has. */
static void Fill(void) {
  int e;
  for (e = 0; e < SIZE; ++e) want[e] = q[e] = (float)(e % 97) * 0.25f - 7.0f;
}

static void Expect(const char* name, posenc_status status, const float* got, size_t count) {
  size_t e;
  if (status != POSENC_OK) printf("%s: %s\n", name, posenc_status_message(status));
  mistakes += status != POSENC_OK;
  for (e = 0; e < count; ++e) {
    if (fabs(got[e] - want[e]) <= 4e-6 * fmax(1, fabs(want[e]))) continue;
    printf("%s: element %d is %.9g instead of %.9g\n", name, (int)e, got[e], want[e]);
    ++mistakes;
    return;
  }
}

/* Replaces elements a and b of a head in `want` by gain times a cos(x) - b sin(x) and b cos(y) + a sin(y). */
static void TurnBy(double x, double y, double gain, double* a, double* b) {
  const double old = *a;
  *a = gain * (old * cos(x) - *b * sin(x));
  *b = gain * (*b * cos(y) + old * sin(y));
}

static double* Head(int token, int head) { return want + (token * HEADS + head) * DIM; }

static posenc_rotary* Create(size_t d, posenc_pairing pairing) {
  posenc_rotary_spec spec;
  posenc_rotary* rotary = NULL;
  if (posenc_rotary_spec_init(&spec, sizeof(spec)) != POSENC_OK) return NULL;
  spec.head_dim = d;
  spec.pairing = pairing;
  return posenc_rotary_create(&spec, &rotary) == POSENC_OK ? rotary : NULL;
}

static const float ts[TOKENS] = {0.0f, 0.8f, 1.6f, 2.4f, 40.0f};
static const float ys[TOKENS] = {0.0f, 0.0f, 1.0f, 1.0f, 9.0f}, xs[TOKENS] = {0.0f, 1.0f, 0.0f, 3.0f, 2.0f};

static void TestPerHead(void) {
  static double phases[TOKENS * PAIRS];
  static float cache[TOKENS * DIM];
  float wx[HEADS * PAIRS], wy[HEADS * PAIRS];
  posenc_rotary *one = Create(2, POSENC_HALF_SPLIT), *head = Create(DIM, POSENC_NEIGHBOURS);
  posenc_status status = POSENC_OK;
  int t, h, i;
  for (i = 0; i < HEADS * PAIRS; ++i) {
    wx[i] = 0.5f - 0.01f * (float)i;
    wy[i] = 0.03f * (float)(i % 7);
  }
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    for (h = 0; h < HEADS; ++h) {
      for (i = 0; i < PAIRS; ++i) {
        const double x = (double)xs[t] * wx[h * PAIRS + i] + (double)ys[t] * wy[h * PAIRS + i];
        TurnBy(x, x, 1, Head(t, h) + 2 * i, Head(t, h) + 2 * i + 1);
      }
    }
  }
  for (h = 0; h < HEADS && status == POSENC_OK; ++h) {
    status = RotateMixed(one, head, wx + h * PAIRS, wy + h * PAIRS, xs, ys, TOKENS, HEADS, phases, cache,
                         q + h * DIM);
  }
  Expect("per_head", status, q, SIZE);
  posenc_rotary_destroy(one);
  posenc_rotary_destroy(head);
}

static void TestCosmos(void) {
  const double rope_scale[3] = {2, 1, 3};
  const float* const at[3] = {ts, ys, xs};
  double list[PAIRS];
  float positions[3 * TOKENS];
  const posenc_list list_of_positions = {POSENC_F32, positions};
  posenc_heads tensor = {
      .type = POSENC_F32, .data = q, .heads = HEADS, .token_stride = HEADS * DIM, .head_stride = DIM};
  posenc_rotary* rotary = NULL;
  posenc_status status = MakeCosmos(DIM, rope_scale, list, &rotary);
  int t, h, i;
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    for (i = 0; i < 3; ++i) positions[i * TOKENS + t] = at[i][t];
    for (h = 0; h < HEADS; ++h) {
      for (i = 0; i < PAIRS; ++i) { /* 8 elements for each axis */
        const double theta = 10000 * pow(rope_scale[i / 4], 8.0 / 6);
        const double x = at[i / 4][t] / pow(theta, 2 * (i % 4) / 8.0);
        TurnBy(x, x, 1, Head(t, h) + i, Head(t, h) + i + PAIRS);
      }
    }
  }
  if (status == POSENC_OK) status = posenc_rotate_at(rotary, &list_of_positions, TOKENS, &tensor, 1, NULL);
  Expect("cosmos", status, q, SIZE);
  posenc_rotary_destroy(rotary);
}

static void TestXpos(int sign) {
  static double wide[TOKENS * DIM];
  static float cache[TOKENS * DIM];
  posenc_rotary* rotary = Create(DIM, POSENC_NEIGHBOURS);
  const int first = 700;
  int t, h, i;
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    for (h = 0; h < HEADS; ++h) {
      for (i = 0; i < PAIRS; ++i) {
        const double x = (first + t) * pow(10000, -2.0 * i / DIM), rate = (2.0 * i + 0.4 * DIM) / (1.4 * DIM);
        TurnBy(x, x, pow(rate, sign * (first + t) / 512.0), Head(t, h) + 2 * i, Head(t, h) + 2 * i + 1);
      }
    }
  }
  Expect("xpos", RotateXpos(rotary, sign, first, TOKENS, HEADS, wide, cache, q), q, SIZE);
  posenc_rotary_destroy(rotary);
}

static void TestBiased(void) {
  enum { N = 6 };
  static const double f[N] = {1.25, -0.375, 0.1, 3.0, 0.0, -2.7}, b[N] = {0.0, 0.25, 0.9, 0.125, 0.6, 0.33};
  static const double positions[TOKENS] = {0.0, -1.5, 0.3, 100.7, 5.0};
  double rows[TOKENS * 2 * N];
  float out[TOKENS * N];
  int t, i;
  for (t = 0; t < TOKENS; ++t) {
    for (i = 0; i < N; ++i) want[t * N + i] = sqrt(2) * cos(tau * (f[i] * positions[t] + b[i]));
  }
  Expect("biased", BiasedFeatures(f, b, N, positions, TOKENS, rows, out), out, TOKENS * N);
}

static void TestTwoAngles(void) {
  enum { D = 8, FIRST = 8 }; /* the second of three axes */
  float cosines[TOKENS * D], sines[TOKENS * D];
  posenc_rotary* rotary = Create(D, POSENC_HALF_SPLIT);
  int t, h, e;
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    for (h = 0; h < HEADS; ++h) {
      double* axis = Head(t, h) + FIRST;
      for (e = 0; e < D; e += 2) {
        const double x = ys[t] * pow(10000, -(e % (D / 2)) / (D / 2.0));
        const double y = ys[t] * pow(10000, -((e + 1) % (D / 2)) / (D / 2.0));
        TurnBy(x, y, 1, axis + e, axis + e + 1);
      }
    }
  }
  Expect("two_angles", RotateVjepa2(rotary, ys, TOKENS, HEADS, DIM, cosines, sines, q + FIRST), q, SIZE);
  posenc_rotary_destroy(rotary);
}

static void TestTemperature(int first) {
  posenc_rotary* rotary = Create(DIM, POSENC_HALF_SPLIT);
  const int length = 2;
  const double beta = 0.1;
  float factors[TOKENS];
  int t, h, i;
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    for (h = 0; h < HEADS; ++h) {
      for (i = 0; i < PAIRS; ++i) {
        const double x = (first + t) * pow(10000, -2.0 * i / DIM);
        TurnBy(x, x, 1 + beta * log(1 + floor((double)(first + t) / length)), Head(t, h) + i,
               Head(t, h) + i + PAIRS);
      }
    }
  }
  Expect("temperature", RotateQueries(rotary, first, TOKENS, length, beta, HEADS, q, factors), q, SIZE);
  posenc_rotary_destroy(rotary);
}

/* One token at position 777 with one head, in which 64 elements rotate, beginning at `first`. DeepSeek's
   frequencies are scaled by YaRN, with a ramp from pair 10 to pair 23. */
static void ExpectHead(const char* name, posenc_status status, const posenc_rotary* rotary, size_t head_dim,
                       int first, int is_glm, int pairs_halves) {
  posenc_heads head = {
      .type = POSENC_F32, .data = q, .heads = 1, .token_stride = head_dim, .head_stride = head_dim};
  int i;
  Fill();
  for (i = 0; i < 32; ++i) {
    const double w = pow(is_glm ? 1e6 : 1e4, -i / 32.0), m = is_glm ? 0 : fmin(fmax((i - 10) / 13.0, 0), 1);
    double a = q[first + (pairs_halves ? i : 2 * i)], b = q[first + (pairs_halves ? i + 32 : 2 * i + 1)];
    TurnBy(777 * (w * (1 - m) + w / 40 * m), 777 * (w * (1 - m) + w / 40 * m), 1, &a, &b);
    want[first + i] = a;
    want[first + i + 32] = b;
  }
  if (status == POSENC_OK) status = posenc_rotate(rotary, 777, 1, &head, 1);
  Expect(name, status, q, SIZE);
}

static void TestIndexer(int is_glm) {
  const size_t head_dim = is_glm ? 256 : 192;
  posenc_rotary *attention = NULL, *indexer = NULL;
  const posenc_status status =
      MakeBoth(is_glm ? "glm5" : "deepseek_v3_2", head_dim, is_glm ? "glm5_indexer" : "deepseek_v3_2_indexer",
               &attention, &indexer);
  ExpectHead("attention", status, attention, head_dim, (int)head_dim - 64, is_glm, 0);
  ExpectHead("indexer", status, indexer, 128, 0, is_glm, !is_glm);
  posenc_rotary_destroy(attention);
  posenc_rotary_destroy(indexer);
}

static void TestMoonVit(void) {
  double list[PAIRS];
  float positions[2 * TOKENS];
  const posenc_list list_of_positions = {POSENC_F32, positions};
  posenc_heads tensor = {
      .type = POSENC_F32, .data = q, .heads = HEADS, .token_stride = HEADS * DIM, .head_stride = DIM};
  posenc_rotary* rotary = NULL;
  posenc_status status = MakeMoonVit(DIM, list, &rotary);
  int t, h, i;
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    positions[t] = xs[t];
    positions[TOKENS + t] = ys[t];
    for (h = 0; h < HEADS; ++h) {
      for (i = 0; i < PAIRS; ++i) {
        const double x = (i % 2 == 0 ? xs : ys)[t] * pow(10000, -4.0 * (i / 2) / DIM);
        TurnBy(x, x, 1, Head(t, h) + 2 * i, Head(t, h) + 2 * i + 1);
      }
    }
  }
  if (status == POSENC_OK) status = posenc_rotate_at(rotary, &list_of_positions, TOKENS, &tensor, 1, NULL);
  Expect("moonvit", status, q, SIZE);
  posenc_rotary_destroy(rotary);
}

static void TestHalvesWithinHalves(void) {
  const int half = DIM / 2, pairs = DIM / 4;
  int t, h, i;
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    for (h = 0; h < HEADS; ++h) {
      for (i = 0; i < pairs; ++i) {
        const double w = pow(100, -2.0 * i / half);
        TurnBy(ys[t] * w, ys[t] * w, 1, Head(t, h) + i, Head(t, h) + i + pairs);
        TurnBy(xs[t] * w, xs[t] * w, 1, Head(t, h) + half + i, Head(t, h) + half + i + pairs);
      }
    }
  }
  Expect("halves_within_halves", RotateRope2d(100, ys, xs, TOKENS, HEADS, DIM, q), q, SIZE);
}

static void TestColumnFrequencies(void) {
  float row[2 * DIM], out[TOKENS * DIM];
  const int first = 90;
  int t, c;
  for (t = 0; t < TOKENS; ++t) {
    for (c = 0; c < DIM; ++c) {
      const double x = (first + t) / pow(10000, 2.0 * c / DIM);
      want[t * DIM + c] = c % 2 == 0 ? sin(x) : cos(x);
    }
  }
  Expect("column_frequencies", WriteColumnFrequencies(DIM, first, TOKENS, row, out), out, TOKENS * DIM);
}

int main(void) {
  TestPerHead();
  TestCosmos();
  TestXpos(1);
  TestXpos(-1);
  TestBiased();
  TestTwoAngles();
  TestTemperature(0);
  TestTemperature(7);
  TestIndexer(1);
  TestIndexer(0);
  TestMoonVit();
  TestHalvesWithinHalves();
  TestColumnFrequencies();
  return mistakes != 0;
}
