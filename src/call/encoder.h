// An encoder, as all that is done with it sees it.
#ifndef POSENC_SRC_CALL_ENCODER_H_
#define POSENC_SRC_CALL_ENCODER_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/encoder_kernels.h"
#include "kernel/rows.h"
#include "kernel/tile_kernels.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

struct Encoder {
  std::size_t dim;
  posenc_layout layout;
  Columns columns;  // of that layout
  bool nan_rows;    // posenc_spec's
  std::int64_t target;
  const EncoderKernels* kernels;
  const TileKernels* tile_kernels;
  FrequencyTable table;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ENCODER_H_
