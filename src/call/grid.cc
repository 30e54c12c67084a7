// Writes or adds a grid, axis by axis. WalkRows computes the rows of an axis, so a grid has the same bits as
// separate calls. To write, a row is computed in the first cell that contains it, and copied to the others;
// if the grid is large, the copies bypass the caches. To add, rows are computed as floats in a tile, and
// added to all cells that contain them.
#include "number/exact.h"

#include "call/grid.h"

#include <algorithm>
#include <cstring>

#include "call/store_policy.h"
#include "call/tile.h"
#include "kernel/rows.h"
#include "number/compiler.h"
#include "number/elements.h"
#include "number/fp_state.h"
#include "number/memory_thresholds.h"

namespace posenc {
namespace internal {
namespace {

// How the axes divide the tile if several share it. Each outer axis gets kOuterRows rows. The last axis gets
// the rest, at least kMinLastRows rows, because its row changes from cell to cell.
constexpr std::size_t kMinLastRows = 8, kOuterRows = 2;

// Writes or adds the rows begin .. begin + rows - 1 of an axis to `to`, `stride` elements apart.
void WalkAxis(const Call& call, const GridAxis& axis, std::size_t begin, std::size_t rows, void* to,
              std::size_t stride) {
  WalkRows(call, axis.FirstFrom(begin), axis.ListFrom(begin), rows, {to, stride});
}

// Where the rows of a grid are in memory.
struct GridMemory {
  explicit GridMemory(const Grid& grid)
      : matrix(grid.matrix),
        prefix_rows(grid.prefix_rows),
        size(ElementSize(grid.type)),
        row_bytes(grid.matrix.stride * size) {}

  // The columns of an axis in row r, and in the row of a cell.
  unsigned char* InRow(std::size_t r, const GridAxis& axis) const {
    return RowAt(matrix.data, matrix.stride, size, r) + axis.column * size;
  }
  unsigned char* InCell(std::size_t cell, const GridAxis& axis) const {
    return InRow(prefix_rows + cell, axis);
  }

  const Matrix& matrix;
  std::size_t prefix_rows, size, row_bytes;
};

// Writes the columns of one axis to all cells. The grid repeats the axis `outer` times; each time, every row
// of the axis goes to `inner` cells in succession.
void WriteAxis(const Grid& grid, const GridAxis& axis, std::size_t inner, std::size_t outer) {
  const GridMemory memory(grid);
  const Call call = grid.CallOf(axis);
  const std::size_t bytes = axis.encoder->dim * memory.size, stride = inner * memory.row_bytes;
  for (std::size_t r = 0; r < grid.prefix_rows; ++r) {
    std::memset(memory.InRow(r, axis), 0, bytes);
  }
  if (inner * outer == 0) return;
  unsigned char* const cells = memory.InCell(0, axis);
  if (inner * outer == 1) return WalkAxis(call, axis, 0, axis.count, cells, grid.matrix.stride);
  const auto stream = axis.encoder->kernels->stream_copies;
  const bool streams = stream != nullptr &&
                       ShouldStreamCopies(outer * inner * axis.count * bytes, bytes, cells, memory.row_bytes);
  const std::size_t most = std::max<std::size_t>(kCopiedBytes / bytes, 1);
  for (std::size_t begin = 0; begin < axis.count; begin += most) {
    unsigned char* const first = cells + begin * stride;
    const std::size_t rows = std::min(axis.count - begin, most);
    WalkAxis(call, axis, begin, rows, first, inner * grid.matrix.stride);
    const Copies copies = {
        first, stride, rows, bytes, first, memory.row_bytes, inner, outer, axis.count * stride};
    if (streams) {
      stream(copies);
    } else {
      copies.ForEach([&](const unsigned char* from, unsigned char* to) { std::memcpy(to, from, bytes); });
    }
  }
}

void WriteGrid(const Grid& grid, std::size_t cells) {
  std::size_t outer = 1;
  for (std::size_t a = 0; a < grid.axis_count; ++a) {
    const GridAxis& axis = grid.axes[a];
    WriteAxis(grid, axis, cells == 0 ? 0 : cells / outer / axis.count, outer);
    outer *= axis.count;
  }
}

// Adds to the cells of a grid. There are two ways:
// - A matrix that fits into the caches is walked once for each axis.
// - A larger matrix is walked once for several axes, as many as the tile can hold. So memory is read and
//   written in order, although rows of outer axes are computed again for each block of the last axis.
class GridAdder {
 public:
  GridAdder(const Grid& grid, std::size_t cells)
      : grid_(grid), memory_(grid), exceeds_caches_(cells * memory_.row_bytes >= kAddInOrderBytes) {}

  // Adds zeros to the rows before the cells.
  void AddPrefix() {
    if (grid_.prefix_rows > 0) std::memset(tile_, 0, sizeof(tile_));
    for (std::size_t r = 0; r < grid_.prefix_rows; ++r) {
      for (std::size_t a = 0; a < grid_.axis_count; ++a) {
        const std::size_t dim = grid_.axes[a].encoder->dim;
        unsigned char* const to = memory_.InRow(r, grid_.axes[a]);
        for (std::size_t k = 0; k < dim; k += kTileFloats)
          AddEntries(a, tile_, std::min(dim - k, kTileFloats), to + k * memory_.size);
      }
    }
  }

  void AddCells(std::size_t cells) {
    std::size_t inner = 1, outer = cells;
    for (std::size_t end = grid_.axis_count; end > 0;) {
      const std::size_t begin = DivideTile(end);
      AddAxes(begin, end - 1, outer / grid_.axes[end - 1].count, inner);
      for (; end > begin; --end) {
        inner *= grid_.axes[end - 1].count;
        outer /= grid_.axes[end - 1].count;
      }
    }
  }

 private:
  // The rows of an axis that are in the tile now: begin .. begin + count - 1.
  struct CachedRows {
    float* rows;                     // [count, dim], a part of the tile
    std::size_t most, begin, count;  // most: the number of rows that there is room for
  };

  // Divides the tile among axes and returns the first of them, begin: the axes are begin .. end - 1. Axis end
  // - 1 gets what the others leave.
  std::size_t DivideTile(std::size_t end) {
    const auto floats = [&](std::size_t a, std::size_t rows) {
      return std::min(grid_.axes[a].count, rows) * grid_.axes[a].encoder->dim;
    };
    const std::size_t last = end - 1, least = floats(last, kMinLastRows);
    std::size_t begin = last, used = 0;
    for (; exceeds_caches_ && begin > 0 && least + used + floats(begin - 1, kOuterRows) <= kTileFloats;
         --begin) {
      cached_[begin - 1] = {tile_ + used, kOuterRows, 0, 0};
      used += floats(begin - 1, kOuterRows);
    }
    cached_[last] = {tile_ + used, (kTileFloats - used) / grid_.axes[last].encoder->dim, 0, 0};
    return begin;
  }

  // Adds the columns of the axes first .. last to all cells. The grid repeats axis `last` `outer` times; each
  // time, every row of that axis goes to `inner` cells in succession.
  void AddAxes(std::size_t first, std::size_t last, std::size_t outer, std::size_t inner) {
    const std::size_t rows = grid_.axes[last].count;
    std::size_t index[POSENC_MAX_GRID_AXES];
    for (std::size_t block = 0; block < rows; block = cached_[last].begin + cached_[last].count) {
      Ensure(last, block);
      for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t a = last, rest = o; a-- > first; rest /= grid_.axes[a].count) {
          index[a] = rest % grid_.axes[a].count;
          Ensure(a, index[a]);
        }
        for (index[last] = block; index[last] - block < cached_[last].count; ++index[last]) {
          for (std::size_t k = 0; k < inner; ++k) {
            const std::size_t cell = (o * rows + index[last]) * inner + k;
            for (std::size_t a = first; a <= last; ++a) AddRow(a, index[a], cell);
          }
        }
      }
    }
  }

  // Makes sure that row `index` of axis a is in the tile, and computes it with the rows after it if it is
  // not. Rows longer than the tile are never in it: AddRow computes each of them where it is added.
  void Ensure(std::size_t a, std::size_t index) {
    const GridAxis& axis = grid_.axes[a];
    CachedRows& cached = cached_[a];
    if (index - cached.begin < cached.count) return;
    cached.begin = index;
    cached.count = std::min(axis.count - index, std::max<std::size_t>(cached.most, 1));
    if (cached.most == 0) return;
    FillTile(*axis.encoder, axis.FirstFrom(index), axis.ListFrom(index), cached.count, cached.rows);
  }

  // Adds row `index` of axis a to a cell.
  void AddRow(std::size_t a, std::size_t index, std::size_t cell) const {
    const GridAxis& axis = grid_.axes[a];
    const CachedRows& cached = cached_[a];
    const std::size_t dim = axis.encoder->dim;
    unsigned char* const to = memory_.InCell(cell, axis);
    if (cached.most == 0) return WalkAxis(grid_.CallOf(axis), axis, index, 1, to, dim);
    const float* const row = cached.rows + (index - cached.begin) * dim;
    if (row[0] != row[0]) return StoreNans(grid_.type, dim, to);  // the position was wrong, with nan_rows
    AddEntries(a, row, dim, to);
  }

  void AddEntries(std::size_t a, const float* entries, std::size_t count, unsigned char* to) const {
    AddFromTile(grid_.CallOf(grid_.axes[a]), entries, count, count, 1, to, memory_.row_bytes);
  }

  const Grid& grid_;
  const GridMemory memory_;
  const bool exceeds_caches_;
  CachedRows cached_[POSENC_MAX_GRID_AXES];
  alignas(64) float tile_[kTileFloats];
};

// Not inlined, because grids that are written need no tile on the stack.
POSENC_NOINLINE void AddToGrid(const Grid& grid, std::size_t cells) {
  GridAdder adder(grid, cells);
  adder.AddPrefix();
  if (cells > 0) adder.AddCells(cells);
}

}  // namespace

posenc_status CallGrid(const Grid& grid, std::size_t* bad_axis, std::size_t* bad_index) {
  std::size_t cells = 0;
  const posenc_status status = CheckGrid(grid, &cells, bad_axis, bad_index);
  if (status != POSENC_OK || cells + grid.prefix_rows == 0)
    return status;  // without rows, the matrix may be null
  return InFpState([&] {
    if (grid.scale == nullptr) {
      WriteGrid(grid, cells);
    } else {
      AddToGrid(grid, cells);
    }
    return POSENC_OK;
  });
}

}  // namespace internal
}  // namespace posenc
