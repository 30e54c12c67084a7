#include "checks.h"

#include <cmath>

#include "fp_state.h"

namespace posenc {
namespace internal {
namespace {

// in_range(i) for all i < count, count > 0, of a list; else out_of_range. Read while `written` is written.
template <class InRange>
Status CheckList(const List& list, std::size_t count, const InRange& in_range, Status out_of_range,
                 const Bytes& written, std::size_t* bad_index) {
  if (list.IsNull()) return Status::kNullPointer;
  if (count > PTRDIFF_MAX / list.ValueBytes()) return Status::kSizeOverflow;
  if (Overlap({list.Data(), count * list.ValueBytes()}, written)) return Status::kBuffersOverlap;
  for (std::size_t i = 0; i < count; ++i) {
    if (in_range(i)) continue;
    if (bad_index != nullptr) *bad_index = i;
    return out_of_range;
  }
  return Status::kOk;
}

// The last position from which a run of that many rows stays in range; the least int64 if there is none.
std::int64_t LastStart(std::size_t rows) {
  constexpr auto kPositions = static_cast<std::uint64_t>(2 * kMaxPosition + 1);
  if (std::uint64_t{rows} > kPositions) return INT64_MIN;
  return rows == 0 ? INT64_MAX : kMaxPosition - static_cast<std::int64_t>(rows - 1);
}

}  // namespace

Status CheckMatrix(std::size_t dim, std::size_t size, std::size_t rows, const void* data,
                   std::size_t stride) {
  if (stride < dim) return Status::kStrideTooSmall;
  if (rows == 0) return Status::kOk;
  if (rows > PTRDIFF_MAX / size / stride) return Status::kSizeOverflow;
  return data == nullptr ? Status::kNullPointer : Status::kOk;
}

Bytes MatrixBytes(std::size_t dim, std::size_t size, std::size_t rows, const void* data, std::size_t stride) {
  return {data, ((rows - 1) * stride + dim) * size};
}

bool Overlap(const Bytes& a, const Bytes& b) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  return a_begin < b_begin ? b_begin - a_begin < a.count : a_begin - b_begin < b.count;
}

Bytes ListBytes(const FrequencyList& list) {
  if (list.doubles != nullptr) return {list.doubles, list.count * sizeof(double)};
  return {list.floats, list.count * sizeof(float)};
}

Status CheckPositions(const List& positions, std::size_t count, const Bytes& written,
                      std::size_t* bad_index) {
  const auto in_range = [&](std::size_t i) {  // no NaN is
    return std::fabs(positions.AsDouble(i)) <= static_cast<double>(kMaxPosition);
  };
  return InFpState(
      [&] { return CheckList(positions, count, in_range, Status::kPositionOutOfRange, written, bad_index); });
}

Status CheckFirsts(const List& firsts, std::size_t batch, std::size_t rows, const Bytes& written,
                   std::size_t* bad_index) {
  const std::int64_t last = LastStart(rows);
  const auto in_range = [&](std::size_t b) { return firsts[b] >= -kMaxPosition && firsts[b] <= last; };
  return CheckList(firsts, batch, in_range, Status::kPositionOutOfRange, written, bad_index);
}

Status CheckRun(std::int64_t first, std::size_t rows) {
  if (rows == 0) return Status::kOk;
  return first < -kMaxPosition || first > LastStart(rows) ? Status::kPositionOutOfRange : Status::kOk;
}

Status CheckLookup(const Lookup& lookup, std::size_t dim, std::size_t size, std::size_t rows,
                   const Bytes& written, std::size_t* bad_index) {
  if (const Status status = CheckMatrix(dim, size, lookup.vocabulary, lookup.table, lookup.stride);
      status != Status::kOk) {
    return status;
  }
  if (lookup.vocabulary != 0 &&
      Overlap(MatrixBytes(dim, size, lookup.vocabulary, lookup.table, lookup.stride), written)) {
    return Status::kBuffersOverlap;
  }
  const auto end = static_cast<std::int64_t>(lookup.vocabulary);
  const auto in_range = [&](std::size_t r) { return lookup.ids[r] >= 0 && lookup.ids[r] < end; };
  return CheckList(lookup.ids, rows, in_range, Status::kIdOutOfRange, written, bad_index);
}

Status CheckBatch(const Batch& batch, std::size_t size) {
  if (batch.sequences < 2 || batch.rows == 0) return Status::kOk;
  if (batch.batch_stride / batch.rows < batch.row_stride) return Status::kStrideTooSmall;
  return batch.sequences > PTRDIFF_MAX / size / batch.batch_stride ? Status::kSizeOverflow : Status::kOk;
}

}  // namespace internal
}  // namespace posenc
