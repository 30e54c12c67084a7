// Rotation of a token's heads in the plain arithmetic of floats. Included once per target.
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

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Words of a vector of pairs in plain arithmetic.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> RoundPlainly(DF df, hn::Vec<DF> v) {
  if constexpr (kType == POSENC_F32) {
    return hn::BitCast(hn::RebindToUnsigned<DF>(), v);
  } else if constexpr (kType == POSENC_BF16) {
    return RoundToBFloat16(df, v);
  } else {
    return Float16Bits(df, v);
  }
}

template <posenc_type kType, posenc_pairing kPairing>
HWY_INLINE void RotateVectorFast(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                                 const float* cosines, const float* sines) {
  const hn::ScalableTag<float> df;
  hn::Vec<hn::ScalableTag<float>> a, b;
  LoadPairs<kType, kPairing>(df, from, apart, a, b);
  const auto cosine = hn::LoadU(df, cosines), sine = hn::LoadU(df, sines);
  const auto x = hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine));
  const auto y = hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine));
  StorePairs<kType, kPairing>(df, RoundPlainly<kType>(df, x), RoundPlainly<kType>(df, y), to, apart);
}

// Pairs from `first` on of all heads, a vector at a time.
template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void RotateRestFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                                 const Heads& heads, std::size_t first) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>()), pairs = heads.pairs;
  for (std::size_t h = 0; h < heads.count; ++h) {
    const Head<kType> head(heads, h);
    std::size_t i = first;
    for (; i + lanes <= pairs; i += lanes) {
      RotateVectorFast<kType, kPairing>(head.source + i * kStep<kPairing>, head.data + i * kStep<kPairing>,
                                        pairs, cosines + i, sines + i);
    }
    if (i == pairs) continue;
    LastPairs<kType, kPairing, hn::ScalableTag<float>> last;
    last.Read(head.source, i, pairs, pairs);
    RotateVectorFast<kType, kPairing>(last.elements, last.elements, lanes, cosines + i, sines + i);
    last.Write(head.data, i, pairs, pairs);
  }
}

#if HWY_TARGET != HWY_SCALAR

// A step of the loop: the pairs of two vectors of turns, which are laid out as the elements lie. Neighbours
// turn where they are, by [c c c' c' ...] and [-s s -s' s' ...]. Of words of two bfloat16 each half-split
// ones take the turns of the low halves, then of the high ones.
template <posenc_type kType, posenc_pairing kPairing>
struct FastStep {
  static constexpr bool kIsInPlace = kPairing == POSENC_NEIGHBOURS && kType != POSENC_BF16;
  static constexpr bool kIsOfWords = kType == POSENC_BF16;

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

  static HWY_INLINE void Rotate(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                                EntryVec c0, EntryVec s0, EntryVec c1, EntryVec s1) {
    const std::size_t lanes = hn::Lanes(Entries());
    if constexpr (kIsOfWords) {
      RotateWords(from, to, kPairing == POSENC_HALF_SPLIT ? apart : 2 * lanes, c0, s0, c1, s1);
    } else {
      RotateVector(from, to, apart, c0, s0);
      RotateVector(from + lanes, to + lanes, apart, c1, s1);
    }
  }

 private:
  // [t t t' t' ...]
  static HWY_INLINE EntryVec Twice(const float* sin_cos) {
    const Entries df;
    const Longs du;
    const hn::Rebind<float, Longs> half;
    const hn::RebindToUnsigned<decltype(half)> half_words;
    const auto words = hn::PromoteTo(du, hn::BitCast(half_words, hn::LoadU(half, sin_cos)));
    return kBigEndian ? hn::DupOdd(hn::BitCast(df, words)) : hn::DupEven(hn::BitCast(df, words));
  }

  static HWY_INLINE void RotateVector(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                                      EntryVec cosine, EntryVec sine) {
    const Entries df;
    const auto a = LoadHalves<kType>(df, from);
    if constexpr (kIsInPlace) {
      Store(hn::Add(hn::Mul(a, cosine), hn::Mul(hn::Reverse2(df, a), sine)), to);
    } else {
      const auto b = LoadHalves<kType>(df, from + apart);
      Store(hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine)), to);
      Store(hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine)), to + apart);
    }
  }

  static HWY_INLINE void Store(EntryVec v, ElementOf<kType>* to) {
    StoreLanes(WriteOperation<kType>(), Entries(), v, nullptr, to, false);
  }

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

  static HWY_INLINE EntryVec LowHalves(WordVec words) {
    return hn::BitCast(Entries(), hn::ShiftLeft<16>(words));
  }
  static HWY_INLINE EntryVec HighHalves(WordVec words) {
    return hn::BitCast(Entries(), hn::And(words, hn::Set(Words(), 0xFFFF0000u)));
  }

  // Two vectors of words; whether any is a NaN is asked once for all.
  static HWY_INLINE void StoreWords(EntryVec low0, EntryVec high0, EntryVec low1, EntryVec high1,
                                    std::uint16_t* to0, std::uint16_t* to1) {
    const Entries df;
    const Words dw;
    const hn::Repartition<std::uint16_t, Words> d16;
    const EntryVec sum = hn::Add(hn::Add(low0, high0), hn::Add(low1, high1));
    WordVec words0, words1;
    if (HWY_LIKELY(hn::AllTrue(df, hn::Eq(sum, sum)))) {
      const auto high = hn::Set(dw, 0xFFFF0000u);
      words0 = hn::OrAnd(hn::ShiftRight<16>(RoundHigh(low0)), RoundHigh(high0), high);
      words1 = hn::OrAnd(hn::ShiftRight<16>(RoundHigh(low1)), RoundHigh(high1), high);
    } else {
      words0 = hn::Or(RoundToBFloat16(df, low0), hn::ShiftLeft<16>(RoundToBFloat16(df, high0)));
      words1 = hn::Or(RoundToBFloat16(df, low1), hn::ShiftLeft<16>(RoundToBFloat16(df, high1)));
    }
    hn::StoreU(hn::BitCast(d16, words0), d16, to0);
    hn::StoreU(hn::BitCast(d16, words1), d16, to1);
  }

  // The nearest bfloat16 in the high halves, ties to even; of no NaN.
  static HWY_INLINE WordVec RoundHigh(EntryVec v) {
    const Words dw;
    const auto bits = hn::BitCast(dw, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(dw, 1));
    return hn::Add(bits, hn::Add(odd, hn::Set(dw, 0x7FFF)));
  }
};

// Whether two steps' turns stay in registers. Float16 without instructions for it takes so long that this
// gains nothing.
template <posenc_type kType>
constexpr bool kHasStrips = kType != POSENC_F16 || kHasFloat16;

// Two steps of all heads.
template <posenc_type kType, posenc_pairing kPairing>
HWY_INLINE void RotateStrip(const float* cosines, const float* sines, const Heads& heads, std::size_t first) {
  using Step = FastStep<kType, kPairing>;
  const std::size_t step = Step::Pairs(), second = step * kStep<kPairing>;
  EntryVec c0, c1, c2, c3, s0, s1, s2, s3;
  Step::LoadCosines(cosines + first, c0, c1);
  Step::LoadSines(sines + first, s0, s1);
  Step::LoadCosines(cosines + first + step, c2, c3);
  Step::LoadSines(sines + first + step, s2, s3);
  for (std::size_t h = 0; h < heads.count; ++h) {
    const Head<kType> head(heads, h);
    const auto* from = head.source + first * kStep<kPairing>;
    auto* to = head.data + first * kStep<kPairing>;
    Step::Rotate(from, to, heads.pairs, c0, s0, c1, s1);
    Step::Rotate(from + second, to + second, heads.pairs, c2, s2, c3, s3);
  }
}

#endif  // HWY_SCALAR

template <posenc_type kType, posenc_pairing kPairing>
HWY_INLINE void RotateGroupFast(const float* cosines, const float* sines, const Heads& heads) {
  const std::size_t pairs = heads.pairs;
  std::size_t first = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kHasStrips<kType>) {
    const std::size_t strip = 2 * FastStep<kType, kPairing>::Pairs();
    for (; first + strip <= pairs; first += strip) {
      RotateStrip<kType, kPairing>(cosines, sines, heads, first);
    }
  }
#endif
  if (first < pairs) RotateRestFast<kType, kPairing>(cosines, sines, heads, first);
}

// In the core's own caches eight heads share the turns in registers. From a shared cache they do where a
// strip is a head of 128 (AVX-512), or where the first-level cache has 48 KB (Zen 5: 1.2 to 1.3 times as
// fast); elsewhere (Zen 3) strips are read at half the rate of whole heads. Other heads are read one by one
// and prefetched. Beyond the caches AVX-512 reads heads that follow each other 512 bytes at once, by the far
// prefetch alone (Zen 5: up to 1.1 times as fast; of heads that lie apart it would be 0.4 times).
template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void RotateFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                             const Heads& heads) {
  constexpr bool kStripIsHead = kIsAvx512;
  constexpr std::size_t kHalfPage = 2048;
  const bool in_strips = heads.cached == Cached::kByCore ||
                         (heads.cached == Cached::kByShared && (kStripIsHead || HasLargeFirstLevelCache()));
  const bool in_order = kStripIsHead && heads.source_stride <= kHalfPage;
  const std::size_t most = in_strips ? 8 : in_order ? (kType == POSENC_F32 ? 1 : 2) : 1;
  Heads group = heads;
  for (std::size_t left = heads.count; left != 0;) {
    group.count = HWY_MIN(left, most);
    const auto* source = reinterpret_cast<const ElementOf<kType>*>(group.source);
    if (heads.cached == Cached::kNowhere) PrefetchFarAhead(source, group.count * heads.pairs);
    if (!in_strips && !in_order) PrefetchAhead<false>(source, 0, heads.pairs);
    RotateGroupFast<kType, kPairing>(cosines, sines, group);
    left -= group.count;
    if (left == 0) break;  // of one head any stride will do, also one that leaves memory
    group.source += group.count * heads.source_stride;
    group.data += group.count * heads.stride;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
