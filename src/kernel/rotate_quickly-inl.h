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
#include <cstring>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/pack_sincos-inl.h"
#include "kernel/pairs-inl.h"
#include "kernel/quick_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Deferred vectors: they were stored although one or two lanes of their test are undecided. Their elements
// are kept, because rotation in place overwrites them. QueueDeferred queues the undecided pairs.
//
//   at        the first pair of each vector
//   pairs     how many pairs it has
//   lanes     its undecided lanes, a bit each; a lane tests one or two pairs
//   elements  a copy of its elements: all a, then all b, if half-split; else neighbours as they were
template <posenc_type kFrom>
struct DeferredVectors {
  static constexpr std::size_t kMax = 8, kFewLanes = 2, kMaxPairs = 2 * kFewLanes;

  std::size_t count = 0;
  PairCursor at[kMax];
  std::size_t pairs[kMax];
  std::uint8_t lanes[kMax][8];
  HWY_ALIGN ElementOf<kFrom> elements[kMax]
                                     [(kFrom == POSENC_F32 ? 2 : 4) * kMaxLanes<hn::ScalableTag<float>>];
};

#if HWY_TARGET == HWY_SCALAR

template <posenc_type kFrom, posenc_type, posenc_pairing, class Value>
PairCursor RotateQuickly(const Heads& /*heads*/, const QuickSinCos<Value>& /*sin_cos*/, PairCursor at,
                         DeferredVectors<kFrom>& /*deferred*/) {
  return at;
}

template <posenc_type kFrom>
void QueueDeferred(DeferredVectors<kFrom>& /*deferred*/, const Rotation& /*rotation*/, const Heads& /*heads*/,
                   UndecidedPairs& /*undecided*/) {}

#else

// Defers a vector of `count` pairs, from pair `at` on: copies its elements and its mask of undecided lanes.
// Callers store the rotated elements only afterwards, since these may overwrite the elements at `from`.
//
//   is_decided  [lanes] of the test; PairsOfLanes says which pairs a lane tests
//   from        a, and b `apart` elements behind it, if half-split; else 2 * count elements of neighbours
//
// Returns false, and defers nothing, if more than kFewLanes lanes are undecided, if there is no room, or for
// results of float32 without kCutsSums.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
HWY_INLINE bool Defer(hn::Mask<Entries> is_decided, const ElementOf<kFrom>* from, std::size_t apart,
                      std::size_t count, PairCursor at, DeferredVectors<kFrom>& deferred) {
  const Entries df;
  const std::size_t lanes = hn::Lanes(df), n = deferred.count;
  if (kTo == POSENC_F32 && !kCutsSums<kTo>)
    return false;  // lanes of the test are in the target's order (WordsOf), not in the order of pairs
  if (hn::CountTrue(df, is_decided) + DeferredVectors<kFrom>::kFewLanes < lanes) return false;
  if (n == DeferredVectors<kFrom>::kMax || count > 64) return false;
  deferred.count = n + 1;
  deferred.at[n] = at;
  deferred.pairs[n] = count;
  std::memset(deferred.lanes[n], 0, sizeof(deferred.lanes[n]));
  hn::StoreMaskBits(df, hn::Not(is_decided), deferred.lanes[n]);
  ElementOf<kFrom>* a = deferred.elements[n];
  ElementOf<kFrom>* b = a + count;
  const ElementOf<kFrom>* from_b = from + (kPairing == POSENC_HALF_SPLIT ? apart : count);
  const hn::Rebind<ElementOf<kFrom>, Entries> d;
  for (std::size_t k = 0; k < count; k += lanes) {
    hn::StoreU(hn::LoadU(d, from + k), d, a + k);
    hn::StoreU(hn::LoadU(d, from_b + k), d, b + k);
  }
  return true;
}

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
      x_biased = Biased<RotatedWindow<kFrom, kTo>>(x);
      y_biased = Biased<RotatedWindow<kFrom, kTo>>(y);
    }
  } else {
    EntryVec a, b;
    LoadPairs<kFrom, kPairing>(Entries(), from, apart, a, b);
    const auto turns = LoadSinCos(sin_cos, i);
    x = SumInFloat<true>(a, b, turns);
    x_biased = Biased<RotatedWindow<kFrom, kTo>>(x);
    x_size = SizeOf<kNoticesNans>(x);
    y = SumInFloat<false>(b, a, turns);
    y_biased = Biased<RotatedWindow<kFrom, kTo>>(y);
    y_size = SizeOf<kNoticesNans>(y);
  }
  const auto is_decided =
      AreDecided<kFrom, kTo>(x_biased, y_biased, MagnitudeAmong<kNoticesNans, false>(x_size, y_size),
                             MagnitudeAmong<kNoticesNans, true>(x_size, y_size));
  if (HWY_UNLIKELY(!hn::AllTrue(Entries(), is_decided))) {
    if (!Defer<kFrom, kTo, kPairing>(is_decided, from, apart, hn::Lanes(Entries()), at, deferred))
      return false;
  }
  if constexpr (kPairing == POSENC_HALF_SPLIT) {
    StoreSums<kTo>(x, x_biased, to);
    StoreSums<kTo>(y, y_biased, to + apart);
  } else {
    StoreWords(JoinNeighbours(x_biased, y_biased), to);
  }
  return true;
}

// A vector of half-split bfloat16 with two pairs in each lane: a word holds the elements of an even pair and
// of the next one, and a lane tests both.
struct RotatedWords {
  WordVec x, y, least, out_of_range;  // the words to store, and what AreWordsDecided tests

  // even, odd  c and s of the even pairs and of the odd ones
  HWY_INLINE RotatedWords(const std::uint16_t* from, std::size_t apart, const FloatSinCos& even,
                          const FloatSinCos& odd) {
    const Entries df;
    EntryVec even_a, odd_a, even_b, odd_b;
    LoadPairs<POSENC_BF16, POSENC_NEIGHBOURS>(df, from, 0, even_a, odd_a);
    LoadPairs<POSENC_BF16, POSENC_NEIGHBOURS>(df, from + apart, 0, even_b, odd_b);
    using Window = RotatedWindow<POSENC_BF16, POSENC_BF16>;
    const auto even_x = Biased<Window>(SumInFloat<true>(even_a, even_b, even));
    const auto even_y = Biased<Window>(SumInFloat<false>(even_b, even_a, even));
    const auto odd_x = Biased<Window>(SumInFloat<true>(odd_a, odd_b, odd));
    const auto odd_y = Biased<Window>(SumInFloat<false>(odd_b, odd_a, odd));
    x = JoinNeighbours(even_x, odd_x);
    y = JoinNeighbours(even_y, odd_y);
    least = LesserHalves(LesserHalves(even_x, even_y), LesserHalves(odd_x, odd_y));
    out_of_range = WordsOutOfRange(x, y);
  }

  HWY_INLINE void Store(std::uint16_t* to, std::size_t apart) const {
    StoreWords(x, to);
    StoreWords(y, to + apart);
  }
};

// Defers words that are not all decided. Returns false if they are neither decided nor deferred.
HWY_INLINE bool DeferWords(const RotatedWords& words, const std::uint16_t* from, std::size_t apart,
                           PairCursor at, DeferredVectors<POSENC_BF16>& deferred) {
  const Entries df;
  const auto is_decided = AreWordsDecided(words.least, words.out_of_range);
  if (HWY_LIKELY(hn::AllTrue(df, is_decided))) return true;
  return Defer<POSENC_BF16, POSENC_BF16, POSENC_HALF_SPLIT>(is_decided, from, apart, 2 * hn::Lanes(df), at,
                                                            deferred);
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
    if constexpr (kTo != POSENC_F32) biased = Biased<RotatedWindow<kFrom, kTo>>(value);
  } else {
    const auto elements = LoadHalves<kFrom>(Entries(), from);
    value = SumInFloat<false>(elements, hn::Reverse2(Entries(), elements), LoadSinCos(sin_cos, i));
    biased = Biased<RotatedWindow<kFrom, kTo>>(value);
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
  const auto is_decided = AreDecided<kFrom, kTo>(
      first_biased, second_biased, MagnitudeAmong<true, false>(first_size, second_size), largest);
  if (HWY_UNLIKELY(!hn::AllTrue(df, is_decided))) {
    if (!Defer<kFrom, kTo, POSENC_NEIGHBOURS>(is_decided, from, 0, lanes, at, deferred)) return false;
  }
  if constexpr (kTo == POSENC_BF16) {
    StoreUpperHalves(first_biased, second_biased, to);
  } else {
    StoreSums<kTo>(first, first_biased, to);
    StoreSums<kTo>(second, second_biased, to + lanes);
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
  const auto even = LoadSinCos(sin_cos, 0), odd = LoadSinCos(sin_cos, lanes);
  const auto second_even = LoadSinCos(sin_cos, 2 * lanes), second_odd = LoadSinCos(sin_cos, 3 * lanes);
  for (; at.head < heads.count; ++at.head) {
    const Head<POSENC_BF16, POSENC_BF16> head(heads, at.head);
    PrefetchAhead<true>(head.source, 0, 4 * lanes);
    const RotatedWords first(head.source, apart, even, odd);
    const RotatedWords second(head.source + second_pair, apart, second_even, second_odd);
    const auto are_decided = AreWordsDecided(LesserHalves(first.least, second.least),
                                             hn::Or(first.out_of_range, second.out_of_range));
    if (HWY_UNLIKELY(!hn::AllTrue(df, are_decided))) {
      if (!DeferWords(first, head.source, apart, at, deferred)) return at;
      first.Store(head.data, apart);
      at.pair = second_pair;
      if (!DeferWords(second, head.source + second_pair, apart, at, deferred)) return at;
      at.pair = 0;
    }
    first.Store(head.data, apart);
    second.Store(head.data + second_pair, apart);
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
        const ElementOf<kFrom>* from = head.source + at.pair;
        const std::size_t odd = at.pair + lanes;
        const RotatedWords result(from, apart, LoadSinCos(sin_cos, at.pair), LoadSinCos(sin_cos, odd));
        if (HWY_UNLIKELY(!DeferWords(result, from, apart, at, deferred))) return at;
        result.Store(head.data + at.pair, apart);
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

// Returns which pairs of a deferred vector some lanes of its test belong to. The vector has `pairs` pairs.
// Lanes and pairs are a bit each. Lane k tests, in
//
//   RotateApart    pair k
//   RotateWords    pairs 2 k and 2 k + 1
//   RotateInPlace  element k of both vectors: pairs k / 2 and (the number of lanes + k) / 2
inline std::uint64_t PairsOfLanes(bool is_per_element, std::uint64_t lanes, std::size_t pairs) {
  const std::size_t count = hn::Lanes(Entries());
  if (pairs == count && !is_per_element) return lanes;
  std::uint64_t result = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(lanes);
    result |= pairs == count ? (1 | std::uint64_t{1} << (count / 2)) << (k / 2) : std::uint64_t{3} << (2 * k);
  }
  return result;
}

// Queues the undecided pairs of all deferred vectors for ResolveUndecidedPairs, and empties `deferred`.
template <posenc_type kFrom>
HWY_NOINLINE void QueueDeferred(DeferredVectors<kFrom>& deferred, const Rotation& rotation,
                                const Heads& heads, UndecidedPairs& undecided) {
  const bool is_per_element =
      kTakesSinCosPerElement<kFrom, POSENC_NEIGHBOURS> && heads.pairing == POSENC_NEIGHBOURS;
  for (std::size_t n = 0; n < deferred.count; ++n) {
    std::uint64_t lanes = 0;
    for (std::size_t k = 0; k < 8; ++k) lanes |= std::uint64_t{deferred.lanes[n][k]} << (8 * k);
    undecided.Append(rotation, heads, deferred.at[n], PairsOfLanes(is_per_element, lanes, deferred.pairs[n]),
                     deferred.elements[n], deferred.pairs[n]);
  }
  deferred.count = 0;
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
// at any vector if the queue is full, or at head heads.count if all are done. `packed` is from PackSinCos for
// the same type of elements, pairing and gain.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
PairCursor RotateAndQueue(const Rotation& rotation, const PackedSinCosRoom& packed, const Heads& heads,
                          PairCursor at, UndecidedPairs& undecided) {
  using Packed = PackedSinCos<kFrom, kPairing>;
  const auto& first = PackedIn<kFrom, kPairing>(packed).parts[0];
  const auto& last = PackedIn<kFrom, kPairing>(packed).parts[Packed::kParts - 1];  // float32 has one part
  const QuickSinCos<typename Packed::Value> sin_cos = {first.cosines, first.sines, last.cosines, last.sines};
  DeferredVectors<kFrom> deferred;
  static_assert(UndecidedPairs::kFull + deferred.kMax * deferred.kMaxPairs <= UndecidedPairs::kCapacity,
                "there must be room");
  for (;;) {
    at = RotateQuickly<kFrom, kTo, kPairing>(heads, sin_cos, at, deferred);
    const bool was_full = deferred.count == deferred.kMax;
    if (deferred.count != 0) QueueDeferred(deferred, rotation, heads, undecided);
    // If no vector could be deferred any more, there is room again for the one at which the loop stopped.
    if (!was_full || undecided.IsFull()) return at;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_QUICKLY_INL_H_
