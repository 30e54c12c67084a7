// Checks the arguments of every call, then walks the rows in blocks over the kernels of the target.

#include <cstdint>

#include "access.h"
#include "call.h"
#include "checks.h"
#include "elements.h"
#include "fp_state.h"
#include "kernels.h"
#include "store_policy.h"

namespace posenc {
namespace internal {
namespace {

unsigned char* RowAddress(void* data, std::size_t bytes) { return static_cast<unsigned char*>(data) + bytes; }

// Rows of a run (positions null) or a list, to a matrix, from a lookup if there is one.
Status ForBlocks(const Call& call, std::int64_t first, const List& positions, std::size_t rows,
                 const Matrix& matrix, const Lookup* lookup = nullptr) {
  return InFpState([&] {
    const std::size_t size = ElementSize(call.type);
    const bool stream = call.scale == nullptr && positions.IsNull() &&
                        ShouldStream(call.columns, size, rows, matrix.data, matrix.stride);
    double position[Rows::kMax];
    const void* source[Rows::kMax];
    for (std::size_t begin = 0; begin < rows; begin += Rows::kMax) {
      Rows block{};
      block.count = rows - begin < Rows::kMax ? rows - begin : Rows::kMax;
      block.first = first + static_cast<std::int64_t>(begin);
      block.data = RowAddress(matrix.data, begin * matrix.stride * size);
      block.stride = matrix.stride;
      block.stream = stream;
      if (!positions.IsNull()) {
        for (std::size_t r = 0; r < block.count; ++r) position[r] = positions.AsDouble(begin + r);
        block.positions = position;
      }
      if (lookup != nullptr) {
        for (std::size_t r = 0; r < block.count; ++r) {
          const auto id = static_cast<std::size_t>(lookup->ids[begin + r]);
          source[r] = static_cast<const unsigned char*>(lookup->table) + id * lookup->stride * size;
        }
        block.sources = source;
      }
      call.Apply(block);
    }
    return Status::kOk;
  });
}

}  // namespace

Columns MakeColumns(Layout layout, std::size_t dim) {
  const std::size_t cosines = dim / 2;
  const std::size_t sines = dim - cosines;
  switch (layout) {
    case Layout::kInterleaved:
      return {sines, cosines, 0, 1, 2};
    case Layout::kSinCos:
      return {sines, cosines, 0, sines, 1};
    case Layout::kCosSin:
      break;
  }
  return {sines, cosines, cosines, 0, 1};
}

Status Access::Run(const Encoder& encoder, ElementType type, const float* scale, std::int64_t first,
                   std::size_t rows, const Matrix& matrix) {
  const FrequencyTable* table = Table(encoder.frequencies_);
  if (table == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(encoder.dim_, ElementSize(type), rows, matrix.data, matrix.stride);
      status != Status::kOk) {
    return status;
  }
  if (const Status status = CheckRun(first, rows); status != Status::kOk) return status;
  return ForBlocks({*encoder.kernels_, *table, MakeColumns(encoder.layout_, encoder.dim_), type, scale},
                   first, List(), rows, matrix);
}

Status Access::At(const Encoder& encoder, ElementType type, const float* scale, const List& positions,
                  std::size_t rows, const Matrix& matrix, std::size_t* bad_index) {
  const FrequencyTable* table = Table(encoder.frequencies_);
  const std::size_t dim = encoder.dim_, size = ElementSize(type);
  if (table == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim, size, rows, matrix.data, matrix.stride); status != Status::kOk)
    return status;
  if (rows == 0) return Status::kOk;
  const Bytes written = MatrixBytes(dim, size, rows, matrix.data, matrix.stride);
  if (const Status status = CheckPositions(positions, rows, written, bad_index); status != Status::kOk)
    return status;
  return ForBlocks({*encoder.kernels_, *table, MakeColumns(encoder.layout_, dim), type, scale}, 0, positions,
                   rows, matrix);
}

Status Access::Embed(const Encoder& encoder, ElementType type, float scale, const Lookup& lookup,
                     std::int64_t first, std::size_t rows, const Matrix& matrix, std::size_t* bad_index) {
  const FrequencyTable* table = Table(encoder.frequencies_);
  const std::size_t dim = encoder.dim_, size = ElementSize(type);
  if (table == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim, size, rows, matrix.data, matrix.stride); status != Status::kOk)
    return status;
  if (const Status status = CheckRun(first, rows); status != Status::kOk) return status;
  if (rows == 0) return lookup.stride < dim ? Status::kStrideTooSmall : Status::kOk;
  const Bytes written = MatrixBytes(dim, size, rows, matrix.data, matrix.stride);
  if (const Status status = CheckLookup(lookup, dim, size, rows, written, bad_index); status != Status::kOk)
    return status;
  return ForBlocks({*encoder.kernels_, *table, MakeColumns(encoder.layout_, dim), type, &scale}, first,
                   List(), rows, matrix, &lookup);
}

Status Access::AddBatch(const Encoder& encoder, ElementType type, float scale, const Batch& batch,
                        std::size_t* bad_index) {
  const FrequencyTable* table = Table(encoder.frequencies_);
  const std::size_t dim = encoder.dim_, size = ElementSize(type);
  if (table == nullptr) return Status::kNotCreated;
  if (const Status status =
          CheckMatrix(dim, size, batch.sequences == 0 ? 0 : batch.rows, batch.data, batch.row_stride);
      status != Status::kOk) {
    return status;
  }
  if (const Status status = CheckBatch(batch, size); status != Status::kOk) return status;
  if (batch.sequences == 0 || batch.rows == 0) return Status::kOk;
  const std::size_t last = (batch.sequences - 1) * batch.batch_stride + (batch.rows - 1) * batch.row_stride;
  const Bytes written{batch.data, (last + dim) * size};
  if (const Status status = CheckFirsts(batch.firsts, batch.sequences, batch.rows, written, bad_index);
      status != Status::kOk) {
    return status;
  }
  internal::AddBatch({*encoder.kernels_, *table, MakeColumns(encoder.layout_, dim), type, &scale}, batch);
  return Status::kOk;
}

}  // namespace internal
}  // namespace posenc
