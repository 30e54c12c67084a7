#include "number/exact.h"

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

bool IsFinite(float x) { return x - x == 0.0f; }

float NanToCanonical(float x) {
  if (x == x) return x;
  const std::uint32_t bits = kNanBits<POSENC_F32>;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// The pair (a, b), one of whose elements is infinite, rotated as IEEE arithmetic has it: only the signs and
// zeros of cosine and sine matter, and whole quarter turns are known to have a zero. False if the bits do not
// tell the signs.
template <int kLimbs>
bool RotateNonFinite(const WideSinCos<kLimbs>& sin_cos, const Gain& gain, float a, float b,
                     RotatedPair* rotated) {
  const auto sign = [](const Wide<kLimbs>& x) { return x.IsZero() ? 0.0f : x.negative ? -1.0f : 1.0f; };
  const float cosine = sign(sin_cos.cosine), sine = gain.inverse ? -sign(sin_cos.sine) : sign(sin_cos.sine);
  *rotated = {NanToCanonical(a * cosine - b * sine), NanToCanonical(b * cosine + a * sine)};
  return sin_cos.bits > 0;
}

// Whether the last `zeros` bits of a double are 0.
bool EndsWith(double x, int zeros) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits % (std::uint64_t{1} << zeros) == 0;
}

// A sum of two doubles, rounded once to a type. The low one need only have the right sign.
float RoundSum(posenc_type type, const DoubleDouble& sum) {
  const double odd = ToOdd(sum) + 0.0;  // of 0 it is +0
  if (type == POSENC_F32) return static_cast<float>(odd);
  unsigned char element[sizeof(float)];
  StoreElement(type, ToOddFloat(odd), element);
  return LoadElement(type, element);
}

// x * gain, rounded once to a type.
float ScaleElement(posenc_type type, float x, double gain) {
  return RoundSum(type, ExactProduct(static_cast<double>(x), gain));
}

// The pair (a, b) rotated by whole quarter turns, 0 or more, and multiplied by a gain that is a double: exact
// products, each rounded once.
RotatedPair RotateByQuarterTurns(int quarter_turns, posenc_type type, double gain, float a, float b) {
  const bool swap = quarter_turns % 2 != 0;
  const float x = swap ? -b : a, y = swap ? a : b;
  const double factor = quarter_turns % 4 >= 2 ? -gain : gain;
  return {ScaleElement(type, x, factor), ScaleElement(type, y, factor)};
}

// Whether RotateByQuarterTurns rotates this pair by a known angle, in twenty-fourths of a turn.
bool AreProducts(int known, const Gain& gain, float a, float b) {
  return known >= 0 && known % 6 == 0 && gain.IsDouble() && IsFinite(a) && IsFinite(b);
}

// product * cos(t) + minor * sin(t), rounded once to a type, where the cosine is 1 in double and sin(t) is
// `sine` to kDirectRotationError. False if this does not tell on which side of a double the sum is.
bool RoundBesideProduct(posenc_type type, double product, double minor, double sine, float* rounded) {
  const double term = minor * sine, sum = product + term, added = sum - product;
  const double low = (product - (sum - added)) + (term - added);  // what the sum was rounded by
  const double curve = std::fabs(product * sine) * std::fabs(sine);
  *rounded = RoundSum(type, {sum, low});
  return std::fabs(low) > std::fabs(term) * kDirectRotationError + curve;
}

// element * gain * sqrt(1/2), which is irrational or 0, rounded once to a type. False if two doubles do not
// tell it from a double.
bool RoundEighth(posenc_type type, double element, double gain, float* rounded) {
  constexpr DoubleDouble kRootOfHalf = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
  const DoubleDouble value = Multiply(ExactProduct(element, gain), kRootOfHalf);
  if (element != 0.0 && !(std::fabs(value.low) > std::fabs(value.high) * 0x1p-90)) return false;
  *rounded = RoundSum(type, value);
  return true;
}

// The finite pair (a, b), rotated and multiplied by a gain that is a double, each element rounded once to a
// type. Two doubles decide two kinds of pairs that one does not (proof/rotation.md): ties beside whole
// quarter turns, and elements of the same size at odd eighths of a turn, the only angles that are known here.
// Cosine and sine are good to kDirectRotationError, or NaNs. False for other pairs, and if an element stays
// undecided.
bool RotateInTwoDoubles(int known, const Gain& gain, const UndecidedPair& undecided, RotatedPair* rotated) {
  const double factor = gain.nearest();
  const posenc_type type = undecided.type;
  const double a = static_cast<double>(undecided.a), b = static_cast<double>(undecided.b);
  const double cosine = undecided.cosine, sine = gain.inverse ? -undecided.sine : undecided.sine;
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

// Element k of cosines and sines = gain * cosine and gain * sine of a pair, each rounded once to a type.
void RecomputeEntries(const Rotation& rotation, posenc_type type, std::size_t pair, std::size_t k,
                      void* cosines, void* sines) {
  ++rotation.tally.recomputed;
  const RoundedSinCos exact = RoundExactly(rotation.table, pair, rotation.multiples[pair], nullptr,
                                           rotation.gain, type, rotation.tally);
  const auto store = [&](double value, void* to) {
    auto* at = static_cast<unsigned char*>(to) + k * ElementSize(type);
    if (type == POSENC_F64) return StoreDoubles(&value, 1, 1, at);
    StoreElement(type, static_cast<float>(value), at);
  };
  store(exact.cosine, cosines);
  store(exact.sine, sines);
}

// Stores rotate(i, a, b) for pair i of each head, whose elements are a and b, of the type `from`.
template <class Rotate>
void ForPairs(posenc_type from, const Heads& heads, const Rotate& rotate) {
  const std::size_t from_size = ElementSize(from), size = ElementSize(heads.type);
  for (std::size_t i = 0; i < heads.pairs; ++i) {
    const PairIndex at = ElementsOf(heads.pairing, i, heads.apart);
    for (std::size_t h = 0; h < heads.count; ++h) {
      const unsigned char* source = heads.source + h * heads.source_stride;
      unsigned char* data = heads.data + h * heads.stride;
      const RotatedPair rotated = rotate(i, LoadElement(from, source + at.a * from_size),
                                         LoadElement(from, source + at.b * from_size));
      StoreElement(heads.type, rotated.x, data + at.a * size);
      StoreElement(heads.type, rotated.y, data + at.b * size);
    }
  }
}

}  // namespace

void RecomputeSinCos(const Rotation& rotation, posenc_type type, std::size_t first,
                     const std::uint64_t* undecided, std::size_t lanes, void* cosines, void* sines) {
  for (std::size_t k = 0; k < lanes; ++k) {
    if (undecided[k] == 0 || first + k >= rotation.table.count)
      continue;  // past the pairs, lanes only fill the vector
    RecomputeEntries(rotation, type, first + k, k, cosines, sines);
  }
}

RotatedPair RecomputePair(const FrequencyTable& table, const Gain& gain, const UndecidedPair& undecided,
                          SharedSinCos& wide, Tally& tally) {
  const float a = undecided.a, b = undecided.b;
  const posenc_type type = undecided.type;
  const std::size_t pair = undecided.pair;
  const double multiple = undecided.multiple;
  if (a != a || b != b) return {NanToCanonical(a + b), NanToCanonical(a + b)};
  if (a == 0.0f && b == 0.0f) return {0.0f, 0.0f};
  const int angle = KnownAngleAt(table, pair, multiple);
  const int known = gain.inverse && angle > 0 ? 24 - angle : angle;
  if (AreProducts(known, gain, a, b)) {
    return RotateByQuarterTurns(known / 6, type, gain.nearest(), a, b);
  }
  const bool is_finite = IsFinite(a) && IsFinite(b);
  RotatedPair rotated;
  if (is_finite && gain.IsDouble() && RotateInTwoDoubles(known, gain, undecided, &rotated)) {
    return rotated;
  }
  ++tally.recomputed;
  RoundOnDemand(
      wide.in_256_bits.Find(table, pair, multiple, tally),
      [&] { return wide.in_1024_bits.Find(table, pair, multiple, tally); }, tally,
      [&](const auto& sin_cos) {
        if (!is_finite) return RotateNonFinite(sin_cos, gain, a, b, &rotated);
        double x, y;
        const bool is_decided =
            RoundPair(sin_cos, gain, type, static_cast<double>(a), static_cast<double>(b), &x, &y);
        rotated = {static_cast<float>(x), static_cast<float>(y)};
        return is_decided;
      });
  return rotated;
}

bool IsShort(const Gain& gain) {
  constexpr int kDigits = TraitsOf(POSENC_F32).digits;
  return EndsWith(gain.nearest(), kDigits) && gain.IsDouble();
}

bool IsShortInFloat(const Gain& gain) {
  static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>);
  constexpr int kDigits = 24 - TraitsOf(POSENC_F16).digits, kMaxFraction = 16;
  const double scaled = gain.nearest() * TwoTo(kMaxFraction);
  return EndsWith(gain.nearest(), 53 - kDigits) && IsWhole(scaled) && gain.IsDouble();
}

void ReferenceRound(const Rotation& rotation, posenc_type type, void* cosines, void* sines) {
  for (std::size_t i = 0; i < rotation.table.count; ++i)
    RecomputeEntries(rotation, type, i, i, cosines, sines);
}

void ReferenceExact(const Rotation& rotation, posenc_type from, const Heads& heads, SharedSinCos& wide) {
  ForPairs(from, heads, [&](std::size_t i, float a, float b) {
    return RecomputePair(rotation.table, rotation.gain,
                         {heads.type, i, rotation.multiples[i], a, b, NAN, NAN}, wide, rotation.tally);
  });
}

void ReferenceFast(posenc_type from, const Heads& heads, const float* cosines, const float* sines) {
  ForPairs(from, heads, [&](std::size_t i, float a, float b) {
    const float ac = a * cosines[i], bs = b * sines[i], bc = b * cosines[i], as = a * sines[i];
    return RotatedPair{ac - bs, bc + as};
  });
}

void ReferenceRest(ElementTypes types, const void* from, std::size_t count, float factor, void* to) {
  const auto* source = static_cast<const unsigned char*>(from);
  auto* out = static_cast<unsigned char*>(to);
  for (std::size_t k = 0; k < count; ++k, source += ElementSize(types.from), out += ElementSize(types.to)) {
    // Exact: the product of two floats has at most 48 digits, and is 0 or a normal double.
    const double product = static_cast<double>(LoadElement(types.from, source)) * static_cast<double>(factor);
    const bool is_finite = product - product == 0.0;
    const bool is_short = types.to != POSENC_F32 && is_finite;
    StoreElement(types.to, NanToCanonical(is_short ? ToOddFloat(product) : static_cast<float>(product)), out);
  }
}

}  // namespace internal
}  // namespace posenc
