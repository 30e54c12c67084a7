#include "number/exact.h"

#include "kernel/norm_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "number/bounds.h"
#include "number/compiler.h"
#include "number/elements.h"
#include "posenc/rotary_norm_c.h"

namespace posenc {
namespace internal {
namespace {

constexpr int kLimbs1024 = Wide1024::kBits / 64;
constexpr std::uint32_t kInfinity = 0x7F800000;  // the bits of the infinite float

std::uint32_t BitsOf(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

// The number that these bits of a positive float stand for. Infinity stands for 2^128, because a float is
// rounded up to infinity as if 2^128 were the next float.
double FloatOf(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return bits == kInfinity ? 0x1p128 : static_cast<double>(x);
}

// The midpoint of two neighbouring floats, of which `bits` is the smaller one. It has at most 25 digits.
double MidpointAbove(std::uint32_t bits) { return 0.5 * (FloatOf(bits) + FloatOf(bits + 1)); }

// Compares two numbers that are not negative: -1, 0 or 1.
int Compare(const Wide1024& a, const Wide1024& b) {
  if (a.IsZero() || b.IsZero()) return static_cast<int>(b.IsZero()) - static_cast<int>(a.IsZero());
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  for (int i = kLimbs1024 - 1; i >= 0; --i) {
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
  }
  return 0;
}

// The sum of squares of floats as an integer. An element is k * 2^(e - 150), where k < 2^24 is an integer,
// and e = 1 .. 254 is the exponent field (1 if the field is 0). Its square is k^2 * 2^(2 (e - 1)) units of
// 2^-298. The squares of elements with the same e are added first. 2^16 of them are below 2^64.
class SumOfSquares {
 public:
  static_assert(POSENC_MAX_NORM_ELEMENTS <= 1 << 16 && POSENC_MAX_HEAD_DIM <= 1 << 16,
                "sums of squares must be below 2^64");

  void Add(float x) {
    const std::uint32_t bits = BitsOf(x), field = bits >> 23 & 0xFF;
    const std::uint64_t digits = (bits & 0x7FFFFF) | (field != 0 ? 0x800000u : 0u);
    if (field != field_) Flush(field);
    sum_ += digits * digits;
  }

  Wide1024 Total() {
    Flush(field_);
    // Below 2^16 * 2^48 * 2^506 units.
    constexpr int kLimbs = 9;
    std::uint64_t units[kLimbs] = {};
    for (std::uint32_t field = least_; field <= most_; ++field) {
      const std::uint64_t sum = of_exponent_[field];
      if (sum == 0) continue;
      const std::uint32_t shift = field == 0 ? 0 : 2 * (field - 1), bits = shift % 64;
      std::uint64_t carry = 0;
      std::uint32_t at = shift / 64;
      units[at] = AddLimbs(units[at], sum << bits, &carry);
      ++at;
      const std::uint64_t high = bits == 0 ? 0 : sum >> (64 - bits);
      if (at < kLimbs) units[at] = AddLimbs(units[at], high, &carry);
      for (++at; at < kLimbs && carry != 0; ++at) units[at] = AddLimbs(units[at], 0, &carry);
    }
    int top = kLimbs - 1;
    while (top >= 0 && units[top] == 0) --top;
    Wide1024 total;
    if (top < 0) return total;
    const int zeros = LeadingZeros(units[top]);
    for (int i = 0; i <= top; ++i) {
      const std::uint64_t low = i < top && zeros != 0 ? units[top - i - 1] >> (64 - zeros) : 0;
      total.limb[kLimbs1024 - 1 - i] = units[top - i] << zeros | low;
    }
    total.exponent = 64 * (top + 1) - zeros - 298;
    return total;
  }

 private:
  // Elements of the same exponent often follow each other, so their sum is kept apart.
  void Flush(std::uint32_t next_field) {
    of_exponent_[field_] += sum_;
    sum_ = 0;
    field_ = next_field;
    least_ = std::min(least_, next_field);
    most_ = std::max(most_, next_field);
  }

  std::uint64_t of_exponent_[256] = {};
  std::uint64_t sum_ = 0;
  std::uint32_t field_ = 127, least_ = 127, most_ = 127;
};

// number * count, where the product has at most 256 digits.
Wide1024 ShortProduct(double number, std::size_t count) {
  const Wide256 product = Multiply(FromDouble<4>(number), FromInteger<4>(static_cast<std::int64_t>(count)));
  Wide1024 wide;
  std::copy(std::begin(product.limb), std::end(product.limb), std::end(wide.limb) - 4);
  wide.exponent = product.exponent;
  return wide;
}

Wide1024 SumOf(const NormSource& source) {
  const std::size_t size = ElementSize(source.type);
  SumOfSquares sum;
  for (std::size_t h = 0; h < source.heads; ++h) {
    const unsigned char* at = source.At(h, 0);
    for (std::size_t e = 0; e < source.head_dim; ++e, at += size) {
      float x;
      if (source.type == POSENC_F32) {
        std::memcpy(&x, at, sizeof(x));
      } else {
        x = LoadElement(source.type, at);
      }
      sum.Add(x);
    }
  }
  return sum.Total();
}

// 1 / sqrt(x) for a positive normal x, by Newton's iteration. The first guess halves the exponent; its error
// is below 0.035. An error of e becomes at most 1.51 e^2, so that after five iterations only roundings are
// left: u of 0.5 x y y, which is near 1/2, u of the difference, and u of the product, together 3.1 u.
double NewtonInverseRoot(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits = 0x5FE6EB50C7B537A9u - (bits >> 1);
  double y;
  std::memcpy(&y, &bits, sizeof(y));
  for (int i = 0; i < 5; ++i) y = y * (1.5 - 0.5 * x * y * y);
  return y;
}

// sqrt(x), rounded to float, of a float. The root of a float is never a midpoint: the square of a midpoint
// has 49 digits or more. So it is enough to compare x with the squares of the midpoints beside an estimate.
float FloatRoot(float x) {
  if (!(x > 0.0f) || BitsOf(x) == kInfinity) return x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : x;
  const double exact = static_cast<double>(x);
  const auto estimate = static_cast<float>(exact * NewtonInverseRoot(exact));
  std::uint32_t bits = BitsOf(estimate);
  const auto square_above = [](std::uint32_t b) { return MidpointAbove(b) * MidpointAbove(b); };
  while (exact > square_above(bits)) ++bits;
  while (exact < square_above(bits - 1)) --bits;
  return static_cast<float>(FloatOf(bits));
}

}  // namespace

const unsigned char* NormSource::At(std::size_t head, std::size_t element) const {
  return elements + head * stride + element * ElementSize(type);
}

void ExactMean::Set(const NormSource& source, double epsilon) {
  SetTotal(SumOf(source), source.heads * source.head_dim, epsilon);
}

void ExactMean::Set(const DoubleDouble& sum, std::size_t count, double epsilon) {
  SetTotal(Add(FromDouble<kLimbs1024>(sum.high), FromDouble<kLimbs1024>(sum.low)), count, epsilon);
}

void ExactMean::SetTotal(const Wide1024& sum, std::size_t count, double epsilon) {
  is_set_ = true;
  count_ = count;
  total_ = epsilon == 0.0 ? sum : Add(sum, ShortProduct(epsilon, count));
}

// n is above a midpoint m if (x factor)^2 d > m^2 (S + d epsilon). Both sides are exact: the left one has at
// most 2 (24 + 150) + 17 digits, and the right one 50 + 571.
float ExactMean::Round(float x, float weight, bool plus_one, double estimate) const {
  auto factor = FromDouble<kLimbs1024>(static_cast<double>(weight));
  if (plus_one) factor = Add(FromInteger<kLimbs1024>(1), factor);
  const Wide1024 product = Multiply(FromDouble<kLimbs1024>(static_cast<double>(x)), factor);
  Wide1024 square =
      Multiply(Multiply(product, product), FromInteger<kLimbs1024>(static_cast<std::int64_t>(count_)));
  square.negative = false;
  const auto compare_with = [&](double midpoint) {
    return Compare(square, Multiply(FromDouble<kLimbs1024>(midpoint * midpoint), total_));
  };
  // Goes up while n is above the midpoint, and down while it is below. At a midpoint n becomes even.
  std::uint32_t bits = BitsOf(static_cast<float>(std::fabs(estimate)));
  bool is_first = true;
  for (; bits < kInfinity; ++bits, is_first = false) {
    const int side = compare_with(MidpointAbove(bits));
    if (side < 0 || (side == 0 && bits % 2 == 0)) break;
  }
  while (is_first && bits > 0) {
    const int side = compare_with(MidpointAbove(bits - 1));
    if (side > 0 || (side == 0 && bits % 2 == 0)) break;
    --bits;
  }
  bits |= product.negative ? 0x80000000u : 0u;
  float n;
  std::memcpy(&n, &bits, sizeof(n));
  return n;
}

double ReferenceSquares(const float* x, std::size_t count) {
  double sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return sum;
}

double ReferenceInverseRoot(double x) {
  if (x == 0.0) return std::numeric_limits<double>::infinity();
  if (!(x - x == 0.0)) return x > 0.0 ? 0.0 : x;  // infinite, or a NaN
  return NewtonInverseRoot(x);
}

CloseMean CloseMeanOf(const DoubleDouble& sum, bool is_exact, std::size_t count, double epsilon,
                      double about) {
  const auto d = static_cast<double>(count);
  // total.high + total.low + lost = S + d epsilon
  DoubleDouble total = sum;
  double lost = 0.0;
  if (epsilon != 0.0) {
    const DoubleDouble epsilons = ExactProduct(d, epsilon), high = ExactSum(sum.high, epsilons.high),
                       lows = ExactSum(sum.low, epsilons.low), low = ExactSum(high.low, lows.high);
    total = ExactSum(high.high, low.high);
    lost = lows.low + low.low;
  }
  // Two steps of Newton's iteration, y + y (d - total y^2) / 2d: in double, and to a sum of two doubles.
  const double half = 0.5 / d, y = about * (1.5 - half * total.high * about * about);
  const DoubleDouble square = ExactProduct(y, y), product = ExactProduct(total.high, square.high);
  const double residual =
      ((d - product.high) - (product.low + total.high * square.low)) - total.low * square.high;
  const DoubleDouble inverse = ExactSum(y, y * (half * residual));
  CloseMean mean = {inverse.high, inverse.low, CloseNormError(count, is_exact),
                    std::numeric_limits<double>::quiet_NaN()};
  if (!is_exact) return mean;

  // The root times d is sqrt(d total). Rounded to 46 digits, it has an exact square.
  double root = total.high * inverse.high;
  std::uint64_t bits;
  std::memcpy(&bits, &root, sizeof(bits));
  bits = (bits + (1u << 6)) >> 7 << 7;
  std::memcpy(&root, &bits, sizeof(root));
  const DoubleDouble squares = ExactProduct(root, root), highs = ExactProduct(total.high, d),
                     rests = ExactProduct(total.low, d);
  // d total - root^2 has the sign of `beyond`, unless what is lost may change it.
  const double known = (((highs.high - squares.high) + (highs.low - squares.low)) + rests.high) + rests.low;
  const double unknown = d * lost, beyond = known + unknown;
  if (std::fabs(beyond) > kCloseNormError * squares.high) return mean;
  if (known != 0.0 && std::fabs(known) <= 2.0 * std::fabs(unknown)) return mean;
  mean.nudge = beyond == 0.0 ? 0.0 : beyond > 0.0 ? -kNormNudge : kNormNudge;
  return mean;
}

void AddSquares(const float* x, std::size_t count, std::size_t first, float* sums) {
  for (std::size_t k = 0; k < count; ++k) {
    float& sum = sums[(first + k) % kFastSums];
    sum = sum + x[k] * x[k];
  }
}

float SumOfSixteen(const float* sums) {
  float left[kFastSums];
  std::memcpy(left, sums, sizeof(left));
  for (std::size_t half = kFastSums / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) left[k] = left[k] + left[k + half];
  }
  return left[0];
}

float ReferenceFastInverse(float sum, float count, float epsilon) {
  return 1.0f / FloatRoot(sum / count + epsilon);
}

void ReferenceNormalizeFast(const NormRow& row, float inverse) {
  for (std::size_t k = 0; k < row.count; ++k) row.n[k] = row.x[k] * inverse * row.weights[k];
}

}  // namespace internal
}  // namespace posenc
