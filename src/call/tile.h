// A tile: sines and cosines of some pairs at some positions. They are computed once, then added to all
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

// The entries are correctly rounded floats. A tile takes 24 KB, so that it can be on the stack; it holds more
// rows if there are fewer pairs. Fill it in posenc's floating-point state (number/fp_state.h).
class Tile {
 public:
  static constexpr std::size_t kMaxPairs = 256;

  // A tile for rows with this number of pairs. Rows with more than kMaxPairs are computed slice by slice.
  explicit Tile(std::size_t pairs) : pairs_(PairsOf(pairs)) {}

  std::size_t pairs() const { return pairs_; }
  std::size_t rows() const { return RowsOf(pairs_); }

  // How many rows fit. It is a multiple of 16, or at least of 2, because the kernel for runs computes rows in
  // such groups, and would have to start again for the rest.
  static std::size_t RowsOf(std::size_t pairs) {
    const std::size_t most = kFloats / (2 * PairsOf(pairs));
    return most >= Rows::kMax ? Rows::kMax : most >= 16 ? most / 16 * 16 : most / 2 * 2;
  }

  // Computes the pairs of `slice`, at most pairs(), at a run or a list of at most rows() positions. Rows are
  // [sin_0 cos_0 sin_1 ...] if interleaved, else first all sines, then all cosines.
  Tally Fill(const EncoderKernels& kernels, const FrequencyTable& slice, const Positions& positions,
             bool interleaved = false) {
    const std::size_t pairs = slice.count;
    const Columns columns = {pairs, pairs, 0, interleaved ? 1 : pairs_, interleaved ? 2u : 1u};
    return kernels.write[POSENC_F32](slice, columns, {positions, entries_, 2 * pairs_, nullptr, false});
  }

  // The sines and cosines [slice.count] of a row that is not interleaved.
  const float* sines(std::size_t row) const { return entries_ + row * 2 * pairs_; }
  const float* cosines(std::size_t row) const { return sines(row) + pairs_; }

  // The entries [2 * slice.count] of an interleaved row.
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
