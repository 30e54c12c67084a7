// Rounding (rounding-inl.h), windows: a result is decided if no midpoint is near. The tests look at the low
// bits of a double or float, which its type drops: near a midpoint they are near 100...0. Included once per
// target.
//
//   test             tests                                     for
//   RoundDirect      a vector of doubles                       the direct kernel
//   RoundPairs       sines and cosines in double               the direct kernel
//   RoundAllPairs    the same, whether all are decided         the direct kernel, first try
//   RoundAdded       two vectors of doubles                    angle addition
//   RoundScaled      cosines or sines times a gain, in double  caches
//   AreDecided       both sums of pairs                        rotation
//   AreWordsDecided  the same, two bfloat16 pairs in a word    rotation
#if defined(POSENC_SRC_KERNEL_ROUNDING_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROUNDING_WINDOWS_INL_H_
#undef POSENC_SRC_KERNEL_ROUNDING_WINDOWS_INL_H_
#else
#define POSENC_SRC_KERNEL_ROUNDING_WINDOWS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "number/bounds.h"
#include "hwy/highway.h"
#include "kernel/rounding_packing-inl.h"
#include "kernel/simd-inl.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The window of kUlps around each midpoint of a type. The ulps are those of a result, a double or float
// (Value).
//
// Rounding drops low bits of the result; of a midpoint these are 100...0. The test adds kBias, half of the
// type's last place and the window, to the result's bits. Dropped bits within the window around the midpoint,
// and only these, are then less than twice the window: none of the bits kFar is set. In the other results the
// bits above the dropped ones are now the result rounded to the type.
template <class Value, posenc_type kType, std::uint64_t kUlps>
struct Window {
  using Bits = std::conditional_t<std::is_same_v<Value, double>, std::uint64_t, std::uint32_t>;
  static constexpr Bits kLastPlace = Bits{1} << kDroppedBits<Value, kType>;
  static constexpr Bits kBias = kLastPlace / 2 + Bits{kUlps};
  static constexpr Bits kFar = kLastPlace - 2 * Bits{kUlps};
  static_assert(kLastPlace > 2 * Bits{kUlps}, "results must lie outside the windows of midpoints");
};

// The window of kUlps around each float, for results that are made odd floats: of a float the dropped bits
// are 0.
template <std::uint64_t kUlps>
struct OddWindow : Window<double, POSENC_F32, kUlps> {
  static constexpr std::uint64_t kBias = kUlps;
};
template <bool kOdd, std::uint64_t kUlps>
using DirectWindow = std::conditional_t<kOdd, OddWindow<kUlps>, Window<double, POSENC_F32, kUlps>>;

// The bits of results with a window's bias: of a vector of doubles; of a vector of floats; the low words of
// two vectors of doubles, in the target's own order (WordsOf). `FarBits` are the bits of kFar for words.
template <class W>
HWY_INLINE LongVec Biased(DoubleVec v) {
  return hn::Add(hn::BitCast(Longs(), v), hn::Set(Longs(), W::kBias));
}
template <class W>
HWY_INLINE WordVec Biased(EntryVec v) {
  return hn::Add(hn::BitCast(Words(), v), hn::Set(Words(), W::kBias));
}
template <class W>
HWY_INLINE WordVec BiasedLowWords(DoubleVec a, DoubleVec b) {
  const WordVec low = WordsOf<false, true>(hn::BitCast(Longs(), a), hn::BitCast(Longs(), b));
  return hn::Add(low, hn::Set(Words(), static_cast<std::uint32_t>(W::kBias)));
}
template <class W>
HWY_INLINE WordVec FarBits() {
  return hn::Set(Words(), static_cast<std::uint32_t>(W::kFar));
}

// The lanes in a window.
template <class W>
HWY_INLINE hn::Mask<Doubles> IsInWindow(DoubleVec v) {
  const Longs du;
  return hn::RebindMask(Doubles(), hn::Eq(hn::And(Biased<W>(v), hn::Set(du, W::kFar)), hn::Zero(du)));
}

// Returns the undecided lanes of v, whose error is up to kUlps ulps of the double: the lanes that are so near
// to a midpoint of the type. The other lanes may be rounded to float first, and then to the type. For that,
// 16-bit types take a window of an ulp of a float (kLastBit): half of it is for the rounding to float.
template <posenc_type kType, std::uint64_t kUlps>
HWY_INLINE hn::Mask<Doubles> IsNearMidpoint(DoubleVec v) {
  constexpr std::uint64_t kWindowUlps = kType == POSENC_F32 ? kUlps : kLastBit;
  static_assert(kType == POSENC_F32 || kUlps <= kLastBit / 2,
                "the window must cover the error and the rounding to float");
  return IsInWindow<Window<double, kType, kWindowUlps>>(v);
}

// Rounds v, whose error is at most kWindow ulps, to floats:
//
//   kOdd     rounded               undecided if the 29 dropped bits lie
//   false    to nearest            in [2^28 - kWindow, 2^28 + kWindow), around a midpoint
//   true     toward zero           within kWindow of 0 or 2^29, around a float
//
// Returns the undecided lanes, whose `rounded` may be wrong. With kOdd the caller sets the last bits
// (`WithLastBit`), once both vectors of a pair are joined.
template <bool kOdd, std::uint64_t kWindow>
HWY_INLINE hn::Mask<Doubles> RoundDirect(DoubleVec v, FloatVec& rounded) {
  rounded = hn::DemoteTo(Floats(), kOdd ? TowardZero(v) : v);
  return IsInWindow<DirectWindow<kOdd, kWindow>>(v);
}

// Whether the test for odd floats lets zeros pass, which are exact. Where it does not, the caller first adds
// a number to them that it decides, of less than half the least float (`SwapAndAdd`).
constexpr bool kPassesZeros = kHasAvx512;

// The pairs that pass a test. With AVX-512 this is a mask of entries, two for each pair. Otherwise it is a
// mask of pairs.
using PassedLanes = std::conditional_t<kHasAvx512, Words, Doubles>;
using PassedPairs = hn::Mask<PassedLanes>;
HWY_INLINE bool AllTrue(PassedPairs passed) { return hn::AllTrue(PassedLanes(), passed); }

// Returns min(c, 1 - 2^-30). A cosine above that rounds to the same odd float, 1 - 2^-24, and to 1 in every
// 16-bit type; but rounded to double it may be 1, which the test for odd floats would leave undecided.
HWY_INLINE DoubleVec BelowOne(DoubleVec c) { return hn::Min(c, hn::Set(Doubles(), 1 - 0x1p-30)); }

// Returns [a0 b0 a1 b1 ...] rounded as by `RoundDirect`, made odd if kOdd; AVX-512 adds the bias, then cuts
// off. `so_far` are the pairs that no earlier test has left undecided. passed = those of them whose entries
// are both decided.
template <bool kOdd, std::uint64_t kWindow, class Passed>
HWY_INLINE EntryVec RoundPairs(DoubleVec a, DoubleVec b, hn::Mask<Doubles> so_far, Passed& passed) {
  if constexpr (kHasAvx512) {
    const Words dw;
    const Longs du;
    using W = DirectWindow<kOdd, kWindow>;
    const auto one = hn::Set(du, std::uint64_t{1023} << 52);  // its low word fails the test
    const auto a_biased = hn::IfThenElse(hn::RebindMask(du, so_far), Biased<W>(a), one);
    const auto b_biased = Biased<W>(b);
    const WordVec high = WordsOf<true, true>(a_biased, b_biased);
    const WordVec low = WordsOf<false, true>(a_biased, b_biased);
    const EntryVec entries = TruncatedFloats<true>(a_biased, b_biased);
    passed = OutsideWindow(low, FarBits<W>());
    if constexpr (!kOdd) return entries;
    passed = hn::Or(passed, hn::Eq(high, hn::Zero(dw)));  // zeros
    return WithLastBit(Entries(), entries);
  } else {
    FloatVec a_rounded, b_rounded;
    const auto a_is_near = RoundDirect<kOdd, kWindow>(a, a_rounded);
    const auto b_is_near = RoundDirect<kOdd, kWindow>(b, b_rounded);
    passed = hn::AndNot(hn::Or(a_is_near, b_is_near), so_far);
    const auto entries = Join<true>(a_rounded, b_rounded);
    return kOdd ? WithLastBit(Entries(), entries) : entries;
  }
}

// `RoundPairs` for the quick loop, which goes on only if all pairs are decided: returns whether all are, and
// in `so_far`. Without AVX-512 it tests the low words of both vectors at once. It calls store(entries) before
// the result of the test is known, which needs fewer registers.
template <bool kOdd, std::uint64_t kWindow, class Store>
HWY_INLINE bool RoundAllPairs(DoubleVec a, DoubleVec b, hn::Mask<Doubles> so_far, const Store& store) {
  if constexpr (kHasAvx512) {
    PassedPairs passed;
    store(RoundPairs<kOdd, kWindow>(a, b, so_far, passed));
    return AllTrue(passed);
  }
  using W = DirectWindow<kOdd, kWindow>;
  const Words dw;
  const auto biased = BiasedLowWords<W>(a, b);
  const auto far = FarBits<W>();
  store(ToRoundedFloats<kOdd>(a, b));
  return hn::AllTrue(Doubles(), so_far) && hn::AllFalse(dw, hn::Eq(hn::And(biased, far), hn::Zero(dw)));
}

// First try for v = G * cosine or G * sine with an error of kScaledError: rounded = the nearest float, which
// StoreSinCos rounds to the type. Returns the undecided lanes: near a midpoint (kScaledWindow), or smaller
// than the normal numbers of the type. A zero is decided.
template <posenc_type kType>
HWY_INLINE hn::Mask<Doubles> RoundScaled(DoubleVec v, FloatVec& rounded) {
  const Doubles d;
  rounded = ToFloats(v);
  const auto least = hn::Set(d, TwoTo(TraitsOf(kType).min_exponent));
  const auto is_small = hn::And(hn::Lt(hn::Abs(v), least), hn::Ne(v, hn::Zero(d)));
  return hn::Or(is_small, IsNearMidpoint<kType, kScaledWindow>(v));
}

// Rounds two vectors of entries of angle addition, |a|, |b| <= 1, off by at most kAngleAdditionError:
//
//   kFormat    entries                        undecided
//   float32    the nearest floats             within kAddedWindow ulps of a midpoint
//   bfloat16   bfloat16 numbers, as floats    if the sum, as a float, is a midpoint or the float before one
//   float16    the sums as floats             by the same test
//
// All midpoints of 16-bit types are floats, so a sum that is cut off, or rounded to nearest, next to one
// becomes that float or the one before.
//
// entries = [a0 b0 a1 b1 ...] if kInterleaved, else [a0 a1 ... b0 b1 ...]. Returns the lanes that are
// decided, in the target's order. Entries below kMinAdded are undecided too, which `AnyUndecidedEntry` tests.
// `StoreAdded` rounds to float16. Undecided: one vector in 231 (AVX-512). `FinishPairs` takes it.
template <posenc_type kFormat, bool kInterleaved>
HWY_INLINE Decided RoundAdded(DoubleVec a, DoubleVec b, EntryVec& entries) {
  if constexpr (kFormat == POSENC_F32) {
    using W = Window<double, POSENC_F32, kAddedWindow>;
    if constexpr (kTruncates<kInterleaved>) {
      const auto a_biased = Biased<W>(a), b_biased = Biased<W>(b);
      entries = TruncatedFloats<kInterleaved>(a_biased, b_biased);
      return OutsideWindow(WordsOf<false, kInterleaved>(a_biased, b_biased), FarBits<W>());
    }
    entries = ToNearestFloats<kInterleaved>(a, b);
    return OutsideWindow(BiasedLowWords<W>(a, b), FarBits<W>());
  } else {
    using W = Window<float, kFormat, 1>;
    const Longs du;
    const Words dw;
    entries = kHasAvx512 ? TruncatedFloats<kInterleaved>(hn::BitCast(du, a), hn::BitCast(du, b))
                         : ToNearestFloats<kInterleaved>(a, b);
    const auto biased = Biased<W>(entries);
    if constexpr (kFormat == POSENC_BF16) {
      entries = hn::BitCast(Entries(), hn::And(biased, hn::Set(dw, ~(W::kLastPlace - 1))));
    }
    return OutsideWindow(biased, FarBits<W>());
  }
}

HWY_INLINE EntryVec SmallerMagnitudes(EntryVec a, EntryVec b) {
  return MagnitudeAmong<false, false>(SizeOf<false>(a), SizeOf<false>(b));
}

#if HWY_TARGET != HWY_SCALAR

// The least sum that may be decided. It is a normal number of the type; for bfloat16 it is so large that what
// products and low parts lose as subnormal floats, some 2^-150 each, or elements and products if they are
// flushed (kMaxFlushGain), is nothing beside its ulp.
template <posenc_type kType>
constexpr float kMinQuickly = kType == POSENC_F32    ? kMinRotated
                              : kType == POSENC_BF16 ? 0x1p-90f
                              : kType == POSENC_F16  ? 0x1p-14f
                                                     : NoValueFor(kType);

// The window of rotated sums. They are doubles if the result is float32, and floats for 16-bit types.
template <posenc_type kFrom, posenc_type kTo>
using RotatedWindow =
    std::conditional_t<kTo == POSENC_F32, Window<double, POSENC_F32, kRotatedWindow>,
                       Window<float, kTo, kFrom == kTo ? kFloatRotatedWindow : kConvertedWindow>>;

// With these windows, a decided sum is more than this part of the larger sum of its pair.
template <posenc_type kFrom, posenc_type kTo>
constexpr float kLeastPart = kFrom == kTo ? kMinPart<kTo> : kMinConvertedPart;

// Rounds float32 sums in double to nearest, for the test:
//
//   lower, upper  the sums of a vector's lower and upper half
//   value         them as floats
//   biased        their low words with the window's bias; unless kCutsSums, in the target's own order
//   size          their magnitudes, as MagnitudeAmong takes them
//
// With kCutsSums the bias is added to the whole double, and a float is what remains of it without its 3
// highest exponent bits and its 29 lowest bits.
template <bool kNoticesNans>
HWY_INLINE void RoundSums(DoubleVec lower, DoubleVec upper, EntryVec& value, WordVec& biased,
                          EntryVec& size) {
  using W = RotatedWindow<POSENC_F32, POSENC_F32>;
  if constexpr (kCutsSums<POSENC_F32>) {
    const auto lower_bits = Biased<W>(lower), upper_bits = Biased<W>(upper);
    const auto high = WordsOf<true, false>(lower_bits, upper_bits);
    biased = WordsOf<false, false>(lower_bits, upper_bits);
    const WordVec shifted = ShiftLeftTogether<3>(high, biased);
    const auto sign = hn::Set(Words(), 0x80000000u);
    value = hn::BitCast(Entries(), hn::Or(hn::AndNot(sign, shifted), hn::And(sign, high)));
    size = hn::BitCast(Entries(), shifted);
    return;
  }
  value = Join<false>(ToFloats(lower), ToFloats(upper));
  biased = BiasedLowWords<W>(lower, upper);
  size = SizeOf<kNoticesNans>(value);
}

// Returns the lanes in which both sums, given with their window's bias (Biased), are decided:
//
// - no midpoint is within the window of either (RotatedWindow), and
// - the smaller sum exceeds kLeastPart of the larger, plus kMinQuickly, so that the window covers its error.
//   If the sums are cut floats, it exceeds least_cut instead of kMinQuickly.
//
// If an element is an infinity or a NaN, or if sums overflow, then one of a pair's sums is infinite or both
// are NaNs; so the second condition does not hold.
template <posenc_type kFrom, posenc_type kTo>
HWY_INLINE hn::Mask<Entries> AreDecided(WordVec x_biased, WordVec y_biased, EntryVec smaller, EntryVec larger,
                                        float least_cut) {
  const Entries df;
  const auto least = kCutsSums<kTo> ? hn::Set(df, least_cut) : hn::Set(df, kMinQuickly<kTo>);
  const auto limit = hn::MulAdd(larger, hn::Set(df, kLeastPart<kFrom, kTo>), least);
  return DecidedIfGreater(BothOutsideWindow(x_biased, y_biased, FarBits<RotatedWindow<kFrom, kTo>>()),
                          smaller, limit);
}

// Returns the smaller of each 16-bit half of two vectors of words. The low half of a biased bfloat16 sum is
// its dropped bits: if the least of several is outside the window, all are.
HWY_INLINE WordVec LesserHalves(WordVec a, WordVec b) {
  const hn::Repartition<std::uint16_t, Words> d16;
  return hn::BitCast(Words(), hn::Min(hn::BitCast(d16, a), hn::BitCast(d16, b)));
}

// The bits of WordsOutOfRange that tell that a word's sums are out of range.
constexpr std::uint16_t kWordRange = (2 * kWordOctaves) << 7, kTopOfWord = 1 << 14;
constexpr std::uint32_t kOutOfRange = 2 * kTopOfWord - kWordRange;

// Tests the bfloat16 sums x and y of words, of two pairs each. Returns words that have none of the bits
// kOutOfRange, in either half, if
//
// - each x is at least kMinWord (2^-74) and less than 2^54, and
// - each y is within kWordOctaves powers of 2 of its x.
//
// Signs are ignored: the test asks for bits below them.
HWY_INLINE WordVec WordsOutOfRange(WordVec x, WordVec y) {
  const hn::Repartition<std::uint16_t, Words> d16;
  static_assert(kWordRange != 0 && (kWordRange & (kWordRange - 1)) == 0 && kWordRange <= kTopOfWord,
                "bits above it tell what is outside");
  static_assert(kMinWord >= kWordRange && kMinWord + kTopOfWord + kWordRange / 2 <= 0x7F80,
                "both are normal and finite");
  const auto x_bits = hn::BitCast(d16, x);
  const auto apart =
      hn::Add(hn::Sub(x_bits, hn::BitCast(d16, y)), hn::Set(d16, std::uint16_t{kWordRange / 2}));
  const auto size = hn::Add(x_bits, hn::Set(d16, std::uint16_t{2 * kTopOfWord - kMinWord}));
  return hn::BitCast(Words(), hn::OrAnd(apart, size, hn::Set(d16, kTopOfWord)));
}

// Returns the words, of two pairs each, in which all four bfloat16 sums are decided, tested by their bits:
//
// - the least of the dropped bits of all four (low halves of least_biased) is outside the window around a
//   midpoint, and
// - they are in range (WordsOutOfRange).
//
// "Words" in proof/rotation_quick.md argues 3.7 ulps under these conditions; a search found 2.86 ulps, 2.5
// with FMA.
HWY_INLINE hn::Mask<Entries> AreWordsDecided(WordVec least_biased, WordVec out_of_range) {
  return DecidedIfNone(OutsideWindow(least_biased, FarBits<RotatedWindow<POSENC_BF16, POSENC_BF16>>()),
                       out_of_range, hn::Set(Words(), kOutOfRange << 16 | kOutOfRange));
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROUNDING_WINDOWS_INL_H_
