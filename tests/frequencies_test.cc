// The frequencies: their values against MPFR, and the vectorised schedule behind them on every target.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "per_target.h"
#include "step_table.h"
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

// What kernels read: high + low is w_i * 2/pi to kTableBits bits, and zero past the last pair.
TEST_P(FrequenciesTest, StepsAreWiderThanDouble) {
  const internal::Kernels& kernels = KernelsOf(target());
  Number quarter_turns_per_radian(kOracleBits);
  mpfr_const_pi(quarter_turns_per_radian, MPFR_RNDN);
  mpfr_ui_div(quarter_turns_per_radian, 2, quarter_turns_per_radian, MPFR_RNDN);
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0}) {
    for (const std::size_t count : {1u, 2u, 3u, 17u, 64u, 515u}) {
      const double exponent_dim = 2.0 * static_cast<double>(count);
      const StepTable steps(kernels, base, exponent_dim, count);
      for (std::size_t i = 0; i < count; ++i) {
        const double high = steps.table().high[i], low = steps.table().low[i];
        Number step = ToNumber(high);
        mpfr_add_d(step, step, low, MPFR_RNDN);
        Number exact = ExactFrequency(base, exponent_dim, 1.0, i);
        mpfr_mul(exact, exact, quarter_turns_per_radian, MPFR_RNDN);
        EXPECT_GE(CorrectBits(step, exact), internal::kTableBits)
            << "base " << base << ", " << i << " of " << count;
        EXPECT_EQ(high + low, high) << "base " << base << ", " << i << " of " << count;
      }
      EXPECT_EQ(steps.table().high[count], 0.0);
      EXPECT_EQ(steps.table().low[count], 0.0);
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(FrequenciesTest);

// The last resort's frequencies, which no table rounds.
TEST(Schedule, FrequencyIsGoodToItsBits) {
  const internal::Kernels& reference = KernelsOf(kReference);
  for (const double base : {10000.0, 1e7, 7.25, 0.5}) {
    constexpr std::size_t kCount = 512;
    const StepTable steps(reference, base, 1024.0, kCount, 0.7);
    for (std::size_t i = 0; i < kCount; i += 73) {
      const Number exact = ExactFrequency(base, 1024.0, 0.7, i);
      EXPECT_GE(CorrectBits(ToNumber(steps.table().schedule.Frequency(i)), exact), internal::kFrequencyBits)
          << "base " << base << ", i " << i;
    }
  }
}

}  // namespace
}  // namespace posenc
