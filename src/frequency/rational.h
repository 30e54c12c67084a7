// Steps that are rational numbers of quarter turns, and the angles whose sines and cosines are known exactly
// because of that: decided by integers (PROOF.md, section 5).
#ifndef POSENC_SRC_FREQUENCY_RATIONAL_H_
#define POSENC_SRC_FREQUENCY_RATIONAL_H_

#include <cstddef>
#include <cstdint>

namespace posenc {
namespace internal {

// numerator * 2^exponent / denominator quarter turns. Of the numerator only the remainder is kept, since
// whole numbers of twenty-fourths of a turn are counted modulo 24.
struct RationalStep {
  // Odd; 0 if the step is not known to be rational, or so large that no position but 0 is divisible by it.
  std::uint64_t denominator = 0;
  std::int32_t exponent = 0;
  std::int32_t numerator = 0;  // modulo 24, odd
};

// The angles whose sines and cosines are 0, 1/2, the roots of 1/2 and 3/4, or 1: multiples of an eighth and
// of a twelfth of a turn.
inline bool IsKnownAngle(int twenty_fourths) { return twenty_fourths % 2 == 0 || twenty_fourths % 3 == 0; }

// multiple * step in twenty-fourths of a turn, modulo 24, if it is a known angle; else -1. The multiple is
// not 0.
int KnownAngle(const RationalStep& step, double multiple);

// An exponent, n / d, in lowest terms; d is 0 if either is too large.
struct Exponent {
  std::int64_t n = 0;
  std::int64_t d = 1;
};

// -2 index / exponent_dim
Exponent ExponentOf(std::size_t index, double exponent_dim);

// A product of powers of doubles that are not 0. It is known to be rational if each power is, by itself, and
// if its integers have no more than 64 digits.
class RationalProduct {
 public:
  // Multiplies by x to an exponent, which is 1 or -1 if x is negative.
  void Multiply(double x, const Exponent& exponent = {1, 1});

  // The product in lowest terms; its denominator is 0 if it is not known to be rational.
  RationalStep Step() const;

 private:
  // An odd factor of the numerator or, if it divides, of the denominator. A factor of the
  // numerator and a factor of the denominator have no divisor in common.
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
