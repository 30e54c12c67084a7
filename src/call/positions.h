// Makes positions from what a batch contains: from token ids with padding, or from a mask of image pixels.
#ifndef POSENC_SRC_CALL_POSITIONS_H_
#define POSENC_SRC_CALL_POSITIONS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "posenc/positions_c.h"

namespace posenc {
namespace internal {

// Integers [rows, stride] that a caller passed.
struct IntegerRows {
  posenc_type type;
  void* data;
  std::size_t stride;
};

// Both functions check every argument before they write.

// positions [rows, columns]: padding_id for ids that are padding_id; padding_id + past + 1, + 2, ... for the
// others of a row.
posenc_status PositionsFromIds(const IntegerRows& ids, std::size_t rows, std::size_t columns,
                               std::int64_t padding_id, std::int64_t past, const IntegerRows& positions);

// What becomes of a count n along an axis whose last count is m: (n + offset) / (m + 1e-6) * scale, unless
// kind is POSENC_NO_NORMALIZATION.
struct Normalization {
  posenc_normalization kind;
  double scale;  // 0: 2 pi
  double offset;
};

// y, x [height, width]: how many cells are unmasked up to each cell, down its column and along its row. A
// null mask masks none.
posenc_status PositionsFromMask(const std::uint8_t* mask, std::size_t height, std::size_t width,
                                const Normalization& normalization, double* y, double* x);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_POSITIONS_H_
