#include "kernel/rotary_reference.h"

#include <cmath>
#include <cstring>

#include "kernel/wide_sincos.h"
#include "number/bounds.h"
#include "number/double_double.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

template <int kLimbs>
WideSinCos<kLimbs> RotateBack(WideSinCos<kLimbs> sin_cos, const Gain& gain) {
  if (!gain.inverse) return sin_cos;
  sin_cos.sine = Negate(sin_cos.sine);
  sin_cos.phase = Negate(sin_cos.phase);
  return sin_cos;
}

template <int kLimbs>
WideSinCos<kLimbs> SinCosAt(const FrequencyTable& table, double multiple, std::size_t pair, Tally& tally) {
  if (IsZeroAngle(table, multiple, pair)) return KnownSinCos<kLimbs>(0);
  ++tally.wide_sin_cos;
  return SinCosOf<kLimbs>(table, pair, multiple);
}

template <int kLimbs>
Wide<kLimbs> WideGain(const Gain& gain) {
  return Multiply(FromDouble<kLimbs>(gain.amplitude), FromDouble<kLimbs>(gain.scale));
}

// a * cosine + b * sine, times the gain.
template <int kLimbs>
struct WideElement {
  Wide<kLimbs> even, odd;  // the gain times a, and times b
  Wide<kLimbs> value;
  int bits;       // relative error below 2^-bits, if positive
  bool is_exact;  // the value, or its being 0
};

template <int kLimbs>
WideElement<kLimbs> Combine(const WideSinCos<kLimbs>& sin_cos, const Wide<kLimbs>& gain, double a, double b) {
  WideElement<kLimbs> element;
  element.even = Multiply(gain, FromDouble<kLimbs>(a));
  element.odd = Multiply(gain, FromDouble<kLimbs>(b));
  const auto first = Multiply(element.even, sin_cos.cosine), second = Multiply(element.odd, sin_cos.sine);
  element.value = Add(first, second);
  element.bits = sin_cos.bits - 4;
  if (!first.IsZero() && !second.IsZero()) {
    const std::int64_t top = first.exponent > second.exponent ? first.exponent : second.exponent;
    const std::int64_t cancelled =
        element.value.IsZero() ? Wide<kLimbs>::kBits : top - element.value.exponent;
    if (cancelled > 0) element.bits -= static_cast<int>(cancelled);
  }
  // Products of three numbers, of which at most one is not 0; or a sum that is irrational unless it is 0.
  element.is_exact = ((a == 0.0 || sin_cos.IsCosineKnown()) && (b == 0.0 || sin_cos.IsSineKnown())) ||
                     (element.value.IsZero() && sin_cos.known != Known::kNothing);
  return element;
}

// False if so many bits leave it open.
template <int kLimbs>
bool RoundElement(const WideSinCos<kLimbs>& sin_cos, const Gain& gain, posenc_type type, double a, double b,
                  double* rounded) {
  const WideElement<kLimbs> element = Combine(sin_cos, WideGain<kLimbs>(gain), a, b);
  bool decided = element.is_exact || element.bits > 0;
  *rounded = 0.0;
  if (element.value.IsZero() || !decided) return decided;
  *rounded = RoundToType(element.value, type, element.bits, &decided);
  if constexpr (kLimbs == kMaxLimbs) {
    if (!decided && sin_cos.IsTiny()) {
      *rounded = RoundBySeries(element.value, type, element.even, element.odd, sin_cos.Radians());
      decided = true;
    }
  }
  return decided || element.is_exact;
}

// gain * cosine and gain * sine.
template <int kLimbs>
bool RoundSinCos(const WideSinCos<kLimbs>& sin_cos, const Gain& gain, posenc_type type, double* cosine,
                 double* sine) {
  const bool is_cosine = RoundElement(sin_cos, gain, type, 1.0, 0.0, cosine);
  return RoundElement(sin_cos, gain, type, 0.0, 1.0, sine) && is_cosine;
}

template <int kLimbs>
bool RoundPair(const WideSinCos<kLimbs>& sin_cos, const Gain& gain, posenc_type type, float a, float b,
               RotatedPair* rotated) {
  const auto wide_a = static_cast<double>(a), wide_b = static_cast<double>(b);
  double x, y;
  const bool is_x = RoundElement(sin_cos, gain, type, wide_a, -wide_b, &x);
  const bool is_y = RoundElement(sin_cos, gain, type, wide_b, wide_a, &y);
  *rotated = {static_cast<float>(x), static_cast<float>(y)};
  return is_x && is_y;
}

bool IsFinite(float x) { return x - x == 0.0f; }

float NanToCanonical(float x) {
  if (x == x) return x;
  const std::uint32_t bits = kNanBits<POSENC_F32>;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// As IEEE arithmetic has it: only signs and zeros of cosine and sine matter.
template <int kLimbs>
RotatedPair RotateNonFinite(const WideSinCos<kLimbs>& sin_cos, float a, float b) {
  const auto sign = [](const Wide<kLimbs>& x) { return x.IsZero() ? 0.0f : x.negative ? -1.0f : 1.0f; };
  const float cosine = sign(sin_cos.cosine), sine = sign(sin_cos.sine);
  return {NanToCanonical(a * cosine - b * sine), NanToCanonical(b * cosine + a * sine)};
}

// Whether so many of a double's last bits are 0.
bool EndsWith(double x, int zeros) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits % (std::uint64_t{1} << zeros) == 0;
}

// x, rounded to the odd one of the floats around it, unless it is one.
float ToOddFloat(double x) {
  auto odd = static_cast<float>(x);
  const auto nearest = static_cast<double>(odd);
  std::uint32_t bits;
  std::memcpy(&bits, &odd, sizeof(bits));
  if (nearest != x && bits % 2 == 0) bits += (nearest < x) == (x > 0.0) ? 1u : ~0u;
  std::memcpy(&odd, &bits, sizeof(odd));
  return odd;
}

// A sum of two doubles, of which the low one need only have the right sign, rounded once.
float RoundSum(posenc_type type, const DoubleDouble& sum) {
  const double odd = ToOdd(sum) + 0.0;  // of 0 it is +0
  if (type == POSENC_F32) return static_cast<float>(odd);
  unsigned char element[sizeof(float)];
  StoreElement(type, ToOddFloat(odd), element);
  return LoadElement(type, element);
}

// x * gain, rounded once.
float ScaleElement(posenc_type type, float x, double gain) {
  return RoundSum(type, ExactProduct(static_cast<double>(x), gain));
}

// By so many quarter turns: products with a gain that is a double.
RotatedPair RotateByQuarterTurns(int quarter_turns, posenc_type type, double gain, float a, float b) {
  const bool swap = quarter_turns % 2 != 0;
  const float x = swap ? -b : a, y = swap ? a : b;
  const double factor = quarter_turns % 4 >= 2 ? -gain : gain;
  return {ScaleElement(type, x, factor), ScaleElement(type, y, factor)};
}

// What is known of a pair's angle, in twenty-fourths of a turn (frequency/rational.h); else -1.
int KnownAngleAt(const FrequencyTable& table, double multiple, const Gain& gain, std::size_t pair) {
  if (IsZeroAngle(table, multiple, pair)) return 0;
  const int known = table.KnownAngleAt(pair, multiple);
  return gain.inverse && known > 0 ? 24 - known : known;
}

// gain * cosine and gain * sine of a known angle, if they are short.
bool RoundKnownSinCos(int known, const Gain& gain, posenc_type type, double* cosine, double* sine) {
  if (gain.amplitude == 1.0 && gain.scale == 1.0) {
    *cosine = KnownCosine(known, type);
    *sine = KnownSine(known, type);
    return true;
  }
  if (known % 6 != 0 || !gain.IsDouble()) return false;
  const auto round = [&](double x) {
    if (type == POSENC_F64) return x * gain.nearest() + 0.0;
    return static_cast<double>(ScaleElement(type, static_cast<float>(x), gain.nearest()));
  };
  *cosine = round(KnownCosine(known, type));
  *sine = round(KnownSine(known, type));
  return true;
}

// Whether that is what a rotation by a known angle is.
bool AreProducts(int known, const Gain& gain, float a, float b) {
  return known >= 0 && known % 6 == 0 && gain.IsDouble() && IsFinite(a) && IsFinite(b);
}

// product * cos(t) + minor * sin(t), where the cosine is 1 in double and sin(t) is `sine` but for
// kDirectRotationError. False if that leaves it open on which side of a double the sum is.
bool RoundBesideProduct(posenc_type type, double product, double minor, double sine, float* rounded) {
  const double term = minor * sine, sum = product + term, added = sum - product;
  const double low = (product - (sum - added)) + (term - added);  // what the sum was rounded by
  const double curve = std::fabs(product * sine) * std::fabs(sine);
  *rounded = RoundSum(type, {sum, low});
  return std::fabs(low) > std::fabs(term) * kDirectRotationError + curve;
}

// element * gain * sqrt(1/2), an irrational number or 0. False if two doubles do not tell it from a double.
bool RoundEighth(posenc_type type, double element, double gain, float* rounded) {
  constexpr DoubleDouble kRootOfHalf = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
  const DoubleDouble value = Multiply(ExactProduct(element, gain), kRootOfHalf);
  if (element != 0.0 && !(std::fabs(value.low) > std::fabs(value.high) * 0x1p-90)) return false;
  *rounded = RoundSum(type, value);
  return true;
}

// Pairs that one double cannot decide and two can (PROOF.md, section 6): ties beside whole quarter turns, and
// elements that cancel at odd eighths of a turn. Cosine and sine are good to kDirectRotationError, or NaNs.
bool RotateInTwoDoubles(int known, const Gain& gain, posenc_type type, double a, double b, double cosine,
                        double sine, RotatedPair* rotated) {
  const double factor = gain.nearest();
  if (gain.inverse) sine = -sine;
  if (known % 6 == 3 && std::fabs(a) == std::fabs(b)) {
    const double ac = std::copysign(1.0, cosine) * a, as = std::copysign(1.0, sine) * a;
    const double bc = std::copysign(1.0, cosine) * b, bs = std::copysign(1.0, sine) * b;
    return cosine == cosine && RoundEighth(type, ac - bs, factor, &rotated->x) &&
           RoundEighth(type, bc + as, factor, &rotated->y);
  }
  const bool swap = std::fabs(sine) == 1.0;
  const double unit = swap ? sine : cosine, rest = swap ? cosine : sine;
  if (std::fabs(unit) != 1.0 || rest == 0.0 || !IsShort(gain)) return false;
  const double x = swap ? -b : a, y = swap ? a : b;  // times the unit
  return RoundBesideProduct(type, x * unit * factor, (swap ? a : -b) * factor, rest, &rotated->x) &&
         RoundBesideProduct(type, y * unit * factor, (swap ? b : a) * factor, rest, &rotated->y);
}

// rotate(i, a, b) for each pair of each head.
template <class Rotate>
void ForPairs(posenc_type type, const Heads& heads, const Rotate& rotate) {
  const std::size_t size = ElementSize(type);
  for (std::size_t i = 0; i < heads.pairs; ++i) {
    const PairIndex at = ElementsOf(heads.pairing, i, heads.pairs);
    for (std::size_t h = 0; h < heads.count; ++h) {
      const unsigned char* source = heads.source + h * heads.source_stride;
      unsigned char* data = heads.data + h * heads.stride;
      const RotatedPair rotated =
          rotate(i, LoadElement(type, source + at.a * size), LoadElement(type, source + at.b * size));
      StoreElement(type, rotated.x, data + at.a * size);
      StoreElement(type, rotated.y, data + at.b * size);
    }
  }
}

}  // namespace

template <class Value>
void RecomputeSinCos(const FrequencyTable& table, const Token& token, const Gain& gain, posenc_type type,
                     std::size_t first, const std::uint64_t* flags, std::size_t lanes, Value* cosines,
                     Value* sines, Tally& tally) {
  for (std::size_t k = 0; k < lanes; ++k) {
    const std::size_t pair = first + k;
    if (flags[k] == 0 || pair >= table.count) continue;
    double cosine, sine;
    ++tally.recomputed;
    const auto round = [&](const auto& sin_cos) {
      return RoundSinCos(RotateBack(sin_cos, gain), gain, type, &cosine, &sine);
    };
    const int known = KnownAngleAt(table, token[pair], gain, pair);
    if (known >= 0 && RoundKnownSinCos(known, gain, type, &cosine, &sine)) {
      // They are.
    } else if (!round(SinCosAt<4>(table, token[pair], pair, tally))) {
      ++tally.widest;
      round(SinCosAt<kMaxLimbs>(table, token[pair], pair, tally));
    }
    cosines[k] = static_cast<Value>(cosine);
    sines[k] = static_cast<Value>(sine);
  }
}
template void RecomputeSinCos(const FrequencyTable&, const Token&, const Gain&, posenc_type, std::size_t,
                              const std::uint64_t*, std::size_t, float*, float*, Tally&);
template void RecomputeSinCos(const FrequencyTable&, const Token&, const Gain&, posenc_type, std::size_t,
                              const std::uint64_t*, std::size_t, double*, double*, Tally&);

RotatedPair RecomputePair(const FrequencyTable& table, double multiple, const Gain& gain, posenc_type type,
                          std::size_t pair, float a, float b, double cosine, double sine, SharedSinCos& wide,
                          Tally& tally) {
  if (a != a || b != b) return {NanToCanonical(a + b), NanToCanonical(a + b)};
  if (a == 0.0f && b == 0.0f) return {0.0f, 0.0f};
  const int known = KnownAngleAt(table, multiple, gain, pair);
  if (AreProducts(known, gain, a, b)) {
    return RotateByQuarterTurns(known / 6, type, gain.nearest(), a, b);
  }
  const bool is_finite = IsFinite(a) && IsFinite(b);
  RotatedPair rotated;
  if (is_finite && gain.IsDouble() &&
      RotateInTwoDoubles(known, gain, type, static_cast<double>(a), static_cast<double>(b), cosine, sine,
                         &rotated)) {
    return rotated;
  }
  ++tally.recomputed;
  const auto rotate = [&](const auto& sin_cos) {
    if (is_finite) return RoundPair(sin_cos, gain, type, a, b, &rotated);
    rotated = RotateNonFinite(sin_cos, a, b);
    return sin_cos.bits > 0;  // whole quarter turns have a zero
  };
  const auto usual =
      wide.usual.Find(pair, multiple, [&] { return SinCosAt<4>(table, multiple, pair, tally); });
  if (!rotate(RotateBack(usual, gain))) {
    ++tally.widest;
    const auto widest =
        wide.widest.Find(pair, multiple, [&] { return SinCosAt<kMaxLimbs>(table, multiple, pair, tally); });
    rotate(RotateBack(widest, gain));
  }
  return rotated;
}

bool IsShort(const Gain& gain) {
  constexpr int kDigits = TraitsOf(POSENC_F32).digits;
  return EndsWith(gain.nearest(), kDigits) && gain.IsDouble();
}

bool IsShortInFloat(const Gain& gain) {
  constexpr int kDigits = 24 - TraitsOf(POSENC_F16).digits, kMaxFraction = 16;
  const double scaled = gain.nearest() * TwoTo(kMaxFraction);
  return EndsWith(gain.nearest(), 53 - kDigits) && IsWhole(scaled) && gain.IsDouble();
}

Tally ReferenceSinCos(const FrequencyTable& table, const Token& token, double* cosines, double* sines) {
  const std::uint64_t all = 1;
  Tally tally;
  for (std::size_t i = 0; i < table.count; ++i) {
    RecomputeSinCos(table, token, {1.0, 1.0, false}, POSENC_F64, i, &all, 1, cosines + i, sines + i, tally);
  }
  return tally;
}

Tally ReferenceRound(const FrequencyTable& table, const Token& token, const Gain& gain, posenc_type type,
                     void* cosines, void* sines) {
  const std::uint64_t all = 1;
  const std::size_t size = ElementSize(type);
  Tally tally;
  for (std::size_t i = 0; i < table.count; ++i) {
    double cosine, sine;
    RecomputeSinCos(table, token, gain, type, i, &all, 1, &cosine, &sine, tally);
    const auto store = [&](double value, void* to) {
      auto* at = static_cast<unsigned char*>(to) + i * size;
      if (type == POSENC_F64) return StoreDoubles(&value, 1, 1, at);
      StoreElement(type, static_cast<float>(value), at);
    };
    store(cosine, cosines);
    store(sine, sines);
  }
  return tally;
}

Tally ReferenceExact(const Rotation& rotation, posenc_type type, const Heads& heads) {
  SharedSinCos wide;
  wide.Clear();
  Tally tally;
  ForPairs(type, heads, [&](std::size_t i, float a, float b) {
    return RecomputePair(rotation.table, rotation.token[i], rotation.gain, type, i, a, b, NAN, NAN, wide,
                         tally);
  });
  return tally;
}

void ReferenceFast(posenc_type type, const Heads& heads, const float* cosines, const float* sines) {
  ForPairs(type, heads, [&](std::size_t i, float a, float b) {
    const float ac = a * cosines[i], bs = b * sines[i], bc = b * cosines[i], as = a * sines[i];
    return RotatedPair{ac - bs, bc + as};
  });
}

}  // namespace internal
}  // namespace posenc
