// Grids for C (C99): the position encodings of images, video and other tokens with several axes. Each cell of
// the grid has a row, and each axis fills some of its columns.
//
//   to do this                                             call this
//   write the table of a grid                              posenc_write_grid
//   add a grid to the tokens of one image                  posenc_add_grid
//   add a grid to a batch of images                        posenc_add_grid, once for each image
//
//   // A class token and an image of 14 x 14 patches: float out[1 + 14 * 14][row_dim]. Row 1 + 14 * h + w is
//   // the patch at (h, w). The first half of its columns encodes w, the second half h. The encoder has
//   // row_dim / 2 columns; its layout is POSENC_SIN_COS for most models of images.
//   posenc_grid_axis axes[2] = {{.encoder = encoder, .column = row_dim / 2, .count = 14},   // h
//                               {.encoder = encoder, .column = 0, .count = 14}};            // w
//   posenc_rows rows = {POSENC_F32, out, row_dim};
//   posenc_status status = posenc_write_grid(axes, 2, 1, &rows, NULL, NULL);
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//
// The list "In all headers" at the top of posenc_c.h holds here too.
#ifndef POSENC_GRID_C_H_
#define POSENC_GRID_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/posenc_c.h"

#ifdef __cplusplus
extern "C" {
#endif

#define POSENC_MAX_GRID_AXES 8  // axes of a grid: 1 .. POSENC_MAX_GRID_AXES

// An axis of a grid. In a row, the axis fills the columns column .. column + dim - 1, where dim is the number
// of columns of the encoder. Two axes must not share columns. Members after count may be 0. This struct will
// not grow.
typedef struct posenc_grid_axis {
  const posenc_encoder* encoder;  // several axes may share an encoder
  size_t column;                  // the first column of the axis
  size_t count;                   // positions of the axis: rows or columns of the image, for example
  posenc_list positions;          // [count]; if data is NULL: first_position, first_position + 1, ...
  int64_t first_position;         // used only if positions.data is NULL
} posenc_grid_axis;

// Writes prefix_rows rows of zeros (for class tokens), then a row for each cell. The number of cells is the
// product of all counts. The last axis varies fastest. In each cell, the columns of an axis are the encoding
// of the cell's position on that axis, as posenc_write_at writes it. Columns that belong to no axis keep
// their bytes in all rows, also in prefix rows. out->stride must be at least column + dim of each axis.
//
// If an axis is at fault, *bad_axis becomes its index. If a position of that axis is out of range, *bad_index
// becomes the index of the position. Both pointers may be NULL. If a count is 0, positions are
// not checked. Memory that is written, with the gaps between rows, must not overlap positions.
POSENC_CALL posenc_write_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                              const posenc_rows* out, size_t* bad_axis, size_t* bad_index);

// Adds a grid: x[r] = x[r] * scale + encoding, in the columns of axes, rounded as in posenc_add. In prefix
// rows the encoding is zeros. Columns that belong to no axis keep their bytes: they are not multiplied by
// scale.
POSENC_CALL posenc_add_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                            const posenc_rows* x, float scale, size_t* bad_axis, size_t* bad_index);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_GRID_C_H_
