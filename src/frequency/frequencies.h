// The frequencies of an encoder or a rotary, as precisely as anyone needs them: an interface with two
// implementations. Encoders have GeometricFrequencies (geometric.h), rotaries have ScaledFrequencies
// (scaled.h). These two know the formulas of the frequencies; no other file does.
#ifndef POSENC_SRC_FREQUENCY_FREQUENCIES_H_
#define POSENC_SRC_FREQUENCY_FREQUENCIES_H_

#include <cstddef>

#include "frequency/formula.h"
#include "frequency/rational.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The relative error of a frequency is below 2^-kFrequencyBits (proof/wide_functions.md, "Frequencies").
template <int kLimbs>
inline constexpr int kFrequencyBits = 64 * kLimbs - 36;

// The range of |w_i| in radians. w_i may also be 0.
inline constexpr double kMinFrequency = 0x1p-126;
inline constexpr double kMaxFrequency = 0x1p31;

inline constexpr double kMaxStep = 4.0;  // in quarter turns; tables store larger steps modulo eight

// Estimates of ln |w_i| decide in nanoseconds whether frequencies are in range, unless one is close to a
// limit.
inline constexpr double kLogMinFrequency = -87.336544750553102;
inline constexpr double kLogMaxFrequency = 21.487562597358306;
inline constexpr double kEstimateError = 1e-6;  // the error of an estimate is far smaller
inline constexpr double kLogOfSmall = 1.8372;   // e^1.8372 = 6.279 radians, just below four quarter turns

// Where the frequency of a pair comes from: the formula of the pair's axis, and the i in that formula and in
// its lists.
struct AxisEntry {
  const Formula& formula;
  std::size_t entry;
};

// The functions are virtual, so that a statically linked program contains only the implementations that it
// creates. Pairs are counted in the whole encoder or rotary.
class Frequencies {
 public:
  // w_i in quarter turns. Some scalings are less precise in 1,024 bits than kFrequencyBits says: their error
  // is below 2^-700 (scaled.h).
  virtual Wide256 In256Bits(std::size_t pair) const = 0;
  virtual Wide1024 In1024Bits(std::size_t pair) const = 0;
  template <int kLimbs>
  Wide<kLimbs> QuarterTurns(std::size_t pair) const {
    if constexpr (kLimbs == 4) {
      return In256Bits(pair);
    } else {
      return In1024Bits(pair);
    }
  }

  // w_i in radians: in 256 bits, and the nearest double, ties to even.
  virtual Wide256 Radians(std::size_t pair) const;
  double NearestRadians(std::size_t pair) const;

  // w_i in quarter turns as a rational number. It is only known to be rational if the unit is turns or half
  // turns.
  virtual RationalStep Rational(std::size_t pair) const = 0;

  // Writes w_i in quarter turns of all pairs as sums of two doubles, high + low [count], which are 0 before.
  // The relative error is below 2^-kTableBits (table.h).
  virtual void FillSteps(std::size_t count, double* high, double* low) const = 0;

  virtual AxisEntry AxisOf(std::size_t pair) const = 0;

  // If a step or phase in 1,024 bits may be rational, and agrees with a known angle in at least this number
  // of bits, then it is that angle.
  virtual int KnownBits() const = 0;

  bool IsExact() const { return is_exact_; }          // whether QuarterTurns has no error
  bool IsMonotonic() const { return is_monotonic_; }  // whether |w_i| never rises, or never falls, with i

 protected:
  ~Frequencies() = default;  // objects lie in a block of memory and own nothing, so nobody destroys them

  bool is_exact_ = false;
  bool is_monotonic_ = false;
};

// ln of a unit, in radians.
inline double LogOfUnit(posenc_unit unit) {
  constexpr double kLogPi = 1.1447298858494002, kLogTwoPi = 1.8378770664093453;
  return unit == POSENC_RADIANS ? 0.0 : unit == POSENC_TURNS ? kLogTwoPi : kLogPi;
}

// Converts a frequency to quarter turns. The result is exact unless the unit is radians.
template <int kLimbs>
inline Wide<kLimbs> InQuarterTurns(Wide<kLimbs> frequency, posenc_unit unit) {
  if (unit == POSENC_RADIANS) return Multiply(frequency, QuarterTurnsPerRadian<kLimbs>());
  frequency.exponent += unit == POSENC_TURNS ? 2 : 1;
  return frequency;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_FREQUENCIES_H_
