// A second oracle for norms: integers decide how n_i is rounded. It needs neither MPFR nor floating-point
// arithmetic, and has nothing in common with the first one (oracle/norm_oracle.h) or with the library.
//
// The unit of elements and weights is 2^-149, the unit of squares 2^-298. So x_i, g_i, the sum of squares and
// d epsilon are integers. The unit of n_i is 2^-150, in which the midpoint of any two floats is an integer.
// n_i is at least N units if 4 x_i^2 g_i^2 d is at least N^2 (S + d epsilon).
#ifndef POSENC_TESTS_NORM_INTEGERS_H_
#define POSENC_TESTS_NORM_INTEGERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace posenc {

// A natural number of any size.
class Natural {
 public:
  Natural() = default;
  // `number` times 2^shift.
  explicit Natural(std::uint64_t number, std::size_t shift = 0) : words_(shift / 32, 0) {
    const std::size_t bits = shift % 32;
    words_.push_back(static_cast<std::uint32_t>(number << bits));
    words_.push_back(static_cast<std::uint32_t>(number >> (32 - bits)));
    words_.push_back(bits == 0 ? 0 : static_cast<std::uint32_t>(number >> (64 - bits)));
    Trim();
  }

  bool IsZero() const { return words_.empty(); }

  // Below 0, 0 or above 0, as a is below, equal to or above b.
  friend int Compare(const Natural& a, const Natural& b) {
    if (a.words_.size() != b.words_.size()) return a.words_.size() < b.words_.size() ? -1 : 1;
    for (std::size_t k = a.words_.size(); k-- > 0;) {
      if (a.words_[k] != b.words_[k]) return a.words_[k] < b.words_[k] ? -1 : 1;
    }
    return 0;
  }

  friend Natural operator+(const Natural& a, const Natural& b) {
    Natural sum;
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < a.words_.size() || k < b.words_.size() || carry != 0; ++k) {
      carry += std::uint64_t{a.WordAt(k)} + b.WordAt(k);
      sum.words_.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    return sum;
  }

  // a must not be below b.
  friend Natural operator-(const Natural& a, const Natural& b) {
    Natural difference;
    std::uint64_t borrow = 0;
    for (std::size_t k = 0; k < a.words_.size(); ++k) {
      const std::uint64_t taken = b.WordAt(k) + borrow;
      difference.words_.push_back(static_cast<std::uint32_t>(a.words_[k] - taken));
      borrow = a.words_[k] < taken ? 1 : 0;
    }
    difference.Trim();
    return difference;
  }

  friend Natural operator*(const Natural& a, const Natural& b) {
    Natural product;
    product.words_.assign(a.words_.size() + b.words_.size(), 0);
    for (std::size_t i = 0; i < a.words_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.words_.size() || carry != 0; ++j) {
        carry += std::uint64_t{a.words_[i]} * b.WordAt(j) + product.words_[i + j];
        product.words_[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    product.Trim();
    return product;
  }

 private:
  std::uint32_t WordAt(std::size_t k) const { return k < words_.size() ? words_[k] : 0; }
  void Trim() {
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

  std::vector<std::uint32_t> words_;  // the lowest first, the highest not 0
};

// The bits of a float32, taken apart.
struct FloatBits {
  explicit FloatBits(std::uint32_t bits)
      : is_negative(bits >> 31 != 0),
        is_nan((bits & 0x7fffffffu) > 0x7f800000u),
        is_infinite((bits & 0x7fffffffu) == 0x7f800000u) {
    const std::uint32_t exponent = bits >> 23 & 0xff, digits = bits & 0x7fffffu;
    if (exponent == 0xff) return;
    magnitude = exponent == 0 ? Natural(digits) : Natural(digits | 0x800000u, exponent - 1);
  }

  bool is_negative, is_nan, is_infinite;
  Natural magnitude;  // of a finite number, in units of 2^-149
};

class NormIntegers {
 public:
  // x [count]: the bits of floats. `epsilon` is 0 or 2^-126 .. 1.
  NormIntegers(const std::uint32_t* x, std::size_t count, double epsilon) : count_(count) {
    std::uint64_t bits;
    std::memcpy(&bits, &epsilon, sizeof(bits));
    if (bits != 0) {  // a normal number: digits times 2^(exponent - 1075)
      const std::uint64_t digits = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
      const auto shift = static_cast<std::size_t>(bits >> 52) - 1075 + 298;
      sum_ = Natural(digits, shift) * Natural(count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const FloatBits element(x[i]);
      has_nan_ = has_nan_ || element.is_nan;
      has_infinity_ = has_infinity_ || element.is_infinite;
      sum_ = sum_ + element.magnitude * element.magnitude;
    }
  }

  // The bits of n_i, for an element and its weight.
  std::uint32_t Normalize(std::uint32_t x, std::uint32_t weight, bool plus_one) const {
    constexpr std::uint32_t kNaN = 0x7fc00000u, kInfinity = 0x7f800000u;
    const FloatBits element(x), w(weight);
    if (has_nan_ || w.is_nan) return kNaN;
    bool is_negative = w.is_negative;
    Natural gain = w.magnitude;
    if (plus_one && !w.is_infinite) {
      const Natural one(1, 149);
      const bool stays_negative = w.is_negative && Compare(gain, one) > 0;
      gain = !w.is_negative ? gain + one : stays_negative ? gain - one : one - gain;
      is_negative = stays_negative;
    }
    const std::uint32_t sign = is_negative != element.is_negative ? 0x80000000u : 0;
    const bool has_no_product = (element.is_infinite && !w.is_infinite && gain.IsZero()) ||
                                (w.is_infinite && !element.is_infinite && element.magnitude.IsZero());
    const bool is_infinite = element.is_infinite || w.is_infinite;
    if (has_no_product) return kNaN;
    if (has_infinity_) return is_infinite ? kNaN : sign;
    if (sum_.IsZero()) return kNaN;  // x_i is 0, too
    if (is_infinite) return sign | kInfinity;
    const Natural product = element.magnitude * gain;
    return sign | Round(product * product * Natural(4) * Natural(count_));
  }

 private:
  // The magnitude of a float in units of 2^-150. The float behind the largest one counts as 2^128.
  static Natural HalfUnits(std::uint32_t bits) {
    return bits == 0x7f800000u ? Natural(1, 128 + 150) : FloatBits(bits).magnitude * Natural(2);
  }

  // Rounds the root of `square` / sum_, in units of 2^-150, to a float.
  std::uint32_t Round(const Natural& square) const {
    const auto compare = [&](const Natural& units) { return Compare(square, units * units * sum_); };
    std::uint32_t below = 0, above = 0x7f800000u;  // the root is at least the float `below`
    if (compare(HalfUnits(above)) >= 0) return above;
    while (above - below > 1) {
      const std::uint32_t middle = below + (above - below) / 2;
      (compare(HalfUnits(middle)) >= 0 ? below : above) = middle;
    }
    // The number of half units of a midpoint is the mean of two even numbers.
    const int order = Compare(square * Natural(4), Squared(HalfUnits(below) + HalfUnits(above)) * sum_);
    return order > 0 || (order == 0 && below % 2 == 1) ? above : below;
  }
  static Natural Squared(const Natural& number) { return number * number; }

  std::size_t count_;
  bool has_nan_ = false, has_infinity_ = false;
  Natural sum_;  // S + d epsilon
};

}  // namespace posenc

#endif  // POSENC_TESTS_NORM_INTEGERS_H_
