// exp and log of 256 bits, which creation waits for, and the instances of wide_arithmetic.h for 4 words. Both
// functions take 12 bits off their argument by tables of exp and leave the rest, below 2^-12, to a series of
// integer coefficients, whose sum is divided once. Errors: 2^-238 and less (proof/wide_functions.md).
#include "number/exact.h"

#include <algorithm>

#include "number/double_double.h"
#include "number/wide_arithmetic.h"

namespace posenc {
namespace internal {
namespace {

// exp(i / n) for n = 16, 256 and 4096: the first 256 bits of numbers in [1, 2), from MPFR; the lowest word
// first.
constexpr std::uint64_t kExpOfSixteenths[12][4] = {
    {0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000},
    {0x624bec06ef3fcf23, 0xdd14aabac3e1237c, 0xd8d00cf112e4d4a8, 0x88415abbe9a76bea},
    {0xbbb5b0f28118966c, 0x3c5f864254ab82be, 0x76b441c27035c6a1, 0x910b022db7ae67ce},
    {0x230db4adf1746808, 0x847358538982478c, 0x7062465be33249a2, 0x9a65c0b85ac1a96a},
    {0x4c9f4678ad3105f5, 0x621c438b25df1585, 0x3de1db4dd55f29a7, 0xa45af1e1f40c333b},
    {0xf10196afa117c185, 0x4ed9617806799385, 0x89923298baa201e1, 0xaef48bb022ffa9da},
    {0xdc36bb7839d43d41, 0xbc7d210f9a5c6dbe, 0xa3c5b2cd849202e2, 0xba3d289edf7b5311},
    {0x3b07618576b0c25c, 0x89bf106785527ef9, 0x26da076c298885f7, 0xc640123bd8007ee1},
    {0xe225fe4831b3f966, 0xfb28f8b60985a3ac, 0x96ff7d5b6f99fcd8, 0xd3094c70f034de4b},
    {0x92a2a7afe4b48c89, 0xba617fe1f3f4f547, 0x955289dd211002f5, 0xe0a5a1892b223221},
    {0xa14067fc2c2a932d, 0xca170f74050387f0, 0x44bd8397b6d52de2, 0xef22aefc071e02e5},
    {0xd2a0a1dd4749b4fd, 0x12708a7aad8263b1, 0x61db684632cb9121, 0xfe8ef30c17c644e9},
};
constexpr std::uint64_t kExpOf256ths[16][4] = {
    {0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000},
    {0x1eb90105d0372a42, 0xde7806498676076f, 0x451521693554f733, 0x808040155aabbbe9},
    {0x80ab44b0c0482614, 0x37b1c91eed70fa46, 0x1931c15e39b44e99, 0x810100ab00222d86},
    {0xa747371f2c5d5be9, 0xb2d88edc0ac8a0c5, 0x6ca08d0e773b6516, 0x81824241b103b504},
    {0x835210e45ec2eb5c, 0xb790820fa313b765, 0x5c3259f4822735a2, 0x8204055aaef1c8bd},
    {0xc67acf4e12a99dec, 0x277b532d181af4d3, 0x6d0fbdc36f1fc743, 0x82864a77bd1036e1},
    {0x173a4446c8bf2dd3, 0x42bd273346104e0a, 0x2b2cebaf4adbb70d, 0x8309121b2086e8a7},
    {0xa77c428f0ba1fc43, 0x3f64c60c30830a66, 0xed9945c8cf3484c2, 0x838c5cc7a104277d},
    {0x89fef98bfb0c3076, 0x55280bc292234035, 0x05e841d5d4064bd3, 0x84102b00893f64c7},
    {0x3720d66e762265a9, 0x5d17bac393c2ba38, 0x2277b709d6fbe6b7, 0x84947d49a77c8498},
    {0x76b3175ac20d2769, 0x9fafcc07ca7bc0b3, 0x2e60e7cacd8d8884, 0x851954274e0fac0a},
    {0x3c5dbada910f86ab, 0xfc17f52c098d739d, 0x7d6e234f90afe905, 0x859eb01e53e19398},
    {0xb283022a369fd391, 0xed3ac5a3043be481, 0x967f31eb2594af50, 0x862491b414f45e14},
    {0xe1e4cf30c230356f, 0x622fd1b2c1f52eda, 0x735b685354712710, 0x86aaf96e72e8f4b3},
    {0x7fe484594e94081c, 0x7d8b029e68805db6, 0x9209beb61a0e0eae, 0x8731e7d3d584e8b9},
    {0xa744e4ad0f8c48ac, 0xef77ad79011547f0, 0xb966251a168701d1, 0x87b95d6b2b38db4b},
};
constexpr std::uint64_t kExpOf4096ths[16][4] = {
    {0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000},
    {0xac9d738c6e3ef393, 0x626f93134f38662f, 0xbbbbe93efbf08f0a, 0x8008004001555aaa},
    {0x6d4fcae7974a623b, 0x58cd1f2e49174043, 0x222d830c31931c15, 0x801001000aab0002},
    {0xe5872823d898b3eb, 0x32810b2e10bfb144, 0x33b4d045912c51d6, 0x801802402401b010},
    {0x2c6f8635927372a0, 0x2a408ea8a2d3aa12, 0xf1c7367437493bd5, 0x80200400555aaaee},
    {0x4b99342ed587bf79, 0x4f8b28a8e97fab2b, 0x602f9878a77c555a, 0x80280640a6b7b0d0},
    {0xa45916fd1d047dbd, 0x45cb37415247053c, 0x86ce893967449a9e, 0x80300901201b0206},
    {0x3b0f5171798cbb47, 0xc469c9e10554e945, 0x73da9e55b951f5a9, 0x80380c41c9875f0b},
    {0xa202d35f75d2909c, 0xcdd724d10abf4e86, 0x3ea0eadeb97a6479, 0x80401002ab000889},
    {0x30742cafaf93b98c, 0xf243395f7b1b9862, 0x0ac5aa1999db3c69, 0x80481443cc88bf62},
    {0xf34ceb880f2e3b86, 0xcd8a0a1408586766, 0x0c05224e41d1f811, 0x805019053625c4b8},
    {0x243a074921e82529, 0x76b8c35c2e26a1b0, 0x8a74c7a60fb0092f, 0x80581e46efdbd9f5},
    {0x9076afe48c205922, 0x0295b6a465854e0f, 0xe744a71efe4d3866, 0x8060240901b040d4},
    {0x2d7712372d5f59bf, 0xc9cf97e9d3ff5bda, 0xa2012197efe43105, 0x80682a4b73a8bb68},
    {0x98c2780d02a4e24d, 0x1efbd5b50368dbcc, 0x5e54fefb5ff4f044, 0x8070310e4dcb8c23},
    {0x4288c43436877ab9, 0xd871dbcf15516fff, 0xea4be18e3e40edb9, 0x80783851981f75df},
};

// exp(j / 4096), 0 <= j < 12 * 256, as a product of three entries.
Wide256 ExpOfTable(std::uint64_t j) {
  const auto entry = [](const std::uint64_t(&limbs)[4]) {
    Wide256 x;
    std::memcpy(x.limb, limbs, sizeof(x.limb));
    x.exponent = 1;
    return x;
  };
  const Wide256 rest = Multiply(entry(kExpOf256ths[j / 16 % 16]), entry(kExpOf4096ths[j % 16]));
  return Multiply(entry(kExpOfSixteenths[j / 256]), rest);
}

// A series of 21 integer coefficients. Times `inverse`, which divides by the first one, its first term is 1.
constexpr int kLastTerm = 20;
struct Series {
  std::uint64_t coefficients[kLastTerm + 1];
  Wide256 inverse;  // of coefficients[0]
};

// exp(x): 20! / n!. What follows is below 2^-317 for 0 <= x < 2^-12.
constexpr Series SeriesOfExp() {
  Series series{};
  std::uint64_t factor = 1;  // 20! / n!, below 2^62
  for (int n = kLastTerm; n >= 0; --n) {
    series.coefficients[n] = factor;
    if (n > 0) factor *= static_cast<std::uint64_t>(n);
  }
  series.inverse.exponent = -61;
  const std::uint64_t limbs[4] = {0xbc0ddd53de7e7eec, 0xf9014d1b9fa46592, 0x4e5695fc785d5dfe,
                                  0xf2a15d201011283d};
  for (int i = 0; i < 4; ++i) series.inverse.limb[i] = limbs[i];
  return series;
}

// log(1 + x) / x, without the signs: kMultiple * 2^36 / (n + 1). The 36 zeros are digits of its sum's
// fraction.
constexpr Series SeriesOfLog() {
  constexpr std::uint64_t kMultiple = 232792560;  // the least common multiple of 1 .. 21
  Series series{};
  for (int n = 0; n <= kLastTerm; ++n)
    series.coefficients[n] = kMultiple / static_cast<std::uint64_t>(n + 1) << 36;
  series.inverse.exponent = -27 - 36;
  const std::uint64_t limbs[4] = {0xdd1746650d79d6f7, 0x8ba37c534b4b5484, 0xbac224bfa86bcaae,
                                  0x93991cbfb19c22e8};
  for (int i = 0; i < 4; ++i) series.inverse.limb[i] = limbs[i];
  return series;
}

constexpr Series kExpSeries = SeriesOfExp(), kLogSeries = SeriesOfLog();

// Horner's steps, sum = sum * x + coefficient, from coefficient `from` down to `end`, with signs that
// alternate if asked. The sum is in the upper kLimbs words, and the last of these is its integer part. x is a
// fraction. Each step errs by less than 4 in the lowest of these words (proof/wide_functions.md).
template <int kLimbs>
void AddTerms(const Series &series, int from, int end, const std::uint64_t (&x)[4], bool alternates,
              std::uint64_t (&sum)[4]) {
  constexpr int kLow = 4 - kLimbs;
  const std::uint64_t flipped = alternates ? ~std::uint64_t{0} : 0;
  for (int n = from; n >= end; --n) {
    std::uint64_t product[kLimbs + 1];
    MultiplyTop<kLimbs>(x + kLow, sum + kLow, product);
    std::uint64_t carry = alternates ? 1 : 0;
    for (int i = 0; i < kLimbs; ++i) sum[kLow + i] = AddLimbs(product[i + 1] ^ flipped, 0, &carry);
    sum[3] += series.coefficients[n];
  }
}

// The series at x, or at -x if it alternates; 0 <= x < 2^-12.
Wide256 Sum(const Series &series, const std::uint64_t (&x)[4], bool alternates) {
  std::uint64_t sum[4] = {0, 0, 0, series.coefficients[kLastTerm]};
  // The error of the sum after term n is multiplied by x^n, so the first of these steps need fewer words.
  AddTerms<1>(series, kLastTerm - 1, 16, x, alternates, sum);
  AddTerms<2>(series, 15, 11, x, alternates, sum);
  AddTerms<3>(series, 10, 6, x, alternates, sum);
  AddTerms<4>(series, 5, 0, x, alternates, sum);
  return Multiply(Normalize<4>(sum, 4, 64, false), series.inverse);
}

// |x| < 1 as a fraction of four words, truncated.
void ToFraction(const Wide256 &x, std::uint64_t (&fraction)[4]) {
  std::uint64_t digits[9] = {};
  std::memcpy(digits, x.limb, sizeof(x.limb));
  const std::int64_t shift = std::min<std::int64_t>(-x.exponent, 256);
  const std::uint64_t *from = digits + shift / 64;
  for (int i = 0; i < 4; ++i) fraction[i] = ShiftedLimb(from[i + 1], from[i], static_cast<int>(shift % 64));
}

// The logarithm of 0.digits * 2^exponent in double, with the error of ApproximateLog. The top bit of digits
// is set.
double LogOf(std::uint64_t digits, std::int64_t exponent) {
  const double m = static_cast<double>(static_cast<std::int64_t>(digits >> 11)) * 0x1p-53;  // 1/2 <= m < 1
  const bool is_small = m < 0.70710678118654752;
  const double y = is_small ? 2.0 * m : m;
  const double z = (y - 1.0) / (y + 1.0), z2 = z * z;
  double sum = 0.0;  // z^2 / 3 + ... + z^14 / 15; log(y) = 2 atanh(z)
  for (int n = 15; n > 1; n -= 2) sum = (sum + 1.0 / n) * z2;
  return static_cast<double>(exponent - (is_small ? 1 : 0)) * 0.69314718055994531 + 2.0 * (z + z * sum);
}

}  // namespace

// exp(x) = 2^k exp(j / 4096) exp(r), 0 <= r < 2^-12.
Wide256 Exp(const Wide256 &x) {
  if (x.IsZero()) return FromInteger<4>(1);
  // k is rounded down from a little less, so that the rest, x - k log(2), is positive and hardly more than
  // log(2).
  const double doublings = ToDouble(x) * 1.4426950408889634 - 0x1p-30;
  auto k = static_cast<std::int64_t>(doublings);
  if (doublings < static_cast<double>(k)) --k;
  std::uint64_t r[4];
  ToFraction(Subtract(x, Multiply(FromInteger<4>(k), Constant<4>(kLn2, 0))), r);
  const std::uint64_t j = r[3] >> 52;
  r[3] &= ~std::uint64_t{0} >> 12;
  return Scale(Multiply(ExpOfTable(j), Sum(kExpSeries, r, false)), k);
}

Wide256 LogOnePlus(const Wide256 &e) {
  if (e.IsZero()) return e;
  std::uint64_t fraction[4];
  ToFraction(e, fraction);
  return Multiply(e, Sum(kLogSeries, fraction, !e.negative));
}

// With x = 2^k m, 1/2 <= m < 1, and 1 + e = m exp(j / 4096): log(x) = k log(2) - j / 4096 + log(1 + e).
// Within 2^-12 of 1, where that sum would cancel, log(1 + e) with e = x - 1.
Wide256 Log(const Wide256 &x) {
  const std::uint64_t top = x.limb[3];
  const bool is_near_one =
      (x.exponent == 0 && top >> 52 == 0xFFF) || (x.exponent == 1 && top >> 51 == 0x1000);
  Wide256 known, q = x;
  if (!is_near_one) {
    const auto j = static_cast<std::int64_t>(0.5 - 4096.0 * LogOf(top, 0));
    known =
        Subtract(Multiply(FromInteger<4>(x.exponent), Constant<4>(kLn2, 0)), Scale(FromInteger<4>(j), -12));
    q.exponent = 0;
    q = Multiply(q, ExpOfTable(static_cast<std::uint64_t>(j)));
  }
  return Add(known, LogOnePlus(Subtract(q, FromInteger<4>(1))));
}

POSENC_INSTANTIATE_WIDE(4)

// high is x rounded to nearest, ties to even; low is the rest, rounded to nearest.
DoubleDouble ToDoubleDouble(const Wide256 &x) {
  constexpr int kRest = 11;  // bits of the upper word that do not fit into a double
  if (x.IsZero()) return {0.0, 0.0};
  std::uint64_t rest[4];
  std::memcpy(rest, x.limb, sizeof(rest));
  rest[3] &= (std::uint64_t{1} << kRest) - 1;
  const std::uint64_t kept = x.limb[3] >> kRest, half = std::uint64_t{1} << (kRest - 1);
  const bool is_tie = rest[3] == half && (rest[0] | rest[1] | rest[2]) == 0;
  const bool up = is_tie ? kept % 2 != 0 : rest[3] >= half;
  if (up) {  // high exceeds x, by what rest becomes
    std::uint64_t carry = 1;
    for (std::uint64_t &digits : rest) digits = AddLimbs(~digits, 0, &carry);
    rest[3] += std::uint64_t{1} << kRest;
  }
  const double high = ScaleDouble(static_cast<double>(kept + (up ? 1 : 0)), x.exponent - 53);
  return {x.negative ? -high : high, ToDouble(Normalize<4>(rest, 4, x.exponent, x.negative != up))};
}

double ApproximateLog(double x) {
  if (x == 1.0) return 0.0;
  const Wide256 wide = FromDouble<4>(x);
  return LogOf(wide.limb[3], wide.exponent);
}

}  // namespace internal
}  // namespace posenc
