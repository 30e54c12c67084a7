// The loops of the exact rotation's first tier, which decides most pairs by the sums and tests of
// quick_sums-inl.h (errors there). A vector with few undecided lanes is deferred, for
// `ResolveUndecidedPairs`; at any other the loop stops, for `BoundedRotation`. Included once per target.
#if defined(POSENC_SRC_KERNEL_ROTATE_QUICKLY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_QUICKLY_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_QUICKLY_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_QUICKLY_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/deferred_vectors-inl.h"
#include "kernel/pack_sincos-inl.h"
#include "kernel/pairs-inl.h"
#include "kernel/quick_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <posenc_type kFrom, posenc_type, posenc_pairing, class Value>
PairCursor RotateQuickly(const Heads& /*heads*/, const QuickSinCos<Value>& /*sin_cos*/, PairCursor at,
                         DeferredVectors<kFrom>& /*deferred*/) {
  return at;
}

#else

// Rotates one pair for each lane of Entries, from pair `at` on, with all a in one vector and all b in
// another: for half-split pairs, and for neighbours of bfloat16.
//
//   from, to  a and x; b and y are `apart` elements behind them if half-split, else beside them
//
// Returns false, and stores nothing, if lanes are undecided and `Defer` refuses the vector.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, class Value>
HWY_INLINE bool RotateApart(const ElementOf<kFrom>* from, ElementOf<kTo>* to, std::size_t apart,
                            const QuickSinCos<Value>& sin_cos, PairCursor at,
                            DeferredVectors<kFrom>& deferred) {
  const std::size_t i = at.pair;
  constexpr bool kNoticesNans = kCutsSums<kFrom>;
  EntryVec x, y, x_size, y_size;
  WordVec x_biased, y_biased;
  if constexpr (kFrom == POSENC_F32) {
    const Doubles d;
    const Floats df;
    const std::size_t half = hn::Lanes(df);
    const double *cosines = sin_cos.cosines + i, *sines = sin_cos.sines + i;
    const auto a_lower = hn::PromoteTo(d, hn::LoadU(df, from));
    const auto a_upper = hn::PromoteTo(d, hn::LoadU(df, from + half));
    const auto b_lower = hn::PromoteTo(d, hn::LoadU(df, from + apart));
    const auto b_upper = hn::PromoteTo(d, hn::LoadU(df, from + apart + half));
    RoundSums<kNoticesNans>(SumInDouble<true>(a_lower, b_lower, cosines, sines),
                            SumInDouble<true>(a_upper, b_upper, cosines + half, sines + half), x, x_biased,
                            x_size);
    RoundSums<kNoticesNans>(SumInDouble<false>(b_lower, a_lower, cosines, sines),
                            SumInDouble<false>(b_upper, a_upper, cosines + half, sines + half), y, y_biased,
                            y_size);
    if constexpr (kTo != POSENC_F32) {
      x_biased = Biased<RotatedWindow<kFrom, kTo> >(x);
      y_biased = Biased<RotatedWindow<kFrom, kTo> >(y);
    }
  } else {
    EntryVec a, b;
    LoadPairs<kFrom, kPairing>(Entries(), from, apart, a, b);
    EntryVec cosines, sines, low_cosines, low_sines;
    LoadSinCos(sin_cos, i, cosines, sines, low_cosines, low_sines);
    const FloatSinCos turns = {cosines, sines, low_cosines, low_sines};
    x = SumInFloat<true>(a, b, turns);
    x_biased = Biased<RotatedWindow<kFrom, kTo> >(x);
    x_size = SizeOf<kNoticesNans>(x);
    y = SumInFloat<false>(b, a, turns);
    y_biased = Biased<RotatedWindow<kFrom, kTo> >(y);
    y_size = SizeOf<kNoticesNans>(y);
  }
  const auto is_decided =
      AreDecided<kFrom, kTo>(x_biased, y_biased, MagnitudeAmong<kNoticesNans, false>(x_size, y_size),
                             MagnitudeAmong<kNoticesNans, true>(x_size, y_size), sin_cos.least_cut);
  if (HWY_UNLIKELY(!hn::AllTrue(Entries(), is_decided))) {
    if (!Defer<kFrom, kTo, kPairing>(is_decided, from, apart, hn::Lanes(Entries()), at, deferred))
      return false;
  }
  if constexpr (kPairing == POSENC_HALF_SPLIT) {
    StoreSums<kTo>(x, x_biased, to, y, y_biased, to + apart);
  } else {
    StoreWords(JoinNeighbours(x_biased, y_biased), to);
  }
  return true;
}

// What RotateWords makes of a vector: the words to store, and what AreWordsDecided tests.
struct RotatedWords {
  WordVec &x, &y, &least, &out_of_range;
};

// Rotates a vector of half-split bfloat16 with two pairs in each lane: a word holds the elements of an even
// pair and of the next one, and a lane tests both.
//
//   even, odd  c and s of the even pairs and of the odd ones
HWY_INLINE void RotateWords(const std::uint16_t* from, std::size_t apart, const FloatSinCos& even,
                            const FloatSinCos& odd, const RotatedWords& to) {
  const Entries df;
  EntryVec even_a, odd_a, even_b, odd_b;
  LoadPairs<POSENC_BF16, POSENC_NEIGHBOURS>(df, from, 0, even_a, odd_a);
  LoadPairs<POSENC_BF16, POSENC_NEIGHBOURS>(df, from + apart, 0, even_b, odd_b);
  using Window = RotatedWindow<POSENC_BF16, POSENC_BF16>;
  const auto even_x = Biased<Window>(SumInFloat<true>(even_a, even_b, even));
  const auto even_y = Biased<Window>(SumInFloat<false>(even_b, even_a, even));
  const auto odd_x = Biased<Window>(SumInFloat<true>(odd_a, odd_b, odd));
  const auto odd_y = Biased<Window>(SumInFloat<false>(odd_b, odd_a, odd));
  to.x = JoinNeighbours(even_x, odd_x);
  to.y = JoinNeighbours(even_y, odd_y);
  to.least = LesserHalves(LesserHalves(even_x, even_y), LesserHalves(odd_x, odd_y));
  to.out_of_range = WordsOutOfRange(to.x, to.y);
}

// Defers words that are not all decided. Returns false if they are neither decided nor deferred.
HWY_INLINE bool DeferWords(const RotatedWords& words, const std::uint16_t* from, std::size_t apart,
                           PairCursor at, DeferredVectors<POSENC_BF16>& deferred) {
  const Entries df;
  const auto is_decided = AreWordsDecided(words.least, words.out_of_range);
  if (HWY_LIKELY(hn::AllTrue(df, is_decided))) return true;
  return Defer<POSENC_BF16, POSENC_BF16, POSENC_HALF_SPLIT>(is_decided, from, apart, 2 * hn::Lanes(df), at,
                                                            deferred);
}

HWY_INLINE void StoreRotated(const RotatedWords& words, std::uint16_t* to, std::size_t apart) {
  StoreWords(words.x, to);
  StoreWords(words.y, to + apart);
}

// Rotates a vector of a head. Returns false, and stores nothing, if it is neither decided nor deferred.
HWY_INLINE bool RotateWordsOf(const Head<POSENC_BF16, POSENC_BF16>& head, std::size_t apart,
                              const QuickSinCos<float>& sin_cos, PairCursor at,
                              DeferredVectors<POSENC_BF16>& deferred) {
  EntryVec even_c, even_s, even_low_c, even_low_s, odd_c, odd_s, odd_low_c, odd_low_s;
  LoadSinCos(sin_cos, at.pair, even_c, even_s, even_low_c, even_low_s);
  LoadSinCos(sin_cos, at.pair + hn::Lanes(Entries()), odd_c, odd_s, odd_low_c, odd_low_s);
  WordVec x, y, least, out_of_range;
  const RotatedWords result = {x, y, least, out_of_range};
  const std::uint16_t* from = head.source + at.pair;
  RotateWords(from, apart, {even_c, even_s, even_low_c, even_low_s}, {odd_c, odd_s, odd_low_c, odd_low_s},
              result);
  if (HWY_UNLIKELY(!DeferWords(result, from, apart, at, deferred))) return false;
  StoreRotated(result, head.data + at.pair, apart);
  return true;
}

// The sums of a vector of neighbours, for AreDecided: value = [x0 y0 x1 y1 ...] from [a0 b0 a1 b1 ...], each
// element times c plus its neighbour times s. Sines per element, which are read from their element i on, have
// the sign of x's term. `biased` and `size` come from RoundSums.
template <posenc_type kFrom, posenc_type kTo, class Value>
HWY_INLINE void SumNeighbours(const ElementOf<kFrom>* from, const QuickSinCos<Value>& sin_cos, std::size_t i,
                              EntryVec& value, WordVec& biased, EntryVec& size) {
  if constexpr (kFrom == POSENC_F32) {
    const Doubles d;
    const std::size_t half = hn::Lanes(d);
    const double *cosines = sin_cos.cosines + i, *sines = sin_cos.sines + i;
    const auto lower = hn::PromoteTo(d, hn::LoadU(Floats(), from));
    const auto upper = hn::PromoteTo(d, hn::LoadU(Floats(), from + half));
    RoundSums<true>(SumInDouble<false>(lower, hn::Reverse2(d, lower), cosines, sines),
                    SumInDouble<false>(upper, hn::Reverse2(d, upper), cosines + half, sines + half), value,
                    biased, size);
    if constexpr (kTo != POSENC_F32) biased = Biased<RotatedWindow<kFrom, kTo> >(value);
  } else {
    const auto elements = LoadHalves<kFrom>(Entries(), from);
    EntryVec cosines, sines, low_cosines, low_sines;
    LoadSinCos(sin_cos, i, cosines, sines, low_cosines, low_sines);
    value = SumInFloat<false>(elements, hn::Reverse2(Entries(), elements),
                              {cosines, sines, low_cosines, low_sines});
    biased = Biased<RotatedWindow<kFrom, kTo> >(value);
    size = SizeOf<true>(value);
  }
}

// RotateApart for neighbours of float32 and float16, as two vectors of elements: a is not separated from b.
// Lane k tests element k of both vectors.
template <posenc_type kFrom, posenc_type kTo, class Value>
HWY_INLINE bool RotateInPlace(const ElementOf<kFrom>* from, ElementOf<kTo>* to,
                              const QuickSinCos<Value>& sin_cos, PairCursor at,
                              DeferredVectors<kFrom>& deferred) {
  const Entries df;
  const std::size_t i = at.pair, lanes = hn::Lanes(df);
  EntryVec first, second, first_size, second_size;
  WordVec first_biased, second_biased;
  SumNeighbours<kFrom, kTo>(from, sin_cos, 2 * i, first, first_biased, first_size);
  SumNeighbours<kFrom, kTo>(from + lanes, sin_cos, 2 * i + lanes, second, second_biased, second_size);
  // A lane's two elements are compared with the largest sum of both pairs, which is at least the larger sum
  // of each. So some pairs are undecided that are not small beside their own, but none is decided wrongly.
  const auto larger = MagnitudeAmong<true, true>(first_size, second_size);
  const auto largest = MagnitudeAmong<true, true>(larger, hn::Reverse2(df, larger));
  const auto is_decided = AreDecided<kFrom, kTo>(first_biased, second_biased,
                                                 MagnitudeAmong<true, false>(first_size, second_size),
                                                 largest, sin_cos.least_cut);
  if (HWY_UNLIKELY(!hn::AllTrue(df, is_decided))) {
    if (!Defer<kFrom, kTo, POSENC_NEIGHBOURS>(is_decided, from, 0, lanes, at, deferred)) return false;
  }
  if constexpr (kTo == POSENC_BF16) {
    StoreUpperHalves(first_biased, second_biased, to);
  } else {
    StoreSums<kTo>(first, first_biased, to, second, second_biased, to + lanes);
  }
  return true;
}

// Whether RotateHeldWords is taken: it needs 32 registers.
template <posenc_type kFrom, posenc_pairing kPairing>
constexpr bool kHoldsWords = kTakesWords<kFrom, kPairing>&& kHasAvx512;

// RotateQuickly for heads of two vectors of words, from the first pair of a head on. Their cosines and sines
// stay in registers: with loads for each head it took 1.2 times as long (Zen 4). One test is for a whole
// head, because on Zen 4 tests run in the two pipes that multiply. If it fails, each vector is tested.
HWY_INLINE PairCursor RotateHeldWords(const Heads& heads, const QuickSinCos<float>& sin_cos, PairCursor at,
                                      DeferredVectors<POSENC_BF16>& deferred) {
  const Entries df;
  const std::size_t lanes = hn::Lanes(df), apart = heads.apart, second_pair = 2 * lanes;
  EntryVec even_c, even_s, even_low_c, even_low_s, odd_c, odd_s, odd_low_c, odd_low_s;
  LoadSinCos(sin_cos, 0, even_c, even_s, even_low_c, even_low_s);
  LoadSinCos(sin_cos, lanes, odd_c, odd_s, odd_low_c, odd_low_s);
  EntryVec second_even_c, second_even_s, second_even_low_c, second_even_low_s;
  LoadSinCos(sin_cos, 2 * lanes, second_even_c, second_even_s, second_even_low_c, second_even_low_s);
  EntryVec second_odd_c, second_odd_s, second_odd_low_c, second_odd_low_s;
  LoadSinCos(sin_cos, 3 * lanes, second_odd_c, second_odd_s, second_odd_low_c, second_odd_low_s);
  for (; at.head < heads.count; ++at.head) {
    const Head<POSENC_BF16, POSENC_BF16> head(heads, at.head);
    PrefetchAhead<true>(head.source, 0, 4 * lanes);
    WordVec x, y, least, out_of_range, second_x, second_y, second_least, second_out_of_range;
    const RotatedWords first = {x, y, least, out_of_range};
    const RotatedWords second = {second_x, second_y, second_least, second_out_of_range};
    RotateWords(head.source, apart, {even_c, even_s, even_low_c, even_low_s},
                {odd_c, odd_s, odd_low_c, odd_low_s}, first);
    RotateWords(head.source + second_pair, apart,
                {second_even_c, second_even_s, second_even_low_c, second_even_low_s},
                {second_odd_c, second_odd_s, second_odd_low_c, second_odd_low_s}, second);
    const auto are_decided =
        AreWordsDecided(LesserHalves(least, second_least), hn::Or(out_of_range, second_out_of_range));
    if (HWY_UNLIKELY(!hn::AllTrue(df, are_decided))) {
      if (!DeferWords(first, head.source, apart, at, deferred)) return at;
      StoreRotated(first, head.data, apart);
      at.pair = second_pair;
      if (!DeferWords(second, head.source + second_pair, apart, at, deferred)) return at;
      at.pair = 0;
    }
    StoreRotated(first, head.data, apart);
    StoreRotated(second, head.data + second_pair, apart);
  }
  return at;
}

// Rotates a token's heads from `at` on, which begins a pass (PairsPerPass).
//
//   shared  for all heads: c and s of all pairs, as PackSinCos wrote them
//
// Stops at, and returns, the first vector that is neither decided nor deferred, or the last pairs of a head
// if they do not fill a vector; BoundedRotation takes them. Returns head heads.count if all are done.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, class Value>
HWY_NOINLINE PairCursor RotateQuickly(const Heads& heads, const QuickSinCos<Value>& shared, PairCursor at,
                                      DeferredVectors<kFrom>& deferred) {
  const QuickSinCos<Value> sin_cos = shared;  // a copy, which the compiler knows no store can change
  const std::size_t lanes = hn::Lanes(Entries()), pairs = heads.pairs, apart = heads.apart;
  const std::size_t words = pairs - pairs % (2 * lanes);
  // Never true. Without this line GCC 12 makes a loop that takes 1.1 times as long (bfloat16 on
  // Zen 5 with AVX-512).
  if (kTakesWords<kFrom, kPairing> && at.pair < words && at.pair % (2 * lanes) != 0) return at;
  // Where the loop stopped before, it is likely to stop again. So it first rotates a head by vectors.
  [[maybe_unused]] bool has_stopped = at.head != 0 || at.pair != 0;
  for (; at.head < heads.count; ++at.head, at.pair = 0, has_stopped = false) {
    if constexpr (kHoldsWords<kFrom, kPairing>) {
      if (pairs == 4 * lanes && !has_stopped) return RotateHeldWords(heads, sin_cos, at, deferred);
    }
    const Head<kFrom, kTo> head(heads, at.head);
    if constexpr (kTakesWords<kFrom, kPairing>) {
      for (; at.pair < words; at.pair += 2 * lanes) {
        PrefetchAhead<true>(head.source, at.pair, 2 * lanes);
        if (HWY_UNLIKELY(!RotateWordsOf(head, apart, sin_cos, at, deferred))) return at;
      }
    }
    for (; at.pair + lanes <= pairs; at.pair += lanes) {
      PrefetchAhead<true>(head.source, at.pair, lanes);
      const std::size_t element = at.pair * kStep<kPairing>;
      bool is_stored;
      if constexpr (kTakesSinCosPerElement<kFrom, kPairing>) {
        is_stored =
            RotateInPlace<kFrom, kTo>(head.source + element, head.data + element, sin_cos, at, deferred);
      } else {
        is_stored = RotateApart<kFrom, kTo, kPairing>(head.source + element, head.data + element, apart,
                                                      sin_cos, at, deferred);
      }
      if (HWY_UNLIKELY(!is_stored)) return at;
    }
    if (at.pair < pairs) return at;
  }
  return at;
}

#endif  // HWY_SCALAR

// Returns how many pairs the quick loop takes at once, of elements of a type.
inline std::size_t PairsPerPass(posenc_type type, posenc_pairing pairing) {
  if (!kHasVectors) return 32;
  const bool are_words =
      kTakesWords<POSENC_BF16, POSENC_HALF_SPLIT> && type == POSENC_BF16 && pairing == POSENC_HALF_SPLIT;
  return hn::Lanes(hn::ScalableTag<float>()) * (are_words ? 2 : 1);
}

// The first tier of the exact rotation, from `at` on: RotateQuickly, and the undecided pairs of the vectors
// that it defers are queued. Returns where it stopped: at the first vector that is left to the second tier,
// at any vector if the queue is full or undecided.is_paused is set, or at head heads.count if all are done.
// `packed` is from PackSinCos for the same type of elements, pairing and gain.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
PairCursor RotateAndQueue(const Rotation& rotation, const void* packed, const Heads& heads, PairCursor at,
                          UndecidedPairs& undecided) {
  using Packed = PackedSinCos<kFrom, kPairing>;
  const std::size_t stride = Packed::Stride(rotation.table.count);  // heads may have fewer pairs, or padding
  const auto* const first = static_cast<const typename Packed::Value*>(packed) +
                            heads.first * (kTakesSinCosPerElement<kFrom, kPairing> ? 2 : 1);
  const auto* const low = Packed::kHasLow ? first + 2 * stride : first;
  const QuickSinCos<typename Packed::Value> sin_cos = {
      first, first + stride, low, low + stride, rotation.flushing != nullptr ? kMinFlushed : kMinRotated};
  DeferredVectors<kFrom> deferred;
  static_assert(UndecidedPairs::kFull + deferred.kMax * deferred.kMaxPairs <= UndecidedPairs::kCapacity,
                "there must be room");
  // Without a scale, sums of float32 meet few subnormal products, and to change the processor's state takes
  // some 100 cycles.
  constexpr bool kIsScaled = kSinCosScale<kFrom> != 1.0;
  const bool flushes = kHasVectors && (kFrom == POSENC_BF16 || kIsScaled) && rotation.flushing != nullptr;
  if (flushes) rotation.flushing->Flush(kFrom == POSENC_BF16);
  at = RotateQuickly<kFrom, kTo, kPairing>(heads, sin_cos, at, deferred);
  if (flushes) rotation.flushing->Keep();
  // If no vector could be deferred any more, there is room again for the one at which the loop stopped.
  undecided.is_paused = deferred.count == deferred.kMax;
  if (deferred.count != 0) QueueDeferred(deferred, rotation, heads, undecided);
  return at;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_QUICKLY_INL_H_
