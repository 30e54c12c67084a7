// Frequencies that the caller lists.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "double_positions.h"
#include "kernel_calls.h"

namespace posenc {
namespace {

class Listed : public RoundedPerTarget {};

TEST_P(Listed, ListedFrequencies) {
  const std::vector<double> doubles = {1.0, -0.1, 0.0, 0x1p-125, 1e-3, 5.0, 3e8, kPi};
  const std::vector<float> floats(doubles.begin(), doubles.end());
  for (const posenc_unit unit : {POSENC_RADIANS, POSENC_HALF_TURNS, POSENC_TURNS}) {
    for (const bool is_double : {true, false}) {
      Spec spec = MakeSpec(is_double ? 16 : 15, nullptr, is_double ? POSENC_INTERLEAVED : POSENC_COS_SIN);
      spec.frequency_count = doubles.size();
      spec.unit = unit;
      if (is_double) {
        spec.frequencies = doubles.data();
      } else {
        spec.frequencies_f32 = floats.data();
      }
      const double frequency = unit == POSENC_RADIANS ? 1.0 : unit == POSENC_TURNS ? 4.0 : 2.0;
      // In turns, multiples of a quarter give exact zeros and ones.
      std::vector<double> positions = Positions(frequency, RandomOnes() / 2);
      for (double eighths = -20.0; eighths < 20.0; ++eighths) positions.push_back(eighths / 8);
      if (is_double || unit != POSENC_RADIANS) ExpectCorrectlyRounded(spec, positions);
      spec.position_scale = 0.75;
      ExpectCorrectlyRounded(spec, positions);
    }
  }
}

// Steps that are exact with all their digits, up to the largest one and just beyond, at positions with many
// digits.
TEST_P(Listed, ExactStepsAtLargePositions) {
  const std::vector<double> up_to_12 = {0x1.00001da5161d5p+9,  0x1.fffffffffffffp+9,  0x1p10,
                                        -0x1.23456789abcdfp+8, 0x1.edcba987654321p-3, 0x1.3p-4};
  const std::vector<double> beyond = {0x1.00001da5161d5p+16,  0x1.8p17,  1.0,
                                      0x1.00000000000001p+10, -0x1.fp26, 0.1};
  std::vector<double> positions = {0x1.fffffffffffffp+30, -0x1.fffffffffffffp+30, 0x1p31, 0.75};
  for (const double position : RandomPositions(2 * RandomOnes(), 11)) {
    positions.push_back(position);
    positions.push_back(std::copysign(0x1p31, position) - position);
  }
  for (const std::vector<double>& frequencies : {up_to_12, beyond, std::vector<double>(6, beyond[0])}) {
    for (const posenc_unit unit : {POSENC_HALF_TURNS, POSENC_TURNS}) {
      Spec spec = MakeSpec(12);
      spec.frequencies = frequencies.data();
      spec.frequency_count = frequencies.size();
      spec.unit = unit;
      ExpectCorrectlyRounded(spec, positions);
    }
  }
}

// Runs add angles for listed frequencies too. The rows equal the rows of a list of the same positions.
TEST_P(Listed, ListedFrequenciesInRuns) {
  if (IsReference()) GTEST_SKIP() << "the reference adds no angles";
  std::vector<double> frequencies(37);
  for (int k = 0; k < 37; ++k) frequencies[static_cast<std::size_t>(k)] = std::ldexp(1.0 + k, -k);
  frequencies[1] = 0.0;  // next to a frequency with large sines
  for (const posenc_unit unit : {POSENC_RADIANS, POSENC_HALF_TURNS, POSENC_TURNS}) {
    for (const posenc_layout layout : kLayouts) {
      Spec spec = MakeSpec(74, target(), layout);
      spec.frequencies = frequencies.data();
      spec.frequency_count = frequencies.size();
      spec.unit = unit;
      const Encoder encoder = Create(spec);
      const std::int64_t first = 1000;
      ForEachEntryType([&](auto type) {
        using T = decltype(type);
        const std::vector<T> run = Write<T>(encoder, first, 200);
        EXPECT_TRUE(SameBits(WriteAt<T>(encoder, Consecutive<double>(first, 200)), run));
        if (std::is_same_v<T, double>) return;  // a run of doubles is computed like a list
        ASSERT_TRUE(AreOracles(run, spec, Consecutive(first, 200)));
      });
    }
  }
}

TEST_P(Listed, ListsAreCopied) {
  std::vector<double> frequencies = {1.0, 0.5, 0.25};
  Spec spec = MakeSpec(6, target());
  spec.frequencies = frequencies.data();
  spec.frequency_count = 3;
  spec.unit = POSENC_TURNS;
  const Encoder encoder = Create(spec);
  const auto before = Write(encoder, 0, 8);
  frequencies = {7.0, 7.0, 7.0};
  EXPECT_TRUE(SameBits(Write(encoder, 0, 8), before));
  EXPECT_EQ(encoder.Radians(1), kPi);
}

// In turns the zeros are exact, so wide arithmetic is not needed to find them.
TEST_P(Listed, WholeTurnsNeedNoLastResort) {
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

TEST_P(Listed, AListOfAnyAlignment) {
  unsigned char memory[1 + 2 * sizeof(double)];
  const double frequencies[] = {1.0, 0.5};
  std::memcpy(&memory[1], frequencies, sizeof(frequencies));
  Spec spec = MakeSpec(4, target());
  spec.frequencies = reinterpret_cast<const double*>(&memory[1]);
  spec.frequency_count = 2;
  EXPECT_EQ(Create(spec).Radians(1), 0.5);
}

POSENC_INSTANTIATE_PER_TARGET(Listed);

}  // namespace
}  // namespace posenc
