// Grids: one row for each cell, to which each axis gives some columns. What an axis gives depends on the
// cell's index along that axis alone, so each row of an axis is computed once for many cells.
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
  std::size_t column;  // where its columns begin
  std::size_t count;
  List positions;  // [count], or null: first, first + 1, ...
  std::int64_t first;

  // The positions from index `begin` on; null for a run.
  List ListFrom(std::size_t begin) const { return positions.From(begin); }
};

struct Grid {
  GridAxis axes[POSENC_MAX_GRID_AXES];
  std::size_t axis_count;
  std::size_t prefix_rows;  // rows of zeros before the cells
  posenc_type type;
  const float* scale;  // null: write
  Matrix matrix;

  Call CallOf(const GridAxis& axis) const { return {*axis.encoder, type, scale}; }
};

// Checks every argument, then writes or adds. At fault are axis *bad_axis and its position *bad_index; either
// pointer may be null.
posenc_status CallGrid(const Grid& grid, std::size_t* bad_axis, std::size_t* bad_index);

// The checks alone; counts the cells.
posenc_status CheckGrid(const Grid& grid, std::size_t* cells, std::size_t* bad_axis, std::size_t* bad_index);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_GRID_H_
