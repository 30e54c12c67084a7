// Looks for overlaps among many tensors, in less than quadratic time.
#ifndef POSENC_SRC_CALL_TENSOR_OVERLAPS_H_
#define POSENC_SRC_CALL_TENSOR_OVERLAPS_H_

#include <cstddef>

#include "call/strided_memory.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// Whether TensorMemory::MayOverlap holds for any two of many tensors. Their memory must fit into the address
// space; tensors without heads are skipped. Up to kTensorsAtOnce tensors take n log n steps if they are apart
// from each other, or parts of the same rows. More tensors are compared by blocks of half that number, each
// two blocks at once, because the stack has room for no more. *steps counts how often memory was found or
// compared; tests read it.
inline constexpr std::size_t kTensorsAtOnce = 1024;
bool AnyOverlap(const TensorShape& shape, const posenc_heads* heads, std::size_t count, std::size_t* steps);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_TENSOR_OVERLAPS_H_
