// Checks of the arguments of a call. Each check returns the first status that applies. Call CheckMatrix and
// CheckBatch first: the other checks compare memory, whose size could otherwise overflow.
#ifndef POSENC_SRC_CALL_CHECKS_H_
#define POSENC_SRC_CALL_CHECKS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "number/compiler.h"
#include "posenc/posenc_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

// Memory that a call reads or writes.
struct Bytes {
  const void* data;
  std::size_t count;
};

// Whether two pieces of memory share a byte. An empty piece shares nothing.
inline bool Overlap(const Bytes& a, const Bytes& b) {
  if (a.count == 0 || b.count == 0) return false;
  const std::uintptr_t a_begin = AddressOf(a.data), b_begin = AddressOf(b.data);
  return a_begin < b_begin ? b_begin - a_begin < a.count : a_begin - b_begin < b.count;
}

// The memory of a list of `count` values. For a null list it is empty.
inline Bytes ListBytes(const List& list, std::size_t count) {
  return {list.data(), list.IsNull() ? 0 : count * list.value_bytes()};
}

// Sets *to = value, unless the caller passed null.
inline void SetIfNotNull(std::size_t* to, std::size_t value) {
  if (to != nullptr) *to = value;
}

// The part of a matrix that a call reads or writes: [rows, dim].
struct Shape {
  std::size_t dim;
  std::size_t element_size;
  std::size_t rows;
};

// The memory from the first entry of the first row to the last entry of the last row. There must be rows, and
// sequences in a batch.
inline Bytes MatrixBytes(const Shape& shape, const Matrix& matrix) {
  return {matrix.data, ((shape.rows - 1) * matrix.stride + shape.dim) * shape.element_size};
}
Bytes BatchBytes(const Batch& batch, const Shape& shape);

// The statuses for the ways in which a matrix can be wrong.
struct MatrixRules {
  posenc_status stride, size, null;
};
inline constexpr MatrixRules kRowsRules = {rule::stride_rows, rule::size_rows, rule::null_rows_data};

// Checks the stride, size and pointer of a matrix. Without rows only the stride is checked.
inline posenc_status CheckMatrix(const Shape& shape, const Matrix& matrix,
                                 const MatrixRules& rules = kRowsRules) {
  if (matrix.stride < shape.dim) return rules.stride;
  if (shape.rows == 0) return rule::ok;
  // If rows and stride both have at most kSafeBits bits, their product with an element's size does not
  // overflow. So calls of ordinary sizes need no division, whose latency would delay calls of a single row.
  constexpr std::size_t kSafeBits = (8 * sizeof(std::size_t) - 4) / 2;
  if ((shape.rows | matrix.stride) >> kSafeBits != 0 &&
      shape.rows > PTRDIFF_MAX / shape.element_size / matrix.stride) {
    return rules.size;
  }
  return matrix.data == nullptr ? rules.null : rule::ok;
}

// Checks that the sequences of a batch do not overlap, and that all of them together fit into the address
// space.
posenc_status CheckBatch(const Batch& batch, std::size_t element_size);

// Checks that the positions first + offset .. first + rows - 1 + offset are in range. |offset| must be at
// most POSENC_MAX_POSITION.
posenc_status CheckRun(std::int64_t first, std::size_t rows, std::int64_t offset = 0);

// Which values a list of positions may have.
struct Admitted {
  std::int64_t offset = 0;  // added to each value before the check; |offset| <= POSENC_MAX_POSITION
  bool any_value = false;   // with nan_rows: wrong values are allowed, and become rows of NaN
  posenc_status wrong = rule::position_range;
};

// Check a list of count > 0 values: it must not be null, its values must be in range, and it must not overlap
// `written`, the memory that the call writes. If a value is out of range, *bad_index becomes the index of the
// first one; bad_index may be null.
posenc_status CheckPositions(const List& positions, std::size_t count, const Admitted& admitted,
                             const Bytes& written, std::size_t* bad_index);
posenc_status CheckIndices(const List& indices, std::size_t count, std::int64_t end, const Bytes& written,
                           std::size_t* bad_index);  // values are rows of a cache, 0 .. end - 1
posenc_status CheckFirsts(const Batch& batch, std::int64_t offset, const Bytes& written,
                          std::size_t* bad_index);

// Checks the table and the ids of a lookup for out.rows > 0 rows.
posenc_status CheckLookup(const Lookup& lookup, const Shape& out, const Bytes& written,
                          std::size_t* bad_index);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CHECKS_H_
