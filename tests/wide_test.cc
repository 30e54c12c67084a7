// Wide arithmetic of both widths, compared with MPFR, within the bounds that wide.h states.
#include "number/wide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "number/double_double.h"
#include "random_wide.h"
#include "wide_number.h"

namespace posenc {
namespace internal {
namespace {

using oracle::Number;

constexpr int kMany = 10000;

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

template <int kLimbs>
void ExpectOperation(Wide<kLimbs> (*operation)(const Wide<kLimbs>&, const Wide<kLimbs>&),
                     MpfrFunction exact_operation, const Wide<kLimbs>& a, const Wide<kLimbs>& b) {
  Number exact(kOracleBits);
  exact_operation(exact, ToNumber(a), ToNumber(b), MPFR_RNDN);
  EXPECT_GE(CorrectBits(ToNumber(operation(a, b)), exact), kWideBits<kLimbs>);
}

TYPED_TEST_SUITE(WideTest, Widths, WidthName);

TYPED_TEST(WideTest, ConversionsAreExact) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < 2000; ++k) {
    const double x = RandomDouble();
    for (const double any : {x, -RandomPositive()}) {
      EXPECT_EQ(mpfr_cmp_d(ToNumber(FromDouble<kLimbs>(any)), any), 0) << any;
    }
    EXPECT_EQ(ToDouble(FromDouble<kLimbs>(x)), x);
    const auto i = static_cast<std::int64_t>(Random()() >> (Random()() % 64));
    Number integer(kOracleBits);
    mpfr_set_sj(integer, i, MPFR_RNDN);
    EXPECT_EQ(mpfr_cmp(ToNumber(FromInteger<kLimbs>(i)), integer), 0) << i;
  }
  EXPECT_TRUE(FromDouble<kLimbs>(0.0).IsZero());
  EXPECT_TRUE(FromInteger<kLimbs>(0).IsZero());
  EXPECT_EQ(ToDouble(FromInteger<kLimbs>(std::numeric_limits<std::int64_t>::min())), -0x1p63);
}

TYPED_TEST(WideTest, ToDoubleRoundsToNearest) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < kMany; ++k) {
    Wide<kLimbs> x = RandomWide<kLimbs>(200);
    if (k % 4 == 0)
      x.limb[kLimbs - 1] = (x.limb[kLimbs - 1] & ~std::uint64_t{0x7FF}) | 0x400;  // near a midpoint
    if (k % 4 == 0 && k % 16 != 12) std::fill(x.limb, x.limb + kLimbs - 1, 0);    // at a midpoint
    if (k % 16 == 4) x.limb[k / 16 % (kLimbs - 1)] = 1;                           // just above a midpoint
    EXPECT_EQ(ToDouble(x), mpfr_get_d(ToNumber(x), MPFR_RNDN));
  }
}

TYPED_TEST(WideTest, Arithmetic) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < kMany; ++k) {
    const Wide<kLimbs> a = RandomWide<kLimbs>(k % 2 == 0 ? 3 : 300),
                       b = RandomWide<kLimbs>(k % 2 == 0 ? 3 : 300);
    ExpectOperation(&internal::Add<kLimbs>, &mpfr_add, a, b);
    ExpectOperation(&internal::Subtract<kLimbs>, &mpfr_sub, a, b);
    ExpectOperation(&internal::Multiply<kLimbs>, &mpfr_mul, a, b);
    ExpectOperation(&internal::Divide<kLimbs>, &mpfr_div, a, b);
  }
}

TYPED_TEST(WideTest, CancellationLosesNothing) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < kMany; ++k) {
    const Wide<kLimbs> a = RandomWide<kLimbs>(10);
    Wide<kLimbs> b = a;
    b.limb[Random()() % kLimbs] ^= std::uint64_t{1} << (Random()() % 63);
    if (k % 3 == 0) b.exponent += static_cast<std::int64_t>(Random()() % 5) - 2;
    ExpectOperation(&internal::Subtract<kLimbs>, &mpfr_sub, a, b);
    EXPECT_TRUE(Subtract(a, a).IsZero());
  }
}

TYPED_TEST(WideTest, ZeroIsNeutral) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  const Wide<kLimbs> x = RandomWide<kLimbs>(10), zero;
  ExpectOperation(&internal::Add<kLimbs>, &mpfr_add, x, zero);
  ExpectOperation(&internal::Add<kLimbs>, &mpfr_add, zero, x);
  ExpectOperation(&internal::Subtract<kLimbs>, &mpfr_sub, zero, x);
  EXPECT_TRUE(Multiply(x, zero).IsZero());
  EXPECT_TRUE(Multiply(zero, x).IsZero());
  EXPECT_TRUE(Divide(zero, x).IsZero());
}

TYPED_TEST(WideTest, NearestInteger) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < kMany; ++k) {
    Wide<kLimbs> x = RandomWide<kLimbs>(61);
    if (k % 3 == 0)
      x = Add(FromInteger<kLimbs>(static_cast<std::int64_t>(Random()() >> 3)), FromDouble<kLimbs>(0.25));
    Number distance = ToNumber(x);
    mpfr_sub(distance, distance, ToNumber(FromInteger<kLimbs>(NearestInteger(x))), MPFR_RNDN);
    EXPECT_LE(mpfr_cmpabs(distance, ToNumber(0.5)), 0) << ToDouble(x);
  }
  EXPECT_EQ(NearestInteger(Wide<kLimbs>()), 0);
  EXPECT_EQ(NearestInteger(FromDouble<kLimbs>(-0.75)), -1);
}

TYPED_TEST(WideTest, Exp) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < 3000; ++k) {
    const Wide<kLimbs> x = RandomWide<kLimbs>(k % 2 == 0 ? 11 : 60);
    if (x.exponent > 11) continue;
    Number exact(kOracleBits);
    mpfr_exp(exact, ToNumber(x), MPFR_RNDN);
    EXPECT_GE(CorrectBits(ToNumber(internal::Exp(x)), exact), kExpLogBits<kLimbs>) << ToDouble(x);
  }
  EXPECT_EQ(ToDouble(internal::Exp(Wide<kLimbs>())), 1.0);
}

// All entries of the tables for exp in 256 bits, at both ends of the interval that is left for the series.
TEST(Wide256, ExpAtEveryEntryOfItsTables) {
  for (std::int64_t j = 0; j < 2840; ++j) {
    for (const std::int64_t end : {-1, 0, 1}) {
      Wide256 x = FromInteger<4>((j << 40) + end);
      x.exponent -= 52;
      Number exact(kOracleBits);
      mpfr_exp(exact, ToNumber(x), MPFR_RNDN);
      EXPECT_GE(CorrectBits(ToNumber(internal::Exp(x)), exact), kExpLogBits<4>) << j << ", " << end;
    }
  }
}

// Where the algorithm changes from tables to the series alone, and powers of two, for which nothing is left
// for the series.
TEST(Wide256, LogNextToOneAndToPowersOfTwo) {
  for (int bits = 1; bits <= 250; ++bits) {
    for (const std::int64_t exponent : {-1, 0, 1, 2, 2899}) {
      for (const bool less : {false, true}) {
        Wide256 x = Add(FromInteger<4>(1), PowerOfTwo<4>(-bits, less));
        x.exponent += exponent;
        Number exact(kOracleBits);
        mpfr_log(exact, ToNumber(x), MPFR_RNDN);
        if (mpfr_zero_p(exact) != 0) continue;  // 1, made from 2 or from 1/2
        EXPECT_GE(CorrectBits(ToNumber(internal::Log(x)), exact), kExpLogBits<4>) << bits << ", " << exponent;
      }
    }
  }
}

// Divisors with few digits and with many. Some have no digits in the middle.
TEST(Wide256, Quotients) {
  for (int k = 0; k < kMany; ++k) {
    const Wide256 a = RandomWide<4>(10);
    Wide256 b = RandomWide<4>(10);
    for (int i = 0; i < 3; ++i) b.limb[i] = i < k % 4 ? b.limb[i] : 0;
    if (k % 3 != 0) b.limb[3] &= ~std::uint64_t{0} << 32;
    ExpectOperation(&internal::Divide<4>, &mpfr_div, a, b);
  }
}

// A product with 256 digits is exact, however its factors share the digits.
TEST(Wide256, ProductsOf256Digits) {
  for (int k = 0; k < kMany; ++k) {
    const auto digits = static_cast<int>(Random()() % 257);
    const auto first = [&](int count) {
      Wide256 x = RandomWide<4>(10);
      for (int i = 0; i < 4; ++i) {
        const int zeros = std::min(std::max(256 - count - 64 * i, 0), 64);
        x.limb[i] = zeros == 64 ? 0 : x.limb[i] >> zeros << zeros;
      }
      return x;
    };
    const Wide256 a = first(digits), b = first(256 - digits);
    Number exact(kOracleBits);
    mpfr_mul(exact, ToNumber(a), ToNumber(b), MPFR_RNDN);
    EXPECT_EQ(mpfr_cmp(ToNumber(Multiply(a, b)), exact), 0);
  }
}

// `high` is x rounded to double, and `low` is the rest, rounded. Cases include midpoints.
TEST(Wide256, ToDoubleDouble) {
  for (int k = 0; k < kMany; ++k) {
    Wide256 x = RandomWide<4>(100);
    if (k % 4 == 0) x.limb[3] = (x.limb[3] & ~std::uint64_t{0x7FF}) | 0x400;
    if (k % 8 == 0) std::fill(x.limb, x.limb + 3, 0);
    if (k % 16 == 0) x.limb[k / 16 % 3] = 1;
    const DoubleDouble both = ToDoubleDouble(x);
    EXPECT_EQ(both.high, mpfr_get_d(ToNumber(x), MPFR_RNDN));
    Number rest = ToNumber(x);
    mpfr_sub_d(rest, rest, both.high, MPFR_RNDN);
    EXPECT_EQ(both.low, mpfr_get_d(rest, MPFR_RNDN));
  }
  const DoubleDouble zero = ToDoubleDouble(Wide256());
  EXPECT_EQ(zero.high, 0.0);
  EXPECT_EQ(zero.low, 0.0);
}

TYPED_TEST(WideTest, Log) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  std::vector<double> arguments = {10000.0,
                                   500000.0,
                                   1e7,
                                   7.25,
                                   0.5,
                                   2.0,
                                   0x1p-1022,
                                   0x1p-1074,
                                   1.0 + 0x1p-52,
                                   1.0 - 0x1p-53,
                                   1.0 + 0x1p-6,
                                   1.0 - 0x1p-6,
                                   0x1.fffffffffffffp1023};
  for (int k = 0; k < 1000; ++k) arguments.push_back(std::fabs(RandomDouble()));
  for (int k = 0; k < 1000; ++k) arguments.push_back(RandomPositive());
  for (const double x : arguments) {
    if (x <= 0.0) continue;
    Number exact(kOracleBits);
    mpfr_log(exact, ToNumber(x), MPFR_RNDN);
    EXPECT_GE(CorrectBits(ToNumber(internal::Log<kLimbs>(x)), exact), kExpLogBits<kLimbs>) << x;
  }
  EXPECT_TRUE(internal::Log<kLimbs>(1.0).IsZero());
}

// log(1 + e) keeps all digits of e, however small e is.
TYPED_TEST(WideTest, LogOnePlus) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < 1000; ++k) {
    Wide<kLimbs> e = RandomWide<kLimbs>(60);
    e.exponent = -12 - k;
    Number exact(kOracleBits);
    mpfr_log1p(exact, ToNumber(e), MPFR_RNDN);
    EXPECT_GE(CorrectBits(ToNumber(internal::LogOnePlus(e)), exact), kExpLogBits<kLimbs>) << ToDouble(e);
  }
  EXPECT_TRUE(internal::LogOnePlus(Wide<kLimbs>()).IsZero());
}

// Products of these numbers lose the most digits.
TYPED_TEST(WideTest, ProductsOfFullWords) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  Wide<kLimbs> x;
  for (std::uint64_t& limb : x.limb) limb = ~std::uint64_t{0};
  x.limb[kLimbs - 1] = std::uint64_t{1} << 63;
  ExpectOperation(&internal::Multiply<kLimbs>, &mpfr_mul, x, x);
}

TEST(ApproximateLog, IsNearTheLogarithm) {
  std::vector<double> arguments = {0x1p-1074,
                                   0x1.8p-1073,
                                   0x1p-1022,
                                   0x0.8p-1022,
                                   0x1.fffffffffffffp1023,
                                   0.5,
                                   2.0,
                                   0x1.6a09e667f3bcdp-1,
                                   0x1.6a09e667f3bccp-1,
                                   0x1.6a09e667f3bcdp0,
                                   10000.0};
  for (int bits = 1; bits <= 53; ++bits) {
    arguments.push_back(1.0 - std::ldexp(1.0, -bits));
    arguments.push_back(1.0 + std::ldexp(1.0, -std::min(bits, 52)));
  }
  for (int k = 0; k < 100000; ++k) arguments.push_back(RandomPositive());
  for (const double x : arguments) {
    Number exact(200), error(200);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_log(exact, exact, MPFR_RNDN);
    mpfr_sub_d(error, exact, ApproximateLog(x), MPFR_RNDN);
    if (mpfr_zero_p(error) != 0) continue;
    EXPECT_LE(mpfr_get_exp(error), -38) << x;
    EXPECT_LE(mpfr_get_exp(error), mpfr_get_exp(exact) - 39) << x;  // so the relative error is below 2^-38
  }
  EXPECT_EQ(ApproximateLog(1.0), 0.0);
}

TYPED_TEST(WideTest, SinCosQuarterTurns) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (int k = 0; k < 5000; ++k) {
    Wide<kLimbs> r = RandomWide<kLimbs>(k % 2 == 0 ? 3 : 80);
    if (k % 2 == 0) r.exponent = -1 - static_cast<std::int64_t>(Random()() % 3);
    if (r.exponent >= 0) continue;
    Number x(kOracleBits), sine(kOracleBits), cosine(kOracleBits);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul(x, x, ToNumber(r), MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, x, MPFR_RNDN);
    Wide<kLimbs> s, c;
    internal::SinCosQuarterTurns(r, &s, &c);
    EXPECT_GE(CorrectBits(ToNumber(s), sine), kSinCosBits<kLimbs>) << ToDouble(r);
    EXPECT_GE(CorrectBits(ToNumber(c), cosine), kSinCosBits<kLimbs>) << ToDouble(r);
  }
  Wide<kLimbs> s, c;
  internal::SinCosQuarterTurns(Wide<kLimbs>(), &s, &c);
  EXPECT_TRUE(s.IsZero());
  EXPECT_EQ(ToDouble(c), 1.0);
}

TYPED_TEST(WideTest, QuarterTurnsPerRadian) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  Number exact(kOracleBits);
  mpfr_const_pi(exact, MPFR_RNDN);
  mpfr_ui_div(exact, 2, exact, MPFR_RNDN);
  EXPECT_GE(CorrectBits(ToNumber(internal::QuarterTurnsPerRadian<kLimbs>()), exact), TypeParam::kBits - 1);
  mpfr_ui_div(exact, 1, exact, MPFR_RNDN);
  EXPECT_GE(CorrectBits(ToNumber(internal::RadiansPerQuarterTurn<kLimbs>()), exact), TypeParam::kBits - 1);
}

}  // namespace
}  // namespace internal
}  // namespace posenc
