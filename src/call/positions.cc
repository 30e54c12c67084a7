// Makes positions from ids and masks.
#include "number/exact.h"

#include "call/positions.h"

#include <cstring>
#include <initializer_list>

#include "call/checks.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

constexpr double kTwoPi = 0x1.921fb54442d18p2;

std::size_t SizeOf(posenc_type type) { return type == POSENC_I32 ? 4 : 8; }

// values[i] = value, at any alignment.
template <class Value>
void StoreAt(Value value, void* values, std::size_t i) {
  std::memcpy(static_cast<unsigned char*>(values) + i * sizeof(value), &value, sizeof(value));
}

unsigned char* RowOf(const IntegerRows& rows, std::size_t r) {
  return static_cast<unsigned char*>(rows.data) + r * rows.stride * SizeOf(rows.type);
}

// Whether padding_id and the last position that a row may need, padding_id + past + columns, are positions
// and fit the type.
bool AreInRange(std::int64_t padding_id, std::int64_t past, std::size_t columns, posenc_type type) {
  const std::int64_t last = type == POSENC_I32 ? INT32_MAX : POSENC_MAX_POSITION;
  if (padding_id < -POSENC_MAX_POSITION || padding_id > last || past < 0 || past > 2 * POSENC_MAX_POSITION)
    return false;
  return std::uint64_t{columns} <= static_cast<std::uint64_t>(4 * POSENC_MAX_POSITION) &&
         static_cast<std::int64_t>(columns) <= last - padding_id - past;
}

bool IsNormalization(posenc_normalization kind) {
  return kind == POSENC_NO_NORMALIZATION || kind == POSENC_NORMALIZE_F32 || kind == POSENC_NORMALIZE_F64;
}

// The formula in arithmetic that rounds each operation to Float.
template <class Float>
double Normalized(double count, double last, const Normalization& normalization) {
  const auto offset = static_cast<Float>(normalization.offset),
             scale = static_cast<Float>(normalization.scale == 0.0 ? kTwoPi : normalization.scale);
  const Float shifted = static_cast<Float>(count) + offset;
  const Float whole = static_cast<Float>(last) + static_cast<Float>(1e-6);
  const Float part = shifted / whole;
  const Float scaled = part * scale;
  return static_cast<double>(scaled);
}

// Sets out[first + k * step] for k < count to the unmasked cells up to k, then normalizes by the last count.
void CountAlong(const std::uint8_t* mask, std::size_t count, std::size_t step, double* out, std::size_t first,
                const Normalization& normalization) {
  double running = 0.0;
  for (std::size_t k = 0, i = first; k < count; ++k, i += step) {
    if (mask == nullptr || mask[i] == 0) running += 1.0;
    StoreAt(running, out, i);
  }
  if (normalization.kind == POSENC_NO_NORMALIZATION) return;
  for (std::size_t k = 0, i = first; k < count; ++k, i += step) {
    const double n = List(POSENC_F64, out).AsDouble(i);
    StoreAt(normalization.kind == POSENC_NORMALIZE_F32 ? Normalized<float>(n, running, normalization)
                                                       : Normalized<double>(n, running, normalization),
            out, i);
  }
}

}  // namespace

posenc_status PositionsFromIds(const IntegerRows& ids, std::size_t rows, std::size_t columns,
                               std::int64_t padding_id, std::int64_t past, const IntegerRows& positions) {
  const Shape read = {columns, SizeOf(ids.type), columns == 0 ? 0 : rows};
  const Shape written = {columns, SizeOf(positions.type), read.rows};
  const Matrix from = {ids.data, ids.stride}, to = {positions.data, positions.stride};
  if (const posenc_status status = CheckMatrix(written, to); status != POSENC_OK) return status;
  if (ids.stride < columns) return POSENC_ID_STRIDE_TOO_SMALL;
  if (const posenc_status status = CheckMatrix(read, from); status != POSENC_OK) return status;
  if (!AreInRange(padding_id, past, columns, positions.type)) return POSENC_POSITION_OUT_OF_RANGE;
  if (read.rows == 0) return POSENC_OK;
  if (Overlap(MatrixBytes(read, from), MatrixBytes(written, to))) return POSENC_BUFFERS_OVERLAP;
  for (std::size_t r = 0; r < rows; ++r) {
    const List row(ids.type, RowOf(ids, r));
    unsigned char* const out = RowOf(positions, r);
    std::int64_t last = padding_id + past;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::int64_t position = row[i] == padding_id ? padding_id : ++last;
      if (positions.type == POSENC_I64) {
        StoreAt(position, out, i);
      } else {
        StoreAt(static_cast<std::int32_t>(position), out, i);
      }
    }
  }
  return POSENC_OK;
}

posenc_status PositionsFromMask(const std::uint8_t* mask, std::size_t height, std::size_t width,
                                const Normalization& normalization, double* y, double* x) {
  return InFpState([&]() -> posenc_status {
    if (!IsNormalization(normalization.kind)) return POSENC_BAD_NORMALIZATION;
    if (!IsPosition(normalization.scale)) return POSENC_BAD_NORMALIZATION_SCALE;
    if (!IsPosition(normalization.offset)) return POSENC_BAD_NORMALIZATION_OFFSET;
    if (height == 0 || width == 0) return POSENC_OK;
    const Shape shape = {width, sizeof(double), height};
    for (double* const list : {y, x}) {
      if (const posenc_status status = CheckMatrix(shape, {list, width}); status != POSENC_OK) return status;
    }
    constexpr auto kMost = static_cast<std::uint64_t>(POSENC_MAX_POSITION);
    if (height > kMost || width > kMost) return POSENC_POSITION_OUT_OF_RANGE;
    const Bytes bytes = MatrixBytes(shape, {y, width});
    const Bytes others = {x, bytes.count}, cells = {mask, mask == nullptr ? 0 : height * width};
    if (Overlap(bytes, others) || Overlap(bytes, cells) || Overlap(others, cells)) {
      return POSENC_BUFFERS_OVERLAP;
    }
    for (std::size_t column = 0; column < width; ++column) {
      CountAlong(mask, height, width, y, column, normalization);
    }
    for (std::size_t row = 0; row < height; ++row) {
      CountAlong(mask, width, 1, x, row * width, normalization);
    }
    return POSENC_OK;
  });
}

}  // namespace internal
}  // namespace posenc
