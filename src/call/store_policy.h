// Decides whether a call writes through the caches, or bypasses them by streaming stores.
#ifndef POSENC_SRC_CALL_STORE_POLICY_H_
#define POSENC_SRC_CALL_STORE_POLICY_H_

#include <cstddef>
#include <cstdint>

#include "kernel/rows.h"

namespace posenc {
namespace internal {

// Whether to stream the rows of a matrix. Two things must be true: the rows exceed the caches (`rows` is the
// number of the call's rows, or of the whole table that the call fills a part of), and every row begins on a
// cache line, so that streaming stores fill whole lines. The stride is in elements.
bool ShouldStream(const Columns& columns, std::size_t element_size, std::uint64_t rows, const void* data,
                  std::size_t stride);

// Whether to stream copies of rows: `bytes` in total, row_bytes each, to rows stride_bytes apart from `data`
// on.
bool ShouldStreamCopies(std::size_t bytes, std::size_t row_bytes, const void* data, std::size_t stride_bytes);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_STORE_POLICY_H_
