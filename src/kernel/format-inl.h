// What rounding to float, bfloat16 or float16 means: for vectors of the direct kernel, and for two
// vectors at a time that angle addition made. Rounded entries travel as floats until they are stored.
// Included once per target.
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

// The bits of a double that a value of the format does not have, in its normal range.
template <posenc_type kFormat>
constexpr int kDroppedBits = kFormat == POSENC_F32    ? 29
                             : kFormat == POSENC_BF16 ? 45
                                                      : 42;

// Half of the last place kept of a float.
template <posenc_type kFormat>
constexpr std::uint32_t kHalfPlace = (std::uint32_t{1} << (kDroppedBits<kFormat> - 29)) / 2;

// Half of the last place kept, and the window of the rounding test: adding both to the bits rounds all
// that the test lets pass, and makes the dropped bits of the others less than twice the window.
template <posenc_type kFormat, std::uint64_t kWindow>
constexpr std::uint64_t kRoundingBias = (std::uint64_t{1} << (kDroppedBits<kFormat> - 1)) + kWindow;
template <posenc_type kFormat, std::uint64_t kWindow>
constexpr std::uint64_t kFarBits = (std::uint64_t{1} << kDroppedBits<kFormat>)-2 * kWindow;

// The direct kernel rounds to the nearest float, or, for shorter types, to an odd one: toward zero, with the
// last bit set. That rounds to any shorter type as the real number does.
constexpr bool RoundsToOdd(posenc_type format) { return format != POSENC_F32; }
constexpr std::uint64_t kLastBit = std::uint64_t{1} << kDroppedBits<POSENC_F32>;  // of a float, in a double
template <bool kOdd, std::uint64_t kWindow>
constexpr std::uint64_t kDirectBias = kOdd ? kWindow : kRoundingBias<POSENC_F32, kWindow>;

HWY_INLINE DoubleVec TowardZero(DoubleVec v) {
  return hn::BitCast(Doubles(), hn::And(hn::BitCast(Longs(), v), hn::Set(Longs(), ~(kLastBit - 1))));
}

// The lanes of v, good to kWindow ulps, that might round the wrong way (Ziv's test); rounded = the others,
// odd ones without their last bit.
template <bool kOdd, std::uint64_t kWindow>
HWY_INLINE hn::Mask<Doubles> RoundDirect(DoubleVec v, FloatVec& rounded) {
  const Longs du;
  rounded = hn::DemoteTo(Floats(), kOdd ? TowardZero(v) : v);
  const auto biased = hn::Add(hn::BitCast(du, v), hn::Set(du, kDirectBias<kOdd, kWindow>));
  const auto far = hn::And(biased, hn::Set(du, kFarBits<POSENC_F32, kWindow>));
  return hn::RebindMask(Doubles(), hn::Eq(far, hn::Zero(du)));
}

template <class DF>
HWY_INLINE hn::Vec<DF> WithLastBit(DF df, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  return hn::BitCast(df, hn::Or(hn::BitCast(du, v), hn::Set(du, 1)));
}

// Whether the test of odd floats knows that zeros are exact. Else they must become less than half of the
// least bit of a float, once.
constexpr bool kPassesZeros = kIsAvx512;

// Pairs that pass a test, which both lanes of theirs say; or of theirs just one.
using PassedLanes = std::conditional_t<kIsAvx512, Words, Doubles>;
using PassedPairs = hn::Mask<PassedLanes>;
HWY_INLINE bool AllTrue(PassedPairs passed) { return hn::AllTrue(PassedLanes(), passed); }

// Doubles as joined floats, by the words of both: rounded toward zero.
//
// The exponent field of a double, less 896 = 0b111 << 7, is that of the float, so a float's digits are 30
// bits of the double; above them both have 0 below 2, and the sign. That holds from 2^-126 on, and for 0:
// nothing else occurs, as frequencies are at least 2^-126 and sums of angles round to 0 or to more than
// 2^-107.
template <bool kInterleaved>
HWY_INLINE EntryVec TruncatedFloats(LongVec a, LongVec b) {
  const Words dw;
  const WordVec low = WordsOf<false, kInterleaved>(a, b), high = WordsOf<true, kInterleaved>(a, b);
  const WordVec shifted = ShiftLeftTogether<3>(high, low);
  const auto digits = hn::Set(dw, 0x3FFFFFFFu);
  return hn::BitCast(Entries(), hn::Or(hn::And(shifted, digits), hn::AndNot(digits, high)));
}

// RoundDirect of both, joined: [a0 b0 a1 b1 ...]; and, of the pairs that passed so far, those that do.
template <bool kOdd, std::uint64_t kWindow, class Passed>
HWY_INLINE EntryVec RoundPairs(DoubleVec a, DoubleVec b, hn::Mask<Doubles> so_far, Passed& passed) {
  if constexpr (kIsAvx512) {
    const Words dw;
    const Longs du;
    constexpr std::uint64_t kFar = kFarBits<POSENC_F32, kWindow>;
    const auto bias = hn::Set(du, kDirectBias<kOdd, kWindow>);
    const auto one = hn::Set(du, std::uint64_t{1023} << 52);  // near a float and a midpoint, for this
    const auto a_biased = hn::IfThenElse(hn::RebindMask(du, so_far), hn::Add(hn::BitCast(du, a), bias), one);
    const auto b_biased = hn::Add(hn::BitCast(du, b), bias);
    const WordVec high = WordsOf<true, true>(a_biased, b_biased);
    const WordVec low = WordsOf<false, true>(a_biased, b_biased);
    const EntryVec entries = TruncatedFloats<true>(a_biased, b_biased);
    passed = FarIn(low, hn::Set(dw, static_cast<std::uint32_t>(kFar)));
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

// Doubles as joined floats: to nearest, or toward zero.
template <bool kInterleaved>
HWY_INLINE EntryVec ToNearestFloats(DoubleVec a, DoubleVec b) {
  return Join<kInterleaved>(ToFloats(a), ToFloats(b));
}
// As RoundDirect: to nearest, or to odd.
template <bool kOdd>
HWY_INLINE EntryVec ToRoundedFloats(DoubleVec a, DoubleVec b) {
  if (!kOdd) return ToNearestFloats<true>(a, b);
  return WithLastBit(Entries(), ToNearestFloats<true>(TowardZero(a), TowardZero(b)));
}
// Without a shift of two words at once conversions are as fast as halves put together.
template <bool kInterleaved>
constexpr bool kTruncates = kInterleaved ? kIsAvx512 : kHasVbmi2;

// Rounds added entries, |a|, |b| <= 1, to floats joined as above; those of float16 are not rounded yet, which
// is left to who stores them, but rounding them is. Lanes of Far have an order of their own.
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
      return FarIn(WordsOf<false, kInterleaved>(a_biased, b_biased), far);
    }
    entries = ToNearestFloats<kInterleaved>(a, b);
    const WordVec low = WordsOf<false, true>(hn::BitCast(du, a), hn::BitCast(du, b));
    return FarIn(hn::Add(low, hn::Set(dw, static_cast<std::uint32_t>(kBias))), far);
  } else {
    entries = kIsAvx512 ? TruncatedFloats<kInterleaved>(hn::BitCast(du, a), hn::BitCast(du, b))
                        : ToNearestFloats<kInterleaved>(a, b);
    // A midpoint is a float: the entry is near it if the float is that, or, rounded toward zero, the one
    // before.
    const auto biased = hn::Add(hn::BitCast(dw, entries), hn::Set(dw, kHalfPlace<kFormat> + 1));
    if constexpr (kFormat == POSENC_BF16) {
      entries = hn::BitCast(Entries(), hn::And(biased, hn::Set(dw, ~(2 * kHalfPlace<kFormat> - 1))));
    }
    return FarIn(biased, hn::Set(dw, 2 * kHalfPlace<kFormat> - 2));
  }
}

// The smaller magnitudes.
HWY_INLINE EntryVec Least(EntryVec a, EntryVec b) {
  return SizeAmong<false, false>(SizeOf<false>(a), SizeOf<false>(b));
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_FORMAT_INL_H_
