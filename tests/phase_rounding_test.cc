// Which specs with a phase rounding are refused. tools/verify/encoding_rows.cc has the rows of the others.
#include <gtest/gtest.h>

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

POSENC_INSTANTIATE_PER_TARGET(PhaseRoundingTest);

}  // namespace
}  // namespace posenc
