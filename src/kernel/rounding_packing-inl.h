// Rounding (rounding-inl.h), packing: two vectors of doubles become one vector of floats, by conversions or
// by cutting off bits. The floats are the entries of a row or the elements of heads. Included once per
// target.
#if defined(POSENC_SRC_KERNEL_ROUNDING_PACKING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROUNDING_PACKING_INL_H_
#undef POSENC_SRC_KERNEL_ROUNDING_PACKING_INL_H_
#else
#define POSENC_SRC_KERNEL_ROUNDING_PACKING_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "kernel/simd-inl.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How many low bits of a double or float (Value) are dropped when it is rounded to a normal number of the
// type.
template <class Value, posenc_type kType>
constexpr int kDroppedBits = std::numeric_limits<Value>::digits - TraitsOf(kType).digits;

// For 16-bit types the direct kernel rounds to odd floats: toward zero, then the last bit is set. An odd
// float lies on the same side as the real number of every 16-bit number and midpoint, which are even floats;
// so it rounds to these as the real number does.
constexpr bool RoundsToOdd(posenc_type format) { return format != POSENC_F32; }
constexpr std::uint64_t kLastBit = std::uint64_t{1}
                                   << kDroppedBits<double, POSENC_F32>;  // of a float, in a double

// v cut off after the last bit of a float, exactly.
HWY_INLINE DoubleVec TowardZero(DoubleVec v) {
  return hn::BitCast(Doubles(), hn::And(hn::BitCast(Longs(), v), hn::Set(Longs(), ~(kLastBit - 1))));
}

// Returns floats with the last bit set. Floats that were rounded toward zero become odd.
template <class DF>
HWY_INLINE hn::Vec<DF> WithLastBit(DF df, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  return hn::BitCast(df, hn::Or(hn::BitCast(du, v), hn::Set(du, 1)));
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

// The bits of two vectors of doubles as floats, rounded toward zero, joined.
//
// The exponent field of a double less 896 = 0b111 << 7 is the exponent field of the float: both end in the
// same 7 bits. So the low 30 bits of the float are 30 consecutive bits of the double, 3 places lower. Above
// these both have the sign and, below 2, a 0. This holds from 2^-126 to 2, and for 0. Smaller numbers become
// other numbers. But sums of angle addition are 0 or at least 2^-126, because steps that are too near to half
// turns (kMinAddedStep) are not added (proof/addition.md, "Entries below 2^-126").
template <bool kInterleaved>
HWY_INLINE EntryVec TruncatedFloats(LongVec a, LongVec b) {
  const WordVec low = WordsOf<false, kInterleaved>(a, b), high = WordsOf<true, kInterleaved>(a, b);
  const WordVec shifted = ShiftLeftTogether<3>(high, low);
  const auto digits = hn::Set(Words(), 0x3FFFFFFFu);
  return hn::BitCast(Entries(), hn::Or(hn::And(shifted, digits), hn::AndNot(digits, high)));
}

#if HWY_TARGET == HWY_SCALAR

template <posenc_type>
constexpr double kSinCosScale = 1.0;

#else

// Whether sums in double become floats by integer arithmetic on their bits ("Cut sums" in
// proof/rotation_quick.md). c and s are scaled by 2^-896, so that a double and the float have the same
// exponent field. Sums that are too large for a float become infinities or NaNs below 2^129; from there on
// they set the next bit, a float's sign.
template <posenc_type kType>
constexpr bool kCutsSums = kHasVbmi2 && (kType == POSENC_F32);
template <posenc_type kType>
constexpr double kSinCosScale = kCutsSums<kType> ? 0x1p-896 : 1.0;

// Joins the high halves of biased sums, which are rounded bfloat16, to words of two elements. The elements of
// `first` come first in memory.
HWY_INLINE WordVec JoinNeighbours(WordVec first, WordVec second) {
  const auto low = kBigEndian ? second : first, high = kBigEndian ? first : second;
  return hn::OrAnd(hn::ShiftRight<16>(low), high, hn::Set(Words(), 0xFFFF0000u));
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROUNDING_PACKING_INL_H_
