// Positions and rows of doubles.
#include <cmath>
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
  ExpectCorrectlyRounded(spec, positions);
  spec.base = 1.0;
  spec.position_scale = 0x1p-100;
  ExpectCorrectlyRounded(spec, HardPositions(1.0));
}

// Such an angle and its sine are 2^-200 apart and less: where it is a midpoint, the sine is below it.
TEST_P(Doubles, MidpointsAreDecided) {
  const Encoder encoder = Create(MakeSpec(8, target()));
  const std::vector<double> positions = {0x1.000003p-118, -0x1.000003p-118, 0x1.000007p-120 * 10,
                                         0x1.01p-110};
  std::vector<float> rows(8 * positions.size());
  EXPECT_EQ(WalkList(encoder, positions, rows.data()).widest, 3u);  // 256 bits do not tell
  EXPECT_EQ(rows[0], 0x1.000002p-118f);
  EXPECT_EQ(rows[8], -0x1.000002p-118f);
}

// Angles that are midpoints of doubles, so small that not even 1,024 bits show the sine below them.
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
    ExpectCorrectlyRounded(spec, positions);
  }
}

TEST_P(Doubles, PhaseRoundingsRoundPositionsToFloat) {
  Spec spec = MakeSpec(10, target());
  spec.phase_rounding = PhaseRounding::kF32PowDiv;
  ExpectCorrectlyRounded(spec, Positions(1.0, RandomOnes()));
}

// Found among 80 million entries: what sums of two doubles alone would round the wrong way. (w is 1.)
TEST_P(Doubles, HardestRowsFound) {
  struct Hard {
    double position;
    bool sine;
    double want;
    double bits;  // log2 of the distance from the midpoint, relative to the entry
  };
  const Encoder encoder = Create(MakeSpec(2, target()));
  for (const Hard& hard : {Hard{0x1.be54e722f94f4p+2, false, 0x1.8aa26d1da61bcp-1, -74.6},
                           Hard{0x1.9ebf395feac8ep-1, true, 0x1.72da875d4895ap-1, -73.5},
                           Hard{0x1.5d31f39cd034dp+2, true, -0x1.78c95ace0ad17p-1, -76.7},
                           Hard{0x1.6ce72003586bep-1, false, 0x1.8360e4a26f8d6p-1, -73.6},
                           Hard{0x1.f59ab6f20dc6cp+1, false, -0x1.6cff646d2387ap-1, -72.7},
                           Hard{0x1.b91123a026d7fp+2, false, 0x1.a41a7ac2524ebp-1, -75.2},
                           Hard{0x1.e8d526a7fe0dap+1, false, -0x1.8ef2f2f9e4763p-1, -74.9},
                           Hard{0x1.325d64d66abaap+1, false, -0x1.7747f17471333p-1, -73.9}}) {
    const auto row = WriteAt<double>(encoder, std::vector<double>{hard.position});
    EXPECT_EQ(row[hard.sine ? 0 : 1], hard.want) << hard.position << ", 2^" << hard.bits;
  }
}

TEST_P(Doubles, RowsInEveryLayout) {
  const std::size_t rows = IsReference() ? 2 : 70;
  for (const Layout layout : kLayouts) {
    for (const std::size_t dim : {1u, 2u, 3u, 31u, 64u, 530u}) {
      const Spec spec = MakeSpec(dim, target(), layout);
      const Encoder encoder = Create(spec);
      const std::vector<double> got = Write<double>(encoder, -5, rows);
      const oracle::Oracle oracle(spec, POSENC_F64);
      std::vector<double> want(dim);
      for (std::size_t r = 0; r < rows; ++r) {
        oracle.Row(static_cast<double>(r) - 5.0, want.data());
        ASSERT_TRUE(SameBits(&got[r * dim], want.data(), dim))
            << Name(layout) << ", dim " << dim << ", row " << r;
      }
    }
  }
}

// A list of floats is the list of the same numbers as doubles.
TEST_P(Doubles, PositionsMayBeFloats) {
  std::vector<float> floats = {0.0f,    -0.0f,    0x1p-149f, -0x1.8p-127f, 0x1.000002p-126f,
                               0x1p31f, -0x1p31f, 0.1f};
  for (const double position : RandomPositions(IsReference() ? 20 : 200, 3)) {
    floats.push_back(static_cast<float>(position));
  }
  const std::vector<double> doubles(floats.begin(), floats.end());
  for (const PhaseRounding rounding : {PhaseRounding::kNone, PhaseRounding::kF32PowDiv}) {
    for (const Layout layout : kLayouts) {
      Spec spec = MakeSpec(37, target(), layout);
      spec.phase_rounding = rounding;
      const Encoder encoder = Create(spec);
      ForEachEntryType([&](auto element) {
        using T = decltype(element);
        const std::vector<T> want = WriteAt<T>(encoder, doubles);
        EXPECT_TRUE(SameBits(WriteAt<T>(encoder, floats), want));
        if constexpr (!std::is_same_v<T, double>) {
          auto sums = Activations<T>(want.size()), want_sums = sums;
          ASSERT_EQ(encoder.AddAt(doubles.data(), doubles.size(), want_sums.data(), 37, 1.5f), Status::kOk);
          ASSERT_EQ(encoder.AddAt(floats.data(), floats.size(), sums.data(), 37, 1.5f), Status::kOk);
          EXPECT_TRUE(SameBits(sums, want_sums));
        }
      });
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(Doubles);

}  // namespace
}  // namespace posenc
