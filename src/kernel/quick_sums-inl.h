// The exact rotation's first tier: sums with an error of a few ulps, and a test that no midpoint is near.
// Included once per target.
//
//   x = a c - b s, y = b c + a s; c = G cos and s = G sin, for gain G and the token's angle
//
// m is the larger of |a| and |b|. `RotateQuickly` (rotate_quickly-inl.h) stores what the test decides, defers
// vectors with few undecided lanes, and leaves the others to `BoundedRotation` (rotate-inl.h).
//
// A *worst known* error is the largest of 4 * 10^7 random inputs and 2 * 10^7 beside the worst of these (G in
// [1, 2), |a| and |b| in [1/4, 1]), measured in 64 digits against SinCosSums (2^-78) and confirmed by MPFR.
// PROOF.md, section 6, "Quickly", argues the bounds.
#if defined(POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
#undef POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
#else
#define POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A token's cosines and sines times the gain, c and s, as PackSinCos wrote them:
//
//   float32       c * kSinCosScale = cosines, s * kSinCosScale = sines; the low parts are not read
//   16-bit types  c = cosines + low_cosines, s = sines + low_sines
//
// Arrays are [pairs]; if kTakesSinCosPerElement [2 * pairs], an entry for each element of neighbours.
template <class Value>
struct QuickSinCos {
  const Value* cosines;
  const Value* sines;
  const Value* low_cosines;
  const Value* low_sines;
};

#if HWY_TARGET == HWY_SCALAR

template <posenc_type>
constexpr double kSinCosScale = 1.0;

#else

// Whether sums in double become floats by integer arithmetic on their bits ("Cut sums" in PROOF.md). c and s
// are scaled by 2^-896, so that a double and the float have the same exponent field. Sums that are too large
// for a float become infinities or NaNs below 2^129; from there on they set the next bit, a float's sign.
template <posenc_type kType>
constexpr bool kCutsSums = kHasVbmi2 && (kType == POSENC_F32);
template <posenc_type kType>
constexpr double kSinCosScale = kCutsSums<kType> ? 0x1p-896 : 1.0;

// The least sum that may be decided. It is a normal number of the type; for bfloat16 it is so large that what
// products and low parts lose as subnormal floats, some 2^-150 each, is nothing beside its ulp.
template <posenc_type kType>
constexpr float kMinQuickly = kType == POSENC_F32    ? kMinRotated
                              : kType == POSENC_BF16 ? 0x1p-90f
                                                     : 0x1p-14f;

// The test for midpoints looks at the bits that rounding drops: of a sum in double for float32, of a sum in
// float for 16-bit types. It adds kDroppedBias, half of the type's last place and the window, to the bits of
// the sum. If a midpoint is within the window, the dropped bits are then less than twice the window, so that
// no bit of kFarDropped is set. If no midpoint is within the window, the bits above are the sum rounded to
// the type.
template <posenc_type kType>
constexpr std::uint32_t kDroppedBias = kType == POSENC_F32
                                           ? std::uint32_t{kRoundingBias<POSENC_F32, kRotatedWindow>}
                                           : (1u << (23 - TraitsOf(kType).digits)) + kFloatRotatedWindow;
template <posenc_type kType>
constexpr std::uint32_t kFarDropped = kType == POSENC_F32
                                          ? std::uint32_t{kFarBits<POSENC_F32, kRotatedWindow>}
                                          : (1u << (24 - TraitsOf(kType).digits)) - 2 * kFloatRotatedWindow;

// Returns u c + v s in double, or u c - v s (kMinus), for float32; u and v are elements.
//
//   cosine, sine  [lanes] c and s
//
// Error: below 15 * 2^-53 G m, with direct or added angles. kRotatedWindow covers it if the sum is at least
// kMinPart of the pair's larger sum. With FMA the second product is exact.
// Worst known, in units of 2^-53 G m:
//   4.77, direct  a = 0x1.e40eb4p-1, b = -0x1.e43446p-1, angle 10 * 0x1.93711a63857eep-5 quarter turns,
//                 G = 0x1.7ef5a68084d29p0: x is 0x1.00090170a8d15p1, want 0x1.00090170a8d17p1
//   5.96, added   a = 0x1.7499d0p-1, b = 0x1.748ac4p-1, angle 466 * 0x1.0b752b37a48acp-6, 7 behind its
//                 anchor, G = 0x1.f8f657558a173p0: x is 0x1.0028d55f41080p1, want 0x1.0028d55f4107ep1
//   without FMA
//   5.53, direct  a = 0x1.26a11ap-2, b = 0x1.268976p-2, angle 606 * 0x1.78ca41e62791fp-8,
//                 G = 0x1.498557af2e7b6p0: x is 0x1.0c0a1fca9ab74p-1, want 0x1.0c0a1fca9ab76p-1
//   6.65, added   a = 0x1.4a18d4p-2, b = -0x1.4a148ap-2, angle 16313 * 0x1.db2fdbc801c73p-4, 3 behind its
//                 anchor, G = 0x1.2239e2c28a164p0: x is 0x1.089318b19afbcp-1, want 0x1.089318b19afbap-1
template <bool kMinus>
HWY_INLINE DoubleVec SumInDouble(DoubleVec u, DoubleVec v, const double* cosine, const double* sine) {
  const Doubles d;
  const auto product = hn::Mul(u, hn::LoadU(d, cosine));
  return kMinus ? MinusProduct(v, hn::LoadU(d, sine), product) : hn::MulAdd(v, hn::LoadU(d, sine), product);
}

// Rounds float32 sums in double to nearest, for the test:
//
//   lower, upper  the sums of a vector's lower and upper half
//   value         them as floats
//   biased        their low words + kDroppedBias; unless kCutsSums, in the target's own order (WordsOf)
//   size          their magnitudes, as MagnitudeAmong takes them
//
// With kCutsSums the bias is added to the whole double, and a float is what remains of it without its 3
// highest exponent bits and its 29 lowest bits.
template <bool kNoticesNans>
HWY_INLINE void RoundSums(DoubleVec lower, DoubleVec upper, EntryVec& value, WordVec& biased,
                          EntryVec& size) {
  const Longs du;
  const Words dw;
  if constexpr (kCutsSums<POSENC_F32>) {
    const auto bias = hn::Set(du, kRoundingBias<POSENC_F32, kRotatedWindow>);
    const auto lower_bits = hn::Add(hn::BitCast(du, lower), bias);
    const auto upper_bits = hn::Add(hn::BitCast(du, upper), bias);
    const auto high = WordsOf<true, false>(lower_bits, upper_bits);
    biased = WordsOf<false, false>(lower_bits, upper_bits);
    const WordVec shifted = ShiftLeftTogether<3>(high, biased);
    const auto sign = hn::Set(dw, 0x80000000u);
    value = hn::BitCast(Entries(), hn::Or(hn::AndNot(sign, shifted), hn::And(sign, high)));
    size = hn::BitCast(Entries(), shifted);
    return;
  }
  value = Join<false>(ToFloats(lower), ToFloats(upper));
  biased = hn::Add(WordsOf<false, true>(hn::BitCast(du, lower), hn::BitCast(du, upper)),
                   hn::Set(dw, kDroppedBias<POSENC_F32>));
  size = SizeOf<kNoticesNans>(value);
}

// Returns u c + v s in float, or u c - v s (kMinus), for 16-bit types; u and v are elements. The high parts
// come first: their products are exact, so that their sum rounds once.
//
//   sin_cos  [i .. i + lanes - 1] high and low parts of c and s
//
// Error: below kFloatRotatedWindow (4 ulps of the sum), with direct or added angles, if the sum is at least
// kMinPart of the pair's larger sum.
// Worst known (direct angles with FMA; 2.50 ulps as well without FMA and with added angles):
//   2.50 ulps  float16: a = 0x1.b74p-2, b = -0x1.b9p-2, angle 70982 * 0x1.79709145c7f88p-10 quarter turns,
//              G = 0x1.d8b057ac3aae9p0: x is -0x1.fff972p-1, want -0x1.fff96cfffe631p-1
//   2.50 ulps  bfloat16: a = 0x1.56p-1, b = -0x1.5ap-1, angle 100837 * 0x1.369a6216307dbp-2,
//              G = 0x1.2c7f9a2bb7c8ap0: x is -0x1.ffff58p-1, want -0x1.ffff53000b4e5p-1
template <bool kMinus>
HWY_INLINE EntryVec SumInFloat(EntryVec u, EntryVec v, const QuickSinCos<float>& sin_cos, std::size_t i) {
  const Entries df;
  const auto product = hn::Mul(u, hn::LoadU(df, sin_cos.cosines + i));
  const auto high = PlusProduct<kMinus>(v, hn::LoadU(df, sin_cos.sines + i), product);
  const auto sum = PlusProduct<kMinus>(v, hn::LoadU(df, sin_cos.low_sines + i), high);
  return PlusProduct<false>(u, hn::LoadU(df, sin_cos.low_cosines + i), sum);
}

// Returns the bits of a 16-bit type's sums + kDroppedBias: the type's bits of the rounded sum above the
// dropped ones.
template <posenc_type kType>
HWY_INLINE WordVec Biased(EntryVec sum) {
  return hn::Add(hn::BitCast(Words(), sum), hn::Set(Words(), kDroppedBias<kType>));
}

// Returns the lanes in which both sums are decided:
//
// - no midpoint is within the window of either (kRotatedWindow, or kFloatRotatedWindow for 16-bit types), and
// - the smaller sum exceeds kMinPart of the larger, plus kMinQuickly, so that the window covers its error.
//
// If an element is an infinity or a NaN, or if sums overflow, then one of a pair's sums is infinite or both
// are NaNs; so the second condition does not hold.
template <posenc_type kType>
HWY_INLINE hn::Mask<Entries> AreDecided(WordVec x_biased, WordVec y_biased, EntryVec smaller,
                                        EntryVec larger) {
  const Entries df;
  const auto bits = hn::Set(Words(), kFarDropped<kType>);
  const auto limit = hn::MulAdd(larger, hn::Set(df, kMinPart<kType>), hn::Set(df, kMinQuickly<kType>));
  return FarAndGreater(BothFarIn(x_biased, y_biased, bits), smaller, limit);
}

// Stores sums rounded to the type. Sums of undecided lanes are stored again when they are resolved. A
// bfloat16 is the upper half of `biased`. Without instructions for float16, a float16 is cut out of `biased`
// too: the exponent's bias of 127 becomes 15, and larger numbers become infinity.
template <posenc_type kType>
HWY_INLINE void StoreSums(EntryVec value, WordVec biased, ElementOf<kType>* to) {
  if constexpr (kType == POSENC_F32) {
    hn::StoreU(value, Entries(), to);
  } else {
    const hn::Rebind<std::uint16_t, Entries> d16;
    if constexpr (kType == POSENC_BF16) {
      hn::StoreU(NarrowTo16(Entries(), hn::ShiftRight<16>(biased)), d16, to);
    } else if constexpr (kHasFloat16) {
      hn::StoreU(ToFloat16(Entries(), value), d16, to);
    } else {
      const Words dw;
      const hn::RebindToSigned<Words> di;
      const auto magnitude = hn::ShiftRight<13>(hn::And(biased, hn::Set(dw, 0x7FFFFFFFu)));
      const auto normal = hn::BitCast(di, hn::Sub(magnitude, hn::Set(dw, 112u << 10)));
      const auto sign = hn::And(hn::ShiftRight<16>(biased), hn::Set(dw, 0x8000u));
      const auto bits = hn::Or(hn::Min(normal, hn::Set(di, 0x7C00)), hn::BitCast(di, sign));
      hn::StoreU(hn::DemoteTo(d16, bits), d16, to);
    }
  }
}

// Joins the high halves of biased sums, which are rounded bfloat16, to words of two elements. The elements of
// `first` come first in memory.
HWY_INLINE WordVec JoinNeighbours(WordVec first, WordVec second) {
  const auto low = kBigEndian ? second : first, high = kBigEndian ? first : second;
  return hn::OrAnd(hn::ShiftRight<16>(low), high, hn::Set(Words(), 0xFFFF0000u));
}

// Stores words of two bfloat16 to an address that need not be aligned.
HWY_INLINE void StoreWords(WordVec words, std::uint16_t* to) {
  const hn::Repartition<std::uint16_t, Words> d16;
  hn::StoreU(hn::BitCast(d16, words), d16, to);
}

// Returns the smaller of each 16-bit half of two vectors of words. The low half of a biased bfloat16 sum is
// its dropped bits: if the least of several is outside the window, all are.
HWY_INLINE WordVec LesserHalves(WordVec a, WordVec b) {
  const hn::Repartition<std::uint16_t, Words> d16;
  return hn::BitCast(Words(), hn::Min(hn::BitCast(d16, a), hn::BitCast(d16, b)));
}

// Returns the words, of two pairs each, in which all four bfloat16 sums are decided, tested by their bits:
//
// - the least of the dropped bits of all four (low halves of least_biased) is outside the window around a
//   midpoint,
// - each x is at least kMinWord (2^-74) and less than 2^54, and
// - each y is within kWordOctaves powers of 2 of its x.
//
// Signs are ignored: the test asks for bits below them. "Words" in PROOF.md, section 6, argues 3.7 ulps under
// these conditions; a search found 2.86 ulps, 2.5 with FMA.
HWY_INLINE hn::Mask<Entries> AreWordsDecided(WordVec least_biased, WordVec x, WordVec y) {
  const hn::Repartition<std::uint16_t, Words> d16;
  const Words dw;
  constexpr std::uint16_t kRange = (2 * kWordOctaves) << 7, kTop = 1 << 14;
  constexpr std::uint32_t kOutside = 2 * kTop - kRange;
  static_assert(kRange != 0 && (kRange & (kRange - 1)) == 0 && kRange <= kTop,
                "bits above it tell what is outside");
  static_assert(kMinWord >= kRange && kMinWord + kTop + kRange / 2 <= 0x7F80, "both are normal and finite");
  const auto x_bits = hn::BitCast(d16, x);
  const auto apart = hn::Add(hn::Sub(x_bits, hn::BitCast(d16, y)), hn::Set(d16, std::uint16_t{kRange / 2}));
  const auto size = hn::Add(x_bits, hn::Set(d16, std::uint16_t{2 * kTop - kMinWord}));
  // A word is undecided if it has a bit of kOutside.
  const auto undecided = hn::BitCast(dw, hn::OrAnd(apart, size, hn::Set(d16, kTop)));
  const auto outside = hn::Set(dw, kOutside << 16 | kOutside);
  const auto far_dropped = hn::Set(dw, kFarDropped<POSENC_BF16>);
  return FarAndNone(OutsideWindow(least_biased, far_dropped), undecided, outside);
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
