#include "number/exact.h"

#include "frequency/rational.h"

#include <cmath>
#include <cstring>

#include "number/compiler.h"

namespace posenc {
namespace internal {
namespace {

// A denominator must divide 3 m of a position m 2^k, m < 2^53 (PROOF.md, section 5).
constexpr std::uint64_t kMaxDenominator = 3 * ((std::uint64_t{1} << 53) - 1);

// The terms of exponents are less than this, so that products of two of them fit in 64 bits.
constexpr std::int64_t kMaxTerm = std::int64_t{1} << 31;

std::uint64_t GreatestCommonDivisor(std::uint64_t a, std::uint64_t b) {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// x != 0
int ZerosAtEnd(std::uint64_t x) { return 63 - LeadingZeros(x & (0 - x)); }

// The odd part of x, if it has at most 64 digits: x is that times 2^exponent.
template <int kLimbs>
bool OddPart(const Wide<kLimbs>& x, std::uint64_t* odd, std::int64_t* exponent) {
  for (int i = 0; i < kLimbs - 1; ++i) {
    if (x.limb[i] != 0) return false;
  }
  const std::uint64_t digits = x.limb[kLimbs - 1];
  const int zeros = ZerosAtEnd(digits);
  *odd = digits >> zeros;
  *exponent = x.exponent - 64 + zeros;
  return true;
}

// a * b, or 0 if that is too large.
std::uint64_t Product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t low;
  return MultiplyAdd(a, b, 0, 0, &low) == 0 ? low : 0;
}

// base^n, or 0 if that is too large; base > 1.
std::uint64_t PowerOf(std::uint64_t base, std::int64_t n) {
  std::uint64_t power = 1;
  for (; n > 0 && power != 0; --n) power = Product(power, base);
  return power;
}

// The whole root of an odd number > 1, or 0 if there is none.
std::uint64_t RootOf(std::uint64_t x, std::int64_t degree) {
  if (degree == 1) return x;
  const std::int64_t digits = 64 - LeadingZeros(x);
  if (degree >= digits) return 0;
  std::uint64_t low = 1, high = std::uint64_t{1} << (digits / degree + 1);  // low^degree <= x < high^degree
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2, power = PowerOf(middle, degree);
    (power == 0 || power > x ? high : low) = middle;
  }
  return PowerOf(low, degree) == x ? low : 0;
}

}  // namespace

int KnownAngle(const RationalStep& step, double multiple) {
  if (step.denominator == 0) return -1;
  std::uint64_t bits;
  std::memcpy(&bits, &multiple, sizeof(bits));
  const auto biased = static_cast<int>(bits >> 52 & 0x7FF);
  std::uint64_t digits = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) digits |= std::uint64_t{1} << 52;
  const int zeros = ZerosAtEnd(digits);
  // Six times the quarter turns are threefold / denominator * numerator * 2^exponent; all but the power are
  // odd.
  const std::uint64_t threefold = 3 * (digits >> zeros);
  if (threefold % step.denominator != 0) return -1;
  const std::int64_t exponent =
      std::int64_t{biased == 0 ? 1 : biased} - 1075 + zeros + std::int64_t{step.exponent} + 1;
  if (exponent < 0) return -1;
  // 2^exponent modulo 24: 1, 2, 4, 8, 16, 8, 16 ...
  const std::uint64_t power = std::uint64_t{1} << (exponent < 4 ? exponent : exponent % 2 == 0 ? 4 : 3);
  const std::uint64_t whole =
      threefold / step.denominator % 24 * static_cast<std::uint64_t>(step.numerator) * power % 24;
  if (!IsKnownAngle(static_cast<int>(whole))) return -1;
  return static_cast<int>(bits >> 63 == 0 || whole == 0 ? whole : 24 - whole);
}

Exponent MakeExponent(std::int64_t n, std::int64_t d) {
  const auto magnitude = static_cast<std::uint64_t>(n < 0 ? -n : n);
  const auto divisor =
      static_cast<std::int64_t>(GreatestCommonDivisor(magnitude, static_cast<std::uint64_t>(d)));
  if (divisor == 0) return {0, 0};
  const Exponent exponent{n / divisor, d / divisor};
  const bool fits = exponent.n > -kMaxTerm && exponent.n < kMaxTerm && exponent.d < kMaxTerm;
  return fits ? exponent : Exponent{0, 0};
}

Exponent Add(const Exponent& a, const Exponent& b) {
  if (a.d == 0 || b.d == 0) return {0, 0};
  if (a.d == b.d) return MakeExponent(a.n + b.n, a.d);
  return MakeExponent(a.n * b.d + b.n * a.d, a.d * b.d);
}

Exponent Multiply(const Exponent& a, const Exponent& b) {
  return a.d == 0 || b.d == 0 ? Exponent{0, 0} : MakeExponent(a.n * b.n, a.d * b.d);
}

Exponent ExponentOf(std::size_t index, double exponent_dim) {
  if (index == 0) return {0, 1};
  std::uint64_t odd;
  std::int64_t exponent;
  OddPart(FromDouble<4>(std::fabs(exponent_dim)), &odd, &exponent);
  auto n = static_cast<std::int64_t>(index), d = static_cast<std::int64_t>(odd);
  for (--exponent; exponent < 0 && n < kMaxTerm; ++exponent) n *= 2;
  for (; exponent > 0 && d < kMaxTerm; --exponent) d *= 2;
  if (exponent != 0) return {0, 0};
  return MakeExponent(exponent_dim < 0.0 ? n : -n, d);
}

template <int kLimbs>
void RationalProduct::Multiply(const Wide<kLimbs>& x, const Exponent& exponent) {
  if (exponent.n == 0 && exponent.d != 0) return;
  std::uint64_t odd;
  std::int64_t twos;
  if (!OddPart(x, &odd, &twos)) {
    is_known_ = false;
    return;
  }
  negative_ = negative_ != (x.negative && exponent.n % 2 != 0);
  if (twos != 0) two_ = Add(two_, internal::Multiply(exponent, {twos, 1}));
  Append(odd, exponent);
}
template void RationalProduct::Multiply(const Wide256&, const Exponent&);
template void RationalProduct::Multiply(const Wide1024&, const Exponent&);

void RationalProduct::Append(std::uint64_t base, const Exponent& exponent) {
  is_known_ = is_known_ && exponent.d != 0 && count_ < kMaxPowers;
  if (is_known_ && base != 1 && exponent.n != 0) powers_[count_++] = {base, exponent};
}

// Divides by common divisors g until no two bases have one: a^x b^y = (a / g)^x (b / g)^y g^(x + y).
void RationalProduct::MakeCoprime() {
  for (bool has_changed = true; has_changed && is_known_;) {
    has_changed = false;
    for (std::size_t i = 1; i < count_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        Power &a = powers_[i], &b = powers_[j];
        const std::uint64_t divisor = GreatestCommonDivisor(a.base, b.base);
        if (divisor == 1) continue;
        a.base /= divisor;
        b.base /= divisor;
        Append(divisor, Add(a.exponent, b.exponent));
        has_changed = true;
      }
    }
  }
}

// A product of powers of coprime numbers is rational if and only if each base is a whole power, of the degree
// of its exponent's denominator; then the root has a whole exponent.
bool RationalProduct::ToQuotient(Quotient* quotient) {
  if (!is_known_ || two_.d != 1) return false;
  MakeCoprime();
  *quotient = {1, 1, 1, two_.n, negative_};
  for (std::size_t i = 0; i < count_; ++i) {
    const Exponent& exponent = powers_[i].exponent;
    if (powers_[i].base == 1 || exponent.n == 0) continue;
    const std::uint64_t root = RootOf(powers_[i].base, exponent.d);
    if (root == 0) return false;
    if (exponent.n < 0) {
      quotient->denominator = Product(quotient->denominator, PowerOf(root, -exponent.n));
      if (quotient->denominator == 0) return false;
    } else {
      quotient->numerator = Product(quotient->numerator, PowerOf(root, exponent.n));
      // Odd squares are 0 or 1 modulo 3, and 1 modulo 8.
      const std::uint64_t rest = root % 24 * (exponent.n % 2 == 0 ? root % 24 : 1) % 24;
      quotient->remainder =
          static_cast<std::int32_t>(static_cast<std::uint64_t>(quotient->remainder) * rest % 24);
    }
  }
  return is_known_;
}

RationalStep RationalProduct::Step() {
  Quotient quotient;
  if (!ToQuotient(&quotient) || quotient.denominator > kMaxDenominator) return {};
  return {quotient.denominator, static_cast<std::int32_t>(quotient.exponent),
          quotient.negative ? 24 - quotient.remainder : quotient.remainder};
}

}  // namespace internal
}  // namespace posenc
