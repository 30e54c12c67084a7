// A tile: the sines and cosines of some pairs at some positions, computed once and used by many: by the
// sequences of a batch.
#ifndef POSENC_SRC_CALL_TILE_H_
#define POSENC_SRC_CALL_TILE_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "frequency/table.h"
#include "kernel/rows.h"
#include "kernel/tile_kernels.h"

namespace posenc {
namespace internal {

// Of floats, which are correctly rounded, or of doubles with an absolute error of at most kAngleAdditionError
// (number/bounds.h). It lies on the stack, 24 or 16 KB. Call it in the default floating-point state.
template <class Entry>
class Tile {
 public:
  static constexpr std::size_t kRows = std::is_same_v<Entry, float> ? 32 : 16;
  static constexpr std::size_t kPairs = std::is_same_v<Entry, float> ? 96 : 64;

  // The pairs of `slice`, at most kPairs, at a run or list of at most kRows positions. Of floats
  // `interleaved` ones lie in rows [sin_0 cos_0 sin_1 ...].
  Tally Fill(const TileKernels& kernels, const FrequencyTable& slice, const Positions& positions,
             bool interleaved = false) {
    const std::size_t pairs = slice.count;
    const Columns columns = {pairs, pairs, 0, interleaved ? 1 : kPairs, interleaved ? 2u : 1u};
    const Rows rows = {positions, entries_, 2 * kPairs, nullptr, false};
    if constexpr (std::is_same_v<Entry, float>) {
      return kernels.floats(slice, columns, rows);
    } else {
      return kernels.doubles(slice, columns, rows);
    }
  }

  // [slice.count] each, unless interleaved.
  const Entry* sines(std::size_t row) const { return entries_ + row * 2 * kPairs; }
  const Entry* cosines(std::size_t row) const { return sines(row) + kPairs; }

  // [2 * slice.count], if interleaved.
  const Entry* interleaved(std::size_t row) const { return sines(row); }

 private:
  alignas(64) Entry entries_[kRows * 2 * kPairs];
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_TILE_H_
