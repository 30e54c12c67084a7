// What the arguments of a call must be. Sizes come first: that of memory that is checked for overlaps has
// passed CheckMatrix and CheckBatch.
#ifndef POSENC_SRC_CHECKS_H_
#define POSENC_SRC_CHECKS_H_

#include <cstddef>
#include <cstdint>

#include "call.h"
#include "posenc/posenc.h"

namespace posenc {
namespace internal {

// Memory that a call reads or writes.
struct Bytes {
  const void* data;
  std::size_t count;
};

bool Overlap(const Bytes& a, const Bytes& b);

// From the first entry of the first row to the last one of the last; rows > 0, entries of `size` bytes.
Bytes MatrixBytes(std::size_t dim, std::size_t size, std::size_t rows, const void* data, std::size_t stride);

// Those of the caller's frequencies, which a creation has checked; none if there is no list.
Bytes ListBytes(const FrequencyList& list);

// A matrix [rows, stride], entries of `size` bytes.
Status CheckMatrix(std::size_t dim, std::size_t size, std::size_t rows, const void* data, std::size_t stride);

// The matrices [rows, row_stride] of a batch: that they do not overlap, and their sum.
Status CheckBatch(const Batch& batch, std::size_t size);

// The positions first, first + 1, ...
Status CheckRun(std::int64_t first, std::size_t rows);

// Lists of rows > 0 or batch > 0 values, read while `written` is written. *bad_index, if given, is the first
// value out of range.
Status CheckPositions(const List& positions, std::size_t rows, const Bytes& written, std::size_t* bad_index);
Status CheckFirsts(const List& firsts, std::size_t batch, std::size_t rows, const Bytes& written,
                   std::size_t* bad_index);
Status CheckLookup(const Lookup& lookup, std::size_t dim, std::size_t size, std::size_t rows,
                   const Bytes& written, std::size_t* bad_index);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CHECKS_H_
