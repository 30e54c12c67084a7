// Frequencies from tensor2tensor's timescales, and frequencies made by a base in half turns and turns.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

class Timescales : public PerTarget {};

const std::vector<double> kList = {0.0, 1.0, 0.5, -0.25, 1.0 / 3.0, 3.0, 12345.678, -1e9, 0x1p31};

template <class T>
void ExpectOracles(Spec spec, const char* target) {
  spec.target = target;
  const Encoder encoder = Create(spec);
  EXPECT_TRUE(AreOracles(Write<T>(encoder, -20, 40), spec, Consecutive(-20, 40)));
  EXPECT_TRUE(AreOracles(WriteAt<T>(encoder, kList), spec, kList));
}

TEST_P(Timescales, AreThoseOfTheFormula) {
  for (const double least : {1.0, 0.3, 2.0, 1e-3}) {
    for (const double largest : {10000.0, 0.3, 1e4 / 3.0}) {
      for (const double exponent_dim : {0.0, 62.0, -30.0}) {
        Spec spec = MakeSpec(32);
        spec.min_timescale = least;
        spec.base = largest;
        spec.exponent_dim = exponent_dim;
        ForEachEntryType([&](auto element) { ExpectOracles<decltype(element)>(spec, target()); });
      }
    }
  }
}

// 2^i half turns: phases are whole quarter turns at the positions of pixels. Thirds of a turn, which are not
// binary numbers. Ratios that are not rational.
TEST_P(Timescales, OfABaseInTurns) {
  for (const posenc_unit unit : {POSENC_HALF_TURNS, POSENC_TURNS}) {
    for (const auto& [base, exponent_dim] : {std::pair(2.0, -2.0),
                                             {4.0, -2.0},
                                             {0.5, 2.0},
                                             {2.0, 4.0},
                                             {2.0, 2.0 / 3.0},
                                             {3.0, 2.0},
                                             {100.0, 16.0}}) {
      Spec spec = MakeSpec(base == 2.0 || base == 4.0 ? 20 : 16);
      spec.base = base;
      spec.exponent_dim = exponent_dim;
      spec.unit = unit;
      ForEachEntryType([&](auto element) { ExpectOracles<decltype(element)>(spec, target()); });
    }
  }
}

// The listed frequencies are the ones that the base makes.
TEST_P(Timescales, PowersOfTwoAreExact) {
  Spec spec = MakeSpec(16, target());
  spec.base = 2.0;
  spec.exponent_dim = -2.0;
  spec.unit = POSENC_HALF_TURNS;
  const auto of_base = WriteAt<float>(Create(spec), kList);
  const double powers[] = {1, 2, 4, 8, 16, 32, 64, 128};
  spec.frequencies = powers;
  spec.frequency_count = 8;
  spec.unit = POSENC_HALF_TURNS;
  EXPECT_TRUE(SameBits(WriteAt<float>(Create(spec), kList), of_base));
}

POSENC_INSTANTIATE_PER_TARGET(Timescales);

TEST(MinTimescale, IsPositiveAndFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Encoder none;
  Spec spec = MakeSpec(8);
  for (const double bad : {0.0, -0.0, -1.0, kInfinity, -kInfinity, std::nan("")}) {
    spec.min_timescale = bad;
    ASSERT_EQ(Encoder::Create(spec, &none), Refusal(POSENC_BAD_MEMBER, "min_timescale"));
  }
  const double list[] = {1, 2, 3, 4};
  spec.min_timescale = 0.5;
  EXPECT_EQ(Encoder::Create(spec, &none), POSENC_OK);
  spec.frequencies = list;
  spec.frequency_count = 4;
  EXPECT_EQ(Encoder::Create(spec, &none),
            Refusal(POSENC_MEMBERS_CLASH, "min_timescale must be 1 with your own"));
}

}  // namespace
}  // namespace posenc
