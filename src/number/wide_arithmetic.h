// The arithmetic of wide.h for any number of words; only wide256.cc and wide1024.cc include and
// instantiate it. Words are called limbs and stand lowest first.
#ifndef POSENC_SRC_NUMBER_WIDE_ARITHMETIC_H_
#define POSENC_SRC_NUMBER_WIDE_ARITHMETIC_H_

#include <algorithm>
#include <cstring>

#include "number/compiler.h"
#include "number/wide.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace internal {
namespace {

// Mantissas of constants, from MPFR, truncated to 1,024 bits; the lowest word first.
constexpr int kMaxLimbs = 16;
constexpr std::uint64_t kLn2[kMaxLimbs] = {
    0xda2d97c50f3fd5c6, 0x655fa1872f20e3a2, 0xf5dfa6bd38303248, 0x72ce87b19d6548ca,
    0x256fa0ec7657f74b, 0xb9ea9bc3b136603b, 0x1acbda11317c387e, 0x3e96ca16224ae8c5,
    0x27573b291169b825, 0xed2eae35c1382144, 0x559552fb4afa1b10, 0xe7b876206debac98,
    0x8a0d175b8baafa2b, 0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab};
constexpr std::uint64_t kHalfPi[kMaxLimbs] = {  // of pi / 4
    0x98da48361c55d39a, 0xc2007cb8a163bf05, 0x49286651ece45b3d, 0xae9f24117c4b1fe6,
    0xee386bfb5a899fa5, 0x0bff5cb6f406b7ed, 0xf44c42e9a637ed6b, 0xe485b576625e7ec6,
    0x4fe1356d6d51c245, 0x302b0a6df25f1437, 0xef9519b3cd3a431b, 0x514a08798e3404dd,
    0x020bbea63b139b22, 0x29024e088a67cc74, 0xc4c6628b80dc1cd1, 0xc90fdaa22168c234};
constexpr std::uint64_t kTwoOverPi[kMaxLimbs] = {
    0x7527bac7ebe5f17b, 0x4f463f669e5fea2d, 0x6d367ecf27cb09b7, 0xef2f118b5a0a6d1f,
    0x1ff897ffde05980f, 0x9c845f8bbdf9283b, 0x3991d639835339f4, 0xe99c7026b45f7e41,
    0xe88235f52ebb4484, 0xfe1deb1cb129a73e, 0x06492eea09d1921c, 0xb7246e3a424dd2e0,
    0xfe5163abdebbc561, 0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529};
constexpr std::uint64_t kRootOfHalf[kMaxLimbs] = {
    0xeaa4a0899040ca4a, 0xf52f120f836e582e, 0xcb2a634331f3c84d, 0xc6d5a8a38bb7e9dc,
    0x460abc722f7c4e33, 0xcab1bc911688458a, 0x53059c6011bc337b, 0xd2202e8742af1f4e,
    0x780487363dfa2768, 0x0f74a85e439c7b4a, 0xa8b1fe6fdc83db39, 0x4afc83043ab8a2c3,
    0xed17ac8583339915, 0x1d6f60ba893ba84c, 0x597d89b3754abe9f, 0xb504f333f9de6484};
constexpr std::uint64_t kRootOfThreeFourths[kMaxLimbs] = {
    0x52e3e5c86aa98128, 0xafbf88e1f1279bb4, 0xb940b6677e2c4c9a, 0x94a1379872c4955a,
    0xb75f799d4d4ff2bb, 0x0db5faa9d7bd84fe, 0x6f2f6f1dea16db98, 0xdcf0917309c61d73,
    0x686699d00d6cd1c1, 0xe6267926d1d0f634, 0xd4c98557091147c3, 0x2485e7ecaf78aede,
    0x639053243722d371, 0x92ec1a6629ed23cc, 0x92ba16b83c5c1dc4, 0xddb3d742c265539d};

template <int kLimbs>
Wide<kLimbs> Constant(const std::uint64_t (&limbs)[kMaxLimbs], std::int64_t exponent) {
  Wide<kLimbs> x;
  for (int i = 0; i < kLimbs; ++i) x.limb[i] = limbs[kMaxLimbs - kLimbs + i];
  x.exponent = exponent;
  return x;
}

// The lower limb of (high : low) shifted right by `bits`, 0 <= bits < 64.
inline std::uint64_t ShiftedLimb(std::uint64_t high, std::uint64_t low, int bits) {
  return low >> bits | high << 1 << (63 - bits);
}

// 0.digits [n] * 2^exponent, normalised; what does not fit into kLimbs limbs is truncated.
template <int kLimbs>
Wide<kLimbs> Normalize(const std::uint64_t *digits, int n, std::int64_t exponent, bool negative) {
  int top = n - 1;
  while (top >= 0 && digits[top] == 0) --top;
  Wide<kLimbs> result;
  if (top < 0) return result;
  const int bits = LeadingZeros(digits[top]);
  for (int i = 0; i < kLimbs; ++i) {
    const int from = top - (kLimbs - 1) + i;
    const std::uint64_t high = from >= 0 ? digits[from] : 0;
    const std::uint64_t low = from >= 1 ? digits[from - 1] : 0;
    result.limb[i] = bits == 0 ? high : (high << bits) | (low >> (64 - bits));
  }
  result.exponent = exponent - 64 * (n - 1 - top) - bits;
  result.negative = negative;
  return result;
}

// 0.digits * 2^exponent, exactly.
template <int kLimbs>
Wide<kLimbs> FromLimb(std::uint64_t digits, std::int64_t exponent, bool negative) {
  Wide<kLimbs> result;
  if (digits == 0) return result;
  const int bits = LeadingZeros(digits);
  result.limb[kLimbs - 1] = digits << bits;
  result.exponent = exponent - bits;
  result.negative = negative;
  return result;
}

// The limbs kLimbs - 1 .. 2 kLimbs - 1 of a * b, without the partial products that begin below them. These
// are less than kLimbs - 1 units of limb kLimbs, which is product[1]. A product that fits into kLimbs limbs
// is exact. Then a and b together end with 64 kLimbs - 1 zero bits, so they end with kLimbs - 1 zero limbs,
// and no partial product lies below.
template <int kLimbs>
void MultiplyTop(const std::uint64_t *a, const std::uint64_t *b, std::uint64_t *product) {
  product[0] = 0;
  for (int i = 0; i < kLimbs; ++i) {
    std::uint64_t carry = 0;
    for (int j = kLimbs - 1 - i; j < kLimbs; ++j) {
      std::uint64_t &digit = product[i + j - (kLimbs - 1)];
      carry = MultiplyAdd(a[i], b[j], digit, carry, &digit);
    }
    product[i + 1] = carry;
  }
}

// |a| < |b|
template <int kLimbs>
bool MagnitudeLess(const Wide<kLimbs> &a, const Wide<kLimbs> &b) {
  if (a.IsZero() || b.IsZero()) return a.IsZero() && !b.IsZero();
  if (a.exponent != b.exponent) return a.exponent < b.exponent;
  for (int i = kLimbs - 1; i > 0; --i) {
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  }
  return a.limb[0] < b.limb[0];
}

// x * 2^exponent, exactly.
template <int kLimbs>
Wide<kLimbs> Scale(Wide<kLimbs> x, std::int64_t exponent) {
  x.exponent += exponent;
  return x;
}

// a / b, b > 0, truncated: relative error below 2^-(64 kLimbs - 1).
template <int kLimbs>
Wide<kLimbs> DivideSmall(const Wide<kLimbs> &a, std::uint32_t b) {
  std::uint64_t digits[kLimbs + 1] = {};
  std::uint64_t remainder = 0;
  for (int i = kLimbs; i >= 0; --i) {
    const std::uint64_t limb = i > 0 ? a.limb[i - 1] : 0;
    const std::uint64_t high = (remainder << 32) | (limb >> 32);
    const std::uint64_t low = ((high % b) << 32) | (limb & 0xFFFFFFFFu);
    digits[i] = ((high / b) << 32) | (low / b);
    remainder = low % b;
  }
  return Normalize<kLimbs>(digits, kLimbs + 1, a.exponent, a.negative);
}

// A bound on the number of terms x^n / n!, |x| < 2^-shift, n = 1, 2 ..., until they are below 2^-bits of 1
// or, with shift 0, of the first one: each is smaller than the one before by 2^(shift + whole bits of
// log2(n)).
constexpr std::uint32_t MostTerms(int bits, int shift) {
  std::uint32_t n = 0;
  for (int log = 0; bits > 0; bits -= shift + log) {
    ++n;
    if (n >= 2u << log) ++log;
  }
  return n;
}

// Whether a term of a series no longer counts: it is below 2^-(kBits + 2) of the sum so far.
template <int kLimbs>
bool Negligible(const Wide<kLimbs> &term, const Wide<kLimbs> &sum) {
  return term.IsZero() || term.exponent < sum.exponent - term.kBits - 2;
}

// 2^exponent, -1022 <= exponent <= 1023.
double PowerOfTwo(int exponent) {
  const std::uint64_t bits = static_cast<std::uint64_t>(exponent + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof(power));
  return power;
}

// integer * 2^exponent, which is a double, or overflows to infinity or underflows to 0.
double ScaleDouble(double integer, std::int64_t exponent) {
  constexpr int kStep = 1000;
  for (; exponent > kStep; exponent -= kStep) integer *= PowerOfTwo(kStep);
  for (; exponent < -kStep; exponent += kStep) integer *= PowerOfTwo(-kStep);
  return integer * PowerOfTwo(static_cast<int>(exponent));
}

}  // namespace

template <int kLimbs>
Wide<kLimbs> FromInteger(std::int64_t x) {
  const std::uint64_t magnitude = x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  return FromLimb<kLimbs>(magnitude, 64, x < 0);
}

template <int kLimbs>
Wide<kLimbs> FromDouble(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
  std::uint64_t digits = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent != 0) digits |= std::uint64_t{1} << 52;
  return FromLimb<kLimbs>(digits, (exponent == 0 ? 1 : exponent) - 1075 + 64, bits >> 63 != 0);
}

template <int kLimbs>
double ToDouble(const Wide<kLimbs> &x) {
  if (x.IsZero()) return 0.0;
  // The top 63 bits, the last of them set if any bit below is: so the conversion to double is the only
  // rounding.
  std::uint64_t rest = x.limb[kLimbs - 1] & 1;
  for (int i = 0; i < kLimbs - 1; ++i) rest |= x.limb[i];
  const auto top = static_cast<std::int64_t>((x.limb[kLimbs - 1] >> 1) | (rest != 0 ? 1 : 0));
  const double magnitude = ScaleDouble(static_cast<double>(top), x.exponent - 63);
  return x.negative ? -magnitude : magnitude;
}

template <int kLimbs>
Wide<kLimbs> Negate(Wide<kLimbs> x) {
  x.negative = !x.negative;
  return x;
}

template <int kLimbs>
Wide<kLimbs> Add(const Wide<kLimbs> &a, const Wide<kLimbs> &b) {
  if (MagnitudeLess(a, b)) return Add(b, a);
  if (b.IsZero()) return a;
  const std::int64_t distance = a.exponent - b.exponent;
  if (distance > a.kBits + 64) return a;
  // A limb below the digits, so that cancellation loses nothing, and a limb above for the carry.
  constexpr int kDigits = kLimbs + 2;
  std::uint64_t x[kDigits] = {}, y[2 * kDigits] = {};
  std::memcpy(x + 1, a.limb, sizeof(a.limb));
  std::memcpy(y + 1, b.limb, sizeof(b.limb));
  const std::int64_t limbs = distance / 64;
  const auto bits = static_cast<int>(distance % 64);
  const bool subtract = a.negative != b.negative;
  const std::uint64_t flipped = subtract ? ~std::uint64_t{0} : 0;
  std::uint64_t carry = subtract ? 1 : 0;
  for (int i = 0; i < kDigits; ++i) {
    x[i] = AddLimbs(x[i], ShiftedLimb(y[i + limbs + 1], y[i + limbs], bits) ^ flipped, &carry);
  }
  return Normalize<kLimbs>(x, kDigits, a.exponent + 64, a.negative);
}

template <int kLimbs>
Wide<kLimbs> Subtract(const Wide<kLimbs> &a, const Wide<kLimbs> &b) {
  return Add(a, Negate(b));
}

template <int kLimbs>
Wide<kLimbs> Multiply(const Wide<kLimbs> &a, const Wide<kLimbs> &b) {
  std::uint64_t product[kLimbs + 1];
  MultiplyTop<kLimbs>(a.limb, b.limb, product);
  Wide<kLimbs> result;
  if (product[kLimbs] == 0) return result;
  // Both factors are at least 1/2, so the product has at most one leading zero.
  const int bits = (product[kLimbs] >> 63) != 0 ? 0 : 1;
  for (int i = 0; i < kLimbs; ++i) {
    result.limb[i] = bits == 0 ? product[i + 1] : product[i + 1] << 1 | product[i] >> 63;
  }
  result.exponent = a.exponent + b.exponent - bits;
  result.negative = a.negative != b.negative;
  return result;
}

template <int kLimbs>
Wide<kLimbs> Divide(const Wide<kLimbs> &a, const Wide<kLimbs> &b) {
  // Most divisors have few digits; division by them goes limb by limb.
  const std::uint64_t top = b.limb[kLimbs - 1];
  if (top << 32 == 0 && std::all_of(b.limb, b.limb + kLimbs - 1, [](std::uint64_t x) { return x == 0; })) {
    Wide<kLimbs> quotient = DivideSmall(a, static_cast<std::uint32_t>(top >> 32));
    quotient.exponent += 32 - b.exponent;
    quotient.negative = a.negative != b.negative;
    return quotient;
  }
  Wide<kLimbs> divisor = b;
  divisor.exponent = 0;
  // Newton's iteration for 1 / divisor doubles the correct bits: 52, 104, 208 ...
  const auto one = FromInteger<kLimbs>(1);
  auto reciprocal = FromDouble<kLimbs>(1.0 / ToDouble(divisor));
  for (int bits = 52; bits < divisor.kBits; bits *= 2) {
    const Wide<kLimbs> error = Subtract(one, Multiply(divisor, reciprocal));
    reciprocal = Add(reciprocal, Multiply(reciprocal, error));
  }
  return Scale(Multiply(a, reciprocal), -b.exponent);
}

template <int kLimbs>
std::int64_t NearestInteger(const Wide<kLimbs> &x) {
  if (x.IsZero() || x.exponent < 0) return 0;
  auto half = Scale(FromInteger<kLimbs>(1), -1);
  half.negative = x.negative;
  const Wide<kLimbs> shifted = Add(x, half);
  const std::uint64_t whole = shifted.exponent == 0 ? 0 : shifted.limb[kLimbs - 1] >> (64 - shifted.exponent);
  return x.negative ? -static_cast<std::int64_t>(whole) : static_cast<std::int64_t>(whole);
}

template <int kLimbs>
Wide<kLimbs> Log(double x) {
  return Log(FromDouble<kLimbs>(x));
}

// The Taylor series of both: cosine = 1 - x^2 / 2! + ..., sine = x - x^3 / 3! + ..., x = pi/2 r. As |x| <
// 0.8, the sine is more than x / 2. So a term does not count once it is below 2^-(kBits + 4) of x, which
// bounds the number of terms.
template <int kLimbs>
void SinCosQuarterTurns(const Wide<kLimbs> &r, Wide<kLimbs> *sine, Wide<kLimbs> *cosine) {
  const Wide<kLimbs> x = Multiply(r, RadiansPerQuarterTurn<kLimbs>());
  auto term = FromInteger<kLimbs>(1);
  Wide<kLimbs> sums[2] = {term, Wide<kLimbs>()};  // the cosine's, of even terms; the sine's, of odd ones
  constexpr std::uint32_t kMostTerms = MostTerms(64 * kLimbs + 4, 0);
  for (std::uint32_t n = 1; n <= 2 || (n <= kMostTerms && !Negligible(term, sums[1])); ++n) {
    term = DivideSmall(Multiply(term, x), n);
    Wide<kLimbs> &sum = sums[n % 2];
    sum = Add(sum, n % 4 < 2 ? term : Negate(term));
  }
  *cosine = sums[0];
  *sine = sums[1];
}

template <int kLimbs>
Wide<kLimbs> QuarterTurnsPerRadian() {
  return Constant<kLimbs>(kTwoOverPi, 0);
}

template <int kLimbs>
Wide<kLimbs> RadiansPerQuarterTurn() {
  return Constant<kLimbs>(kHalfPi, 1);
}

template <int kLimbs>
Wide<kLimbs> RootOfHalf() {
  return Constant<kLimbs>(kRootOfHalf, 0);
}

template <int kLimbs>
Wide<kLimbs> RootOfThreeFourths() {
  return Constant<kLimbs>(kRootOfThreeFourths, 0);
}

template <int kLimbs>
double RoundToType(const Wide<kLimbs> &x, posenc_type type, int bits, bool *decided) {
  if (bits <= 0) *decided = false;  // not even the sign is known
  if (x.IsZero()) return 0.0;
  const ElementTraits format = TraitsOf(type);
  // A subnormal number has fewer digits.
  const std::int64_t lost = x.exponent < format.min_exponent ? format.min_exponent - x.exponent : 0;
  if (lost > format.digits + 1) return x.negative ? -0.0 : 0.0;
  const int kept_bits = format.digits - static_cast<int>(lost);  // -1 for x beside half of the least number
  // In units of the last place that is kept: magnitude = kept + fraction, which is compared with kept + 1/2.
  const std::uint64_t kept = kept_bits <= 0 ? 0 : x.limb[kLimbs - 1] >> (64 - kept_bits);
  Wide<kLimbs> magnitude = x;
  magnitude.exponent = kept_bits;
  magnitude.negative = false;
  const Wide<kLimbs> midpoint = Scale(FromInteger<kLimbs>(static_cast<std::int64_t>(2 * kept + 1)), -1);
  const Wide<kLimbs> above = Subtract(magnitude, midpoint);
  if (above.IsZero() || above.exponent <= kept_bits - bits) *decided = false;
  const bool up = above.IsZero() ? (kept & 1) != 0 : !above.negative;
  const auto rounded = static_cast<double>(kept + (up ? 1 : 0));
  const double result = ScaleDouble(rounded, x.exponent - kept_bits);
  return x.negative ? -result : result;
}

// NOLINTBEGIN(bugprone-macro-parentheses)
#define POSENC_INSTANTIATE_WIDE(n)                                         \
  template Wide<n> FromInteger<n>(std::int64_t);                           \
  template Wide<n> FromDouble<n>(double);                                  \
  template double ToDouble(const Wide<n> &);                               \
  template Wide<n> Negate(Wide<n>);                                        \
  template Wide<n> Add(const Wide<n> &, const Wide<n> &);                  \
  template Wide<n> Subtract(const Wide<n> &, const Wide<n> &);             \
  template Wide<n> Multiply(const Wide<n> &, const Wide<n> &);             \
  template Wide<n> Divide(const Wide<n> &, const Wide<n> &);               \
  template std::int64_t NearestInteger(const Wide<n> &);                   \
  template Wide<n> Log<n>(double);                                         \
  template void SinCosQuarterTurns(const Wide<n> &, Wide<n> *, Wide<n> *); \
  template Wide<n> QuarterTurnsPerRadian<n>();                             \
  template Wide<n> RadiansPerQuarterTurn<n>();                             \
  template Wide<n> RootOfHalf<n>();                                        \
  template Wide<n> RootOfThreeFourths<n>();                                \
  template double RoundToType(const Wide<n> &, posenc_type, int, bool *);
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_WIDE_ARITHMETIC_H_
