// Rounding doubles that are good to a known error: to float, or to bfloat16 or float16, with the test whether
// that error leaves more than one result (Ziv's test). `RoundPairs` is for the direct kernel, `RoundAdded`
// for angle addition. Entries stay floats until they are stored (store-inl.h). Included once per target.
#if defined(POSENC_SRC_KERNEL_FORMAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_FORMAT_INL_H_
#undef POSENC_SRC_KERNEL_FORMAT_INL_H_
#else
#define POSENC_SRC_KERNEL_FORMAT_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "number/bounds.h"
#include "hwy/highway.h"
#include "kernel/rows.h"
#include "kernel/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How many low bits of a double are dropped by a normal number of the format.
template <posenc_type kFormat>
constexpr int kDroppedBits = kFormat == POSENC_F32    ? 29
                             : kFormat == POSENC_BF16 ? 45
                                                      : 42;

// Half of the format's last place, as bits of a float.
template <posenc_type kFormat>
constexpr std::uint32_t kHalfPlace = (std::uint32_t{1} << (kDroppedBits<kFormat> - 29)) / 2;

// The rounding test adds kRoundingBias, half of the last place and the window, to the bits of a double.
// Dropped bits within the window around the midpoint, and only these, then are less than twice the window:
// none of kFarBits is set. In the other doubles the kept bits are now rounded to nearest.
template <posenc_type kFormat, std::uint64_t kWindow>
constexpr std::uint64_t kRoundingBias = (std::uint64_t{1} << (kDroppedBits<kFormat> - 1)) + kWindow;
template <posenc_type kFormat, std::uint64_t kWindow>
constexpr std::uint64_t kFarBits = (std::uint64_t{1} << kDroppedBits<kFormat>)-2 * kWindow;

// For 16-bit types the direct kernel rounds to odd floats: toward zero, then the last bit is set. An odd
// float lies on the same side as the real number of every 16-bit number and midpoint, which are even floats;
// so it rounds to these as the real number does.
constexpr bool RoundsToOdd(posenc_type format) { return format != POSENC_F32; }
constexpr std::uint64_t kLastBit = std::uint64_t{1} << kDroppedBits<POSENC_F32>;  // of a float, in a double
template <bool kOdd, std::uint64_t kWindow>
constexpr std::uint64_t kDirectBias = kOdd ? kWindow : kRoundingBias<POSENC_F32, kWindow>;

// v cut off after the last bit of a float, exactly.
HWY_INLINE DoubleVec TowardZero(DoubleVec v) {
  return hn::BitCast(Doubles(), hn::And(hn::BitCast(Longs(), v), hn::Set(Longs(), ~(kLastBit - 1))));
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
  const Longs du;
  rounded = hn::DemoteTo(Floats(), kOdd ? TowardZero(v) : v);
  const auto biased = hn::Add(hn::BitCast(du, v), hn::Set(du, kDirectBias<kOdd, kWindow>));
  const auto far = hn::And(biased, hn::Set(du, kFarBits<POSENC_F32, kWindow>));
  return hn::RebindMask(Doubles(), hn::Eq(far, hn::Zero(du)));
}

// Returns floats with the last bit set. Floats that were rounded toward zero become odd.
template <class DF>
HWY_INLINE hn::Vec<DF> WithLastBit(DF df, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  return hn::BitCast(df, hn::Or(hn::BitCast(du, v), hn::Set(du, 1)));
}

// Whether the test for odd floats lets zeros pass, which are exact. Where it does not, the caller first adds
// a number to them that it decides, of less than half the least float (`SwapAndAdd`).
constexpr bool kPassesZeros = kHasAvx512;

// The pairs that pass a test. With AVX-512 this is a mask of entries, two for each pair. Otherwise it is a
// mask of pairs.
using PassedLanes = std::conditional_t<kHasAvx512, Words, Doubles>;
using PassedPairs = hn::Mask<PassedLanes>;
HWY_INLINE bool AllTrue(PassedPairs passed) { return hn::AllTrue(PassedLanes(), passed); }

// The bits of two vectors of doubles as floats, rounded toward zero, joined.
//
// The exponent field of a double less 896 = 0b111 << 7 is the exponent field of the float: both end in the
// same 7 bits. So the low 30 bits of the float are 30 consecutive bits of the double, 3 places lower. Above
// these both have the sign and, below 2, a 0. This holds from 2^-126 to 2, and for 0. Smaller numbers occur
// only in lanes that are undecided already: frequencies are at least 2^-126, and sums of angles are 0 or more
// than 2^-107.
template <bool kInterleaved>
HWY_INLINE EntryVec TruncatedFloats(LongVec a, LongVec b) {
  const Words dw;
  const WordVec low = WordsOf<false, kInterleaved>(a, b), high = WordsOf<true, kInterleaved>(a, b);
  const WordVec shifted = ShiftLeftTogether<3>(high, low);
  const auto digits = hn::Set(dw, 0x3FFFFFFFu);
  return hn::BitCast(Entries(), hn::Or(hn::And(shifted, digits), hn::AndNot(digits, high)));
}

// Returns [a0 b0 a1 b1 ...] rounded as by `RoundDirect`, made odd if kOdd; AVX-512 adds the bias, then cuts
// off. `so_far` are the pairs that no earlier test has left undecided. passed = those of them whose entries
// are both decided.
template <bool kOdd, std::uint64_t kWindow, class Passed>
HWY_INLINE EntryVec RoundPairs(DoubleVec a, DoubleVec b, hn::Mask<Doubles> so_far, Passed& passed) {
  if constexpr (kHasAvx512) {
    const Words dw;
    const Longs du;
    constexpr std::uint64_t kFar = kFarBits<POSENC_F32, kWindow>;
    const auto bias = hn::Set(du, kDirectBias<kOdd, kWindow>);
    const auto one = hn::Set(du, std::uint64_t{1023} << 52);  // its low word fails the test
    const auto a_biased = hn::IfThenElse(hn::RebindMask(du, so_far), hn::Add(hn::BitCast(du, a), bias), one);
    const auto b_biased = hn::Add(hn::BitCast(du, b), bias);
    const WordVec high = WordsOf<true, true>(a_biased, b_biased);
    const WordVec low = WordsOf<false, true>(a_biased, b_biased);
    const EntryVec entries = TruncatedFloats<true>(a_biased, b_biased);
    passed = OutsideWindow(low, hn::Set(dw, static_cast<std::uint32_t>(kFar)));
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

// Both vectors as floats, to nearest, joined.
template <bool kInterleaved>
HWY_INLINE EntryVec ToNearestFloats(DoubleVec a, DoubleVec b) {
  return Join<kInterleaved>(ToFloats(a), ToFloats(b));
}
// Both vectors as floats, to nearest or to odd, interleaved, without a test.
template <bool kOdd>
HWY_INLINE EntryVec ToRoundedFloats(DoubleVec a, DoubleVec b) {
  if (!kOdd) return ToNearestFloats<true>(a, b);
  return WithLastBit(Entries(), ToNearestFloats<true>(TowardZero(a), TowardZero(b)));
}
// Without VBMI2's shift of two words, converting two vectors to halves is as fast as cutting off their bits.
template <bool kInterleaved>
constexpr bool kTruncates = kInterleaved ? kHasAvx512 : kHasVbmi2;

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
HWY_INLINE Far RoundAdded(DoubleVec a, DoubleVec b, EntryVec& entries) {
  const Longs du;
  const Words dw;
  if constexpr (kFormat == POSENC_F32) {
    constexpr std::uint64_t kBias = kRoundingBias<POSENC_F32, kAddedWindow>;
    const auto far = hn::Set(dw, static_cast<std::uint32_t>(kFarBits<POSENC_F32, kAddedWindow>));
    if constexpr (kTruncates<kInterleaved>) {
      const auto a_biased = hn::Add(hn::BitCast(du, a), hn::Set(du, kBias));
      const auto b_biased = hn::Add(hn::BitCast(du, b), hn::Set(du, kBias));
      entries = TruncatedFloats<kInterleaved>(a_biased, b_biased);
      return OutsideWindow(WordsOf<false, kInterleaved>(a_biased, b_biased), far);
    }
    entries = ToNearestFloats<kInterleaved>(a, b);
    const WordVec low = WordsOf<false, true>(hn::BitCast(du, a), hn::BitCast(du, b));
    return OutsideWindow(hn::Add(low, hn::Set(dw, static_cast<std::uint32_t>(kBias))), far);
  } else {
    entries = kHasAvx512 ? TruncatedFloats<kInterleaved>(hn::BitCast(du, a), hn::BitCast(du, b))
                         : ToNearestFloats<kInterleaved>(a, b);
    const auto biased = hn::Add(hn::BitCast(dw, entries), hn::Set(dw, kHalfPlace<kFormat> + 1));
    if constexpr (kFormat == POSENC_BF16) {
      entries = hn::BitCast(Entries(), hn::And(biased, hn::Set(dw, ~(2 * kHalfPlace<kFormat> - 1))));
    }
    return OutsideWindow(biased, hn::Set(dw, 2 * kHalfPlace<kFormat> - 2));
  }
}

HWY_INLINE EntryVec SmallerMagnitudes(EntryVec a, EntryVec b) {
  return MagnitudeAmong<false, false>(SizeOf<false>(a), SizeOf<false>(b));
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_FORMAT_INL_H_
