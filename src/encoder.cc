// Checks the arguments of every call, then walks the rows in blocks over the kernels of the target.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "call.h"
#include "checks.h"
#include "elements.h"
#include "fp_state.h"
#include "kernels.h"
#include "posenc/posenc.h"
#include "store_policy.h"

namespace posenc {
namespace internal {
namespace {

template <class T>
constexpr ElementType kTypeOf = std::is_same_v<T, float>      ? kFloat32
                                : std::is_same_v<T, BFloat16> ? kBFloat16
                                : std::is_same_v<T, Float16>  ? kFloat16
                                                              : kFloat64;

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

bool IsLayout(Layout layout) {
  return layout == Layout::kInterleaved || layout == Layout::kSinCos || layout == Layout::kCosSin;
}

// The rows of a matrix that a caller passed.
struct Matrix {
  void* data;
  std::size_t stride;  // in elements
};

unsigned char* RowAddress(void* data, std::size_t bytes) { return static_cast<unsigned char*>(data) + bytes; }

// Rows of a run (positions null) or a list, to a matrix, from a lookup if there is one.
void ForBlocks(const Call& call, std::int64_t first, const List& positions, std::size_t rows,
               const Matrix& matrix, const Lookup* lookup = nullptr) {
  const FpState fp_state;
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
}

}  // namespace

Status Access::Make(const Spec& spec, void* memory, std::size_t bytes, Encoder* out) {
  if (!IsLayout(spec.layout)) return Status::kBadLayout;
  Encoder encoder;
  if (const Status status = Make(spec, memory, bytes, &encoder.frequencies_, &encoder.kernels_);
      status != Status::kOk) {
    return status;
  }
  encoder.dim_ = spec.dim;
  encoder.layout_ = spec.layout;
  *out = std::move(encoder);
  return Status::kOk;
}

}  // namespace internal

using internal::Bytes;
using internal::CheckMatrix;
using internal::CheckRun;
using internal::kTypeOf;
using internal::List;
using internal::MatrixBytes;
using internal::Overlap;

Status Encoder::Create(const Spec& spec, Encoder* out) {
  return out == nullptr ? Status::kNullPointer : internal::Access::Make(spec, nullptr, 0, out);
}

Status Encoder::MemorySize(const Spec& spec, std::size_t* bytes) {
  if (bytes == nullptr) return Status::kNullPointer;
  if (!internal::IsLayout(spec.layout)) return Status::kBadLayout;
  return internal::Access::MemorySize(spec, bytes);
}

Status Encoder::CreateIn(const Spec& spec, void* memory, std::size_t bytes, Encoder* out) {
  if (memory == nullptr || out == nullptr) return Status::kNullPointer;
  const Bytes target{memory, bytes};
  if (Overlap(target, {out, sizeof(*out)}) || Overlap(target, {&spec, sizeof(spec)}))
    return Status::kBuffersOverlap;
  return internal::Access::Make(spec, memory, bytes, out);
}

Encoder::Encoder(Encoder&& other) noexcept { *this = std::move(other); }

Encoder& Encoder::operator=(Encoder&& other) noexcept {
  std::swap(frequencies_, other.frequencies_);
  std::swap(dim_, other.dim_);
  std::swap(layout_, other.layout_);
  std::swap(kernels_, other.kernels_);
  return *this;
}

const char* Encoder::target() const { return kernels_ == nullptr ? "" : kernels_->name; }

template <class T>
Status Encoder::Write(std::int64_t first_position, std::size_t rows, T* out, std::size_t row_stride) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim_, sizeof(T), rows, out, row_stride); status != Status::kOk)
    return status;
  if (const Status status = CheckRun(first_position, rows); status != Status::kOk) return status;
  const internal::Call call{*kernels_, *frequencies_.table_, internal::MakeColumns(layout_, dim_),
                            kTypeOf<T>};
  internal::ForBlocks(call, first_position, List(), rows, {out, row_stride});
  return Status::kOk;
}

template <class T, class Position>
Status Encoder::WriteAt(const Position* positions, std::size_t rows, T* out, std::size_t row_stride,
                        std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim_, sizeof(T), rows, out, row_stride); status != Status::kOk)
    return status;
  if (rows == 0) return Status::kOk;
  const List list(positions);
  const Bytes written = MatrixBytes(dim_, sizeof(T), rows, out, row_stride);
  if (const Status status = internal::CheckPositions(list, rows, written, bad_index); status != Status::kOk)
    return status;
  const internal::Call call{*kernels_, *frequencies_.table_, internal::MakeColumns(layout_, dim_),
                            kTypeOf<T>};
  internal::ForBlocks(call, 0, list, rows, {out, row_stride});
  return Status::kOk;
}

template <class T>
Status Encoder::Add(std::int64_t first_position, std::size_t rows, T* x, std::size_t row_stride,
                    float scale) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim_, sizeof(T), rows, x, row_stride); status != Status::kOk)
    return status;
  if (const Status status = CheckRun(first_position, rows); status != Status::kOk) return status;
  const internal::Call call{*kernels_, *frequencies_.table_, internal::MakeColumns(layout_, dim_), kTypeOf<T>,
                            &scale};
  internal::ForBlocks(call, first_position, List(), rows, {x, row_stride});
  return Status::kOk;
}

template <class T, class Position>
Status Encoder::AddAt(const Position* positions, std::size_t rows, T* x, std::size_t row_stride, float scale,
                      std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim_, sizeof(T), rows, x, row_stride); status != Status::kOk)
    return status;
  if (rows == 0) return Status::kOk;
  const List list(positions);
  const Bytes written = MatrixBytes(dim_, sizeof(T), rows, x, row_stride);
  if (const Status status = internal::CheckPositions(list, rows, written, bad_index); status != Status::kOk)
    return status;
  const internal::Call call{*kernels_, *frequencies_.table_, internal::MakeColumns(layout_, dim_), kTypeOf<T>,
                            &scale};
  internal::ForBlocks(call, 0, list, rows, {x, row_stride});
  return Status::kOk;
}

template <class T, class Id>
Status Encoder::Embed(const Id* ids, std::size_t rows, const T* table, std::size_t vocabulary,
                      std::size_t table_stride, std::int64_t first_position, T* out, std::size_t row_stride,
                      float scale, std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim_, sizeof(T), rows, out, row_stride); status != Status::kOk)
    return status;
  if (const Status status = CheckRun(first_position, rows); status != Status::kOk) return status;
  if (rows == 0) return table_stride < dim_ ? Status::kStrideTooSmall : Status::kOk;
  const internal::Lookup lookup{List(ids), table, vocabulary, table_stride};
  const Bytes written = MatrixBytes(dim_, sizeof(T), rows, out, row_stride);
  if (const Status status = CheckLookup(lookup, dim_, sizeof(T), rows, written, bad_index);
      status != Status::kOk) {
    return status;
  }
  const internal::Call call{*kernels_, *frequencies_.table_, internal::MakeColumns(layout_, dim_), kTypeOf<T>,
                            &scale};
  internal::ForBlocks(call, first_position, List(), rows, {out, row_stride}, &lookup);
  return Status::kOk;
}

template <class T, class Position>
Status Encoder::AddBatch(const Position* first_positions, std::size_t batch, std::size_t rows, T* x,
                         std::size_t batch_stride, std::size_t row_stride, float scale,
                         std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  if (const Status status = CheckMatrix(dim_, sizeof(T), batch == 0 ? 0 : rows, x, row_stride);
      status != Status::kOk) {
    return status;
  }
  if (const Status status = internal::CheckBatch(batch, rows, sizeof(T), batch_stride, row_stride);
      status != Status::kOk) {
    return status;
  }
  if (batch == 0 || rows == 0) return Status::kOk;
  const List firsts(first_positions);
  const Bytes written{x, ((batch - 1) * batch_stride + (rows - 1) * row_stride + dim_) * sizeof(T)};
  if (const Status status = internal::CheckFirsts(firsts, batch, rows, written, bad_index);
      status != Status::kOk) {
    return status;
  }
  const internal::Call call{*kernels_, *frequencies_.table_, internal::MakeColumns(layout_, dim_), kTypeOf<T>,
                            &scale};
  internal::AddBatch(call, {firsts, batch, rows, x, batch_stride, row_stride});
  return Status::kOk;
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define POSENC_INSTANTIATE_WRITE_AT(T, Position) \
  template Status Encoder::WriteAt(const Position*, std::size_t, T*, std::size_t, std::size_t*) const;
#define POSENC_INSTANTIATE_POSITION(T, Position) \
  POSENC_INSTANTIATE_WRITE_AT(T, Position)       \
  template Status Encoder::AddAt(const Position*, std::size_t, T*, std::size_t, float, std::size_t*) const;
#define POSENC_INSTANTIATE_INTEGER(T, Integer)                                                              \
  POSENC_INSTANTIATE_POSITION(T, Integer)                                                                   \
  template Status Encoder::Embed(const Integer*, std::size_t, const T*, std::size_t, std::size_t,           \
                                 std::int64_t, T*, std::size_t, float, std::size_t*) const;                 \
  template Status Encoder::AddBatch(const Integer*, std::size_t, std::size_t, T*, std::size_t, std::size_t, \
                                    float, std::size_t*) const;
#define POSENC_INSTANTIATE(T)                                                            \
  template Status Encoder::Write(std::int64_t, std::size_t, T*, std::size_t) const;      \
  template Status Encoder::Add(std::int64_t, std::size_t, T*, std::size_t, float) const; \
  POSENC_INSTANTIATE_INTEGER(T, std::int32_t)                                            \
  POSENC_INSTANTIATE_INTEGER(T, std::int64_t)                                            \
  POSENC_INSTANTIATE_POSITION(T, double)
// NOLINTEND(bugprone-macro-parentheses)

POSENC_INSTANTIATE(float)
POSENC_INSTANTIATE(BFloat16)
POSENC_INSTANTIATE(Float16)

template Status Encoder::Write(std::int64_t, std::size_t, double*, std::size_t) const;
POSENC_INSTANTIATE_WRITE_AT(double, std::int32_t)
POSENC_INSTANTIATE_WRITE_AT(double, std::int64_t)
POSENC_INSTANTIATE_WRITE_AT(double, double)

}  // namespace posenc
