// The frequencies: their values, and the steps that the kernels read, against MPFR. They are the same for all
// targets.
#include <gtest/gtest.h>

#include <cmath>
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

TEST(Frequencies, RadiansAreCorrectlyRounded) {
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0}) {
    for (const std::size_t dim : {1u, 2u, 11u, 128u, 1023u}) {
      for (const double scale : {1.0, -0.3, 0.0, 1000.0}) {
        Spec spec = MakeSpec(dim);
        spec.base = base;
        spec.position_scale = scale;
        const Encoder encoder = Create(spec);
        ASSERT_EQ(encoder.frequency_count(), (dim + 1) / 2);
        for (std::size_t i = 0; i < encoder.frequency_count(); i += 1 + dim / 64) {
          const Number exact = ExactFrequency(base, static_cast<double>(dim), scale, i);
          EXPECT_EQ(encoder.Radians(i), mpfr_get_d(exact, MPFR_RNDN))
              << "base " << base << ", dim " << dim << ", i " << i;
        }
        EXPECT_TRUE(std::isnan(encoder.Radians(encoder.frequency_count())));
      }
    }
  }
}

TEST(Frequencies, ExponentDimReplacesDim) {
  Spec spec = MakeSpec(12);
  spec.exponent_dim = 10.0;  // dim - 2: from 1 to 1 / base inclusive
  const Encoder encoder = Create(spec);
  EXPECT_EQ(encoder.Radians(0), 1.0);
  EXPECT_EQ(encoder.Radians(5), 1e-4);
  const std::vector<float> want = Write(Create(MakeSpec(12)), 7, 4);
  for (const double exponent_dim : {0.0, -0.0, 12.0}) {  // 0 means dim
    spec.exponent_dim = exponent_dim;
    EXPECT_TRUE(SameBits(Write(Create(spec), 7, 4), want)) << exponent_dim;
  }
}

// 2/pi * scale * base^(-2i / exponent_dim)
Number ExactStep(double base, double exponent_dim, double scale, std::size_t i) {
  Number step = ExactFrequency(base, exponent_dim, scale, i), turns(kOracleBits);
  mpfr_const_pi(turns, MPFR_RNDN);
  mpfr_div(step, step, turns, MPFR_RNDN);
  mpfr_mul_2ui(step, step, 1, MPFR_RNDN);
  return step;
}

// Modulo 8 where it exceeds 4.
Number Reduced(const Number& exact) {
  Number step(kOracleBits), turns(kOracleBits);
  mpfr_set(step, exact, MPFR_RNDN);
  if (mpfr_cmpabs(step, ToNumber(4.0)) < 0) return step;
  mpfr_div_2ui(turns, step, 3, MPFR_RNDN);
  mpfr_rint(turns, turns, MPFR_RNDN);
  mpfr_mul_2ui(turns, turns, 3, MPFR_RNDN);
  mpfr_sub(step, step, turns, MPFR_RNDN);
  return step;
}

// What kernels read: high + low is w_i * 2/pi to kTableBits bits, and zero past the last pair; the whole
// steps too, where these are reduced.
void ExpectSteps(const Spec& spec) {
  const Encoder encoder = Create(spec);
  const internal::FrequencyTable& table = InsideOf(encoder).table;
  ASSERT_EQ(table.count, spec.dim / 2);
  for (std::size_t i = 0; i < table.count; ++i) {
    Number step = ToNumber(table.high[i]), whole = ToNumber(table.whole_high[i]);
    mpfr_add_d(step, step, table.low[i], MPFR_RNDN);
    mpfr_add_d(whole, whole, table.whole_low[i], MPFR_RNDN);
    const Number exact = ExactStep(spec.base, static_cast<double>(spec.dim), spec.position_scale, i);
    ASSERT_GE(CorrectBits(whole, exact), internal::kTableBits) << i << " of " << table.count;
    ASSERT_GE(CorrectBits(step, Reduced(exact)), internal::kTableBits) << i << " of " << table.count;
    ASSERT_EQ(table.high[i] + table.low[i], table.high[i]) << i << " of " << table.count;
    ASSERT_LE(std::fabs(table.high[i]), 4.0) << i << " of " << table.count;
  }
  for (std::size_t i = table.count; i < table.count + internal::kPadding; ++i) {
    ASSERT_EQ(table.high[i], 0.0) << i - table.count;
    ASSERT_EQ(table.low[i], 0.0) << i - table.count;
  }
}

TEST(Frequencies, StepsAreWiderThanDouble) {
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0, 1e-6}) {
    for (const double scale : {1.0, -0.3, 6.284, -6.5, 1000.0}) {
      for (const std::size_t count : {1u, 2u, 3u, 17u, 64u, 515u}) {
        SCOPED_TRACE(testing::Message() << "base " << base << ", scale " << scale);
        Spec spec = MakeSpec(2 * count);
        spec.base = base;
        spec.position_scale = scale;
        ExpectSteps(spec);
      }
    }
  }
}

// The last resort's frequencies, which no table rounds.
TEST(Frequencies, OfTheScheduleAreGoodToTheirBits) {
  for (const double base : {10000.0, 1e7, 7.25, 0.5}) {
    Spec spec = MakeSpec(1024);
    spec.base = base;
    spec.position_scale = 0.7;
    const Encoder encoder = Create(spec);
    const internal::Schedule& schedule = InsideOf(encoder).table.schedule;
    for (std::size_t i = 0; i < encoder.frequency_count(); i += 73) {
      const Number exact = ExactFrequency(base, 1024.0, 0.7, i), step = ExactStep(base, 1024.0, 0.7, i);
      SCOPED_TRACE(testing::Message() << "base " << base << ", i " << i);
      EXPECT_GE(CorrectBits(ToNumber(schedule.Radians<4>(i)), exact), internal::kFrequencyBits<4>);
      EXPECT_GE(CorrectBits(ToNumber(schedule.QuarterTurns<4>(i)), step), internal::kFrequencyBits<4>);
      EXPECT_GE(CorrectBits(ToNumber(schedule.QuarterTurns<16>(i)), step), internal::kFrequencyBits<16>);
    }
  }
}

// Ten times a scale of 53 bits lies between two doubles: the even one, though 256 bits of the root leave it
// open.
TEST(Frequencies, RadiansThatAreTiesAreEven) {
  Spec spec = MakeSpec(8);
  spec.exponent_dim = -8.0;
  spec.position_scale = 0x1.eeaa1e942ffacp-42;
  EXPECT_EQ(Create(spec).Radians(1), 0x1.352a531c9dfccp-38);
}

// Found by fuzzing, under UndefinedBehaviorSanitizer: powers of a ratio that no other scale admits overflow.
TEST(Frequencies, AScaleOfZeroMakesAllStepsZero) {
  for (const double base : {1e-300, 1e300}) {
    Spec spec = MakeSpec(128);
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
TEST(Frequencies, ASingleStepHasNoRatio) {
  Spec spec = MakeSpec(2);
  const auto want = Write(Create(spec), 5, 4);
  spec.exponent_dim = 1e-300;
  EXPECT_TRUE(SameBits(Write(Create(spec), 5, 4), want));
}

}  // namespace
}  // namespace posenc
