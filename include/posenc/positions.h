// Positions for C++: types for the functions of positions_c.h, which says what is computed, and nothing else.
#ifndef POSENC_POSITIONS_H_
#define POSENC_POSITIONS_H_

#include <cstddef>
#include <cstdint>

#include "posenc/posenc.h"
#include "posenc/positions_c.h"

namespace posenc {

// positions[b][s] = padding_id + past + the count of ids up to s that are not padding_id; padding_id for
// padding. Id and Position are std::int32_t or std::int64_t; strides, at least `sequence`, count elements.
template <class Id, class Position>
Status PositionsFromIds(const Id* ids, std::size_t batch, std::size_t sequence, std::size_t id_stride,
                        std::int64_t padding_id, Position* positions, std::size_t position_stride,
                        std::int64_t past = 0) {
  static_assert(IsInteger<Id>() && IsInteger<Position>(), "Id and Position are std::int32_t or std::int64_t");
  return static_cast<Status>(posenc_positions_from_ids(TypeOf<Id>(), ids, batch, sequence, id_stride,
                                                       padding_id, past, TypeOf<Position>(), positions,
                                                       position_stride));
}

// What becomes of running counts.
enum class Normalization : posenc_normalization {
  kNone = POSENC_NO_NORMALIZATION,  // nothing
  kF32 = POSENC_NORMALIZE_F32,      // (n + offset) / (last + 1e-6) * scale, in float as DETR does it
  kF64 = POSENC_NORMALIZE_F64,      // the same in double
};

// The positions of an image's cells, y and x [height * width], from a mask [height * width] whose bytes are
// not 0 where padding is, or null: running counts, normalized. scale 0 means 2 pi.
inline Status PositionsFromMask(const std::uint8_t* mask, std::size_t height, std::size_t width, double* y,
                                double* x, Normalization normalization = Normalization::kNone,
                                double scale = 0.0, double offset = 0.0) {
  return static_cast<Status>(posenc_positions_from_mask(
      mask, height, width, static_cast<posenc_normalization>(normalization), scale, offset, y, x));
}

}  // namespace posenc

#endif  // POSENC_POSITIONS_H_
