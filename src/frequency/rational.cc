// Decides by integer arithmetic whether a step is a rational number, and whether an angle is a known one.
#include "number/exact.h"

#include "frequency/rational.h"

#include <cmath>
#include <cstring>

#include "number/compiler.h"

namespace posenc {
namespace internal {
namespace {

// A position is m 2^k with m < 2^53. Its phase can only be a known angle if the step's denominator divides 3
// m (proof/wide.md), so larger denominators are of no use.
constexpr std::uint64_t kMaxDenominator = 3 * ((std::uint64_t{1} << 53) - 1);

// The numerator and denominator of an Exponent are below this limit, so that their products with exponents of
// two fit in 64 bits.
constexpr std::int64_t kMaxTerm = std::int64_t{1} << 31;

std::uint64_t GreatestCommonDivisor(std::uint64_t a, std::uint64_t b) {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Splits a number x other than 0: |x| = odd * 2^exponent.
struct OddPart {
  std::uint64_t odd;
  std::int64_t exponent;

  explicit OddPart(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    const auto biased = static_cast<int>(bits >> 52 & 0x7FF);
    std::uint64_t digits = bits & ((std::uint64_t{1} << 52) - 1);
    if (biased != 0) digits |= std::uint64_t{1} << 52;
    const int zeros = 63 - LeadingZeros(digits & (0 - digits));
    odd = digits >> zeros;
    exponent = std::int64_t{biased == 0 ? 1 : biased} - 1075 + zeros;
  }
};

// a * b, or 0 if the product has more than 64 bits.
std::uint64_t Product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t low;
  return MultiplyAdd(a, b, 0, 0, &low) == 0 ? low : 0;
}

// base^n, or 0 if the power has more than 64 bits; base > 1.
std::uint64_t PowerOf(std::uint64_t base, std::int64_t n) {
  std::uint64_t power = 1;
  for (; n > 0 && power != 0; --n) power = Product(power, base);
  return power;
}

// The root of an odd number > 1 if the root is an integer, else 0.
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

// x^(n / d) for an odd x and n > 0; 0 if the power is irrational or has more than 64 bits.
std::uint64_t PowerOf(std::uint64_t x, std::int64_t n, std::int64_t d) {
  if (x == 1) return 1;
  const std::uint64_t root = RootOf(x, d);
  return root == 0 ? 0 : PowerOf(root, n);
}

}  // namespace

int KnownAngle(const RationalStep& step, double multiple) {
  if (step.denominator == 0) return -1;
  const OddPart part(multiple);
  // The angle in twenty-fourths of a turn, six times its quarter turns, is threefold / denominator *
  // numerator * 2^exponent. All these numbers are odd except the power of two.
  const std::uint64_t threefold = 3 * part.odd;
  if (threefold % step.denominator != 0) return -1;
  const std::int64_t exponent = part.exponent + std::int64_t{step.exponent} + 1;
  if (exponent < 0) return -1;
  // 2^exponent modulo 24: 1, 2, 4, 8, 16, 8, 16 ...
  const std::uint64_t power = std::uint64_t{1} << (exponent < 4 ? exponent : exponent % 2 == 0 ? 4 : 3);
  const std::uint64_t whole =
      threefold / step.denominator % 24 * static_cast<std::uint64_t>(step.numerator) * power % 24;
  if (!IsKnownAngle(static_cast<int>(whole))) return -1;
  return static_cast<int>(multiple > 0.0 || whole == 0 ? whole : 24 - whole);
}

Exponent ExponentOf(std::size_t index, double exponent_dim) {
  if (index == 0) return {0, 1};
  const OddPart part(exponent_dim);
  auto n = static_cast<std::int64_t>(index), d = static_cast<std::int64_t>(part.odd);
  std::int64_t exponent = part.exponent - 1;
  for (; exponent < 0 && n < kMaxTerm; ++exponent) n *= 2;
  for (; exponent > 0 && d < kMaxTerm; --exponent) d *= 2;
  if (exponent != 0) return {0, 0};
  const auto divisor = static_cast<std::int64_t>(
      GreatestCommonDivisor(static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(d)));
  n /= divisor;
  d /= divisor;
  if (n >= kMaxTerm || d >= kMaxTerm) return {0, 0};
  return {exponent_dim < 0.0 ? n : -n, d};
}

// Let n / d be in lowest terms. An odd number to the power n / d is rational if and only if it is the d-th
// power of an integer. A power of two to the power n / d is rational if and only if d divides its exponent.
void RationalProduct::Multiply(double x, const Exponent& exponent) {
  if (exponent.n == 0 && exponent.d != 0) return;
  const OddPart part(x);
  is_known_ =
      is_known_ && exponent.d != 0 && part.exponent * exponent.n % exponent.d == 0 && count_ < kMaxFactors;
  if (!is_known_) return;
  const bool divides = exponent.n < 0;
  std::uint64_t power = PowerOf(part.odd, divides ? -exponent.n : exponent.n, exponent.d);
  is_known_ = power != 0;
  for (std::size_t k = 0; is_known_ && k < count_; ++k) {
    if (factors_[k].divides == divides) continue;
    const std::uint64_t divisor = GreatestCommonDivisor(power, factors_[k].value);
    power /= divisor;
    factors_[k].value /= divisor;
  }
  factors_[count_++] = {power, divides};
  exponent_ += part.exponent * exponent.n / exponent.d;
  negative_ = negative_ != (x < 0.0);
}

RationalStep RationalProduct::Step() const {
  std::uint64_t denominator = is_known_ ? 1 : 0, numerator = 1;  // modulo 24
  for (std::size_t k = 0; k < count_; ++k) {
    if (factors_[k].divides) {
      denominator = Product(denominator, factors_[k].value);
    } else {
      numerator = numerator * (factors_[k].value % 24) % 24;
    }
  }
  if (denominator == 0 || denominator > kMaxDenominator) return {};
  return {denominator, static_cast<std::int32_t>(exponent_),
          static_cast<std::int32_t>(negative_ ? 24 - numerator : numerator)};
}

}  // namespace internal
}  // namespace posenc
