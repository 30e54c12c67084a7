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

#include "number/bounds.h"
#include "number/compiler.h"
#include "hwy/highway.h"
#include "kernel/rows.h"
#include "kernel/targets.h"

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

// Room for any vector. (Of half of one hn::MaxLanes of Highway 1.0.3 is too small on SVE_256 and SVE2_128,
// and of any on RISC-V it is more than a stack should hold.)
template <class D>
constexpr std::size_t kMostLanes = HWY_MIN(hn::MaxLanes(D()), kMostVectorBytes / sizeof(hn::TFromD<D>));

// To nearest, what is too large to infinity, where Highway's portable targets stop at the largest float.
HWY_INLINE FloatVec ToFloats(DoubleVec v) {
  const Floats df;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  const Doubles d;
  HWY_ALIGN double lanes[kMostLanes<Doubles>];
  HWY_ALIGN float rounded[kMostLanes<Doubles>];
  hn::Store(v, d, lanes);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) rounded[k] = static_cast<float>(lanes[k]);
  return hn::Load(df, rounded);
#else
  return hn::DemoteTo(df, v);
#endif
}

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

#undef POSENC_JOINS_BITS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define POSENC_JOINS_BITS 1  // floats are put together from the words of two vectors of doubles
#else
#define POSENC_JOINS_BITS 0
#endif

// Whether the test of odd floats knows that zeros are exact. Else they must become less than half of the
// least bit of a float, once.
constexpr bool kPassesZeros = POSENC_JOINS_BITS;

#if HWY_TARGET != HWY_SCALAR  // which has no vectors

using Words = hn::ScalableTag<std::uint32_t>;  // twice as many lanes as Doubles
using WordVec = hn::Vec<Words>;
using Entries = hn::ScalableTag<float>;  // as many lanes as Words
using EntryVec = hn::Vec<Entries>;

#endif

// Pairs that pass a test, which both lanes of theirs say; or of theirs just one.
#if POSENC_JOINS_BITS
using PassedPairs = hn::Mask<Words>;
HWY_INLINE bool AllTrue(PassedPairs passed) { return hn::AllTrue(Words(), passed); }
#else
using PassedPairs = hn::Mask<Doubles>;
HWY_INLINE bool AllTrue(PassedPairs passed) { return hn::AllTrue(Doubles(), passed); }
#endif

#if HWY_TARGET != HWY_SCALAR

// The high or the low words of both: [a0 b0 a1 b1 ...] if interleaved, else [a0 a1 ... b0 b1 ...]; without
// POSENC_JOINS_BITS in any order, the same for both.
template <bool kHigh, bool kInterleaved>
HWY_INLINE WordVec WordsOf(LongVec a, LongVec b) {
  const Words dw;
#if POSENC_JOINS_BITS
  const EntryVec af = hn::BitCast(Entries(), a), bf = hn::BitCast(Entries(), b);
  if constexpr (!kInterleaved) {
    return kHigh ? hn::ConcatOdd(dw, hn::BitCast(dw, b), hn::BitCast(dw, a))
                 : hn::ConcatEven(dw, hn::BitCast(dw, b), hn::BitCast(dw, a));
  } else if constexpr (kHigh) {
    return hn::BitCast(dw, EntryVec{_mm512_mask_movehdup_ps(bf.raw, 0x5555, af.raw)});
  } else {
    return hn::BitCast(dw, EntryVec{_mm512_mask_moveldup_ps(af.raw, 0xAAAA, bf.raw)});
  }
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  const Entries df;
  constexpr int kImm = kHigh ? 0xDD : 0x88;
  const EntryVec af = hn::BitCast(df, a);
  const EntryVec bf = hn::BitCast(df, b);
#if HWY_TARGET == HWY_AVX2
  return hn::BitCast(dw, EntryVec{_mm256_shuffle_ps(af.raw, bf.raw, kImm)});
#else
  return hn::BitCast(dw, EntryVec{_mm_shuffle_ps(af.raw, bf.raw, kImm)});
#endif
#else
  if (kHigh != kBigEndian) return hn::OddEven(hn::BitCast(dw, b), hn::DupOdd(hn::BitCast(dw, a)));
  return hn::OddEven(hn::DupEven(hn::BitCast(dw, b)), hn::BitCast(dw, a));
#endif
}

// [a0 b0 a1 b1 ...] if interleaved, else [a0 a1 ... b0 b1 ...].
template <bool kInterleaved>
HWY_INLINE EntryVec Join(FloatVec a, FloatVec b) {
  const Entries df;
  if constexpr (!kInterleaved) return hn::Combine(df, b, a);
#if HWY_TARGET == HWY_AVX2
  alignas(32) static constexpr std::int32_t kOrder[8] = {0, 4, 1, 5, 2, 6, 3, 7};
  return hn::TableLookupLanes(hn::Combine(df, b, a), hn::SetTableIndices(df, kOrder));
#else
  const Longs du;
  const hn::Rebind<std::uint32_t, Longs> dw;
  const auto a_words = hn::PromoteTo(du, hn::BitCast(dw, a));
  const auto b_words = hn::PromoteTo(du, hn::BitCast(dw, b));
  if (kBigEndian) return hn::BitCast(df, hn::Or(hn::ShiftLeft<32>(a_words), b_words));
  return hn::BitCast(df, hn::Or(a_words, hn::ShiftLeft<32>(b_words)));
#endif
}

#if POSENC_JOINS_BITS
// The high words of (high : low) << kCount.
template <int kCount>
HWY_INLINE WordVec ShiftLeftTogether(WordVec high, WordVec low) {
#if HWY_TARGET <= HWY_AVX3_DL
  return WordVec{_mm512_shldi_epi32(high.raw, low.raw, kCount)};
#else
  return hn::Or(hn::ShiftLeft<kCount>(high), hn::ShiftRight<32 - kCount>(low));
#endif
}

// Doubles as floats, from their high and low words: rounded toward zero.
//
// The exponent field of a double, less 896 = 0b111 << 7, is that of the float, so a float's digits are 30
// bits of the double; above them both have 0 below 2, and the sign. That holds from 2^-126 on, and for 0:
// nothing else occurs, as frequencies are at least 2^-126 and sums of angles round to 0 or to more than
// 2^-107.
HWY_INLINE EntryVec FloatsOfWords(WordVec high, WordVec low) {
  const Words dw;
  const WordVec shifted = ShiftLeftTogether<3>(high, low);
  const auto digits = hn::Set(dw, 0x3FFFFFFFu);
  return hn::BitCast(Entries(), hn::Or(hn::And(shifted, digits), hn::AndNot(digits, high)));
}
#endif

// RoundDirect of both, joined: [a0 b0 a1 b1 ...]; and, of the pairs that passed so far, those that do.
template <bool kOdd, std::uint64_t kWindow>
HWY_INLINE EntryVec RoundPairs(DoubleVec a, DoubleVec b, hn::Mask<Doubles> so_far, PassedPairs& passed) {
#if POSENC_JOINS_BITS
  const Words dw;
  const Longs du;
  constexpr std::uint64_t kFar = kFarBits<POSENC_F32, kWindow>;
  const auto bias = hn::Set(du, kDirectBias<kOdd, kWindow>);
  const auto one = hn::Set(du, std::uint64_t{1023} << 52);  // near a float and a midpoint, for this
  const auto a_biased = hn::IfThenElse(hn::RebindMask(du, so_far), hn::Add(hn::BitCast(du, a), bias), one);
  const auto b_biased = hn::Add(hn::BitCast(du, b), bias);
  const WordVec high = WordsOf<true, true>(a_biased, b_biased);
  const WordVec low = WordsOf<false, true>(a_biased, b_biased);
  const EntryVec entries = FloatsOfWords(high, low);
  passed = {_mm512_test_epi32_mask(low.raw, hn::Set(dw, static_cast<std::uint32_t>(kFar)).raw)};
  if constexpr (!kOdd) return entries;
  passed = hn::Or(passed, PassedPairs{_mm512_testn_epi32_mask(high.raw, high.raw)});  // zeros
  return WithLastBit(Entries(), entries);
#else
  FloatVec a_rounded, b_rounded;
  const auto a_is_near = RoundDirect<kOdd, kWindow>(a, a_rounded);
  const auto b_is_near = RoundDirect<kOdd, kWindow>(b, b_rounded);
  passed = hn::AndNot(hn::Or(a_is_near, b_is_near), so_far);
  const auto entries = Join<true>(a_rounded, b_rounded);
  return kOdd ? WithLastBit(Entries(), entries) : entries;
#endif
}

// [sine cosine ...] of quadrant + r quarter turns from those of r: TurnByQuadrant once they are joined.
HWY_INLINE EntryVec TurnEntries(LongVec quadrant, EntryVec entries) {
  const Entries df;
  const Words dw;
#if POSENC_JOINS_BITS
  alignas(64) static constexpr std::uint64_t kSigns[8] = {
      0, 0x8000000000000000u, 0x8000000080000000u, 0x80000000u,
      0, 0x8000000000000000u, 0x8000000080000000u, 0x80000000u};
  const Longs du;
  const auto pairs = hn::BitCast(du, entries);
  const auto is_odd = hn::TestBit(quadrant, hn::Set(du, 1));
  const LongVec turned{_mm512_mask_ror_epi64(pairs.raw, is_odd.raw, pairs.raw, 32)};
  const LongVec signs{_mm512_permutexvar_epi64(quadrant.raw, hn::Load(du, kSigns).raw)};
  (void)dw;
  return hn::BitCast(df, hn::Xor(turned, signs));
#else
  const auto words = hn::BitCast(dw, quadrant);
  const auto both = kBigEndian ? hn::DupOdd(words) : hn::DupEven(words);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4 && HWY_TARGET != HWY_EMU128
  const auto is_odd = hn::MaskFromVec(hn::BitCast(df, hn::ShiftLeft<31>(both)));  // looks at sign bits
#else
  const auto is_odd = hn::RebindMask(df, hn::TestBit(both, hn::Set(dw, 1)));
#endif
  const auto turned = hn::IfThenElse(is_odd, hn::Reverse2(df, entries), entries);
  const auto second = hn::And(hn::Iota(dw, 0), hn::Set(dw, 1));
  const auto signs = hn::And(hn::ShiftLeft<30>(hn::Add(both, second)), hn::Set(dw, 0x80000000u));
  return hn::Xor(turned, hn::BitCast(df, signs));
#endif
}

// What a rounding test says of a vector of entries: the lanes far from a midpoint; or words, 0 in those near
// one, below 2^31 in the others.
#if POSENC_JOINS_BITS
using Far = hn::Mask<Words>;
HWY_INLINE Far BothFar(Far a, Far b) { return hn::And(a, b); }
HWY_INLINE Far FarIn(WordVec words, WordVec bits) { return {_mm512_test_epi32_mask(words.raw, bits.raw)}; }
#else
using Far = WordVec;
HWY_INLINE Far BothFar(Far a, Far b) { return hn::Min(a, b); }
HWY_INLINE Far FarIn(WordVec words, WordVec bits) { return hn::And(words, bits); }
#endif

// Doubles as joined floats: to nearest, or toward zero.
template <bool kInterleaved>
HWY_INLINE EntryVec ToNearestFloats(DoubleVec a, DoubleVec b) {
  return Join<kInterleaved>(hn::DemoteTo(Floats(), a), hn::DemoteTo(Floats(), b));
}
// As RoundDirect: to nearest, or to odd.
template <bool kOdd>
HWY_INLINE EntryVec ToRoundedFloats(DoubleVec a, DoubleVec b) {
  if (!kOdd) return ToNearestFloats<true>(a, b);
  return WithLastBit(Entries(), ToNearestFloats<true>(TowardZero(a), TowardZero(b)));
}
#if POSENC_JOINS_BITS
template <bool kInterleaved>
HWY_INLINE EntryVec TruncatedFloats(LongVec a, LongVec b) {
  return FloatsOfWords(WordsOf<true, kInterleaved>(a, b), WordsOf<false, kInterleaved>(a, b));
}
// Without a shift of two words at once conversions are as fast as halves put together.
template <bool kInterleaved>
constexpr bool kTruncates = kInterleaved || HWY_TARGET <= HWY_AVX3_DL;
#endif

// Rounds added entries, |a|, |b| <= 1, to floats joined as above; those of float16 are not rounded yet, which
// is left to who stores them, but rounding them is. Lanes of Far have an order of their own.
template <posenc_type kFormat, bool kInterleaved>
HWY_INLINE Far RoundAdded(DoubleVec a, DoubleVec b, EntryVec& entries) {
  const Longs du;
  const Words dw;
  if constexpr (kFormat == POSENC_F32) {
    constexpr std::uint64_t kBias = kRoundingBias<POSENC_F32, kAddedWindow>;
    const auto far = hn::Set(dw, static_cast<std::uint32_t>(kFarBits<POSENC_F32, kAddedWindow>));
#if POSENC_JOINS_BITS
    if constexpr (kTruncates<kInterleaved>) {
      const auto a_biased = hn::Add(hn::BitCast(du, a), hn::Set(du, kBias));
      const auto b_biased = hn::Add(hn::BitCast(du, b), hn::Set(du, kBias));
      entries = TruncatedFloats<kInterleaved>(a_biased, b_biased);
      return FarIn(WordsOf<false, kInterleaved>(a_biased, b_biased), far);
    }
#endif
    entries = ToNearestFloats<kInterleaved>(a, b);
    const WordVec low = WordsOf<false, true>(hn::BitCast(du, a), hn::BitCast(du, b));
    return FarIn(hn::Add(low, hn::Set(dw, static_cast<std::uint32_t>(kBias))), far);
  } else {
#if POSENC_JOINS_BITS
    entries = TruncatedFloats<kInterleaved>(hn::BitCast(du, a), hn::BitCast(du, b));
#else
    entries = ToNearestFloats<kInterleaved>(a, b);
#endif
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
#if POSENC_JOINS_BITS
  return EntryVec{_mm512_range_ps(a.raw, b.raw, 0b1010)};
#else
  return hn::Min(hn::Abs(a), hn::Abs(b));
#endif
}

// Whether the test leaves any of some entries open: one near a midpoint, or, as the smallest of them tell,
// one below the limit.
HWY_INLINE bool AnyOpen(Far far, EntryVec least, EntryVec limit) {
  const Words dw;
#if POSENC_JOINS_BITS
  const auto words = hn::BitCast(dw, least), limits = hn::BitCast(dw, limit);
  return _mm512_mask_cmpge_epu32_mask(far.raw, words.raw, limits.raw) != 0xFFFF;
#else
  const auto is_small = hn::Sub(hn::BitCast(dw, least), hn::BitCast(dw, limit));  // negative, as is the next
  const auto is_near = hn::Sub(far, hn::Set(dw, 1));
  const auto is_open = hn::Or(is_near, is_small);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  const Entries df;
  return !hn::AllFalse(df, hn::MaskFromVec(hn::BitCast(df, is_open)));  // looks at sign bits
#else
  const hn::RebindToSigned<Words> di;
  return !hn::AllFalse(di, hn::Lt(hn::BitCast(di, is_open), hn::Zero(di)));
#endif
#endif
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_FORMAT_INL_H_
