// Named worst cases: entries closer to a midpoint of two numbers than a double can tell. If a kernel has no
// rounding test, or a too small window, it rounds about half of them wrongly.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// Positions and frequencies whose product has a sine or a cosine near a midpoint, at a relative distance of
// 2^-46 to 2^-73. They were constructed for each type: the frequency is the double nearest to asin or acos of
// the midpoint, divided by the position, for the best of some 10^5 positions. They are on both sides of
// midpoints, and large enough for angle addition to decide. The last ones for each type are just large enough
// for that, or just too small. Their frequencies are so high that the products in angle addition cancel and
// leave their errors.
struct Constructed {
  double frequency;
  std::int64_t position;
};
constexpr Constructed kConstructedFloats[] = {
    {0x1.dd8c0ad8b6392p-17, 824525},  {0x1.5feaa7db0a9f6p-20, 125150}, {0x1.0cb1706bb29e2p-24, 800280},
    {-0x1.5838b0e1c4f7ap-25, 356025}, {0x1.4d4cb5dc94e3bp-22, 224328}, {0x1.99c82530f9bdap-14, 147204},
    {0x1.8aea87f62cc28p-16, 65005},   {0x1.2d0f0b90441d2p-19, 695815}, {0x1.8deb952a37929p+0, 287},
    {0x1.a6ec13e2cae6fp+0, 58},       {0x1.07e4ef4b6c3f0p+1, 64},      {0x1.c0581b5200565p-1, 174},
    {0x1.43eee086fbc10p+0, 144},      {0x1.abb35d2ca5651p+0, 283}};
constexpr Constructed kConstructedBFloat16s[] = {
    {-0x1.56f0b9522555ep-17, 104642}, {-0x1.50bbdae5e662bp-22, 775205}, {0x1.82d0a24319f64p-24, 693058},
    {-0x1.bba64dd287ff5p-27, 867431}, {0x1.d19d6a40987abp-24, 999047},  {0x1.f77ba9b60e9eep-20, 947335},
    {0x1.e59570e6c201cp-20, 841686},  {0x1.07b4a14be351ep-18, 397203},  {0x1.12c2c6a8b821ep+0, 281},
    {0x1.5a03964c98c0bp+0, 43}};
constexpr Constructed kConstructedFloat16s[] = {
    {0x1.68dbfe47f9bd8p-18, 278488}, {0x1.07053c12055ebp-21, 274034},  {0x1.1227ff2b81ae3p-24, 907688},
    {0x1.0a7474d6ae354p-25, 487625}, {0x1.d674d1e8a02f4p-22, 903830},  {0x1.373ddee0d001cp-18, 309955},
    {0x1.a13ec10da86a4p-19, 524171}, {0x1.97e3f90190a5ep-20, 1040437}, {0x1.cb92156664bf1p-1, 63},
    {0x1.c7bd92b880d31p-1, 270}};

// Cases that the direct kernel's short polynomials would round wrongly: 2^-45 to 2^-43 from a midpoint.
constexpr Constructed kQuickFloats[] = {{0x1.056363e851043p-8, 4835},  {0x1.468c5466d278cp-5, 50371},
                                        {0x1.12edded4ffdecp-8, 48260}, {0x1.a01d605128112p-10, 79063},
                                        {0x1.63dd1910d1332p-4, 98050}, {0x1.c5ff1013de20ap-5, 83537},
                                        {0x1.9e8f50208c098p-2, 17763}, {0x1.8031800709c4ep-4, 53904}};
constexpr Constructed kQuickBFloat16s[] = {{0x1.9d577f76b6471p-15, 58513},
                                           {0x1.467346f5a35d2p-14, 65593},
                                           {0x1.8643bb76d84f7p-14, 12885},
                                           {0x1.e9b87443e1154p-13, 42675}};
constexpr Constructed kQuickFloat16s[] = {{0x1.617f30d8de737p-13, 58513},
                                          {0x1.1865cebd06774p-13, 65593},
                                          {0x1.0e7ed3963ec3p-13, 12885},
                                          {0x1.846483ce7ad0bp-14, 42675}};

// Rows with the hardest entries that posenc verify --full met (docs/exhaustion.md). Their distance from a
// midpoint is 2^-42 or more of the distance between neighbours. For float see fallback_test.cc too.
struct Found {
  std::size_t dim;
  double base;
  std::int64_t position;
};
constexpr Found kFoundFloats[] = {
    {128, 10000, 10461481},  {128, 500000, 3681610}, {128, 500000, 548383},
    {768, 10000, 755824},    {128, 1e+06, 2913351},  {231, 586827.3376504133, -2146615753},
    {128, 500000, 10727421}, {128, 1e+06, 2104169},  {128, 500000, 6139768},
    {128, 10000, 3624423},   {1024, 10000, 977267}};
constexpr Found kFoundBFloat16s[] = {{768, 10000, 93324},     {1024, 10000, 283010}, {128, 500000, 4185147},
                                     {128, 1e+06, 1755338},   {128, 10000, 1246149}, {128, 10000, 12461490},
                                     {128, 1e+06, 12461490},  {1024, 10000, 896344}, {128, 1e+06, 11280601},
                                     {64, 500000, 2147177479}};
constexpr Found kFoundFloat16s[] = {{64, 1e+07, 2146609790}, {128, 1e+06, 12330653}, {128, 10000, 10045140},
                                    {1024, 10000, 1004514},  {768, 10000, 1004514},  {128, 10000, 1004514},
                                    {128, 1e+06, 1004514},   {1024, 10000, 417965},  {768, 10000, 837877},
                                    {128, 1e+06, 4842241},   {128, 10000, 4874819}};

// Like kConstructedFloats, for one of the pairs 520 to 549. Sums are computed in chunks of pairs.
constexpr std::size_t kManyDim = 1100;
constexpr Constructed kOfManyPairs[] = {{0x1.eb1414d7dc5dcp-8, 575391},
                                        {0x1.22a0369da2f54p-11, 362272},
                                        {0x1.f0742964d2322p-8, 1013482},
                                        {0x1.dcb1f9f8408f1p-7, 564353}};

class WorstCases : public PerTarget {};

// The row at a position must be the oracle's: alone in a list, and as every row of a run around it, before
// and after the anchor of its group.
template <class T>
void ExpectRow(const Spec& spec, std::int64_t position) {
  constexpr std::size_t kRows = 16;
  SCOPED_TRACE(testing::Message() << "dim " << spec.dim << ", base " << spec.base << ", scale "
                                  << spec.position_scale << ", " << Name(spec.layout) << ", position "
                                  << position);
  const std::vector<T> want = OracleRow<T>(spec, static_cast<double>(position));
  const Encoder encoder = Create(spec);
  EXPECT_TRUE(SameBits(WriteAt<T>(encoder, std::vector<std::int64_t>{position}), want));
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::vector<T> run = Write<T>(encoder, position - static_cast<std::int64_t>(row), kRows);
    EXPECT_TRUE(SameBits(&run[row * spec.dim], want.data(), spec.dim)) << "row " << row << " of a run";
  }
}

// The base is 1, so that all pairs have the same frequency, in every lane and in the tail.
template <class T, std::size_t kCount>
void ExpectConstructed(const char* target, const Constructed (&cases)[kCount]) {
  for (const Constructed& c : cases) {
    for (const posenc_layout layout : kLayouts) {
      Spec spec = MakeSpec(66, target, layout);
      spec.base = 1.0;
      spec.position_scale = c.frequency;
      ExpectRow<T>(spec, c.position);
      if (std::string(target) == kReference) break;
    }
  }
}

TEST_P(WorstCases, ConstructedNextToMidpoints) {
  ExpectConstructed<float>(target(), kConstructedFloats);
  ExpectConstructed<BFloat16>(target(), kConstructedBFloat16s);
  ExpectConstructed<Float16>(target(), kConstructedFloat16s);
}

TEST_P(WorstCases, QuickTermsBesideMidpoints) {
  ExpectConstructed<float>(target(), kQuickFloats);
  ExpectConstructed<BFloat16>(target(), kQuickBFloat16s);
  ExpectConstructed<Float16>(target(), kQuickFloat16s);
}

template <class T, std::size_t kCount>
void ExpectFound(const char* target, const Found (&cases)[kCount]) {
  for (const Found& f : cases) {
    if (std::string(target) == kReference && f.dim > 128) continue;  // slow
    Spec spec = MakeSpec(f.dim, target);
    spec.base = f.base;
    ExpectRow<T>(spec, f.position);
  }
}

TEST_P(WorstCases, FoundByExhaustion) {
  ExpectFound<float>(target(), kFoundFloats);
  ExpectFound<BFloat16>(target(), kFoundBFloat16s);
  ExpectFound<Float16>(target(), kFoundFloat16s);
}

// Adds to zeros, which gives the encoding itself.
TEST_P(WorstCases, AddedAndAddedInBatches) {
  constexpr std::size_t kRows = 4, kRow = 2, kSize = kRows * kManyDim;
  for (const Constructed& c : kOfManyPairs) {
    Spec spec = MakeSpec(kManyDim, target());
    spec.position_scale = c.frequency;
    const Encoder encoder = Create(spec);
    const std::vector<float> want = OracleRow<float>(spec, static_cast<double>(c.position));
    const std::int64_t firsts[] = {c.position - static_cast<std::int64_t>(kRow), c.position - 1};
    std::vector<float> x(3 * kSize);
    ASSERT_EQ(encoder.Add(firsts[0], kRows, {x.data(), kManyDim}), POSENC_OK);
    ASSERT_EQ(encoder.AddBatch({2, kSize, List(firsts)}, 0, kRows, {&x[kSize], kManyDim}), POSENC_OK);
    for (const std::size_t row : {kRow, kRows + kRow, 2 * kRows + 1}) {
      EXPECT_TRUE(SameBits(&x[row * kManyDim], want.data(), kManyDim))
          << "frequency " << c.frequency << ", row " << row;
    }
  }
}

constexpr double kHalfPi = 0x1.921fb54442d18p0;

// Compares a run with a list. The position is in the middle.
void ExpectRunIsList(const Spec& spec, std::int64_t position) {
  constexpr std::size_t kRows = 41;
  const Encoder encoder = Create(spec);
  const std::int64_t first = position - static_cast<std::int64_t>(kRows / 2);
  ForEachType([&](auto element) {
    using T = decltype(element);
    EXPECT_TRUE(SameBits(Write<T>(encoder, first, kRows), WriteAt<T>(encoder, Consecutive(first, kRows))));
  });
}

// Near a zero in the first turn the phase is small, but entries are small because of cancellation. The
// absolute error of angle addition is too large for them.
TEST_P(WorstCases, NearZerosOfTheFirstTurn) {
  for (const int quarter_turns : {1, 2, 3, 4}) {
    for (const std::int64_t position : {40, 1000, 30001}) {
      for (const int bits : {16, 24, 30, 40}) {
        SCOPED_TRACE(testing::Message()
                     << quarter_turns << " quarter turns at " << position << " but for 2^-" << bits);
        Spec spec = MakeSpec(33, target(), bits == 24 ? POSENC_SIN_COS : POSENC_INTERLEAVED);
        spec.base = 1.0;
        spec.position_scale =
            quarter_turns * kHalfPi * (1.0 + std::ldexp(1.0, -bits)) / static_cast<double>(position);
        ExpectRunIsList(spec, position);
      }
    }
  }
}

// An entry near a zero, in the same vector as a pair with tiny phases, which is exempt from the test for
// small entries. It is the next pair if frequencies fall, or the one before if they grow.
TEST_P(WorstCases, NearZerosBesideTinyPhases) {
  if (IsReference()) GTEST_SKIP() << kReference << " has neither vectors nor angle addition";
  constexpr double kFactor = 7.5;  // from pair to pair; no other pair comes near a zero
  for (const posenc_layout layout : kLayouts) {
    for (const std::int64_t position : {30011, 70003, 100001, 1000003}) {  // one may be right by chance
      for (const bool grows : {false, true}) {
        for (const int quarter_turns : {1, 2}) {
          SCOPED_TRACE(testing::Message() << quarter_turns << " quarter turns at " << position << ", "
                                          << Name(layout) << ", " << (grows ? "growing" : "falling"));
          Spec spec = MakeSpec(33, target(), layout);
          spec.exponent_dim = 32.0;
          spec.base = std::pow(kFactor, grows ? -16.0 : 16.0);
          spec.position_scale = quarter_turns * kHalfPi * (1.0 + 0x1p-40) / static_cast<double>(position) /
                                (grows ? kFactor : 1.0);
          ExpectRunIsList(spec, position);
        }
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(WorstCases);

}  // namespace
}  // namespace posenc
