#include "call/call.h"

#include <algorithm>

#include "call/checks.h"

namespace posenc {
namespace internal {

posenc_status CallRun(const Call& call, std::int64_t first, std::size_t rows, const Matrix& matrix) {
  const Encoder& encoder = call.encoder;
  if (const posenc_status status = CheckMatrix({encoder.dim, call.element_size(), rows}, matrix);
      status != POSENC_OK) {
    return status;
  }
  if (const posenc_status status = CheckRun(first, rows, encoder.offset); status != POSENC_OK) return status;
  WalkRows(call, first, List(), rows, matrix);
  return POSENC_OK;
}

posenc_status CallList(const Call& call, const List& positions, std::size_t rows, const Matrix& matrix,
                       std::size_t* bad_index) {
  const Shape shape{call.encoder.dim, call.element_size(), rows};
  if (const posenc_status status = CheckMatrix(shape, matrix); status != POSENC_OK) return status;
  if (rows == 0) return POSENC_OK;
  if (const posenc_status status =
          CheckPositions(positions, rows, {call.encoder.offset, call.encoder.nan_rows},
                         MatrixBytes(shape, matrix), bad_index);
      status != POSENC_OK) {
    return status;
  }
  WalkRows(call, 0, positions, rows, matrix);
  return POSENC_OK;
}

posenc_status CallEmbed(const Call& call, const Lookup& lookup, std::int64_t first, std::size_t rows,
                        const Matrix& matrix, std::size_t* bad_index) {
  const Shape shape{call.encoder.dim, call.element_size(), rows};
  if (const posenc_status status = CheckMatrix(shape, matrix); status != POSENC_OK) return status;
  if (const posenc_status status = CheckRun(first, rows, call.encoder.offset); status != POSENC_OK) {
    return status;
  }
  if (rows == 0) return lookup.stride < shape.dim ? POSENC_TABLE_STRIDE_TOO_SMALL : POSENC_OK;
  if (const posenc_status status = CheckLookup(lookup, shape, MatrixBytes(shape, matrix), bad_index);
      status != POSENC_OK) {
    return status;
  }
  WalkRows(call, first, List(), rows, matrix, &lookup);
  return POSENC_OK;
}

posenc_status CallEmbedAt(const Call& call, const Lookup& lookup, const List& positions, std::size_t rows,
                          const Matrix& matrix, std::size_t* bad_index) {
  const Shape shape{call.encoder.dim, call.element_size(), rows};
  if (const posenc_status status = CheckMatrix(shape, matrix); status != POSENC_OK) return status;
  if (rows == 0) return lookup.stride < shape.dim ? POSENC_TABLE_STRIDE_TOO_SMALL : POSENC_OK;
  const Bytes written = MatrixBytes(shape, matrix);
  std::size_t bad_id = rows, bad_position = rows;
  const posenc_status ids = CheckLookup(lookup, shape, written, &bad_id);
  if (ids != POSENC_OK && ids != POSENC_ID_OUT_OF_RANGE) return ids;
  const posenc_status at =
      CheckPositions(positions, rows, {call.encoder.offset, call.encoder.nan_rows}, written, &bad_position);
  if (at != POSENC_OK && at != POSENC_POSITION_OUT_OF_RANGE) return at;
  if (ids != POSENC_OK || at != POSENC_OK) {  // the list whose fault comes first
    if (bad_index != nullptr) *bad_index = std::min(bad_id, bad_position);
    return bad_id <= bad_position ? ids : at;
  }
  WalkRows(call, 0, positions, rows, matrix, &lookup);
  return POSENC_OK;
}

posenc_status CallBatch(const Call& call, const Batch& batch, std::size_t* bad_index) {
  const Shape shape{call.encoder.dim, call.element_size(), batch.sequences == 0 ? 0 : batch.rows};
  if (const posenc_status status = CheckMatrix(shape, {batch.data, batch.row_stride}); status != POSENC_OK) {
    return status;
  }
  if (const posenc_status status = CheckBatch(batch, shape.element_size); status != POSENC_OK) return status;
  if (batch.sequences == 0 || batch.rows == 0) return POSENC_OK;
  if (const posenc_status status =
          CheckFirsts(batch, call.encoder.offset, BatchBytes(batch, shape), bad_index);
      status != POSENC_OK) {
    return status;
  }
  WalkBatch(call, batch);
  return POSENC_OK;
}

}  // namespace internal
}  // namespace posenc
