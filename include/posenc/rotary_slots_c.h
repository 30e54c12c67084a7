// Slots of a paged cache for C (C99): one call rotates keys and puts them where a KV cache has them.
//
// A paged KV cache consists of blocks. A block has block_size slots, and a slot has the heads of one token. A
// runtime keeps a list that says which slot each token of a step goes to (slot_mapping in vLLM). If a tensor
// has slots, the call writes the heads of token t to slot list[t]:
//
//   slot = block * block_size + offset
//   element e of head h is data[block * block_stride + offset * offset_stride + h * head_stride + e]
//
//   cache                                      block_stride                    offset_stride      head_stride
//   [blocks, block_size, heads, head_dim]      block_size * heads * head_dim   heads * head_dim   head_dim
//   [blocks, heads, block_size, head_dim]      block_size * heads * head_dim   head_dim           block_size
//   * head_dim
//
// The tensor needs a source, and its token_stride is ignored, so source_token_stride must be set. Nothing
// else in the cache is written: no other slot, and no gap between heads.
//
//   posenc_slots slots = {.list = {POSENC_I64, slot_mapping}, .count = blocks * 16, .block_size = 16,
//                         .block_stride = 16 * 8 * 128, .offset_stride = 8 * 128};
//   posenc_heads k = {.type = POSENC_F16, .source_type = POSENC_F32, .data = key_cache, .heads = 8,
//                     .head_stride = 128, .source = keys, .source_token_stride = 8 * 128,
//                     .source_head_stride = 128, .slots = &slots};
//
// The list "In all headers" at the top of posenc_c.h holds here too.
#ifndef POSENC_ROTARY_SLOTS_C_H_
#define POSENC_ROTARY_SLOTS_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where the tokens of a tensor go. The struct will not grow.
typedef struct posenc_slots {
  posenc_list list;      // [tokens], I32 or I64: slots 0 .. count - 1. -1 means that the token is not written
  size_t count;          // how many slots the cache has; at most INT64_MAX
  size_t block_size;     // slots of a block, 1 or more
  size_t block_stride;   // from one block to the next, in elements
  size_t offset_stride;  // from one slot to the next in a block, in elements
} posenc_slots;

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_ROTARY_SLOTS_C_H_
