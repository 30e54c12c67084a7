// The 256-bit arithmetic of the last resort against MPFR, within the bounds that wide.h states.
#include "number/wide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "posenc/accuracy.h"
#include "wide_number.h"

namespace posenc {
namespace internal {
namespace {

using oracle::Number;

std::mt19937_64& Random() {
  static std::mt19937_64 random(17);
  return random;
}

// Random limbs, some all zeros or ones, which is where carries go wrong.
Wide RandomWide(int max_exponent) {
  Wide x;
  for (std::uint64_t& limb : x.limb) {
    const std::uint64_t kind = Random()() % 8;
    limb = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : Random()();
  }
  x.limb[3] |= std::uint64_t{1} << 63;
  const auto span = 2 * static_cast<std::uint64_t>(max_exponent) + 1;
  x.exponent = static_cast<std::int64_t>(Random()() % span) - max_exponent;
  x.negative = Random()() % 2 != 0;
  return x;
}

double RandomDouble() {
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(Random()())),
                    static_cast<int>(Random()() % 120) - 124);
}

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

void ExpectOperation(Wide (*operation)(const Wide&, const Wide&), MpfrFunction exact_operation, const Wide& a,
                     const Wide& b) {
  Number exact(kOracleBits);
  exact_operation(exact, ToNumber(a), ToNumber(b), MPFR_RNDN);
  EXPECT_GE(CorrectBits(ToNumber(operation(a, b)), exact), kWideBits);
}

TEST(Wide, ConversionsAreExact) {
  for (int n = 0; n < 2000; ++n) {
    const double x = RandomDouble();
    EXPECT_EQ(mpfr_cmp_d(ToNumber(FromDouble(x)), x), 0) << x;
    EXPECT_EQ(ToDouble(FromDouble(x)), x);
    const auto i = static_cast<std::int64_t>(Random()() >> (Random()() % 64));
    Number integer(kOracleBits);
    mpfr_set_sj(integer, i, MPFR_RNDN);
    EXPECT_EQ(mpfr_cmp(ToNumber(FromInteger(i)), integer), 0) << i;
  }
  EXPECT_TRUE(FromDouble(0.0).IsZero());
  EXPECT_TRUE(FromInteger(0).IsZero());
  EXPECT_EQ(ToDouble(FromInteger(std::numeric_limits<std::int64_t>::min())), -0x1p63);
}

TEST(Wide, ToDoubleRoundsToNearest) {
  for (int n = 0; n < 20000; ++n) {
    Wide x = RandomWide(200);
    if (n % 4 == 0) x.limb[3] = (x.limb[3] & ~std::uint64_t{0x7FF}) | 0x400;  // near a midpoint
    if (n % 8 == 0) x.limb[0] = x.limb[1] = x.limb[2] = 0;                    // at one
    if (n % 16 == 4) x.limb[1] = x.limb[2] = 0, x.limb[0] = 1;                // just above one
    EXPECT_EQ(ToDouble(x), mpfr_get_d(ToNumber(x), MPFR_RNDN));
  }
}

TEST(Wide, Arithmetic) {
  for (int n = 0; n < 20000; ++n) {
    const Wide a = RandomWide(n % 2 == 0 ? 3 : 300), b = RandomWide(n % 2 == 0 ? 3 : 300);
    ExpectOperation(&internal::Add, &mpfr_add, a, b);
    ExpectOperation(&internal::Subtract, &mpfr_sub, a, b);
    ExpectOperation(&internal::Multiply, &mpfr_mul, a, b);
    ExpectOperation(&internal::Divide, &mpfr_div, a, b);
    const auto small = static_cast<std::uint32_t>(1 + Random()() % 0xFFFFFFFFu);
    Number quotient(kOracleBits);
    mpfr_div_ui(quotient, ToNumber(a), small, MPFR_RNDN);
    EXPECT_GE(CorrectBits(ToNumber(DivideSmall(a, small)), quotient), kWideBits);
  }
}

TEST(Wide, CancellationLosesNothing) {
  for (int n = 0; n < 20000; ++n) {
    const Wide a = RandomWide(10);
    Wide b = a;
    b.limb[Random()() % 4] ^= std::uint64_t{1} << (Random()() % 63);
    if (n % 3 == 0) b.exponent += static_cast<std::int64_t>(Random()() % 5) - 2;
    ExpectOperation(&internal::Subtract, &mpfr_sub, a, b);
    EXPECT_TRUE(Subtract(a, a).IsZero());
  }
}

TEST(Wide, ZeroIsNeutral) {
  const Wide x = RandomWide(10), zero;
  ExpectOperation(&internal::Add, &mpfr_add, x, zero);
  ExpectOperation(&internal::Add, &mpfr_add, zero, x);
  ExpectOperation(&internal::Subtract, &mpfr_sub, zero, x);
  EXPECT_TRUE(Multiply(x, zero).IsZero());
  EXPECT_TRUE(Multiply(zero, x).IsZero());
  EXPECT_TRUE(Divide(zero, x).IsZero());
}

TEST(Wide, NearestInteger) {
  for (int n = 0; n < 20000; ++n) {
    Wide x = RandomWide(61);
    if (n % 3 == 0) x = Add(FromInteger(static_cast<std::int64_t>(Random()() >> 3)), FromDouble(0.25));
    Number distance = ToNumber(x);
    mpfr_sub(distance, distance, ToNumber(FromInteger(NearestInteger(x))), MPFR_RNDN);
    EXPECT_LE(mpfr_cmpabs(distance, ToNumber(0.5)), 0) << ToDouble(x);
  }
  EXPECT_EQ(NearestInteger(Wide()), 0);
  EXPECT_EQ(NearestInteger(FromDouble(-0.75)), -1);
}

TEST(Wide, Exp) {
  for (int n = 0; n < 3000; ++n) {
    const Wide x = RandomWide(n % 2 == 0 ? 11 : 60);
    if (x.exponent > 11) continue;
    Number exact(kOracleBits);
    mpfr_exp(exact, ToNumber(x), MPFR_RNDN);
    EXPECT_GE(CorrectBits(ToNumber(internal::Exp(x)), exact), 240) << ToDouble(x);
  }
  EXPECT_EQ(ToDouble(internal::Exp(Wide())), 1.0);
}

TEST(Wide, Log) {
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
  for (int n = 0; n < 1000; ++n) arguments.push_back(std::fabs(RandomDouble()));
  for (int n = 0; n < 1000; ++n) arguments.push_back(1.0 + RandomDouble() * 0x1p-70);
  for (const double x : arguments) {
    if (x <= 0.0) continue;
    Number exact(kOracleBits);
    mpfr_log(exact, ToNumber(x), MPFR_RNDN);
    EXPECT_GE(CorrectBits(ToNumber(internal::Log(x)), exact), 236) << x;
  }
  EXPECT_TRUE(internal::Log(1.0).IsZero());
}

TEST(Wide, SinCosQuarterTurns) {
  for (int n = 0; n < 5000; ++n) {
    Wide r = RandomWide(n % 2 == 0 ? 3 : 80);
    if (n % 2 == 0) r.exponent = -1 - static_cast<std::int64_t>(Random()() % 3);
    if (r.exponent >= 0) continue;
    Number x(kOracleBits), sine(kOracleBits), cosine(kOracleBits);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul(x, x, ToNumber(r), MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, x, MPFR_RNDN);
    Wide s, c;
    internal::SinCosQuarterTurns(r, &s, &c);
    EXPECT_GE(CorrectBits(ToNumber(s), sine), kSinCosBits) << ToDouble(r);
    EXPECT_GE(CorrectBits(ToNumber(c), cosine), kSinCosBits) << ToDouble(r);
  }
  Wide s, c;
  internal::SinCosQuarterTurns(Wide(), &s, &c);
  EXPECT_TRUE(s.IsZero());
  EXPECT_EQ(ToDouble(c), 1.0);
}

TEST(Wide, QuarterTurnsPerRadian) {
  Number exact(kOracleBits);
  mpfr_const_pi(exact, MPFR_RNDN);
  mpfr_ui_div(exact, 2, exact, MPFR_RNDN);
  EXPECT_GE(CorrectBits(ToNumber(internal::QuarterTurnsPerRadian()), exact), 255);
}

constexpr posenc_type kTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64};

// MPFR's own way: round to the digits that are left in the range of subnormals, or to none.
double Nearest(const Wide& x, const ElementTraits& format) {
  const Number exact = ToNumber(x);
  const mpfr_exp_t lost = std::max<mpfr_exp_t>(0, format.min_exponent - mpfr_get_exp(exact));
  if (lost >= format.digits) {  // 0 or the least subnormal, as x is at most half of it or not
    const double least = std::ldexp(1.0, format.least_exponent());
    const double magnitude = mpfr_cmpabs(exact, ToNumber(least / 2)) > 0 ? least : 0.0;
    return std::copysign(magnitude, mpfr_signbit(exact) != 0 ? -1.0 : 1.0);
  }
  Number rounded(static_cast<mpfr_prec_t>(format.digits - lost));
  mpfr_set(rounded, exact, MPFR_RNDN);
  return mpfr_get_d(rounded, MPFR_RNDN);
}

TEST(Wide, RoundToTypeRoundsToNearest) {
  for (const posenc_type type : kTypes) {
    const ElementTraits format = TraitsOf(type);
    for (int n = 0; n < 30000; ++n) {
      Wide x = RandomWide(n % 2 == 0 ? 20 : 125);
      if (n % 3 == 0) x.exponent = format.min_exponent + 1 - n % 30;  // around the subnormals
      const int kept =
          format.digits - static_cast<int>(std::max<std::int64_t>(0, format.min_exponent - x.exponent));
      if (n % 4 == 0 && kept >= 0) {  // near a midpoint
        const std::uint64_t half = std::uint64_t{1} << (63 - kept);
        x.limb[3] = (x.limb[3] & ~(2 * half - 1)) | half;
      }
      bool decided = true;
      const double want = Nearest(x, format);
      const auto got = RoundToType(x, type, 200, &decided);
      EXPECT_EQ(got, want) << ToDouble(x) << " to " << format.digits << " digits";
      EXPECT_EQ(std::signbit(got), x.negative);
    }
  }
}

TEST(Wide, RoundToTypeKnowsWhatItCannotDecide) {
  for (const posenc_type type : kTypes) {
    const ElementTraits format = TraitsOf(type);
    const auto decides = [&](const Wide& x, int bits) {
      bool decided = true;
      RoundToType(x, type, bits, &decided);
      return decided;
    };
    const auto power = [](int exponent) {
      return Wide{{0, 0, 0, std::uint64_t{1} << 63}, exponent + 1, false};
    };
    const Wide normal = Add(power(0), power(-format.digits));
    const Wide subnormal = Add(power(format.least_exponent()), power(format.least_exponent() - 1));
    for (const Wide& midpoint : {normal, subnormal, Negate(normal)}) {
      EXPECT_FALSE(decides(midpoint, 200));
      for (const bool above : {false, true}) {
        for (const int distance : {60, 100, 180}) {
          const Wide nudge{{0, 0, 0, std::uint64_t{1} << 63}, midpoint.exponent - distance, !above};
          const Wide x = Add(midpoint, nudge);
          EXPECT_TRUE(decides(x, distance + 4)) << distance;
          EXPECT_FALSE(decides(x, distance - 4)) << distance;
        }
      }
    }
    EXPECT_TRUE(decides(FromDouble(0.3), 60));
    EXPECT_FALSE(decides(FromDouble(0.3), 6));  // 6 bits decide none of them
  }
}

}  // namespace
}  // namespace internal
}  // namespace posenc
