// The attention of a layer like Qwen3's, for one sequence: a prompt of 5 tokens, and then 3 tokens, one at a
// time. Before q and k rotate, each of their heads is normalized by RMSNorm. One call of posenc does both,
// and writes k into the KV cache. The program also does this in separate passes: a loop normalizes q and k,
// and a call rotates them. The program compares the outputs of the layer.
#include <math.h>
#include <posenc/rotary_norm_c.h>
#include <stdio.h>

enum { HIDDEN = 96, Q_HEADS = 4, K_HEADS = 2, DIM = 64, Q_ROW = Q_HEADS * DIM, K_ROW = K_HEADS * DIM };
enum { PROMPT = 5, TOKENS = 8 };
static const double kEpsilon = 1e-6;  // rms_norm_eps of the model's configuration

static float q_weight[Q_ROW * HIDDEN], k_weight[K_ROW * HIDDEN], v_weight[K_ROW * HIDDEN];
static float q_norm[DIM], k_norm[DIM];  // the weights of both norms
static float hidden[TOKENS * HIDDEN];   // what the layer before has computed

typedef struct {
  float keys[TOKENS * K_ROW], values[TOKENS * K_ROW];  // [TOKENS, K_HEADS, DIM]
} Cache;

// Normalizes and rotates q [tokens, Q_HEADS, DIM] in place, and k [tokens, K_HEADS, DIM] into the cache.
typedef posenc_status (*Rotate)(const posenc_rotary* rotary, size_t n_past, size_t tokens, float* q, float* k,
                                Cache* cache);

static posenc_heads Heads(float* data, size_t heads) {
  const posenc_heads tensor = {
      .type = POSENC_F32, .data = data, .heads = heads, .token_stride = heads * DIM, .head_stride = DIM};
  return tensor;
}

static posenc_status InOneCall(const posenc_rotary* rotary, size_t n_past, size_t tokens, float* q, float* k,
                               Cache* cache) {
  const posenc_norm q_norms = {.weight = q_norm, .weight_type = POSENC_F32, .epsilon = kEpsilon};
  const posenc_norm k_norms = {.weight = k_norm, .weight_type = POSENC_F32, .epsilon = kEpsilon};
  posenc_heads tensors[2] = {Heads(q, Q_HEADS), Heads(cache->keys + n_past * K_ROW, K_HEADS)};
  tensors[0].norm = &q_norms;
  tensors[1].norm = &k_norms;
  tensors[1].source = k;
  return posenc_rotate(rotary, (int64_t)n_past, tokens, tensors, 2);
}

static void Normalize(float* head, const float* weight) {
  double sum = 0.0;
  for (size_t i = 0; i < DIM; ++i) sum += (double)head[i] * (double)head[i];
  const double root = sqrt(sum / DIM + kEpsilon);
  for (size_t i = 0; i < DIM; ++i) head[i] = (float)((double)head[i] * (double)weight[i] / root);
}

static posenc_status InPasses(const posenc_rotary* rotary, size_t n_past, size_t tokens, float* q, float* k,
                              Cache* cache) {
  for (size_t h = 0; h < tokens * Q_HEADS; ++h) Normalize(q + h * DIM, q_norm);
  for (size_t h = 0; h < tokens * K_HEADS; ++h) Normalize(k + h * DIM, k_norm);
  posenc_heads tensors[2] = {Heads(q, Q_HEADS), Heads(cache->keys + n_past * K_ROW, K_HEADS)};
  tensors[1].source = k;
  return posenc_rotate(rotary, (int64_t)n_past, tokens, tensors, 2);
}

// Multiplies x [tokens, HIDDEN] by a weight [columns, HIDDEN].
static void Project(const float* weight, const float* x, size_t tokens, size_t columns, float* out) {
  for (size_t t = 0; t < tokens; ++t) {
    for (size_t c = 0; c < columns; ++c) {
      float sum = 0.0f;
      for (size_t i = 0; i < HIDDEN; ++i) sum += x[t * HIDDEN + i] * weight[c * HIDDEN + i];
      out[t * columns + c] = sum;
    }
  }
}

// The output of a head of q for a token that sees the first `count` tokens of the cache.
static void Attend(const float* q, size_t head, const Cache* cache, size_t count, float* out) {
  double weights[TOKENS], total = 0.0;
  const size_t at = head / (Q_HEADS / K_HEADS) * DIM;
  for (size_t t = 0; t < count; ++t) {
    double logit = 0.0;
    for (size_t i = 0; i < DIM; ++i) logit += (double)q[i] * (double)cache->keys[t * K_ROW + at + i];
    weights[t] = exp(logit / sqrt((double)DIM));
    total += weights[t];
  }
  for (size_t i = 0; i < DIM; ++i) {
    double sum = 0.0;
    for (size_t t = 0; t < count; ++t) sum += weights[t] * (double)cache->values[t * K_ROW + at + i];
    out[i] = (float)(sum / total);
  }
}

// The attention of all tokens, [TOKENS, Q_HEADS, DIM].
static posenc_status Run(const posenc_rotary* rotary, Rotate rotate, float* out) {
  static Cache cache;
  posenc_status status = POSENC_OK;
  for (size_t n_past = 0, tokens = PROMPT; n_past < TOKENS && status == POSENC_OK;
       n_past += tokens, tokens = 1) {
    static float q[PROMPT * Q_ROW], k[PROMPT * K_ROW];
    const float* const x = hidden + n_past * HIDDEN;
    Project(q_weight, x, tokens, Q_ROW, q);
    Project(k_weight, x, tokens, K_ROW, k);
    Project(v_weight, x, tokens, K_ROW, cache.values + n_past * K_ROW);
    status = rotate(rotary, n_past, tokens, q, k, &cache);
    for (size_t t = 0; t < tokens; ++t) {
      for (size_t h = 0; h < Q_HEADS; ++h) {
        Attend(q + t * Q_ROW + h * DIM, h, &cache, n_past + t + 1, out + (n_past + t) * Q_ROW + h * DIM);
      }
    }
  }
  return status;
}

// Different numbers between `least` and `least` + 1.
static void Fill(float* numbers, size_t count, float least) {
  static uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers[i] = (float)(state >> 8) * 0x1p-24f + least;
  }
}

int main(void) {
  static float in_one_call[TOKENS * Q_ROW], in_passes[TOKENS * Q_ROW];
  posenc_rotary* rotary = NULL;
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
  spec.head_dim = DIM;
  spec.base = 1000000;
  Fill(hidden, TOKENS * HIDDEN, -0.5f);
  Fill(q_weight, Q_ROW * HIDDEN, -0.5f);
  Fill(k_weight, K_ROW * HIDDEN, -0.5f);
  Fill(v_weight, K_ROW * HIDDEN, -0.5f);
  Fill(q_norm, DIM, 0.5f);
  Fill(k_norm, DIM, 0.5f);
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK) status = Run(rotary, InOneCall, in_one_call);
  if (status == POSENC_OK) status = Run(rotary, InPasses, in_passes);
  posenc_rotary_destroy(rotary);
  if (status != POSENC_OK) return puts(posenc_status_message(status)), 1;
  double largest = 0.0, difference = 0.0;
  for (size_t i = 0; i < TOKENS * Q_ROW; ++i) {
    largest = fmax(largest, fabs((double)in_passes[i]));
    difference = fmax(difference, fabs((double)in_one_call[i] - (double)in_passes[i]));
  }
  printf("outputs up to %.3g, which differ by %.1g at most\n", largest, difference);
  return largest > 0.1 && difference < 1e-6 ? 0 : 1;
}
