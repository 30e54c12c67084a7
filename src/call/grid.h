// Grids: a row a cell, to which each axis gives some columns. What an axis gives depends on its own index
// alone, so each of its rows is computed once for many cells.
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
  std::size_t column;
  std::size_t count;
  posenc_type position_type;
  const void* positions;  // null: a run
  std::int64_t first;

  List ListFrom(std::size_t begin) const;  // null if it is a run
};

struct Grid {
  GridAxis axes[POSENC_MAX_GRID_AXES];
  std::size_t axis_count;
  std::size_t prefix_rows;
  posenc_type type;
  const float* scale;  // null: write
  Matrix matrix;

  Call CallOf(const GridAxis& axis) const { return {*axis.encoder, type, scale}; }
};

// Checks every argument, then walks; *bad_axis and *bad_index, if given, are what is at fault.
posenc_status CallGrid(const Grid& grid, std::size_t* bad_axis, std::size_t* bad_index);

// The cells are so many; CheckGrid has seen that they can be counted.
std::size_t CountCells(const Grid& grid);

posenc_status CheckGrid(const Grid& grid, std::size_t* bad_axis, std::size_t* bad_index);

// Without checks.
void WalkGrid(const Grid& grid);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_GRID_H_
