// Finds where the heads of a tensor are in memory, and compares two tensors.
#include "number/exact.h"

#include "call/strided_memory.h"

#include <numeric>

namespace posenc {
namespace internal {
namespace {

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

bool IsInAddressSpace(const TensorShape& shape, std::size_t element_size, std::size_t token_stride,
                      std::size_t heads, std::size_t head_stride) {
  const std::size_t most = PTRDIFF_MAX / element_size;
  if (shape.head_dim > most || (token_stride != 0 && shape.tokens - 1 > most / token_stride) ||
      (head_stride != 0 && heads - 1 > most / head_stride)) {
    return false;
  }
  const std::size_t last_token = (shape.tokens - 1) * token_stride, last_head = (heads - 1) * head_stride;
  return last_token <= most - last_head && last_token + last_head <= most - shape.head_dim;
}

bool BlocksMayOverlap(const StridedMemory& a, const StridedMemory& b) {
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
