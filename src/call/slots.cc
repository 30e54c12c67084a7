#include "number/exact.h"

#include "call/slots.h"

#include <algorithm>
#include <numeric>

#include "call/checks.h"
#include "call/strided_memory.h"
#include "number/elements.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kMaxBytes = PTRDIFF_MAX;

// Sets *memory to the slots of the first block of the cache. Returns false if they would not fit into the
// address space.
bool FindBlock(const TensorShape& shape, const posenc_heads& heads, StridedMemory* memory) {
  const posenc_slots& slots = *heads.slots;
  const TensorShape in_block = {std::min(slots.block_size, slots.count), shape.head_dim};
  return FindStridedMemory(in_block, heads.type, heads.data, slots.offset_stride, heads.heads,
                           heads.head_stride, memory);
}

std::size_t BlocksBehindTheFirst(const posenc_slots& slots) { return (slots.count - 1) / slots.block_size; }

// Checks that the blocks of the cache are apart, and that the last one ends within the address space.
posenc_status CheckBlocks(const posenc_slots& slots, std::size_t element_size, std::size_t block_bytes) {
  const std::size_t more = BlocksBehindTheFirst(slots), stride = slots.block_stride;
  if (more == 0) return rule::ok;
  if (stride != 0 && more > (kMaxBytes - block_bytes) / element_size / stride) return rule::size_slots;
  return stride * element_size < block_bytes ? rule::stride_blocks : rule::ok;
}

}  // namespace

posenc_status CheckSlotMembers(const posenc_slots& slots) {
  if (!IsInteger(slots.list.type)) return rule::type_slots;
  if (slots.block_size == 0) return rule::slots_block_size;
  return slots.count == 0 ? rule::slots_count : rule::ok;
}

posenc_status CheckSlots(const TensorShape& shape, const posenc_heads& heads) {
  const posenc_slots& slots = *heads.slots;
  const List list(slots.list);
  if (heads.source == nullptr) return rule::slots_source;
  if (shape.tokens > 1 && heads.source_token_stride == 0) return rule::slots_source_stride;
  if (list.IsNull()) return rule::null_slots;
  if (shape.tokens > kMaxBytes / list.value_bytes()) return rule::size_list;
  StridedMemory block{};
  if (!FindBlock(shape, heads, &block)) return rule::size_slots;
  if (const auto status = CheckApart(block, rule::stride_offsets, rule::stride_slot_heads);
      status != POSENC_OK) {
    return status;
  }
  return CheckBlocks(slots, ElementSize(heads.type), block.All().count);
}

posenc_status CheckSlotRange(const posenc_slots& slots, std::size_t tokens, std::size_t* bad_index) {
  const List list(slots.list);
  const auto count = static_cast<std::int64_t>(slots.count);
  for (std::size_t t = 0; t < tokens; ++t) {
    if (list[t] >= -1 && list[t] < count) continue;
    SetIfNotNull(bad_index, t);
    return rule::slot_range;
  }
  return rule::ok;
}

// The cache has three dimensions, [blocks, offsets, heads], and StridedMemory has two. If there is no gap
// between blocks, the outer two become one dimension. Otherwise the blocks are one dimension, and each block
// is the other one. If a block has two dimensions, their strides are replaced by the greatest common divisor.
// The memory then also contains gaps between slots or heads.
void FindSlots(const TensorShape& shape, const posenc_heads& heads, StridedMemory* memory) {
  const posenc_slots& slots = *heads.slots;
  StridedMemory& all = *memory;
  FindBlock(shape, heads, memory);
  const std::size_t blocks = BlocksBehindTheFirst(slots) + 1;
  if (blocks == 1) return;
  const std::size_t stride = slots.block_stride * ElementSize(heads.type);
  if (stride == all.outer_count * all.outer_stride) {
    all.outer_count = all.has_heads_outside ? blocks * heads.heads : slots.count;
    return;
  }
  if (all.inner_count == 1) {
    all.inner_count = all.outer_count;
    all.inner_stride = all.outer_stride;
  } else {
    const std::size_t between = all.All().count - all.bytes;
    all.inner_stride = std::gcd(all.outer_stride, all.inner_stride);
    all.inner_count = between / all.inner_stride + 1;
  }
  all.outer_count = blocks;
  all.outer_stride = stride;
}

}  // namespace internal
}  // namespace posenc
