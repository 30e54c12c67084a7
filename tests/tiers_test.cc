// Which tier computes an entry or a rotated pair. Slow tiers compute few of them, and the slowest ones are
// entered. The results themselves are cases of tools/verify.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel_calls.h"
#include "rotary_cases.h"
#include "verify/inputs.h"

namespace posenc {
namespace {

class Tiers : public PerTarget {};

// Such an angle and its sine differ by 2^-200 or less. If the angle is a midpoint, the sine is below it.
TEST_P(Tiers, MidpointsTake1024Bits) {
  const Encoder encoder = Create(MakeSpec(8, target()));
  const std::vector<double> positions = {0x1.000003p-118, -0x1.000003p-118, 0x1.000007p-120 * 10,
                                         0x1.01p-110};
  std::vector<float> rows(8 * positions.size());
  EXPECT_EQ(WalkList(encoder, positions, rows.data()).widest, 3u);  // 256 bits cannot decide
  EXPECT_EQ(rows[0], 0x1.000002p-118f);
  EXPECT_EQ(rows[8], -0x1.000002p-118f);
}

// Few entries are left undecided and computed again, since otherwise runs would not be faster. Frequency 0
// leaves none.
TEST_P(Tiers, FewDoublesAreTakenAgain) {
  if (IsReference() || std::string(target()) == "SCALAR") GTEST_SKIP() << "adds no angles of doubles";
  std::vector<double> rows(640 * 128);
  const std::size_t pairs = rows.size() / 2;
  Spec spec = MakeSpec(128, target());
  for (const posenc_layout layout : kAddedLayouts) {
    spec.layout = layout;
    const internal::Tally near = WalkRun(Create(spec), 0, 640, rows.data());
    EXPECT_GT(near.direct, 0u);  // position 0
    EXPECT_LT(near.direct, pairs / 100);
    const internal::Tally far = WalkRun(Create(spec), 1 << 20, 640, rows.data());
    EXPECT_LT(far.direct, pairs / 1000);
    EXPECT_LT(far.recomputed, pairs / 10000);
  }
  spec.position_scale = 0.0;
  EXPECT_EQ(WalkRun(Create(spec), 1, 640, rows.data()).direct, 0u);
}

// In turns the zeros are exact, so wide arithmetic is not needed to find them.
TEST_P(Tiers, WholeTurnsAreNotWide) {
  if (IsReference()) GTEST_SKIP() << "the reference always uses wide arithmetic";
  const std::vector<double> frequencies = {1.0, 2.0, 0.5, 1024.0};
  Spec spec = MakeSpec(8, target());
  spec.frequencies = frequencies.data();
  spec.frequency_count = 4;
  spec.unit = POSENC_HALF_TURNS;
  const Encoder encoder = Create(spec);
  std::vector<float> row(8 * 3);
  EXPECT_EQ(WalkList(encoder, {1, 2, 5}, row.data()).recomputed, 0u);
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k % 8 == 4 || k % 8 == 5) continue;  // pair 2: quarter turns
    EXPECT_TRUE(SameBits(std::fabs(row[k]), k % 2 == 0 ? 0.0f : 1.0f)) << k;
    EXPECT_TRUE(k % 2 != 0 || !std::signbit(row[k])) << k;
  }
}

POSENC_INSTANTIATE_PER_TARGET(Tiers);

class RotaryTiers : public PerTarget {};

constexpr tools::Inputs kUnusual[] = {
    tools::Inputs::kNans,    tools::Inputs::kInfinities, tools::Inputs::kTiny,
    tools::Inputs::kLargest, tools::Inputs::kAny,        tools::Inputs::kZeros,
    tools::Inputs::kBits,    tools::Inputs::kFew,        tools::Inputs::kEqual};

// With 40 heads for each token, fewer than one pair in a thousand needs wide arithmetic, and fewer than one
// in ten is queued. (Whole vectors are queued: with wide float16 in vectors of 128 bits, one pair in five,
// because one of four lanes is enough.)
TEST_P(RotaryTiers, HardlyAnyIsWide) {
  if (IsReference()) GTEST_SKIP() << "the reference computes all pairs in wide arithmetic";
  constexpr std::size_t kHeads = 40, kPairs = 64, kTokens = 16, kAll = kTokens * kHeads * kPairs;
  const std::string name = target();
  const bool is_wide_vector = name.find("AVX") == 0;
  for (const posenc_pairing pairing : kPairings) {
    posenc_rotary_spec spec = MakeRotarySpec(2 * kPairs, target());
    spec.pairing = pairing;
    const RotaryPtr rotary = CreateRotary(spec);
    for (const tools::Inputs kind : kUnusual) {
      for (const bool is_one : {false, true}) {
        ForEachType([&](auto element) {
          using T = decltype(element);
          std::vector<T> x(2 * kAll);
          for (std::size_t k = 0; k < kAll; ++k) {
            const std::size_t head = k / kPairs;
            const bool is_odd = !is_one || k % kPairs == head * 7 % kPairs;
            const tools::InputPair pair =
                tools::MakeInput(is_odd ? kind : tools::Inputs::kNormal, TypeOf<T>(), TypeOf<T>(),
                                 tools::HashOf(5, head, 0, k), 1.0, 0.0);
            const ElementIndices at = IndicesOf(pairing, k % kPairs, kPairs);
            x[head * 2 * kPairs + at.a] = FromBits<T>(pair.a);
            x[head * 2 * kPairs + at.b] = FromBits<T>(pair.b);
          }
          const posenc_heads heads = DenseHeads(x.data(), kHeads, 2 * kPairs);
          const internal::Tally tally =
              internal::WalkTokens(rotary->rotary, {1000, internal::List(), 1, kTokens}, {&heads, 1});
          EXPECT_LE(tally.recomputed, kAll / 1000)
              << static_cast<int>(kind) << (is_one ? ", one a head" : "");
          EXPECT_LE(tally.wide_sin_cos, kAll / 1000)
              << static_cast<int>(kind) << (is_one ? ", one a head" : "");
          EXPECT_LE(tally.doubles, is_one ? 4 * kTokens * kHeads : kAll / (is_wide_vector ? 10 : 4))
              << static_cast<int>(kind) << (is_one ? ", one a head" : "");
          if (is_one && name == "AVX2" && std::is_same_v<T, float>) {  // direct angles leave none undecided
            EXPECT_LE(tally.doubles, 4 * kTokens) << static_cast<int>(kind);
          }
        });
      }
    }
  }
}

// At angle 0 products with a short gain are exact. If they are midpoints, vectors round them.
TEST_P(RotaryTiers, TiesAtAngleZeroAreNotQueued) {
  if (IsReference()) GTEST_SKIP() << "the reference computes all pairs in wide arithmetic";
  constexpr std::size_t kHeads = 4, kPairs = 64;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(2 * kPairs, target()));
  ForEachType([&](auto element) {
    using T = decltype(element);
    PairMaker<T> maker(5);
    std::vector<T> x(kHeads * 2 * kPairs);
    for (T& e : x) e = maker.Normal(-4, 4);
    posenc_heads heads = DenseHeads(x.data(), kHeads, 2 * kPairs);
    heads.scale = 0.75;
    const internal::Tally tally =
        internal::WalkTokens(rotary->rotary, {0, internal::List(), 1, 1}, {&heads, 1});
    EXPECT_LE(tally.doubles, kHeads * kPairs / 4);  // half of them are midpoints
  });
}

// At eighths of a turn, sums cancel and wide arithmetic is needed. All heads of a token share its wide sines
// and cosines.
TEST_P(RotaryTiers, HeadsShareWideSinesAndCosines) {
  if (IsReference()) GTEST_SKIP() << "the reference computes each pair separately";
  constexpr std::size_t kHeads = 40, kPairs = 6;
  const std::vector<double> eighths(kPairs, 0.125);
  posenc_rotary_spec spec = ListedSpec(eighths, target());
  spec.unit = POSENC_TURNS;
  spec.amplitude = 1.1;
  const RotaryPtr rotary = CreateRotary(spec);
  std::vector<float> x(kHeads * 2 * kPairs, 1.0f);
  posenc_heads heads = DenseHeads(x.data(), kHeads, 2 * kPairs);
  heads.scale = 0.1;  // the gain has too many digits for two doubles
  const internal::Tally tally =
      internal::WalkTokens(rotary->rotary, {1, internal::List(), 1, 1}, {&heads, 1});
  EXPECT_EQ(tally.recomputed, kHeads * kPairs);
  EXPECT_EQ(tally.wide_sin_cos, kPairs);  // in 256 bits, where sine and cosine are known to be equal
}

// The code after the loops handles each pair. None needs wide arithmetic.
TEST_P(RotaryTiers, StillPairsAreNotWide) {
  const std::vector<double> zeros(67);
  const struct {
    posenc_rotary_spec spec;
    std::int64_t position;
  } cases[] = {{MakeRotarySpec(134, target()), 0}, {ListedSpec(zeros, target()), 1000}};
  for (const auto& one : cases) {
    const RotaryPtr rotary = CreateRotary(one.spec);
    ForEachType([&](auto element) {
      using T = decltype(element);
      for (const double scale : {0.75, 1.0, 1.0 + 0x1p-24, 0.1}) {
        PairMaker<T> maker(3);
        std::vector<T> x(5 * 134);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = k % 7 == 0 ? T() : maker.Normal(-4, 4);
        posenc_heads heads = DenseHeads(x.data(), 5, 134);
        heads.scale = scale;
        const internal::Tally tally =
            internal::WalkTokens(rotary->rotary, {one.position, internal::List(), 1, 1}, {&heads, 1});
        EXPECT_EQ(tally.recomputed, 0u) << scale;
        EXPECT_EQ(tally.widest, 0u) << scale;
      }
    });
  }
}

// Rows of a cache at consecutive positions come from angle addition over runs, which begins in float for
// bfloat16. Other rows do not.
TEST_P(RotaryTiers, CachesAreWrittenInRuns) {
  if (IsReference() || std::string(target()) == "SCALAR") GTEST_SKIP() << "adds no angles of rows";
  constexpr std::size_t kRows = 640, kDim = 128;
  std::vector<BFloat16> table(kRows * kDim);
  const posenc_cache cache = {POSENC_CACHE_COS_SIN, POSENC_BF16, table.data(), nullptr, kDim};
  posenc_rotary_spec spec = MakeRotarySpec(kDim, target());
  const auto left_by_floats = [&](std::size_t rows) {
    const RotaryPtr rotary = CreateRotary(spec);
    return internal::WalkCache(rotary->rotary, {100, internal::List(), 1, rows}, cache).doubles;
  };
  EXPECT_GT(left_by_floats(kRows), 0u);
  EXPECT_LT(left_by_floats(kRows), kRows * kDim / 20);
  EXPECT_EQ(left_by_floats(8), 0u);
  spec.amplitude = 1.1;
  EXPECT_EQ(left_by_floats(kRows), 0u);
}

POSENC_INSTANTIATE_PER_TARGET(RotaryTiers);

}  // namespace
}  // namespace posenc
