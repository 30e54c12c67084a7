// What the arguments of a call must be. Sizes come first: that of memory that is checked for overlaps has
// passed CheckMatrix and CheckBatch.
#ifndef POSENC_SRC_CALL_CHECKS_H_
#define POSENC_SRC_CALL_CHECKS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Memory that a call reads or writes.
struct Bytes {
  const void* data;
  std::size_t count;
};

bool Overlap(const Bytes& a, const Bytes& b);

// Of the rows of a matrix.
struct Shape {
  std::size_t dim;
  std::size_t element_size;
  std::size_t rows;
};

// From the first entry of the first row to the last one of the last; rows > 0.
Bytes MatrixBytes(const Shape& shape, const Matrix& matrix);
Bytes BatchBytes(const Batch& batch, const Shape& shape);

posenc_status CheckMatrix(const Shape& shape, const Matrix& matrix);

// The matrices [rows, row_stride] of a batch: that they do not overlap, and their sum.
posenc_status CheckBatch(const Batch& batch, std::size_t element_size);

// The positions first, first + 1, ..., with an offset of at most POSENC_MAX_POSITION added.
posenc_status CheckRun(std::int64_t first, std::size_t rows, std::int64_t offset = 0);

// Which values a list of positions may have.
struct Admitted {
  std::int64_t offset = 0;  // of at most POSENC_MAX_POSITION: it is added before they are checked
  bool any_value = false;
};

// Lists of rows > 0 or sequences > 0 values, read while `written` is written. *bad_index, if given, is the
// first value out of range.
posenc_status CheckPositions(const List& positions, std::size_t rows, const Admitted& admitted,
                             const Bytes& written, std::size_t* bad_index);
posenc_status CheckIndices(const List& indices, std::size_t count, std::int64_t end, const Bytes& written,
                           std::size_t* bad_index);  // 0 .. end - 1
posenc_status CheckFirsts(const Batch& batch, std::int64_t offset, const Bytes& written,
                          std::size_t* bad_index);
posenc_status CheckLookup(const Lookup& lookup, const Shape& out, const Bytes& written,
                          std::size_t* bad_index);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CHECKS_H_
