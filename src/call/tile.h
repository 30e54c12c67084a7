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

// Of floats, correctly rounded. It lies on the stack, 24 KB, which hold more rows the fewer pairs they have.
// Call it in the default floating-point state.
class Tile {
 public:
  static constexpr std::size_t kMaxPairs = 256;

  // Of so many pairs, or slices of them.
  explicit Tile(std::size_t pairs) : pairs_(PairsOf(pairs)) {}

  std::size_t pairs() const { return pairs_; }
  std::size_t rows() const { return RowsOf(pairs_); }

  // Without a remainder that the kernel of runs would begin anew for.
  static std::size_t RowsOf(std::size_t pairs) {
    const std::size_t most = kFloats / (2 * PairsOf(pairs));
    return most >= Rows::kMax ? Rows::kMax : most >= 16 ? most / 16 * 16 : most / 2 * 2;
  }

  // The pairs of `slice`, at most pairs() of them, at a run or list of at most rows() positions.
  // `interleaved` ones lie in rows [sin_0 cos_0 sin_1 ...].
  Tally Fill(const EncoderKernels& kernels, const FrequencyTable& slice, const Positions& positions,
             bool interleaved = false) {
    const std::size_t pairs = slice.count;
    const Columns columns = {pairs, pairs, 0, interleaved ? 1 : pairs_, interleaved ? 2u : 1u};
    return kernels.write[POSENC_F32](slice, columns, {positions, entries_, 2 * pairs_, nullptr, false});
  }

  // [slice.count] each, unless interleaved.
  const float* sines(std::size_t row) const { return entries_ + row * 2 * pairs_; }
  const float* cosines(std::size_t row) const { return sines(row) + pairs_; }

  // [2 * slice.count], if interleaved.
  const float* interleaved(std::size_t row) const { return sines(row); }

 private:
  static constexpr std::size_t kFloats = std::size_t{12} << 9;

  static std::size_t PairsOf(std::size_t pairs) { return pairs < kMaxPairs ? pairs : kMaxPairs; }

  std::size_t pairs_;
  alignas(64) float entries_[kFloats];
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_TILE_H_
