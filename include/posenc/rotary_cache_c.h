// Caches of cosines and sines for C (C99): tables that a rotary writes once, and that rotations then read.
// Most programs need no cache, because posenc_rotate computes each cosine and sine once for all heads of a
// call. Use a cache to share cosines and sines among all layers of a model, or if your runtime already has
// one.
//
//   to do this                                    call this
//   write a cache for consecutive positions       posenc_write_cache
//   write a cache for an array of positions       posenc_write_cache_at
//   rotate by consecutive rows of a cache         posenc_rotate_cached
//   rotate tokens by an array of rows             posenc_rotate_cached_at
//
//   posenc_cache cache = {POSENC_CACHE_HALVES, POSENC_F32, cosines, sines, 64};  // float [tokens][64] each
//   posenc_status status = posenc_write_cache(rotary, 0, tokens, &cache);
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//
// The list "In all headers" at the top of posenc_c.h holds here too.
#ifndef POSENC_ROTARY_CACHE_C_H_
#define POSENC_ROTARY_CACHE_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_cache_layout;
#endif

// Where a row of a cache holds cosines and sines. r is rotary_dim, so there are r/2 pairs.
enum POSENC_ENUM(posenc_cache_layout) {
  POSENC_CACHE_HALVES = 0,        // two tables [tokens, r/2]: cosines and sines. ONNX Runtime
  POSENC_CACHE_HALVES_TWICE = 1,  // two tables [tokens, r]: [cos_0 cos_1 ... | cos_0 cos_1 ...]. transformers
  POSENC_CACHE_DUPLICATED = 2,    // two tables [tokens, r], with a pair's value at both of its elements: for
                                  // POSENC_NEIGHBOURS [cos_0 cos_0 cos_1 cos_1 ...], and for
                                  // POSENC_HALF_SPLIT the same as POSENC_CACHE_HALVES_TWICE
  POSENC_CACHE_COS_SIN = 3,       // one table [tokens, r]: [cos_0 cos_1 ... | sin_0 sin_1 ...]. vLLM
  POSENC_CACHE_PAIRS = 4          // one table [tokens, r]: [cos_0 sin_0 cos_1 sin_1 ...]. ggml
};

// A cache to write. This struct will not grow.
typedef struct posenc_cache {
  posenc_cache_layout layout;  // of both tables
  posenc_type type;            // F32, BF16, F16 or F64
  void* cos;                   // [tokens, row_stride], or the only table
  void* sin;                   // [tokens, row_stride], or NULL if there is one table
  size_t row_stride;           // in elements
} posenc_cache;

// Row t becomes A cos(p w_i) and A sin(p w_i) at p = first_position + t, each rounded once. A is the rotary's
// amplitude. Columns that the layout does not use keep their bytes.
POSENC_CALL posenc_write_cache(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                               const posenc_cache* cache);

// The same at positions [axes, tokens]. *bad_index means the same as in posenc_rotate_at.
POSENC_CALL posenc_write_cache_at(const posenc_rotary* rotary, const posenc_list* positions, size_t tokens,
                                  const posenc_cache* cache, size_t* bad_index);

// A cache to rotate by. This struct will not grow.
typedef struct posenc_const_cache {
  posenc_cache_layout layout;  // of both tables
  posenc_type type;            // F32, BF16 or F16
  const void* cos;             // [rows, row_stride]
  const void* sin;             // [rows, row_stride], or NULL
  size_t row_stride;           // in elements
  size_t rows;                 // how many rows each table has
} posenc_const_cache;

// Rotates token t by row first_row + t of a cache. The cosines and sines in the cache contain the amplitude,
// which is not applied again. The arithmetic is POSENC_FAST, also if the rotary has POSENC_EXACT. The scale
// of a tensor, times the token's factor, multiplies each cosine and sine. The product is rounded to float.
POSENC_CALL posenc_rotate_cached(const posenc_rotary* rotary, const posenc_const_cache* cache,
                                 int64_t first_row, size_t tokens, const posenc_heads* tensors, size_t count);

// The same, but token t is rotated by row rows[t] of the cache. If the cache does not have that row, the call
// fails, and *bad_index becomes the first such t. bad_index may be NULL.
POSENC_CALL posenc_rotate_cached_at(const posenc_rotary* rotary, const posenc_const_cache* cache,
                                    const posenc_list* rows, size_t tokens, const posenc_heads* tensors,
                                    size_t count, size_t* bad_index);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_ROTARY_CACHE_C_H_
