// Rotation of a token's heads in float arithmetic (POSENC_FAST). Included once per target.
//
//   x = a c - b s, y = b c + a s
//
// c and s are G cos and G sin of the token's angle, G the gain, each rounded once to float. Products and sum
// round to float: no FMA is used, so that all targets give the same bits. For results of 16-bit types the
// float is rounded once more.
//
// Error before that: kMaxFastUlp (2 ulps) of hypot(a, b) if G is 1, else kMaxScaledFastUlp (3 ulps) of G
// hypot(a, b); both constants are in posenc/accuracy.h, and proof/rotation.md argues them.
// Worst known of 4 * 10^7 random inputs and 2 * 10^7 beside the worst of these:
//
//   1.91 ulps, G = 1  a = 0x1.a7444cp-1, b = 0x1.2007e2p-1, angle 22795 * 0x1.bc2e7c9ef3eb4p-1 quarter turns:
//                     x is 0x1.fff67p-1, want 0x1.fff673d40a374p-1
//   2.22 ulps         a = 0x1.5fa876p-1, b = 0x1.20e44ap-1, angle 94 * 0x1.9c5bb75246d1fp-1,
//                     G = 0x1.1ffef0cc2b9dcp0: x is 0x1.f2e7fcp-1, want 0x1.f2e7f7900343cp-1
#if defined(POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernel/pairs-inl.h"
#include "number/cache_size.h"
#include "number/memory_thresholds.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rotates one vector of pairs; half-split elements are `apart`. Cosines and sines [lanes].
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
HWY_INLINE void RotateVectorFast(const ElementOf<kFrom>* from, ElementOf<kTo>* to, std::size_t apart,
                                 const float* cosines, const float* sines) {
  const hn::ScalableTag<float> df;
  hn::Vec<hn::ScalableTag<float>> a, b;
  LoadPairs<kFrom, kPairing>(df, from, apart, a, b);
  const auto cosine = hn::LoadU(df, cosines), sine = hn::LoadU(df, sines);
  const auto x = hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine));
  const auto y = hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine));
  StoreElements<kTo, kPairing>(df, RoundPlainly<kTo>(df, x), RoundPlainly<kTo>(df, y), to, apart);
}

// Consecutive heads of a token: `count` of them, from head `begin` on.
struct HeadGroup {
  std::size_t begin, count;
};

// Rotates the pairs from `first` on of a group of heads, a vector at a time; the last ones of a head in a
// buffer.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
HWY_NOINLINE void RotateRestFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                                 const Heads& heads, HeadGroup group, std::size_t first) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>()), pairs = heads.pairs;
  for (std::size_t h = group.begin; h < group.begin + group.count; ++h) {
    const Head<kFrom, kTo> head(heads, h);
    std::size_t i = first;
    for (; i + lanes <= pairs; i += lanes) {
      RotateVectorFast<kFrom, kTo, kPairing>(head.source + i * kStep<kPairing>,
                                             head.data + i * kStep<kPairing>, heads.apart, cosines + i,
                                             sines + i);
    }
    if (i == pairs) continue;
    LastPairs<kFrom, kTo, kPairing, hn::ScalableTag<float>> last;
    last.Read(head.source, i, pairs, heads.apart);
    RotateVectorFast<kFrom, kTo, kPairing>(last.elements, last.Results(), lanes, cosines + i, sines + i);
    last.Write(head.data, i, pairs, heads.apart);
  }
}

#if HWY_TARGET != HWY_SCALAR

// One step of RotateStrip: the pairs that two vectors of cosines and two of sines rotate. The layout of these
// vectors follows the layout of the elements:
//
//   half-split           first = pairs i .. i + lanes - 1, second = the next ones
//   half-split bfloat16  a 32-bit word holds two pairs: first = those in the low halves, second = the others
//   neighbours           [c c c' c' ...] and [-s s -s' s' ...]: element * cosine + its neighbour * sine
//   neighbours bfloat16  a 32-bit word holds one pair: as half-split
//
// kIsNear: elements are in the core's own caches. There a load of a whole vector is the fastest (LoadHalves).
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, bool kIsNear>
struct FastStep {
  static constexpr bool kIsInPlace = kPairing == POSENC_NEIGHBOURS && kFrom != POSENC_BF16;
  static constexpr bool kIsOfWords = kFrom == POSENC_BF16;

  static HWY_INLINE std::size_t Pairs() { return hn::Lanes(Entries()) * (kIsInPlace ? 1 : 2); }

  static HWY_INLINE void LoadCosines(const float* from, EntryVec& first, EntryVec& second) {
    const Entries df;
    if constexpr (kIsInPlace) {
      first = Twice(from);
      second = Twice(from + hn::Lanes(df) / 2);
    } else if constexpr (kIsOfWords && kPairing == POSENC_HALF_SPLIT) {
      kBigEndian ? hn::LoadInterleaved2(df, from, second, first)
                 : hn::LoadInterleaved2(df, from, first, second);
    } else {
      first = hn::LoadU(df, from);
      second = hn::LoadU(df, from + hn::Lanes(df));
    }
  }

  static HWY_INLINE void LoadSines(const float* from, EntryVec& first, EntryVec& second) {
    LoadCosines(from, first, second);
    if constexpr (kIsInPlace) {
      first = hn::OddEven(first, hn::Neg(first));
      second = hn::OddEven(second, hn::Neg(second));
    }
  }

  static HWY_INLINE void Rotate(const ElementOf<kFrom>* from, ElementOf<kTo>* to, std::size_t apart,
                                EntryVec c0, EntryVec s0, EntryVec c1, EntryVec s1) {
    const std::size_t lanes = hn::Lanes(Entries());
    if constexpr (kIsOfWords) {
      RotateWords(from, to, kPairing == POSENC_HALF_SPLIT ? apart : 2 * lanes, c0, s0, c1, s1);
    } else if constexpr (kTo == POSENC_BF16) {
      RotateToBFloat16(from, to, apart, c0, s0, c1, s1);
    } else {
      RotateVector(from, to, apart, c0, s0);
      RotateVector(from + lanes, to + lanes, apart, c1, s1);
    }
  }

 private:
  // Each number twice: [t t t' t' ...].
  static HWY_INLINE EntryVec Twice(const float* sin_cos) {
    const Entries df;
    const Longs du;
    const hn::Rebind<float, Longs> half;
    const hn::RebindToUnsigned<decltype(half)> half_words;
    const auto words = hn::PromoteTo(du, hn::BitCast(half_words, hn::LoadU(half, sin_cos)));
    return kBigEndian ? hn::DupOdd(hn::BitCast(df, words)) : hn::DupEven(hn::BitCast(df, words));
  }

  // One vector of cosines: its pairs, in one vector of neighbours or in two of half-split elements.
  static HWY_INLINE void RotateVector(const ElementOf<kFrom>* from, ElementOf<kTo>* to, std::size_t apart,
                                      EntryVec cosine, EntryVec sine) {
    const Entries df;
    const auto a = Load(from);
    if constexpr (kIsInPlace) {
      Store(hn::Add(hn::Mul(a, cosine), hn::Mul(hn::Reverse2(df, a), sine)), to);
    } else {
      const auto b = Load(from + apart);
      Store(hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine)), to);
      Store(hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine)), to + apart);
    }
  }

  static HWY_INLINE EntryVec Load(const ElementOf<kFrom>* from) {
    return kIsNear ? LoadAsFloat<kFrom>(Entries(), from) : LoadHalves<kFrom>(Entries(), from);
  }

  static HWY_INLINE void Store(EntryVec v, ElementOf<kTo>* to) {
    StoreLanes(WriteOperation<kTo>(), Entries(), v, nullptr, to, false);
  }

  // Float32 that becomes bfloat16: both vectors of cosines at once, because results of two vectors fill one.
  static HWY_INLINE void RotateToBFloat16(const float* from, std::uint16_t* to, std::size_t apart,
                                          EntryVec c0, EntryVec s0, EntryVec c1, EntryVec s1) {
    const Entries df;
    const std::size_t lanes = hn::Lanes(df);
    const auto a0 = Load(from), a1 = Load(from + lanes);
    if constexpr (kIsInPlace) {
      const auto first = hn::Add(hn::Mul(a0, c0), hn::Mul(hn::Reverse2(df, a0), s0));
      const auto second = hn::Add(hn::Mul(a1, c1), hn::Mul(hn::Reverse2(df, a1), s1));
      if (HWY_LIKELY(IsNumber(hn::Add(first, second)))) {
        StoreBoth<false>(first, second, to);
      } else {
        StoreBoth<true>(first, second, to);
      }
    } else {
      const auto b0 = Load(from + apart), b1 = Load(from + apart + lanes);
      const auto x0 = hn::Sub(hn::Mul(a0, c0), hn::Mul(b0, s0)),
                 x1 = hn::Sub(hn::Mul(a1, c1), hn::Mul(b1, s1));
      const auto y0 = hn::Add(hn::Mul(b0, c0), hn::Mul(a0, s0)),
                 y1 = hn::Add(hn::Mul(b1, c1), hn::Mul(a1, s1));
      if (HWY_LIKELY(IsNumber(hn::Add(hn::Add(x0, x1), hn::Add(y0, y1))))) {
        StoreBoth<false>(x0, x1, to);
        StoreBoth<false>(y0, y1, to + apart);
      } else {
        StoreBoth<true>(x0, x1, to);
        StoreBoth<true>(y0, y1, to + apart);
      }
    }
  }

  // Whether a sum of results has no NaN. If so, no result is a NaN.
  static HWY_INLINE bool IsNumber(EntryVec sum) { return hn::AllTrue(Entries(), hn::Eq(sum, sum)); }

  // Rounds two vectors to bfloat16 and stores them, one behind the other.
  template <bool kMayBeNans>
  static HWY_INLINE void StoreBoth(EntryVec first, EntryVec second, std::uint16_t* to) {
    [[maybe_unused]] const hn::Repartition<std::uint16_t, Words> d16;
    if constexpr (kMayBeNans) {
      first = WithShortNans(first);
      second = WithShortNans(second);
    }
    if constexpr (kHasAvx512) {
      const auto a = hn::BitCast(d16, first), b = hn::BitCast(d16, second);
      hn::StoreU(RoundUpper(hn::ConcatOdd(d16, b, a), hn::ConcatEven(d16, b, a)), d16, to);
    } else {  // on other targets ConcatOdd and ConcatEven take four operations each
      StoreUpperHalves(RoundHigh(first), RoundHigh(second), to);
    }
  }

  // Rounds to the nearest bfloat16, ties to even, in the high half of each word; the low half is arbitrary.
  // The lower 16 bits of NaNs must be 0.
  static HWY_INLINE WordVec RoundHigh(EntryVec v) {
    const Words dw;
    const auto bits = hn::BitCast(dw, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(dw, 1));
    return hn::Add(bits, hn::Add(odd, hn::Set(dw, 0x7FFF)));
  }

  // Bfloat16: two vectors of words, `apart` elements apart, and the pairs in them.
  static HWY_INLINE void RotateWords(const std::uint16_t* from, std::uint16_t* to, std::size_t apart,
                                     EntryVec c0, EntryVec s0, EntryVec c1, EntryVec s1) {
    constexpr bool kIsSplit = kPairing == POSENC_HALF_SPLIT;
    const Words dw;
    const hn::Repartition<std::uint16_t, Words> d16;
    const auto first = hn::BitCast(dw, hn::LoadU(d16, from));
    const auto second = hn::BitCast(dw, hn::LoadU(d16, from + apart));
    const EntryVec low0 = LowHalves(first), high0 = HighHalves(first);
    const EntryVec low1 = LowHalves(second), high1 = HighHalves(second);
    const EntryVec a0 = !kIsSplit && kBigEndian ? high0 : low0, b0 = kIsSplit     ? low1
                                                                     : kBigEndian ? low0
                                                                                  : high0;
    const EntryVec a1 = kIsSplit     ? high0
                        : kBigEndian ? high1
                                     : low1,
                   b1 = !kIsSplit && kBigEndian ? low1 : high1;
    const EntryVec x0 = hn::Sub(hn::Mul(a0, c0), hn::Mul(b0, s0)),
                   y0 = hn::Add(hn::Mul(b0, c0), hn::Mul(a0, s0));
    const EntryVec x1 = hn::Sub(hn::Mul(a1, c1), hn::Mul(b1, s1)),
                   y1 = hn::Add(hn::Mul(b1, c1), hn::Mul(a1, s1));
    if constexpr (kIsSplit) {
      StoreWords(x0, x1, y0, y1, to, to + apart);
    } else if constexpr (kBigEndian) {
      StoreWords(y0, x0, y1, x1, to, to + apart);
    } else {
      StoreWords(x0, y0, x1, y1, to, to + apart);
    }
  }

  // The bfloat16 in the low, or the high, halves of words, as floats.
  static HWY_INLINE EntryVec LowHalves(WordVec words) {
    return hn::BitCast(Entries(), hn::ShiftLeft<16>(words));
  }
  static HWY_INLINE EntryVec HighHalves(WordVec words) {
    return hn::BitCast(Entries(), hn::And(words, hn::Set(Words(), 0xFFFF0000u)));
  }

  static HWY_INLINE void StoreWords(EntryVec low0, EntryVec high0, EntryVec low1, EntryVec high1,
                                    std::uint16_t* to0, std::uint16_t* to1) {
    const hn::Repartition<std::uint16_t, Words> d16;
    hn::StoreU(RoundToHalves(low0, high0), d16, to0);
    hn::StoreU(RoundToHalves(low1, high1), d16, to1);
  }

  // Rounds floats to bfloat16: words with `low` in their low halves, and `high` in their high ones. NaNs stay
  // NaNs, because their lower 16 bits are 0. (The elements are bfloat16, and no cosine or sine is a NaN.)
  static HWY_INLINE auto RoundToHalves(EntryVec low, EntryVec high) {
    const Words dw;
    if constexpr (!kKeepsShortNans) {
      low = WithShortNans(low);
      high = WithShortNans(high);
    }
    const WordVec lows = hn::BitCast(dw, low), highs = hn::BitCast(dw, high);
    return RoundUpper(Halves(highs, hn::ShiftRight<16>(lows)), Halves(hn::ShiftLeft<16>(highs), lows));
  }

  // The nearest bfloat16, ties to even, of floats with these upper 16 bits and these lower ones, the rest.
  // The upper bits grow by (rest + 0x7FFF + odd) / 2^16, where odd is their last bit. This is the mean of
  // rest and 0x7FFE + odd, rounded up, divided by 2^15. The rest of a NaN must be 0.
  template <class V16>
  static HWY_INLINE V16 RoundUpper(V16 upper, V16 rest) {
    const hn::Repartition<std::uint16_t, Words> d16;
    const auto half = hn::OrAnd(hn::Set(d16, 0x7FFE), upper, hn::Set(d16, 1));
    return hn::Add(upper, hn::ShiftRight<15>(RoundedMean(d16, rest, half)));
  }

  // The high halves of some words, and the low halves of others.
  static HWY_INLINE auto Halves(WordVec high, WordVec low) {
    const hn::Repartition<std::uint16_t, Words> d16;
    const auto highs = hn::BitCast(d16, high), lows = hn::BitCast(d16, low);
    return kBigEndian ? hn::OddEven(lows, highs) : hn::OddEven(highs, lows);
  }

  // The same floats, but the lower 16 bits of NaNs are 0.
  static HWY_INLINE EntryVec WithShortNans(EntryVec v) {
    const auto nan = hn::BitCast(Entries(), hn::Set(Words(), kNanBits<POSENC_F32>));
    return hn::IfThenElse(hn::Eq(v, v), v, nan);
  }
};

// Whether RotateStrip is worth it for the type. Float16 takes so long to convert without instructions for it
// that keeping cosines and sines in registers gains nothing.
template <posenc_type kTo>
constexpr bool kHasStrips = kTo != POSENC_F16 || kHasFloat16;

// How many steps a strip has: so many that it rotates 64 pairs with AVX-512. Heads of 128 elements are then
// read and written from their first element to the last, one head after another.
template <class Step>
constexpr int kStripSteps = kHasAvx512&& Step::kIsInPlace ? 4 : 2;

// Rotates the pairs of two or four steps, from pair `first` on, of a group of heads: cosines and sines stay
// in registers.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, bool kIsNear, int kSteps>
HWY_INLINE void RotateStrip(const float* cosines, const float* sines, const Heads& heads, HeadGroup group,
                            std::size_t first) {
  using Step = FastStep<kFrom, kTo, kPairing, kIsNear>;
  constexpr bool kHasFour = kSteps == 4;
  const std::size_t step = Step::Pairs(), next = step * kStep<kPairing>;
  EntryVec c0, c1, c2, c3, s0, s1, s2, s3;
  [[maybe_unused]] EntryVec c4, c5, c6, c7, s4, s5, s6, s7;
  Step::LoadCosines(cosines + first, c0, c1);
  Step::LoadSines(sines + first, s0, s1);
  Step::LoadCosines(cosines + first + step, c2, c3);
  Step::LoadSines(sines + first + step, s2, s3);
  if constexpr (kHasFour) {
    Step::LoadCosines(cosines + first + 2 * step, c4, c5);
    Step::LoadSines(sines + first + 2 * step, s4, s5);
    Step::LoadCosines(cosines + first + 3 * step, c6, c7);
    Step::LoadSines(sines + first + 3 * step, s6, s7);
  }
  // What the loop needs is in variables. For all the compiler knows, a store might change `heads`.
  const Head<kFrom, kTo> head(heads, group.begin);
  const auto* const source = head.source + first * kStep<kPairing>;
  auto* const data = head.data + first * kStep<kPairing>;
  const std::size_t source_stride = heads.source_stride / sizeof(*source);
  const std::size_t stride = heads.stride / sizeof(*data), apart = heads.apart;
  std::size_t read = 0, written = 0;
  for (std::size_t left = group.count; left != 0; --left, read += source_stride, written += stride) {
    const auto* const from = source + read;
    auto* const to = data + written;
    Step::Rotate(from, to, apart, c0, s0, c1, s1);
    Step::Rotate(from + next, to + next, apart, c2, s2, c3, s3);
    if constexpr (kHasFour) {
      Step::Rotate(from + 2 * next, to + 2 * next, apart, c4, s4, c5, s5);
      Step::Rotate(from + 3 * next, to + 3 * next, apart, c6, s6, c7, s7);
    }
  }
}

#endif  // HWY_SCALAR

// Rotates a group of heads strip by strip, then the pairs that fill no strip.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, bool kIsNear>
HWY_INLINE void RotateGroupFast(const float* cosines, const float* sines, const Heads& heads,
                                HeadGroup group) {
  const std::size_t pairs = heads.pairs;
  std::size_t first = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kHasStrips<kTo>) {
    using Step = FastStep<kFrom, kTo, kPairing, kIsNear>;
    constexpr int kSteps = kStripSteps<Step>;
    const std::size_t strip = kSteps * Step::Pairs();
    for (; first + strip <= pairs; first += strip) {
      RotateStrip<kFrom, kTo, kPairing, kIsNear, kSteps>(cosines, sines, heads, group, first);
    }
    if (kSteps == 4 && first + strip / 2 <= pairs) {
      RotateStrip<kFrom, kTo, kPairing, kIsNear, 2>(cosines, sines, heads, group, first);
      first += strip / 2;
    }
  }
#endif
  if (first < pairs) RotateRestFast<kFrom, kTo, kPairing>(cosines, sines, heads, group, first);
}

// How many heads that no cache holds AVX-512 reads together: those with 256 pairs, but at least one. With a
// head at a time the loop takes 1.02 to 1.15 times as long, with eight heads of 128 floats 1.1 times (Zen 4).
HWY_INLINE std::size_t HeadsTogether(std::size_t pairs) { return pairs <= 128 ? 256 / pairs : 1; }

// Whether any of some floats is a NaN. `from` is readable as whole vectors.
HWY_INLINE bool HaveNans(const float* from, std::size_t count) {
  const Entries df;
  auto are_numbers = hn::Eq(hn::Zero(df), hn::Zero(df));
  for (std::size_t i = 0; i < count; i += hn::Lanes(df)) {
    const auto v = hn::LoadU(df, from + i);
    are_numbers = hn::And(are_numbers, hn::Eq(v, v));
  }
  return !hn::AllTrue(df, are_numbers);
}

// Rotates a token's heads in groups, whose size depends on where the elements are:
//
// - In the core's own caches eight heads share cosines and sines in registers (strips). With AVX-512 all
// heads
//   do, if a strip is a whole head. Otherwise each head is read once for each of its strips, and heads whose
//   distance is a multiple of 4 KB would evict each other from the L1 cache between two strips.
// - In a shared cache they do so if a strip is a whole head of 128 elements (AVX-512), or if the L1 cache has
//   48 KB (Zen 5: 1.2 to 1.3 times as fast). Otherwise heads are read one by one and prefetched, because
//   strips are read at half the rate of whole heads (Zen 3).
// - In DRAM all heads are read one by one and prefetched. AVX-512 reads some consecutive heads at a time
//   instead, and relies on the far prefetch alone, unless the heads lie apart (kTogetherStride).
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
HWY_NOINLINE void RotateFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                             const Heads& heads) {
  constexpr bool kStripIsHead = kHasAvx512;
  const bool in_strips = heads.cached == Cached::kByCore ||
                         (heads.cached == Cached::kByShared && (kStripIsHead || HasLargeFirstLevelCache()));
  const bool in_order = kStripIsHead && heads.source_stride <= kTogetherStride;
  const bool is_near = heads.cached == Cached::kByCore;
  const std::size_t in_strip = kStripIsHead && is_near && heads.pairs <= 64 ? heads.count : 8;
  const std::size_t most = in_strips ? in_strip : in_order ? HeadsTogether(heads.pairs) : 1;
  if constexpr (kFrom == POSENC_BF16) {  // the numbers of a caller's cache may be any NaNs
    if (HWY_UNLIKELY(HaveNans(cosines, heads.pairs) || HaveNans(sines, heads.pairs)))
      return RotateRestFast<kFrom, kTo, kPairing>(cosines, sines, heads, {0, heads.count}, 0);
  }
  for (std::size_t begin = 0; begin < heads.count; begin += most) {
    const HeadGroup group = {begin, HWY_MIN(heads.count - begin, most)};
    const auto* const source = Head<kFrom, kTo>(heads, begin).source;
    if (heads.cached == Cached::kNowhere) PrefetchFarAhead(source, group.count * heads.pairs);
    if (!in_strips && !in_order) PrefetchAhead<false>(source, 0, heads.pairs);
    if (kLoadsHalves<kFrom> && is_near) {
      RotateGroupFast<kFrom, kTo, kPairing, true>(cosines, sines, heads, group);
    } else {
      RotateGroupFast<kFrom, kTo, kPairing, false>(cosines, sines, heads, group);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
