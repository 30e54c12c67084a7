// Entries that a kernel cannot decide. They are rare. The test shows that the kernel notices them, that the
// next tier really computes them (the direct kernel after angle addition, then wide arithmetic), and that the
// result is right.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "kernel_calls.h"
#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"
#include "verify/worst_cases.h"

namespace posenc {
namespace {

class Fallback : public PerTarget {};

// Uses a list of one position, for the direct kernel, and a run of rows around it, for angle addition.
void ExpectRecomputed(const Encoder& encoder, std::int64_t position, const std::vector<float>& want) {
  std::vector<float> row(encoder.dim());
  internal::Tally tally = WalkList(encoder, {static_cast<double>(position)}, row.data());
  EXPECT_GE(tally.recomputed, 1u);
  EXPECT_EQ(tally.widest, 0u);
  EXPECT_TRUE(SameBits(row, want)) << "list";

  constexpr std::size_t kRows = 12, kRow = 5;
  std::vector<float> rows(kRows * encoder.dim());
  tally = WalkRun(encoder, position - static_cast<std::int64_t>(kRow), kRows, rows.data());
  EXPECT_GE(tally.recomputed, 1u);
  EXPECT_EQ(tally.widest, 0u);
  EXPECT_GE(tally.direct, InsideOf(encoder).table.has_offsets ? 1u : 0u);
  EXPECT_TRUE(SameBits(&rows[kRow * encoder.dim()], want.data(), want.size())) << "run";
}

// The floats that exhaustion found: the relative distance from a midpoint is 2^-53 to 2^-62.
TEST_P(Fallback, HardestCasesAreRecomputedAndRight) {
  std::size_t count = 0;
  for (const tools::WorstCase& hard : tools::WorstCases()) {
    if (hard.from != "exhaustion" || hard.c.type != POSENC_F32) continue;
    ++count;
    SCOPED_TRACE(hard.text);
    const double position = hard.c.Position(0, hard.row);
    for (const posenc_layout layout : kAddedLayouts) {
      Spec spec(hard.c.encoder);
      spec.target = target();
      spec.layout = layout;
      const std::vector<float> want = OracleRow<float>(spec, position);
      const Encoder encoder = Create(spec);
      const auto whole = static_cast<std::int64_t>(position);
      ExpectRecomputed(encoder, whole, want);
      EXPECT_TRUE(SameBits(Write(encoder, whole, 1), want));
      if (IsReference()) break;
    }
  }
  EXPECT_EQ(count, 31u);
}

// Phases p * 2^-k with one bit more than the type has. The sine is phase^3 / 6 closer to zero than a
// midpoint, and no double shows this. (The rows of verify have them for float.)
template <class T>
void ExpectSinesInsideMidpoints(const Spec& spec, std::int64_t first, std::size_t recomputed_rows) {
  constexpr std::size_t kRows = 70;
  const Encoder encoder = Create(spec);
  std::vector<T> run(kRows * spec.dim), list(16 * spec.dim);
  const internal::Tally tally = WalkRun(encoder, first, kRows, run.data());
  const internal::Tally list_tally = WalkList(encoder, Consecutive<double>(first, 16), list.data());
  EXPECT_GE(tally.recomputed + list_tally.recomputed, recomputed_rows * ((spec.dim + 1) / 2));
  EXPECT_EQ(tally.widest + list_tally.widest, 0u);
  EXPECT_TRUE(SameBits(run.data(), list.data(), list.size()));
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double position = static_cast<double>(first + static_cast<std::int64_t>(k / spec.dim));
    const bool sine = k % spec.dim % 2 == 0;
    const double inside = std::nextafter(position * spec.position_scale, 0.0);
    const T want = Nearest<T>(sine ? inside : 1.0);
    ASSERT_TRUE(SameBits(run[k], want)) << "position " << position << ", column " << k % spec.dim;
  }
}

TEST_P(Fallback, SixteenBitSinesInsideMidpoints) {
  Spec spec = MakeSpec(17, target());
  spec.base = 1.0;
  for (const std::int64_t first : {257, 257 + 80, 511 - 69, -511, -257 - 69}) {
    for (const double scale : {0x1p-40, 0x1p-60, 0x1p-100}) {
      spec.position_scale = scale;
      ExpectSinesInsideMidpoints<BFloat16>(spec, first, (70 + 16) / 2);
    }
  }
  // As float16 these sines are subnormal, with 2^-24 as last place, so only the smallest phases are close
  // enough to a midpoint. 1 * 2^-25 rounds to zero and keeps its sign.
  spec.position_scale = 0x1p-25;
  for (const std::int64_t first : {401, 1900, -2000}) ExpectSinesInsideMidpoints<Float16>(spec, first, 0);
  ExpectSinesInsideMidpoints<Float16>(spec, 1, 2 + 2);
  ExpectSinesInsideMidpoints<Float16>(spec, -70, 2);
}

// Each tier hands few entries to the next: angle addition to the direct kernel, and the direct kernel to wide
// arithmetic.
TEST_P(Fallback, DirectKernelIsEnteredButRarely) {
  if (IsReference()) GTEST_SKIP() << kReference << " is the last tier";
  constexpr std::size_t kDim = 512, kRows = 4096, kPairs = kRows * kDim / 2;
  // A tier hands on whole vectors. Vectors without a fixed size may be four times as long as others.
  const std::string name = target();
  const bool may_be_long = name == "SVE" || name == "SVE2" || name == "RVV";
  const bool adds_float16_in_float = name == "AVX2" || name == "SSE4";
  const std::size_t few_pairs = may_be_long ? kPairs / 8 : kPairs / 20;
  for (const double base : {10000.0, 500000.0, 1e7}) {
    for (const posenc_layout layout : kAddedLayouts) {
      Spec spec = MakeSpec(kDim, target(), layout);
      spec.base = base;
      const Encoder encoder = Create(spec);
      ForEachType([&](auto element) {
        using T = decltype(element);
        std::vector<T> data(kRows * kDim);
        const internal::Tally tally = WalkRun(encoder, 0, kRows, data.data());
        std::printf("fallback: %s, base %g, %s, %d digits: %zu of %zu pairs directly\n", target(), base,
                    Name(layout), TraitsOf(TypeOf<T>()).digits, tally.direct, kPairs);
        const bool adds_angles = InsideOf(encoder).table.has_offsets;
        if (TypeOf<T>() == POSENC_F32) {
          EXPECT_EQ(tally.direct > 0, adds_angles);
        }
        const bool in_float =
            TypeOf<T>() == POSENC_BF16 || (TypeOf<T>() == POSENC_F16 && adds_float16_in_float);
        EXPECT_EQ(tally.doubles > 0, adds_angles && in_float);
        EXPECT_LT(tally.doubles, TypeOf<T>() == POSENC_F16 ? kPairs / 8 : few_pairs);
        EXPECT_LT(tally.direct, few_pairs / 100);
        EXPECT_EQ(tally.widest, 0u);
      });
    }
  }
}

// Lanes behind the last pair of a row are not hard, and neither are exact zeros and ones.
TEST_P(Fallback, NothingIsHardThatIsNoPairOrExact) {
  if (IsReference()) GTEST_SKIP() << kReference << " is the last tier";
  const auto expect_easy = [&](const Spec& spec, const std::vector<double>& positions) {
    SCOPED_TRACE(testing::Message() << "dim " << spec.dim << ", base " << spec.base);
    const Encoder encoder = Create(spec);
    ForEachType([&](auto element) {
      using T = decltype(element);
      std::vector<T> data(positions.size() * spec.dim);
      EXPECT_EQ(WalkList(encoder, positions, data.data()).recomputed, 0u);
    });
  };
  // With a base below 1, the lanes behind the last pair would have huge frequencies.
  for (const auto& [base, dim] :
       {std::pair(1e-10, 2), std::pair(1e-6, 2), std::pair(1e4, 6), std::pair(1e4, 130)}) {
    Spec spec = MakeSpec(static_cast<std::size_t>(dim), target());
    spec.base = base;
    expect_easy(spec, {0.5, -0.999, 0.0});
  }
  Spec turns = MakeSpec(256, target());
  turns.base = 1.0;
  turns.unit = POSENC_HALF_TURNS;
  expect_easy(turns, {0.5, 1.0, 1.5, 2.0, -1.0, -0.5, 0.0});

  const Encoder encoder = Create(MakeSpec(130, target()));
  ForEachType([&](auto element) {
    using T = decltype(element);
    std::vector<T> data(512 * 130);
    EXPECT_LT(WalkRun(encoder, 1000, 512, data.data()).direct, 512u * 65 / 100);
  });
}

TEST_P(Fallback, WideArithmeticIsEnteredButRarely) {
  if (IsReference()) GTEST_SKIP() << kReference << " is the last tier";
  constexpr std::size_t kDim = 512, kRows = 64;
  constexpr std::int64_t kFirst = 1 << 17, kLast = 1 << 18;
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  std::vector<float> data(kRows * kDim);
  internal::Tally list, run;
  for (std::int64_t first = kFirst; first < kLast; first += kRows) {
    list += WalkList(encoder, Consecutive<double>(first, kRows), data.data());
    run += WalkRun(encoder, first, kRows, data.data());
  }
  constexpr std::size_t kPairs = static_cast<std::size_t>(kLast - kFirst) * kDim / 2;
  std::printf("fallback: %s: %zu (list) and %zu (run) of %zu pairs recomputed\n", target(), list.recomputed,
              run.recomputed, kPairs);
  for (const internal::Tally& tally : {list, run}) {
    EXPECT_GE(tally.recomputed, 1u);
    EXPECT_LE(tally.recomputed, kPairs >> 16);
    EXPECT_EQ(tally.widest, 0u);
  }
}

POSENC_INSTANTIATE_PER_TARGET(Fallback);

}  // namespace
}  // namespace posenc
