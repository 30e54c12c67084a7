// Sines and cosines of one pair in 256 or 1,024 bits, and how many of those count: what the scalar paths and
// the last resorts are made of.
#ifndef POSENC_SRC_KERNEL_WIDE_TURN_H_
#define POSENC_SRC_KERNEL_WIDE_TURN_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The last resort of the last resort (PROOF.md, section 5).
inline constexpr int kMostLimbs = 16;

// The phases of one pair, in quarter turns.
template <int kLimbs>
class Phase {
 public:
  Phase(const FrequencyTable& table, std::size_t pair)
      : step_(table.recipe.IsNone() ? table.schedule.QuarterTurns<kLimbs>(table.first + pair)
                                    : QuarterTurnsPerRadian<kLimbs>()),
        is_exact_(table.recipe.IsNone() && table.schedule.IsExact()) {}

  // Relative error below 2^-kBits, and 0 if it is exact.
  static constexpr int kBits = kFrequencyBits<kLimbs> - 1;
  bool IsExact() const { return is_exact_; }
  Wide<kLimbs> At(double multiple) const { return Multiply(FromDouble<kLimbs>(multiple), step_); }

 private:
  Wide<kLimbs> step_;
  bool is_exact_;
};

template <int kLimbs>
struct WideTurn {
  Wide<kLimbs> sine, cosine;
  int bits;      // relative errors below 2^-bits
  bool is_zero;  // the phase: sine 0, cosine 1
  bool is_tiny;  // so that 1,024 bits may not tell the sine from the phase
};

// Below 2^-79 a sine that cannot be told from a midpoint belongs to an angle that is one: the sine is on its
// side of zero (PROOF.md, section 5).
inline constexpr int kSmallExponent = -79;

// In 1,024 bits, phases that agree with an integer in so many are whole.
inline constexpr std::int64_t kWholeBits = 600;

template <int kLimbs>
WideTurn<kLimbs> TurnOf(const Phase<kLimbs>& pair, double multiple) {
  const Wide<kLimbs> phase = pair.At(multiple);
  WideTurn<kLimbs> turn{
      {}, FromInteger<kLimbs>(1), kSinCosBits<kLimbs> - 1, phase.IsZero(), phase.exponent < kSmallExponent};
  if (turn.is_zero) return turn;
  const std::int64_t quarter_turns = NearestInteger(phase);
  Wide<kLimbs> r = Subtract(phase, FromInteger<kLimbs>(quarter_turns));
  // In turns a base may make a frequency rational but not binary, and a phase whole. Nothing else cancels
  // that far.
  bool is_exact = pair.IsExact();
  if (kLimbs == kMostLimbs && (r.IsZero() || phase.exponent - r.exponent > kWholeBits)) {
    r = Wide<kLimbs>();
    is_exact = true;
  }
  Wide<kLimbs> s, c;
  SinCosQuarterTurns(r, &s, &c);
  if (!is_exact) {
    // The error of the phase, relative to what is left of it after the reduction.
    const std::int64_t cancelled = r.IsZero() ? pair.kBits : phase.exponent - r.exponent;
    const auto phase_bits = static_cast<int>(pair.kBits - 1 - (cancelled > 0 ? cancelled : 0));
    if (phase_bits < turn.bits) turn.bits = phase_bits - 1;
  }
  const bool swap = (quarter_turns & 1) != 0;
  const bool negate_sine = (quarter_turns & 2) != 0;
  turn.sine = swap ? c : s;
  turn.cosine = swap ? s : c;
  if (negate_sine) turn.sine = Negate(turn.sine);
  if (negate_sine != swap) turn.cosine = Negate(turn.cosine);
  return turn;
}

// x, a number that lies on its side of zero from a midpoint that no bit tells it from.
template <int kLimbs>
double TowardZero(Wide<kLimbs> x, posenc_type type) {
  constexpr int kBelow = 200;
  Wide<kLimbs> step = x;
  step.exponent -= kBelow;
  bool decided = true;
  return RoundToType(Subtract(x, step), type, kBelow + 2, &decided);
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_WIDE_TURN_H_
