// Grids for C (C99): the position encodings of images, video and other tokens with several axes. There is one
// row per cell, and each axis gives some of the columns.
//
//   /* An image of 14 x 14 patches behind a class token: rows by h, then w; columns w first. */
//   posenc_grid_axis axes[2] = {{encoder, dim / 2, 14}, {encoder, 0, 14}};  /* the encoder has dim / 2 */
//
//   status = posenc_write_grid(axes, 2, 1, POSENC_F32, out, dim, NULL, NULL);
//
// What posenc_c.h says of memory, threads, floating-point state, statuses and versions holds here too.
#ifndef POSENC_GRID_C_H_
#define POSENC_GRID_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/posenc_c.h"

#ifdef __cplusplus
extern "C" {
#endif

// Axes of a grid: 1 .. POSENC_MAX_GRID_AXES.
#define POSENC_MAX_GRID_AXES 8

// An axis has `count` positions: number k is positions[k], or first_position + k without a list. It gives the
// columns column .. column + dim - 1, where dim is its encoder's. 0 is the default of each member after
// count. This struct will not grow.
typedef struct posenc_grid_axis {
  const posenc_encoder* encoder;  // several axes may have the same
  size_t column;                  // the first one; in any order, apart from those of the other axes
  size_t count;                   // of positions
  const void* positions;          // NULL, or [count], of any alignment
  int64_t first_position;         // without a list
  posenc_type position_type;      // of the list: I32, I64, F32 or F64
  int32_t reserved;               // 0
} posenc_grid_axis;

// Writes prefix_rows + n rows, where n is the product of all counts: out [prefix_rows + n, row_stride]
// entries of `type` (F32, BF16, F16 or F64). The last axis varies fastest: row prefix_rows + t is cell t,
// whose index on the last axis is t mod that axis' count, and so on. The columns of an axis have PE(p) of the
// axis' encoder, where p is the axis' position at that index, with the bits of posenc_write_at; in the
// prefix_rows rows before (for class tokens) they are zeros. Columns of no axis keep their bytes. Each row of
// an axis is computed once for all cells.
//
// row_stride counts entries and is at least column + dim of each axis. What is written, from the first row's
// first column of an axis to the last row's last one, must not overlap a list.
//
// *bad_axis, unless bad_axis is null, becomes the axis at fault with these statuses: POSENC_NOT_CREATED,
// POSENC_BAD_TYPE (of a list), POSENC_BAD_FLAG (reserved), POSENC_STRIDE_TOO_SMALL, POSENC_COLUMNS_OVERLAP
// (its columns are also another's), POSENC_BUFFERS_OVERLAP and POSENC_POSITION_OUT_OF_RANGE; with the last
// one *bad_index becomes the index of the axis' first position that is out of range. Positions of a grid
// without cells are not checked.
POSENC_API posenc_status posenc_write_grid(const posenc_grid_axis* axes, size_t axis_count,
                                           size_t prefix_rows, posenc_type type, void* out, size_t row_stride,
                                           size_t* bad_axis, size_t* bad_index);

// The same for x = x * scale + PE, rounded as in posenc_add, and x * scale + 0 in the rows before the cells.
// x has F32, BF16 or F16 entries. Rows of an axis with a dim above 6144 are computed again for each cell.
POSENC_API posenc_status posenc_add_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                                         posenc_type type, void* x, size_t row_stride, float scale,
                                         size_t* bad_axis, size_t* bad_index);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_GRID_C_H_
