// Grids for C++17: the position encodings of images, video and other tokens with several axes.
//
//   to do this                                   call this
//   write the table of a grid                    WriteGrid
//   add a grid to the tokens of one image        AddGrid
//
//   // A class token and 14 x 14 patches. Row 1 + 14 * h + w is the patch at (h, w). The first half of its
//   // columns encodes w, the second half h. A row has dim columns, and the encoder has half as many.
//   const posenc::GridAxis axes[] = {{encoder, /*column=*/dim / 2, /*count=*/14},   // h
//                                    {encoder, /*column=*/0, /*count=*/14}};        // w
//   posenc::Status status = posenc::WriteGrid(axes, /*prefix_rows=*/1, {out, dim});
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//
// These functions are thin inline wrappers around the functions of C. grid_c.h says what they compute and
// refuse. The wrappers never throw. Threads may share the axes.
#ifndef POSENC_GRID_H_
#define POSENC_GRID_H_

#include <cstddef>
#include <cstdint>

#include "posenc/grid_c.h"
#include "posenc/posenc.h"

namespace posenc {

// posenc_grid_axis: an encoder, the column of a row where the axis begins, and count positions. The positions
// are first_position, first_position + 1, ... or an array. Encoder and array must outlive the axis.
struct GridAxis : posenc_grid_axis {
  GridAxis(const Encoder& encoder_, std::size_t column_, std::size_t count_, std::int64_t first_position_ = 0)
      : posenc_grid_axis{encoder_.get(), column_, count_, {}, first_position_} {}
  GridAxis(const Encoder& encoder_, std::size_t column_, std::size_t count_, const List& positions_)
      : posenc_grid_axis{encoder_.get(), column_, count_, positions_, 0} {}
};
static_assert(sizeof(GridAxis) == sizeof(posenc_grid_axis), "GridAxis [n] is an array of posenc_grid_axis");

// Writes prefix_rows rows of zeros, then a row for each cell. If the number of axes is known only at run
// time, call posenc_write_grid.
template <std::size_t kCount>
[[nodiscard]] Status WriteGrid(const GridAxis (&axes)[kCount], std::size_t prefix_rows, const Rows& out,
                               std::size_t* bad_axis = nullptr, std::size_t* bad_index = nullptr) {
  return posenc_write_grid(axes, kCount, prefix_rows, &out, bad_axis, bad_index);
}

// x[r] = x[r] * scale + encoding, in the columns of axes. In prefix rows the encoding is zeros.
template <std::size_t kCount>
[[nodiscard]] Status AddGrid(const GridAxis (&axes)[kCount], std::size_t prefix_rows, const Rows& x,
                             float scale = 1.0f, std::size_t* bad_axis = nullptr,
                             std::size_t* bad_index = nullptr) {
  return posenc_add_grid(axes, kCount, prefix_rows, &x, scale, bad_axis, bad_index);
}

}  // namespace posenc

#endif  // POSENC_GRID_H_
