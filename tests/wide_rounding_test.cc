// Wide numbers rounded to the types of entries, compared with MPFR, and whether the bits that count decide
// the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "number/elements.h"
#include "number/wide.h"
#include "posenc/accuracy.h"
#include "random_wide.h"
#include "wide_number.h"

namespace posenc {
namespace internal {
namespace {

using oracle::Number;

constexpr int kMany = 20000;

TYPED_TEST_SUITE(WideTest, Widths, WidthName);

// Rounds as MPFR does it: to the digits that the type has left in its subnormal range, or to none.
template <int kLimbs>
double Nearest(const Wide<kLimbs>& x, const ElementTraits& format) {
  const Number exact = ToNumber(x);
  const mpfr_exp_t lost = std::max<mpfr_exp_t>(0, format.min_exponent - mpfr_get_exp(exact));
  if (lost >= format.digits) {  // 0 or the smallest subnormal, depending on whether x is more than half of it
    const double least = std::ldexp(1.0, format.least_exponent());
    const double magnitude = mpfr_cmpabs(exact, ToNumber(least / 2)) > 0 ? least : 0.0;
    return std::copysign(magnitude, mpfr_signbit(exact) != 0 ? -1.0 : 1.0);
  }
  Number rounded(static_cast<mpfr_prec_t>(format.digits - lost));
  mpfr_set(rounded, exact, MPFR_RNDN);
  return mpfr_get_d(rounded, MPFR_RNDN);
}

TYPED_TEST(WideTest, RoundToTypeRoundsToNearest) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (const posenc_type type : kEntries) {
    const ElementTraits format = TraitsOf(type);
    for (int k = 0; k < kMany; ++k) {
      Wide<kLimbs> x = RandomWide<kLimbs>(k % 2 == 0 ? 20 : 125);
      if (k % 3 == 0) x.exponent = format.min_exponent + 1 - k % 30;  // near the subnormal range
      const int kept =
          format.digits - static_cast<int>(std::max<std::int64_t>(0, format.min_exponent - x.exponent));
      if (k % 4 == 0 && kept >= 0) {  // near a midpoint
        const std::uint64_t half = std::uint64_t{1} << (63 - kept);
        x.limb[kLimbs - 1] = (x.limb[kLimbs - 1] & ~(2 * half - 1)) | half;
      }
      bool decided = true;
      const double want = Nearest(x, format);
      const auto got = RoundToType(x, type, 200, &decided);
      EXPECT_EQ(got, want) << ToDouble(x) << " to " << format.digits << " digits";
      EXPECT_EQ(std::signbit(got), x.negative);
    }
  }
}

TYPED_TEST(WideTest, RoundToTypeKnowsWhatItCannotDecide) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (const posenc_type type : kEntries) {
    const ElementTraits format = TraitsOf(type);
    const auto decides = [&](const Wide<kLimbs>& x, int bits) {
      bool decided = true;
      RoundToType(x, type, bits, &decided);
      return decided;
    };
    const auto normal = Add(PowerOfTwo<kLimbs>(0), PowerOfTwo<kLimbs>(-format.digits));
    const auto subnormal =
        Add(PowerOfTwo<kLimbs>(format.least_exponent()), PowerOfTwo<kLimbs>(format.least_exponent() - 1));
    for (const Wide<kLimbs>& midpoint : {normal, subnormal, Negate(normal)}) {
      EXPECT_FALSE(decides(midpoint, TypeParam::kBits - 10));
      for (const bool above : {false, true}) {
        for (const int distance : {60, 100, 180, TypeParam::kBits - 70}) {
          const auto x = Add(midpoint, PowerOfTwo<kLimbs>(midpoint.exponent - 1 - distance, !above));
          EXPECT_TRUE(decides(x, distance + 4)) << distance;
          EXPECT_FALSE(decides(x, distance - 4)) << distance;
        }
      }
    }
    EXPECT_TRUE(decides(FromDouble<kLimbs>(0.3), 60));
    EXPECT_FALSE(decides(FromDouble<kLimbs>(0.3), 6));  // 6 bits do not decide any type
  }
}

// If no bit counts, the sign does not count either, even if x rounds to 0.
TYPED_TEST(WideTest, RoundToTypeKnowsNoSignOfNoBits) {
  constexpr int kLimbs = TypeParam::kBits / 64;
  for (const posenc_type type : kEntries) {
    for (const double x : {-0x1p-1000, 0x1p-1000, -1.25, 0.0}) {
      Wide<kLimbs> wide = FromDouble<kLimbs>(x);
      if (x == -0x1p-1000) wide.exponent -= 1000;
      for (const int bits : {0, -7}) {
        bool decided = true;
        RoundToType(wide, type, bits, &decided);
        EXPECT_FALSE(decided) << x << ", " << bits << " bits";
      }
    }
  }
}

}  // namespace
}  // namespace internal
}  // namespace posenc
