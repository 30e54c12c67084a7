// Tiles, which every noun but the encoder's own rows is made of: floats are correctly rounded, doubles within
// their absolute error, wherever a run, a list or a slice begins and however long it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#include "call/tile.h"
#include "double_positions.h"
#include "kernel_calls.h"
#include "number/bounds.h"
#include "oracle/oracle.h"
#include "per_target.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace {

using internal::FrequencyTable;
using internal::Positions;
using internal::Tile;

// What the oracle says at the positions of a list, or of the longest run: as floats and as doubles.
struct Solved {
  Spec spec;
  bool is_run;
  std::vector<double> positions;
  std::vector<double> floats, doubles;  // [positions, dim], interleaved

  template <class Entry>
  double Want(std::size_t row, std::size_t pair, bool sine) const {
    const std::size_t k = row * spec.dim + 2 * pair + (sine ? 0 : 1);
    return (std::is_same_v<Entry, float> ? floats : doubles)[k];
  }
};

const std::vector<double>& ListedFrequencies() {
  static const std::vector<double> frequencies = {
      0x1p20 + 0x1p-20, 0.75, 0.5, 0.1,     1e-3,    1e-7, -0.3, 0.0,
      0x1p-40,          1.0,  2.5, 1.0 / 3, -0x1p10, 1e-9, 4.0,  0.015625};
  return frequencies;
}

// Without reduced steps, with some, listed ones, rounded phases.
std::vector<Spec> Specs() {
  Spec geometric = MakeSpec(270), fast = MakeSpec(66), listed = MakeSpec(2 * ListedFrequencies().size());
  fast.position_scale = -3000.7;
  listed.frequencies = {ListedFrequencies().data(), nullptr, ListedFrequencies().size(),
                        FrequencyUnit::kTurns};
  Spec rounded = MakeSpec(72);
  rounded.phase_rounding = PhaseRounding::kF32PowDiv;
  return {geometric, fast, listed, rounded};
}

// Integers in no order, some twice, and fractions: tiny, huge and next to multiples of a quarter turn.
std::vector<double> List() {
  std::vector<double> positions = {5.0, -3.0, 0x1p31, -0x1p31, 1000003.0, 5.0, 0.0, 16777217.0};
  for (const double position : posenc::Positions(1.0, 20)) positions.push_back(position);
  return positions;
}

const std::vector<Solved>& AllSolved() {
  static const std::vector<Solved> all = [] {
    std::vector<Solved> solved;
    for (const Spec& spec : Specs()) {
      solved.push_back({spec, false, List(), {}, {}});
      for (const auto& [first, rows] :
           {std::pair(std::int64_t{-40}, 81), std::pair(-kMaxPosition, 40), std::pair(kMaxPosition - 39, 40),
            std::pair(std::int64_t{1000000}, 40)}) {
        solved.push_back({spec, true, Consecutive<double>(first, static_cast<std::size_t>(rows)), {}, {}});
      }
    }
    for (Solved& s : solved) {
      const oracle::Oracle floats(s.spec, POSENC_F32), doubles(s.spec, POSENC_F64);
      s.floats.resize(s.positions.size() * s.spec.dim);
      s.doubles.resize(s.floats.size());
      for (std::size_t r = 0; r < s.positions.size(); ++r) {
        floats.Row(s.positions[r], &s.floats[r * s.spec.dim]);
        doubles.Row(s.positions[r], &s.doubles[r * s.spec.dim]);
      }
    }
    return solved;
  }();
  return all;
}

// The first pair and the number of pairs: as many as a tile holds, a few, the last one.
std::vector<std::pair<std::size_t, std::size_t>> Slices(std::size_t pairs, std::size_t most,
                                                        bool is_reference) {
  if (is_reference) return {{pairs / 2, 3}};
  return {{0, std::min(pairs, most)}, {3, std::min(pairs - 3, most)}, {5, 7}, {pairs - 1, 1}};
}

class TileTest : public PerTarget {
 protected:
  // The pairs of a slice at the positions begin .. begin + rows - 1.
  template <class Entry>
  void ExpectTile(const Solved& solved, std::size_t begin, std::size_t rows, const FrequencyTable& slice,
                  bool interleaved) {
    const std::size_t pairs = slice.count;
    const double* list = &solved.positions[begin];
    const Positions at = {solved.is_run ? nullptr : list, static_cast<std::int64_t>(*list), rows};
    tile<Entry>().Fill(*kernels_, slice, at, interleaved);
    for (std::size_t r = 0; r < rows; ++r) {
      const Entry* sines = tile<Entry>().sines(r);
      const Entry* cosines = interleaved ? sines + 1 : tile<Entry>().cosines(r);
      const std::size_t step = interleaved ? 2 : 1;
      for (std::size_t i = 0; i < pairs; ++i) {
        ASSERT_TRUE(IsGood(sines[step * i], solved.Want<Entry>(begin + r, slice.first + i, true)) &&
                    IsGood(cosines[step * i], solved.Want<Entry>(begin + r, slice.first + i, false)))
            << "position " << list[r] << ", row " << r << " of " << rows << ", pair " << slice.first << " + "
            << i << " of " << pairs << ": " << sines[step * i] << ", " << cosines[step * i];
      }
    }
    entries_ += 2 * rows * pairs;
  }

  // Every length of run or list, in every slice, from wherever in the groups of rows.
  template <class Entry>
  void ExpectTiles() {
    constexpr bool kIsFloat = std::is_same_v<Entry, float>;
    for (const Solved& solved : AllSolved()) {
      Spec spec = solved.spec;
      spec.target = target();
      const Encoder encoder = Create(spec);
      SCOPED_TRACE(Show(spec, solved.positions[0], 0));
      kernels_ = InsideOf(encoder).tile_kernels;
      const FrequencyTable& table = InsideOf(encoder).table;
      for (const auto& [first, pairs] : Slices(table.count, Tile<Entry>::kPairs, IsReference())) {
        // A slice of a slice is one of the whole.
        const FrequencyTable slice =
            table.Slice(first / 2, table.count - first / 2).Slice(first - first / 2, pairs);
        for (std::size_t begin = 0; begin < solved.positions.size(); begin += IsReference() ? 13 : 5) {
          const std::size_t most = std::min(solved.positions.size() - begin, Tile<Entry>::kRows);
          for (std::size_t rows = 1; rows <= most; rows += IsReference() ? 15 : 1) {
            ASSERT_NO_FATAL_FAILURE(ExpectTile<Entry>(solved, begin, rows, slice, false));
            if (!kIsFloat) continue;
            ASSERT_NO_FATAL_FAILURE(ExpectTile<Entry>(solved, begin, rows, slice, true));
          }
        }
      }
    }
    std::printf("tile: %s: %zu entries of %zu bytes compared", target(), entries_, sizeof(Entry));
    if (!kIsFloat)
      std::printf(", worst error %.2f * 2^-53, %.0f allowed", worst_ * 0x1p53,
                  internal::kAngleAdditionError * 0x1p53);
    std::printf("\n");
  }

 private:
  static bool IsGood(float got, double want) { return SameBits(got, static_cast<float>(want)); }

  // The oracle's own rounding may have hidden half a unit in the last place.
  bool IsGood(double got, double want) {
    const double error = std::fabs(got - want) + std::ldexp(0.5, SpacingExponent(POSENC_F64, want));
    worst_ = std::max(worst_, error);
    return error <= internal::kAngleAdditionError;  // no NaN is
  }

  template <class Entry>
  Tile<Entry>& tile() {
    static Tile<Entry> tile;
    return tile;
  }

  const internal::TileKernels* kernels_ = nullptr;
  std::size_t entries_ = 0;
  double worst_ = 0.0;
};

TEST_P(TileTest, FloatsAreCorrectlyRounded) { ExpectTiles<float>(); }

TEST_P(TileTest, DoublesAreWithinTheirError) { ExpectTiles<double>(); }

POSENC_INSTANTIATE_PER_TARGET(TileTest);

}  // namespace
}  // namespace posenc
