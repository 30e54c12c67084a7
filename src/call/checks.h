// Checks of the arguments of a call. Each returns the first status that applies. Sizes are checked first:
// memory is compared with other memory only after CheckMatrix and CheckBatch have accepted its size.
#ifndef POSENC_SRC_CALL_CHECKS_H_
#define POSENC_SRC_CALL_CHECKS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "posenc/posenc_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

// Memory that a call reads or writes.
struct Bytes {
  const void* data;
  std::size_t count;
};

// Whether two pieces of memory share a byte; empty ones never do.
bool Overlap(const Bytes& a, const Bytes& b);

// The memory of a list of `count` values; a null list has none.
inline Bytes ListBytes(const List& list, std::size_t count) {
  return {list.data(), list.IsNull() ? 0 : count * list.value_bytes()};
}

// *to = value, if the caller has asked for it.
inline void SetIfNotNull(std::size_t* to, std::size_t value) {
  if (to != nullptr) *to = value;
}

// The part of a matrix that a call reads or writes: [rows, dim].
struct Shape {
  std::size_t dim;
  std::size_t element_size;
  std::size_t rows;
};

// From the first entry of the first row to the last entry of the last row; rows > 0, sequences > 0.
Bytes MatrixBytes(const Shape& shape, const Matrix& matrix);
Bytes BatchBytes(const Batch& batch, const Shape& shape);

// The statuses of a matrix that is refused.
struct MatrixRules {
  posenc_status stride, size, null;
};
inline constexpr MatrixRules kRowsRules = {rule::stride_rows, rule::size_rows, rule::null_rows_data};

// Checks the stride, size and pointer of a matrix; if it has no rows, only the stride.
posenc_status CheckMatrix(const Shape& shape, const Matrix& matrix, const MatrixRules& rules = kRowsRules);

// Checks that the matrices [rows, row_stride] of a batch do not overlap and fit into the address space
// together.
posenc_status CheckBatch(const Batch& batch, std::size_t element_size);

// Checks that the positions first + offset .. first + rows - 1 + offset are in range; |offset| <=
// POSENC_MAX_POSITION.
posenc_status CheckRun(std::int64_t first, std::size_t rows, std::int64_t offset = 0);

// The values that a list of positions may have.
struct Admitted {
  std::int64_t offset = 0;  // added to each before it is checked; at most POSENC_MAX_POSITION either way
  bool any_value = false;
};

// Check a list of count > 0 values, which a call reads while it writes `written`: it must not be null or
// overlap `written`, and its values must be in range. *bad_index becomes the first value out of range, unless
// it is null.
posenc_status CheckPositions(const List& positions, std::size_t count, const Admitted& admitted,
                             const Bytes& written, std::size_t* bad_index);
posenc_status CheckIndices(const List& indices, std::size_t count, std::int64_t end, const Bytes& written,
                           std::size_t* bad_index);  // rows 0 .. end - 1 of a cache
posenc_status CheckFirsts(const Batch& batch, std::int64_t offset, const Bytes& written,
                          std::size_t* bad_index);

// Checks the table and the ids of a lookup for out.rows > 0 rows.
posenc_status CheckLookup(const Lookup& lookup, const Shape& out, const Bytes& written,
                          std::size_t* bad_index);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CHECKS_H_
