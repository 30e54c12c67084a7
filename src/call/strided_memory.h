// Where the heads of tensors lie in memory, and whether tensors overlap. q, k and v of one projection lie
// between each other's heads, so comparing first and last addresses is not enough.
#ifndef POSENC_SRC_CALL_STRIDED_MEMORY_H_
#define POSENC_SRC_CALL_STRIDED_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "call/checks.h"
#include "call/rotary.h"
#include "call/slots.h"
#include "number/compiler.h"
#include "number/elements.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// What is the same for all tensors of a call. There must be tokens.
struct TensorShape {
  std::size_t tokens, head_dim;
};

// The memory of a tensor's heads, or of the heads that it is read from: [outer_count, inner_count] blocks of
// `bytes` bytes each. Usually tokens are the outer dimension and heads the inner one; if heads have the
// larger stride, it is the other way round. Strides are in bytes.
struct StridedMemory {
  const void* data;
  std::size_t outer_count, outer_stride, inner_count, inner_stride, bytes;
  bool has_heads_outside;

  std::size_t InnerBytes() const { return (inner_count - 1) * inner_stride + bytes; }
  // From the first byte of the first block to the last byte of the last block.
  Bytes All() const { return {data, (outer_count - 1) * outer_stride + InnerBytes()}; }
  std::uintptr_t begin() const { return AddressOf(data); }
};

// Whether the last head ends within the address space. Strides are in elements.
bool IsInAddressSpace(const TensorShape& shape, std::size_t element_size, std::size_t token_stride,
                      std::size_t heads, std::size_t head_stride);

// Sets *memory. Returns false if the blocks would not fit into the address space. Strides are in elements of
// a type. There must be heads.
inline bool FindStridedMemory(const TensorShape& shape, posenc_type type, const void* data,
                              std::size_t token_stride, std::size_t heads, std::size_t head_stride,
                              StridedMemory* memory) {
  const std::size_t tokens = shape.tokens, size = ElementSize(type);
  if (tokens == 1) token_stride = 0;
  if (heads == 1) head_stride = 0;
  // If no number has more than kSafeBits bits, nothing overflows: the two products have at most 2 * kSafeBits
  // bits, their sum has one more, and an element's size adds three. So usual tensors need no division, whose
  // latency would delay calls of a single token.
  constexpr std::size_t kSafeBits = (8 * sizeof(std::size_t) - 5) / 2;
  if ((tokens | token_stride | heads | head_stride | shape.head_dim) >> kSafeBits != 0 &&
      !IsInAddressSpace(shape, size, token_stride, heads, head_stride)) {
    return false;
  }
  const std::size_t token_bytes = token_stride * size, head_bytes = head_stride * size;
  const bool has_heads_outside = heads > 1 && (tokens == 1 || token_stride < head_stride);
  if (has_heads_outside) {
    *memory = {data, heads, head_bytes, tokens, token_bytes, shape.head_dim * size, true};
  } else {
    *memory = {data, tokens, token_bytes, heads, head_bytes, shape.head_dim * size, false};
  }
  return true;
}

// Checks that no two heads overlap. The strides must nest: all inner heads of an outer one come before the
// next outer one. If they do not, returns the rule for the stride that is too small.
inline posenc_status CheckApart(const StridedMemory& heads, posenc_status token_stride,
                                posenc_status head_stride) {
  const bool inner_is_right = heads.inner_count == 1 || heads.inner_stride >= heads.bytes;
  if (inner_is_right && (heads.outer_count == 1 || heads.outer_stride >= heads.InnerBytes())) {
    return POSENC_OK;
  }
  return inner_is_right == heads.has_heads_outside ? head_stride : token_stride;
}

// Whether a block of a may overlap a block of b. The answer is never a wrong no. It may be a wrong yes if the
// blocks alternate in an unusual way. BlocksMayOverlap answers for memory that has addresses in common.
bool BlocksMayOverlap(const StridedMemory& a, const StridedMemory& b);
inline bool MayOverlap(const StridedMemory& a, const StridedMemory& b) {
  return Overlap(a.All(), b.All()) && BlocksMayOverlap(a, b);
}

// The memory that the rotation of a tensor writes, and, unless it is in place, the memory that it reads.
struct TensorMemory {
  StridedMemory data, source;
  bool is_in_place;

  // Whether one of the two tensors writes what the other one reads or writes. Both may read the same memory.
  bool MayOverlap(const TensorMemory& other) const {
    using internal::MayOverlap;
    return MayOverlap(data, other.data) || (!other.is_in_place && MayOverlap(data, other.source)) ||
           (!is_in_place && MayOverlap(source, other.data));
  }
};

// Set *memory to the memory of a tensor that is written, and of one that is read and not in place. If a
// tensor has slots, CheckSlots must have accepted it. It may write its whole cache.
inline bool FindData(const TensorShape& shape, const posenc_heads& heads, StridedMemory* memory) {
  if (heads.slots != nullptr) return FindSlots(shape, heads, memory), true;
  return FindStridedMemory(shape, heads.type, heads.data, heads.token_stride, heads.heads, heads.head_stride,
                           memory);
}
inline bool FindSource(const TensorShape& shape, const posenc_heads& heads, StridedMemory* memory) {
  return FindStridedMemory(shape, SourceType(heads), heads.source, SourceTokenStride(heads), heads.heads,
                           SourceHeadStride(heads), memory);
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_STRIDED_MEMORY_H_
