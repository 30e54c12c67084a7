// Named worst cases: entries that lie closer to a midpoint of two neighbours than any double can tell, so
// that a kernel without its rounding test, or with too small a window, rounds about half of them the wrong
// way.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// sin or cos of position * frequency, the relative distance from a midpoint, 2^bits, and the right answer.
// Constructed for each type: frequency = the double nearest to asin or acos of the midpoint over position,
// for the best of some 10^5 positions; both sides of midpoints, and magnitudes that rotations do not leave to
// the direct kernel.
struct Constructed {
  internal::ElementType type;
  double frequency;
  std::int64_t position;
  bool sine;
  float want;
  double bits;
};
constexpr Constructed kConstructed[] = {
    {internal::kFloat32, 0x1.dd8c0ad8b6392p-17, 824525, true, -0x1.7a6a4ep-1f, -66.2},
    {internal::kFloat32, 0x1.5feaa7db0a9f6p-20, 125150, true, 0x1.4e82d6p-3f, -67.0},
    {internal::kFloat32, 0x1.0cb1706bb29e2p-24, 800280, true, 0x1.99f72p-5f, -68.0},
    {internal::kFloat32, -0x1.5838b0e1c4f7ap-25, 356025, true, -0x1.d37b16p-7f, -66.8},
    {internal::kFloat32, 0x1.4d4cb5dc94e3bp-22, 224328, false, 0x1.fec25ap-1f, -66.7},
    {internal::kFloat32, 0x1.99c82530f9bdap-14, 147204, false, -0x1.eff858p-3f, -66.3},
    {internal::kFloat32, 0x1.8aea87f62cc28p-16, 65005, false, 0x1.4cf2bcp-5f, -65.9},
    {internal::kFloat32, 0x1.2d0f0b90441d2p-19, 695815, false, 0x1.48f9b6p-7f, -62.2},
    {internal::kBFloat16, -0x1.56f0b9522555ep-17, 104642, true, -0x1.cp-1f, -66.1},
    {internal::kBFloat16, -0x1.50bbdae5e662bp-22, 775205, true, -0x1.eep-3f, -71.9},
    {internal::kBFloat16, 0x1.82d0a24319f64p-24, 693058, true, 0x1.fep-5f, -66.3},
    {internal::kBFloat16, -0x1.bba64dd287ff5p-27, 867431, true, -0x1.7p-7f, -66.1},
    {internal::kBFloat16, 0x1.d19d6a40987abp-24, 999047, false, 0x1.fcp-1f, -67.0},
    {internal::kBFloat16, 0x1.f77ba9b60e9eep-20, 947335, false, -0x1.a4p-3f, -66.2},
    {internal::kBFloat16, 0x1.e59570e6c201cp-20, 841686, false, 0x1.8ap-5f, -72.9},
    {internal::kBFloat16, 0x1.07b4a14be351ep-18, 397203, false, 0x1.48p-7f, -63.6},
    {internal::kFloat16, 0x1.68dbfe47f9bd8p-18, 278488, true, 0x1.fe8p-1f, -67.3},
    {internal::kFloat16, 0x1.07053c12055ebp-21, 274034, true, 0x1.124p-3f, -66.1},
    {internal::kFloat16, 0x1.1227ff2b81ae3p-24, 907688, true, 0x1.da4p-5f, -66.9},
    {internal::kFloat16, 0x1.0a7474d6ae354p-25, 487625, true, 0x1.efcp-7f, -67.0},
    {internal::kFloat16, 0x1.d674d1e8a02f4p-22, 903830, false, 0x1.d84p-1f, -66.4},
    {internal::kFloat16, 0x1.373ddee0d001cp-18, 309955, false, 0x1.104p-3f, -66.1},
    {internal::kFloat16, 0x1.a13ec10da86a4p-19, 524171, false, -0x1.e08p-5f, -65.2},
    {internal::kFloat16, 0x1.97e3f90190a5ep-20, 1040437, false, -0x1.4dp-7f, -63.2},
    // Just large enough for a rotation, and too small, at frequencies so high that its products cancel and
    // leave their errors.
    {internal::kFloat32, 0x1.8deb952a37929p+0, 287, true, -0x1.0dd65ep-12f, -47.1},
    {internal::kFloat32, 0x1.a6ec13e2cae6fp+0, 58, false, 0x1.1afe1ep-12f, -46.5},
    {internal::kFloat32, 0x1.07e4ef4b6c3f0p+1, 64, true, 0x1.02b502p-12f, -46.2},
    {internal::kFloat32, 0x1.c0581b5200565p-1, 174, false, 0x1.265ff4p-12f, -48.5},
    {internal::kFloat32, 0x1.43eee086fbc10p+0, 144, true, 0x1.47faaep-19f, -45.7},
    {internal::kFloat32, 0x1.abb35d2ca5651p+0, 283, false, 0x1.073dccp-19f, -46.1},
    {internal::kBFloat16, 0x1.12c2c6a8b821ep+0, 281, true, 0x1.06p-14f, -53.1},
    {internal::kBFloat16, 0x1.5a03964c98c0bp+0, 43, false, -0x1.44p-14f, -50.9},
    {internal::kFloat16, 0x1.cb92156664bf1p-1, 63, true, 0x1.09p-14f, -46.7},
    {internal::kFloat16, 0x1.c7bd92b880d31p-1, 270, false, -0x1.424p-14f, -46.9},
};

// The hardest entries that posenc verify --full met (docs/exhaustion.md); for float32 see fallback_test.cc
// too.
struct Found {
  internal::ElementType type;
  std::size_t dim;
  double base;
  std::int64_t position;
  std::size_t pair;
  bool sine;
  float want;
  double bits;  // log2 of the distance from the midpoint, in units of the neighbours' distance
};
constexpr Found kFound[] = {
    {internal::kFloat32, 128, 10000, 10461481, 26, true, 0x1.f21ec2p-1f, -32.6},
    {internal::kFloat32, 128, 500000, 3681610, 18, true, -0x1.a0d3fep-3f, -32.0},
    {internal::kFloat32, 128, 500000, 548383, 19, false, -0x1.8c0496p-3f, -31.7},
    {internal::kFloat32, 768, 10000, 755824, 259, true, 0x1.c1682cp-1f, -31.1},
    {internal::kFloat32, 128, 1e+06, 2913351, 35, false, -0x1.459ac6p-1f, -31.1},
    {internal::kFloat32, 231, 586827.3376504133, -2146615753, 99, true, 0x1.fb4a06p-1f, -30.3},
    {internal::kFloat32, 128, 500000, 10727421, 46, false, 0x1.ec51a6p-2f, -30.2},
    {internal::kFloat32, 128, 1e+06, 2104169, 50, false, 0x1.6e9efp-1f, -30.2},
    {internal::kFloat32, 128, 500000, 6139768, 21, false, -0x1.ff8c9cp-1f, -29.9},
    {internal::kFloat32, 128, 10000, 3624423, 35, false, 0x1.c7547cp-1f, -29.7},
    {internal::kFloat32, 1024, 10000, 977267, 496, false, -0x1.c5fb8p-5f, -29.5},
    {internal::kBFloat16, 768, 10000, 93324, 340, true, 0x1.fcp-1f, -42.3},
    {internal::kBFloat16, 1024, 10000, 283010, 13, false, 0x1p+0f, -35.6},
    {internal::kBFloat16, 128, 500000, 4185147, 31, false, -0x1.4p-1f, -32.3},
    {internal::kBFloat16, 128, 1e+06, 1755338, 49, false, 0x1.76p-1f, -32.1},
    {internal::kBFloat16, 128, 10000, 1246149, 20, true, -0x1.06p-2f, -32.0},
    {internal::kBFloat16, 128, 10000, 12461490, 36, true, -0x1.06p-2f, -32.0},
    {internal::kBFloat16, 128, 1e+06, 12461490, 24, true, -0x1.06p-2f, -32.0},
    {internal::kBFloat16, 1024, 10000, 896344, 285, false, -0x1.1ap-2f, -31.7},
    {internal::kBFloat16, 128, 1e+06, 11280601, 30, true, -0x1.fap-1f, -31.5},
    {internal::kBFloat16, 64, 500000, 2147177479, 5, true, 0x1.fap-1f, -30.0},
    {internal::kFloat16, 64, 1e+07, 2146609790, 7, false, 0x1.3bp-1f, -36.8},
    {internal::kFloat16, 128, 1e+06, 12330653, 19, false, -0x1.f88p-1f, -36.1},
    {internal::kFloat16, 128, 10000, 10045140, 55, false, 0x1.9dcp-2f, -32.6},
    {internal::kFloat16, 1024, 10000, 1004514, 312, false, 0x1.9dcp-2f, -32.6},
    {internal::kFloat16, 768, 10000, 1004514, 234, false, 0x1.9dcp-2f, -32.6},
    {internal::kFloat16, 128, 10000, 1004514, 39, false, 0x1.9dcp-2f, -32.6},
    {internal::kFloat16, 128, 1e+06, 1004514, 26, false, 0x1.9dcp-2f, -32.6},
    {internal::kFloat16, 1024, 10000, 417965, 195, true, 0x1.b3cp-2f, -31.3},
    {internal::kFloat16, 768, 10000, 837877, 66, true, 0x1.f7cp-1f, -30.9},
    {internal::kFloat16, 128, 1e+06, 4842241, 1, false, -0x1.28cp-1f, -30.6},
    {internal::kFloat16, 128, 10000, 4874819, 20, true, 0x1.b34p-1f, -30.6},
};

// As kConstructed for float32, at one pair among many: sums are made a piece of the pairs at a time.
struct OfManyPairs {
  double frequency;  // of pair 0
  std::int64_t position;
  std::size_t pair;
  bool sine;
  float want;
  double bits;
};
constexpr std::size_t kManyDim = 1100;
constexpr OfManyPairs kOfManyPairs[] = {
    {0x1.eb1414d7dc5dcp-8, 575391, 520, true, 0x1.4eba6cp-1f, -66.5},
    {0x1.22a0369da2f54p-11, 362272, 530, false, 0x1.ffcc5cp-1f, -66.3},
    {0x1.f0742964d2322p-8, 1013482, 540, true, 0x1.938084p-1f, -66.0},
    {0x1.dcb1f9f8408f1p-7, 564353, 549, false, 0x1.57b21p-1f, -67.5},
};

class WorstCases : public PerTarget {};

template <class T>
void ExpectEntry(const std::vector<T>& table, std::size_t row, std::size_t dim, std::size_t column,
                 float want) {
  EXPECT_TRUE(SameBits(Value(table[row * dim + column]), want))
      << "row " << row << ", column " << column << ": " << Value(table[row * dim + column]) << ", not "
      << want;
}

// Calls check(table, row) with the position as the only one of a list, and on every row of a run around it:
// before and after the anchor of its group.
template <class T, class Check>
void ForEachWay(const Encoder& encoder, std::int64_t position, const Check& check) {
  constexpr std::size_t kRows = 16;
  check(WriteAt<T>(encoder, std::vector<std::int64_t>{position}), 0);
  for (std::size_t row = 0; row < kRows; ++row) {
    SCOPED_TRACE(testing::Message() << "row " << row << " of a run");
    check(Write<T>(encoder, position - static_cast<std::int64_t>(row), kRows), row);
  }
}

template <class T>
void ExpectConstructed(const char* target, const Constructed& c) {
  constexpr std::size_t kDim = 66;  // all pairs of base 1, so that every lane meets it, and the tail
  for (const Layout layout : kLayouts) {
    Spec spec = MakeSpec(kDim, target, layout);
    spec.base = 1.0;
    spec.position_scale = c.frequency;
    ForEachWay<T>(Create(spec), c.position, [&](const std::vector<T>& table, std::size_t row) {
      const std::size_t first = layout == Layout::kInterleaved          ? (c.sine ? 0 : 1)
                                : c.sine == (layout == Layout::kSinCos) ? 0
                                                                        : kDim / 2;
      const std::size_t step = layout == Layout::kInterleaved ? 2 : 1;
      for (std::size_t i = 0; i < kDim / 2; ++i) ExpectEntry(table, row, kDim, first + i * step, c.want);
    });
    if (std::string(target) == kReference) break;
  }
}

template <class T>
void ExpectFound(const char* target, const Found& f) {
  Spec spec = MakeSpec(f.dim, target);
  spec.base = f.base;
  ForEachWay<T>(Create(spec), f.position, [&](const std::vector<T>& table, std::size_t row) {
    ExpectEntry(table, row, f.dim, 2 * f.pair + (f.sine ? 0 : 1), f.want);
  });
}

TEST_P(WorstCases, ConstructedNextToMidpoints) {
  for (const Constructed& c : kConstructed) {
    SCOPED_TRACE(testing::Message() << "frequency " << c.frequency << ", position " << c.position << ": 2^"
                                    << c.bits << " from a midpoint of type " << c.type);
    if (c.type == internal::kFloat32) ExpectConstructed<float>(target(), c);
    if (c.type == internal::kBFloat16) ExpectConstructed<BFloat16>(target(), c);
    if (c.type == internal::kFloat16) ExpectConstructed<Float16>(target(), c);
  }
}

TEST_P(WorstCases, FoundByExhaustion) {
  for (const Found& f : kFound) {
    if (IsReference() && f.dim > 128) continue;  // slow
    SCOPED_TRACE(testing::Message() << "dim " << f.dim << ", base " << f.base << ", position " << f.position
                                    << ", pair " << f.pair << ": 2^" << f.bits << " from a midpoint of type "
                                    << f.type);
    if (f.type == internal::kFloat32) ExpectFound<float>(target(), f);
    if (f.type == internal::kBFloat16) ExpectFound<BFloat16>(target(), f);
    if (f.type == internal::kFloat16) ExpectFound<Float16>(target(), f);
  }
}

// Zeros become the encoding itself.
TEST_P(WorstCases, AddedAndAddedInBatches) {
  constexpr std::size_t kRows = 4, kRow = 2;
  for (const OfManyPairs& c : kOfManyPairs) {
    Spec spec = MakeSpec(kManyDim, target());
    spec.position_scale = c.frequency;
    const Encoder encoder = Create(spec);
    const std::int64_t firsts[] = {c.position - static_cast<std::int64_t>(kRow), c.position - 1};
    const std::size_t column = 2 * c.pair + (c.sine ? 0 : 1);
    std::vector<float> x(kRows * kManyDim), batch(2 * x.size());
    ASSERT_EQ(encoder.Add(firsts[0], kRows, x.data(), kManyDim), Status::kOk);
    ExpectEntry(x, kRow, kManyDim, column, c.want);
    ASSERT_EQ(encoder.AddBatch(firsts, 2, kRows, batch.data(), x.size(), kManyDim), Status::kOk);
    ExpectEntry(batch, kRow, kManyDim, column, c.want);
    ExpectEntry(batch, kRows + 1, kManyDim, column, c.want);
  }
}

// Near a zero of the first turn entries are small because of cancellation, which a rotation's absolute error
// does not survive, though the phase is small as well.
TEST_P(WorstCases, NearZerosOfTheFirstTurn) {
  constexpr std::size_t kRows = 41;
  constexpr double kHalfPi = 0x1.921fb54442d18p0;
  for (const int quarter_turns : {1, 2, 3, 4}) {
    for (const std::int64_t position : {40, 1000, 30001}) {
      for (const int bits : {16, 24, 30, 40}) {
        SCOPED_TRACE(testing::Message()
                     << quarter_turns << " quarter turns at " << position << " but for 2^-" << bits);
        Spec spec = MakeSpec(33, target(), bits == 24 ? Layout::kSinCos : Layout::kInterleaved);
        spec.base = 1.0;
        spec.position_scale =
            quarter_turns * kHalfPi * (1.0 + std::ldexp(1.0, -bits)) / static_cast<double>(position);
        const Encoder encoder = Create(spec);
        const std::int64_t first = position - static_cast<std::int64_t>(kRows / 2);
        ForEachType([&](auto element) {
          using T = decltype(element);
          const auto list = WriteAt<T>(encoder, Consecutive(first, kRows));
          EXPECT_TRUE(SameBits(Write<T>(encoder, first, kRows), list));
        });
      }
    }
  }
}

// Near a zero in the same vector as a pair whose phases are so small that its entries are exempt from the
// test for small ones: the next pair of a falling schedule, or the one before of a growing schedule.
TEST_P(WorstCases, NearZerosBesideTinyPhases) {
  if (IsReference()) GTEST_SKIP() << kReference << " has neither vectors nor rotations";
  constexpr std::size_t kRows = 41;
  constexpr double kHalfPi = 0x1.921fb54442d18p0;
  constexpr double kFactor = 7.5;  // from pair to pair, of which no other comes near a zero
  for (const Layout layout : kLayouts) {
    for (const std::int64_t position : {30011, 70003, 100001, 1000003}) {  // one may round right by chance
      for (const bool grows : {false, true}) {
        for (const int quarter_turns : {1, 2}) {
          SCOPED_TRACE(testing::Message() << quarter_turns << " quarter turns at " << position << ", "
                                          << Name(layout) << ", " << (grows ? "growing" : "falling"));
          Spec spec = MakeSpec(33, target(), layout);
          spec.exponent_dim = 32.0;
          spec.base = std::pow(kFactor, grows ? -16.0 : 16.0);
          spec.position_scale = quarter_turns * kHalfPi * (1.0 + 0x1p-40) / static_cast<double>(position) /
                                (grows ? kFactor : 1.0);
          const Encoder encoder = Create(spec);
          const std::int64_t first = position - static_cast<std::int64_t>(kRows / 2);
          ForEachType([&](auto element) {
            using T = decltype(element);
            const auto list = WriteAt<T>(encoder, Consecutive(first, kRows));
            EXPECT_TRUE(SameBits(Write<T>(encoder, first, kRows), list));
          });
        }
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(WorstCases);

}  // namespace
}  // namespace posenc
