// The interface through which posenc_bench --before measures a build of posenc: plain functions with pointers
// and numbers as parameters. Each tree compiles before_plugin.cc with its own headers and links its own
// library. posenc_bench loads the plugin of an older commit and its own plugin, and calls both in the same
// way.
//
// Plugins of old commits are never compiled again. Therefore:
//   - A number here never changes its meaning, and no function or struct changes. These numbers are not the
//     numbers of posenc_c.h.
//   - If the library's interface changes, only before_plugin.cc changes.
//   - Additions go to the end: new numbers, and new functions at the end of before_plugin with a new
//     BEFORE_VERSION. posenc_bench must then leave out rows for which an older plugin has no function.
#ifndef POSENC_BENCH_BEFORE_PLUGIN_H_
#define POSENC_BENCH_BEFORE_PLUGIN_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BEFORE_VERSION 1

enum {
  BEFORE_F32 = 1,
  BEFORE_BF16 = 2,
  BEFORE_F16 = 3,
  BEFORE_F64 = 4,
  BEFORE_I32 = 5,
  BEFORE_I64 = 6
};                                                                        // types
enum { BEFORE_INTERLEAVED = 1, BEFORE_SIN_COS = 2, BEFORE_COS_SIN = 3 };  // layouts of columns
enum { BEFORE_RADIANS = 1, BEFORE_TURNS = 2 };                            // units of frequencies
enum { BEFORE_NO_ROUNDING = 1, BEFORE_F32_LOG_DIV = 2 };                  // roundings of phases
enum { BEFORE_HALF_SPLIT = 1, BEFORE_NEIGHBOURS = 2 };                    // pairings
enum { BEFORE_EXACT = 1, BEFORE_FAST = 2 };                               // arithmetics
enum { BEFORE_NO_SCALING = 1, BEFORE_LLAMA3 = 2 };                        // scalings
// Layouts of caches. COS_SIN: one table [cosines | sines]. DUPLICATED: two tables in which each value stands
// twice, side by side if pairs are neighbours. PAIRS: one table of pairs (cosine, sine).
enum { BEFORE_CACHE_COS_SIN = 1, BEFORE_CACHE_DUPLICATED = 2, BEFORE_CACHE_PAIRS = 3 };

typedef struct before_encoder_spec {
  uint64_t dim;
  double base;
  double exponent_dim;  // 0 means dim
  int32_t layout, unit, phase_rounding;
  int32_t lists_only;   // 0 or 1
  uint64_t table_rows;  // rows of a table that is written in parts; 0: unknown
  const char* target;
} before_encoder_spec;

typedef struct before_rotary_spec {
  uint64_t head_dim;  // all elements rotate
  double base;
  int32_t pairing, arithmetic, scaling;
  double factor, original_length;  // of the scaling
  const char* target;
} before_rotary_spec;

// Entries [rows, stride] that a call writes or adds to.
typedef struct before_rows {
  int32_t type;
  void* data;
  uint64_t stride;
} before_rows;

typedef struct before_list {
  int32_t type;
  const void* data;
} before_list;

// Rows of a table [vocabulary, stride], chosen by ids. The table has the type of the sums.
typedef struct before_lookup {
  const int32_t* ids;
  const void* table;
  uint64_t vocabulary, stride;
} before_lookup;

// Positions 0 .. count - 1. Their encodings fill the columns from `column` on.
typedef struct before_axis {
  const void* encoder;
  uint64_t column, count;
} before_axis;

// Strides are in elements.
typedef struct before_heads {
  int32_t type;
  void* data;
  const void* source;  // null: rotate in place
  uint64_t heads, token_stride, head_stride;
} before_heads;

typedef struct before_cache {
  int32_t layout, type;
  void* cos;  // or the only table
  void* sin;
  uint64_t stride;
} before_cache;

// Functions that return int32_t return 0 on success. `message` turns any other number into a sentence.
typedef struct before_plugin {
  uint64_t version;                       // BEFORE_VERSION
  const char* compiler;                   // the compiler that built the plugin
  const char* (*target)(uint64_t index);  // targets that this CPU can run; null after the last one
  const char* (*message)(int32_t status);

  int32_t (*create_encoder)(const before_encoder_spec* spec, void** encoder);
  void (*destroy_encoder)(void* encoder);
  int32_t (*write)(const void* encoder, int64_t first, uint64_t count, const before_rows* out);
  int32_t (*write_at)(const void* encoder, const before_list* positions, uint64_t count,
                      const before_rows* out);
  int32_t (*add)(const void* encoder, int64_t first, uint64_t count, const before_rows* x, float scale);
  int32_t (*add_at)(const void* encoder, const before_list* positions, uint64_t count, const before_rows* x,
                    float scale);
  // Adds to sequences of `count` rows, `stride` entries apart. Each sequence has its own first position.
  int32_t (*add_batch)(const void* encoder, const int64_t* first_positions, uint64_t batch, uint64_t count,
                       const before_rows* x, uint64_t stride, float scale);
  int32_t (*embed)(const void* encoder, const before_lookup* lookup, int64_t first, uint64_t count,
                   const before_rows* out);
  int32_t (*embed_at)(const void* encoder, const before_lookup* lookup, const before_list* positions,
                      uint64_t count, const before_rows* out);
  int32_t (*write_grid)(const before_axis* axes, uint64_t axis_count, const before_rows* out);
  int32_t (*add_grid)(const before_axis* axes, uint64_t axis_count, const before_rows* x, float scale);

  int32_t (*create_rotary)(const before_rotary_spec* spec, void** rotary);
  void (*destroy_rotary)(void* rotary);
  int32_t (*rotate)(const void* rotary, int64_t first, uint64_t tokens, const before_heads* tensors,
                    uint64_t count);
  int32_t (*rotate_at)(const void* rotary, const before_list* positions, uint64_t tokens,
                       const before_heads* tensors, uint64_t count);
  int32_t (*write_cache)(const void* rotary, int64_t first, uint64_t tokens, const before_cache* cache);
  // Rotates with the first rows of the cache.
  int32_t (*rotate_cached)(const void* rotary, const before_cache* cache, uint64_t tokens,
                           const before_heads* tensors, uint64_t count);
} before_plugin;

// The function that a plugin exports.
#define BEFORE_ENTRY "posenc_before_plugin"
typedef const before_plugin* before_entry(void);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_BENCH_BEFORE_PLUGIN_H_
