// Vectors of the exact rotation's first tier of which few lanes are undecided: they are deferred, so that its
// loop (rotate_quickly-inl.h) goes on. Included once per target.
#if defined(POSENC_SRC_KERNEL_DEFERRED_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_DEFERRED_VECTORS_INL_H_
#undef POSENC_SRC_KERNEL_DEFERRED_VECTORS_INL_H_
#else
#define POSENC_SRC_KERNEL_DEFERRED_VECTORS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/pack_sincos-inl.h"
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

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_DEFERRED_VECTORS_INL_H_
