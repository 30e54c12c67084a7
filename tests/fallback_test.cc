// The rare entries that double arithmetic cannot decide: that every kernel notices them, and that wide
// arithmetic then gives the right float.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "oracle.h"
#include "per_target.h"
#include "step_table.h"

namespace posenc {
namespace {

// Sines and cosines that lie closest to a midpoint of two floats, relative distance 2^bits: the hardest of
// all pairs with dim 64 (|p| < 2^31), dim 512 and dim 128 (p < 2^27), found by exhaustion.
struct HardCase {
  std::size_t dim;
  double base;
  std::int64_t position;
  std::size_t pair;
  bool sine;
  double bits;
};
constexpr HardCase kHardest[] = {
    {64, 10000, 730825806, 19, false, -62.1},  {64, 10000, 1697824654, 20, true, -61.2},
    {64, 10000, 662137802, 6, true, -60.7},    {64, 10000, 2028317136, 30, false, -59.5},
    {64, 10000, 360299083, 6, false, -59.2},   {64, 10000, 238983604, 30, false, -59.1},
    {64, 10000, 623672602, 9, false, -59.1},   {512, 10000, 105948252, 181, true, -59.3},
    {512, 10000, 126044332, 90, true, -58.2},  {512, 10000, 67578505, 232, false, -58.1},
    {512, 10000, 75272909, 13, true, -58.0},   {512, 10000, 119646634, 147, true, -57.8},
    {512, 10000, 50067671, 243, false, -57.6}, {512, 10000, 64834359, 52, false, -57.6},
    {128, 500000, 101416408, 36, true, -57.5}, {128, 500000, 95494402, 32, false, -56.9},
    {128, 500000, 31148050, 12, true, -56.7},  {128, 500000, 54953789, 5, false, -56.3},
    {128, 500000, 57328942, 54, true, -56.2},  {128, 500000, 106991962, 31, true, -56.0},
    {128, 500000, 53120867, 3, true, -56.0},
};

internal::Columns Interleaved(std::size_t dim) { return {(dim + 1) / 2, dim / 2, 0, 1, 2}; }

class Fallback : public PerTarget {
 protected:
  const internal::Kernels& kernels() const { return KernelsOf(target()); }
};

TEST_P(Fallback, HardestCasesAreRecomputedAndRight) {
  for (const HardCase& hard : kHardest) {
    SCOPED_TRACE(testing::Message() << "dim " << hard.dim << ", position " << hard.position << ", pair "
                                    << hard.pair << ": 2^" << hard.bits << " from a midpoint");
    const StepTable steps(kernels(), hard.base, static_cast<double>(hard.dim), hard.dim / 2);
    Spec spec = MakeSpec(hard.dim, target());
    spec.base = hard.base;
    std::vector<float> want(hard.dim), by_kernel(hard.dim);
    oracle::Oracle(spec).Table(hard.position, 1, want.data(), hard.dim);

    const internal::Tally tally = kernels().write(steps.table(), Interleaved(hard.dim),
                                                  {&hard.position, 1, by_kernel.data(), hard.dim});
    EXPECT_GE(tally.recomputed, 1u);
    EXPECT_EQ(tally.undecided, 0u);
    const std::size_t column = 2 * hard.pair + (hard.sine ? 0 : 1);
    EXPECT_TRUE(SameBits(by_kernel[column], want[column])) << by_kernel[column] << ", not " << want[column];
    EXPECT_TRUE(SameBits(by_kernel, want));
    EXPECT_TRUE(SameBits(Write(Create(spec), hard.position, 1), want));
  }
}

TEST_P(Fallback, IsEnteredButRarely) {
  if (IsReference()) GTEST_SKIP() << kReference << " has nothing to fall back on";
  constexpr std::size_t kDim = 512, kRows = 64;
  constexpr std::int64_t kFirst = 1 << 17, kLast = 1 << 18;
  const StepTable steps(kernels(), 10000.0, kDim, kDim / 2);
  std::vector<float> data(kRows * kDim);
  std::vector<std::int64_t> positions(kRows);
  std::size_t recomputed = 0, undecided = 0;
  for (std::int64_t first = kFirst; first < kLast; first += kRows) {
    for (std::size_t r = 0; r < kRows; ++r) positions[r] = first + static_cast<std::int64_t>(r);
    const internal::Tally tally =
        kernels().write(steps.table(), Interleaved(kDim), {positions.data(), kRows, data.data(), kDim});
    recomputed += tally.recomputed;
    undecided += tally.undecided;
  }
  constexpr std::size_t kPairs = static_cast<std::size_t>(kLast - kFirst) * kDim / 2;
  std::printf("fallback: %s: %zu of %zu pairs recomputed\n", target(), recomputed, kPairs);
  EXPECT_GE(recomputed, 1u);
  EXPECT_LE(recomputed, kPairs >> 16);
  EXPECT_EQ(undecided, 0u);
}

POSENC_INSTANTIATE_PER_TARGET(Fallback);

}  // namespace
}  // namespace posenc
