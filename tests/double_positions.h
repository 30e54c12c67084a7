// Hard positions that are doubles, and a fixture that compares the rows at such positions with MPFR, in every
// type.
#ifndef POSENC_TESTS_DOUBLE_POSITIONS_H_
#define POSENC_TESTS_DOUBLE_POSITIONS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {

inline constexpr double kPi = 3.14159265358979323846;

// Positions at which rounding is hard for frequencies near `frequency`.
inline std::vector<double> HardPositions(double frequency) {
  std::vector<double> positions = {
      0.0,          -0.0,       0.5,      -0.25,    1.0,       1.5,
      -7.0,         0x1p-20,    0x1p-126, 0x1p-149, -0x1p-300, 0x1p-1074,
      -0x1p-1022,   0x1.8p-127, 1e-40,    0x1p31,   -0x1p31,   0x1.fffffffffffffp30,
      0x1p24 + 0.5, 1e9 + 0.1};
  // The double nearest to a multiple of pi/2, and its neighbours.
  for (const double multiple : {1.0, 2.0, 3.0, 101.0, 65536.0, 1e6 + 1, 1e9 + 3}) {
    const double position = multiple * kPi / 2 / frequency;
    if (std::fabs(position) > 0x1.fffffp30) continue;
    positions.push_back(position);
    positions.push_back(std::nextafter(position, 0.0));
    positions.push_back(-std::nextafter(position, HUGE_VAL));
  }
  // Angles so small that the sine is next to the angle, which is a midpoint of two floats, bfloat16s or
  // float16s.
  for (const double midpoint : {0x1.000003p0, 0x1.01p0, 0x1.fffffdp0, 0x1.002p0}) {
    for (const int exponent : {-12, -13, -14, -24, -40, -80, -100, -120, -126, -140}) {
      positions.push_back(std::ldexp(midpoint, exponent) / frequency);
    }
  }
  return positions;
}

inline std::vector<double> RandomPositions(std::size_t count, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> positions;
  for (std::size_t n = 0; n < count; ++n) {
    const int exponent = static_cast<int>(random() % 64) - 32;
    const double mantissa = std::ldexp(static_cast<double>(random() >> 11), -53);
    positions.push_back(std::ldexp(n % 2 == 0 ? mantissa : -mantissa, exponent < 31 ? exponent : 31));
  }
  return positions;
}

inline std::vector<double> Positions(double frequency, std::size_t random_ones) {
  std::vector<double> positions = HardPositions(frequency);
  for (const double position : RandomPositions(random_ones, 20261121)) positions.push_back(position);
  return positions;
}

class RoundedPerTarget : public PerTarget {
 protected:
  std::size_t RandomOnes() const { return IsReference() ? 20 : 200; }

  void ExpectCorrectlyRounded(Spec spec, const std::vector<double>& positions) {
    spec.target = target();
    const Encoder encoder = Create(spec);
    ASSERT_EQ(encoder.dim(), spec.dim);
    ForEachEntryType([&](auto type) {
      using T = decltype(type);
      ASSERT_TRUE(AreOracles(WriteAt<T>(encoder, positions), spec, positions));
    });
  }
};

}  // namespace posenc

#endif  // POSENC_TESTS_DOUBLE_POSITIONS_H_
