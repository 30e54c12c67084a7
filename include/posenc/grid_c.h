// Grids for C (C99): the position encodings of images, video and other tokens with several axes, Each axis
// gives some of the columns, and each cell of the grid is a row.
//
//   to do this                                             call this
//   write the table of a grid                              posenc_write_grid
//   add a grid to the tokens of a batch's image            posenc_add_grid
//
//   // A grid of 14 x 14 patches with a class token before it: float out[1 + 14 * 14][dim]. The encoder has
//   // dim / 2 columns. Rows go by h, then w. The columns of w come first.
//   posenc_grid_axis axes[2] = {{.encoder = encoder, .column = dim / 2, .count = 14},   // h
//                               {.encoder = encoder, .column = 0, .count = 14}};        // w
//   posenc_rows rows = {POSENC_F32, out, dim};
//   posenc_status status = posenc_write_grid(axes, 2, 1, &rows, NULL, NULL);
//
// What posenc_c.h says about memory, threads, the floating-point state and statuses holds here too.
#ifndef POSENC_GRID_C_H_
#define POSENC_GRID_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/posenc_c.h"

#ifdef __cplusplus
extern "C" {
#endif

#define POSENC_MAX_GRID_AXES 8  // axes of a grid: 1 .. POSENC_MAX_GRID_AXES

// An axis of a grid. It fills the columns column .. column + dim - 1, where dim is the encoder's. The columns
// of two axes must not overlap. Members after count may be 0. This struct will not grow.
typedef struct posenc_grid_axis {
  const posenc_encoder* encoder;  // several axes may share one
  size_t column;                  // the first one
  size_t count;                   // how many positions the axis has
  posenc_list positions;          // [count]; or data is NULL: first_position, first_position + 1, ...
  int64_t first_position;         // without a list
} posenc_grid_axis;

// Writes prefix_rows rows of zeros (for class tokens), then a row for each cell. There are as many cells as
// the product of all counts. The last axis varies fastest: cell t has the index t mod count on the last axis,
// and so on. The columns of an axis hold the encoding of its position in that cell, with the bits of
// posenc_write_at. Columns that belong to no axis keep their bytes. out->type may be any type of entries.
// out->stride must be at least column + dim of each axis.
//
// If an axis is at fault, *bad_axis becomes its index. If the fault is a position, *bad_index becomes the
// index of the position on that axis. Both pointers may be null. Positions of a grid without cells are not
// checked. What is written, from the first entry to the last, must not overlap a list.
POSENC_CALL posenc_write_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                              const posenc_rows* out, size_t* bad_axis, size_t* bad_index);

// Adds a grid: x = x * scale + encoding, rounded as in posenc_add. In the prefix rows the encoding is 0.
POSENC_CALL posenc_add_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                            const posenc_rows* x, float scale, size_t* bad_axis, size_t* bad_index);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_GRID_C_H_
