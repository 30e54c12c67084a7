// The calls of an encoder: the checks of each, in the order in which they are reported, then its walk. All
// checks come before the walk, because a call that fails must not have written anything.
#include "number/exact.h"

#include "call/call.h"

#include <algorithm>

#include "call/checks.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

Shape ShapeOf(const Call& call, std::size_t rows) { return {call.encoder.dim, call.element_size(), rows}; }

posenc_status CheckRowPositions(const Call& call, const List& positions, std::size_t rows,
                                const Bytes& written, std::size_t* bad_index) {
  return CheckPositions(positions, rows, {call.encoder.offset, call.encoder.nan_rows}, written, bad_index);
}

// Checks a lookup in a call without rows: only its stride can be wrong.
posenc_status CheckUnusedLookup(const Lookup& lookup, const Shape& shape) {
  return lookup.stride < shape.dim ? rule::stride_table : rule::ok;
}

}  // namespace

posenc_status CallRun(const Call& call, std::int64_t first, std::size_t rows, const Matrix& matrix) {
  posenc_status status = CheckMatrix(ShapeOf(call, rows), matrix);
  if (status == POSENC_OK) status = CheckRun(first, rows, call.encoder.offset);
  if (status == POSENC_OK) WalkRows(call, first, List(), rows, matrix);
  return status;
}

posenc_status CallList(const Call& call, const List& positions, std::size_t rows, const Matrix& matrix,
                       std::size_t* bad_index) {
  const Shape shape = ShapeOf(call, rows);
  posenc_status status = CheckMatrix(shape, matrix);
  if (status != POSENC_OK || rows == 0) return status;
  status = CheckRowPositions(call, positions, rows, MatrixBytes(shape, matrix), bad_index);
  if (status == POSENC_OK) WalkRows(call, 0, positions, rows, matrix);
  return status;
}

posenc_status CallEmbed(const Call& call, const Lookup& lookup, std::int64_t first, std::size_t rows,
                        const Matrix& matrix, std::size_t* bad_index) {
  const Shape shape = ShapeOf(call, rows);
  posenc_status status = CheckMatrix(shape, matrix);
  if (status == POSENC_OK) status = CheckRun(first, rows, call.encoder.offset);
  if (status != POSENC_OK) return status;
  if (rows == 0) return CheckUnusedLookup(lookup, shape);
  status = CheckLookup(lookup, shape, MatrixBytes(shape, matrix), bad_index);
  if (status == POSENC_OK) WalkRows(call, first, List(), rows, matrix, &lookup);
  return status;
}

posenc_status CallEmbedAt(const Call& call, const Lookup& lookup, const List& positions, std::size_t rows,
                          const Matrix& matrix, std::size_t* bad_index) {
  const Shape shape = ShapeOf(call, rows);
  if (const posenc_status status = CheckMatrix(shape, matrix); status != POSENC_OK) return status;
  if (rows == 0) return CheckUnusedLookup(lookup, shape);
  const Bytes written = MatrixBytes(shape, matrix);
  std::size_t bad_id = rows, bad_position = rows;
  const posenc_status ids = CheckLookup(lookup, shape, written, &bad_id);
  if (ids != POSENC_OK && ids != rule::id_range && ids != rule::no_ids) return ids;
  const posenc_status at = CheckRowPositions(call, positions, rows, written, &bad_position);
  if (at != POSENC_OK && at != rule::position_range) return at;
  if (ids == POSENC_OK && at == POSENC_OK) {
    WalkRows(call, 0, positions, rows, matrix, &lookup);
    return rule::ok;
  }
  // If an id and a position are out of range, the one in the lower row is reported.
  SetIfNotNull(bad_index, std::min(bad_id, bad_position));
  return bad_id <= bad_position ? ids : at;
}

posenc_status CallBatch(const Call& call, const Batch& batch, std::size_t* bad_index) {
  const Shape shape = ShapeOf(call, batch.sequences == 0 ? 0 : batch.rows);
  posenc_status status = CheckMatrix(shape, {batch.data, batch.row_stride});
  if (status == POSENC_OK) status = CheckBatch(batch, shape.element_size);
  if (status != POSENC_OK || shape.rows == 0) return status;
  status = CheckFirsts(batch, call.encoder.offset, BatchBytes(batch, shape), bad_index);
  if (status == POSENC_OK) WalkBatch(call, batch);
  return status;
}

}  // namespace internal
}  // namespace posenc
