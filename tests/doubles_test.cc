// Positions that are doubles.
#include <cmath>
#include <limits>
#include <vector>

#include "double_positions.h"

namespace posenc {
namespace {

class Doubles : public ExactPerTarget {};

TEST_P(Doubles, PositionsOfGeometricSchedules) {
  for (const double base : {10000.0, 500000.0, 0.5}) {
    Spec spec = MakeSpec(22);
    spec.base = base;
    ExpectExact(spec, Positions(1.0, RandomOnes()));
  }
}

// w_i = 10^-i: rational, so that positions can make an angle a midpoint.
TEST_P(Doubles, AnglesThatAreMidpoints) {
  Spec spec = MakeSpec(8);
  std::vector<double> positions = HardPositions(1.0);
  for (const double tens : {10.0, 100.0, 1000.0}) {
    for (const int exponent : {-30, -60, -90, -110, -125}) {
      positions.push_back(std::ldexp(0x1.000003p0 * tens, exponent));
      positions.push_back(-std::ldexp(0x1.01p0 * tens, exponent));
    }
  }
  // Beside an odd number, which is the one nearer to zero.
  for (int k = 0; k < 30; ++k) {
    for (const int exponent : {-118, -126}) {
      positions.push_back(std::ldexp(1.0 + (4 * k * k * k + 3) * 0x1p-24, exponent));
      positions.push_back(-std::ldexp((1.0 + (4 * k + 3) * 0x1p-24) * 100.0, exponent + 20));
    }
  }
  ExpectExact(spec, positions);
  spec.base = 1.0;
  spec.position_scale = 0x1p-100;
  ExpectExact(spec, HardPositions(1.0));
}

// Such an angle and its sine are 2^-200 apart and less: where it is a midpoint, the sine is below it.
TEST_P(Doubles, MidpointsAreDecided) {
  const Encoder encoder = Create(MakeSpec(8, target()));
  const std::vector<double> positions = {0x1.000003p-118, -0x1.000003p-118, 0x1.000007p-120 * 10,
                                         0x1.01p-110};
  std::vector<float> rows(8 * positions.size());
  EXPECT_EQ(ListKernel(encoder, positions, rows.data()).undecided, 0u);
  EXPECT_EQ(rows[0], 0x1.000002p-118f);
  EXPECT_EQ(rows[8], -0x1.000002p-118f);
}

// Frequencies beyond a turn per step: whole positions may leave whole turns out, others may not.
TEST_P(Doubles, LargeFrequencies) {
  for (const double scale : {1e4, -2e9, 0x1.8p20}) {
    Spec spec = MakeSpec(9, nullptr, Layout::kSinCos);
    spec.position_scale = scale;
    std::vector<double> positions = HardPositions(scale);
    for (const double position : RandomPositions(RandomOnes(), 7)) {
      positions.push_back(position);
      positions.push_back(std::nearbyint(position));
    }
    ExpectExact(spec, positions);
  }
}

TEST_P(Doubles, RecipesRoundPositionsToFloat) {
  Spec spec = MakeSpec(10, target());
  spec.recipe = Recipe::kF32PowDiv;
  ExpectExact(spec, Positions(1.0, RandomOnes()));
}

TEST_P(Doubles, AddsAtDoublePositions) {
  const Encoder encoder = Create(MakeSpec(7, target()));
  const std::vector<double> positions = RandomPositions(9, 3);
  const std::vector<float> table = WriteAt(encoder, positions);
  std::vector<float> x(table.size(), 0.1f);
  ASSERT_EQ(encoder.AddAt(positions.data(), positions.size(), x.data(), 7, 3.0f), Status::kOk);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const float product = 0.1f * 3.0f;
    EXPECT_EQ(x[k], product + table[k]) << k;
  }
}

TEST_P(Doubles, BadPositionsAreRefused) {
  const Encoder encoder = Create(MakeSpec(4, target()));
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {kNan, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31, -0x1.0000000000001p31, 1e300}) {
    const std::vector<double> positions = {0.5, bad, 1.0};
    std::vector<float> x(12, 3.0f);
    std::vector<double> y(12, 3.0);
    std::size_t index = 9;
    EXPECT_EQ(encoder.WriteAt(positions.data(), 3, x.data(), 4, &index), Status::kPositionOutOfRange) << bad;
    EXPECT_EQ(index, 1u);
    index = 9;
    EXPECT_EQ(encoder.WriteAt(positions.data(), 3, y.data(), 4, &index), Status::kPositionOutOfRange) << bad;
    EXPECT_EQ(index, 1u);
    EXPECT_EQ(encoder.AddAt(positions.data(), 3, x.data(), 4, 1.0f), Status::kPositionOutOfRange) << bad;
    EXPECT_EQ(x, std::vector<float>(12, 3.0f));
    EXPECT_EQ(y, std::vector<double>(12, 3.0));
  }
  const double good[] = {0x1p31, -0x1p31};
  std::vector<double> y(8);
  EXPECT_EQ(encoder.WriteAt(good, 2, y.data(), 4), Status::kOk);
  EXPECT_EQ(encoder.WriteAt(static_cast<const double*>(nullptr), 1, y.data(), 4), Status::kNullPointer);
  EXPECT_EQ(encoder.WriteAt(y.data(), 1, y.data(), 4), Status::kBuffersOverlap);
}

POSENC_INSTANTIATE_PER_TARGET(Doubles);

}  // namespace
}  // namespace posenc
