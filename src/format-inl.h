// What rounding to float, bfloat16 or float16 means: for single doubles of the direct kernel, and for pairs
// of vectors that rotation made. Rounded entries travel as floats until they are stored. Included once
// per target.
#if defined(POSENC_SRC_FORMAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_FORMAT_INL_H_
#undef POSENC_SRC_FORMAT_INL_H_
#else
#define POSENC_SRC_FORMAT_INL_H_
#endif

#include <cstdint>

#include "bounds.h"
#include "hwy/highway.h"
#include "kernels.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<Doubles>;
using Longs = hn::ScalableTag<std::uint64_t>;
using LongVec = hn::Vec<Longs>;
using Floats = hn::Rebind<float, Doubles>;  // as many lanes as Doubles
using FloatVec = hn::Vec<Floats>;

// Lanes of 32 bits, twice as many as Doubles; where there is but one lane, two share it.
#if HWY_TARGET == HWY_SCALAR
using Words = hn::ScalableTag<std::uint64_t>;
#else
using Words = hn::ScalableTag<std::uint32_t>;
#endif
using WordVec = hn::Vec<Words>;

// The bits of a double that a value of the format does not have, in its normal range.
template <ElementType kFormat>
constexpr int kDroppedBits = kFormat == kFloat32    ? 29
                             : kFormat == kBFloat16 ? 45
                                                    : 42;

// Half of the last place kept, and the window of the rounding test: adding both to the bits rounds all
// that the test lets pass, and makes the dropped bits of the others less than twice the window.
template <ElementType kFormat, std::uint64_t kWindow>
constexpr std::uint64_t kRoundingBias = (std::uint64_t{1} << (kDroppedBits<kFormat> - 1)) + kWindow;
template <ElementType kFormat, std::uint64_t kWindow>
constexpr std::uint64_t kFarBits = (std::uint64_t{1} << kDroppedBits<kFormat>)-2 * kWindow;

// The lanes of v, good to kDirectError, that might round the wrong way (Ziv's test); rounded = the others.
// Float and bfloat16 share the exponents of their normal numbers, which is all that occurs.
template <ElementType kFormat>
HWY_INLINE hn::Mask<Doubles> RoundDirect(DoubleVec v, FloatVec& rounded) {
  const Doubles d;
  const Longs du;
  const Floats df;
  const auto bits = hn::BitCast(du, v);
  if constexpr (kFormat == kFloat16) {
    // The last place is 2^-10 of the leading bit, but at least 2^-24: adding a number with just that last
    // place rounds to it.
    const auto exponent = hn::And(bits, hn::Set(du, std::uint64_t{0x7FF} << 52));
    const auto least = hn::Set(du, std::uint64_t{1023 - 14} << 52);
    const auto scale = hn::IfVecThenElse(
        hn::VecFromMask(du, hn::RebindMask(du, hn::Lt(hn::BitCast(d, exponent), hn::BitCast(d, least)))),
        least, exponent);
    const auto magic =
        hn::BitCast(d, hn::Add(scale, hn::Set(du, (std::uint64_t{42} << 52) + (std::uint64_t{1} << 51))));
    const auto nearest = hn::Sub(hn::Add(v, magic), magic);
    const auto half_ulp = hn::Mul(hn::BitCast(d, scale), hn::Set(d, 0x1p-11));
    const auto distance = hn::Abs(hn::Sub(hn::Abs(hn::Sub(v, nearest)), half_ulp));
    rounded = hn::DemoteTo(df, hn::CopySign(nearest, v));
    return hn::Le(distance, hn::Mul(hn::BitCast(d, scale), hn::Set(d, 2 * kDirectError)));
  } else {
    const auto biased = hn::Add(bits, hn::Set(du, kRoundingBias<kFormat, kDirectWindow>));
    if constexpr (kFormat == kFloat32) {
      rounded = hn::DemoteTo(df, v);
    } else {
      constexpr std::uint64_t kKept = ~((std::uint64_t{1} << kDroppedBits<kFormat>)-1);
      rounded = hn::DemoteTo(df, hn::BitCast(d, hn::And(biased, hn::Set(du, kKept))));
    }
    const auto far = hn::And(biased, hn::Set(du, kFarBits<kFormat, kDirectWindow>));
    return hn::RebindMask(d, hn::Eq(far, hn::Zero(du)));
  }
}

// The same 32 bits in every lane of Words.
HWY_INLINE WordVec SetWords(std::uint32_t bits) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Words(), (std::uint64_t{bits} << 32) | bits);
#else
  return hn::Set(Words(), bits);
#endif
}

// The lanes of v with no bit of `bits`.
HWY_INLINE hn::Mask<Words> NoneOf(WordVec v, WordVec bits) {
  const Words dw;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  (void)dw;
  return hn::Mask<Words>{_mm512_testn_epi32_mask(v.raw, bits.raw)};  // GCC 12 does not fuse And and Eq
#elif HWY_TARGET == HWY_SCALAR
  const auto both = hn::And(v, bits);
  return hn::Or(hn::Eq(hn::ShiftRight<32>(both), hn::Zero(dw)),
                hn::Eq(hn::ShiftLeft<32>(both), hn::Zero(dw)));
#else
  return hn::Eq(hn::And(v, bits), hn::Zero(dw));
#endif
}

// v + the same 32 bits in each word, without a carry between words.
HWY_INLINE WordVec AddWords(WordVec v, std::uint32_t bits) {
#if HWY_TARGET == HWY_SCALAR
  const auto low = hn::And(hn::Add(v, hn::Set(Words(), bits)), hn::Set(Words(), 0xFFFFFFFFu));
  const auto high = hn::Add(v, hn::Set(Words(), std::uint64_t{bits} << 32));
  return hn::Or(low, hn::AndNot(hn::Set(Words(), 0xFFFFFFFFu), high));
#else
  return hn::Add(v, SetWords(bits));
#endif
}

// [a0 b0 a1 b1 ...] of the high and of the low words.
HWY_INLINE void InterleaveWords(LongVec a, LongVec b, WordVec& high, WordVec& low) {
#if HWY_TARGET == HWY_SCALAR
  const auto low_word = hn::Set(Words(), 0xFFFFFFFFu);
  low = hn::Or(hn::And(a, low_word), hn::ShiftLeft<32>(b));
  high = hn::Or(hn::ShiftRight<32>(a), hn::AndNot(low_word, b));
#else
  const auto a_words = hn::BitCast(Words(), a);
  const auto b_words = hn::BitCast(Words(), b);
  high = hn::OddEven(b_words, hn::DupOdd(a_words));
  low = hn::OddEven(hn::DupEven(b_words), a_words);
#endif
}

// [a0 b0 a1 b1 ...]
HWY_INLINE WordVec InterleaveFloats(FloatVec a, FloatVec b) {
  const Longs du;
  const hn::Rebind<std::uint32_t, Longs> dw;
  const auto low = hn::PromoteTo(du, hn::BitCast(dw, a));
  const auto high = hn::ShiftLeft<32>(hn::PromoteTo(du, hn::BitCast(dw, b)));
  return hn::BitCast(Words(), hn::Or(low, high));
}

// high * 8 + the top three bits of low.
HWY_INLINE WordVec ShiftedHigh(WordVec high, WordVec low) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
  return WordVec{_mm512_shldi_epi32(high.raw, low.raw, 3)};
#elif HWY_TARGET == HWY_SCALAR
  const auto high_part = hn::And(hn::ShiftLeft<3>(high), SetWords(~7u));
  return hn::Or(high_part, hn::And(hn::ShiftRight<29>(low), SetWords(7u)));
#else
  return hn::Or(hn::ShiftLeft<3>(high), hn::ShiftRight<29>(low));
#endif
}

// Rounds rotated entries, |a|, |b| <= 1, to floats [a0 b0 a1 b1 ...] and returns the lanes near a midpoint.
//
// The exponent field of a double, less 896 = 0b111 << 7, is that of the float, so a float's digits are 30
// bits of the biased double; above them both have 0 below 2, and the sign.
template <ElementType kFormat>
HWY_INLINE hn::Mask<Words> RoundRotated(DoubleVec a, DoubleVec b, WordVec& entries) {
  const Longs du;
  const auto bias = hn::Set(du, kRoundingBias<kFormat, kRotatedWindow>);
  WordVec high, low;
  InterleaveWords(hn::Add(hn::BitCast(du, a), bias), hn::Add(hn::BitCast(du, b), bias), high, low);
  const auto digits = SetWords(0x3FFFFFFFu);
  entries = hn::Or(hn::And(ShiftedHigh(high, low), digits), hn::AndNot(digits, high));
  constexpr std::uint64_t kFar = kFarBits<kFormat, kRotatedWindow>;
  const auto near = NoneOf(low, SetWords(static_cast<std::uint32_t>(kFar)));
  if constexpr (kFormat == kFloat32) return near;
  entries = hn::And(entries, SetWords(~((1u << (kDroppedBits<kFormat> - 29)) - 1)));
  return hn::And(near, NoneOf(high, SetWords(static_cast<std::uint32_t>(kFar >> 32))));
}

// Has bit 30 set in the lanes in which an entry is at least 2^-kRotatedSmall.
HWY_INLINE WordVec Large(WordVec entries) {
  return AddWords(entries, (std::uint32_t{kRotatedSmall} + 1) << 23);
}

// The lanes in which bit 30 is not set.
HWY_INLINE hn::Mask<Words> NotLarge(WordVec large) { return NoneOf(large, SetWords(1u << 30)); }

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_FORMAT_INL_H_
