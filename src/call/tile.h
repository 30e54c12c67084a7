// A tile: the sines and cosines of some pairs at some positions, computed once and used by many: by the
// sequences of a batch.
#ifndef POSENC_SRC_CALL_TILE_H_
#define POSENC_SRC_CALL_TILE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/encoder_kernels.h"
#include "kernel/rows.h"

namespace posenc {
namespace internal {

// Of floats, correctly rounded. It lies on the stack, 24 KB. Call it in the default floating-point state.
class Tile {
 public:
  static constexpr std::size_t kRows = 32;
  static constexpr std::size_t kPairs = 96;

  // The pairs of `slice`, at most kPairs, at a run or list of at most kRows positions. `interleaved` ones lie
  // in rows [sin_0 cos_0 sin_1 ...].
  Tally Fill(const EncoderKernels& kernels, const FrequencyTable& slice, const Positions& positions,
             bool interleaved = false) {
    const std::size_t pairs = slice.count;
    const Columns columns = {pairs, pairs, 0, interleaved ? 1 : kPairs, interleaved ? 2u : 1u};
    return kernels.write[POSENC_F32](slice, columns, {positions, entries_, 2 * kPairs, nullptr, false});
  }

  // [slice.count] each, unless interleaved.
  const float* sines(std::size_t row) const { return entries_ + row * 2 * kPairs; }
  const float* cosines(std::size_t row) const { return sines(row) + kPairs; }

  // [2 * slice.count], if interleaved.
  const float* interleaved(std::size_t row) const { return sines(row); }

 private:
  alignas(64) float entries_[kRows * 2 * kPairs];
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_TILE_H_
