// The pairs that a loop leaves open, one by one: closed in double, with direct turns, or in the last resort.
// Included once per target.
#if defined(POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#undef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#else
#define POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/heads.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotary_reference.h"
#include "kernel/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where a loop over heads and their pairs is.
struct Progress {
  std::size_t head, pair;
};

// Adds some of the pairs from `at` on, whose elements lie at `from`, to the open ones: a bit each.
template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void ListOpen(std::uint64_t pairs, const ElementOf<kType>* from, std::size_t apart, Progress at,
                           const Rotation& rotation, const Heads& heads, OpenPairs& open) {
  unsigned char* data = heads.data + at.head * heads.stride;
  for (; pairs != 0; pairs &= pairs - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(pairs), n = open.count++;
    const std::size_t pair = at.pair + k;
    const PairIndex here = ElementsOf(kPairing, k, apart), there = ElementsOf(kPairing, pair, heads.pairs);
    const PhaseStep step(rotation.table, rotation.token[pair], pair);
    open.pair[n] = static_cast<std::uint32_t>(pair);
    open.a[n] = LoadElement(kType, reinterpret_cast<const unsigned char*>(from + here.a));
    open.b[n] = LoadElement(kType, reinterpret_cast<const unsigned char*>(from + here.b));
    open.multiple[n] = rotation.token[pair];
    open.high[n] = step.high;
    open.low[n] = step.low;
    open.x[n] = data + there.a * sizeof(*from);
    open.y[n] = data + there.b * sizeof(*from);
  }
}

template <posenc_type kType>
HWY_NOINLINE void CloseOpenPairs(const FrequencyTable& table, const Gain& gain, OpenPairs& open,
                                 Tally& tally) {
  const Doubles d;
  const Floats df;
  const TurnBounds turns(gain, true, false);
  tally.doubles += open.count;
  for (std::size_t from = 0; from < open.count; from += hn::Lanes(d)) {
    const auto multiple = hn::LoadU(d, open.multiple + from), high = hn::LoadU(d, open.high + from);
    DoubleVec sine, cosine;
    auto is_unknown =
        SinCos(d, multiple, high, hn::LoadU(d, open.low + from), table.max_cancellation, sine, cosine);
    is_unknown = hn::Or(is_unknown, IsTiny(multiple, high, kLeastDoublePhase));
    const BoundedSums sums =
        SumWithin(hn::LoadU(df, open.a + from), hn::LoadU(df, open.b + from), cosine, sine, turns);
    FloatVec x, y;
    auto is_open = RoundBetween<kType>(Below(d, sums.x, sums.x_bound), Above(d, sums.x, sums.x_bound), x);
    is_open = hn::Or(is_open,
                     RoundBetween<kType>(Below(d, sums.y, sums.y_bound), Above(d, sums.y, sums.y_bound), y));
    const std::uint64_t flags = BitsOf(d, hn::Or(is_open, is_unknown));
    HWY_ALIGN float xs[kMostLanes<Doubles>], ys[kMostLanes<Doubles>];
    hn::Store(WithCanonicalNans(df, x), df, xs);
    hn::Store(WithCanonicalNans(df, y), df, ys);
    for (std::size_t k = 0; k < hn::Lanes(d) && from + k < open.count; ++k) {
      const std::size_t n = from + k;
      if (HWY_UNLIKELY((flags >> k & 1) != 0)) {
        const RotatedPair rotated = RecomputePair(table, open.multiple[n], gain, kType, open.pair[n],
                                                  open.a[n], open.b[n], open.wide, tally);
        xs[k] = rotated.x;
        ys[k] = rotated.y;
      }
      StoreElement(kType, xs[k], open.x[n]);
      StoreElement(kType, ys[k], open.y[n]);
    }
  }
  open.count = 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
