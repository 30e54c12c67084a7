// Grids, for example of image patches: one row for each cell, where each axis fills some of the row's
// columns. What an axis fills in depends only on the cell's index along this axis, so each row of an axis is
// computed once for many cells.
#ifndef POSENC_SRC_CALL_GRID_H_
#define POSENC_SRC_CALL_GRID_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "call/encoder.h"
#include "posenc/grid_c.h"

namespace posenc {
namespace internal {

struct GridAxis {
  const Encoder* encoder;
  std::size_t column;  // the first column that the axis fills
  std::size_t count;   // how many cells there are along the axis
  List positions;      // [count]; null means first, first + 1, ...
  std::int64_t first;

  // The positions from index `begin` on: a list, or if there is none, the first position.
  List ListFrom(std::size_t begin) const { return positions.From(begin); }
  std::int64_t FirstFrom(std::size_t begin) const {
    return positions.IsNull() ? first + static_cast<std::int64_t>(begin) : 0;
  }
};

struct Grid {
  GridAxis axes[POSENC_MAX_GRID_AXES];
  std::size_t axis_count;
  std::size_t prefix_rows;  // rows of zeros before the cells
  posenc_type type;
  const float* scale;  // null if the call writes
  Matrix matrix;

  Call CallOf(const GridAxis& axis) const { return {*axis.encoder, type, scale}; }
};

// Checks every argument, then writes or adds. If an axis is wrong, *bad_axis is its number; if one of its
// positions is wrong, *bad_index is the number of that position. Either pointer may be null.
posenc_status CallGrid(const Grid& grid, std::size_t* bad_axis, std::size_t* bad_index);

// Only checks the arguments, and counts the cells.
posenc_status CheckGrid(const Grid& grid, std::size_t* cells, std::size_t* bad_axis, std::size_t* bad_index);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_GRID_H_
