// Checks the arguments of every call, then walks the rows in blocks over the kernels of the target.

#include "posenc/posenc.h"

#include <cstdint>
#include <utility>

#include "fp_state.h"
#include "kernels.h"
#include "targets.h"

namespace posenc {
namespace {

constexpr std::size_t kBlockRows = 64;  // positions of a block live on the stack

internal::Columns MakeColumns(Layout layout, std::size_t dim) {
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

// Where the positions of a call come from: Check, then [r] for row r.
struct Consecutive {
  std::int64_t first;

  Status Check(std::size_t rows) const {
    if (rows == 0) return Status::kOk;
    if (first < -kMaxPosition || first > kMaxPosition) return Status::kPositionOutOfRange;
    const auto room = static_cast<std::uint64_t>(kMaxPosition - first);
    return rows - 1 > room ? Status::kPositionOutOfRange : Status::kOk;
  }

  std::int64_t operator[](std::size_t r) const { return first + static_cast<std::int64_t>(r); }
};

template <class Position>
struct List {
  const Position* positions;
  std::size_t* bad_index;  // may be null

  Status Check(std::size_t rows) const {
    if (rows == 0) return Status::kOk;
    if (positions == nullptr) return Status::kNullPointer;
    for (std::size_t r = 0; r < rows; ++r) {
      if (positions[r] < -kMaxPosition || positions[r] > kMaxPosition) {
        if (bad_index != nullptr) *bad_index = r;
        return Status::kPositionOutOfRange;
      }
    }
    return Status::kOk;
  }

  std::int64_t operator[](std::size_t r) const { return positions[r]; }
};

// What is done to a block of rows.
struct WriteRows {
  const internal::Kernels& kernels;
  const internal::FrequencyTable& table;
  internal::Columns columns;

  void operator()(const internal::Rows& rows) const { kernels.write(table, columns, rows); }
};

struct AddRows {
  const internal::Kernels& kernels;
  const internal::FrequencyTable& table;
  internal::Columns columns;
  float scale;

  void operator()(const internal::Rows& rows) const { kernels.add(table, columns, rows, scale); }
};

Status CheckShape(std::size_t dim, std::size_t rows, const void* data, std::size_t row_stride) {
  if (row_stride < dim) return Status::kStrideTooSmall;
  if (rows == 0) return Status::kOk;
  if (rows > PTRDIFF_MAX / sizeof(float) / row_stride) return Status::kSizeOverflow;
  return data == nullptr ? Status::kNullPointer : Status::kOk;
}

template <class Positions, class Operation>
Status Run(const Positions& positions, std::size_t rows, float* data, std::size_t row_stride,
           const Operation& operation) {
  const std::size_t dim = operation.columns.sines + operation.columns.cosines;
  if (const Status status = CheckShape(dim, rows, data, row_stride); status != Status::kOk) return status;
  if (const Status status = positions.Check(rows); status != Status::kOk) return status;
  const internal::FpState fp_state;
  std::int64_t block[kBlockRows];
  for (std::size_t begin = 0; begin < rows; begin += kBlockRows) {
    const std::size_t count = rows - begin < kBlockRows ? rows - begin : kBlockRows;
    for (std::size_t r = 0; r < count; ++r) block[r] = positions[begin + r];
    operation(internal::Rows{block, count, data + begin * row_stride, row_stride});
  }
  return Status::kOk;
}

}  // namespace

Status Encoder::Create(const Spec& spec, Encoder* out) {
  if (out == nullptr) return Status::kNullPointer;
  if (!IsLayout(spec.layout)) return Status::kBadLayout;
  Encoder encoder;
  if (const Status status = Frequencies::Create(spec, &encoder.frequencies_); status != Status::kOk) {
    return status;
  }
  if (const Status status = internal::FindKernels(spec.target, &encoder.kernels_); status != Status::kOk) {
    return status;
  }
  encoder.dim_ = spec.dim;
  encoder.layout_ = spec.layout;
  *out = std::move(encoder);
  return Status::kOk;
}

const char* Encoder::target() const { return kernels_ == nullptr ? "" : kernels_->name; }

Status Encoder::Write(std::int64_t first_position, std::size_t rows, float* out, std::size_t row_stride) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  return Run(Consecutive{first_position}, rows, out, row_stride,
             WriteRows{*kernels_, *frequencies_.table_, MakeColumns(layout_, dim_)});
}

Status Encoder::WriteAt(const std::int32_t* positions, std::size_t rows, float* out, std::size_t row_stride,
                        std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  return Run(List<std::int32_t>{positions, bad_index}, rows, out, row_stride,
             WriteRows{*kernels_, *frequencies_.table_, MakeColumns(layout_, dim_)});
}

Status Encoder::WriteAt(const std::int64_t* positions, std::size_t rows, float* out, std::size_t row_stride,
                        std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  return Run(List<std::int64_t>{positions, bad_index}, rows, out, row_stride,
             WriteRows{*kernels_, *frequencies_.table_, MakeColumns(layout_, dim_)});
}

Status Encoder::Add(std::int64_t first_position, std::size_t rows, float* x, std::size_t row_stride,
                    float scale) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  return Run(Consecutive{first_position}, rows, x, row_stride,
             AddRows{*kernels_, *frequencies_.table_, MakeColumns(layout_, dim_), scale});
}

Status Encoder::AddAt(const std::int32_t* positions, std::size_t rows, float* x, std::size_t row_stride,
                      float scale, std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  return Run(List<std::int32_t>{positions, bad_index}, rows, x, row_stride,
             AddRows{*kernels_, *frequencies_.table_, MakeColumns(layout_, dim_), scale});
}

Status Encoder::AddAt(const std::int64_t* positions, std::size_t rows, float* x, std::size_t row_stride,
                      float scale, std::size_t* bad_index) const {
  if (frequencies_.table_ == nullptr) return Status::kNotCreated;
  return Run(List<std::int64_t>{positions, bad_index}, rows, x, row_stride,
             AddRows{*kernels_, *frequencies_.table_, MakeColumns(layout_, dim_), scale});
}

}  // namespace posenc
