// The C functions that compute positions (models_c.h): from token ids with padding, and from the padding mask
// of an image.

#include "number/exact.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/calls.h"
#include "posenc/models_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace models {
namespace {

constexpr double kTwoPi = 0x1.921fb54442d18p2;

// A matrix of the caller. The call uses [rows, columns] of it; rows may be 0.
struct Matrix {
  const void* data;
  std::size_t rows, columns, stride;
  std::size_t element_size;

  // From the first element that is used to the last.
  std::size_t bytes() const { return ((rows - 1) * stride + columns) * element_size; }
};

// Checks a matrix. Returns too_large if it does not fit into the address space, is_null if its pointer is
// null.
posenc_status CheckMemory(const Matrix& matrix, posenc_status too_large, posenc_status is_null) {
  if (matrix.rows == 0) return rule::ok;
  if (matrix.rows > PTRDIFF_MAX / matrix.element_size / matrix.stride) return too_large;
  return matrix.data == nullptr ? is_null : rule::ok;
}

// Whether two pieces of memory share a byte. An empty piece shares nothing.
bool Overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  if (a_bytes == 0 || b_bytes == 0) return false;
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b);
  return a_begin < b_begin ? b_begin - a_begin < a_bytes : a_begin - b_begin < b_bytes;
}

bool IsInteger(posenc_type type) { return type == POSENC_I32 || type == POSENC_I64; }

std::size_t SizeOf(posenc_type type) { return type == POSENC_I32 ? 4 : 8; }

// values[i], at any alignment.
template <class Value>
Value LoadAt(const void* values, std::size_t i) {
  Value value;
  std::memcpy(&value, static_cast<const unsigned char*>(values) + i * sizeof(value), sizeof(value));
  return value;
}

// values[i] = value, at any alignment.
template <class Value>
void StoreAt(Value value, void* values, std::size_t i) {
  std::memcpy(static_cast<unsigned char*>(values) + i * sizeof(value), &value, sizeof(value));
}

// Whether padding_id, and the largest position that a row may get, padding_id + past + columns, are valid
// positions and fit the type.
bool AreInRange(std::int64_t padding_id, std::int64_t past, std::size_t columns, posenc_type type) {
  const std::int64_t last = type == POSENC_I32 ? INT32_MAX : POSENC_MAX_POSITION;
  if (padding_id < -POSENC_MAX_POSITION || padding_id > last || past < 0 || past > 2 * POSENC_MAX_POSITION)
    return false;
  return std::uint64_t{columns} <= static_cast<std::uint64_t>(4 * POSENC_MAX_POSITION) &&
         static_cast<std::int64_t>(columns) <= last - padding_id - past;
}

// Writes the positions of a row. An id that equals padding_id gets the position padding_id; the other ids get
// padding_id + past + 1, padding_id + past + 2, ...
template <class Id, class Position>
void NumberRow(const void* ids, std::size_t columns, std::int64_t padding_id, std::int64_t past,
               void* positions) {
  std::int64_t last = padding_id + past;
  for (std::size_t i = 0; i < columns; ++i) {
    const bool is_padding = std::int64_t{LoadAt<Id>(ids, i)} == padding_id;
    StoreAt(static_cast<Position>(is_padding ? padding_id : ++last), positions, i);
  }
}

// How counts are normalized: a count n, along an axis whose last count is m, becomes (n + offset) / (m +
// 1e-6) * scale.
struct Normalization {
  posenc_normalization kind;
  double scale;  // 0 means 2 pi
  double offset;
};

bool IsNormalization(posenc_normalization kind) {
  return kind == POSENC_NO_NORMALIZATION || kind == POSENC_NORMALIZE_F32 || kind == POSENC_NORMALIZE_F64;
}

// Whether a number is in the range of positions. A NaN is not.
bool IsInRange(double x) {
  constexpr auto kMost = static_cast<double>(POSENC_MAX_POSITION);
  return x >= -kMost && x <= kMost;
}

// Computes that formula; each operation is rounded to Float.
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

// Goes along an axis: sets out[first + k * step], for k < count, to the number of unmasked cells up to and
// including k, and normalizes these counts.
void CountAlong(const std::uint8_t* mask, std::size_t count, std::size_t step, double* out, std::size_t first,
                const Normalization& normalization) {
  double running = 0.0;
  for (std::size_t k = 0, i = first; k < count; ++k, i += step) {
    if (mask == nullptr || mask[i] == 0) running += 1.0;
    StoreAt(running, out, i);
  }
  if (normalization.kind == POSENC_NO_NORMALIZATION) return;
  for (std::size_t k = 0, i = first; k < count; ++k, i += step) {
    const auto n = LoadAt<double>(out, i);
    StoreAt(normalization.kind == POSENC_NORMALIZE_F32 ? Normalized<float>(n, running, normalization)
                                                       : Normalized<double>(n, running, normalization),
            out, i);
  }
}

posenc_status PositionsFromMask(const posenc_mask& image, const Normalization& normalization, double* y,
                                double* x) {
  const std::uint8_t* const mask = image.padding;
  const std::size_t height = image.height, width = image.width;
  if (!IsNormalization(normalization.kind)) return rule::normalization;
  if (!IsInRange(normalization.scale)) return rule::normalization_scale;
  if (!IsInRange(normalization.offset)) return rule::normalization_offset;
  if (height == 0 || width == 0) return rule::ok;
  for (const double* const list : {y, x}) {
    const posenc_status status =
        CheckMemory({list, height, width, width, sizeof(double)}, rule::size_mask, rule::null_cells);
    if (status != POSENC_OK) return status;
  }
  constexpr auto kMost = static_cast<std::uint64_t>(POSENC_MAX_POSITION);
  if (height > kMost || width > kMost) return rule::mask_range;
  const std::size_t cells = height * width, bytes = cells * sizeof(double);
  const std::size_t masked = mask == nullptr ? 0 : cells;
  if (Overlap(y, bytes, x, bytes) || Overlap(y, bytes, mask, masked) || Overlap(x, bytes, mask, masked)) {
    return rule::overlap_cells;
  }
  for (std::size_t column = 0; column < width; ++column) {
    CountAlong(mask, height, width, y, column, normalization);
  }
  for (std::size_t row = 0; row < height; ++row) {
    CountAlong(mask, width, 1, x, row * width, normalization);
  }
  return rule::ok;
}

}  // namespace
}  // namespace models
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;          // NOLINT(google-build-using-namespace)
using namespace posenc::internal::models;  // NOLINT(google-build-using-namespace)

// Both functions check every argument before they write.

posenc_status posenc_positions_from_ids(const posenc_ids* ids, size_t batch, size_t sequence, int64_t past,
                                        const posenc_rows* positions) {
  if (ids == nullptr) return rule::null_ids;
  if (positions == nullptr) return rule::null_made_positions;
  if (!IsInteger(ids->type) || !IsInteger(positions->type)) return rule::type_of_ids;
  const std::size_t rows = sequence == 0 ? 0 : batch;
  const Matrix from{ids->data, rows, sequence, ids->stride, SizeOf(ids->type)};
  const Matrix to{positions->data, rows, sequence, positions->stride, SizeOf(positions->type)};
  if (to.stride < sequence) return rule::stride_positions;
  posenc_status status = CheckMemory(to, rule::size_positions, rule::null_made_positions);
  if (status != POSENC_OK) return status;
  if (from.stride < sequence) return rule::stride_ids;
  status = CheckMemory(from, rule::size_ids, rule::null_ids_data);
  if (status != POSENC_OK) return status;
  if (!AreInRange(ids->padding_id, past, sequence, positions->type)) return rule::padding_id_range;
  if (rows == 0) return rule::ok;
  if (Overlap(ids->data, from.bytes(), positions->data, to.bytes())) return rule::overlap_ids_positions;
  const bool reads_32 = ids->type == POSENC_I32, writes_32 = positions->type == POSENC_I32;
  const auto number =
      reads_32
          ? (writes_32 ? &NumberRow<std::int32_t, std::int32_t> : &NumberRow<std::int32_t, std::int64_t>)
          : (writes_32 ? &NumberRow<std::int64_t, std::int32_t> : &NumberRow<std::int64_t, std::int64_t>);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto* const row =
        static_cast<const unsigned char*>(ids->data) + r * from.stride * from.element_size;
    auto* const out = static_cast<unsigned char*>(positions->data) + r * to.stride * to.element_size;
    number(row, sequence, ids->padding_id, past, out);
  }
  return rule::ok;
}

posenc_status posenc_positions_from_mask(const posenc_mask* mask, posenc_normalization normalization,
                                         double scale, double offset, double* y, double* x) {
  if (mask == nullptr) return rule::null_mask;
  return InFpState([&] { return PositionsFromMask(*mask, {normalization, scale, offset}, y, x); });
}
