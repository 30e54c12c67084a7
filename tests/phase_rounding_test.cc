// Phase roundings: phases are rounded step by step as frameworks do it. Their sines and cosines are correctly
// rounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

struct Block {
  Spec spec;
  std::vector<double> want;  // interleaved
};

// Positions of every size. float32 rounds positions above 2^24.
std::vector<std::int64_t> Positions() {
  std::vector<std::int64_t> positions = {0,
                                         1,
                                         -1,
                                         4095,
                                         (1 << 24) + 1,
                                         -(1 << 24) - 3,
                                         POSENC_MAX_POSITION,
                                         -POSENC_MAX_POSITION,
                                         POSENC_MAX_POSITION - 1};
  std::mt19937_64 random(11);
  for (int bits = 2; bits <= 31; ++bits) {
    positions.push_back(static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits)));
  }
  return positions;
}

constexpr posenc_phase_rounding kRoundings[] = {
    POSENC_F32_POW_DIV,  POSENC_F32_EXP,     POSENC_F32_LOG_DIV, POSENC_F32_INV_FREQ,     POSENC_F32_ITERATED,
    POSENC_F64_INV_FREQ, POSENC_F64_POW_DIV, POSENC_F64_POW_MUL, POSENC_F32_LOG_INCREMENT};

struct Kind {
  posenc_phase_rounding rounding;
  posenc_type type;
};

std::vector<Block> MakeBlocks(const Kind& kind) {
  std::vector<Block> blocks;
  const std::vector<std::int64_t> positions = Positions();
  double least = 1.0;
  const auto add = [&](double base, std::size_t dim, double exponent_dim, double scale) {
    Spec spec = MakeSpec(dim);
    spec.base = base;
    spec.min_timescale = least;
    spec.exponent_dim = exponent_dim;
    spec.position_scale = scale;
    spec.phase_rounding = kind.rounding;
    Block block{spec, std::vector<double>(positions.size() * dim)};
    const oracle::Oracle oracle(spec, kind.type);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      oracle.Row(static_cast<double>(positions[r]), &block.want[r * dim]);
    }
    blocks.push_back(std::move(block));
  };
  for (const double base : {10000.0, 500000.0, 7.25, 0.5, 1.0, 10000.1}) {
    for (const std::size_t dim : {1u, 2u, 11u}) {
      for (const double more : {0.0, 0.1}) add(base, dim, static_cast<double>(dim) + more, 1.0);
    }
  }
  add(10000.0, 64, 64.0, 1.0);
  add(500000.0, 131, 131.1, 1.0);
  add(10000.0, 64, 63.0, 1000.0);
  add(10000.0, 320, 320.0, -0.1);
  if (kind.rounding != POSENC_F32_LOG_INCREMENT) return blocks;
  least = 0.1;
  add(10000.0, 64, 62.0, 1.0);
  least = 3.5;
  add(0.75, 7, 7.1, 0.3);
  return blocks;
}

class PhaseRoundingTest : public PerTarget {};

std::string Describe(const Spec& spec) {
  return "phase rounding " + std::to_string(static_cast<int>(spec.phase_rounding)) + ", base " +
         std::to_string(spec.base) + ", dim " + std::to_string(spec.dim) + ", exponent_dim " +
         std::to_string(spec.exponent_dim) + ", scale " + std::to_string(spec.position_scale);
}

// Compares all layouts with the interleaved one. For odd dims it leaves out the layout that ends with a
// cosine.
template <class T>
void ExpectCorrectlyRounded(const char* target, posenc_phase_rounding rounding) {
  static std::map<posenc_phase_rounding, std::vector<Block>> solved;
  std::vector<Block>& blocks = solved[rounding];
  if (blocks.empty()) blocks = MakeBlocks({rounding, TypeOf<T>()});
  const std::vector<std::int64_t> positions = Positions();
  std::size_t taken = 0;
  for (const Block& block : blocks) {
    if (std::string(target) == kReference && taken++ % 6 != 0) continue;  // because it is slow
    for (const posenc_layout layout : kLayouts) {
      if (layout == POSENC_INTERLEAVED_COS_SIN && block.spec.dim % 2 != 0) continue;
      Spec spec = block.spec;
      spec.target = target;
      spec.layout = layout;
      const std::vector<T> got = WriteAt<T>(Create(spec), positions);
      const std::vector<oracle::Entry> entries = oracle::EntriesOf(spec);
      for (std::size_t k = 0; k < got.size(); ++k) {
        const oracle::Entry& entry = entries[k % spec.dim];
        const double want = block.want[k / spec.dim * spec.dim + 2 * entry.pair + (entry.sine() ? 0 : 1)];
        ASSERT_TRUE(SameBits(got[k], Nearest<T>(want)))
            << Describe(spec) << ", " << Name(layout) << ", position " << positions[k / spec.dim]
            << ", column " << k % spec.dim << ": " << Value(got[k]) << ", not " << want;
      }
    }
  }
}

TEST_P(PhaseRoundingTest, IsTheFormulas) {
  for (const posenc_phase_rounding rounding : kRoundings) {
    ForEachEntryType([&](auto element) { ExpectCorrectlyRounded<decltype(element)>(target(), rounding); });
  }
}

// Rows with more pairs than the buffer for pairs. A tile holds two of them.
TEST_P(PhaseRoundingTest, OfLongRows) {
  if (IsReference()) GTEST_SKIP() << "slow";
  const std::vector<double> positions = {1.0, 12345.678, -2147483648.0};
  for (const posenc_phase_rounding rounding : kRoundings) {
    Spec spec = MakeSpec(2310);
    spec.phase_rounding = rounding;
    spec.target = target();
    const Encoder encoder = Create(spec);
    ASSERT_TRUE(AreOracles(WriteAt<float>(encoder, positions), spec, positions));
    std::vector<float> batch(2 * 3 * spec.dim, 0.5f), sums = batch;
    ASSERT_EQ(encoder.AddBatch({2, 3 * spec.dim, {}}, 100, 3, {batch.data(), spec.dim}), POSENC_OK);
    ASSERT_EQ(encoder.Add(100, 3, {sums.data(), spec.dim}), POSENC_OK);
    EXPECT_TRUE(SameBits(batch.data(), sums.data(), 3 * spec.dim));
    EXPECT_TRUE(SameBits(batch.data() + 3 * spec.dim, sums.data(), 3 * spec.dim));
  }
}

// The caller's frequencies are rounded to float.
TEST_P(PhaseRoundingTest, OfAList) {
  const double frequencies[] = {1.0, 0.1, -1e-5, 0.0, 12345.678};
  Spec spec = MakeSpec(10);
  spec.phase_rounding = POSENC_F32_LIST;
  spec.frequencies = frequencies;
  spec.frequency_count = 5;
  ForEachEntryType([&](auto element) {
    using T = decltype(element);
    for (const double scale : {1.0, 0.3}) {
      spec.position_scale = scale;
      spec.target = target();
      ASSERT_TRUE(AreOracles(WriteAt<T>(Create(spec), Positions()), spec, Positions()));
    }
  });
  Encoder none;
  spec.frequencies = nullptr;
  spec.frequency_count = 0;
  EXPECT_EQ(Encoder::Create(spec, &none), Refusal(rule::f32_list_needs_list));
  spec.phase_rounding = POSENC_F32_EXP;
  spec.frequencies = frequencies;
  spec.frequency_count = 5;
  EXPECT_EQ(Encoder::Create(spec, &none), Refusal(rule::list_rounding));
}

TEST_P(PhaseRoundingTest, ContradictionsAreRefused) {
  for (const posenc_phase_rounding rounding : kRoundings) {
    Spec spec = MakeSpec(8, target());
    spec.phase_rounding = rounding;
    Encoder none;
    ASSERT_EQ(Encoder::Create(spec, &none), POSENC_OK);
    spec.unit = POSENC_TURNS;
    EXPECT_EQ(Encoder::Create(spec, &none), Refusal(POSENC_MEMBERS_CLASH, "unit must be POSENC_RADIANS"));
    spec.unit = POSENC_RADIANS;
    spec.min_timescale = 2.0;
    EXPECT_EQ(Encoder::Create(spec, &none), rounding == POSENC_F32_LOG_INCREMENT
                                                ? Refusal(POSENC_OK)
                                                : Refusal(rule::min_timescale_with_rounding));
  }
}

// pow(1, x) is 1, even though x is infinite: 2i divided by a subnormal float. UndefinedBehaviorSanitizer
// watches.
TEST_P(PhaseRoundingTest, PowersOfOneAreOne) {
  Spec spec = MakeSpec(64, target());
  spec.base = 1.0;
  const auto want = Write(Create(spec), 3, 4);
  spec.phase_rounding = POSENC_F32_POW_DIV;
  spec.exponent_dim = 0x1p-140;
  EXPECT_TRUE(SameBits(Write(Create(spec), 3, 4), want));
}

// With one pair, or with base 1, all frequencies are 1. The rate between frequencies may be infinite or 0 /
// 0, but that must not make NaNs.
TEST_P(PhaseRoundingTest, WithoutARateFrequenciesAreOne) {
  for (const posenc_phase_rounding rounding : kRoundings) {
    for (const double exponent_dim : {0x1p-149, -0x1p-140, 1e-300}) {
      Spec spec = MakeSpec(2, target());
      const auto want = Write(Create(spec), 3, 4);
      spec.phase_rounding = rounding;
      spec.exponent_dim = exponent_dim;
      Encoder encoder;
      const Status status = Encoder::Create(spec, &encoder);
      ASSERT_TRUE(status == POSENC_OK ||
                  (status == Refusal(POSENC_MEMBERS_CLASH, "exponent_dim is too") && exponent_dim == 1e-300));
      if (status != POSENC_OK) continue;
      EXPECT_TRUE(SameBits(Write(encoder, 3, 4), want)) << Describe(spec);
      spec.dim = 6;
      spec.base = 1.0;
      Spec plain = MakeSpec(6, target());
      plain.base = 1.0;
      EXPECT_TRUE(SameBits(Write(Create(spec), 3, 4), Write(Create(plain), 3, 4))) << Describe(spec);
    }
  }
}

// The frequency 259^3 = 17373979 is a midpoint of two floats. The even one is 17373980.
TEST_P(PhaseRoundingTest, PowersThatAreTiesAreEven) {
  Spec spec = MakeSpec(4, target());
  spec.base = 259.0;
  spec.exponent_dim = 2.0 / 3.0;
  spec.phase_rounding = POSENC_F32_POW_DIV;
  float row[4];
  ASSERT_EQ(Create(spec).Write(17373980, 1, {row, 4}), POSENC_OK);
  EXPECT_EQ(row[2], 0x1.aed548p-1f);  // the sine of 1 radian
  EXPECT_EQ(row[3], 0x1.14a280p-1f);
}

// The base is rounded to float first, and its frequencies must be in range. A base next to 1 may become 1, or
// a base with a logarithm that is larger by two thirds.
TEST_P(PhaseRoundingTest, BaseIsRoundedBeforeItsFrequenciesAreChecked) {
  Spec spec = MakeSpec(4, target());
  spec.phase_rounding = POSENC_F32_POW_DIV;
  spec.base = 1 + 0.6 * 0x1p-23;
  spec.exponent_dim = -0x1p-22 / 34;  // the second frequency is exp(34), not exp(20.4)
  Encoder none;
  EXPECT_EQ(Encoder::Create(spec, &none), Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians"));
  spec.base = 1 + 0.4 * 0x1p-23;
  spec.exponent_dim = -0x1p-22 / 100;  // the second frequency is 1, not exp(40)
  const auto got = Write(Create(spec), 3, 4);
  EXPECT_TRUE(std::equal(got.begin(), got.begin() + 2, got.begin() + 2));
}

POSENC_INSTANTIATE_PER_TARGET(PhaseRoundingTest);

}  // namespace
}  // namespace posenc
