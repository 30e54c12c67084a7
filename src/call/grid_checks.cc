// Checks the arguments of a grid: the columns of its axes, its rows, and its positions.
#include "number/exact.h"

#include <algorithm>

#include "call/checks.h"
#include "call/grid.h"
#include "number/elements.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

// Checks that the columns of axis a lie within the row, and do not overlap the columns of the axes before it.
posenc_status CheckColumns(const Grid& grid, std::size_t a) {
  const GridAxis& axis = grid.axes[a];
  const std::size_t dim = axis.encoder->dim, stride = grid.matrix.stride;
  if (stride < dim || axis.column > stride - dim) return rule::stride_grid;
  for (std::size_t b = 0; b < a; ++b) {
    const GridAxis& other = grid.axes[b];
    if (axis.column < other.column + other.encoder->dim && other.column < axis.column + dim)
      return rule::grid_columns;
  }
  return rule::ok;
}

// Sets *cells to the product of the axes' counts. Returns false if the product, or its sum with the prefix
// rows, overflows.
bool CountCells(const Grid& grid, std::size_t* cells) {
  const auto* const end = grid.axes + grid.axis_count;
  const bool is_empty = std::any_of(grid.axes, end, [](const GridAxis& axis) { return axis.count == 0; });
  *cells = is_empty ? 0 : 1;
  for (const GridAxis* axis = grid.axes; axis != end && !is_empty; ++axis) {
    if (axis->count > SIZE_MAX / *cells) return false;
    *cells *= axis->count;
  }
  return *cells <= SIZE_MAX - grid.prefix_rows;
}

posenc_status CheckAxisPositions(const GridAxis& axis, const Bytes& written, std::size_t* bad_index) {
  const std::int64_t offset = axis.encoder->offset;
  if (!axis.positions.IsNull()) {
    return CheckPositions(axis.positions, axis.count, {offset, axis.encoder->nan_rows}, written, bad_index);
  }
  const posenc_status status = CheckRun(axis.first, axis.count, offset);
  if (status != POSENC_OK) {
    const std::int64_t most = POSENC_MAX_POSITION - offset;
    const bool is_first = CheckRun(axis.first, 1, offset) != POSENC_OK;
    SetIfNotNull(bad_index, is_first ? 0 : static_cast<std::size_t>(most - axis.first + 1));
  }
  return status;
}

}  // namespace

posenc_status CheckGrid(const Grid& grid, std::size_t* cells, std::size_t* bad_axis, std::size_t* bad_index) {
  std::size_t begin = SIZE_MAX, end = 0;  // the columns of all axes lie within begin .. end - 1
  for (std::size_t a = 0; a < grid.axis_count; ++a) {
    if (const posenc_status status = CheckColumns(grid, a); status != POSENC_OK) {
      SetIfNotNull(bad_axis, a);
      return status;
    }
    begin = std::min(begin, grid.axes[a].column);
    end = std::max(end, grid.axes[a].column + grid.axes[a].encoder->dim);
  }
  if (!CountCells(grid, cells)) return rule::size_cells;
  const std::size_t rows = grid.prefix_rows + *cells, size = ElementSize(grid.type);
  const posenc_status status = CheckMatrix({end, size, rows}, grid.matrix);
  if (status != POSENC_OK || *cells == 0) return status;  // without cells, positions are not read
  const Bytes written =
      MatrixBytes({end - begin, size, rows},
                  {static_cast<unsigned char*>(grid.matrix.data) + begin * size, grid.matrix.stride});
  for (std::size_t a = 0; a < grid.axis_count; ++a) {
    if (const posenc_status at = CheckAxisPositions(grid.axes[a], written, bad_index); at != POSENC_OK) {
      SetIfNotNull(bad_axis, a);
      return at;
    }
  }
  return rule::ok;
}

}  // namespace internal
}  // namespace posenc
