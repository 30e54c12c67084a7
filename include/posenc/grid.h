// Grids for C++17. The functions below are thin inline wrappers around those of grid_c.h, which says what
// each of them computes and refuses.
//
//   // Rows by h, then w; the columns of w come first; a row of zeros for the class token.
//   const posenc::GridAxis axes[] = {{encoder, dim / 2, 14}, {encoder, 0, 14}};
//   posenc::Status status = posenc::WriteGrid(axes, /*prefix_rows=*/1, {out, dim});
#ifndef POSENC_GRID_H_
#define POSENC_GRID_H_

#include <cstddef>
#include <cstdint>

#include "posenc/grid_c.h"
#include "posenc/posenc.h"

namespace posenc {

// posenc_grid_axis: its encoder, the first of the columns that it gives, how many positions it has, and the
// positions: first_position, first_position + 1, ... or a list. The encoder and the list must outlive it.
struct GridAxis : posenc_grid_axis {
  GridAxis(const Encoder& of, std::size_t first_column, std::size_t how_many, std::int64_t first = 0)
      : posenc_grid_axis{of.get(), first_column, how_many, {}, first} {}
  GridAxis(const Encoder& of, std::size_t first_column, std::size_t how_many, const List& list)
      : posenc_grid_axis{of.get(), first_column, how_many, list, 0} {}
};
static_assert(sizeof(GridAxis) == sizeof(posenc_grid_axis), "GridAxis [n] is an array of posenc_grid_axis");

// Writes a grid. For a number of axes that is only known at run time, call posenc_write_grid.
template <std::size_t kCount>
[[nodiscard]] Status WriteGrid(const GridAxis (&axes)[kCount], std::size_t prefix_rows, const Rows& out,
                               std::size_t* bad_axis = nullptr, std::size_t* bad_index = nullptr) {
  return posenc_write_grid(axes, kCount, prefix_rows, &out, bad_axis, bad_index);
}

// Adds a grid.
template <std::size_t kCount>
[[nodiscard]] Status AddGrid(const GridAxis (&axes)[kCount], std::size_t prefix_rows, const Rows& x,
                             float scale = 1.0f, std::size_t* bad_axis = nullptr,
                             std::size_t* bad_index = nullptr) {
  return posenc_add_grid(axes, kCount, prefix_rows, &x, scale, bad_axis, bad_index);
}

}  // namespace posenc

#endif  // POSENC_GRID_H_
