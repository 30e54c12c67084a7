/* Compares the functions of docs/conventions.md with the loops that they replace. Each loop is written anew
   in the runtime's order and types. Both must write the same columns of the same rows, except for the loop's
   rounding errors. The periods in the page are exact. The build takes the functions out of the page. Prints
   only mistakes. */
#include <math.h>
#include <posenc/models_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snippets/conventions.h"

enum { MAX = 8192 };

static float got[MAX], want[MAX];
static int mistakes = 0;

/* Numbers that no encoding has. */
static void Fill(void) {
  int i;
  for (i = 0; i < MAX; ++i) got[i] = want[i] = (float)(i % 97) * 0.25f - 7.0f;
}

/* Expects that the first count entries agree, except for the loop's rounding errors, and that the others did
   not change. */
static void Expect(const char* name, posenc_status status, size_t count) {
  size_t i;
  if (status != POSENC_OK) {
    printf("%s: %s\n", name, posenc_status_message(status));
    ++mistakes;
    return;
  }
  for (i = 0; i < MAX; ++i) {
    const float tolerance = i < count ? 4e-5f : 0.0f;
    if (fabsf(got[i] - want[i]) <= tolerance || (isnan(got[i]) && isnan(want[i]))) continue;
    printf("%s: entry %d is %.9g instead of %.9g\n", name, (int)i, got[i], want[i]);
    ++mistakes;
    return;
  }
}

static void TestGgml(int dim, int max_period) {
  static const float timesteps[] = {0.0f, 1.5f, 37.0f, NAN, 99.75f};
  const size_t rows = sizeof(timesteps) / sizeof(timesteps[0]), stride = (size_t)dim + 3;
  const size_t wsize = TimestepWorkSize(dim, max_period);
  void* wdata = malloc(wsize);
  const int half = dim / 2;
  size_t row;
  int j;
  Fill();
  for (row = 0; row < rows; ++row) {
    float* data = want + row * stride;
    for (j = 0; j < half; ++j) {
      const float frequency = expf(-logf((float)max_period) * (float)j / (float)half);
      data[j] = cosf(timesteps[row] * frequency);
      data[j + half] = sinf(timesteps[row] * frequency);
    }
    if (dim % 2 != 0) data[2 * half] = isnan(timesteps[row]) ? NAN : 0.0f;
  }
  Expect("ggml",
         ComputeTimesteps(dim, max_period, timesteps, rows, got, stride * sizeof(float), wdata, wsize),
         rows * stride);
  free(wdata);
}

static void TestStableDiffusionCpp(int dim, int flip, float scale) {
  static const float timesteps[] = {0.0f, 0.75f, 1.0f, 8.5f};
  const int half = dim / 2;
  posenc_encoder* encoder = NULL;
  posenc_status status;
  int i, j;
  Fill();
  for (i = 0; i < 4; ++i) {
    float* row = want + i * dim;
    for (j = 0; j < half; ++j) {
      const float frequency = (float)exp(-log(10000) * j / half);
      const float phase = timesteps[i] * frequency * scale;
      row[j] = flip ? cosf(phase) : sinf(phase);
      row[j + half] = flip ? sinf(phase) : cosf(phase);
    }
    if (dim % 2 != 0) row[dim - 1] = 0.0f;
  }
  status = MakeTimesteps(dim, 10000, flip, scale, &encoder);
  if (status == POSENC_OK) status = SetTimesteps(encoder, timesteps, 4, got);
  Expect("stable-diffusion.cpp", status, 4 * (size_t)dim);
  posenc_encoder_destroy(encoder);
}

static void TestGemmaCpp(void) {
  enum { DIM = 96, TOKENS = 5, POS = 17 };
  const float scale = 9.8125f, increment = logf(10000.0f) / (float)(DIM / 2 - 1);
  posenc_encoder* encoder = NULL;
  posenc_status status;
  int t, i;
  Fill();
  for (t = 0; t < TOKENS; ++t) {
    float* x = want + t * DIM;
    for (i = 0; i < DIM; ++i) x[i] *= scale;
    for (i = 0; i < DIM / 2; ++i) {
      const float inverse = expf((float)i * -increment);
      x[i] += sinf((float)(POS + t) * inverse);
      x[DIM / 2 + i] += cosf((float)(POS + t) * inverse);
    }
  }
  status = MakeAbsolute(DIM, &encoder);
  if (status == POSENC_OK) status = AddAbsolute(encoder, got, TOKENS, POS, scale);
  Expect("gemma.cpp", status, TOKENS * DIM);
  posenc_encoder_destroy(encoder);
}

static void TestTensor2tensor(size_t channels) {
  enum { LENGTH = 6, START = 11 };
  const double min_timescale = 0.5, max_timescale = 2000.0;
  const size_t pairs = channels / 2;
  const float increment = (float)log(max_timescale / min_timescale) / fmaxf((float)pairs - 1.0f, 1.0f);
  size_t t, i;
  Fill();
  for (t = 0; t < LENGTH; ++t) {
    float* row = want + t * channels;
    for (i = 0; i < pairs; ++i) {
      /* The runtime's code multiplies by the inverse of a timescale, which is min_timescale times a power. */
      const float inverse = (float)min_timescale * expf((float)i * -increment);
      row[i] = sinf((float)(START + t) * inverse);
      row[pairs + i] = cosf((float)(START + t) * inverse);
    }
    if (channels % 2 != 0) row[channels - 1] = 0.0f;
  }
  Expect("tensor2tensor", TimingSignal(LENGTH, channels, min_timescale, max_timescale, START, got),
         LENGTH * channels);
}

static void TestCtranslate2(void) {
  enum { DEPTH = 64, TIME = 7, BATCH = 3, INDEX = 20 };
  const float increment = logf(10000.0f) / (float)(DEPTH / 2 - 1);
  posenc_encoder* encoder = NULL;
  posenc_status status;
  int b, t, i;
  Fill();
  for (b = 0; b < BATCH; ++b) {
    for (t = 0; t < TIME; ++t) {
      float* x = want + (b * TIME + t) * DEPTH;
      for (i = 0; i < DEPTH / 2; ++i) {
        const float scaled_time = (float)(INDEX + t + 1) * expf(-increment * (float)i);
        x[i] += sinf(scaled_time);
        x[DEPTH / 2 + i] += cosf(scaled_time);
      }
    }
  }
  status = MakePositions(DEPTH, &encoder);
  if (status == POSENC_OK) status = AddPositions(encoder, POSENC_F32, got, BATCH, TIME, INDEX);
  Expect("CTranslate2", status, BATCH * TIME * DEPTH);
  posenc_encoder_destroy(encoder);
}

static void TestDiffusers(size_t dim, int flip, double shift, float scale) {
  static const float timesteps[] = {0.0f, 0.25f, 3.0f, 50.5f};
  const size_t half = dim / 2;
  posenc_encoder* encoder = NULL;
  posenc_status status;
  size_t t, i;
  Fill();
  for (t = 0; t < 4; ++t) {
    float* row = want + t * dim;
    for (i = 0; i < half; ++i) {
      const float exponent = (float)-log(5000.0) * (float)i / (float)((double)half - shift);
      const float phase = scale * (timesteps[t] * expf(exponent));
      row[i] = flip ? cosf(phase) : sinf(phase);
      row[half + i] = flip ? sinf(phase) : cosf(phase);
    }
    if (dim % 2 != 0) row[dim - 1] = 0.0f;
  }
  status = MakeEmbedding(dim, flip, shift, scale, 5000.0, &encoder);
  if (status == POSENC_OK) status = EmbedTimesteps(encoder, timesteps, 4, POSENC_F32, got);
  Expect("diffusers", status, 4 * dim);
  posenc_encoder_destroy(encoder);
}

static void TestMarian(size_t dim) {
  static const int64_t ids[] = {4, 0, 9, 9};
  static float table[10 * 64];
  const size_t sines = (dim + 1) / 2;
  const float scale = sqrtf((float)dim);
  posenc_encoder* encoder = NULL;
  posenc_status status;
  size_t t, j;
  for (j = 0; j < 10 * dim; ++j) table[j] = (float)(j % 31) * 0.125f - 2.0f;
  Fill();
  for (t = 0; t < 4; ++t) {
    for (j = 0; j < dim; ++j) {
      const double phase = (double)(30 + t) / pow(10000.0, (double)(2 * (j / 2)) / (double)dim);
      const size_t column = j % 2 == 0 ? j / 2 : sines + j / 2;
      want[t * dim + column] =
          table[(size_t)ids[t] * dim + column] * scale + (float)(j % 2 == 0 ? sin(phase) : cos(phase));
    }
  }
  status = MakeMarian(dim, &encoder);
  if (status == POSENC_OK) status = EmbedMarian(encoder, ids, 4, table, 10, scale, 30, got);
  Expect("Marian", status, 4 * dim);
  posenc_encoder_destroy(encoder);
}

static void TestFairseq(size_t dim, int64_t padding) {
  enum { BATCH = 2, SEQUENCE = 6 };
  const int64_t ids[BATCH * SEQUENCE] = {5, 6, 7, 8, padding, padding, padding, padding, 9, 40, 3, 4};
  int64_t positions[BATCH * SEQUENCE];
  const size_t half = dim / 2;
  const float rate = (float)-(log(10000.0) / ((double)half - 1.0)), scale = 8.0f;
  posenc_encoder* encoder = NULL;
  posenc_status status;
  size_t b, s, i;
  Fill();
  for (b = 0; b < BATCH; ++b) {
    int64_t tokens = 0;
    for (s = 0; s < SEQUENCE; ++s) {
      const int is_token = ids[b * SEQUENCE + s] != padding;
      float* x = want + (b * SEQUENCE + s) * dim;
      tokens += is_token;
      for (i = 0; i < dim; ++i) x[i] *= scale;
      for (i = 0; is_token && i < half; ++i) {
        const float phase = (float)(tokens + padding) * expf((float)i * rate);
        x[i] += sinf(phase);
        x[half + i] += cosf(phase);
      }
    }
  }
  status = MakeSinusoidal(dim, padding, &encoder);
  if (status == POSENC_OK) {
    status = AddSinusoidal(encoder, ids, BATCH, SEQUENCE, padding, scale, got, positions);
  }
  Expect("fairseq", status, BATCH * SEQUENCE * dim);
  posenc_encoder_destroy(encoder);
}

/* Quarters, sixths and twelfths of each period are exact, even after a million periods. */
static void TestPeriods(void) {
  static const double periods[] = {24.0, 365.25, 360.0};
  static const struct {
    double part, sine, cosine;
  } expected[] = {{0.0, 0.0, 1.0}, {0.25, 1.0, 0.0},      {0.5, 0.0, -1.0},      {0.75, -1.0, 0.0},
                  {1.0, 0.0, 1.0}, {1000000.0, 0.0, 1.0}, {1000000.25, 1.0, 0.0}};
  enum { PERIODS = sizeof(periods) / sizeof(*periods), TIMES = sizeof(expected) / sizeof(*expected) };
  double times[TIMES + 1], out[TIMES + 1][PERIODS][2];
  size_t k, r;
  for (k = 0; k < PERIODS; ++k) {
    posenc_status status;
    for (r = 0; r < TIMES; ++r) times[r] = expected[r].part * periods[k];
    times[TIMES] = 30.0; /* degrees */
    status = WritePeriods(periods, PERIODS, times, TIMES + 1, out[0][0]);
    if (status != POSENC_OK) {
      printf("periods: %s\n", posenc_status_message(status));
      ++mistakes;
      return;
    }
    for (r = 0; r < TIMES; ++r) {
      if (out[r][k][0] == expected[r].sine && out[r][k][1] == expected[r].cosine) continue;
      printf("period %g at %.17g: %.17g, %.17g\n", periods[k], times[r], out[r][k][0], out[r][k][1]);
      ++mistakes;
    }
    if (out[TIMES][2][0] == 0.5) continue;
    printf("the sine of 30 degrees is %.17g\n", out[TIMES][2][0]);
    ++mistakes;
  }
}

int main(void) {
  TestGgml(320, 10000);
  TestGgml(15, 1000);
  TestStableDiffusionCpp(256, 1, 1.0f);
  TestStableDiffusionCpp(33, 0, 10.0f);
  TestGemmaCpp();
  TestTensor2tensor(64);
  TestTensor2tensor(63);
  TestTensor2tensor(3);
  TestCtranslate2();
  TestDiffusers(64, 0, 1.0, 1.0f);
  TestDiffusers(65, 1, 0.0, 1.5f);
  TestMarian(64);
  TestMarian(33);
  TestFairseq(64, 1);
  TestFairseq(63, 0);
  TestPeriods();
  return mistakes != 0;
}
