// Steps that are a rational number of quarter turns. Multiples of such a step can be angles whose sine and
// cosine are known exactly, such as an eighth of a turn; integer arithmetic finds them (proof/wide.md).
#ifndef POSENC_SRC_FREQUENCY_RATIONAL_H_
#define POSENC_SRC_FREQUENCY_RATIONAL_H_

#include <cstddef>
#include <cstdint>

namespace posenc {
namespace internal {

// numerator * 2^exponent / denominator quarter turns. The numerator is stored modulo 24: known angles are
// integers of twenty-fourths of a turn, which count modulo 24.
struct RationalStep {
  // Odd. It is 0 if the step is not known to be rational, or if its denominator is so large that only
  // position 0 is a multiple of it.
  std::uint64_t denominator = 0;
  std::int32_t exponent = 0;
  std::int32_t numerator = 0;  // modulo 24, odd
};

// Whether an angle is a known one: a multiple of an eighth or of a twelfth of a turn. Its sine and cosine are
// 0, 1/2, the square root of 1/2 or of 3/4, or 1, with either sign.
inline bool IsKnownAngle(int twenty_fourths) { return twenty_fourths % 2 == 0 || twenty_fourths % 3 == 0; }

// The angle multiple * step in twenty-fourths of a turn, modulo 24, if it is a known angle; else -1. The
// multiple must not be 0.
int KnownAngle(const RationalStep& step, double multiple);

// An exponent n / d in lowest terms. d is 0 if n or d would be too large.
struct Exponent {
  std::int64_t n = 0;
  std::int64_t d = 1;
};

// -2 index / exponent_dim
Exponent ExponentOf(std::size_t index, double exponent_dim);

// A product of powers of doubles other than 0. It is known to be rational if each power by itself is rational
// and all integers of the computation fit in 64 bits.
class RationalProduct {
 public:
  // Multiplies the product by x to an exponent. If x is negative, the exponent must be 1 or -1.
  void Multiply(double x, const Exponent& exponent = {1, 1});

  // The product in lowest terms. Its denominator is 0 if the product is not known to be rational.
  RationalStep Step() const;

 private:
  // An odd factor of the denominator if `divides`, else of the numerator. No factor of the numerator has a
  // common divisor with a factor of the denominator.
  struct Factor {
    std::uint64_t value;
    bool divides;
  };
  static constexpr std::size_t kMaxFactors = 5;

  Factor factors_[kMaxFactors];
  std::size_t count_ = 0;
  std::int64_t exponent_ = 0;
  bool negative_ = false;
  bool is_known_ = true;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_RATIONAL_H_
