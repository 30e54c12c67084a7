#include "number/wide.h"

#include <cmath>

#include "number/compiler.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace internal {
namespace {

constexpr int kLimbs = 4;
constexpr int kBits = 64 * kLimbs;

int LeadingZeros(std::uint64_t x) {  // x != 0
  int zeros = 0;
  for (int step = 32; step > 0; step /= 2) {
    if ((x >> (64 - step)) == 0) {
      zeros += step;
      x <<= step;
    }
  }
  return zeros;
}

// digits [n] /= 2^shift, truncated.
void ShiftRight(std::uint64_t* digits, int n, std::int64_t shift) {
  const std::int64_t limbs = shift / 64;
  const int bits = static_cast<int>(shift % 64);
  for (int i = 0; i < n; ++i) {
    const std::int64_t from = i + limbs;
    const std::uint64_t low = from < n ? digits[from] : 0;
    const std::uint64_t high = from + 1 < n ? digits[from + 1] : 0;
    digits[i] = bits == 0 ? low : (low >> bits) | (high << (64 - bits));
  }
}

// 0.digits [n] * 2^exponent as a Wide: normalises, keeps the top limbs, truncates the rest.
Wide Normalize(std::uint64_t* digits, int n, std::int64_t exponent, bool negative) {
  int top = n - 1;
  while (top >= 0 && digits[top] == 0) --top;
  Wide result;
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

bool MagnitudeLess(const Wide& a, const Wide& b) {
  if (a.IsZero() || b.IsZero()) return a.IsZero() && !b.IsZero();
  if (a.exponent != b.exponent) return a.exponent < b.exponent;
  for (int i = kLimbs - 1; i > 0; --i) {
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  }
  return a.limb[0] < b.limb[0];
}

Wide Scale(Wide x, std::int64_t exponent) {  // x * 2^exponent
  x.exponent += exponent;
  return x;
}

constexpr Wide kLn2 = {
    {0x8a0d175b8baafa2c, 0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab}, 0, false};
constexpr Wide kHalfPi = {
    {0x020bbea63b139b22, 0x29024e088a67cc74, 0xc4c6628b80dc1cd1, 0xc90fdaa22168c234}, 1, false};
constexpr Wide kTwoOverPi = {
    {0xfe5163abdebbc562, 0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529}, 0, false};

// Terms of a series below 2^-kBits of its sum no longer count.
bool Negligible(const Wide& term, const Wide& sum) {
  return term.IsZero() || term.exponent < sum.exponent - kBits - 2;
}

}  // namespace

Wide FromInteger(std::int64_t x) {
  const std::uint64_t magnitude = x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  std::uint64_t digits[kLimbs] = {0, 0, 0, magnitude};
  return Normalize(digits, kLimbs, 64, x < 0);
}

Wide FromDouble(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return Scale(FromInteger(static_cast<std::int64_t>(std::ldexp(fraction, 53))), exponent - 53);
}

double ToDouble(const Wide& x) {
  if (x.IsZero()) return 0.0;
  // The top 63 bits, the last one sticky, so that the one rounding is the conversion to double.
  const bool sticky = ((x.limb[3] & 1) | x.limb[2] | x.limb[1] | x.limb[0]) != 0;
  const auto top = static_cast<std::int64_t>((x.limb[3] >> 1) | (sticky ? 1 : 0));
  const double magnitude = std::ldexp(static_cast<double>(top), static_cast<int>(x.exponent) - 63);
  return x.negative ? -magnitude : magnitude;
}

Wide Negate(Wide x) {
  x.negative = !x.negative;
  return x;
}

Wide Add(const Wide& a, const Wide& b) {
  if (MagnitudeLess(a, b)) return Add(b, a);
  if (b.IsZero()) return a;
  const std::int64_t distance = a.exponent - b.exponent;
  if (distance > kBits + 64) return a;
  // A guard limb below, so that cancellation loses nothing, and room for a carry above.
  constexpr int kDigits = kLimbs + 2;
  std::uint64_t x[kDigits] = {0, a.limb[0], a.limb[1], a.limb[2], a.limb[3], 0};
  std::uint64_t y[kDigits] = {0, b.limb[0], b.limb[1], b.limb[2], b.limb[3], 0};
  ShiftRight(y, kDigits, distance);
  const bool subtract = a.negative != b.negative;
  std::uint64_t carry = subtract ? 1 : 0;
  for (int i = 0; i < kDigits; ++i) {
    const std::uint64_t addend = subtract ? ~y[i] : y[i];
    const std::uint64_t sum = x[i] + addend;
    x[i] = sum + carry;
    carry = (sum < addend ? 1 : 0) | (x[i] < sum ? 1 : 0);
  }
  return Normalize(x, kDigits, a.exponent + 64, a.negative);
}

Wide Subtract(const Wide& a, const Wide& b) { return Add(a, Negate(b)); }

Wide Multiply(const Wide& a, const Wide& b) {
  std::uint64_t product[2 * kLimbs] = {};
  for (int i = 0; i < kLimbs; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < kLimbs; ++j) {
      std::uint64_t low;
      std::uint64_t high = MultiplyLimbs(a.limb[i], b.limb[j], &low);
      low += carry;
      high += low < carry ? 1 : 0;
      product[i + j] += low;
      carry = high + (product[i + j] < low ? 1 : 0);
    }
    product[i + kLimbs] = carry;
  }
  return Normalize(product, 2 * kLimbs, a.exponent + b.exponent, a.negative != b.negative);
}

Wide DivideSmall(const Wide& a, std::uint32_t b) {
  std::uint64_t digits[kLimbs + 1] = {0, a.limb[0], a.limb[1], a.limb[2], a.limb[3]};
  std::uint64_t remainder = 0;
  for (int i = kLimbs; i >= 0; --i) {
    const std::uint64_t high = (remainder << 32) | (digits[i] >> 32);
    const std::uint64_t low = ((high % b) << 32) | (digits[i] & 0xFFFFFFFFu);
    digits[i] = ((high / b) << 32) | (low / b);
    remainder = low % b;
  }
  return Normalize(digits, kLimbs + 1, a.exponent, a.negative);
}

Wide Divide(const Wide& a, const Wide& b) {
  Wide divisor = b;
  divisor.exponent = 0;
  // Newton's iteration for 1 / divisor doubles the correct bits: 52, 104, 208, all.
  const Wide one = FromInteger(1);
  Wide reciprocal = FromDouble(1.0 / ToDouble(divisor));
  for (int i = 0; i < 3; ++i) {
    const Wide error = Subtract(one, Multiply(divisor, reciprocal));
    reciprocal = Add(reciprocal, Multiply(reciprocal, error));
  }
  return Scale(Multiply(a, reciprocal), -b.exponent);
}

std::int64_t NearestInteger(const Wide& x) {
  if (x.IsZero() || x.exponent < 0) return 0;
  const Wide shifted = Add(x, Wide{{0, 0, 0, std::uint64_t{1} << 63}, 0, x.negative});  // + 1/2
  const std::uint64_t whole = shifted.exponent == 0 ? 0 : shifted.limb[3] >> (64 - shifted.exponent);
  return x.negative ? -static_cast<std::int64_t>(whole) : static_cast<std::int64_t>(whole);
}

Wide Exp(const Wide& x) {
  // exp(x) = 2^k * exp(r / 2^6)^(2^6), |r| <= ln(2) / 2.
  constexpr int kSquarings = 6;
  const std::int64_t k = NearestInteger(Divide(x, kLn2));
  const Wide r = Scale(Subtract(x, Multiply(FromInteger(k), kLn2)), -kSquarings);
  Wide sum = FromInteger(1);
  Wide term = sum;
  for (std::uint32_t n = 1; !Negligible(term, sum); ++n) {
    term = DivideSmall(Multiply(term, r), n);
    sum = Add(sum, term);
  }
  for (int i = 0; i < kSquarings; ++i) sum = Multiply(sum, sum);
  return Scale(sum, k);
}

Wide Log(double x) {
  // log(x) = y + log(q), q = x * exp(-y) near 1, log(q) = 2 atanh(z), z = (q - 1) / (q + 1). Near 1, where
  // y would cancel, y = 0.
  const Wide one = FromInteger(1);
  const bool near_one = std::fabs(x - 1.0) < 1.0 / 64;
  const Wide y = near_one ? Wide() : FromDouble(std::log(x));
  const Wide q = near_one ? FromDouble(x) : Multiply(FromDouble(x), Exp(Negate(y)));
  const Wide z = Divide(Subtract(q, one), Add(q, one));
  const Wide square = Multiply(z, z);
  Wide sum = z;
  Wide power = z;
  for (std::uint32_t n = 3; !Negligible(power, sum); n += 2) {
    power = Multiply(power, square);
    sum = Add(sum, DivideSmall(power, n));
  }
  return Add(y, Scale(sum, 1));
}

void SinCosQuarterTurns(const Wide& r, Wide* sine, Wide* cosine) {
  const Wide x = Multiply(r, kHalfPi);
  Wide term = FromInteger(1);
  Wide sums[2] = {term, Wide()};  // of the even terms, the odd terms
  for (std::uint32_t n = 1; n <= 2 || !Negligible(term, sums[1]); ++n) {
    term = DivideSmall(Multiply(term, x), n);
    Wide& sum = sums[n % 2];
    sum = Add(sum, n % 4 < 2 ? term : Negate(term));
  }
  *cosine = sums[0];
  *sine = sums[1];
}

const Wide& QuarterTurnsPerRadian() { return kTwoOverPi; }
const Wide& RadiansPerQuarterTurn() { return kHalfPi; }

double RoundToType(const Wide& x, posenc_type type, int bits, bool* decided) {
  if (x.IsZero()) return 0.0;
  const ElementTraits format = TraitsOf(type);
  // Subnormal numbers have fewer digits.
  const std::int64_t lost = x.exponent < format.min_exponent ? format.min_exponent - x.exponent : 0;
  const int kept_bits = lost > format.digits ? -1 : format.digits - static_cast<int>(lost);
  if (kept_bits < 0) return x.negative ? -0.0 : 0.0;
  // In units of the last place kept: magnitude = kept + fraction, to be held against kept + 1/2.
  const std::uint64_t kept = kept_bits == 0 ? 0 : x.limb[3] >> (64 - kept_bits);
  const Wide magnitude = Wide{{x.limb[0], x.limb[1], x.limb[2], x.limb[3]}, kept_bits, false};
  const Wide midpoint = Scale(FromInteger(static_cast<std::int64_t>(2 * kept + 1)), -1);
  const Wide above = Subtract(magnitude, midpoint);
  if (above.IsZero() || above.exponent <= kept_bits - bits) *decided = false;
  const bool up = above.IsZero() ? (kept & 1) != 0 : !above.negative;
  const auto rounded = static_cast<double>(kept + (up ? 1 : 0));
  const double result = std::ldexp(rounded, static_cast<int>(x.exponent) - kept_bits);
  return x.negative ? -result : result;
}

}  // namespace internal
}  // namespace posenc
