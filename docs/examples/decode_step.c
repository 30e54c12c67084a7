// A decode step of a model like Llama 3, for several sequences. Each of the 32 layers has 32 heads of q and 8
// heads of k. q is rotated in place, and k goes to the layer's paged KV cache of float16. Cosines and sines
// are made once for all layers. The program also does this in separate passes: one rotates k, and one
// converts k and copies it to its slot. The program compares the caches, and prints the times.
#include <posenc/models_c.h>
#include <posenc/rotary_angles_c.h>
#include <posenc/rotary_slots_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAYERS = 32, Q_HEADS = 32, K_HEADS = 8, DIM = 128, Q_ROW = Q_HEADS * DIM, K_ROW = K_HEADS * DIM };
enum { MOST_TOKENS = 8, BLOCK = 16, BLOCKS = 32, SLOTS = BLOCKS * BLOCK };

typedef uint16_t Half;              // the bits of a float16
typedef Half Cache[SLOTS * K_ROW];  // [BLOCKS, BLOCK, K_HEADS, DIM]

static float q[LAYERS][MOST_TOKENS * Q_ROW], k[LAYERS][MOST_TOKENS * K_ROW];  // what the projections write
static Cache caches[LAYERS], caches_of_passes[LAYERS];

// The tokens of a step: the next token of each sequence.
typedef struct {
  const posenc_rotary* rotary;
  const posenc_angles* angles;
  size_t tokens;
  const int64_t* slot_mapping;
} Step;

static posenc_heads Heads(float* data, size_t heads) {
  const posenc_heads tensor = {
      .type = POSENC_F32, .data = data, .heads = heads, .token_stride = heads * DIM, .head_stride = DIM};
  return tensor;
}

// One call for each layer.
static posenc_status InOneCall(const Step* step) {
  const posenc_slots slots = {{POSENC_I64, step->slot_mapping}, SLOTS, BLOCK, BLOCK * K_ROW, K_ROW};
  posenc_status status = POSENC_OK;
  for (int n = 0; n < LAYERS && status == POSENC_OK; ++n) {
    posenc_heads tensors[2] = {Heads(q[n], Q_HEADS), Heads(NULL, K_HEADS)};
    tensors[1].type = POSENC_F16;
    tensors[1].source_type = POSENC_F32;
    tensors[1].data = caches[n];
    tensors[1].source = k[n];
    tensors[1].source_token_stride = K_ROW;
    tensors[1].slots = &slots;
    status = posenc_rotate_by_angles(step->rotary, step->angles, 0, step->tokens, tensors, 2);
  }
  return status;
}

// The nearest float16. Without branches, so that compilers vectorize the loop below.
static Half HalfOf(float x) {
  uint32_t bits, sum_bits;
  memcpy(&bits, &x, sizeof(bits));
  const uint32_t sign = bits >> 16 & 0x8000u;
  bits &= 0x7FFFFFFFu;
  memcpy(&x, &bits, sizeof(x));
  const float sum = x + 0.5f;  // rounds to the last place of a subnormal float16
  memcpy(&sum_bits, &sum, sizeof(sum_bits));
  const uint32_t subnormal = sum_bits - 0x3F000000u;
  const uint32_t normal = (bits - 0x38000000u + 0xFFFu + (bits >> 13 & 1u)) >> 13;
  const uint32_t special = bits > 0x7F800000u ? 0x7E00u : 0x7C00u;
  const uint32_t half = bits < 0x38800000u ? subnormal : bits < 0x477FF000u ? normal : special;
  return (Half)(sign | half);
}

// For each layer a call that rotates in place, and a loop that converts and copies.
static posenc_status InPasses(const Step* step) {
  posenc_status status = POSENC_OK;
  for (int n = 0; n < LAYERS && status == POSENC_OK; ++n) {
    const posenc_heads tensors[2] = {Heads(q[n], Q_HEADS), Heads(k[n], K_HEADS)};
    status = posenc_rotate_by_angles(step->rotary, step->angles, 0, step->tokens, tensors, 2);
    for (size_t t = 0; t < step->tokens; ++t) {
      Half* const slot = caches_of_passes[n] + (size_t)step->slot_mapping[t] * K_ROW;
      for (size_t i = 0; i < K_ROW; ++i) slot[i] = HalfOf(k[n][t * K_ROW + i]);
    }
  }
  return status;
}

// The time of a layer, in nanoseconds.
static double Time(posenc_status (*run)(const Step*), const Step* step) {
  const int steps = 20;
  const clock_t begin = clock();
  for (int i = 0; i < steps; ++i) (void)run(step);
  return (double)(clock() - begin) * 1e9 / CLOCKS_PER_SEC / steps / LAYERS;
}

// Prints the shortest times of many rounds.
static void Compare(const Step* step, const char* arithmetic) {
  double one = 1e30, passes = 1e30;
  for (int round = 0; round < 40; ++round) {
    const double of_call = Time(InOneCall, step), of_passes = Time(InPasses, step);
    one = of_call < one ? of_call : one;
    passes = of_passes < passes ? of_passes : passes;
  }
  printf("%s, tokens %d: a layer takes %.0f ns in one call, %.0f ns in passes (%.2f times as long)\n",
         arithmetic, (int)step->tokens, one, passes, passes / one);
}

// Whether both ways fill the caches alike. With fast arithmetic the bits must be the same. With exact
// arithmetic separate passes round twice, and some 60 elements in a million are neighbours of the right ones.
static int AreCachesRight(const Step* step, int is_exact) {
  for (int n = 0; n < LAYERS; ++n) {
    for (size_t i = 0; i < MOST_TOKENS * K_ROW; ++i) {  // different numbers of either sign
      const uint32_t random = (uint32_t)((size_t)n * MOST_TOKENS * K_ROW + i) * 2654435761u;
      k[n][i] = (float)(random >> 8) * 0x1p-22f - 2.0f;
    }
  }
  memset(caches, 0, sizeof(caches));
  memset(caches_of_passes, 0, sizeof(caches_of_passes));
  if (InOneCall(step) != POSENC_OK || InPasses(step) != POSENC_OK) return 0;
  size_t differ = 0;
  for (int n = 0; n < LAYERS; ++n) {
    for (size_t i = 0; i < SLOTS * K_ROW; ++i) {
      const int distance = (int)caches[n][i] - (int)caches_of_passes[n][i];
      if (distance < -1 || distance > 1) return 0;
      differ += distance != 0;
    }
  }
  return is_exact ? differ < LAYERS * step->tokens * K_ROW / 1000 : differ == 0;
}

// Returns whether all is right.
static int Run(posenc_arithmetic arithmetic, size_t tokens) {
  static const int32_t n_past[MOST_TOKENS] = {131071, 4, 77, 1000, 8191, 8192, 31, 12};
  static const int64_t slot_mapping[MOST_TOKENS] = {500, 3, 77, 250, 16, 407, 31, 12};
  const posenc_list positions = {POSENC_I32, n_past};
  posenc_rotary_spec spec;
  posenc_rotary* rotary = NULL;
  posenc_angles* angles = NULL;
  size_t bytes = 0;
  int is_right = 0;
  posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), "llama3", DIM, NULL);
  spec.arithmetic = arithmetic;
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
  if (status == POSENC_OK) status = posenc_angles_memory_size(rotary, tokens, &bytes);
  void* const memory = malloc(bytes);
  if (status == POSENC_OK)
    status = posenc_angles_make_at(rotary, &positions, tokens, memory, bytes, &angles, NULL);
  if (status == POSENC_OK) {
    const Step step = {rotary, angles, tokens, slot_mapping};
    is_right = AreCachesRight(&step, arithmetic == POSENC_EXACT);
    Compare(&step, arithmetic == POSENC_FAST ? "fast" : "exact");
  } else {
    puts(posenc_status_message(status));
  }
  free(memory);
  posenc_rotary_destroy(rotary);
  return is_right;
}

int main(void) {
  const int are_right = Run(POSENC_EXACT, 1) & Run(POSENC_EXACT, MOST_TOKENS) & Run(POSENC_FAST, 1) &
                        Run(POSENC_FAST, MOST_TOKENS);
  return are_right ? 0 : 1;
}
