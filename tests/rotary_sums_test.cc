// Phases that are sums over axes, as RoPE-Mixed has them: each pair turns by all axes of a position, exactly,
// by the oracle. Here are sums that add up, that cancel, wholly or but for their last digits, and known
// angles.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "rotary_tensors.h"
#include "spec_words.h"

namespace posenc {
namespace {

// A list by axis: [axes, pairs].
using Frequencies = std::vector<std::vector<double>>;

class RotarySums : public ExactPerTarget {
 protected:
  // The list stays as long as the test.
  posenc_rotary_spec SpecOf(const Frequencies& frequencies, posenc_unit unit = POSENC_RADIANS) {
    posenc_rotary_spec spec = Spec(2 * frequencies[0].size());
    std::vector<double>& list = lists_.emplace_back();
    for (const auto& of_axis : frequencies) list.insert(list.end(), of_axis.begin(), of_axis.end());
    spec.axes = frequencies.size();
    spec.axis_order = POSENC_SUMMED_AXES;
    spec.frequencies = list.data();
    spec.frequency_count = list.size();
    spec.unit = unit;
    return spec;
  }

  // Frequencies that training may have left: of both signs, mostly below 1.
  Frequencies Learned(std::size_t axes, std::size_t pairs) {
    Frequencies frequencies(axes, std::vector<double>(pairs));
    for (auto& of_axis : frequencies) {
      for (double& w : of_axis)
        w = std::ldexp(static_cast<double>(normal_(random_)), -static_cast<int>(random_() % 8));
    }
    return frequencies;
  }

  // Rotations of every kind of elements, and caches, in every type. Positions [tokens][axes].
  void ExpectRight(const posenc_rotary_spec& spec, const std::vector<std::vector<double>>& positions,
                   double amplitude = 1.25) {
    std::vector<double> by_axis;
    for (std::size_t k = 0; k < spec.axes; ++k) {
      for (const auto& position : positions) by_axis.push_back(position[k]);
    }
    const TurnTable turns(spec, by_axis);
    ExpectKinds(spec, turns, 3, {amplitude, 0.3, false});
    ExpectKinds(spec, turns, 2, {1.0, 1.0, false});
    ForEachType([&](auto entry) { ExpectCaches<decltype(entry)>(spec, turns, amplitude, 0, 0); });
    ExpectCaches<double>(spec, turns, amplitude, 1, 0);
    ExpectCaches<double>(spec, turns, 1.0, 0, 4);
    ExpectFast(spec, turns);
  }

  // POSENC_FAST, in whose words cosine and sine are floats and each operation rounds to float.
  void ExpectFast(posenc_rotary_spec spec, const TurnTable& turns) {
    spec.arithmetic = POSENC_FAST;
    PairMaker<float> maker(5);
    ExpectRotated<float>(
        spec, turns, 2, {{1.0, 1.0, false}}, pairings(),
        [&](const GainedTurn&, const RotaryGain&, std::size_t, std::size_t) {
          return Rotated<float>{maker.Normal(-3, 3), maker.Normal(-3, 3)};
        },
        [](const GainedTurn& turn, float a, float b) {
          const auto [c, s] = turn.Entries<float>();
          const float ac = a * c, bs = b * s, bc = b * c, as = a * s;
          return Rotated<float>{ac - bs, bc + as};
        });
  }

  std::deque<std::vector<double>> lists_;
  std::mt19937_64 random_{7};
  std::normal_distribution<float> normal_;
};

TEST_P(RotarySums, PairsTurnByAllAxes) {
  for (const std::size_t axes : {2, 3, 4}) {
    for (const std::size_t pairs : {1, 5, 32}) {
      std::vector<std::vector<double>> positions;
      for (int t = 0; t < (IsReference() ? 3 : 12); ++t) {
        auto& position = positions.emplace_back();
        for (std::size_t k = 0; k < axes; ++k) {
          const auto whole = static_cast<double>(random_() % 97);
          position.push_back(t % 3 == 0   ? whole
                             : t % 3 == 1 ? whole / 7 - 5
                                          : std::ldexp(whole, 24) - 0x1p30);
        }
      }
      ExpectRight(SpecOf(Learned(axes, pairs)), positions);
      if (HasFailure()) return;
    }
  }
}

// Models have such tokens: patches of an image, row by row.
TEST_P(RotarySums, PatchesOfAnImage) {
  std::vector<std::vector<double>> positions;
  for (int y = 0; y < (IsReference() ? 2 : 7); ++y) {
    for (int x = 0; x < 9; ++x) positions.push_back({double(y), double(x)});
  }
  ExpectRight(SpecOf(Learned(2, 16)), positions);
}

TEST_P(RotarySums, ThatCancel) {
  const double w = 0.7310585786300049, near = w * (1 + 0x1p-40);
  const Frequencies frequencies = {{w, w, w, 3.0, 0.0, -near, 0x1p-126, 1e9, w},
                                   {-w, -near, -std::nextafter(w, 1.0), -1.0, 0.0, w, -0x1p-126, -1e9, w}};
  ExpectRight(SpecOf(frequencies), {{5, 5},
                                    {1, 3},
                                    {3, 1},
                                    {0, 0},
                                    {-7, -7},
                                    {0x1p31, 0x1p31},
                                    {0x1p31, -0x1p31},
                                    {1e9, 1e9 + 1},
                                    {1e-300, 1e-300},
                                    {0x1p-1074, 0x1p-1074},
                                    {0.1, 0.1},
                                    {0x1p31, 0x1p-1074},
                                    {1e-3, 1e-160}});
}

// The sum of three is what the smallest leaves, if the others cancel.
TEST_P(RotarySums, ThatLeaveTheSmallestTerm) {
  const Frequencies frequencies = {
      {1.5, 1.5, 0x1.8p-20}, {-1.5, -1.5, -0x1.8p-20}, {1.0, -0x1p-126, 0x1.000003p0}};
  std::vector<std::vector<double>> positions;
  for (const double small : {1e-3, 0x1.000003p-100, -0x1p-500, 0x1p-1000, 0x1p-1074, 1.0, 0x1p31}) {
    positions.push_back({11, 11, small});
    positions.push_back({0x1p31, 0x1p31, small});
  }
  ExpectRight(SpecOf(frequencies), positions);
}

// Sums that agree with a multiple of a quarter turn in 212 bits, which leave 256 bits few; and those that are
// a float's midpoint but for their last digits.
TEST_P(RotarySums, BesideQuarterTurns) {
  // pi / 2 and 3 pi / 2 as sums of four doubles, the last one times 2^60, as frequencies are not that small.
  const double halves[2][4] = {
      {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110, 0x1.4cf98e804177dp-104},
      {0x1.2d97c7f3321d2p+2, 0x1.a79394c9e8a0ap-53, 0x1.456737b06ea1ap-107, -0x1.83226a8fe7731p-101}};
  Frequencies frequencies;
  for (int k = 0; k < 4; ++k) frequencies.push_back({halves[0][k], halves[1][k], -halves[0][k]});
  ExpectRight(SpecOf(frequencies), {{1, 1, 1, 0x1p-60},
                                    {2, 2, 2, 0x1p-59},
                                    {1, 1, 1, 0},
                                    {1, 1, 0, 0},
                                    {3, 3, 3, 0x3p-60},
                                    {-1, -1, -1, -0x1.8p-60}});
  const Frequencies ones(3, {1.0, -1.0, 0x1p-3});
  std::vector<std::vector<double>> positions;
  for (const double small : {0x1p-900, -0x1p-900, 0x1p-1074, -0x1p-200, 0.0}) {
    for (const double middle : {0x1.000003p-100, 0x1.01p-30, 0x1.002p-12, 0x1.8p-149, 0x1.000003p-60}) {
      positions.push_back({middle, small, 0.0});
      positions.push_back({0x1p20, 0x1p20, middle});
      positions.push_back({small, small, middle});
    }
  }
  ExpectRight(SpecOf(ones), positions, 1.0);
}

// In turns sums may be whole quarter turns and eighths, or as near to them as doubles can say.
TEST_P(RotarySums, KnownAngles) {
  for (const posenc_unit unit : {POSENC_TURNS, POSENC_HALF_TURNS}) {
    const Frequencies frequencies = {{0.25, 0.125, 0.5, 0.3, 1e8, 0.75},
                                     {0.25, 0.25, 1.0, -0.3, 1e8, 0x1p-30}};
    std::vector<std::vector<double>> positions = {{0, 0}, {1, 1},     {1, 2},
                                                  {3, 1}, {0.5, 0.5}, {0x1p31, 0x1p31}};
    for (const double small : {0x1p-30, -0x1p-90, 0x1p-300, -0x1p-700, 0x1p-1000, 0x1p-1074}) {
      for (const double whole : {1.0, 2.0, 3.0, 4.0, 5.0}) positions.push_back({whole, small});
    }
    if (IsReference()) positions.resize(12);
    ExpectRight(SpecOf(frequencies, unit), positions);
    // Gains whose products are midpoints, by which a cosine of nearly 1 must round to the right side.
    ExpectRight(SpecOf(frequencies, unit), positions, 1 + 0x1p-24);
    if (HasFailure()) return;
  }
}

// Frequencies and positions as large as they may be: nothing of the sum is left but in wide arithmetic.
TEST_P(RotarySums, ThatAreLarge) {
  const double most = 0x1p31;
  for (const posenc_unit unit : {POSENC_RADIANS, POSENC_TURNS}) {
    const double w = unit == POSENC_RADIANS ? most : most / 6.2831853071795873;
    const Frequencies frequencies(4, {w, -w, 0x1.fffffffffffffp20, 1.0});
    ExpectRight(SpecOf(frequencies, unit), {{most, most, most, most},
                                            {most, most, -most, most},
                                            {-most, -most, -most, -most},
                                            {2147483647.0, 2147483646.0, 2147483647.0, 0.3}});
  }
}

// An axis with frequencies of 0 changes nothing.
TEST_P(RotarySums, OfOneAxisAreThatAxis) {
  const std::vector<double> w = Learned(1, 24)[0];
  posenc_rotary_spec spec = SpecOf({w, std::vector<double>(24)}), of_one = Listed(w);
  std::vector<float> x(10 * 48);
  PairMaker<float> maker(8);
  for (float& value : x) value = maker.Normal(-3, 3);
  std::vector<float> one = x;
  const posenc_heads summed = DenseHeads(x.data(), 1, 48), alone = DenseHeads(one.data(), 1, 48);
  ASSERT_EQ(posenc_rotate(CreateRotary(spec).get(), 1000, 10, POSENC_F32, &summed, 1), POSENC_OK);
  ASSERT_EQ(posenc_rotate(CreateRotary(of_one).get(), 1000, 10, POSENC_F32, &alone, 1), POSENC_OK);
  EXPECT_TRUE(SameBits(x, one));
  spec.axes = 1;  // where the order does not matter
  spec.frequency_count = 24;
  posenc_rotary* rotary = nullptr;
  EXPECT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_OK);
  posenc_rotary_destroy(rotary);
}

// Heads that are rotated piece by piece.
TEST_P(RotarySums, OfLongHeads) {
  if (IsReference()) GTEST_SKIP() << "every pair takes microseconds";
  ExpectRight(SpecOf(Learned(2, 1024)), {{3, 4}, {17, 0.5}});
}

TEST_P(RotarySums, FrequenciesAreByAxis) {
  const Frequencies frequencies = Learned(3, 6);
  posenc_rotary_spec spec = SpecOf(frequencies);
  spec.position_scale = 0.5;
  const RotaryPtr rotary = CreateRotary(spec);
  EXPECT_EQ(posenc_rotary_frequency_count(rotary.get()), 6u);
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(posenc_rotary_radians(rotary.get(), i), frequencies[i / 6][i % 6] * 0.5) << i;
  }
  EXPECT_TRUE(std::isnan(posenc_rotary_radians(rotary.get(), 18)));
}

POSENC_INSTANTIATE_PER_TARGET(RotarySums);

}  // namespace
}  // namespace posenc
