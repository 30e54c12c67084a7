/* posenc in graphs of ggml, on its CPU backend: nodes in place of ggml_rope_ext, ggml_rope_multi and
   ggml_timestep_embedding. C99 and C++. Whatever a graph cannot have is refused when it is built.

     posenc_rotary_spec spec;
     posenc_rotary* rotary = NULL;  // one for all layers; it must outlive the graphs
     posenc_status status = posenc_ggml_rope_spec(head_dim, factors, n_dims, sections, mode, ..., &spec);
     if (status == POSENC_OK) status = posenc_rotary_create(&spec, &rotary);
     ...
     struct ggml_tensor* q;  // of any graph
     if (status == POSENC_OK) status = posenc_ggml_rope(ctx, projected, positions, rotary, 0, &q);
     if (status != POSENC_OK) puts(posenc_status_message(status)); */
#ifndef POSENC_GGML_H_
#define POSENC_GGML_H_

#include <ggml-backend.h>
#include <ggml.h>
#include <math.h>
#include <posenc/models_c.h>
#include <posenc/rotary_c.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Pairs of the four axes, of the sections of a mode with several. */
static inline posenc_status posenc_ggml_axes(const int* sections, int mode, posenc_rotary_spec* spec) {
  const size_t pairs = spec->rotary_dim / 2;
  size_t* s = spec->sections;
  size_t k, sum = 0;
  if (sections == NULL) return POSENC_NULL_POINTER;
  for (k = 0; k < GGML_MROPE_SECTIONS; ++k) {
    if (sections[k] < 0) return POSENC_BAD_AXES;
    sum += s[k] = (size_t)sections[k];
  }
  spec->axes = s[3] > 0 ? 4 : s[2] > 0 ? 3 : 2;
  if (mode == GGML_ROPE_TYPE_VISION) { /* ggml ignores the last two */
    if (s[0] != s[1]) return POSENC_BAD_AXES;
    s[2] = s[3] = 0;
    spec->axes = 2;
    spec->axis_order = POSENC_AXIAL_AXES;
  } else if (mode == GGML_ROPE_TYPE_IMROPE) {
    if (sum < pairs) return POSENC_BAD_AXES; /* ggml begins anew */
    spec->axes = 4;
    spec->axis_order = POSENC_IMROPE_AXES;
    s[3] = pairs;
    for (k = 0; k < 3; ++k) { /* of every third pair from k on the first s[k]; the fourth axis has the rest */
      const size_t third = (pairs + 2 - k) / 3;
      if (s[k] > third) s[k] = third;
      s[3] -= s[k];
    }
  }
  return POSENC_OK;
}

/* Sets *spec to what ggml_rope_multi or, with sections NULL, ggml_rope_ext rotates by: heads of head_dim
   elements, the factors c or NULL, ext_factor 0 or 1 (YaRN). c must have its data, in the host's memory, and
   keep it until the rotary is created. Refused are also YaRN with c or with VISION, and sections that do not
   add up to the pairs (of IMROPE: fewer). To trade the last bit for speed set spec->arithmetic. On failure
   *spec is left as it was.

   freq_scale is taken as the float that it is, and 0.025f is not 1/40. A spec from a GGUF file's metadata
   (posenc_rotary_spec_from_config) has the factor itself; nodes take any spec. */
static inline posenc_status posenc_ggml_rope_spec(int64_t head_dim, const struct ggml_tensor* c, int n_dims,
                                                  const int* sections, int mode, int n_ctx_orig,
                                                  float freq_base, float freq_scale, float ext_factor,
                                                  float attn_factor, float beta_fast, float beta_slow,
                                                  posenc_rotary_spec* spec) {
  const int is_vision = mode == GGML_ROPE_TYPE_VISION; /* whose n_dims is a half of the head */
  posenc_rotary_spec made;
  posenc_rotary_spec_init(&made, sizeof(made));
  if (n_dims <= 0 || (is_vision && head_dim != 2 * (int64_t)n_dims)) return POSENC_BAD_ROTARY_DIM;
  made.head_dim = (size_t)head_dim;
  made.rotary_dim = (size_t)n_dims * (is_vision ? 2 : 1);
  made.base = freq_base;
  made.amplitude = attn_factor;
  if (!(attn_factor > 0.0f)) return POSENC_BAD_AMPLITUDE;
  if (mode == GGML_ROPE_TYPE_NORMAL) {
    made.pairing = POSENC_NEIGHBOURS;
  } else if (is_vision || mode == GGML_ROPE_TYPE_MROPE || mode == GGML_ROPE_TYPE_IMROPE) {
    const posenc_status status = posenc_ggml_axes(sections, mode, &made);
    if (status != POSENC_OK) return status;
  } else if (mode != GGML_ROPE_TYPE_NEOX) {
    return POSENC_BAD_PAIRING;
  }
  if (c != NULL) {
    const int is_on_host = c->buffer == NULL || ggml_backend_buffer_is_host(c->buffer);
    if (c->data == NULL || !is_on_host) return POSENC_NULL_POINTER;
    if (c->type != GGML_TYPE_F32) return POSENC_BAD_TYPE;
    if (c->ne[0] < (int64_t)(made.rotary_dim / 2)) return POSENC_BAD_FACTOR_COUNT;
    made.scaling = POSENC_FREQUENCY_FACTORS;
    made.factors_f32 = (const float*)c->data;
    made.factor_count = made.rotary_dim / 2;
  }
  if (ext_factor == 0.0f) {
    made.position_scale = freq_scale;
  } else {
    float ramp[2];
    if (ext_factor != 1.0f || c != NULL || is_vision) return POSENC_BAD_SCALING;
    made.scaling = POSENC_YARN;
    made.factor = 1.0 / freq_scale;
    made.original_length = n_ctx_orig;
    made.beta_fast = beta_fast;
    made.beta_slow = beta_slow;
    /* Of a ramp that ends before it begins ggml makes a step, posenc does not. */
    ggml_rope_yarn_corr_dims(n_dims, n_ctx_orig, freq_base, beta_fast, beta_slow, ramp);
    if (beta_slow > 0.0f && beta_fast >= beta_slow && ramp[0] > ramp[1]) return POSENC_BAD_LENGTH;
    /* YaRN's own amplitude is that of 0, right to the last bit. */
    made.amplitude =
        attn_factor == 1.0f && made.factor > 1.0 ? 0.0 : attn_factor * (1.0 + 0.1 * log(made.factor));
  }
  *spec = made;
  return POSENC_OK;
}

#define POSENC_GGML_TOKENS 64 /* of a call, whose positions are copied to the stack */

/* What task ith of nth does: a range of tokens or, of few tokens, of heads. posenc_ggml_rope has checked what
   posenc would refuse. */
static inline void posenc_ggml_rotate(struct ggml_tensor* dst, const struct ggml_tensor* a,
                                      const struct ggml_tensor* b, int ith, int nth, void* rotary) {
  const int64_t tokens = a->ne[2], heads = a->ne[1];
  const int has_tokens = tokens >= nth;
  const int64_t begin = has_tokens ? tokens * ith / nth : 0,
                end = has_tokens ? tokens * (ith + 1) / nth : tokens;
  const int64_t head = has_tokens ? 0 : heads * ith / nth,
                last = has_tokens ? heads : heads * (ith + 1) / nth;
  const size_t size = ggml_type_size(a->type);
  const int32_t* list = (const int32_t*)b->data;
  int32_t positions[POSENC_MAX_AXES * POSENC_GGML_TOKENS];
  int64_t batch, t, count, k;
  for (batch = 0; batch < a->ne[3]; ++batch) {
    for (t = begin; t < end; t += count) {
      const size_t at[3] = {(size_t)head, (size_t)t, (size_t)batch};
      posenc_heads tensor;
      count = end - t < POSENC_GGML_TOKENS ? end - t : POSENC_GGML_TOKENS;
      for (k = 0; k < POSENC_MAX_AXES; ++k) { /* a list for one axis is for all of them */
        const int32_t* row = list + (b->ne[0] == tokens ? 0 : k * tokens) + t;
        memcpy(positions + k * count, row, (size_t)count * sizeof(int32_t));
      }
      memset(&tensor, 0, sizeof(tensor));
      tensor.data = (char*)dst->data + at[0] * dst->nb[1] + at[1] * dst->nb[2] + at[2] * dst->nb[3];
      tensor.heads = (size_t)(last - head);
      tensor.token_stride = dst->nb[2] / size;
      tensor.head_stride = dst->nb[1] / size;
      tensor.source = (const char*)a->data + at[0] * a->nb[1] + at[1] * a->nb[2] + at[2] * a->nb[3];
      tensor.source_token_stride = a->nb[2] / size;
      tensor.source_head_stride = a->nb[1] / size;
      posenc_rotate_at((const posenc_rotary*)rotary, POSENC_I32, positions, (size_t)count,
                       a->type == GGML_TYPE_F32    ? POSENC_F32
                       : a->type == GGML_TYPE_BF16 ? POSENC_BF16
                                                   : POSENC_F16,
                       &tensor, 1, NULL);
    }
  }
}

/* Adds a node that rotates a [head_dim, heads, tokens, batch] of F32, F16 or BF16, whose heads are contiguous
   and apart, at the positions b of I32: [tokens], the same on all axes, or [4 * tokens], of which a rotary
   takes a row for each of its axes. in_place is as in ggml_rope_ext_inplace. On failure *node is left as it
   was. (A rotary whose output_pairing is another one than its pairing takes 1,024 elements in place, no
   more.) */
static inline posenc_status posenc_ggml_rope(struct ggml_context* ctx, struct ggml_tensor* a,
                                             struct ggml_tensor* b, const posenc_rotary* rotary, int in_place,
                                             struct ggml_tensor** node) {
  size_t size, row;
  if (rotary == NULL) return POSENC_NOT_CREATED;
  if (ctx == NULL || a == NULL || b == NULL) return POSENC_NULL_POINTER;
  if (a->type != GGML_TYPE_F32 && a->type != GGML_TYPE_F16 && a->type != GGML_TYPE_BF16)
    return POSENC_BAD_TYPE;
  if (b->type != GGML_TYPE_I32) return POSENC_BAD_TYPE;
  if ((size_t)a->ne[0] != posenc_rotary_head_dim(rotary)) return POSENC_BAD_HEAD_DIM;
  if (!ggml_is_vector(b) || !ggml_is_contiguous(b)) return POSENC_BAD_AXES;
  if (b->ne[0] != a->ne[2] && b->ne[0] != 4 * a->ne[2]) return POSENC_BAD_AXES;
  size = ggml_type_size(a->type);
  row = size * (size_t)a->ne[0];
  if (a->nb[0] != size || a->nb[1] < row || a->nb[1] % size != 0) return POSENC_HEAD_STRIDE_TOO_SMALL;
  if (a->nb[2] < row || a->nb[2] % size != 0) return POSENC_TOKEN_STRIDE_TOO_SMALL;
  if (a->nb[2] < (size_t)a->ne[1] * a->nb[1] && a->nb[1] < (size_t)a->ne[2] * a->nb[2]) {
    return POSENC_TOKEN_STRIDE_TOO_SMALL;
  }
  if (a->nb[3] % size != 0) return POSENC_TOKEN_STRIDE_TOO_SMALL;
  if (in_place && a->ne[3] > 1 &&
      (a->nb[3] < (size_t)a->ne[1] * a->nb[1] || a->nb[3] < (size_t)a->ne[2] * a->nb[2])) {
    return POSENC_TOKEN_STRIDE_TOO_SMALL; /* batches that overlap */
  }
  *node = (in_place ? ggml_map_custom2_inplace : ggml_map_custom2)(ctx, a, b, posenc_ggml_rotate,
                                                                   GGML_N_TASKS_MAX, (void*)rotary);
  return POSENC_OK;
}

/* Sets *spec to what ggml_timestep_embedding writes; a NaN or a timestep beyond 2^31 makes a row of NaN. */
static inline posenc_status posenc_ggml_timestep_spec(int dim, int max_period, posenc_spec* spec) {
  const posenc_status status =
      posenc_spec_preset(spec, sizeof(*spec), "ggml_timestep", dim > 0 ? (size_t)dim : 0);
  if (status != POSENC_OK) return status;
  spec->base = max_period;
  spec->lists_only = 1;
  spec->nan_rows = 1;
  return POSENC_OK;
}

static inline void posenc_ggml_write_timesteps(struct ggml_tensor* dst, int ith, int nth, void* encoder) {
  const int64_t begin = dst->ne[1] * ith / nth, end = dst->ne[1] * (ith + 1) / nth;
  posenc_write_at((const posenc_encoder*)encoder, POSENC_F32, (const float*)dst->src[0]->data + begin,
                  (size_t)(end - begin), POSENC_F32, (char*)dst->data + (size_t)begin * dst->nb[1],
                  dst->nb[1] / sizeof(float), NULL);
}

/* Adds a node [dim, n] for timesteps [n] of F32, by an encoder of that spec, which must outlive the graph. */
static inline posenc_status posenc_ggml_timesteps(struct ggml_context* ctx, struct ggml_tensor* timesteps,
                                                  const posenc_encoder* encoder, struct ggml_tensor** node) {
  if (encoder == NULL) return POSENC_NOT_CREATED;
  if (ctx == NULL || timesteps == NULL) return POSENC_NULL_POINTER;
  if (timesteps->type != GGML_TYPE_F32) return POSENC_BAD_TYPE;
  if (!ggml_is_vector(timesteps) || !ggml_is_contiguous(timesteps)) return POSENC_STRIDE_TOO_SMALL;
  *node = ggml_custom_4d(ctx, GGML_TYPE_F32, (int64_t)posenc_encoder_dim(encoder), timesteps->ne[0], 1, 1,
                         &timesteps, 1, posenc_ggml_write_timesteps, GGML_N_TASKS_MAX, (void*)encoder);
  return POSENC_OK;
}

#endif /* POSENC_GGML_H_ */
