// All that differs between targets: what a target has, its vectors, and the operations that each target does
// in its own way. No other kernel asks for its target. There is one exception: SCALAR, whose vectors have one
// lane, does not have all loops. Included once per target.
#if defined(POSENC_SRC_KERNEL_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_SIMD_INL_H_
#undef POSENC_SRC_KERNEL_SIMD_INL_H_
#else
#define POSENC_SRC_KERNEL_SIMD_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/targets.h"
#include "number/compiler.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What the target has.
constexpr bool kHasVectors = HWY_TARGET != HWY_SCALAR;
constexpr bool kHasFma = HWY_NATIVE_FMA;
constexpr bool kHasSse4 = HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4;  // SSE4 or better
constexpr bool kHasFloat16 =
    HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;                          // conversions of float16 by instructions
constexpr bool kHasAvx512 = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;  // operations under masks
constexpr bool kHasVbmi2 = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL;  // shifts of two words as one

using Doubles = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<Doubles>;
using Longs = hn::ScalableTag<std::uint64_t>;
using LongVec = hn::Vec<Longs>;
using Floats = hn::Rebind<float, Doubles>;  // one lane for each lane of Doubles
using FloatVec = hn::Vec<Floats>;
using Words = hn::ScalableTag<std::uint32_t>;  // two lanes for each lane of Doubles, if there are vectors
using WordVec = hn::Vec<Words>;
using SignedWords = hn::RebindToSigned<Words>;
using Entries = hn::ScalableTag<float>;  // one lane for each lane of Words
using EntryVec = hn::Vec<Entries>;

// The bits of a vector of floats, as words of 32 bits.
template <class DF>
using WordsAs = hn::Vec<hn::RebindToUnsigned<DF>>;

// Room for any vector. (hn::MaxLanes of Highway 1.0.3 is too small for half a vector on SVE_256 and SVE2_128.
// On RISC-V it is more than a stack should hold.)
template <class D>
constexpr std::size_t kMaxLanes = HWY_MIN(hn::MaxLanes(D()), kMaxVectorBytes / sizeof(hn::TFromD<D>));

// Rounds to nearest. What is too large becomes infinity. (Highway's SCALAR stops at the largest float.)
HWY_INLINE FloatVec ToFloats(DoubleVec v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Floats(), static_cast<float>(hn::GetLane(v)));
#else
  return hn::DemoteTo(Floats(), v);
#endif
}

// Whether products and sums keep the lower 16 bits of NaNs 0, if they are 0 in all NaNs among the operands.
// WebAssembly leaves these bits open.
constexpr bool kKeepsShortNans = !HWY_ARCH_WASM;

// (a + b + 1) / 2 in vectors of 16 bits, rounded down. AverageRound of Highway 1.0.3 is wrong where the
// length of vectors is known at run time only: the sum overflows, or the caller's rounding mode decides.
template <class D16>
HWY_INLINE hn::Vec<D16> RoundedMean(D16 /*d16*/, hn::Vec<D16> a, hn::Vec<D16> b) {
#if HWY_HAVE_SCALABLE
  return hn::Sub(hn::Or(a, b), hn::ShiftRight<1>(hn::Xor(a, b)));
#else
  return hn::AverageRound(a, b);
#endif
}

// c - a * b. On POWER and z/Architecture hn::NegMulAdd is -(a * b - c), whose zeros have the other sign.
template <class V>
HWY_INLINE V MinusProduct(V a, V b, V c) {
#if HWY_ARCH_PPC || HWY_ARCH_S390X
  return hn::MulAdd(hn::Neg(a), b, c);
#else
  return hn::NegMulAdd(a, b, c);
#endif
}

// c + a * b in float, or c - a * b. On POWER GCC takes vmaddfp, for which subnormal floats are zeros.
template <bool kMinus>
HWY_INLINE EntryVec PlusProduct(EntryVec a, EntryVec b, EntryVec c) {
#if HWY_ARCH_PPC
  return kMinus ? hn::Sub(c, hn::Mul(a, b)) : hn::Add(c, hn::Mul(a, b));
#else
  return kMinus ? MinusProduct(a, b, c) : hn::MulAdd(a, b, c);
#endif
}

// The low halves of words below 2^16. (Saturates; TruncateTo of Highway 1.0.3 is wrong for part of a vector.)
template <class DF>
HWY_INLINE hn::Vec<hn::Rebind<std::uint16_t, DF>> NarrowTo16(DF /*df*/, hn::Vec<hn::RebindToUnsigned<DF>> v) {
  return hn::DemoteTo(hn::Rebind<std::uint16_t, DF>(), hn::BitCast(hn::RebindToSigned<DF>(), v));
}

// Stores a vector, past the caches if `stream` is set and the vector has at least 16 bytes.
template <class D>
HWY_INLINE void StoreVector(D d, hn::Vec<D> v, hn::TFromD<D>* to, [[maybe_unused]] bool stream) {
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) >= 16) {
    if (stream) return hn::Stream(v, d, to);
  }
  hn::StoreU(v, d, to);
}

// Stores [s0 c0 s1 c1 ...].
HWY_INLINE void StoreInterleavedDoubles(DoubleVec s, DoubleVec c, double* to, [[maybe_unused]] bool stream) {
  const Doubles d;
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
  hn::StoreInterleaved2(s, c, d, to);
#else
  DoubleVec lower = hn::InterleaveLower(d, s, c), upper = hn::InterleaveUpper(d, s, c);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  lower.raw = _mm512_permutex2var_pd(s.raw, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), c.raw);
  upper.raw = _mm512_permutex2var_pd(s.raw, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), c.raw);
#else
  static_assert(hn::MaxLanes(Doubles()) <= 4, "blocks of 128 bits, two at most");
  if constexpr (hn::MaxLanes(Doubles()) == 4) {
    const DoubleVec blocks = lower;
    lower = hn::ConcatLowerLower(d, upper, blocks);
    upper = hn::ConcatUpperUpper(d, upper, blocks);
  }
#endif
  StoreVector(d, lower, to, stream);
  StoreVector(d, upper, to + hn::Lanes(d), stream);
#endif
}

// The lanes of [first second] with even numbers, or the lanes with odd numbers.
HWY_INLINE EntryVec EveryOther(bool odd, EntryVec first, EntryVec second) {
#if HWY_TARGET == HWY_SCALAR
  return !odd ? first : second;
#else
  return !odd ? hn::ConcatEven(Entries(), second, first) : hn::ConcatOdd(Entries(), second, first);
#endif
}

// The upper or the lower half of a vector. On SCALAR both are the vector itself.
template <bool kUpper>
HWY_INLINE FloatVec HalfOf(EntryVec v) {
#if HWY_TARGET == HWY_SCALAR
  return v;
#else
  return kUpper ? hn::UpperHalf(Floats(), v) : hn::LowerHalf(Floats(), v);
#endif
}

// [a0 b0 a1 b1 ...] if interleaved, else [a0 a1 ... b0 b1 ...]. SCALAR, which has one lane, then keeps a.
template <bool kInterleaved>
HWY_INLINE EntryVec Join(FloatVec a, [[maybe_unused]] FloatVec b) {
#if HWY_TARGET == HWY_SCALAR
  return a;
#else
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
#endif
}

// [h0 h0 h1 h1 ...] or [l0 l0 l1 l1 ...] of the high and low words of 64-bit lanes.
template <bool kHigh>
HWY_INLINE WordVec DupWords(WordVec pairs) {
#if HWY_TARGET == HWY_SCALAR
  return pairs;
#else
  return kHigh != kBigEndian ? hn::DupOdd(pairs) : hn::DupEven(pairs);
#endif
}

// The high or the low words of the lanes of a and b: [a0 b0 a1 b1 ...] if interleaved, else [a0 a1 ... b0 b1
// ...]. Without AVX-512 the order depends on the target; it is the same for high and for low words.
template <bool kHigh, bool kInterleaved>
HWY_INLINE WordVec WordsOf(LongVec a, LongVec b) {
  const Words dw;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  const EntryVec af = hn::BitCast(Entries(), a), bf = hn::BitCast(Entries(), b);
#if HWY_TARGET <= HWY_AVX3
  if constexpr (!kInterleaved) {
    return kHigh ? hn::ConcatOdd(dw, hn::BitCast(dw, b), hn::BitCast(dw, a))
                 : hn::ConcatEven(dw, hn::BitCast(dw, b), hn::BitCast(dw, a));
  } else if constexpr (kHigh) {
    return hn::BitCast(dw, EntryVec{_mm512_mask_movehdup_ps(bf.raw, 0x5555, af.raw)});
  } else {
    return hn::BitCast(dw, EntryVec{_mm512_mask_moveldup_ps(af.raw, 0xAAAA, bf.raw)});
  }
#elif HWY_TARGET == HWY_AVX2
  return hn::BitCast(dw, EntryVec{_mm256_shuffle_ps(af.raw, bf.raw, kHigh ? 0xDD : 0x88)});
#else
  return hn::BitCast(dw, EntryVec{_mm_shuffle_ps(af.raw, bf.raw, kHigh ? 0xDD : 0x88)});
#endif
#else
  const WordVec a_words = hn::BitCast(dw, a), b_words = hn::BitCast(dw, b);
  if (kHigh != kBigEndian) return hn::OddEven(b_words, DupWords<kHigh>(a_words));
  return hn::OddEven(DupWords<kHigh>(b_words), a_words);
#endif
}

// The high word of (high : low) << kCount, two words taken as one number.
template <int kCount>
HWY_INLINE WordVec ShiftLeftTogether(WordVec high, WordVec low) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
  return WordVec{_mm512_shldi_epi32(high.raw, low.raw, kCount)};
#else
  return hn::Or(hn::ShiftLeft<kCount>(high), hn::ShiftRight<32 - kCount>(low));
#endif
}

// SwapByQuadrant of joined entries: returns [sine cosine ...] of quadrant + r quarter turns, from [s c ...]
// of r.
HWY_INLINE EntryVec SwapEntries(LongVec quadrant, EntryVec entries) {
  const Entries df;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  alignas(64) static constexpr std::uint64_t kSigns[8] = {
      0, 0x8000000000000000u, 0x8000000080000000u, 0x80000000u,
      0, 0x8000000000000000u, 0x8000000080000000u, 0x80000000u};
  const Longs du;
  const auto pairs = hn::BitCast(du, entries);
  const auto is_odd = hn::TestBit(quadrant, hn::Set(du, 1));
  const LongVec turned{_mm512_mask_ror_epi64(pairs.raw, is_odd.raw, pairs.raw, 32)};
  const LongVec signs{_mm512_permutexvar_epi64(quadrant.raw, hn::Load(du, kSigns).raw)};
  return hn::BitCast(df, hn::Xor(turned, signs));
#else
  const Words dw;
  const auto both = DupWords<false>(hn::BitCast(dw, quadrant));
  const auto is_odd = kHasSse4
                          ? hn::MaskFromVec(hn::BitCast(df, hn::ShiftLeft<31>(both)))  // looks at sign bits
                          : hn::RebindMask(df, hn::TestBit(both, hn::Set(dw, 1)));
  const auto turned = hn::IfThenElse(is_odd, hn::Reverse2(df, entries), entries);
  const auto second = hn::And(hn::Iota(dw, 0), hn::Set(dw, 1));
  const auto signs = hn::And(hn::ShiftLeft<30>(hn::Add(both, second)), hn::Set(dw, 0x80000000u));
  return hn::Xor(turned, hn::BitCast(df, signs));
#endif
}

// What MagnitudeAmong takes: magnitudes, or the numbers themselves where it disregards their signs.
template <bool kNoticesNans>
HWY_INLINE EntryVec SizeOf(EntryVec v) {
  return kHasAvx512 && !kNoticesNans ? v : hn::Abs(v);
}

// The larger or the smaller of two sizes. If one is a NaN, the result may be either of them. With
// kNoticesNans either the larger or the smaller one is the NaN.
template <bool kNoticesNans, bool kLarger>
HWY_INLINE EntryVec MagnitudeAmong(EntryVec a, EntryVec b) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (kNoticesNans) {  // of a NaN and a number the second
    return EntryVec{kLarger ? _mm512_max_ps(b.raw, a.raw) : _mm512_min_ps(a.raw, b.raw)};
  }
  return EntryVec{_mm512_range_ps(a.raw, b.raw, kLarger ? 0b1011 : 0b1010)};
#else
  if constexpr (kNoticesNans) {
    const hn::RebindToSigned<Entries> di;
    const auto a_bits = hn::BitCast(di, a), b_bits = hn::BitCast(di, b);
    return hn::BitCast(Entries(), kLarger ? hn::Max(a_bits, b_bits) : hn::Min(a_bits, b_bits));
  } else {
    return kLarger ? hn::Max(a, b) : hn::Min(a, b);
  }
#endif
}

// The result of a rounding test. With AVX-512 it is a mask of the lanes that are decided from a midpoint.
// Without, it is words, which are 0 near a midpoint and otherwise below 2^31.
using Decided = std::conditional_t<kHasAvx512, hn::Mask<Words>, WordVec>;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

// OutsideWindow tests words, all `bits` of which are 0 near a midpoint. BothDecided returns the lanes that
// two tests find decided.
HWY_INLINE Decided OutsideWindow(WordVec words, WordVec bits) {
  return {_mm512_test_epi32_mask(words.raw, bits.raw)};
}
HWY_INLINE Decided BothDecided(Decided a, Decided b) { return hn::And(a, b); }
HWY_INLINE Decided BothOutsideWindow(WordVec a, WordVec b, WordVec bits) {
  return {_mm512_mask_test_epi32_mask(OutsideWindow(a, bits).raw, b.raw, bits.raw)};
}

// DecidedIfGreater returns the decided lanes in which a > b, and DecidedIfNone those in which no bit of
// `bits` is set in `words`.
HWY_INLINE hn::Mask<Entries> DecidedIfGreater(Decided decided, EntryVec a, EntryVec b) {
  return {_mm512_mask_cmp_ps_mask(decided.raw, a.raw, b.raw, _CMP_GT_OQ)};  // no NaN is
}
HWY_INLINE hn::Mask<Entries> DecidedIfGreater(Decided decided, hn::Vec<SignedWords> a,
                                              hn::Vec<SignedWords> b) {
  return {_mm512_mask_cmpgt_epi32_mask(decided.raw, a.raw, b.raw)};
}
HWY_INLINE hn::Mask<Entries> DecidedIfNone(Decided decided, WordVec words, WordVec bits) {
  return {_mm512_mask_testn_epi32_mask(decided.raw, words.raw, bits.raw)};
}

// Whether a lane is not decided, or has an entry below the limit: `least` has the smallest entries.
HWY_INLINE bool AnyUndecidedEntry(Decided decided, EntryVec least, EntryVec limit) {
  const auto words = hn::BitCast(Words(), least), limits = hn::BitCast(Words(), limit);
  return _mm512_mask_cmpge_epu32_mask(decided.raw, words.raw, limits.raw) != 0xFFFF;
}

// AnyBit: whether any of `words` has one of `bits`. AnyBitTieOrNan: whether that holds, or the lower half of
// any word is the lower half of `tie`, or any number is a NaN.
HWY_INLINE bool AnyBit(WordVec words, WordVec bits) { return OutsideWindow(words, bits).raw != 0; }
HWY_INLINE bool AnyBitTieOrNan(WordVec words, WordVec bits, WordVec halves, WordVec tie, EntryVec numbers) {
  const unsigned have = OutsideWindow(words, bits).raw;
  const unsigned ties = _mm512_cmpeq_epi16_mask(halves.raw, tie.raw);  // upper halves too
  const unsigned nans = _mm512_cmp_ps_mask(numbers.raw, numbers.raw, _CMP_UNORD_Q);
  return (have | ties | nans) != 0;
}

#else  // the same without AVX-512

HWY_INLINE Decided OutsideWindow(WordVec words, WordVec bits) { return hn::And(words, bits); }
HWY_INLINE Decided BothDecided(Decided a, Decided b) { return hn::Min(a, b); }
HWY_INLINE Decided BothOutsideWindow(WordVec a, WordVec b, WordVec bits) {
  return BothDecided(OutsideWindow(a, bits), OutsideWindow(b, bits));
}

HWY_INLINE hn::Mask<Entries> DecidedIfGreater(Decided decided, EntryVec a, EntryVec b) {
  return hn::AndNot(hn::RebindMask(Entries(), hn::Eq(decided, hn::Zero(Words()))), hn::Gt(a, b));
}
HWY_INLINE hn::Mask<Entries> DecidedIfGreater(Decided decided, hn::Vec<SignedWords> a,
                                              hn::Vec<SignedWords> b) {
  const auto is_near = hn::Eq(hn::BitCast(SignedWords(), decided), hn::Zero(SignedWords()));
  return hn::RebindMask(Entries(), hn::AndNot(is_near, hn::Gt(a, b)));
}
HWY_INLINE hn::Mask<Entries> DecidedIfNone(Decided decided, WordVec words, WordVec bits) {
  const auto zero = hn::Zero(Words());
  return hn::RebindMask(Entries(), hn::And(hn::Ne(decided, zero), hn::Eq(hn::And(words, bits), zero)));
}

HWY_INLINE bool AnyUndecidedEntry(Decided decided, EntryVec least, EntryVec limit) {
  const Words dw;
  const auto is_small = hn::Sub(hn::BitCast(dw, least), hn::BitCast(dw, limit));  // negative, as is the next
  const auto is_near = hn::Sub(decided, hn::Set(dw, 1));
  const auto is_undecided = hn::Or(is_near, is_small);
  if constexpr (kHasSse4)
    return !hn::AllFalse(Entries(), hn::MaskFromVec(hn::BitCast(Entries(), is_undecided)));
  const hn::RebindToSigned<Words> di;
  return !hn::AllFalse(di, hn::Lt(hn::BitCast(di, is_undecided), hn::Zero(di)));
}

HWY_INLINE bool AnyBit(WordVec words, WordVec bits) {
  return !hn::AllTrue(Words(), hn::Eq(hn::And(words, bits), hn::Zero(Words())));
}
template <class Half = std::uint16_t>  // a template, as SCALAR has no vectors of halves
HWY_INLINE bool AnyBitTieOrNan(WordVec words, WordVec bits, WordVec halves, WordVec tie, EntryVec numbers) {
  const Entries df;
  const Words dw;
  const hn::Repartition<Half, Words> d16;
  const auto is_tie =
      hn::BitCast(dw, hn::VecFromMask(d16, hn::Eq(hn::BitCast(d16, halves), hn::BitCast(d16, tie))));
  const auto is_nan = hn::Not(hn::Eq(numbers, numbers));  // hn::Ne is false of NaNs on some targets
  const auto undecided = hn::Or(hn::ShiftLeft<16>(is_tie), hn::BitCast(dw, hn::VecFromMask(df, is_nan)));
  return AnyBit(hn::Or(words, undecided), bits);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_SIMD_INL_H_
