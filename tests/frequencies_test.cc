// The frequencies: their values against MPFR, and the vectorised schedule behind them on every target.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "kernel_calls.h"
#include "per_target.h"
#include "wide_number.h"

namespace posenc {
namespace {

using oracle::Number;

// scale * base^(-2i / exponent_dim)
Number ExactFrequency(double base, double exponent_dim, double scale, std::size_t i) {
  Number result(kOracleBits);
  mpfr_log(result, ToNumber(base), MPFR_RNDN);
  mpfr_mul_si(result, result, -2 * static_cast<long>(i), MPFR_RNDN);
  mpfr_div_d(result, result, exponent_dim, MPFR_RNDN);
  mpfr_exp(result, result, MPFR_RNDN);
  mpfr_mul_d(result, result, scale, MPFR_RNDN);
  return result;
}

class FrequenciesTest : public PerTarget {};

TEST_P(FrequenciesTest, RadiansAreCorrectlyRounded) {
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0}) {
    for (const std::size_t dim : {1u, 2u, 11u, 128u, 1023u}) {
      for (const double scale : {1.0, -0.3, 0.0, 1000.0}) {
        Spec spec = MakeSpec(dim, target());
        spec.base = base;
        spec.position_scale = scale;
        Frequencies frequencies;
        ASSERT_EQ(Frequencies::Create(spec, &frequencies), Status::kOk);
        ASSERT_EQ(frequencies.count(), (dim + 1) / 2);
        for (std::size_t i = 0; i < frequencies.count(); i += 1 + dim / 64) {
          const Number exact = ExactFrequency(base, static_cast<double>(dim), scale, i);
          EXPECT_EQ(frequencies.Radians(i), mpfr_get_d(exact, MPFR_RNDN))
              << "base " << base << ", dim " << dim << ", i " << i;
        }
        EXPECT_TRUE(std::isnan(frequencies.Radians(frequencies.count())));
      }
    }
  }
}

TEST_P(FrequenciesTest, ExponentDimReplacesDim) {
  Spec spec = MakeSpec(12, target());
  spec.exponent_dim = 10.0;  // dim - 2: from 1 to 1 / base inclusive
  Frequencies frequencies;
  ASSERT_EQ(Frequencies::Create(spec, &frequencies), Status::kOk);
  EXPECT_EQ(frequencies.Radians(0), 1.0);
  EXPECT_EQ(frequencies.Radians(5), 1e-4);
}

// 2/pi * scale * base^(-2i / exponent_dim), modulo 8 where it exceeds 4: what high + low must be.
Number ExactStep(double base, double exponent_dim, double scale, std::size_t i) {
  Number step = ExactFrequency(base, exponent_dim, scale, i), turns(kOracleBits);
  mpfr_const_pi(turns, MPFR_RNDN);
  mpfr_div(step, step, turns, MPFR_RNDN);
  mpfr_mul_2ui(step, step, 1, MPFR_RNDN);
  if (mpfr_cmpabs(step, ToNumber(4.0)) < 0) return step;
  mpfr_div_2ui(turns, step, 3, MPFR_RNDN);
  mpfr_rint(turns, turns, MPFR_RNDN);
  mpfr_mul_2ui(turns, turns, 3, MPFR_RNDN);
  mpfr_sub(step, step, turns, MPFR_RNDN);
  return step;
}

void ExpectSteps(const Spec& spec) {
  Frequencies frequencies;
  ASSERT_EQ(Frequencies::Create(spec, &frequencies), Status::kOk);
  const internal::FrequencyTable& table = TableOf(frequencies);
  ASSERT_EQ(table.count, spec.dim / 2);
  for (std::size_t i = 0; i < table.count; ++i) {
    Number step = ToNumber(table.high[i]);
    mpfr_add_d(step, step, table.low[i], MPFR_RNDN);
    const Number exact = ExactStep(spec.base, static_cast<double>(spec.dim), spec.position_scale, i);
    ASSERT_GE(CorrectBits(step, exact), internal::kTableBits) << i << " of " << table.count;
    ASSERT_EQ(table.high[i] + table.low[i], table.high[i]) << i << " of " << table.count;
    ASSERT_LE(std::fabs(table.high[i]), 4.0) << i << " of " << table.count;
  }
  for (std::size_t i = table.count; i < table.count + internal::kPadding; ++i) {
    ASSERT_EQ(table.high[i], 0.0) << i - table.count;
    ASSERT_EQ(table.low[i], 0.0) << i - table.count;
  }
}

// What kernels read: high + low is w_i * 2/pi to kTableBits bits, and zero past the last pair.
TEST_P(FrequenciesTest, StepsAreWiderThanDouble) {
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0, 1e-6}) {
    for (const double scale : {1.0, -0.3, 1000.0}) {
      for (const std::size_t count : {1u, 2u, 3u, 17u, 64u, 515u}) {
        SCOPED_TRACE(testing::Message() << "base " << base << ", scale " << scale);
        Spec spec = MakeSpec(2 * count, target());
        spec.base = base;
        spec.position_scale = scale;
        ExpectSteps(spec);
      }
    }
  }
}

// Found by fuzzing, under UndefinedBehaviorSanitizer: powers of a ratio that no other scale admits overflow.
TEST_P(FrequenciesTest, AScaleOfZeroMakesAllStepsZero) {
  for (const double base : {1e-300, 1e300}) {
    Spec spec = MakeSpec(128, target());
    spec.base = base;
    spec.exponent_dim = 2.0;
    spec.position_scale = 0.0;
    const std::vector<float> table = Write(Create(spec), 1, 8);
    for (std::size_t k = 0; k < table.size(); ++k) {
      EXPECT_EQ(table[k], k % 2 == 0 ? 0.0f : 1.0f) << "base " << base << ", entry " << k;
    }
  }
}

// The same with a ratio that nothing is multiplied by.
TEST_P(FrequenciesTest, ASingleStepHasNoRatio) {
  Spec spec = MakeSpec(2, target());
  const auto want = Write(Create(spec), 5, 4);
  spec.exponent_dim = 1e-300;
  EXPECT_TRUE(SameBits(Write(Create(spec), 5, 4), want));
}

POSENC_INSTANTIATE_PER_TARGET(FrequenciesTest);

// The last resort's frequencies, which no table rounds.
TEST(Schedule, FrequencyIsGoodToItsBits) {
  for (const double base : {10000.0, 1e7, 7.25, 0.5}) {
    Spec spec = MakeSpec(1024, kReference);
    spec.base = base;
    spec.position_scale = 0.7;
    Frequencies frequencies;
    ASSERT_EQ(Frequencies::Create(spec, &frequencies), Status::kOk);
    const internal::Schedule& schedule = TableOf(frequencies).schedule;
    for (std::size_t i = 0; i < frequencies.count(); i += 73) {
      EXPECT_GE(CorrectBits(ToNumber(schedule.Radians(i)), ExactFrequency(base, 1024.0, 0.7, i)),
                internal::kFrequencyBits)
          << "base " << base << ", i " << i;
    }
  }
}

}  // namespace
}  // namespace posenc
