// A step of fast rotation (rotate_fast-inl.h): the pairs that a few vectors of cosines and sines rotate.
// Included once per target.
#if defined(POSENC_SRC_KERNEL_FAST_STEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_FAST_STEP_INL_H_
#undef POSENC_SRC_KERNEL_FAST_STEP_INL_H_
#else
#define POSENC_SRC_KERNEL_FAST_STEP_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernel/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
  // NaNs, because their lower 16 bits are 0. (The elements are bfloat16, and so are NaNs of a caller's cache:
  // call/cache_rows.h.)
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

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_FAST_STEP_INL_H_
