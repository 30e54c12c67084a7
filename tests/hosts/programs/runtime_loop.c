/* The loop of an inference runtime in C99. Layers have grouped queries. A prompt comes first, then one token
   at a time. One call rotates q in place and k into the cache of keys. Threads split the tokens or, for a
   single token, the heads. All share one rotary in the runtime's memory. Prints only mistakes. The exit
   status is 0 if every element is the formula's, whatever the batches, threads and strides are. */
#include <math.h>
#include <posenc/models_c.h>
#include <posenc/rotary_c.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 2, Q_HEADS = 32, K_HEADS = 8, HEADS = Q_HEADS + K_HEADS, DIM = 128, PAIRS = DIM / 2 };
enum { TOKENS = 48, ROW = HEADS * DIM, RESULTS = LAYERS * TOKENS * ROW, THREADS = 4 };
enum { STACK_BYTES = 64 * 1024, GUARD_BYTES = 256 * 1024 }; /* small, with a guard that no code jumps over */

typedef enum { TOKENS_FIRST, HEADS_FIRST } Order; /* [tokens, heads, DIM], [heads, tokens, DIM] */

/* How a context is processed: a prompt, then `step` tokens at a time. */
typedef struct {
  Order order;
  size_t prompt, step, threads;
} Plan;

/* What the threads of a rotation share: the tokens of a batch, which begin at n_past, and where q and k are.
 */
typedef struct {
  const posenc_rotary* rotary;
  int64_t n_past;
  size_t tokens, threads;
  posenc_heads q, k;
} Batch;

/* The work of one thread. */
typedef struct {
  const Batch* batch;
  size_t index;
  posenc_status status;
} Share;

/* Elements before rotation: different numbers of either sign. */
static float Projected(size_t layer, size_t token, size_t head, size_t element) {
  const unsigned n = (unsigned)(((layer * TOKENS + token) * HEADS + head) * DIM + element) * 2654435761u;
  return (float)(n >> 8) * 0x1p-22f - 2.0f;
}

static posenc_heads HeadsOf(float* data, Order order, size_t heads, size_t tokens) {
  posenc_heads tensor = {.type = POSENC_F32};
  tensor.data = data;
  tensor.heads = heads;
  tensor.token_stride = order == TOKENS_FIRST ? heads * DIM : DIM;
  tensor.head_stride = order == TOKENS_FIRST ? DIM : tokens * DIM;
  return tensor;
}

/* The part of the tensor that begins at a token and a head. */
static posenc_heads From(posenc_heads tensor, size_t token, size_t head, size_t heads) {
  const size_t at = token * tensor.token_stride + head * tensor.head_stride;
  const size_t source_at = token * tensor.source_token_stride + head * tensor.source_head_stride;
  tensor.data = (float*)tensor.data + at;
  if (tensor.source != NULL) tensor.source = (const float*)tensor.source + source_at;
  tensor.heads = heads;
  return tensor;
}

static void* RotateShare(void* argument) {
  Share* share = argument;
  const Batch* b = share->batch;
  const size_t i = share->index, n = b->threads;
  size_t begin = i * b->tokens / n, end = (i + 1) * b->tokens / n;
  posenc_heads tensors[2];
  if (b->tokens == 1) {
    begin = 0;
    end = 1;
    tensors[0] = From(b->q, 0, i * Q_HEADS / n, Q_HEADS / n);
    tensors[1] = From(b->k, 0, i * K_HEADS / n, K_HEADS / n);
  } else {
    tensors[0] = From(b->q, begin, 0, Q_HEADS);
    tensors[1] = From(b->k, begin, 0, K_HEADS);
  }
  share->status = posenc_rotate(b->rotary, b->n_past + (int64_t)begin, end - begin, tensors, 2);
  return NULL;
}

/* Rotates in all threads. Returns whether all succeeded. */
static int Rotate(const Batch* batch) {
  pthread_t threads[THREADS];
  Share shares[THREADS];
  pthread_attr_t attributes;
  size_t i;
  int ok = 1;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setguardsize(&attributes, GUARD_BYTES);
  for (i = 0; i < batch->threads; ++i) {
    shares[i].batch = batch;
    shares[i].index = i;
    if (pthread_create(&threads[i], &attributes, RotateShare, &shares[i]) != 0) exit(2);
  }
  for (i = 0; i < batch->threads; ++i) {
    pthread_join(threads[i], NULL);
    if (shares[i].status == POSENC_OK) continue;
    fprintf(stderr, "posenc_rotate: %s\n", posenc_status_message(shares[i].status));
    ok = 0;
  }
  pthread_attr_destroy(&attributes);
  return ok;
}

static void Gather(const posenc_heads* tensor, size_t token, float* out) {
  size_t h;
  for (h = 0; h < tensor->heads; ++h) {
    const size_t at = token * tensor->token_stride + h * tensor->head_stride;
    memcpy(out + h * DIM, (const float*)tensor->data + at, DIM * sizeof(float));
  }
}

/* Runs one layer of a batch: takes q and k of each token from a projection, and rotates them to where
   attention reads them. */
static int RunLayer(const Batch* batch, size_t layer, size_t n_past, Order order, float* projected,
                    float* results) {
  posenc_heads source = HeadsOf(projected + Q_HEADS * batch->tokens * DIM, order, K_HEADS, batch->tokens);
  Batch own = *batch;
  size_t t, h, e;
  own.q = HeadsOf(projected, order, Q_HEADS, batch->tokens);
  own.k = From(batch->k, n_past, 0, K_HEADS);
  own.k.source = source.data;
  own.k.source_token_stride = source.token_stride;
  own.k.source_head_stride = source.head_stride;
  for (t = 0; t < batch->tokens; ++t) {
    for (h = 0; h < HEADS; ++h) {
      const posenc_heads* to = h < Q_HEADS ? &own.q : &source;
      float* head =
          (float*)to->data + t * to->token_stride + (h < Q_HEADS ? h : h - Q_HEADS) * to->head_stride;
      for (e = 0; e < DIM; ++e) head[e] = Projected(layer, n_past + t, h, e);
    }
  }
  if (!Rotate(&own)) return 0;
  for (t = 0; t < batch->tokens; ++t) Gather(&own.q, t, results + (n_past + t) * ROW);
  return 1;
}

/* Processes all tokens as the plan says. results [LAYERS, TOKENS, HEADS, DIM] are the rotated q and k. */
static int Run(const posenc_rotary* rotary, int64_t first, const Plan* plan, float* results) {
  static float projected[TOKENS * ROW], cache[LAYERS][TOKENS * K_HEADS * DIM];
  size_t done, layer, t;
  Batch batch = {0};
  memset(results, 0, RESULTS * sizeof(float));
  memset(cache, 0, sizeof(cache));
  batch.rotary = rotary;
  batch.threads = plan->threads;
  for (done = 0; done < TOKENS; done += batch.tokens) {
    batch.tokens = done == 0 ? plan->prompt : plan->step;
    if (batch.tokens > TOKENS - done) batch.tokens = TOKENS - done;
    batch.n_past = first + (int64_t)done;
    for (layer = 0; layer < LAYERS; ++layer) {
      batch.k = HeadsOf(cache[layer], plan->order, K_HEADS, TOKENS);
      if (!RunLayer(&batch, layer, done, plan->order, projected, results + layer * TOKENS * ROW)) return 0;
    }
  }
  for (layer = 0; layer < LAYERS; ++layer) {
    const posenc_heads k = HeadsOf(cache[layer], plan->order, K_HEADS, TOKENS);
    for (t = 0; t < TOKENS; ++t) Gather(&k, t, results + (layer * TOKENS + t) * ROW + Q_HEADS * DIM);
  }
  return 1;
}

/* w_i of Llama 3.1, as the code of Meta and of transformers computes it. */
static long double Frequency(size_t i) {
  const long double pi = 3.14159265358979323846264338327950288L;
  const long double w = powl(500000.0L, -2.0L * (long double)i / DIM), wavelength = 2.0L * pi / w;
  const long double smooth = (8192.0L / wavelength - 1.0L) / (4.0L - 1.0L);
  if (wavelength < 8192.0L / 4.0L) return w;
  if (wavelength > 8192.0L / 1.0L) return w / 8.0L;
  return (1.0L - smooth) * w / 8.0L + smooth * w;
}

/* The tolerance is half a unit in the last place, and the error of this computation. */
static int IsRounded(float got, long double want) {
  return fabsl((long double)got - want) <= 0x1p-24L * fabsl(want) + 1e-12L;
}

/* Whether all elements are within half a unit of the formula. */
static int AreRight(int64_t first, const float* results) {
  size_t layer, t, h, i;
  for (t = 0; t < TOKENS; ++t) {
    for (i = 0; i < PAIRS; ++i) {
      const long double phase = (long double)(first + (int64_t)t) * Frequency(i);
      const long double c = cosl(phase), s = sinl(phase);
      for (layer = 0; layer < LAYERS; ++layer) {
        for (h = 0; h < HEADS; ++h) {
          const float* got = results + ((layer * TOKENS + t) * HEADS + h) * DIM;
          const long double a = Projected(layer, t, h, i), b = Projected(layer, t, h, i + PAIRS);
          if (IsRounded(got[i], a * c - b * s) && IsRounded(got[i + PAIRS], b * c + a * s)) continue;
          fprintf(stderr, "layer %d, position %lld, head %d, pair %d: (%.9g, %.9g), not (%.9Lg, %.9Lg)\n",
                  (int)layer, (long long)first + (long long)t, (int)h, (int)i, got[i], got[i + PAIRS],
                  a * c - b * s, b * c + a * s);
          return 0;
        }
      }
    }
  }
  return 1;
}

static posenc_rotary* CreateIn(void** memory) {
  posenc_rotary_spec spec;
  posenc_rotary* rotary = NULL;
  size_t bytes = 0;
  posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), "llama3", DIM, NULL);
  if (status == POSENC_OK) status = posenc_rotary_memory_size(&spec, &bytes);
  *memory = malloc(bytes);
  if (status == POSENC_OK) status = posenc_rotary_create_in(&spec, *memory, bytes, &rotary);
  if (status != POSENC_OK) fprintf(stderr, "posenc_rotary_create_in: %s\n", posenc_status_message(status));
  return rotary;
}

int main(void) {
  static const Plan plans[] = {{TOKENS_FIRST, TOKENS, 1, 1},      {TOKENS_FIRST, TOKENS, 1, THREADS},
                               {TOKENS_FIRST, 17, 1, THREADS},    {TOKENS_FIRST, 7, 7, THREADS},
                               {HEADS_FIRST, TOKENS, 1, 1},       {HEADS_FIRST, 17, 1, THREADS},
                               {HEADS_FIRST, TOKENS, 1, THREADS}, {HEADS_FIRST, 7, 7, 2}};
  static const int64_t firsts[] = {0, 131000, -20};
  static float want[RESULTS], got[RESULTS];
  void* memory = NULL;
  posenc_rotary* rotary = CreateIn(&memory);
  size_t f, p;
  int failures = rotary == NULL;
  for (f = 0; failures == 0 && f < sizeof(firsts) / sizeof(firsts[0]); ++f) {
    if (!Run(rotary, firsts[f], &plans[0], want) || !AreRight(firsts[f], want)) return 1;
    for (p = 1; p < sizeof(plans) / sizeof(plans[0]); ++p) {
      if (Run(rotary, firsts[f], &plans[p], got) && memcmp(got, want, sizeof(got)) == 0) continue;
      fprintf(stderr, "plan %d from position %d gives other bits than one call\n", (int)p, (int)firsts[f]);
      ++failures;
    }
  }
  posenc_rotary_destroy(rotary);
  free(memory);
  return failures == 0 ? 0 : 1;
}
