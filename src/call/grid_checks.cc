// What the axes and the rows of a grid must be.

#include "call/checks.h"
#include "call/grid.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

void Tell(std::size_t index, std::size_t* bad) {
  if (bad != nullptr) *bad = index;
}

// The columns begin .. end - 1.
struct Span {
  std::size_t begin, end;
};

Span ColumnsOf(const GridAxis& axis) { return {axis.column, axis.column + axis.encoder->dim}; }

// That the columns of axis a lie in the row and apart from those of the axes before.
posenc_status CheckColumns(const Grid& grid, std::size_t a) {
  const GridAxis& axis = grid.axes[a];
  const std::size_t stride = grid.matrix.stride;
  if (stride < axis.encoder->dim || axis.column > stride - axis.encoder->dim) return POSENC_STRIDE_TOO_SMALL;
  const Span mine = ColumnsOf(axis);
  for (std::size_t b = 0; b < a; ++b) {
    const Span other = ColumnsOf(grid.axes[b]);
    if (mine.begin < other.end && other.begin < mine.end) return POSENC_COLUMNS_OVERLAP;
  }
  return POSENC_OK;
}

// False if prefix rows and cells cannot be counted.
bool CountRows(const Grid& grid, std::size_t* rows) {
  std::size_t cells = 1;
  for (std::size_t a = 0; a < grid.axis_count; ++a) {
    if (grid.axes[a].count == 0) cells = 0;
  }
  for (std::size_t a = 0; a < grid.axis_count && cells != 0; ++a) {
    if (grid.axes[a].count > SIZE_MAX / cells) return false;
    cells *= grid.axes[a].count;
  }
  *rows = grid.prefix_rows + cells;
  return *rows >= cells;
}

posenc_status CheckAxisPositions(const GridAxis& axis, const Bytes& written, std::size_t* bad_index) {
  const std::int64_t offset = axis.encoder->offset;
  if (axis.positions != nullptr) {
    return CheckPositions(axis.ListFrom(0), axis.count, {offset, axis.encoder->nan_rows}, written, bad_index);
  }
  const posenc_status status = CheckRun(axis.first, axis.count, offset);
  if (status != POSENC_OK) {
    const bool is_first =
        axis.first < -POSENC_MAX_POSITION - offset || axis.first > POSENC_MAX_POSITION - offset;
    Tell(is_first ? 0 : static_cast<std::size_t>(POSENC_MAX_POSITION - offset - axis.first + 1), bad_index);
  }
  return status;
}

}  // namespace

std::size_t CountCells(const Grid& grid) {
  std::size_t rows = 0;
  CountRows(grid, &rows);
  return rows - grid.prefix_rows;
}

posenc_status CheckGrid(const Grid& grid, std::size_t* bad_axis, std::size_t* bad_index) {
  const std::size_t size = ElementSize(grid.type);
  Span used = {SIZE_MAX, 0};
  for (std::size_t a = 0; a < grid.axis_count; ++a) {
    if (const posenc_status status = CheckColumns(grid, a); status != POSENC_OK) {
      Tell(a, bad_axis);
      return status;
    }
    const Span columns = ColumnsOf(grid.axes[a]);
    if (columns.begin < used.begin) used.begin = columns.begin;
    if (columns.end > used.end) used.end = columns.end;
  }
  std::size_t rows = 0;
  if (!CountRows(grid, &rows)) return POSENC_SIZE_OVERFLOW;
  if (const posenc_status status = CheckMatrix({used.end, size, rows}, grid.matrix); status != POSENC_OK)
    return status;
  if (rows == grid.prefix_rows) return POSENC_OK;  // no cell has a position
  Matrix written = grid.matrix;
  written.data = static_cast<unsigned char*>(grid.matrix.data) + used.begin * size;
  const Bytes bytes = MatrixBytes({used.end - used.begin, size, rows}, written);
  for (std::size_t a = 0; a < grid.axis_count; ++a) {
    if (const posenc_status status = CheckAxisPositions(grid.axes[a], bytes, bad_index);
        status != POSENC_OK) {
      Tell(a, bad_axis);
      return status;
    }
  }
  return POSENC_OK;
}

}  // namespace internal
}  // namespace posenc
