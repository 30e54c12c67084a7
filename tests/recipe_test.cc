// The compat recipe: its phase is rounded as notebooks do, its sine and cosine correctly.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <vector>

#include "oracle.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

struct Block {
  Spec spec;
  std::vector<std::int64_t> positions;
  std::vector<float> want;  // interleaved
};

// Positions of every size: above 2^24 float32 rounds them.
std::vector<std::int64_t> Positions() {
  std::vector<std::int64_t> positions = {
      0, 1, -1, 4095, (1 << 24) + 1, -(1 << 24) - 3, kMaxPosition, -kMaxPosition, kMaxPosition - 1};
  std::mt19937_64 random(11);
  for (int bits = 2; bits <= 31; ++bits) {
    positions.push_back(static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits)));
  }
  return positions;
}

std::vector<Block> MakeBlocks(oracle::Format format) {
  std::vector<Block> blocks;
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0, 0.1}) {
    for (const std::size_t dim : {1u, 2u, 6u, 11u, 64u, 131u}) {
      for (const double exponent_dim : {static_cast<double>(dim), static_cast<double>(dim) + 0.1}) {
        Spec spec = MakeSpec(dim);
        spec.base = base;
        spec.exponent_dim = exponent_dim;
        spec.recipe = Recipe::kF32PowDiv;
        blocks.push_back({spec, Positions(), {}});
        Block& block = blocks.back();
        block.want.resize(block.positions.size() * dim);
        const oracle::Oracle oracle(spec, format);
        for (std::size_t r = 0; r < block.positions.size(); ++r) {
          oracle.Table(block.positions[r], 1, &block.want[r * dim], dim);
        }
      }
    }
  }
  return blocks;
}

class RecipeTest : public PerTarget {};

template <class T>
void ExpectCorrectlyRounded(const char* target) {
  static const std::vector<Block> blocks = MakeBlocks(kFormat<T>);
  std::size_t compared = 0;
  for (const Block& block : blocks) {
    Spec spec = block.spec;
    spec.target = target;
    const std::vector<T> got = WriteAt<T>(Create(spec), block.positions);
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_TRUE(SameBits(Value(got[k]), block.want[k]))
          << "base " << spec.base << ", dim " << spec.dim << ", exponent_dim " << *spec.exponent_dim
          << ", position " << block.positions[k / spec.dim] << ", column " << k % spec.dim << ": "
          << Value(got[k]) << ", not " << block.want[k];
    }
    compared += got.size();
  }
  std::printf("recipe: %s: %zu entries compared\n", target, compared);
}

TEST_P(RecipeTest, F32PowDivIsCorrectlyRounded) {
  ForEachType([&](auto element) { ExpectCorrectlyRounded<decltype(element)>(target()); });
}

TEST_P(RecipeTest, LayoutsHoldTheSameEntries) {
  constexpr std::size_t kDim = 21, kRows = 9;
  Spec spec = MakeSpec(kDim, target());
  spec.recipe = Recipe::kF32PowDiv;
  const auto interleaved = Write(Create(spec), 500, kRows);
  for (const Layout layout : kLayouts) {
    spec.layout = layout;
    const auto table = Write(Create(spec), 500, kRows);
    for (std::size_t k = 0; k < table.size(); ++k) {
      const oracle::Entry entry = oracle::EntryAt(layout, kDim, k % kDim);
      const std::size_t column = 2 * entry.pair + (entry.sine ? 0 : 1);
      EXPECT_TRUE(SameBits(table[k], interleaved[k / kDim * kDim + column]))
          << Name(layout) << ", entry " << k;
    }
  }
}

// The recipe rounds the phase: it is not the exact table.
TEST_P(RecipeTest, DiffersFromTheExactTable) {
  Spec spec = MakeSpec(64, target());
  const auto exact = Write(Create(spec), 4000, 4);
  spec.recipe = Recipe::kF32PowDiv;
  EXPECT_FALSE(SameBits(Write(Create(spec), 4000, 4), exact));
}

// pow(1, x) is 1, though x, 2i over a subnormal float, be infinite (which UndefinedBehaviorSanitizer minds).
TEST_P(RecipeTest, PowersOfOneAreOne) {
  Spec spec = MakeSpec(64, target());
  spec.base = 1.0;
  const auto want = Write(Create(spec), 3, 4);
  spec.recipe = Recipe::kF32PowDiv;
  spec.exponent_dim = 0x1p-140;
  EXPECT_TRUE(SameBits(Write(Create(spec), 3, 4), want));
}

POSENC_INSTANTIATE_PER_TARGET(RecipeTest);

}  // namespace
}  // namespace posenc
