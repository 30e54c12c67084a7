/* posenc in graphs of ggml, on its CPU backend: nodes in place of ggml_rope_ext, ggml_rope_multi and
   ggml_timestep_embedding, and rotation into a KV cache. For C99 and C++. docs/ggml.md explains how to use
   them, and ggml_rope.c is a whole program. A graph that posenc cannot compute is refused when it is built.

   Functions that have a parameter why return POSENC_OK or a posenc_kind, such as POSENC_BAD_TYPE. After a
   mistake *why is the sentence that says what is wrong, unless why is null. posenc_status_message does not
   know that sentence. But posenc_ggml_timestep_spec has no why: pass its status to posenc_status_message. */
#ifndef POSENC_GGML_H_
#define POSENC_GGML_H_

#include <ggml-backend.h>
#include <ggml.h>
#include <math.h>
#include <posenc/models_c.h>
#include <posenc/rotary_c.h>
#include <posenc/rotary_slots_c.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline posenc_status posenc_ggml_refuse(posenc_kind kind, const char* sentence, const char** why) {
  if (why != NULL) *why = sentence;
  return (posenc_status)kind;
}

/* The arguments of ggml_rope_ext or, with sections, of ggml_rope_multi, for heads with head_dim elements.
   Always set head_dim, n_dims, mode, freq_base, freq_scale and attn_factor. You may leave the other members
   0: then there are no factors, no sections and no YaRN. */
typedef struct posenc_ggml_rope_arguments {
  int64_t head_dim;
  const struct ggml_tensor* c; /* the factors of the frequencies, or NULL */
  int n_dims;
  const int* sections; /* [GGML_MROPE_SECTIONS], or NULL */
  int mode;
  int n_ctx_orig;
  float freq_base, freq_scale, ext_factor, attn_factor, beta_fast, beta_slow;
} posenc_ggml_rope_arguments;

/* Sets axes, their order and their pairs, for a mode with several axes. */
static inline posenc_status posenc_ggml_axes(const int* sections, int mode, posenc_rotary_spec* spec,
                                             const char** why) {
  const size_t pairs = spec->rotary_dim / 2;
  size_t* s = spec->sections;
  size_t k, sum = 0;
  if (sections == NULL) {
    return posenc_ggml_refuse(POSENC_NULL, "sections must not be null with a mode of several axes", why);
  }
  for (k = 0; k < GGML_MROPE_SECTIONS; ++k) {
    if (sections[k] < 0) return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "sections must be 0 or more", why);
    sum += s[k] = (size_t)sections[k];
  }
  spec->axes = s[3] > 0 ? 4 : s[2] > 0 ? 3 : 2;
  if (mode == GGML_ROPE_TYPE_VISION) { /* ggml ignores the last two */
    if (s[0] != s[1]) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "sections[0] and sections[1] must be equal with VISION",
                                why);
    }
    s[2] = s[3] = 0;
    spec->axes = 2;
    spec->axis_order = POSENC_AXIAL_AXES;
  } else if (mode == GGML_ROPE_TYPE_IMROPE) {
    if (sum < pairs) { /* then ggml begins with the first section again, and posenc has no such order */
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "sections must add up to n_dims / 2 or more with IMROPE",
                                why);
    }
    spec->axes = 4;
    spec->axis_order = POSENC_IMROPE_AXES;
    s[3] = pairs;
    for (k = 0; k < 3;
         ++k) { /* axis k has the first s[k] of the pairs k, k + 3, ...; the fourth axis has the rest */
      const size_t third = (pairs + 2 - k) / 3;
      if (s[k] > third) s[k] = third;
      s[3] -= s[k];
    }
  }
  return POSENC_OK;
}

/* Sets *spec to what ggml_rope_ext or ggml_rope_multi rotates by. ext_factor must be 0, or 1 for YaRN. c must
   have its data, in the host's memory, and keep it until the rotary is created. The function also refuses
   YaRN with c or with VISION, and sections that do not add up to the number of pairs (with IMROPE: sections
   that add up to fewer). To trade the last bit for speed, set spec->arithmetic. On failure *spec stays as it
   was.

   freq_scale is a float, and 0.025f is not 1/40. A spec from a GGUF file's metadata
   (posenc_rotary_spec_from_config) has the exact factor. The nodes take any spec. */
static inline posenc_status posenc_ggml_rope_spec(const posenc_ggml_rope_arguments* rope,
                                                  posenc_rotary_spec* spec, const char** why) {
  posenc_rotary_spec made;
  posenc_status status;
  int is_vision;
  if (rope == NULL || spec == NULL) {
    return posenc_ggml_refuse(POSENC_NULL, "the arguments of rope and spec must not be null", why);
  }
  status = posenc_rotary_spec_init(&made, sizeof(made));
  if (status != POSENC_OK)
    return posenc_ggml_refuse(posenc_status_kind(status), posenc_status_message(status), why);
  is_vision = rope->mode == GGML_ROPE_TYPE_VISION; /* there n_dims is half of the head */
  if (rope->n_dims <= 0) return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "n_dims must be positive", why);
  if (is_vision && rope->head_dim != 2 * (int64_t)rope->n_dims) {
    return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "n_dims must be head_dim / 2 with VISION", why);
  }
  made.head_dim = (size_t)rope->head_dim;
  made.rotary_dim = (size_t)rope->n_dims * (is_vision ? 2 : 1);
  made.base = rope->freq_base;
  made.amplitude = rope->attn_factor;
  if (!(rope->attn_factor > 0.0f)) {
    return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "attn_factor must be positive", why);
  }
  if (rope->mode == GGML_ROPE_TYPE_NORMAL) {
    made.pairing = POSENC_NEIGHBOURS;
  } else if (is_vision || rope->mode == GGML_ROPE_TYPE_MROPE || rope->mode == GGML_ROPE_TYPE_IMROPE) {
    status = posenc_ggml_axes(rope->sections, rope->mode, &made, why);
    if (status != POSENC_OK) return status;
  } else if (rope->mode != GGML_ROPE_TYPE_NEOX) {
    return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "mode must be NORMAL, NEOX, MROPE, IMROPE or VISION", why);
  }
  if (rope->c != NULL) {
    const struct ggml_tensor* c = rope->c;
    const int is_on_host = c->buffer == NULL || ggml_backend_buffer_is_host(c->buffer);
    if (c->data == NULL || !is_on_host) {
      return posenc_ggml_refuse(POSENC_NULL, "the factors c must have their data, in the host's memory", why);
    }
    if (c->type != GGML_TYPE_F32)
      return posenc_ggml_refuse(POSENC_BAD_TYPE, "the factors c must be F32", why);
    if (c->ne[0] < (int64_t)(made.rotary_dim / 2)) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "the factors c must be n_dims / 2 or more", why);
    }
    made.scaling = POSENC_FREQUENCY_FACTORS;
    made.factors_f32 = (const float*)c->data;
    made.factor_count = made.rotary_dim / 2;
  }
  if (rope->freq_scale == 0.0f) { /* then nothing would rotate: probably it was not set */
    return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "freq_scale must not be 0", why);
  }
  if (rope->ext_factor == 0.0f) {
    made.position_scale = rope->freq_scale;
  } else {
    float ramp[2];
    if (rope->ext_factor != 1.0f) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "ext_factor must be 0, or 1 for YaRN", why);
    }
    if (rope->c != NULL || is_vision) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "ext_factor must be 0 with the factors c or with VISION",
                                why);
    }
    if (rope->n_ctx_orig <= 0) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "n_ctx_orig must be positive with YaRN", why);
    }
    made.scaling = POSENC_YARN;
    made.factor = 1.0 / rope->freq_scale;
    made.original_length = rope->n_ctx_orig;
    made.beta_fast = rope->beta_fast;
    made.beta_slow = rope->beta_slow;
    /* If the ramp would end before it begins, ggml makes a step, and posenc does not. */
    ggml_rope_yarn_corr_dims(rope->n_dims, rope->n_ctx_orig, rope->freq_base, rope->beta_fast,
                             rope->beta_slow, ramp);
    if (rope->beta_slow > 0.0f && rope->beta_fast >= rope->beta_slow && ramp[0] > ramp[1]) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT,
                                "n_ctx_orig is so small that YaRN's ramp would end before it begins", why);
    }
    /* With 0 posenc uses YaRN's own amplitude, right to the last bit. */
    made.amplitude = rope->attn_factor == 1.0f && made.factor > 1.0
                         ? 0.0
                         : rope->attn_factor * (1.0 + 0.1 * log(made.factor));
  }
  *spec = made;
  return POSENC_OK;
}

#define POSENC_GGML_TOKENS 64 /* in each call; their positions are copied to the stack */

/* The type of a tensor's elements, or 0 if posenc rotates no such elements. */
static inline posenc_type posenc_ggml_type(const struct ggml_tensor* tensor) {
  return tensor->type == GGML_TYPE_F32    ? POSENC_F32
         : tensor->type == GGML_TYPE_BF16 ? POSENC_BF16
         : tensor->type == GGML_TYPE_F16  ? POSENC_F16
                                          : (posenc_type)0;
}

/* Whether a cache with rows for the heads a is [head_dim * heads, rows], and not [head_dim, heads, rows]. */
static inline int posenc_ggml_is_flat(const struct ggml_tensor* cache, const struct ggml_tensor* a) {
  return ggml_is_matrix(cache) && cache->ne[0] == a->ne[0] * a->ne[1];
}

static inline int64_t posenc_ggml_row(const struct ggml_tensor* rows, int64_t t) {
  return rows->type == GGML_TYPE_I64 ? ((const int64_t*)rows->data)[t] : ((const int32_t*)rows->data)[t];
}

/* Whether each row comes after the one before, so that no two tokens go to the same row. */
static inline int posenc_ggml_ascend(const struct ggml_tensor* rows) {
  int64_t t;
  for (t = 1; t < rows->ne[0]; ++t) {
    if (posenc_ggml_row(rows, t) <= posenc_ggml_row(rows, t - 1)) return 0;
  }
  return 1;
}

/* The work of task ith of nth: a range of tokens. If there are few tokens, or if several may go to the same
   row, it is a range of heads. The functions that make nodes have checked all that they could know. Positions
   and rows are known only now. If one is out of range, the program ends with posenc's sentence. */
static inline void posenc_ggml_compute(struct ggml_tensor* dst, const struct ggml_tensor* a,
                                       const struct ggml_tensor* b, const struct ggml_tensor* rows, int ith,
                                       int nth, const posenc_rotary* rotary) {
  const int64_t tokens = a->ne[2], heads = a->ne[1];
  const int has_tokens = tokens >= nth && (rows == NULL || posenc_ggml_ascend(rows));
  const int64_t begin = has_tokens ? tokens * ith / nth : 0,
                end = has_tokens ? tokens * (ith + 1) / nth : tokens;
  const int64_t head = has_tokens ? 0 : heads * ith / nth,
                last = has_tokens ? heads : heads * (ith + 1) / nth;
  const size_t size = ggml_type_size(dst->type), source_size = ggml_type_size(a->type);
  const int is_flat = rows != NULL && posenc_ggml_is_flat(dst, a);
  const size_t head_bytes = is_flat ? (size_t)a->ne[0] * size : dst->nb[1];
  const int32_t* list = (const int32_t*)b->data;
  int32_t positions[POSENC_MAX_AXES * POSENC_GGML_TOKENS];
  posenc_slots slots;
  int64_t batch, t, count, k;
  memset(&slots, 0, sizeof(slots));
  if (rows != NULL) { /* one block with all rows */
    slots.count = slots.block_size = (size_t)(is_flat ? dst->ne[1] : dst->ne[2]);
    slots.offset_stride = (is_flat ? dst->nb[1] : dst->nb[2]) / size;
  }
  for (batch = 0; batch < a->ne[3]; ++batch) {
    for (t = begin; t < end; t += count) {
      const size_t at[3] = {(size_t)head, (size_t)t, (size_t)batch};
      const posenc_list list_of_range = {POSENC_I32, positions};
      posenc_heads tensor;
      posenc_status status;
      count = end - t < POSENC_GGML_TOKENS ? end - t : POSENC_GGML_TOKENS;
      for (k = 0; k < POSENC_MAX_AXES; ++k) { /* one list holds for all axes */
        const int32_t* row = list + (b->ne[0] == tokens ? 0 : k * tokens) + t;
        memcpy(positions + k * count, row, (size_t)count * sizeof(int32_t));
      }
      memset(&tensor, 0, sizeof(tensor));
      tensor.type = posenc_ggml_type(dst);
      tensor.source_type = posenc_ggml_type(a);
      tensor.data = (char*)dst->data + at[0] * head_bytes;
      tensor.heads = (size_t)(last - head);
      tensor.head_stride = head_bytes / size;
      if (rows != NULL) {
        slots.list.type = rows->type == GGML_TYPE_I64 ? POSENC_I64 : POSENC_I32;
        slots.list.data = (const char*)rows->data + at[1] * ggml_type_size(rows->type);
        tensor.slots = &slots;
      } else {
        tensor.data = (char*)tensor.data + at[1] * dst->nb[2] + at[2] * dst->nb[3];
        tensor.token_stride = dst->nb[2] / size;
      }
      tensor.source = (const char*)a->data + at[0] * a->nb[1] + at[1] * a->nb[2] + at[2] * a->nb[3];
      tensor.source_token_stride = a->nb[2] / source_size;
      tensor.source_head_stride = a->nb[1] / source_size;
      status = posenc_rotate_at(rotary, &list_of_range, (size_t)count, &tensor, 1, NULL);
      if (status != POSENC_OK) GGML_ABORT("posenc: %s", posenc_status_message(status));
    }
  }
}

static inline void posenc_ggml_rotate(struct ggml_tensor* dst, const struct ggml_tensor* a,
                                      const struct ggml_tensor* b, int ith, int nth, void* rotary) {
  posenc_ggml_compute(dst, a, b, NULL, ith, nth, (const posenc_rotary*)rotary);
}

static inline void posenc_ggml_rotate_into(struct ggml_tensor* dst, int ith, int nth, void* rotary) {
  posenc_ggml_compute(dst, dst->src[1], dst->src[2], dst->src[3], ith, nth, (const posenc_rotary*)rotary);
}

/* Which stride of heads [head_dim, heads, tokens, batch] is wrong: an index of the arrays `strides` below, or
   0. In memory that is written, batches must be apart, too. */
static inline int posenc_ggml_wrong_stride(const struct ggml_tensor* heads, int is_written) {
  const size_t size = ggml_type_size(heads->type), row = size * (size_t)heads->ne[0];
  const size_t* nb = heads->nb;
  const size_t all_heads = (size_t)heads->ne[1] * nb[1], all_tokens = (size_t)heads->ne[2] * nb[2];
  if (nb[0] != size || nb[1] < row || nb[1] % size != 0) return 1;
  if (nb[2] < row || nb[2] % size != 0 || (nb[2] < all_heads && nb[1] < all_tokens)) return 2;
  if (nb[3] % size != 0) return 3;
  return is_written && heads->ne[3] > 1 && (nb[3] < all_heads || nb[3] < all_tokens) ? 4 : 0;
}

/* Refuses heads a and positions b that no node takes. */
static inline posenc_status posenc_ggml_check(struct ggml_context* ctx, const struct ggml_tensor* a,
                                              const struct ggml_tensor* b, const posenc_rotary* rotary,
                                              int in_place, const void* node, const char** why) {
  static const char* const strides[] = {NULL, "nb[1] of the heads a must keep them contiguous and apart",
                                        "nb[2] of the heads a must keep tokens apart",
                                        "nb[3] of the heads a must be whole elements",
                                        "nb[3] of the heads a must keep batches apart if in place"};
  int k;
  if (rotary == NULL)
    return posenc_ggml_refuse(POSENC_NULL, "rotary is null: create it, and check that status", why);
  if (ctx == NULL || a == NULL || b == NULL || node == NULL) {
    return posenc_ggml_refuse(POSENC_NULL, "ctx, the heads a, the positions b and node must not be null",
                              why);
  }
  if (posenc_ggml_type(a) == (posenc_type)0)
    return posenc_ggml_refuse(POSENC_BAD_TYPE, "the heads a must be F32, F16 or BF16", why);
  if (b->type != GGML_TYPE_I32)
    return posenc_ggml_refuse(POSENC_BAD_TYPE, "the positions b must be I32", why);
  if ((size_t)a->ne[0] != posenc_rotary_head_dim(rotary)) {
    return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "ne[0] of the heads a must be the rotary's head_dim", why);
  }
  if (!ggml_is_vector(b) || !ggml_is_contiguous(b) || (b->ne[0] != a->ne[2] && b->ne[0] != 4 * a->ne[2])) {
    return posenc_ggml_refuse(
        POSENC_BAD_ARGUMENT,
        "the positions b must be a contiguous vector of ne[2] of the heads a, or 4 times as many", why);
  }
  k = posenc_ggml_wrong_stride(a, in_place);
  return k == 0 ? POSENC_OK : posenc_ggml_refuse(POSENC_BAD_STRIDE, strides[k], why);
}

/* Adds a node that rotates a, [head_dim, heads, tokens, batch] of F32, F16 or BF16. The elements of each head
   must be contiguous, and heads must not overlap. The positions b are I32: [tokens], the same on all axes, or
   [4 * tokens]. A rotary reads one row of them for each of its axes. in_place is as in ggml_rope_ext_inplace.
   On failure *node stays as it was. (If output_pairing and pairing of the rotary differ, at most 1,024
   elements of a head can rotate in place.) */
static inline posenc_status posenc_ggml_rope(struct ggml_context* ctx, struct ggml_tensor* a,
                                             struct ggml_tensor* b, const posenc_rotary* rotary, int in_place,
                                             struct ggml_tensor** node, const char** why) {
  const posenc_status status = posenc_ggml_check(ctx, a, b, rotary, in_place, node, why);
  if (status != POSENC_OK) return status;
  *node = (in_place ? ggml_map_custom2_inplace : ggml_map_custom2)(ctx, a, b, posenc_ggml_rotate,
                                                                   GGML_N_TASKS_MAX, (void*)rotary);
  return POSENC_OK;
}

/* Adds a node that rotates a and writes the result into a KV cache. It takes the place of two nodes:
   ggml_rope_ext, and then ggml_cpy or ggml_set_rows. The cache has the type of a. If a is F32, the cache may
   also be F16 or BF16. Each element is rounded once. *node becomes a view of the cache.

     rows NULL   the cache is a view with the shape of a, as for ggml_cpy
     rows        I64 or I32 [tokens]: token t goes to row rows[t] of the cache, [head_dim * heads, n] or
                 [head_dim, heads, n]. -1 means that the token is not written. If a row occurs twice, the
                 later token wins. ne[3] of the heads a must be 1

   The cache must not overlap a. */
static inline posenc_status posenc_ggml_rope_into(struct ggml_context* ctx, struct ggml_tensor* a,
                                                  struct ggml_tensor* b, const posenc_rotary* rotary,
                                                  struct ggml_tensor* cache, struct ggml_tensor* rows,
                                                  struct ggml_tensor** node, const char** why) {
  static const char* const strides[] = {NULL, "nb[1] of the cache must keep heads contiguous and apart",
                                        "nb[2] of the cache must keep tokens apart",
                                        "nb[3] of the cache must be whole elements",
                                        "nb[3] of the cache must keep batches apart"};
  struct ggml_tensor* sources[3];
  posenc_status status = posenc_ggml_check(ctx, a, b, rotary, 0, node, why);
  int is_flat, k;
  if (status != POSENC_OK) return status;
  if (cache == NULL) return posenc_ggml_refuse(POSENC_NULL, "the cache must not be null", why);
  if (posenc_ggml_type(cache) == (posenc_type)0 || (a->type != GGML_TYPE_F32 && cache->type != a->type)) {
    return posenc_ggml_refuse(
        POSENC_BAD_TYPE, "the cache must have the type of the heads a, or be F16 or BF16 if they are F32",
        why);
  }
  is_flat = rows != NULL && posenc_ggml_is_flat(cache, a);
  if (rows == NULL) {
    if (!ggml_are_same_shape(a, cache)) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT,
                                "without rows the cache must have the shape of the heads a", why);
    }
  } else {
    if (rows->type != GGML_TYPE_I64 && rows->type != GGML_TYPE_I32)
      return posenc_ggml_refuse(POSENC_BAD_TYPE, "rows must be I64 or I32", why);
    if (!ggml_is_vector(rows) || !ggml_is_contiguous(rows) || rows->ne[0] != a->ne[2]) {
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT,
                                "rows must be a contiguous vector of ne[2] of the heads a", why);
    }
    if (a->ne[3] != 1)
      return posenc_ggml_refuse(POSENC_BAD_ARGUMENT, "ne[3] of the heads a must be 1 with rows", why);
    if (!is_flat && (cache->ne[0] != a->ne[0] || cache->ne[1] != a->ne[1] || cache->ne[3] != 1)) {
      return posenc_ggml_refuse(
          POSENC_BAD_ARGUMENT,
          "with rows the cache must be [head_dim * heads, n] or [head_dim, heads, n], with the heads of a",
          why);
    }
  }
  k = posenc_ggml_wrong_stride(cache, 1);
  if (is_flat && k > 1) k = 0; /* a matrix has only nb[1] */
  if (k != 0) return posenc_ggml_refuse(POSENC_BAD_STRIDE, strides[k], why);
  sources[0] = a;
  sources[1] = b;
  sources[2] = rows;
  *node = ggml_custom_inplace(ctx, cache, sources, rows == NULL ? 2 : 3, posenc_ggml_rotate_into,
                              GGML_N_TASKS_MAX, (void*)rotary);
  return POSENC_OK;
}

/* Sets *spec to what ggml_timestep_embedding writes. A NaN or a timestep beyond 2^31 makes a row of NaN. */
static inline posenc_status posenc_ggml_timestep_spec(int dim, int max_period, posenc_spec* spec) {
  const posenc_status status =
      posenc_spec_preset(spec, sizeof(*spec), "ggml_timestep", dim > 0 ? (size_t)dim : 0, NULL);
  if (status != POSENC_OK) return status;
  spec->base = max_period;
  spec->lists_only = 1;
  spec->nan_rows = 1;
  return POSENC_OK;
}

static inline void posenc_ggml_write_timesteps(struct ggml_tensor* dst, int ith, int nth, void* encoder) {
  const int64_t begin = dst->ne[1] * ith / nth, end = dst->ne[1] * (ith + 1) / nth;
  const posenc_list timesteps = {POSENC_F32, (const float*)dst->src[0]->data + begin};
  const posenc_rows out = {POSENC_F32, (char*)dst->data + (size_t)begin * dst->nb[1],
                           dst->nb[1] / sizeof(float)};
  const posenc_status status =
      posenc_write_at((const posenc_encoder*)encoder, &timesteps, (size_t)(end - begin), &out, NULL);
  if (status != POSENC_OK) GGML_ABORT("posenc: %s", posenc_status_message(status));
}

/* Adds a node [dim, n] for timesteps [n] of F32. The encoder, made with that spec, must outlive the graph. */
static inline posenc_status posenc_ggml_timesteps(struct ggml_context* ctx, struct ggml_tensor* timesteps,
                                                  const posenc_encoder* encoder, struct ggml_tensor** node,
                                                  const char** why) {
  if (encoder == NULL)
    return posenc_ggml_refuse(POSENC_NULL, "encoder is null: create it, and check that status", why);
  if (ctx == NULL || timesteps == NULL || node == NULL) {
    return posenc_ggml_refuse(POSENC_NULL, "ctx, timesteps and node must not be null", why);
  }
  if (timesteps->type != GGML_TYPE_F32)
    return posenc_ggml_refuse(POSENC_BAD_TYPE, "timesteps must be F32", why);
  if (!ggml_is_vector(timesteps) || !ggml_is_contiguous(timesteps)) {
    return posenc_ggml_refuse(POSENC_BAD_STRIDE, "timesteps must be a contiguous vector", why);
  }
  *node = ggml_custom_4d(ctx, GGML_TYPE_F32, (int64_t)posenc_encoder_dim(encoder), timesteps->ne[0], 1, 1,
                         &timesteps, 1, posenc_ggml_write_timesteps, GGML_N_TASKS_MAX, (void*)encoder);
  return POSENC_OK;
}

#endif /* POSENC_GGML_H_ */
