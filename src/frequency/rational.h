// Steps that are rational numbers of quarter turns, and the angles whose sines and cosines are known exactly
// because of that: decided by integers (PROOF.md, section 5).
#ifndef POSENC_SRC_FREQUENCY_RATIONAL_H_
#define POSENC_SRC_FREQUENCY_RATIONAL_H_

#include <cstddef>
#include <cstdint>

#include "number/wide.h"

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
Exponent MakeExponent(std::int64_t n, std::int64_t d);
Exponent Add(const Exponent& a, const Exponent& b);
Exponent Multiply(const Exponent& a, const Exponent& b);

// -2 index / exponent_dim
Exponent ExponentOf(std::size_t index, double exponent_dim);

// A product of powers of numbers that are not 0, none of which has more than 64 digits.
class RationalProduct {
 public:
  void Multiply(double x, const Exponent& exponent = {1, 1}) { Multiply(FromDouble<4>(x), exponent); }
  template <int kLimbs>
  void Multiply(const Wide<kLimbs>& x, const Exponent& exponent = {1, 1});
  void ScaleByTwoTo(const Exponent& exponent) { two_ = Add(two_, exponent); }

  // If it is rational: numerator * 2^exponent / denominator, in lowest terms.
  struct Quotient {
    std::uint64_t numerator;  // odd; 0 if it has more than 64 digits
    std::int32_t remainder;   // of the numerator, modulo 24
    std::uint64_t denominator;
    std::int64_t exponent;
    bool negative;
  };
  bool ToQuotient(Quotient* quotient);

  // The same for kernels; its denominator is 0 if that is not known.
  RationalStep Step();

 private:
  struct Power {
    std::uint64_t base;  // odd
    Exponent exponent;
  };
  static constexpr std::size_t kMaxPowers = 24;

  void Append(std::uint64_t base, const Exponent& exponent);
  void MakeCoprime();

  Power powers_[kMaxPowers];
  std::size_t count_ = 0;
  Exponent two_;
  bool negative_ = false;
  bool is_known_ = true;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_RATIONAL_H_
