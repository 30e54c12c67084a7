// Finds where the heads of a tensor are in memory, and compares two tensors.
#include "number/exact.h"

#include "call/strided_memory.h"

#include <numeric>

#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kMaxBytes = PTRDIFF_MAX;

// Whether the last block ends within the address space.
bool Fits(const TensorShape& shape, std::size_t element_size, std::size_t token_stride, std::size_t heads,
          std::size_t head_stride) {
  const std::size_t most = kMaxBytes / element_size;
  if (shape.head_dim > most || (token_stride != 0 && shape.tokens - 1 > most / token_stride) ||
      (head_stride != 0 && heads - 1 > most / head_stride)) {
    return false;
  }
  const std::size_t last_token = (shape.tokens - 1) * token_stride, last_head = (heads - 1) * head_stride;
  return last_token <= most - last_head && last_token + last_head <= most - shape.head_dim;
}

// Whether pieces of a and pieces of b alternate without overlap. Both repeat every `stride` bytes; a piece of
// a has a_bytes, a piece of b has b_bytes.
bool Alternate(const StridedMemory& a, std::size_t a_bytes, const StridedMemory& b, std::size_t b_bytes,
               std::size_t stride) {
  const std::uintptr_t a_begin = a.begin(), b_begin = b.begin();
  const std::uintptr_t distance =
      b_begin >= a_begin ? (b_begin - a_begin) % stride : (stride - (a_begin - b_begin) % stride) % stride;
  return distance >= a_bytes && distance + b_bytes <= stride;
}

}  // namespace

bool FindStridedMemory(const TensorShape& shape, posenc_type type, const void* data, std::size_t token_stride,
                       std::size_t heads, std::size_t head_stride, StridedMemory* memory) {
  const std::size_t tokens = shape.tokens, size = ElementSize(type);
  if (tokens == 1) token_stride = 0;
  if (heads == 1) head_stride = 0;
  // If no number has more than kSafeBits bits, nothing overflows: the two products have at most 2 * kSafeBits
  // bits, their sum has one more, and an element's size adds three. So usual tensors need no division, whose
  // latency would delay calls of a single token.
  constexpr std::size_t kSafeBits = (8 * sizeof(std::size_t) - 5) / 2;
  if ((tokens | token_stride | heads | head_stride | shape.head_dim) >> kSafeBits != 0 &&
      !Fits(shape, size, token_stride, heads, head_stride)) {
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

posenc_status CheckApart(const StridedMemory& heads, posenc_status token_stride, posenc_status head_stride) {
  const bool inner_is_right = heads.inner_count == 1 || heads.inner_stride >= heads.bytes;
  if (inner_is_right && (heads.outer_count == 1 || heads.outer_stride >= heads.InnerBytes())) {
    return POSENC_OK;
  }
  return inner_is_right == heads.has_heads_outside ? head_stride : token_stride;
}

bool MayOverlap(const StridedMemory& a, const StridedMemory& b) {
  if (!Overlap(a.All(), b.All())) return false;
  // There are two usual cases in which blocks alternate: q and k are parts of the same rows, as after one
  // projection for both; or q, k and v of each head are next to each other.
  if (a.outer_count != 1 && a.outer_stride == b.outer_stride &&
      Alternate(a, a.InnerBytes(), b, b.InnerBytes(), a.outer_stride)) {
    return false;
  }
  const std::size_t common =
      std::gcd(std::gcd(a.outer_stride, a.inner_stride), std::gcd(b.outer_stride, b.inner_stride));
  return common == 0 || !Alternate(a, a.bytes, b, b.bytes, common);
}

}  // namespace internal
}  // namespace posenc
