// Norms of tensors (rotary_norm_c.h): the checks of a norm, and the memory that it reads.
#ifndef POSENC_SRC_CALL_NORM_H_
#define POSENC_SRC_CALL_NORM_H_

#include <cstddef>

#include "call/call.h"
#include "call/checks.h"
#include "call/rotary.h"
#include "posenc/rotary_norm_c.h"

namespace posenc {
namespace internal {

// Checks the members of a norm for a tensor with `heads` heads. Its pointers are not followed.
posenc_status CheckNorm(const posenc_norm& norm, std::size_t heads, std::size_t head_dim);

// The memory of the weights of a norm for a tensor with `heads` heads. CheckNorm must have accepted it.
Bytes WeightBytes(const posenc_norm& norm, std::size_t heads, std::size_t head_dim);

// Whether any of the tensors has a norm. `heads` may be null.
bool HaveNorm(const Tensors& tensors);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_NORM_H_
