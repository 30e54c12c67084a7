// What every noun needs: sines and cosines of pairs at positions, a row of kernels per compiled target
// (targets.h).
#ifndef POSENC_SRC_KERNEL_TILE_KERNELS_H_
#define POSENC_SRC_KERNEL_TILE_KERNELS_H_

#include <cstdint>

#include "frequency/table.h"
#include "kernel/rows.h"

namespace posenc {
namespace internal {

// Called with the default floating-point state (number/fp_state.h).
struct TileKernels {
  // Fills offsets, [kOffsets][2][table.padded], from table.high and table.low; null if the target does not
  // use them.
  void (*fill_offsets)(const FrequencyTable& table, double* offsets);

  // data = sines and cosines, correctly rounded to float.
  Tally (*floats)(const FrequencyTable& table, const Columns& columns, const Rows& rows);
};

// The row of a target; null if it is not compiled.
const TileKernels* TileKernelsOf(std::int64_t target);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_TILE_KERNELS_H_
