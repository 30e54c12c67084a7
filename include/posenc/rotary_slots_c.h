// Slots of a paged cache for C (C99): one call rotates keys and writes them into the cache.
//
// A paged KV cache consists of blocks. A block has block_size slots, and each slot has the heads of one
// token. A runtime keeps a list (slot_mapping) that says to which slot each token of a step goes. If a tensor
// has slots, the call writes the heads of token t to slot list[t]:
//
//   slot = block * block_size + offset
//   element e of head h is data[block * block_stride + offset * offset_stride + h * head_stride + e]
//
//   cache (d is head_dim)             block_stride              offset_stride    head_stride
//   [blocks, block_size, heads, d]    block_size * heads * d    heads * d        d
//   [blocks, heads, block_size, d]    block_size * heads * d    d                block_size * d
//
// Larger strides leave gaps, for example for V if K and V are parts of the same block. The call writes
// nothing but the slots in the list. If several tokens have the same slot, the last of these tokens stays.
//
//   posenc_slots slots = {.list = {POSENC_I64, slot_mapping}, .count = blocks * 16, .block_size = 16,
//                         .block_stride = 16 * 8 * 128, .offset_stride = 8 * 128};
//   posenc_heads k = {.type = POSENC_F16, .source_type = POSENC_F32, .data = key_cache, .heads = 8,
//                     .head_stride = 128, .source = keys, .source_token_stride = 8 * 128,
//                     .source_head_stride = 128, .slots = &slots};
//
// A tensor with slots needs a source. token_stride is ignored, so if there are several tokens, set
// source_token_stride. If source_head_stride is 0, it means head_stride, which is a stride of the cache. No
// slot of the cache may overlap another tensor, or memory that the call reads. This also holds for slots that
// are not in the list. The check assumes that each block has all its slots, also the last block. It may also
// refuse memory in gaps between slots. If a slot in the list is out of range, the call fails. If the function
// has bad_index, *bad_index becomes the first token with such a slot. Positions, and rows of a cache, are
// checked before slots. Tokens that are not written need a valid position or row, too.
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
  posenc_list list;      // [tokens], I32 or I64: 0 .. count - 1, or -1 for a token that is not written
  size_t count;          // how many slots the whole cache has, 1 or more; usually blocks * block_size
  size_t block_size;     // how many slots a block has, 1 or more
  size_t block_stride;   // from a block to the next one, in elements
  size_t offset_stride;  // from a slot to the next one in its block, in elements
} posenc_slots;

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_ROTARY_SLOTS_C_H_
