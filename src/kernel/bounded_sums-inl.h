// Rotation of a vector of pairs with any elements: sums in double and bounds of their errors. A sum less its
// bound and the sum plus its bound are rounded; if both give the same number, the lane is decided. Most sums
// of 16-bit types are decided without bounds (RoundConverted). The quick loop leaves vectors to this tier.
// Then single pairs come here, from a queue, with direct angles. `RecomputePair` takes the pairs that are
// left. Included once per target.
//
//   x = G (a cos - b sin), y = G (b cos + a sin); G is the gain, cos and sin belong to the token's angle
//
// Below, c = G cos and s = G sin, u = 2^-53, v = 2^-24. A *worst known* error is the largest of 2 * 10^7
// random inputs and 2 * 10^7 beside the worst of these (G in [1, 2), |a| and |b| in [1/4, 1]), measured in 64
// digits against SinCosSums (2^-78) and confirmed by MPFR. proof/rotation.md, "The second tier", argues the
// bounds.
#if defined(POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
#undef POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
#else
#define POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/heads.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotary_reference.h"
#include "kernel/token_sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The floats of a vector of pairs whose elements have a type. A double of a vector has one float for float32,
// and two for 16-bit types.
template <posenc_type kFrom>
using PairsOf = std::conditional_t<kFrom == POSENC_F32, Floats, hn::ScalableTag<float>>;

// How many vectors of a token RoundConverted may leave undecided, until it is not tried any more. At nearly
// all angles it leaves few. At some angles it leaves most vectors, and would cost a third of what bounds
// cost. For float32: how often RotateFinite may stop after few vectors, until it is not tried any more.
constexpr std::uint8_t kMostTries = 8;

// The bounds for a gain and for direct or added angles. in_float: sums become floats before their bounds are
// added (elements of 16-bit types).
inline HWY_NOINLINE SinCosBounds MakeBounds(const Gain& gain, bool are_direct, bool in_float) {
  return {gain.nearest(),
          gain.inverse ? -gain.nearest() : gain.nearest(),
          in_float     ? kFloatRotationError
          : are_direct ? kDirectRotationError
                       : 0.0,
          are_direct ? kMinSinCosError : kAddedRotationError * gain.nearest(),
          are_direct,
          are_direct,
          are_direct && (in_float ? IsShortInFloat(gain) : IsShort(gain)),
          static_cast<std::uint8_t>(in_float && gain.nearest() > kMaxConvertedGain ? 0 : kMostTries)};
}

// Clears has_zeros and `absolute` if all of a token's direct cosines and sines [pairs] exceed
// kMinPlainSinCos: none is 0, or so small that products underflow. Most tokens beyond position 0 are so.
inline HWY_NOINLINE void TightenFor(const double* cosines, const double* sines, std::size_t pairs,
                                    SinCosBounds& bounds) {
  if (!bounds.are_direct) return;
  const Doubles d;
  auto smallest = hn::Set(d, 1.0);
  for (std::size_t i = 0; i < pairs; i += hn::Lanes(d)) {
    auto least = hn::Min(hn::Abs(hn::LoadU(d, cosines + i)), hn::Abs(hn::LoadU(d, sines + i)));
    if (i + hn::Lanes(d) > pairs) least = hn::IfThenElse(hn::FirstN(d, pairs - i), least, smallest);
    smallest = hn::Min(smallest, least);
  }
  if (!hn::AllTrue(d, hn::Gt(smallest, hn::Set(d, kMinPlainSinCos)))) return;
  bounds.has_zeros = false;
  bounds.absolute = 0.0;
}

// x, y = the sums of pairs in double. Cosines and sines are without the gain. BoundsOf has the errors.
HWY_INLINE void SumPairs(FloatVec a_element, FloatVec b_element, DoubleVec cosine, DoubleVec sine,
                         const SinCosBounds& bounds, DoubleVec& x, DoubleVec& y) {
  const Doubles d;
  const auto a = hn::PromoteTo(d, a_element), b = hn::PromoteTo(d, b_element);
  const auto c = hn::Mul(cosine, hn::Set(d, bounds.factor)),
             s = hn::Mul(sine, hn::Set(d, bounds.sine_factor));
  x = MinusProduct(b, s, hn::Mul(a, c));
  y = hn::MulAdd(a, s, hn::Mul(b, c));
}

// x_bound, y_bound = bounds of the errors of these sums. They are 0 if sums are exact.
//
//   kInFloat  the elements have a 16-bit type, and the sums become floats: the bounds cover this rounding as
//             well
//
// Error, float32: kDirectRotationError, 9 u (|a c| + |b s|), with direct angles; kAddedRotationError, 12 u G
// (|a| + |b|), with added ones.
// Error, kInFloat: kFloatRotationError, 2.1 v (|a c| + |b s|), and kMinFloatRotationError, because floats may
// be subnormal. With added angles 12 u G (|a| + |b|) comes in addition.
// Worst known, as multiples of the same sums:
//   3.38 u, direct  a = 0x1.cfa1bep-1, b = -0x1.be01b2p-6, angle 466612 * 0x1.16a79861b80dbp-11 (quarter
//                   turns), G = 0x1.1ab9983627937p0: x is 0x1.00053f691c71cp0,
//                   want 0x1.00053f691c71ap0
//   4.43 u, added   a = 0x1.8c19d4p-1, b = -0x1.7f19bcp-15, angle 74418 * 0x1.708ec8671fe95p-6, 2 behind its
//                   anchor, G = 0x1.4b518b29f9b54p0: x is -0x1.0002391a543cfp0, want -0x1.0002391a543cdp0
//   without FMA
//   4.18 u, direct  a = 0x1.e68276p-3, b = 0x1.65f490p-2, angle 814780 * 0x1.0c349faf62e61p-10,
//                   G = 0x1.45e11444642d5p0: x is -0x1.00166a40b3efcp-1, want -0x1.00166a40b3efep-1
//   kInFloat, before the bound is added, with or without FMA
//   1.00 v, direct  a = 0x1.3ep-1, b = 0x1.32p-1, angle 40159 * 0x1.d27b1ebe7c0f7p-12,
//                   G = 0x1.5d75a6373157bp0: x is -0x1.00007p0, want -0x1.00006efffffffp0
template <bool kInFloat>
HWY_INLINE void BoundsOf(FloatVec a_element, FloatVec b_element, DoubleVec cosine, DoubleVec sine,
                         const SinCosBounds& bounds, DoubleVec& x_bound, DoubleVec& y_bound) {
  const Doubles d;
  const auto a = hn::Abs(hn::PromoteTo(d, a_element)), b = hn::Abs(hn::PromoteTo(d, b_element));
  const auto c = hn::Abs(hn::Mul(cosine, hn::Set(d, bounds.factor))),
             s = hn::Abs(hn::Mul(sine, hn::Set(d, bounds.factor)));
  const auto relative = hn::Set(d, bounds.relative), absolute = hn::Set(d, bounds.absolute);
  auto c_error = hn::MulAdd(c, relative, absolute), s_error = hn::MulAdd(s, relative, absolute);
  // What each product may lose as a subnormal float; nothing if both elements are 0.
  auto ac_loss = a, as_loss = a, bc_loss = b, bs_loss = b;
  if (HWY_UNLIKELY(bounds.has_zeros)) {
    auto no_cosine = hn::Eq(cosine, hn::Zero(d)), no_sine = hn::Eq(sine, hn::Zero(d));
    if (bounds.are_exact) no_cosine = no_sine = hn::Or(no_cosine, no_sine);
    c_error = hn::IfThenZeroElse(no_cosine, c_error);
    s_error = hn::IfThenZeroElse(no_sine, s_error);
    ac_loss = hn::IfThenZeroElse(no_cosine, a);  // a product with a cosine or sine of 0 loses nothing
    bc_loss = hn::IfThenZeroElse(no_cosine, b);
    as_loss = hn::IfThenZeroElse(no_sine, a);
    bs_loss = hn::IfThenZeroElse(no_sine, b);
  }
  if constexpr (kInFloat) {
    const auto most = hn::Set(d, kMinFloatRotationError);
    x_bound = hn::MulAdd(a, c_error, hn::Min(hn::Add(ac_loss, bs_loss), most));
    y_bound = hn::MulAdd(b, c_error, hn::Min(hn::Add(bc_loss, as_loss), most));
  } else {
    x_bound = hn::Mul(a, c_error);
    y_bound = hn::Mul(b, c_error);
  }
  x_bound = hn::MulAdd(b, s_error, x_bound);
  y_bound = hn::MulAdd(a, s_error, y_bound);
}

// Returns the bits that floats have in the type. Each float must be a number of the type, an infinity or a
// NaN. Every NaN becomes the canonical one. The bits of 16-bit types lie in the low half of each word.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> BitsOfNumbers(DF df, hn::Vec<DF> v) {
  const auto canonical = WithCanonicalNans(df, v);
  if constexpr (kType == POSENC_F16) {
    return Float16Bits(df, canonical);
  } else {
    static_assert(kType == POSENC_F32 || kType == POSENC_BF16);
    const auto bits = hn::BitCast(hn::RebindToUnsigned<DF>(), canonical);
    return kType == POSENC_F32 ? bits : hn::ShiftRight<16>(bits);
  }
}

// The bits of the larger of |a| and |b|.
template <class DF>
HWY_INLINE hn::Vec<hn::RebindToSigned<DF>> LargerBits(DF /*df*/, hn::Vec<DF> a, hn::Vec<DF> b) {
  const hn::RebindToSigned<DF> di;
  return hn::Max(hn::BitCast(di, hn::Abs(a)), hn::BitCast(di, hn::Abs(b)));
}

// SumPairs for a vector of pairs with a 16-bit type. The sums become floats.
HWY_INLINE void SumPairsToFloats(EntryVec a, EntryVec b, const double* cosines, const double* sines,
                                 const SinCosBounds& bounds, EntryVec& x, EntryVec& y) {
  const Doubles d;
  const std::size_t upper = hn::Lanes(Entries()) - hn::Lanes(d);  // where the upper half of a vector begins
  DoubleVec x_lower, y_lower, x_upper, y_upper;
  SumPairs(HalfOf<false>(a), HalfOf<false>(b), hn::LoadU(d, cosines), hn::LoadU(d, sines), bounds, x_lower,
           y_lower);
  SumPairs(HalfOf<true>(a), HalfOf<true>(b), hn::LoadU(d, cosines + upper), hn::LoadU(d, sines + upper),
           bounds, x_upper, y_upper);
  x = ToNearestFloats<false>(x_lower, x_upper);
  y = ToNearestFloats<false>(y_lower, y_upper);
}

// Rounds sums, which were computed in double and then rounded to floats, to a 16-bit type, without bounds:
// x, y = bits as StoreElements takes them. Elements must be finite. Returns the lanes that are decided:
//
// - the larger sum is less than about 2^kConvertedOctaves times the smaller one, which is not 0, and
// - all numbers between the two floats next to a sum round to the same number of the type.
//
// Error: below an ulp of the float, with direct or added angles, and gains up to kMaxConvertedGain
// (proof/rotation.md, "Sums that become floats").
template <posenc_type kType>
HWY_INLINE hn::Mask<Entries> RoundConverted(EntryVec x_sum, EntryVec y_sum, WordVec& x, WordVec& y) {
  const SignedWords di;
  const auto x_size = hn::BitCast(di, hn::Abs(x_sum)), y_size = hn::BitCast(di, hn::Abs(y_sum));
  // Sizes are compared by their bits: to add 2^23 to the bits of a normal float is to double it.
  const auto apart = hn::Sub(hn::Max(x_size, y_size), hn::Set(di, kConvertedOctaves << 23));
  const auto smaller = hn::Min(x_size, y_size), limit = hn::Max(apart, hn::Zero(di));
  if constexpr (kType == POSENC_BF16) {
    using W = Window<float, POSENC_BF16, kConvertedWindow>;
    const auto x_biased = Biased<W>(x_sum), y_biased = Biased<W>(y_sum);
    x = hn::ShiftRight<16>(x_biased);
    y = hn::ShiftRight<16>(y_biased);
    return DecidedIfGreater(BothOutsideWindow(x_biased, y_biased, FarBits<W>()), smaller, limit);
  } else {
    static_assert(kType == POSENC_F16);
    const Entries df;
    const Words dw;
    const auto ulp = hn::Set(dw, 1);
    const auto x_bits = hn::BitCast(dw, x_sum), y_bits = hn::BitCast(dw, y_sum);
    x = Float16Bits(df, hn::BitCast(df, hn::Add(x_bits, ulp)));
    y = Float16Bits(df, hn::BitCast(df, hn::Add(y_bits, ulp)));
    const auto x_differ = hn::Xor(x, Float16Bits(df, hn::BitCast(df, hn::Sub(x_bits, ulp))));
    const auto y_differ = hn::Xor(y, Float16Bits(df, hn::BitCast(df, hn::Sub(y_bits, ulp))));
    const auto differ = hn::BitCast(di, hn::Or(x_differ, y_differ));
    return hn::RebindMask(df, hn::And(hn::Eq(differ, hn::Zero(di)), hn::Gt(smaller, limit)));
  }
}

// Rotates a vector of pairs: x, y = bits of the rotated elements, as StoreElements takes them. Returns the
// undecided lanes, in which the ends of an interval (BoundsOf) round to two numbers.
//
//   cosines, sines  [lanes], without the gain
//
// NaNs and infinities are what IEEE arithmetic makes of the sums. With added angles lanes with an infinity
// are undecided, because the result depends on the signs of cosine and sine, which only direct angles have
// right.
//
// If added angles leave many lanes undecided, BoundedRotation calls again with direct ones;
// ResolveUndecidedPairs takes the few others.
template <posenc_type kFrom, posenc_type kTo>
HWY_INLINE hn::Mask<hn::RebindToSigned<PairsOf<kFrom>>> RotateWithin(
    hn::Vec<PairsOf<kFrom>> a, hn::Vec<PairsOf<kFrom>> b, const double* cosines, const double* sines,
    const SinCosBounds& bounds, WordsAs<PairsOf<kFrom>>& x, WordsAs<PairsOf<kFrom>>& y) {
  const Doubles d;
  const PairsOf<kFrom> df;
  const hn::RebindToUnsigned<PairsOf<kFrom>> du;
  const hn::RebindToSigned<PairsOf<kFrom>> di;
  const auto larger = LargerBits(df, a, b);
  const auto is_special = hn::Gt(larger, hn::Set(di, 0x7F7FFFFF));
  const bool are_finite = hn::AllFalse(di, is_special);
  const std::size_t upper = hn::Lanes(df) - hn::Lanes(d);  // where the upper half of a vector begins
  hn::Vec<PairsOf<kFrom>> x_sum, y_sum;
  DoubleVec x_wide, y_wide;  // sums of float32
  if constexpr (kFrom == POSENC_F32) {
    SumPairs(a, b, hn::LoadU(d, cosines), hn::LoadU(d, sines), bounds, x_wide, y_wide);
    x_sum = ToFloats(x_wide);
    y_sum = ToFloats(y_wide);
  } else {
    SumPairsToFloats(a, b, cosines, sines, bounds, x_sum, y_sum);
  }
  WordsAs<PairsOf<kFrom>> x_special = hn::Zero(du), y_special = x_special;
  if (HWY_UNLIKELY(!are_finite)) {
    x_special = BitsOfNumbers<kTo>(df, x_sum);
    y_special = BitsOfNumbers<kTo>(df, y_sum);
    if (bounds.are_direct && hn::AllTrue(di, is_special)) {
      x = x_special;
      y = y_special;
      return hn::MaskFromVec(hn::Zero(di));
    }
  }
  WordsAs<PairsOf<kFrom>> differ;
  DoubleVec x_lower_bound, y_lower_bound;
  if constexpr (kFrom == POSENC_F32) {
    BoundsOf<false>(a, b, hn::LoadU(d, cosines), hn::LoadU(d, sines), bounds, x_lower_bound, y_lower_bound);
    if constexpr (kTo == POSENC_F32) {
      differ = RoundToFloats(x_wide, x_lower_bound, x);
      differ = hn::Or(differ, RoundToFloats(y_wide, y_lower_bound, y));
    } else {
      FloatVec x_rounded, y_rounded;
      differ = RoundEnds(kFormatRounding<kTo>, x_wide, x_lower_bound, x_rounded);
      differ = hn::Or(differ, RoundEnds(kFormatRounding<kTo>, y_wide, y_lower_bound, y_rounded));
      x = BitsOfNumbers<kTo>(df, x_rounded);
      y = BitsOfNumbers<kTo>(df, y_rounded);
    }
  } else {
    DoubleVec x_upper_bound, y_upper_bound;
    BoundsOf<true>(HalfOf<false>(a), HalfOf<false>(b), hn::LoadU(d, cosines), hn::LoadU(d, sines), bounds,
                   x_lower_bound, y_lower_bound);
    BoundsOf<true>(HalfOf<true>(a), HalfOf<true>(b), hn::LoadU(d, cosines + upper),
                   hn::LoadU(d, sines + upper), bounds, x_upper_bound, y_upper_bound);
    const auto x_bound = ToNearestFloats<false>(x_lower_bound, x_upper_bound);
    const auto y_bound = ToNearestFloats<false>(y_lower_bound, y_upper_bound);
    differ = RoundToShort<kTo>(df, x_sum, x_bound, bounds.are_exact, x);
    differ = hn::Or(differ, RoundToShort<kTo>(df, y_sum, y_bound, bounds.are_exact, y));
  }
  if (kFrom == POSENC_BF16) differ = hn::ShiftRight<16>(differ);
  auto undecided = hn::Ne(hn::BitCast(di, differ), hn::Zero(di));
  if (HWY_UNLIKELY(!are_finite)) {
    // NaNs are decided in any case, infinities if the angles are direct.
    const auto is_settled = hn::Gt(larger, hn::Set(di, bounds.are_direct ? 0x7F7FFFFF : 0x7F800000));
    const auto settled = hn::RebindMask(du, is_settled);
    x = hn::IfThenElse(settled, x_special, x);
    y = hn::IfThenElse(settled, y_special, y);
    undecided = hn::AndNot(is_settled, hn::Or(undecided, is_special));
  }
  return undecided;
}

// Returns the lanes of a mask, at most 64, one bit for each. (It uses kMaxVectorBytes, because hn::MaxLanes
// of half a vector is too small on SVE of 2,048 bits.)
template <class D>
HWY_INLINE std::uint64_t BitsOf(D d, hn::Mask<D> mask) {
  constexpr std::size_t kBytes = hwy::DivCeil(kMaxVectorBytes / sizeof(hn::TFromD<D>), std::size_t{8});
  static_assert(kBytes <= 8, "64 lanes");
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < kBytes; ++k) bits |= std::uint64_t{bytes[k]} << (8 * k);
  return bits;
}

// FloatsOfBits returns elements of a type as floats, from their bits [lanes]. BitsOfFloats returns the bits
// of floats that are numbers of the type. Both are exact. BitsOfFloats makes every NaN the canonical one.
static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>, "the functions below know no other type");
HWY_INLINE FloatVec FloatsOfBits(posenc_type type, const std::uint32_t* from) {
  const Floats df;
  const auto bits = hn::LoadU(hn::RebindToUnsigned<Floats>(), from);
  if (type == POSENC_F32) return hn::BitCast(df, bits);
  if (type == POSENC_BF16) return hn::BitCast(df, hn::ShiftLeft<16>(bits));
  const auto words = hn::BitCast(hn::RebindToSigned<Floats>(), bits);
  return FromFloat16(df, hn::DemoteTo(hn::Rebind<std::uint16_t, Floats>(), words));
}
HWY_INLINE WordsAs<Floats> BitsOfFloats(posenc_type type, FloatVec v) {
  const Floats df;
  const auto canonical = WithCanonicalNans(df, v);
  const auto bits = hn::BitCast(hn::RebindToUnsigned<Floats>(), canonical);
  if (type == POSENC_F32) return bits;
  if (type == POSENC_BF16) return hn::ShiftRight<16>(bits);
  return Float16Bits(df, canonical);
}

// Resolves queued pairs, which all have the same types and gain: stores the rotated elements that are
// decided, correctly rounded. A lane holds one pair, because each pair has its multiple and its step.
//
// Sums and bounds are BoundsOf's for float32, with direct angles: kDirectRotationError, 9 u (|a c| + |b s|).
// Both ends are rounded to the type; NaNs and infinities are what IEEE arithmetic makes of the sums.
//
// Undecided pairs stay in the queue, for RecomputePair: 1 of 2.7 million rotated pairs of float32, none of 65
// million of each 16-bit type (RotateExactly says how this was counted). Their cosine and sine are kept, or
// NaNs if the phase lost too much to cancellation or is below kMinDoublePhase.
//
// It is one function for all types, because three of them would take 2 KB each on every target.
inline HWY_NOINLINE void ResolveUndecidedPairs(const FrequencyTable& table, const Gain& gain,
                                               UndecidedPairs& undecided, Tally& tally) {
  const Doubles d;
  const posenc_type from_type = undecided.types.from, type = undecided.types.to;
  const SinCosBounds bounds = MakeBounds(gain, true, false);
  const FormatRounding format = type == POSENC_F32    ? kFormatRounding<POSENC_F32>
                                : type == POSENC_BF16 ? kFormatRounding<POSENC_BF16>
                                                      : kFormatRounding<POSENC_F16>;
  tally.doubles += undecided.count;
  std::size_t left = 0;
  for (std::size_t n = undecided.count; n % hn::Lanes(d) != 0; ++n) {  // zeros up to a whole vector
    undecided.multiple[n] = undecided.high[n] = undecided.low[n] = 0.0;
    undecided.a[n] = undecided.b[n] = 0;
  }
  for (std::size_t from = 0; from < undecided.count; from += hn::Lanes(d)) {
    const auto multiple = hn::LoadU(d, undecided.multiple + from), high = hn::LoadU(d, undecided.high + from);
    DoubleVec sine, cosine;
    auto is_unknown =
        SinCos(multiple, high, hn::LoadU(d, undecided.low + from), table.min_uncancelled, sine, cosine);
    is_unknown = hn::Or(is_unknown, IsTiny(multiple, high, kMinDoublePhase));
    const auto a = FloatsOfBits(from_type, undecided.a + from),
               b = FloatsOfBits(from_type, undecided.b + from);
    DoubleVec x_bound, y_bound;
    DoubleVec x_sum, y_sum;
    SumPairs(a, b, cosine, sine, bounds, x_sum, y_sum);
    BoundsOf<false>(a, b, cosine, sine, bounds, x_bound, y_bound);
    // NaNs and infinities are decided: with a bound of 0 both ends are the sum itself.
    const auto size = hn::Add(hn::Abs(hn::PromoteTo(d, a)), hn::Abs(hn::PromoteTo(d, b)));
    const auto is_finite = hn::Lt(size, hn::Set(d, 0x1p200));
    x_bound = hn::IfThenElseZero(is_finite, x_bound);
    y_bound = hn::IfThenElseZero(is_finite, y_bound);
    FloatVec x, y;
    auto is_undecided = RoundBetween(format, x_sum, x_bound, x);
    is_undecided = hn::Or(is_undecided, RoundBetween(format, y_sum, y_bound, y));
    const std::uint64_t flags = BitsOf(d, hn::Or(is_undecided, is_unknown));
    HWY_ALIGN double cosines[kMaxLanes<Doubles>], sines[kMaxLanes<Doubles>];
    hn::Store(hn::IfThenElse(is_unknown, hn::NaN(d), cosine), d, cosines);
    hn::Store(hn::IfThenElse(is_unknown, hn::NaN(d), sine), d, sines);
    HWY_ALIGN std::uint32_t xs[kMaxLanes<Doubles>], ys[kMaxLanes<Doubles>];
    hn::Store(BitsOfFloats(type, x), hn::RebindToUnsigned<Floats>(), xs);
    hn::Store(BitsOfFloats(type, y), hn::RebindToUnsigned<Floats>(), ys);
    for (std::size_t k = 0; k < hn::Lanes(d) && from + k < undecided.count; ++k) {
      const std::size_t n = from + k;
      if (HWY_LIKELY((flags >> k & 1) == 0)) {
        StoreBits(type, xs[k], undecided.x[n]);
        StoreBits(type, ys[k], undecided.y[n]);
        continue;
      }
      undecided.Move(n, left);
      undecided.cosine[left] = cosines[k];
      undecided.sine[left] = sines[k];
      ++left;
    }
  }
  undecided.count = left;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
