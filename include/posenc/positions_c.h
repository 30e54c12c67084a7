// Positions for C (C99), made from what a batch holds: from token ids with padding, as fairseq and
// transformers number them, and from the mask of an image, as DETR does. posenc_embed_at and posenc_write_at
// take them.
//
// What posenc_c.h says of threads, floating-point state, statuses and versions holds here too.
#ifndef POSENC_POSITIONS_C_H_
#define POSENC_POSITIONS_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/posenc_c.h"

#ifdef __cplusplus
extern "C" {
#else
typedef int32_t posenc_normalization;
#endif

// positions[b][s] = padding_id + past + the number of ids[b][0] .. ids[b][s] that are not padding_id; but
// padding_id if ids[b][s] is padding_id. So fairseq's make_positions and transformers'
// create_position_ids_from_input_ids have it. past is the number of tokens that came before
// (past_key_values_length): 0, or more for sequences that go on.
//
// ids [batch, id_stride] and positions [batch, position_stride] of I32 or I64, of which the columns
// 0 .. sequence - 1 are used; strides count elements and are at least `sequence`. They must not overlap.
// POSENC_POSITION_OUT_OF_RANGE: padding_id is below -2^31, past is negative, or padding_id or
// padding_id + past + sequence, the largest position there may be, exceeds 2^31 or the type of positions,
// whatever the ids.
POSENC_API posenc_status posenc_positions_from_ids(posenc_type id_type, const void* ids, size_t batch,
                                                   size_t sequence, size_t id_stride, int64_t padding_id,
                                                   int64_t past, posenc_type position_type, void* positions,
                                                   size_t position_stride);

// What a running count n becomes if the last count of its column or row is m. f32() and f64() round each
// operation to nearest.
enum POSENC_ENUM(posenc_normalization) {
  POSENC_NO_NORMALIZATION = 0,  // n
  // f32(f32(f32(n + f32(offset)) / f32(m + f32(1e-6))) * f32(scale)), what DETR, Conditional DETR and
  // Mask2Former compute with offset 0, Deformable DETR with -0.5.
  POSENC_NORMALIZE_F32 = 1,
  POSENC_NORMALIZE_F64 = 2  // f64(f64(f64(n + offset) / f64(m + f64(1e-6))) * scale)
};

// The positions of an image's cells: y, x [height * width], row after row, of any alignment. y[r][c] is made
// from the number of the cells (0, c) .. (r, c) that are not padding, x[r][c] from that of (r, 0) .. (r, c);
// both begin with 1. In mask [height * width] 0 is a cell and any other byte padding; without a mask (null)
// all are cells.
//
// scale 0 means 2 pi, rounded to double. Without a normalization, scale and offset change nothing. Both must
// be in -2^31 .. 2^31. POSENC_POSITION_OUT_OF_RANGE: height or width exceeds 2^31 (or POSENC_SIZE_OVERFLOW,
// if there are too many cells). y, x and mask must not overlap.
//
// DETR's encoding is then that of two lists, y in the first half of the columns and x in the second. The
// encoder is that of the preset "detr" for dim / 2 columns with position_offset set to 0, because these
// positions begin with 1 already:
//
//   posenc_write_at(encoder, POSENC_F64, y, height * width, POSENC_F32, out, dim, NULL);
//   posenc_write_at(encoder, POSENC_F64, x, height * width, POSENC_F32, out + dim / 2, dim, NULL);
POSENC_API posenc_status posenc_positions_from_mask(const uint8_t* mask, size_t height, size_t width,
                                                    posenc_normalization normalization, double scale,
                                                    double offset, double* y, double* x);

// NOLINTEND(modernize-*, readability-identifier-naming)
#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // POSENC_POSITIONS_C_H_
