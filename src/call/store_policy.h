// Whether a call writes through the caches or past them.
#ifndef POSENC_SRC_CALL_STORE_POLICY_H_
#define POSENC_SRC_CALL_STORE_POLICY_H_

#include <cstddef>
#include <cstdint>

#include "kernel/rows.h"

namespace posenc {
namespace internal {

// True if so many rows, which are the call's or more, are large together, and each begins on a cache line of
// its own, so that streaming stores fill whole lines.
bool ShouldStream(const Columns& columns, std::size_t element_size, std::uint64_t rows, const void* data,
                  std::size_t stride);

// Whether so many bytes are as many.
bool IsBeyondCaches(std::size_t bytes);

// The same of copies: `bytes` in all, of rows of row_bytes that are stride_bytes apart.
bool ShouldStreamCopies(std::size_t bytes, std::size_t row_bytes, const void* data, std::size_t stride_bytes);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_STORE_POLICY_H_
