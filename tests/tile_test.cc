// Tiles, from which batches are made. Entries are correctly rounded wherever a run, a list or a slice begins,
// and however long it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "call/tile.h"
#include "double_positions.h"
#include "kernel_calls.h"
#include "oracle/oracle.h"
#include "per_target.h"

namespace posenc {
namespace {

using internal::FrequencyTable;
using internal::Positions;
using internal::Tile;

// The oracle's results at the positions of a list, or of the longest run.
struct Solved {
  Spec spec;
  bool is_run;
  std::vector<double> positions;
  std::vector<double> want;  // [positions, dim], interleaved

  float Want(std::size_t row, std::size_t pair, bool sine) const {
    return static_cast<float>(want[row * spec.dim + 2 * pair + (sine ? 0 : 1)]);
  }
};

const std::vector<double>& ListedFrequencies() {
  static const std::vector<double> frequencies = {
      0x1p20 + 0x1p-20, 0.75, 0.5, 0.1,     1e-3,    1e-7, -0.3, 0.0,
      0x1p-40,          1.0,  2.5, 1.0 / 3, -0x1p10, 1e-9, 4.0,  0.015625};
  return frequencies;
}

// Specs without reduced steps, with some, with listed frequencies, and with rounded phases.
std::vector<Spec> Specs() {
  Spec geometric = MakeSpec(270), fast = MakeSpec(66), listed = MakeSpec(2 * ListedFrequencies().size());
  fast.position_scale = -3000.7;
  listed.frequencies = ListedFrequencies().data();
  listed.frequency_count = ListedFrequencies().size();
  listed.unit = POSENC_TURNS;
  Spec rounded = MakeSpec(72);
  rounded.phase_rounding = POSENC_F32_POW_DIV;
  return {geometric, fast, listed, rounded};
}

// Integers in no order, some twice, and fractions: tiny, huge, and next to multiples of a quarter turn.
std::vector<double> List() {
  std::vector<double> positions = {5.0, -3.0, 0x1p31, -0x1p31, 1000003.0, 5.0, 0.0, 16777217.0};
  for (const double position : posenc::Positions(1.0, 20)) positions.push_back(position);
  return positions;
}

const std::vector<Solved>& AllSolved() {
  static const std::vector<Solved> all = [] {
    std::vector<Solved> solved;
    for (const Spec& spec : Specs()) {
      solved.push_back({spec, false, List(), {}});
      for (const auto& [first, rows] :
           {std::pair(std::int64_t{-40}, 81), std::pair(-POSENC_MAX_POSITION, 40),
            std::pair(POSENC_MAX_POSITION - 39, 40), std::pair(std::int64_t{1000000}, 40)}) {
        solved.push_back({spec, true, Consecutive<double>(first, static_cast<std::size_t>(rows)), {}});
      }
    }
    for (Solved& s : solved) {
      const oracle::Oracle oracle(s.spec, POSENC_F32);
      s.want.resize(s.positions.size() * s.spec.dim);
      for (std::size_t r = 0; r < s.positions.size(); ++r) {
        oracle.Row(s.positions[r], &s.want[r * s.spec.dim]);
      }
    }
    return solved;
  }();
  return all;
}

// The first pair and the number of pairs: a full tile, a few pairs, and only the last pair.
std::vector<std::pair<std::size_t, std::size_t>> Slices(std::size_t pairs, std::size_t most,
                                                        bool is_reference) {
  if (is_reference) return {{pairs / 2, 3}};
  return {{0, std::min(pairs, most)}, {3, std::min(pairs - 3, most)}, {5, 7}, {pairs - 1, 1}};
}

class TileTest : public PerTarget {
 protected:
  // Compares the pairs of a slice at the positions begin .. begin + rows - 1.
  void ExpectTile(Tile& tile, const Solved& solved, std::size_t begin, std::size_t rows,
                  const FrequencyTable& slice, bool interleaved) {
    const std::size_t pairs = slice.count;
    const double* list = &solved.positions[begin];
    const Positions at = {solved.is_run ? nullptr : list, static_cast<std::int64_t>(*list), rows};
    tile.Fill(*kernels_, slice, at, interleaved);
    for (std::size_t r = 0; r < rows; ++r) {
      const float* sines = tile.sines(r);
      const float* cosines = interleaved ? sines + 1 : tile.cosines(r);
      const std::size_t step = interleaved ? 2 : 1;
      for (std::size_t i = 0; i < pairs; ++i) {
        ASSERT_TRUE(SameBits(sines[step * i], solved.Want(begin + r, slice.first + i, true)) &&
                    SameBits(cosines[step * i], solved.Want(begin + r, slice.first + i, false)))
            << "position " << list[r] << ", row " << r << " of " << rows << ", pair " << slice.first << " + "
            << i << " of " << pairs << ": " << sines[step * i] << ", " << cosines[step * i];
      }
    }
    entries_ += 2 * rows * pairs;
  }

  // Every length of a run or a list, in every slice, beginning anywhere in a group of rows.
  void ExpectTiles() {
    for (const Solved& solved : AllSolved()) {
      Spec spec = solved.spec;
      spec.target = target();
      const Encoder encoder = Create(spec);
      SCOPED_TRACE(testing::Message() << "dim " << spec.dim << ", position " << solved.positions[0]);
      kernels_ = InsideOf(encoder).kernels;
      const FrequencyTable& table = InsideOf(encoder).table;
      const auto tile = std::make_unique<Tile>(table.count);
      for (const auto& [first, pairs] : Slices(table.count, tile->pairs(), IsReference())) {
        // A slice of a slice is a slice of the whole table.
        const FrequencyTable slice =
            table.Slice(first / 2, table.count - first / 2).Slice(first - first / 2, pairs);
        for (std::size_t begin = 0; begin < solved.positions.size(); begin += IsReference() ? 13 : 5) {
          const std::size_t most = std::min(solved.positions.size() - begin, tile->rows());
          for (std::size_t rows = 1; rows <= most; rows += IsReference() ? 15 : 1) {
            ASSERT_NO_FATAL_FAILURE(ExpectTile(*tile, solved, begin, rows, slice, false));
            ASSERT_NO_FATAL_FAILURE(ExpectTile(*tile, solved, begin, rows, slice, true));
          }
        }
      }
    }
    std::printf("tile: %s: %zu entries compared\n", target(), entries_);
  }

 private:
  const internal::EncoderKernels* kernels_ = nullptr;
  std::size_t entries_ = 0;
};

TEST_P(TileTest, IsCorrectlyRounded) { ExpectTiles(); }

POSENC_INSTANTIATE_PER_TARGET(TileTest);

}  // namespace
}  // namespace posenc
