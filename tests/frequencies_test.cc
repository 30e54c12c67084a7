// The frequencies of encoders: their values, and the steps that kernels read, compared with MPFR. They are
// the same on all targets.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "frequency_steps.h"
#include "kernel_calls.h"
#include "oracle/oracle.h"
#include "per_target.h"

namespace posenc {
namespace {

using oracle::Real;

constexpr int kBits = 2000;

std::vector<Real> FrequenciesOf(const Spec& spec, std::size_t count) {
  const oracle::Oracle oracle(spec);
  std::vector<Real> frequencies;
  for (std::size_t i = 0; i < count; ++i) frequencies.emplace_back(oracle.Frequency(i, kBits));
  return frequencies;
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
        const std::vector<Real> exact = FrequenciesOf(spec, encoder.frequency_count());
        for (std::size_t i = 0; i < exact.size(); i += 1 + dim / 64) {
          EXPECT_EQ(encoder.Radians(i), exact[i].ToDouble())
              << "base " << base << ", dim " << dim << ", i " << i;
        }
        EXPECT_TRUE(std::isnan(encoder.Radians(encoder.frequency_count())));
      }
    }
  }
}

TEST(Frequencies, ExponentDimReplacesDim) {
  Spec spec = MakeSpec(12);
  spec.exponent_dim = 10.0;  // dim - 2: frequencies from 1 to 1 / base, both included
  const Encoder encoder = Create(spec);
  EXPECT_EQ(encoder.Radians(0), 1.0);
  EXPECT_EQ(encoder.Radians(5), 1e-4);
  const std::vector<float> want = Write(Create(MakeSpec(12)), 7, 4);
  for (const double exponent_dim : {0.0, -0.0, 12.0}) {  // 0 means dim
    spec.exponent_dim = exponent_dim;
    EXPECT_TRUE(SameBits(Write(Create(spec), 7, 4), want)) << exponent_dim;
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
        const Encoder encoder = Create(spec);
        ExpectSteps(InsideOf(encoder).table, FrequenciesOf(spec, count));
      }
    }
  }
}

// The frequencies in wide arithmetic, which are not rounded to a table.
TEST(Frequencies, InWideArithmeticAreGoodToTheirBits) {
  for (const double base : {10000.0, 1e7, 7.25, 0.5}) {
    Spec spec = MakeSpec(1024);
    spec.base = base;
    spec.position_scale = 0.7;
    const Encoder encoder = Create(spec);
    const internal::Frequencies& frequencies = *InsideOf(encoder).table.exact;
    const std::vector<Real> exact = FrequenciesOf(spec, encoder.frequency_count());
    for (std::size_t i = 0; i < exact.size(); i += 73) {
      SCOPED_TRACE(testing::Message() << "base " << base << ", i " << i);
      EXPECT_GE(CorrectBits(frequencies.Radians(i), exact[i]), internal::kFrequencyBits<4>);
      EXPECT_GE(CorrectBits(frequencies.QuarterTurns<4>(i), StepOf(exact[i])), internal::kFrequencyBits<4>);
      EXPECT_GE(CorrectBits(frequencies.QuarterTurns<16>(i), StepOf(exact[i])), internal::kFrequencyBits<16>);
    }
  }
}

// The logarithm of base / min_timescale must keep its digits if the two are close. A tiny exponent_dim
// magnifies the error.
TEST(Frequencies, OfABaseNextToMinTimescaleAreGoodToTheirBits) {
  const double bases[][2] = {{0x1.3880000000001p13, 10000.0},
                             {10000.0, 0x1.3880000000001p13},
                             {1e300, 0x1.7e43c8800759dp+996},
                             {10001.0, 10000.0},
                             {10003.0, 10000.0},
                             {0.3, 0.2}};
  for (const auto& [base, min_timescale] : bases) {
    for (const double log_of_last : {-60.0, 19.0}) {  // of the last frequency times min_timescale
      Spec spec = MakeSpec(16);
      spec.base = base;
      spec.min_timescale = min_timescale;
      spec.position_scale = 1.0 / min_timescale;
      spec.exponent_dim = -14.0 * std::log1p((base - min_timescale) / min_timescale) / log_of_last;
      SCOPED_TRACE(testing::Message() << "base " << base << ", exponent_dim " << spec.exponent_dim);
      const Encoder encoder = Create(spec);
      const internal::Frequencies& frequencies = *InsideOf(encoder).table.exact;
      const std::vector<Real> exact = FrequenciesOf(spec, encoder.frequency_count());
      ASSERT_FALSE(exact.empty());
      ExpectSteps(InsideOf(encoder).table, exact);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_EQ(encoder.Radians(i), exact[i].ToDouble());
        EXPECT_GE(CorrectBits(frequencies.QuarterTurns<4>(i), StepOf(exact[i])), internal::kFrequencyBits<4>)
            << i;
        EXPECT_GE(CorrectBits(frequencies.QuarterTurns<16>(i), StepOf(exact[i])),
                  internal::kFrequencyBits<16>)
            << i;
      }
    }
  }
}

// Frequencies of 2^618 and of 2^(10^299): the difference of two estimates of logarithms was 0.
TEST(Frequencies, OfABaseNextToMinTimescaleMustBeInRange) {
  Spec spec = MakeSpec(4);
  spec.base = 0x1.3880000000001p13;
  spec.min_timescale = 10000.0;
  for (const double exponent_dim : {-0x1p-60, 0x1p-60, -1e-300, 1e-300}) {
    spec.exponent_dim = exponent_dim;
    Encoder encoder;
    EXPECT_EQ(Encoder::Create(spec, &encoder), Refusal(rule::frequency_range)) << exponent_dim;
  }
  spec.exponent_dim = -0x1p-54;  // some 2^23: in range
  EXPECT_EQ(Create(spec).Radians(1), FrequenciesOf(spec, 2)[1].ToDouble());
}

// Ten times a scale of 53 bits is a midpoint of two doubles. The result must be the even one, although 256
// bits of the root cannot decide.
TEST(Frequencies, RadiansThatAreTiesAreEven) {
  Spec spec = MakeSpec(8);
  spec.exponent_dim = -8.0;
  spec.position_scale = 0x1.eeaa1e942ffacp-42;
  EXPECT_EQ(Create(spec).Radians(1), 0x1.352a531c9dfccp-38);
}

// Found by fuzzing with UndefinedBehaviorSanitizer: a ratio that is valid only with scale 0 had powers that
// overflow.
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

// The same with a ratio that is not used.
TEST(Frequencies, ASingleStepHasNoRatio) {
  Spec spec = MakeSpec(2);
  const auto want = Write(Create(spec), 5, 4);
  spec.exponent_dim = 1e-300;
  EXPECT_TRUE(SameBits(Write(Create(spec), 5, 4), want));
}

TEST(Frequencies, MinTimescaleIsPositiveAndFinite) {
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
