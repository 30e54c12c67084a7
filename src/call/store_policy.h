// Whether a call writes through the caches or past them.
#ifndef POSENC_SRC_CALL_STORE_POLICY_H_
#define POSENC_SRC_CALL_STORE_POLICY_H_

#include <cstddef>

#include "kernel/rows.h"

namespace posenc {
namespace internal {

// True if the rows together are large, and each begins on a cache line of its own, so that streaming stores
// fill whole lines.
bool ShouldStream(const Columns& columns, std::size_t element_size, std::size_t rows, const void* data,
                  std::size_t stride);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_STORE_POLICY_H_
