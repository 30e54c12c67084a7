// exp and log of 1,024 bits, by plain series, and the instances of wide_arithmetic.h for 16 words. They run
// rarely, so CMakeLists.txt has them compiled for size.
#include "number/exact.h"

#include "number/wide_arithmetic.h"

namespace posenc {
namespace internal {
namespace {

// How often Exp halves its argument, at most log(2) / 2, before the series, and then squares its sum.
constexpr int kSquarings = 12;

// The most terms of that series, whose argument is below 2^-13.
constexpr std::uint32_t kMostTermsOfExp = MostTerms(Wide1024::kBits + 2, kSquarings + 1);
static_assert(kMostTermsOfExp == 61, "13 bits a term, and those of 61!");

// How many terms of the series of exp(r) it takes until they are below 2^-(kBits + 2).
std::uint64_t TermsOfExp(const Wide1024 &r) {
  std::uint64_t n = 0;
  for (std::int64_t bits = r.IsZero() ? r.kBits : 0; bits < r.kBits + 2 && n < kMostTermsOfExp;
       bits -= r.exponent - 63 + LeadingZeros(n))
    ++n;
  return n;
}

// The most terms z^n / n, n = 3, 5 ..., of Log's series until a term is below 2^-(kBits + 4) of z. Their sum
// is more than z / 2. As |z| < 2^-6, each term has at least 12 bits less than the one before.
constexpr std::uint32_t kMostTermsOfLog = (Wide1024::kBits + 4 + 11) / 12;

}  // namespace

Wide1024 Exp(const Wide1024 &x) {
  if (x.IsZero()) return FromInteger<16>(1);  // a zero's exponent means nothing
  // exp(x) = 2^k * exp(r / 2^n)^(2^n), |r| <= ln(2) / 2.
  const auto ln2 = Constant<16>(kLn2, 0);
  const std::int64_t k = NearestInteger(FromDouble<16>(ToDouble(x) * 1.4426950408889634));
  const Wide1024 r = Scale(Subtract(x, Multiply(FromInteger<16>(k), ln2)), -kSquarings);
  // The series from its last term on. Terms share a division as long as the divisor fits: with d = n (n - 1)
  // ... (m + 1), 1 + r / (m + 1) + ... + s r^(n - m) / d = (((s r + n) r + n (n - 1)) r + ... + d) / d.
  auto sum = FromInteger<16>(1);
  for (std::uint64_t n = TermsOfExp(r); n > 0;) {
    std::uint64_t divisor = 1;
    do {
      divisor *= n--;
      sum = Add(Multiply(sum, r), FromInteger<16>(static_cast<std::int64_t>(divisor)));
    } while (n > 0 && divisor * n < std::uint64_t{1} << 32);
    sum = DivideSmall(sum, static_cast<std::uint32_t>(divisor));
  }
  for (int i = 0; i < kSquarings; ++i) sum = Multiply(sum, sum);
  return Scale(sum, k);
}

// log(1 + e) = 2 atanh(z) with z = e / (2 + e), by the series of atanh.
Wide1024 LogOnePlus(const Wide1024 &e) {
  const Wide1024 z = Divide(e, Add(e, FromInteger<16>(2)));
  const Wide1024 square = Multiply(z, z);
  Wide1024 sum = z;
  Wide1024 power = z;
  for (std::uint32_t n = 3; n <= 2 * kMostTermsOfLog + 1 && !Negligible(power, sum); n += 2) {
    power = Multiply(power, square);
    sum = Add(sum, DivideSmall(power, n));
  }
  return Scale(sum, 1);
}

// log(x) = y + log(q), with an estimate y of log(x), and q = x exp(-y) near 1. If x is near 1, y would
// cancel, so y = 0.
Wide1024 Log(const Wide1024 &x) {
  const double estimate =
      ApproximateLog(ToDouble(Scale(x, -x.exponent))) + static_cast<double>(x.exponent) * 0.69314718055994531;
  const bool near_one = estimate > -1.0 / 64 && estimate < 1.0 / 64;
  const auto y = near_one ? Wide1024() : FromDouble<16>(estimate);
  const Wide1024 q = near_one ? x : Multiply(x, Exp(Negate(y)));
  return Add(y, LogOnePlus(Subtract(q, FromInteger<16>(1))));
}

POSENC_INSTANTIATE_WIDE(16)

}  // namespace internal
}  // namespace posenc
