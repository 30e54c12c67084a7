// Checks that the steps in a table of frequencies, which kernels read, have the promised precision.
#ifndef POSENC_TESTS_FREQUENCY_STEPS_H_
#define POSENC_TESTS_FREQUENCY_STEPS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "frequency/table.h"
#include "number/bounds.h"
#include "oracle/real.h"
#include "wide_number.h"

namespace posenc {

template <int kLimbs>
long CorrectBits(const internal::Wide<kLimbs>& got, const oracle::Real& exact) {
  return CorrectBits(ToNumber(got), exact.number());
}

// The step in quarter turns.
inline oracle::Real StepOf(const oracle::Real& radians) {
  return radians * 2.0 / oracle::Real::Pi(static_cast<int>(radians.bits()));
}

inline oracle::Real ModuloEight(const oracle::Real& step) { return step - (step / 8.0 + 0.5).Floor() * 8.0; }

// ExpectWhole: high + low is good to kTableBits. ExpectReduced: the same for the step modulo eight, unless
// that is nearly 0.
inline void ExpectWhole(double high, double low, const oracle::Real& step) {
  oracle::Number sum = ToNumber(high);
  mpfr_add_d(sum, sum, low, MPFR_RNDN);
  EXPECT_GE(CorrectBits(sum, step.number()), internal::kTableBits) << high << " + " << low;
  EXPECT_EQ(high + low, high);
}
inline void ExpectReduced(double high, double low, const oracle::Real& step) {
  if (std::fabs(step.ToDouble()) < 4.0) return ExpectWhole(high, low, step);
  const oracle::Real error = ModuloEight(oracle::Real(high, static_cast<int>(step.bits())) + low - step),
                     bound = ModuloEight(step) * 0x1p-97;
  const bool is_good =
      mpfr_cmpabs(error.get(), bound.get()) <= 0 || mpfr_cmpabs(error.get(), (step * 0x1p-240).get()) <= 0;
  EXPECT_TRUE(is_good) << high << " + " << low << " for " << step.ToDouble();
  EXPECT_EQ(high + low, high);
  EXPECT_LE(std::fabs(high), 4.0);
}

// Checks the arrays that kernels read: the steps of all pairs, then zeros.
inline void ExpectSteps(const internal::FrequencyTable& steps, const std::vector<oracle::Real>& frequencies) {
  ASSERT_EQ(steps.count, frequencies.size());
  ASSERT_EQ(steps.padded, steps.count + internal::kPadding);
  for (std::size_t i = 0; i < steps.count; ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const oracle::Real whole = StepOf(frequencies[i]);
    ExpectWhole(steps.unreduced_high[i], steps.unreduced_low[i], whole);
    ExpectReduced(steps.high[i], steps.low[i], whole);
  }
  for (std::size_t i = steps.count; i < steps.padded; ++i) {
    for (const double* padding : {steps.high, steps.low, steps.unreduced_high, steps.unreduced_low}) {
      ASSERT_EQ(padding[i], 0.0);
    }
  }
}

}  // namespace posenc

#endif  // POSENC_TESTS_FREQUENCY_STEPS_H_
