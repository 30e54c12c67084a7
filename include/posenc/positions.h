// Positions for C++: types for the functions of positions_c.h, which says what is computed, and nothing else.
#ifndef POSENC_POSITIONS_H_
#define POSENC_POSITIONS_H_

#include <cstddef>
#include <cstdint>

#include "posenc/posenc.h"
#include "posenc/positions_c.h"

namespace posenc {

// positions[b][s] = padding_id + past + the number of ids[b][0] .. ids[b][s] that are not padding_id; but
// padding_id for padding. Id and Position are std::int32_t or std::int64_t; strides, at least `sequence`,
// count elements.
template <class Id, class Position>
Status PositionsFromIds(const Id* ids, std::size_t batch, std::size_t sequence, std::size_t id_stride,
                        std::int64_t padding_id, std::int64_t past, Position* positions,
                        std::size_t position_stride) {
  static_assert(IsInteger<Id>() && IsInteger<Position>(), "Id and Position are std::int32_t or std::int64_t");
  return posenc_positions_from_ids(TypeOf<Id>(), ids, batch, sequence, id_stride, padding_id, past,
                                   TypeOf<Position>(), positions, position_stride);
}

// posenc_normalization, what running counts become.
struct Normalization : Named<posenc_normalization> {
  using Named::Named;
  static constexpr Value kNone = POSENC_NO_NORMALIZATION, kF32 = POSENC_NORMALIZE_F32,
                         kF64 = POSENC_NORMALIZE_F64;
};

// The positions of an image's cells, y and x [height * width]: running counts, normalized. In mask [height *
// width] 0 is a cell and any other byte padding; without a mask (null) all are cells. scale 0 means 2 pi.
inline Status PositionsFromMask(const std::uint8_t* mask, std::size_t height, std::size_t width,
                                Normalization normalization, double scale, double offset, double* y,
                                double* x) {
  return posenc_positions_from_mask(mask, height, width, normalization, scale, offset, y, x);
}

}  // namespace posenc

#endif  // POSENC_POSITIONS_H_
