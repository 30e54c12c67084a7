// Which specs with a phase rounding are refused. tools/verify/encoding_rows.cc has the rows of the others.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel_calls.h"
#include "oracle/phase_rounding.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr posenc_phase_rounding kRoundings[] = {
    POSENC_F32_POW_DIV,  POSENC_F32_EXP,     POSENC_F32_LOG_DIV, POSENC_F32_INV_FREQ,     POSENC_F32_ITERATED,
    POSENC_F64_INV_FREQ, POSENC_F64_POW_DIV, POSENC_F64_POW_MUL, POSENC_F32_LOG_INCREMENT};

class PhaseRoundingTest : public PerTarget {};

TEST_P(PhaseRoundingTest, ContradictionsAreRefused) {
  for (const posenc_phase_rounding rounding : kRoundings) {
    Spec spec = MakeSpec(8, target());
    spec.phase_rounding = rounding;
    Encoder none;
    ASSERT_EQ(Encoder::Create(spec, &none), POSENC_OK);
    spec.unit = POSENC_TURNS;
    EXPECT_EQ(Encoder::Create(spec, &none), Refusal(POSENC_MEMBERS_CLASH, "unit must be POSENC_RADIANS"));
    spec.unit = POSENC_RADIANS;
    spec.min_timescale = 2.0;
    EXPECT_EQ(Encoder::Create(spec, &none), rounding == POSENC_F32_LOG_INCREMENT
                                                ? Refusal(POSENC_OK)
                                                : Refusal(rule::min_timescale_with_rounding));
  }
}

// The base is rounded to float first, and its frequencies must be in range. A base next to 1 may become one
// whose logarithm is larger by two thirds.
TEST_P(PhaseRoundingTest, BaseIsRoundedBeforeItsFrequenciesAreChecked) {
  Spec spec = MakeSpec(4, target());
  spec.phase_rounding = POSENC_F32_POW_DIV;
  spec.base = 1 + 0.6 * 0x1p-23;
  spec.exponent_dim = -0x1p-22 / 34;  // the second frequency is exp(34), not exp(20.4)
  Encoder none;
  EXPECT_EQ(Encoder::Create(spec, &none), Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians"));
}

// The exact frequency of pair i is hardly more than the least one in range. A framework that rounds exponents
// or logarithms may make a subnormal float of it.
TEST(PhaseRounding, LeastFrequenciesAreThoseOfTheOracle) {
  int subnormal = 0;
  for (const posenc_phase_rounding rounding : kRoundings) {
    for (int k = 0; k < 2000; ++k) {
      const auto i = static_cast<std::size_t>(1 + k % 64);
      Spec spec = MakeSpec(2 * i + 2);
      spec.phase_rounding = rounding;
      const double log2_base = 126.0 * (0.2 + 0.0004 * k);
      spec.exponent_dim = static_cast<float>(static_cast<double>(2 * i) * log2_base / 126.0);
      spec.base = static_cast<float>(std::exp2(log2_base) * (1.0 - 1e-8));
      Encoder encoder;
      if (Encoder::Create(spec, &encoder) != POSENC_OK) continue;  // a frequency below the range
      const oracle::Number factor = oracle::PhaseFactor(spec, i);
      for (const double position : {1.0, 3.0, 0x1p31}) {
        double phase;
        InsideOf(encoder).table.FillPhases(position, i, 1, &phase);
        ASSERT_EQ(phase, oracle::RoundedPhase(spec, factor, i, position))
            << "rounding " << rounding << ", base " << spec.base << " at " << position;
        if (position == 1.0 && phase < 0x1p-126) ++subnormal;
      }
    }
  }
  EXPECT_GT(subnormal, 100);
}

// Phases of any size are right, also those beyond the limit of the first tier (kMaxQuickPhase), and below its
// least r. The reference computes all of them in wide arithmetic.
TEST_P(PhaseRoundingTest, PhasesOfAnySizeHaveTheBitsOfTheReference) {
  const std::vector<double> positions = {0.0,   1.0,    -1.0,       0.5,    1e-9,    -1e-30, 16777217.0,
                                         999.0, 1234.5, 0x1p31 - 1, 0x1p31, -0x1p31, 2.5e8,  -77.7};
  for (const posenc_phase_rounding rounding : kRoundings) {
    for (const double scale : {1.0, 0x1.8p2, 3e5, 0x1.fp19, 2e8, -0x1.8p-40}) {
      std::vector<float> rows[2];
      for (const bool is_reference : {false, true}) {
        Spec spec = MakeSpec(134, is_reference ? kReference : target());
        spec.phase_rounding = rounding;
        spec.position_scale = scale;
        std::vector<float>& out = rows[is_reference ? 1 : 0];
        out.resize(positions.size() * spec.dim);
        ASSERT_EQ(Create(spec).WriteAt(positions.data(), positions.size(), {out.data(), spec.dim}),
                  POSENC_OK);
      }
      EXPECT_TRUE(SameBits(rows[0], rows[1])) << "rounding " << rounding << ", scale " << scale;
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(PhaseRoundingTest);

}  // namespace
}  // namespace posenc
