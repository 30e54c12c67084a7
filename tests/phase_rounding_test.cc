// A rounded phase: it is rounded as notebooks do, its sine and cosine correctly.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "oracle/oracle.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

struct Block {
  Spec spec;
  std::vector<double> want;  // interleaved
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

std::vector<Block> MakeBlocks(posenc_type type) {
  std::vector<Block> blocks;
  const std::vector<std::int64_t> positions = Positions();
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0, 0.1, 10000.1}) {
    for (const std::size_t dim : {1u, 2u, 6u, 11u, 64u, 131u}) {
      for (const double exponent_dim : {static_cast<double>(dim), static_cast<double>(dim) + 0.1}) {
        Spec spec = MakeSpec(dim);
        spec.base = base;
        spec.exponent_dim = exponent_dim;
        spec.phase_rounding = PhaseRounding::kF32PowDiv;
        Block block{spec, std::vector<double>(positions.size() * dim)};
        const oracle::Oracle oracle(spec, type);
        for (std::size_t r = 0; r < positions.size(); ++r) {
          oracle.Row(static_cast<double>(positions[r]), &block.want[r * dim]);
        }
        blocks.push_back(std::move(block));
      }
    }
  }
  return blocks;
}

class PhaseRoundingTest : public PerTarget {};

// In every layout, whose columns are those of the interleaved one.
template <class T>
void ExpectCorrectlyRounded(const char* target) {
  static const std::vector<Block> blocks = MakeBlocks(TypeOf<T>());
  const std::vector<std::int64_t> positions = Positions();
  for (const Block& block : blocks) {
    for (const Layout layout : kLayouts) {
      Spec spec = block.spec;
      spec.target = target;
      spec.layout = layout;
      const std::vector<T> got = WriteAt<T>(Create(spec), positions);
      const std::vector<oracle::Entry> entries = oracle::EntriesOf(spec);
      for (std::size_t k = 0; k < got.size(); ++k) {
        const oracle::Entry& entry = entries[k % spec.dim];
        const double want = block.want[k / spec.dim * spec.dim + 2 * entry.pair + (entry.sine() ? 0 : 1)];
        ASSERT_TRUE(SameBits(got[k], Nearest<T>(want)))
            << "base " << spec.base << ", dim " << spec.dim << ", exponent_dim " << spec.exponent_dim << ", "
            << Name(layout) << ", position " << positions[k / spec.dim] << ", column " << k % spec.dim << ": "
            << Value(got[k]) << ", not " << want;
      }
    }
  }
}

TEST_P(PhaseRoundingTest, F32PowDivIsCorrectlyRounded) {
  ForEachEntryType([&](auto element) { ExpectCorrectlyRounded<decltype(element)>(target()); });
}

// pow(1, x) is 1, though x, 2i over a subnormal float, be infinite (which UndefinedBehaviorSanitizer minds).
TEST_P(PhaseRoundingTest, PowersOfOneAreOne) {
  Spec spec = MakeSpec(64, target());
  spec.base = 1.0;
  const auto want = Write(Create(spec), 3, 4);
  spec.phase_rounding = PhaseRounding::kF32PowDiv;
  spec.exponent_dim = 0x1p-140;
  EXPECT_TRUE(SameBits(Write(Create(spec), 3, 4), want));
}

// float32 makes 1 of a base next to 1, or a base whose logarithm is larger by two thirds: its frequencies, of
// the rounded base, are the ones that must be in range.
// 259^3 = 17373979 lies between two floats, of which the even one is 17373980.
TEST_P(PhaseRoundingTest, PowersThatAreTiesAreEven) {
  Spec spec = MakeSpec(4, target());
  spec.base = 259.0;
  spec.exponent_dim = 2.0 / 3.0;
  spec.phase_rounding = PhaseRounding::kF32PowDiv;
  float row[4];
  ASSERT_EQ(Create(spec).Write(17373980, 1, row, 4), Status::kOk);
  EXPECT_EQ(row[2], 0x1.aed548p-1f);  // the sine of 1
  EXPECT_EQ(row[3], 0x1.14a280p-1f);
}

TEST_P(PhaseRoundingTest, BaseIsRoundedBeforeItsFrequenciesAreChecked) {
  Spec spec = MakeSpec(4, target());
  spec.phase_rounding = PhaseRounding::kF32PowDiv;
  spec.base = 1 + 0.6 * 0x1p-23;
  spec.exponent_dim = -0x1p-22 / 34;  // exp(34), not exp(20.4)
  Encoder none;
  EXPECT_EQ(Encoder::Create(spec, &none), Status::kFrequencyOutOfRange);
  spec.base = 1 + 0.4 * 0x1p-23;
  spec.exponent_dim = -0x1p-22 / 100;  // 1, not exp(40)
  const auto got = Write(Create(spec), 3, 4);
  EXPECT_TRUE(std::equal(got.begin(), got.begin() + 2, got.begin() + 2));
}

POSENC_INSTANTIATE_PER_TARGET(PhaseRoundingTest);

}  // namespace
}  // namespace posenc
