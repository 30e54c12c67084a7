// Grids for C++: types for the functions of grid_c.h, which says what is computed, and nothing else.
//
//   // Rows by h, then w; columns w first; a row of zeros for the class token.
//   const posenc::GridAxis axes[] = {posenc::RunAxis(encoder, dim / 2, 0, 14),
//                                    posenc::RunAxis(encoder, 0, 0, 14)};
//
//   status = posenc::WriteGrid(axes, /*prefix_rows=*/1, out, /*row_stride=*/dim);
#ifndef POSENC_GRID_H_
#define POSENC_GRID_H_

#include <cstddef>
#include <cstdint>

#include "posenc/grid_c.h"
#include "posenc/posenc.h"

namespace posenc {

// Axes of a grid: 1 .. kMaxGridAxes.
inline constexpr std::size_t kMaxGridAxes = POSENC_MAX_GRID_AXES;

// An axis: its encoder, the first of the columns that it gives, and its positions. The encoder must outlive
// it.
using GridAxis = posenc_grid_axis;

// An axis with the positions first_position, first_position + 1, ...
inline GridAxis RunAxis(const Encoder& encoder, std::size_t column, std::int64_t first_position,
                        std::size_t count) {
  return {encoder.c_encoder(), column, count, nullptr, first_position, posenc_type{}, 0};
}

// An axis with positions [count] of std::int32_t, std::int64_t, float or double, which must outlive it.
template <class Position>
GridAxis ListAxis(const Encoder& encoder, std::size_t column, const Position* positions, std::size_t count) {
  static_assert(IsPosition<Position>(), "Position is std::int32_t, std::int64_t, float or double");
  return {encoder.c_encoder(), column, count, positions, 0, TypeOf<Position>(), 0};
}

// Writes prefix_rows rows of zeros, then one row per cell, where the last axis varies fastest: out
// [prefix_rows + n, row_stride], where n is the product of all counts. T is float, BFloat16, Float16 or
// double. For a number of axes that is only known at run time, call posenc_write_grid.
template <class T, std::size_t kCount>
Status WriteGrid(const GridAxis (&axes)[kCount], std::size_t prefix_rows, T* out, std::size_t row_stride,
                 std::size_t* bad_axis = nullptr, std::size_t* bad_index = nullptr) {
  static_assert(IsEntry<T>(), "T is float, BFloat16, Float16 or double");
  return posenc_write_grid(axes, kCount, prefix_rows, TypeOf<T>(), out, row_stride, bad_axis, bad_index);
}

// The same for x = x * scale + PE, rounded as in Encoder::Add. T is float, BFloat16 or Float16.
template <class T, std::size_t kCount>
Status AddGrid(const GridAxis (&axes)[kCount], std::size_t prefix_rows, T* x, std::size_t row_stride,
               float scale = 1.0f, std::size_t* bad_axis = nullptr, std::size_t* bad_index = nullptr) {
  static_assert(IsSummand<T>(), "T is float, BFloat16 or Float16");
  return posenc_add_grid(axes, kCount, prefix_rows, TypeOf<T>(), x, row_stride, scale, bad_axis, bad_index);
}

}  // namespace posenc

#endif  // POSENC_GRID_H_
