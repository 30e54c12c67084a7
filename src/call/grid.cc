// Walks a grid axis by axis. Bits are those of the rows written one by one, since the same walker makes the
// rows of an axis. To write, it makes some of them where they first occur, and they are copied from there to
// all other cells that have them, past the caches if these are many; to add, it makes some as floats in a
// tile.

#include "call/grid.h"

#include <algorithm>
#include <cstring>

#include "call/store_policy.h"
#include "kernel/copies.h"
#include "number/compiler.h"
#include "number/elements.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

// Rows that are copied again and again are found in the second-level cache at the latest.
constexpr std::size_t kBlockBytes = std::size_t{32} << 10;

// With the kernels' own it fits into the stack that a call may take.
constexpr std::size_t kTileFloats = std::size_t{9} << 9;

// Rows of an axis from `begin` on, to where they are `stride` elements apart.
void WalkAxis(const Call& call, const GridAxis& axis, std::size_t begin, std::size_t rows, void* to,
              std::size_t stride) {
  const List list = axis.ListFrom(begin);
  const std::int64_t first = list.IsNull() ? axis.first + static_cast<std::int64_t>(begin) : 0;
  WalkRows(call, first, list, rows, {to, stride});
}

// Where cells and rows are.
struct Places {
  explicit Places(const Grid& grid)
      : size(ElementSize(grid.type)),
        row_bytes(grid.matrix.stride * size),
        data(static_cast<unsigned char*>(grid.matrix.data)),
        cells(data + grid.prefix_rows * row_bytes) {}

  std::size_t size, row_bytes;
  unsigned char *data, *cells;
};

// The columns of an axis, each row of which has `inner` cells in succession, in all of `outer` parts of the
// grid.
void WriteAxis(const Grid& grid, const GridAxis& axis, std::size_t inner, std::size_t outer) {
  const Places places(grid);
  const Call call = grid.CallOf(axis);
  const std::size_t bytes = axis.encoder->dim * places.size, stride = inner * places.row_bytes;
  for (std::size_t r = 0; r < grid.prefix_rows; ++r) {
    std::memset(places.data + r * places.row_bytes + axis.column * places.size, 0, bytes);
  }
  if (inner * outer == 0) return;
  unsigned char* const cells = places.cells + axis.column * places.size;
  if (inner * outer == 1) return WalkAxis(call, axis, 0, axis.count, cells, grid.matrix.stride);
  const auto stream = axis.encoder->kernels->stream_copies;
  const bool streams = stream != nullptr &&
                       ShouldStreamCopies(outer * inner * axis.count * bytes, bytes, cells, places.row_bytes);
  const std::size_t most = std::max<std::size_t>(kBlockBytes / bytes, 1);
  for (std::size_t begin = 0; begin < axis.count; begin += most) {
    unsigned char* const first = cells + begin * stride;
    const std::size_t rows = std::min(axis.count - begin, most);
    WalkAxis(call, axis, begin, rows, first, inner * grid.matrix.stride);
    const Copies copies = {
        first, stride, rows, bytes, first, places.row_bytes, inner, outer, axis.count * stride};
    if (streams) {
      stream(copies);
    } else {
      copies.ForEach([&](const unsigned char* from, unsigned char* to) { std::memcpy(to, from, bytes); });
    }
  }
}

// An axis whose rows are added.
class AxisAdder {
 public:
  AxisAdder(const Grid& grid, const GridAxis& axis)
      : axis_(axis), call_(grid.CallOf(axis)), places_(grid), dim_(axis.encoder->dim) {}

  // Zeros, in the rows before the cells.
  void AddPrefix(std::size_t rows) {
    const std::size_t most = std::min(dim_, kTileFloats);
    std::memset(tile_, 0, rows == 0 ? 0 : most * sizeof(float));
    for (std::size_t r = 0; r < rows; ++r) {
      unsigned char* const row = places_.data + r * places_.row_bytes + axis_.column * places_.size;
      for (std::size_t k = 0; k < dim_; k += most)
        AddEntries(tile_, std::min(dim_ - k, most), row + k * places_.size);
    }
  }

  void AddCells(std::size_t inner, std::size_t outer) {
    const std::size_t most = kTileFloats / dim_, stride = inner * places_.row_bytes,
                      size = dim_ * places_.size;
    unsigned char* const cells = places_.cells + axis_.column * places_.size;
    for (std::size_t begin = 0; begin < axis_.count; begin += std::max<std::size_t>(most, 1)) {
      const std::size_t rows = std::min(axis_.count - begin, std::max<std::size_t>(most, 1));
      const Copies copies = {reinterpret_cast<const unsigned char*>(tile_),
                             dim_ * sizeof(float),
                             rows,
                             size,
                             cells + begin * stride,
                             places_.row_bytes,
                             inner,
                             outer,
                             axis_.count * stride};
      if (most == 0) {  // no tile holds it
        copies.ForEach([&](const unsigned char* /*row*/, unsigned char* to) {
          WalkAxis(call_, axis_, begin, 1, to, dim_);
        });
        continue;
      }
      WalkAxis({*axis_.encoder, POSENC_F32}, axis_, begin, rows, tile_, dim_);
      Add(copies);
    }
  }

 private:
  void Add(const Copies& copies) const {
    const bool is_far = IsBeyondCaches(copies.outer * copies.outer_stride);
    copies.ForEach([&](const unsigned char* row, unsigned char* to) {
      for (std::size_t k = 0; is_far && k < copies.bytes; k += 64) PrefetchToWrite(to + copies.to_stride + k);
      const auto* entries = reinterpret_cast<const float*>(row);
      if (entries[0] != entries[0]) return StoreNans(call_.type, dim_, to);  // nan_rows
      AddEntries(entries, dim_, to);
    });
  }

  void AddEntries(const float* entries, std::size_t count, unsigned char* to) const {
    axis_.encoder->kernels->add_entries[call_.type](entries, count, *call_.scale, to);
    if (call_.MakesNans()) MakeNansCanonical(count, to);
  }

  const GridAxis& axis_;
  Call call_;
  Places places_;
  std::size_t dim_;
  alignas(64) float tile_[kTileFloats];
};

POSENC_NOINLINE void AddAxis(const Grid& grid, const GridAxis& axis, std::size_t inner, std::size_t outer) {
  AxisAdder adder(grid, axis);
  adder.AddPrefix(grid.prefix_rows);
  if (inner * outer != 0) adder.AddCells(inner, outer);
}

}  // namespace

List GridAxis::ListFrom(std::size_t begin) const {
  if (positions == nullptr) return List();
  const std::size_t bytes = begin * List(position_type, positions).value_bytes();
  return {position_type, static_cast<const unsigned char*>(positions) + bytes};
}

void WalkGrid(const Grid& grid) {
  InFpState([&] {
    const std::size_t cells = CountCells(grid);
    if (cells + grid.prefix_rows == 0) return 0;  // the matrix may be null
    std::size_t outer = 1;
    for (std::size_t a = 0; a < grid.axis_count; ++a) {
      const GridAxis& axis = grid.axes[a];
      const std::size_t inner = cells == 0 ? 0 : cells / outer / axis.count;
      grid.scale == nullptr ? WriteAxis(grid, axis, inner, outer) : AddAxis(grid, axis, inner, outer);
      outer *= axis.count;
    }
    return 0;
  });
}

posenc_status CallGrid(const Grid& grid, std::size_t* bad_axis, std::size_t* bad_index) {
  if (const posenc_status status = CheckGrid(grid, bad_axis, bad_index); status != POSENC_OK) return status;
  WalkGrid(grid);
  return POSENC_OK;
}

}  // namespace internal
}  // namespace posenc
