/* Calls the C interface from strict C99: every function for encoders, as a runtime would use it.
   typed_header_test.cc tests the C++ types, and refusals_test.cc tests bad input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "posenc/grid_c.h"
#include "posenc/posenc_c.h"

#define DIM 6
#define ROWS 3

static int failures = 0;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++failures;                                                               \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

#define CHECK_OK(call)                                                                                    \
  do {                                                                                                    \
    const posenc_status check_status = (call);                                                            \
    if (check_status != POSENC_OK) {                                                                      \
      ++failures;                                                                                         \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, posenc_status_message(check_status)); \
    }                                                                                                     \
  } while (0)

/* Whether the status is a refusal of this kind, and its sentence contains these words. */
static int IsRefusal(posenc_status status, posenc_kind kind, const char* words) {
  return posenc_status_kind(status) == kind && strstr(posenc_status_message(status), words) != NULL;
}

static posenc_rows Floats(float* data, size_t stride) {
  posenc_rows rows;
  rows.type = POSENC_F32;
  rows.data = data;
  rows.stride = stride;
  return rows;
}

static posenc_list List(posenc_type type, const void* data) {
  posenc_list list;
  list.type = type;
  list.data = data;
  return list;
}

static posenc_lookup Lookup(posenc_list ids, const float* table, size_t vocabulary) {
  posenc_lookup lookup;
  lookup.ids = ids;
  lookup.type = POSENC_F32;
  lookup.table = table;
  lookup.vocabulary = vocabulary;
  lookup.stride = DIM;
  return lookup;
}

/* sinf and cosf have an error of about one ulp. That is enough to tell columns and rows apart. */
static int IsNear(float got, double want) { return fabs((double)got - want) < 1e-6; }

static void CheckTable(const float* table, size_t stride, int64_t first) {
  size_t r, i;
  for (r = 0; r < ROWS; ++r) {
    for (i = 0; i < DIM / 2; ++i) {
      const double phase = (double)(first + (int64_t)r) * pow(10000.0, -2.0 * (double)i / DIM);
      CHECK(IsNear(table[r * stride + 2 * i], sin(phase)));
      CHECK(IsNear(table[r * stride + 2 * i + 1], cos(phase)));
    }
  }
}

static posenc_spec MakeSpec(void) {
  posenc_spec spec;
  CHECK_OK(posenc_spec_init(&spec, sizeof(spec)));
  CHECK(spec.struct_size == sizeof(spec) && spec.dim == 0 && spec.base == 10000.0);
  CHECK(spec.exponent_dim == 0.0 && spec.position_scale == 1.0 && spec.target == NULL);
  CHECK(spec.layout == POSENC_INTERLEAVED && spec.phase_rounding == POSENC_NO_PHASE_ROUNDING);
  CHECK(spec.nan_rows == 0 && spec.lists_only == 0);
  spec.dim = DIM;
  return spec;
}

static void CheckTargets(void) {
  posenc_target targets[64];
  const size_t count = posenc_targets(targets, 64);
  size_t i, best = 0;
  CHECK(count >= 1 && count <= 64 && posenc_targets(NULL, 0) == count && posenc_targets(NULL, 9) == count);
  CHECK(strcmp(targets[count - 1].name, "REFERENCE") == 0 && targets[count - 1].runnable == 1);
  for (i = 0; i < count; ++i) best += targets[i].best == 1 && targets[i].runnable == 1;
  CHECK(best == 1);
  targets[0].name = targets[1].name = NULL;
  CHECK(posenc_targets(targets, 1) == count && targets[0].name != NULL && targets[1].name == NULL);
}

static void CountCall(void* data) { ++*(int*)data; }

static void CheckFpState(void) {
  int calls = 0;
  CHECK_OK(posenc_with_fp_state(CountCall, &calls));
  CHECK(calls == 1);
  CHECK(IsRefusal(posenc_with_fp_state(NULL, &calls), POSENC_NULL, "work"));
}

static void CheckEncoder(const posenc_encoder* encoder) {
  float out[ROWS * (DIM + 1)], zero[ROWS * DIM] = {0};
  const float embeddings[2 * DIM] = {1, 1, 1, 1, 1, 1};
  const int32_t narrow[ROWS] = {7, 8, 9};
  const int64_t wide[ROWS] = {-1, 0, 1}, ids[ROWS] = {1, 1, 1};
  const float fractions[ROWS] = {-8.0f, -7.0f, -6.0f};
  const posenc_list narrow_list = List(POSENC_I32, narrow), wide_list = List(POSENC_I64, wide);
  const posenc_list fraction_list = List(POSENC_F32, fractions);
  const posenc_lookup lookup = Lookup(List(POSENC_I64, ids), embeddings, 2);
  const posenc_rows apart = Floats(out, DIM + 1), dense = Floats(out, DIM), x = Floats(zero, DIM);
  posenc_batch batch = {1, 0, {POSENC_I32, NULL}};
  size_t bad_index = 4711;

  CHECK(posenc_encoder_dim(encoder) == DIM && posenc_encoder_layout(encoder) == POSENC_INTERLEAVED);
  CHECK(posenc_encoder_target(encoder)[0] != '\0');
  CHECK(posenc_encoder_frequency_count(encoder) == DIM / 2 && posenc_encoder_radians(encoder, 0) == 1.0);
  out[DIM] = 0.25f;
  CHECK_OK(posenc_write(encoder, 5, ROWS, &apart));
  CheckTable(out, DIM + 1, 5);
  CHECK(out[DIM] == 0.25f);
  CHECK_OK(posenc_write_at(encoder, &narrow_list, ROWS, &dense, &bad_index));
  CheckTable(out, DIM, 7);
  CHECK_OK(posenc_add(encoder, 5, ROWS, &x, 1.0f));
  CheckTable(zero, DIM, 5);
  CHECK_OK(posenc_add_at(encoder, &wide_list, ROWS, &x, 0.0f, NULL));
  CheckTable(zero, DIM, -1);
  CHECK_OK(posenc_embed(encoder, &lookup, 40, ROWS, &dense, 2.0f, &bad_index));
  CheckTable(out, DIM, 40);
  CHECK_OK(posenc_add_batch(encoder, &batch, 9, ROWS, &x, 0.0f, NULL));
  CheckTable(zero, DIM, 9);
  batch.first_positions = narrow_list;
  CHECK_OK(posenc_add_batch(encoder, &batch, 100, ROWS, &x, 0.0f, &bad_index));
  CheckTable(zero, DIM, 107);
  CHECK_OK(posenc_write_at(encoder, &fraction_list, ROWS, &dense, NULL));
  CheckTable(out, DIM, -8);
  CHECK(bad_index == 4711);
}

/* Rows are ordered by h, then w. The columns of w come first. Then the same with a list of positions, and
   added. */
static void CheckGrids(const posenc_encoder* encoder) {
  const double list[2] = {0.0, 1.0};
  posenc_grid_axis axes[2] = {{NULL, DIM, 2, {0, NULL}, 0}, {NULL, 0, ROWS, {0, NULL}, 0}};
  float out[(1 + 2 * ROWS) * 2 * DIM], x[(1 + 2 * ROWS) * 2 * DIM];
  const posenc_rows out_rows = Floats(out, 2 * DIM), x_rows = Floats(x, 2 * DIM);
  size_t bad_axis = 4711, bad_index = 4711, k;
  axes[0].encoder = axes[1].encoder = encoder;
  CHECK_OK(posenc_write_grid(axes, 2, 1, &out_rows, &bad_axis, &bad_index));
  for (k = 0; k < 2 * DIM; ++k) CHECK(out[k] == 0.0f);
  CheckTable(out + 2 * DIM, 2 * DIM, 0);
  CheckTable(out + (1 + ROWS) * 2 * DIM, 2 * DIM, 0);
  for (k = 0; k < DIM; ++k)
    CHECK(out[2 * DIM + k] == out[3 * DIM + k] && out[5 * DIM + k] == out[3 * DIM + k]);
  CHECK(out[(1 + ROWS) * 2 * DIM + DIM] > 0.84f); /* the sine of h = 1 */
  axes[0].positions = List(POSENC_F64, list);
  memset(x, 0, sizeof(x));
  CHECK_OK(posenc_add_grid(axes, 2, 1, &x_rows, 2.0f, NULL, NULL));
  CHECK(memcmp(x, out, sizeof(x)) == 0 && bad_axis == 4711 && bad_index == 4711);
  axes[1].first_position = POSENC_MAX_POSITION;
  CHECK(IsRefusal(posenc_write_grid(axes, 2, 1, &out_rows, &bad_axis, &bad_index), POSENC_OUT_OF_RANGE,
                  "positions from first_position on"));
  CHECK(bad_axis == 1 && bad_index == 1);
}

static void CheckPositions(const posenc_encoder* encoder) {
  const int32_t ids[ROWS] = {3, 1, 4};
  const float embeddings[5 * DIM] = {0};
  const int64_t positions[ROWS] = {0, 1, 2};
  float out[ROWS * DIM];
  const posenc_list list = List(POSENC_I64, positions);
  const posenc_lookup lookup = Lookup(List(POSENC_I32, ids), embeddings, 5);
  const posenc_rows rows = Floats(out, DIM);
  size_t bad_index = 4711;
  CHECK_OK(posenc_embed_at(encoder, &lookup, &list, ROWS, &rows, 1.0f, &bad_index));
  CheckTable(out, DIM, 0);
  CHECK(bad_index == 4711);
}

int main(void) {
  const posenc_spec spec = MakeSpec();
  posenc_encoder* encoder = NULL;
  posenc_rows rows;
  size_t bytes = 0;
  float number;
  void* memory;

  CHECK(posenc_version() == POSENC_VERSION && POSENC_VERSION == POSENC_PROJECT_VERSION);
  CheckTargets();
  CheckFpState();
  CHECK_OK(posenc_encoder_create(&spec, &encoder));
  CheckEncoder(encoder);
  CheckGrids(encoder);
  CheckPositions(encoder);
  posenc_encoder_destroy(encoder);
  posenc_encoder_destroy(NULL);

  CHECK_OK(posenc_encoder_memory_size(&spec, &bytes));
  memory = malloc(bytes);
  encoder = NULL;
  CHECK_OK(posenc_encoder_create_in(&spec, memory, bytes, &encoder));
  CheckEncoder(encoder);
  posenc_encoder_destroy(encoder);
  free(memory);

  rows = Floats(&number, DIM);
  CHECK(IsRefusal(posenc_write(NULL, 0, 1, &rows), POSENC_NULL, "encoder"));
  return failures == 0 ? 0 : 1;
}
