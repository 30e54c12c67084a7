// Positions made of what a batch holds: of token ids with padding, of masks of images.
#ifndef POSENC_SRC_CALL_POSITIONS_H_
#define POSENC_SRC_CALL_POSITIONS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "posenc/positions_c.h"

namespace posenc {
namespace internal {

// Integers [rows, stride] of a caller's.
struct IntegerRows {
  posenc_type type;
  void* data;
  std::size_t stride;
};

// Each checks every argument before it writes.
posenc_status PositionsFromIds(const IntegerRows& ids, std::size_t rows, std::size_t columns,
                               std::int64_t padding_id, std::int64_t past, const IntegerRows& positions);

struct Normalization {
  posenc_normalization kind;
  double scale;  // 0: 2 pi
  double offset;
};

posenc_status PositionsFromMask(const std::uint8_t* mask, std::size_t height, std::size_t width,
                                const Normalization& normalization, double* y, double* x);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_POSITIONS_H_
