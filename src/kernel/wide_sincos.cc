#include "number/exact.h"

#include "kernel/wide_sincos.h"

#include <cstdint>
#include <utility>

#include "kernel/heads.h"
#include "number/compiler.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// Sine and cosine of quarter_turns + r from s and c, the sine and cosine of r: exact, by swapping and
// negating them.
template <int kLimbs>
void AddQuarterTurns(std::int64_t quarter_turns, const Wide<kLimbs>& s, const Wide<kLimbs>& c,
                     WideSinCos<kLimbs>* sin_cos) {
  const bool swap = (quarter_turns & 1) != 0;
  const bool negate_sine = (quarter_turns & 2) != 0;
  sin_cos->sine = swap ? c : s;
  sin_cos->cosine = swap ? s : c;
  sin_cos->sine.negative = sin_cos->sine.negative != negate_sine;
  sin_cos->cosine.negative = sin_cos->cosine.negative != (negate_sine != swap);
}

// The angle of the first quarter turn, from 0 to 6, whose sine is the same or has the other sign. Angles are
// in twenty-fourths of a turn, and not negative.
int FoldToQuarter(int twenty_fourths) {
  const int half = twenty_fourths % 12;
  return half > 6 ? 12 - half : half;
}

// What is known at the angles of the first quarter turn, in twenty-fourths of a turn.
constexpr Known kKnown[7] = {Known::kBoth,   Known::kNothing, Known::kSine, Known::kEqualMagnitudes,
                             Known::kCosine, Known::kNothing, Known::kBoth};

// The sine of a known angle in twenty-fourths of a turn, 0 or more: 0, 1/2 and 1 exactly, the roots of 1/2
// and 3/4 to 64 kLimbs - 1 bits.
template <int kLimbs>
Wide<kLimbs> WideKnownSine(int twenty_fourths) {
  const int folded = FoldToQuarter(twenty_fourths);
  Wide<kLimbs> sine;
  if (folded == 0) return sine;
  if (folded == 3) {
    sine = RootOfHalf<kLimbs>();
  } else if (folded == 4) {
    sine = RootOfThreeFourths<kLimbs>();
  } else {
    sine = FromInteger<kLimbs>(1);
    if (folded == 2) --sine.exponent;
  }
  sine.negative = twenty_fourths % 24 > 12;
  return sine;
}

// Sine and cosine of a known angle in twenty-fourths of a turn, from 0 to 23, to kSinCosBits - 1 bits.
template <int kLimbs>
WideSinCos<kLimbs> KnownSinCos(int twenty_fourths) {
  return {WideKnownSine<kLimbs>(twenty_fourths),
          WideKnownSine<kLimbs>(twenty_fourths + 6),
          kSinCosBits<kLimbs> - 1,
          kKnown[FoldToQuarter(twenty_fourths)],
          {}};
}

// Sines from 0 to 90 degrees in steps of 15, rounded to each type: 0, 1/2, the roots of 1/2 and 3/4, and 1.
// 15 and 75 degrees are no known angles, so their entries do not count.
constexpr double kRoundedSines[kEntryTypes][7] = {
    {},
    {0.0, 0.0, 0.5, 0x1.6a09e6p-1, 0x1.bb67aep-1, 0.0, 1.0},
    {0.0, 0.0, 0.5, 0x1.6ap-1, 0x1.bcp-1, 0.0, 1.0},
    {0.0, 0.0, 0.5, 0x1.6ap-1, 0x1.bb8p-1, 0.0, 1.0},
    {0.0, 0.0, 0.5, 0x1.6a09e667f3bcdp-1, 0x1.bb67ae8584caap-1, 0.0, 1.0}};

constexpr bool HaveAllTypes() {
  for (const posenc_type type : kEntries) {
    if (kRoundedSines[type][6] != 1.0) return false;
  }
  return true;
}
static_assert(HaveAllTypes(), "sines of each type");

// The sine of a known angle in twenty-fourths of a turn, 0 or more, rounded to a type.
double KnownSine(int twenty_fourths, posenc_type type) {
  const double sine = kRoundedSines[type][FoldToQuarter(twenty_fourths)];
  return twenty_fourths % 24 > 12 ? -sine : sine;
}

// SinCosOf a pair at a multiple whose phase is not 0, and whose angle KnownAngleAt does not know.
template <int kLimbs>
WideSinCos<kLimbs> SinCosOfPhase(const Phase<kLimbs>& pair, double multiple) {
  const Wide<kLimbs> phase = pair.At(multiple);
  const std::int64_t quarter_turns = NearestInteger(phase);
  const Wide<kLimbs> r = Subtract(phase, FromInteger<kLimbs>(quarter_turns));
  if constexpr (kLimbs == kMaxLimbs) {
    // Known angles of rational frequencies whose integers do not fit (proof/wide.md).
    const Wide<kLimbs> parts = Multiply(r, FromInteger<kLimbs>(6));
    const std::int64_t nearest = NearestInteger(parts);
    const Wide<kLimbs> rest = Subtract(parts, FromInteger<kLimbs>(nearest));
    const auto twenty_fourths = static_cast<int>(((quarter_turns & 3) * 6 + nearest + 24) % 24);
    if (pair.MayBeRational() && IsKnownAngle(twenty_fourths) &&
        (rest.IsZero() || phase.exponent - rest.exponent > pair.KnownBits())) {
      return KnownSinCos<kLimbs>(twenty_fourths);
    }
  }
  WideSinCos<kLimbs> sin_cos{{}, {}, kSinCosBits<kLimbs> - 1, Known::kNothing, phase};
  Wide<kLimbs> s, c;
  SinCosQuarterTurns(r, &s, &c);
  if (!pair.IsExact()) {
    // The error of the phase, relative to r.
    const std::int64_t cancelled = r.IsZero() ? pair.kBits : phase.exponent - r.exponent;
    const auto phase_bits = static_cast<int>(pair.kBits - 1 - (cancelled > 0 ? cancelled : 0));
    if (phase_bits < sin_cos.bits) sin_cos.bits = phase_bits - 1;
  }
  AddQuarterTurns(quarter_turns, s, c, &sin_cos);
  return sin_cos;
}

// even cos(t) + odd sin(t), for t radians, rounded to a type when `value`, that sum to 900 bits, lies at a
// midpoint of two numbers: to the one on whose side the first terms of the series are that do not vanish
// (proof/rotation_wide.md). It is not inlined, so that its wide numbers take stack only when they are needed.
template <int kLimbs>
POSENC_NOINLINE double RoundBySeries(const Wide<kLimbs>& value, posenc_type type, const Wide<kLimbs>& even,
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

// even * cosine + odd * sine, rounded once to a type. It trusts 4 bits fewer than sine and cosine have, less
// what the sum cancels. Sums are exact, and may be midpoints, if all their sines and cosines are known. At
// odd eighths of a turn it is known when a sum is 0. False if these bits leave the sum undecided.
template <int kLimbs>
bool RoundCombination(const WideSinCos<kLimbs>& sin_cos, const Wide<kLimbs>& even, const Wide<kLimbs>& odd,
                      posenc_type type, double* rounded) {
  const auto first = Multiply(even, sin_cos.cosine), second = Multiply(odd, sin_cos.sine);
  const auto value = Add(first, second);
  int bits = sin_cos.bits - 4;
  if (!first.IsZero() && !second.IsZero()) {
    const std::int64_t top = first.exponent > second.exponent ? first.exponent : second.exponent;
    const std::int64_t cancelled = value.IsZero() ? Wide<kLimbs>::kBits : top - value.exponent;
    if (cancelled > 0) bits -= static_cast<int>(cancelled);
  }
  // A sum is exact if at most one of its products is not 0, and the factor of that one is known. It is also
  // exact if it is 0, at angles where it is irrational unless it is 0.
  const bool is_exact =
      ((even.IsZero() || sin_cos.IsCosineKnown()) && (odd.IsZero() || sin_cos.IsSineKnown())) ||
      (value.IsZero() && sin_cos.known != Known::kNothing);
  bool decided = is_exact || bits > 0;
  *rounded = 0.0;
  if (value.IsZero() || !decided) return decided;
  *rounded = RoundToType(value, type, bits, &decided);
  if constexpr (kLimbs == kMaxLimbs) {
    if (!decided && sin_cos.IsTiny()) {
      *rounded = RoundBySeries(value, type, even, odd, sin_cos.Radians());
      decided = true;
    }
  }
  return decided || is_exact;
}

}  // namespace

int KnownAngleAt(const FrequencyTable& table, std::size_t pair, double multiple) {
  if (IsZeroAngle(table, multiple, pair)) return 0;
  return table.rational == nullptr ? -1 : KnownAngle(table.rational[pair], multiple);
}

template <int kLimbs>
WideSinCos<kLimbs> SinCosOf(const FrequencyTable& table, std::size_t pair, double multiple,
                            const Phase<kLimbs>* phases, Tally& tally) {
  const int known = KnownAngleAt(table, pair, multiple);
  if (known != 0) ++tally.wide_sin_cos;
  if (known >= 0) return KnownSinCos<kLimbs>(known);
  return SinCosOfPhase(phases != nullptr ? *phases : Phase<kLimbs>(table, pair), multiple);
}
template WideSinCos<4> SinCosOf(const FrequencyTable&, std::size_t, double, const Phase<4>*, Tally&);
template WideSinCos<kMaxLimbs> SinCosOf(const FrequencyTable&, std::size_t, double, const Phase<kMaxLimbs>*,
                                        Tally&);

template <int kLimbs>
bool RoundPair(const WideSinCos<kLimbs>& sin_cos, const Gain& gain, posenc_type type, double a, double b,
               double* x, double* y) {
  auto product = Multiply(FromDouble<kLimbs>(gain.amplitude), FromDouble<kLimbs>(gain.scale));
  if (gain.factor != 1.0f) product = Multiply(product, FromDouble<kLimbs>(static_cast<double>(gain.factor)));
  const auto wide_a = Multiply(product, FromDouble<kLimbs>(a)),
             wide_b = Multiply(product, FromDouble<kLimbs>(b));
  Wide<kLimbs> odd_x = wide_b, odd_y = wide_a;
  odd_x.negative = odd_x.negative == gain.inverse;  // minus sine if not inverse
  odd_y.negative = odd_y.negative != gain.inverse;
  const bool is_x = RoundCombination(sin_cos, wide_a, odd_x, type, x);
  return RoundCombination(sin_cos, wide_b, odd_y, type, y) && is_x;
}
template bool RoundPair(const WideSinCos<4>&, const Gain&, posenc_type, double, double, double*, double*);
template bool RoundPair(const WideSinCos<kMaxLimbs>&, const Gain&, posenc_type, double, double, double*,
                        double*);

namespace {

// RoundExactly in wide arithmetic. It is not inlined, so that known angles need no stack for wide numbers.
POSENC_NOINLINE RoundedSinCos RoundWidely(const FrequencyTable& table, std::size_t pair, double multiple,
                                          const Phase<4>* phases, const Gain& gain, posenc_type type,
                                          Tally& tally) {
  RoundedSinCos rounded;
  RoundOnDemand(
      SinCosOf<4>(table, pair, multiple, phases, tally),
      [&] { return SinCosOf<kMaxLimbs>(table, pair, multiple, nullptr, tally); }, tally,
      [&](const auto& sin_cos) {
        return RoundPair(sin_cos, gain, type, 1.0, 0.0, &rounded.cosine, &rounded.sine);
      });
  return rounded;
}

}  // namespace

RoundedSinCos RoundExactly(const FrequencyTable& table, std::size_t pair, double multiple,
                           const Phase<4>* phases, const Gain& gain, posenc_type type, Tally& tally) {
  const int known = KnownAngleAt(table, pair, multiple);
  if (known >= 0 && gain.IsOne()) {
    return {KnownSine(gain.inverse ? 24 - known : known, type), KnownSine(known + 6, type)};
  }
  return RoundWidely(table, pair, multiple, phases, gain, type, tally);
}

}  // namespace internal
}  // namespace posenc
