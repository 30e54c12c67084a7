// Positions that are doubles, and rows of doubles, compared with MPFR.
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "double_positions.h"
#include "kernel_calls.h"

namespace posenc {
namespace {

class Doubles : public RoundedPerTarget {};

TEST_P(Doubles, PositionsOfGeometricSchedules) {
  for (const double base : {10000.0, 500000.0, 0.5}) {
    Spec spec = MakeSpec(22);
    spec.base = base;
    ExpectCorrectlyRounded(spec, Positions(1.0, RandomOnes()));
  }
}

// w_i = 10^-i is rational, so some positions make the angle a midpoint of two numbers.
TEST_P(Doubles, AnglesThatAreMidpoints) {
  Spec spec = MakeSpec(8);
  std::vector<double> positions = HardPositions(1.0);
  for (const double tens : {10.0, 100.0, 1000.0}) {
    for (const int exponent : {-30, -60, -90, -110, -125}) {
      positions.push_back(std::ldexp(0x1.000003p0 * tens, exponent));
      positions.push_back(-std::ldexp(0x1.01p0 * tens, exponent));
    }
  }
  // Midpoints next to an odd number, which is the neighbour closer to zero.
  for (int k = 0; k < 30; ++k) {
    for (const int exponent : {-118, -126}) {
      positions.push_back(std::ldexp(1.0 + (4 * k * k * k + 3) * 0x1p-24, exponent));
      positions.push_back(-std::ldexp((1.0 + (4 * k + 3) * 0x1p-24) * 100.0, exponent + 20));
    }
  }
  ExpectCorrectlyRounded(spec, positions);
  spec.base = 1.0;
  spec.position_scale = 0x1p-100;
  ExpectCorrectlyRounded(spec, HardPositions(1.0));
}

// Such an angle and its sine differ by 2^-200 or less. If the angle is a midpoint, the sine is below it.
// (Some are worst cases, with the right results.)
TEST_P(Doubles, MidpointsNeedManyBits) {
  const Encoder encoder = Create(MakeSpec(8, target()));
  const std::vector<double> positions = {0x1.000003p-118, -0x1.000003p-118, 0x1.000007p-120 * 10,
                                         0x1.01p-110};
  std::vector<float> rows(8 * positions.size());
  EXPECT_EQ(WalkList(encoder, positions, rows.data()).widest, 3u);  // 256 bits cannot decide
}

// Angles that are midpoints of doubles, so small that even 1,024 bits do not show that the sine is below.
TEST_P(Doubles, MidpointsOfTinyDoubles) {
  Spec spec = MakeSpec(4);
  spec.base = 1.0;
  spec.position_scale = 1.5;
  std::vector<double> positions;
  for (const int exponent : {-80, -120, -300, -511, -513, -600, -1000, -1021}) {
    for (const double mantissa : {0x1.0000000000001p0, -0x1.0000000000003p0, 0x1.4000000000001p0, 0x1.4p0}) {
      positions.push_back(std::ldexp(mantissa, exponent));
    }
  }
  ExpectCorrectlyRounded(spec, positions);
}

// Frequencies of more than a turn for each position. Whole turns may be left out at integers, but not at
// fractions.
TEST_P(Doubles, LargeFrequencies) {
  for (const double scale : {1e4, -2e9, 0x1.8p20}) {
    Spec spec = MakeSpec(9, nullptr, POSENC_SIN_COS);
    spec.position_scale = scale;
    std::vector<double> positions = HardPositions(scale);
    for (const double position : RandomPositions(RandomOnes(), 7)) {
      positions.push_back(position);
      positions.push_back(std::nearbyint(position));
    }
    ExpectCorrectlyRounded(spec, positions);
  }
}

TEST_P(Doubles, PhaseRoundingsRoundPositionsToFloat) {
  Spec spec = MakeSpec(10, target());
  spec.phase_rounding = POSENC_F32_POW_DIV;
  ExpectCorrectlyRounded(spec, Positions(1.0, RandomOnes()));
}

TEST_P(Doubles, RowsInEveryLayout) {
  const std::size_t rows = IsReference() ? 2 : 70;
  for (const posenc_layout layout : kLayouts) {
    for (const std::size_t dim : {1u, 2u, 3u, 31u, 64u, 530u}) {
      const Spec spec = MakeSpec(dim, target(), layout);
      EXPECT_TRUE(AreOracles(Write<double>(Create(spec), -5, rows), spec, Consecutive(-5, rows)));
    }
  }
}

bool AddsDoubles(const std::string& target) { return target != kReference && target != "SCALAR"; }

// Runs of doubles are computed by angle addition, and lists entry by entry. Both give the same rows.
void ExpectRowsOfList(const Encoder& encoder, std::int64_t first, std::size_t rows) {
  const std::size_t dim = encoder.dim();
  const auto got = Write<double>(encoder, first, rows);
  const auto want = WriteAt<double>(encoder, Consecutive<double>(first, rows));
  for (std::size_t r = 0; r < rows; ++r) {
    ASSERT_TRUE(SameBits(&got[r * dim], &want[r * dim], dim))
        << "dim " << dim << ", " << rows << " rows from " << first << ", row " << r;
  }
}

TEST_P(Doubles, RunsOfEveryLength) {
  if (!AddsDoubles(target())) GTEST_SKIP() << "this target does not add angles of doubles";
  for (const posenc_layout layout : kLayouts) {
    for (const std::size_t dim : {1u, 7u, 40u, 131u}) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      for (std::size_t rows = 1; rows <= 130; rows += dim > 7 ? 3 : 1) {
        for (const std::int64_t first : {0, 1, -37, -1000, 99999}) ExpectRowsOfList(encoder, first, rows);
      }
    }
  }
}

TEST_P(Doubles, RunsOfManyFrequencies) {
  const std::size_t rows = IsReference() ? 2 : 128;
  for (const double base : {10000.0, 500000.0, 1.5}) {
    for (const double scale : {1.0, -1.0, 1e-6, 3e5}) {
      Spec spec = MakeSpec(300, target());
      spec.base = base;
      spec.position_scale = scale;
      const Encoder encoder = Create(spec);
      for (const std::int64_t first :
           {std::int64_t{1}, std::int64_t{-64}, -POSENC_MAX_POSITION, POSENC_MAX_POSITION - 127}) {
        ExpectRowsOfList(encoder, first, rows);
      }
    }
  }
}

// With a phase rounding no angles are added.
TEST_P(Doubles, RunsOfPhaseRoundings) {
  for (const posenc_phase_rounding rounding : {POSENC_F32_POW_DIV, POSENC_F64_POW_DIV}) {
    Spec spec = MakeSpec(20, target());
    spec.phase_rounding = rounding;
    ExpectRowsOfList(Create(spec), 100, IsReference() ? 2 : 70);
  }
}

// Phases that are tiny, 0 or huge, also in units of turns. One pair may differ from its neighbours.
TEST_P(Doubles, RunsOfSpecialFrequencies) {
  const std::size_t rows = IsReference() ? 2 : 66;
  std::vector<double> frequencies = {0x1p-126, -0x1p-126, 0.0,  0x1.8p-80, 0x1p-30, -0x1.4p-25,
                                     0x1p-20,  1.0,       0.25, -0.0,      1.0 / 3, 0x1p28,
                                     -0x1p28,  12345.678, -7.0, 0.125};
  for (const bool only_tiny : {false, true}) {
    if (only_tiny) frequencies.resize(5);
    for (const posenc_unit unit : {POSENC_RADIANS, POSENC_TURNS}) {
      Spec spec = MakeSpec(2 * frequencies.size(), target(), POSENC_SIN_COS);
      spec.frequencies = frequencies.data();
      spec.frequency_count = frequencies.size();
      spec.unit = unit;
      if (unit == POSENC_RADIANS) spec.position_scale = 8.0;
      const Encoder encoder = Create(spec);
      for (const std::int64_t first :
           {std::int64_t{-33}, std::int64_t{1000}, -POSENC_MAX_POSITION, POSENC_MAX_POSITION - 65}) {
        ASSERT_TRUE(AreOracles(Write<double>(encoder, first, rows), spec, Consecutive(first, rows)));
      }
    }
  }
}

// Few entries are left undecided and computed again, since otherwise runs would not be faster. Frequency 0
// leaves none.
TEST_P(Doubles, FewAreTakenAgain) {
  if (!AddsDoubles(target())) GTEST_SKIP() << "this target does not add angles of doubles";
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

// A list of floats gives the same rows as a list of the same numbers as doubles.
TEST_P(Doubles, PositionsMayBeFloats) {
  std::vector<float> floats = {0.0f,    -0.0f,    0x1p-149f, -0x1.8p-127f, 0x1.000002p-126f,
                               0x1p31f, -0x1p31f, 0.1f};
  for (const double position : RandomPositions(IsReference() ? 20 : 200, 3)) {
    floats.push_back(static_cast<float>(position));
  }
  const std::vector<double> doubles(floats.begin(), floats.end());
  for (const posenc_phase_rounding rounding : {POSENC_NO_PHASE_ROUNDING, POSENC_F32_POW_DIV}) {
    for (const posenc_layout layout : kLayouts) {
      Spec spec = MakeSpec(37, target(), layout);
      spec.phase_rounding = rounding;
      const Encoder encoder = Create(spec);
      ForEachEntryType([&](auto element) {
        using T = decltype(element);
        const std::vector<T> want = WriteAt<T>(encoder, doubles);
        EXPECT_TRUE(SameBits(WriteAt<T>(encoder, floats), want));
        if constexpr (!std::is_same_v<T, double>) {
          auto sums = Activations<T>(want.size()), want_sums = sums;
          ASSERT_EQ(encoder.AddAt(doubles.data(), doubles.size(), {want_sums.data(), 37}, 1.5f), POSENC_OK);
          ASSERT_EQ(encoder.AddAt(floats.data(), floats.size(), {sums.data(), 37}, 1.5f), POSENC_OK);
          EXPECT_TRUE(SameBits(sums, want_sums));
        }
      });
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(Doubles);

}  // namespace
}  // namespace posenc
