// Sines and cosines of one pair in 256 or 1,024 bits, and how many of those count: what the scalar paths and
// the last resorts are made of.
#ifndef POSENC_SRC_KERNEL_WIDE_SINCOS_H_
#define POSENC_SRC_KERNEL_WIDE_SINCOS_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "number/elements.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The last resort of the last resort (PROOF.md, section 5).
inline constexpr int kMaxLimbs = 16;

// The phases of one pair, in quarter turns.
template <int kLimbs>
class Phase {
 public:
  Phase(const FrequencyTable& table, std::size_t pair)
      : step_(table.recipe.IsNone() ? table.schedule.QuarterTurns<kLimbs>(table.first + pair)
                                    : QuarterTurnsPerRadian<kLimbs>()),
        is_exact_(table.recipe.IsNone() && table.schedule.IsExact()),
        may_be_rational_(table.has_rational) {}

  // Relative error below 2^-kBits, and 0 if it is exact.
  static constexpr int kBits = kFrequencyBits<kLimbs> - 1;
  bool IsExact() const { return is_exact_; }
  bool MayBeRational() const { return may_be_rational_; }
  Wide<kLimbs> At(double multiple) const { return Multiply(FromDouble<kLimbs>(multiple), step_); }

 private:
  Wide<kLimbs> step_;
  bool is_exact_;
  bool may_be_rational_;
};

// What is known exactly of a sine and cosine: of angles that are none of those below, nothing.
enum class Known {
  kNothing,
  kBoth,      // 0, 1 or -1: whole quarter turns
  kSine,      // +-1/2; the other one is irrational
  kCosine,    // +-1/2
  kSameSize,  // of both, which are irrational: an eighth of a turn, and 3, 5, 7 of them
};

template <int kLimbs>
struct WideSinCos {
  Wide<kLimbs> sine, cosine;
  int bits;  // relative errors below 2^-bits
  Known known;
  Wide<kLimbs> phase;  // in quarter turns; 0 if anything is known

  // So that 1,024 bits may not tell the sine from the phase (PROOF.md, section 5).
  bool IsTiny() const { return !phase.IsZero() && phase.exponent < -79; }
  Wide<kLimbs> Radians() const { return Multiply(phase, RadiansPerQuarterTurn<kLimbs>()); }
  bool IsSineKnown() const { return known == Known::kBoth || known == Known::kSine; }
  bool IsCosineKnown() const { return known == Known::kBoth || known == Known::kCosine; }
};

// The sines and cosines s and c of a number of quarter turns plus r from those of r.
template <int kLimbs>
void AddQuarterTurns(std::int64_t quarter_turns, const Wide<kLimbs>& s, const Wide<kLimbs>& c,
                     WideSinCos<kLimbs>* sin_cos) {
  const bool swap = (quarter_turns & 1) != 0;
  const bool negate_sine = (quarter_turns & 2) != 0;
  sin_cos->sine = swap ? c : s;
  sin_cos->cosine = swap ? s : c;
  if (negate_sine) sin_cos->sine = Negate(sin_cos->sine);
  if (negate_sine != swap) sin_cos->cosine = Negate(sin_cos->cosine);
}

// Of a number of twenty-fourths of a turn that is a known angle, modulo 24.
template <int kLimbs>
WideSinCos<kLimbs> KnownSinCos(int twenty_fourths) {
  const int rest = twenty_fourths % 6;  // 0, 2, 3 or 4: 0, 30, 45 or 60 degrees
  Wide<kLimbs> half = FromInteger<kLimbs>(1), s, c = half;
  half.exponent = 0;
  if (rest == 3) s = c = RootOfHalf<kLimbs>();
  if (rest == 2 || rest == 4) c = RootOfThreeFourths<kLimbs>();
  if (rest == 2) s = half;
  if (rest == 4) {
    s = c;
    c = half;
  }
  WideSinCos<kLimbs> sin_cos{{}, {}, kSinCosBits<kLimbs> - 1, Known::kBoth, {}};
  AddQuarterTurns(twenty_fourths / 6, s, c, &sin_cos);
  const bool is_sine = (rest == 2) != (twenty_fourths / 6 % 2 != 0);
  if (rest != 0) sin_cos.known = rest == 3 ? Known::kSameSize : is_sine ? Known::kSine : Known::kCosine;
  return sin_cos;
}

// The sine of a number of twenty-fourths of a turn that is a known angle, from 0 to 47, rounded to a type.
inline double KnownSine(int twenty_fourths, posenc_type type) {
  // Of halves, the roots of 1/2, those of 3/4 and 1 in each type; of 0 and 15 degrees nothing.
  static constexpr double kRounded[kEntryTypes][7] = {
      {},
      {0.0, 0.0, 0.5, 0x1.6a09e6p-1, 0x1.bb67aep-1, 0.0, 1.0},
      {0.0, 0.0, 0.5, 0x1.6ap-1, 0x1.bcp-1, 0.0, 1.0},
      {0.0, 0.0, 0.5, 0x1.6ap-1, 0x1.bb8p-1, 0.0, 1.0},
      {0.0, 0.0, 0.5, 0x1.6a09e667f3bcdp-1, 0x1.bb67ae8584caap-1, 0.0, 1.0}};
  const int half = twenty_fourths % 12, folded = half > 6 ? 12 - half : half;
  const double sine = kRounded[type][folded];
  return twenty_fourths % 24 > 12 ? -sine : sine;
}
inline double KnownCosine(int twenty_fourths, posenc_type type) {
  return KnownSine(twenty_fourths + 6, type);
}

// In 1,024 bits, what agrees with an integer in so many is one.
inline constexpr std::int64_t kWholeBits = 600;

template <int kLimbs>
WideSinCos<kLimbs> SinCosOf(const Phase<kLimbs>& pair, double multiple) {
  const Wide<kLimbs> phase = pair.At(multiple);
  if (phase.IsZero()) return KnownSinCos<kLimbs>(0);
  const std::int64_t quarter_turns = NearestInteger(phase);
  const Wide<kLimbs> r = Subtract(phase, FromInteger<kLimbs>(quarter_turns));
  if constexpr (kLimbs == kMaxLimbs) {
    // Frequencies that no table tells (PROOF.md, section 5). Nothing else comes that near to an integer.
    const Wide<kLimbs> parts = Multiply(r, FromInteger<kLimbs>(6));
    const std::int64_t nearest = NearestInteger(parts);
    const Wide<kLimbs> rest = Subtract(parts, FromInteger<kLimbs>(nearest));
    const auto twenty_fourths = static_cast<int>(((quarter_turns & 3) * 6 + nearest + 24) % 24);
    if (pair.MayBeRational() && IsKnownAngle(twenty_fourths) &&
        (rest.IsZero() || phase.exponent - rest.exponent > kWholeBits)) {
      return KnownSinCos<kLimbs>(twenty_fourths);
    }
  }
  WideSinCos<kLimbs> sin_cos{{}, {}, kSinCosBits<kLimbs> - 1, Known::kNothing, phase};
  Wide<kLimbs> s, c;
  SinCosQuarterTurns(r, &s, &c);
  if (!pair.IsExact()) {
    // The error of the phase, relative to what is left of it after the reduction.
    const std::int64_t cancelled = r.IsZero() ? pair.kBits : phase.exponent - r.exponent;
    const auto phase_bits = static_cast<int>(pair.kBits - 1 - (cancelled > 0 ? cancelled : 0));
    if (phase_bits < sin_cos.bits) sin_cos.bits = phase_bits - 1;
  }
  AddQuarterTurns(quarter_turns, s, c, &sin_cos);
  return sin_cos;
}

template <int kLimbs>
WideSinCos<kLimbs> SinCosOf(const FrequencyTable& table, std::size_t pair, double multiple) {
  const int twenty_fourths = table.KnownAngleAt(pair, multiple);
  if (twenty_fourths >= 0) return KnownSinCos<kLimbs>(twenty_fourths);
  return SinCosOf(Phase<kLimbs>(table, pair), multiple);
}

// even cos(t) + odd sin(t), of t radians, which value, good to 900 bits, leaves at a midpoint of two numbers:
// rounded to the one of them on whose side the first terms of the series are that do not vanish (PROOF.md,
// section 6).
template <int kLimbs>
double RoundBySeries(const Wide<kLimbs>& value, posenc_type type, const Wide<kLimbs>& even,
                     const Wide<kLimbs>& odd, const Wide<kLimbs>& t) {
  constexpr int kBeside = 200, kAgree = 900, kOutweighs = 64, kMaxTerms = 64;
  Wide<kLimbs> step = value;
  step.exponent -= kBeside;
  bool decided = true;
  const double smaller = RoundToType(Subtract(value, step), type, kBeside + 2, &decided);
  const double larger = RoundToType(Add(value, step), type, kBeside + 2, &decided);
  Wide<kLimbs> midpoint = Add(FromDouble<kLimbs>(smaller), FromDouble<kLimbs>(larger));
  --midpoint.exponent;

  const Wide<kLimbs> square = Negate(Multiply(t, t));
  Wide<kLimbs> terms[3] = {Negate(midpoint), even, Multiply(odd, t)}, sum;
  std::int64_t degrees[3] = {0, 0, 1}, top = 0;
  for (int n = 0; n < kMaxTerms; ++n) {  // from the largest on
    int next = 0;
    for (int k = 1; k < 3; ++k) {
      const bool is_larger = terms[next].IsZero() || terms[k].exponent > terms[next].exponent;
      if (!terms[k].IsZero() && is_larger) next = k;
    }
    Wide<kLimbs>& term = terms[next];
    if (!sum.IsZero() && (term.IsZero() || sum.exponent - term.exponent > kOutweighs)) break;
    if (sum.IsZero()) top = term.exponent;
    sum = Add(sum, term);
    if (!sum.IsZero() && top - sum.exponent > kAgree) sum = {};  // these terms add up to 0
    std::int64_t& degree = degrees[next];
    term = next == 0 ? Wide<kLimbs>()
                     : Divide(Multiply(term, square), FromInteger<kLimbs>((degree + 1) * (degree + 2)));
    degree += 2;
  }
  return sum.negative == value.negative ? larger : smaller;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_WIDE_SINCOS_H_
