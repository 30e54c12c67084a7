// Slots of a paged cache (rotary_slots_c.h): where a token goes, which memory a tensor with slots may write,
// and the checks of its slots.
#ifndef POSENC_SRC_CALL_SLOTS_H_
#define POSENC_SRC_CALL_SLOTS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_slots_c.h"

namespace posenc {
namespace internal {

struct TensorShape;  // call/strided_memory.h
struct StridedMemory;

// Finds the slot of a token: *element becomes the first element of head 0, counted from the tensor's data.
// Returns false if the token is not written.
inline bool FindSlot(const posenc_slots& slots, std::size_t token, std::size_t* element) {
  const std::int64_t value = List(slots.list)[token];
  if (value < 0) return false;
  const auto slot = static_cast<std::size_t>(value);
  *element = slot / slots.block_size * slots.block_stride + slot % slots.block_size * slots.offset_stride;
  return true;
}

// Whether the slot of a token may be the slot of an earlier token. It is not if slots have been rising since
// the last token for which the answer was yes. So a call that stores all that is left before each such token
// never stores an element of an earlier token after an element of a later token.
inline bool MayRepeatSlot(const posenc_slots& slots, std::size_t token) {
  const List list(slots.list);
  return token != 0 && (list[token - 1] < 0 || list[token - 1] >= list[token]);
}

// Checks the members of slots that are neither strides nor pointers.
posenc_status CheckSlotMembers(const posenc_slots& slots);

// Checks the strides, sizes and pointers of a tensor that has slots and heads. There must be tokens.
posenc_status CheckSlots(const TensorShape& shape, const posenc_heads& heads);

// Checks that the tokens' slots are in the cache. *bad_index becomes the first token whose slot is not;
// bad_index may be null.
posenc_status CheckSlotRange(const posenc_slots& slots, std::size_t tokens, std::size_t* bad_index);

// Sets *memory to memory that contains all slots of a tensor. It may contain gaps between the slots, too,
// because it has only two strides. CheckSlots must have accepted the tensor.
void FindSlots(const TensorShape& shape, const posenc_heads& heads, StridedMemory* memory);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_SLOTS_H_
