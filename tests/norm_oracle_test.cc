// The oracles for norms: one uses MPFR, the other one integers. They agree about elements and weights that
// are hard to round, and such elements are really hard.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "norm_integers.h"
#include "oracle/format.h"
#include "oracle/norm_oracle.h"
#include "verify/inputs.h"
#include "verify/norm_inputs.h"

namespace posenc {
namespace {

using oracle::NormOracle;
using oracle::Pack;
using oracle::Rounding;
using oracle::Unpack;
using tools::NormInputs;
using tools::NormWeights;

constexpr NormWeights kWeights[] = {NormWeights::kNormal,    NormWeights::kAroundOne,  NormWeights::kDigits,
                                    NormWeights::kHalves,    NormWeights::kTinyDigits, NormWeights::kTiny,
                                    NormWeights::kLarge,     NormWeights::kAny,        NormWeights::kOdd,
                                    NormWeights::kNearHalves};
constexpr double kEpsilons[] = {0.0, 0x1p-126, 0x1.fffffffffffffp-126, 1e-6, 1.0};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

std::uint32_t FloatBitsOf(double x) { return static_cast<std::uint32_t>(Pack(POSENC_F32, x)); }

// The elements of a mean and their weights, with the roundings of both oracles.
struct Normalized {
  Normalized(const std::vector<double>& x, const std::vector<double>& weights, double epsilon,
             bool plus_one) {
    std::vector<std::uint32_t> bits;
    for (const double element : x) bits.push_back(FloatBitsOf(element));
    NormOracle by_mpfr(x.data(), x.size(), epsilon);
    const NormIntegers by_integers(bits.data(), bits.size(), epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double weight = weights[i % weights.size()];
      mpfr.push_back(by_mpfr.Normalize(x[i], weight, plus_one));
      integers.push_back(by_integers.Normalize(bits[i], FloatBitsOf(weight), plus_one));
      EXPECT_EQ(mpfr[i].bits, integers[i])
          << std::hexfloat << x[i] << ", weight " << weight << ", epsilon " << epsilon << ", of " << x.size();
      // A midpoint, or so near to one that some 180 bits do not decide.
      if (mpfr[i].fraction == kHalf || mpfr[i].fraction == kHalf - 1) ++midpoints;
    }
  }

  std::vector<Rounding> mpfr;
  std::vector<std::uint32_t> integers;
  std::size_t midpoints = 0;
};

// Heads of a kind, with weights of a kind.
Normalized Of(NormInputs kind, NormWeights weight_kind, posenc_type type, double epsilon, bool plus_one,
              std::size_t count, std::uint64_t seed) {
  std::vector<double> x, weights;
  const posenc_type weight_type = seed % 3 == 0 ? POSENC_BF16 : POSENC_F32;
  for (std::size_t i = 0; i < count; ++i) {
    weights.push_back(
        Unpack(weight_type, MakeWeight(weight_kind, weight_type, tools::HashOf(seed, 0, 1, i))));
  }
  if (kind == NormInputs::kPairs) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto inputs = seed % 4 == 0 ? tools::Inputs::kSpecial : tools::Inputs::kEvery;
      x.push_back(
          Unpack(type, tools::MakeInput(inputs, type, type, tools::HashOf(seed, 1, 0, i), 0.6, 0.8).a));
    }
  } else {
    for (const std::uint64_t bits : MakeNormInputs(kind, type, POSENC_F32, epsilon, plus_one, weights, seed))
      x.push_back(Unpack(type, bits));
  }
  return Normalized(x, weights, epsilon, plus_one);
}

TEST(NormOracle, AgreesWithIntegers) {
  std::uint64_t seed = 0;
  for (const NormInputs kind :
       {NormInputs::kPairs, NormInputs::kEqual, NormInputs::kTies, NormInputs::kBeside}) {
    for (const NormWeights weights : kWeights) {
      for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16}) {
        for (const double epsilon : kEpsilons) {
          SCOPED_TRACE(testing::Message() << "elements " << static_cast<int>(kind) << ", weights "
                                          << static_cast<int>(weights) << ", type " << type);
          for (const bool plus_one : {false, true}) Of(kind, weights, type, epsilon, plus_one, 30, ++seed);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Otherwise rows with these words would test nothing.
TEST(NormInputsOfVerify, HaveMidpoints) {
  const auto midpoints = [](NormInputs kind, NormWeights weights, posenc_type type, double epsilon,
                            bool plus_one, std::size_t count) {
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed < 9; ++seed)
      found += Of(kind, weights, type, epsilon, plus_one, count, 3 * seed + 1).midpoints;
    return found;
  };
  for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16}) {
    SCOPED_TRACE(type);
    for (const std::size_t count : {16u, 64u, 130u}) {
      SCOPED_TRACE(count);
      EXPECT_GT(midpoints(NormInputs::kTies, NormWeights::kDigits, type, 0.0, false, count), count / 2);
      EXPECT_GT(midpoints(NormInputs::kTies, NormWeights::kHalves, type, 0.0, true, count), count);
    }
    EXPECT_GT(midpoints(NormInputs::kEqual, NormWeights::kHalves, type, 0.0, true, 20), 40u);
  }
  EXPECT_GT(midpoints(NormInputs::kTies, NormWeights::kDigits, POSENC_F32, 0x1p-20, false, 64), 10u);
  EXPECT_GT(midpoints(NormInputs::kTies, NormWeights::kTinyDigits, POSENC_F32, 0.0, false, 64), 20u);
  EXPECT_GT(midpoints(NormInputs::kTies, NormWeights::kTinyDigits, POSENC_BF16, 0.0, false, 64), 10u);
}

// Cases of the definition, one by one.
TEST(NormOracle, FollowsTheDefinition) {
  constexpr double kNaN = NAN, kInfinity = HUGE_VAL;
  const auto expect = [](const std::vector<double>& x, const std::vector<double>& weights, double epsilon,
                         bool plus_one, const std::vector<double>& want) {
    const Normalized got(x, weights, epsilon, plus_one);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(got.integers[i], FloatBitsOf(want[i])) << i;
  };
  expect({3, -3}, {1}, 0, false, {1, -1});
  expect({0x1p-149, 0}, {1}, 0, false, {0x1.6a09e6p0, 0});  // sqrt(2)
  expect({0x1p127, -0x1p127}, {0x1p-149, 0x1p127}, 0, false, {0x1p-149, -0x1p127});
  expect({1, 1}, {0x1p-24, 0x3p-24}, 0, true, {1, 0x1.000004p0});  // ties
  expect({1, 1}, {0x1.000002p-24, -1}, 0, true, {0x1.000002p0, 0});
  expect({-1, 1}, {-1, -2}, 0, true, {-0.0, -1});  // 1 + (-1) is +0
  expect({0, -0.0}, {1, -1}, 0x1p-126, false, {0, 0});
  expect({0, 0}, {1}, 0, false, {kNaN, kNaN});
  expect({1, kNaN}, {1}, 0, false, {kNaN, kNaN});
  expect({-1, kInfinity, 2}, {1, 1, kInfinity}, 0, false, {-0.0, kNaN, kNaN});
  expect({1, 0, 1, -1}, {kInfinity, kInfinity, kNaN, kInfinity}, 0, false,
         {kInfinity, kNaN, kNaN, -kInfinity});
  // The midpoint 2^-126 - 2^-150, and numbers next to it: one more or less in the sum of squares.
  const std::vector<double> x = {16777215, 8388607, 7093, 129, 66};  // the mean is 2^46
  expect(x, {0x1p-127, 0, 0, 0, 0}, 0, false, {0x1p-126, 0, 0, 0, 0});
  expect(x, {-0x1p-127, 0, 0, 0, 0}, 0x1p-126, false, {-0x1.fffffcp-127, 0, 0, 0, 0});
  expect({16777215, 8388607, 7093, 129, 0x1.07fffep6}, {0x1p-127, 0, 0, 0, 0}, 0, false,
         {0x1p-126, 0, 0, 0, 0});
  // The midpoint 2^128 - 2^103, from which on numbers become infinite.
  const std::vector<double> y = {18631, 7452, 81, 11, 6, 1};  // the mean is 2^26
  expect(y, {0x1.c24p126, 0, 0, 0, 0, 0}, 0, false, {kInfinity, 0, 0, 0, 0, 0});
  expect(y, {0x1.c24p126, 0, 0, 0, 0, 0}, 0x1p-126, false, {0x1.fffffep127, 0, 0, 0, 0, 0});
}

}  // namespace
}  // namespace posenc
