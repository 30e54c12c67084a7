// Rotation of a token's heads, each element correctly rounded: the quick loop, and vectors between bounds for
// what it leaves undecided. Included once per target.
#if defined(POSENC_SRC_KERNEL_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_INL_H_
#endif

#include <cstdint>
#include <new>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotate_quickly-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rotates the vectors that the quick loop leaves undecided, with any elements, by RotateWithin (errors
// there). Pairs that are still undecided are queued for ResolveUndecidedPairs. But if added angles leave more
// than kFewUndecided pairs of a token undecided, direct angles replace them, and the vector is rotated again.
template <posenc_type kType>
class BoundedRotation {
 public:
  BoundedRotation(const Rotation& rotation, const Heads& heads, TokenAngles& angles,
                  UndecidedPairs& undecided)
      : rotation_(rotation),
        heads_(heads),
        angles_(angles),
        undecided_(undecided),
        is_split_(heads.pairing == POSENC_HALF_SPLIT),
        step_(is_split_ ? 1 : 2),
        bounds_(rotation.gain, angles.are_direct, kInFloat) {}

  // Rotates `count` pairs from `at` on, or a few more: to the end of a block, where the quick loop may go on,
  // or of the head. Returns the next pair.
  PairCursor Rotate(PairCursor at, std::size_t count) {
    if (!are_tightened_) bounds_.TightenFor(angles_.cosines, angles_.sines, heads_.pairs);
    are_tightened_ = true;
    while (count != 0 && at.head != heads_.count) {
      const std::size_t end =
          HWY_MIN(heads_.pairs, at.pair - at.pair % Block() + hwy::RoundUpTo(count, Block()));
      count -= HWY_MIN(count, end - at.pair);
      while (at.pair != end) {
        at.pair = end - at.pair >= hn::Lanes(PairsOf<kType>()) ? RotateVectors(at, end) : RotateLast(at, end);
        ResolveIfFull();
      }
      if (end == heads_.pairs) at = {at.head + 1, 0};
    }
    return at;
  }

  // Resolves the queued pairs if there are kFull or more.
  void ResolveIfFull() {
    if (HWY_UNLIKELY(undecided_.count >= UndecidedPairs::kFull)) {
      ResolveUndecidedPairs(kType, rotation_.table, rotation_.gain, undecided_, tally_);
    }
  }

  // Returns how many pairs the quick loop takes at once.
  std::size_t Block() const {
    if (!kHasVectors) return 32;
    return hn::Lanes(hn::ScalableTag<float>()) * (kTakesWords<kType, POSENC_HALF_SPLIT> && is_split_ ? 2 : 1);
  }

  const Tally& tally() const { return tally_; }

 private:
  static constexpr bool kInFloat = kType != POSENC_F32;

  // Added angles that leave more pairs of a token undecided than this are replaced by direct ones.
  static constexpr std::size_t kFewUndecided = 2;

  // Rotates the whole vectors before `end`, or fewer if the queue becomes full. Returns the next pair.
  std::size_t RotateVectors(PairCursor at, std::size_t end) {
    const Head<kType> head(heads_, at.head);
    const std::size_t element = at.pair * step_, lanes = hn::Lanes(PairsOf<kType>());
    const std::size_t count = (end - at.pair) / lanes * lanes;
    return at.pair + RotateRun(head.source + element, head.data + element, heads_.apart, at, count);
  }

  // Rotates the pairs before `end`, fewer than a vector has lanes, by way of a copy. Returns `end`.
  std::size_t RotateLast(PairCursor at, std::size_t end) {
    return is_split_ ? RotateLastOf<POSENC_HALF_SPLIT>(at, end) : RotateLastOf<POSENC_NEIGHBOURS>(at, end);
  }
  template <posenc_pairing kPairing>
  HWY_NOINLINE std::size_t RotateLastOf(PairCursor at, std::size_t end) {
    const Head<kType> head(heads_, at.head);
    LastPairs<kType, kPairing, PairsOf<kType>> last;
    last.Read(head.source, at.pair, end, heads_.apart);
    RotateRun(last.elements, last.elements, hn::Lanes(PairsOf<kType>()), at, end - at.pair);
    last.Write(head.data, at.pair, end, heads_.apart);
    return end;
  }

  // A bit for each of the first `count` lanes.
  static std::uint64_t LanesBelow(std::size_t count) {
    return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  }

  // Rotates vectors of pairs, the first of them pair `at`, until `count` pairs are done or the queue is full.
  // Returns how many pairs are done, as whole vectors; of the last one, lanes beyond `count` are not queued.
  //
  //   from, to  a and x; b and y are `apart` elements behind them if half-split, else beside them
  //
  // A vector of zeros becomes +0, and one with a NaN in every pair becomes NaNs, both without arithmetic.
  // A vector with an infinity or a NaN in every pair is rotated by direct angles, with which these are
  // decided.
  HWY_NOINLINE std::size_t RotateRun(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                                     PairCursor at, std::size_t count) {
    const PairsOf<kType> df;
    const hn::RebindToSigned<PairsOf<kType>> di;
    std::size_t k = 0;
    for (; k < count && (k == 0 || undecided_.count < UndecidedPairs::kFull); k += hn::Lanes(df)) {
      const std::size_t element = k * step_;
      hn::Vec<PairsOf<kType>> a, b;
      if (is_split_) {
        LoadPairs<kType, POSENC_HALF_SPLIT>(df, from + element, apart, a, b);
      } else {
        LoadPairs<kType, POSENC_NEIGHBOURS>(df, from + element, apart, a, b);
      }
      const auto larger = hn::Max(hn::BitCast(di, hn::Abs(a)), hn::BitCast(di, hn::Abs(b)));
      auto x = hn::Set(hn::RebindToUnsigned<PairsOf<kType>>(), kNanBits<kType>), y = x;
      if (hn::AllTrue(di, hn::Eq(larger, hn::Zero(di)))) {
        x = y = hn::Zero(hn::RebindToUnsigned<PairsOf<kType>>());
      } else if (!hn::AllTrue(di, hn::Gt(larger, hn::Set(di, 0x7F800000)))) {
        const bool are_special = hn::AllTrue(di, hn::Gt(larger, hn::Set(di, 0x7F7FFFFF)));
        if (are_special && !angles_.are_direct) TakeDirectAngles();
        for (;;) {
          const auto undecided = RotateWithin<kType>(a, b, larger, angles_.cosines + at.pair + k,
                                                     angles_.sines + at.pair + k, bounds_, x, y);
          if (HWY_LIKELY(hn::AllFalse(di, undecided))) break;
          if (Queue(BitsOf(di, undecided) & (LanesBelow(count - k)), from + element, apart,
                    {at.head, at.pair + k}))
            break;
        }
      }
      if (is_split_) {
        StoreElements<kType, POSENC_HALF_SPLIT>(df, x, y, to + element, apart);
      } else {
        StoreElements<kType, POSENC_NEIGHBOURS>(df, x, y, to + element, apart);
      }
    }
    return k;
  }

  // Queues the undecided pairs of a vector, a bit each, whose elements are at `from` as in RotateRun. Returns
  // false, and queues none, if with these the token's added angles have left more than kFewUndecided pairs
  // undecided: now its angles are direct, and the vector must be rotated again.
  HWY_NOINLINE bool Queue(std::uint64_t pairs, const ElementOf<kType>* from, std::size_t apart,
                          PairCursor at) {
    if (!angles_.are_direct && (undecided_by_added_ += hwy::PopCount(pairs)) > kFewUndecided) {
      TakeDirectAngles();
      return false;
    }
    QueueUndecided(kType, pairs, from, apart, at, rotation_, heads_, undecided_);
    return true;
  }

  // Replaces the token's added angles by direct ones, for all its heads.
  HWY_NOINLINE void TakeDirectAngles() {
    SinCosOfPairs(rotation_.table, rotation_.multiples, 0, heads_.pairs, angles_.cosines, angles_.sines,
                  tally_);
    angles_.are_direct = true;
    bounds_ = SinCosBounds(rotation_.gain, true, kInFloat);
    bounds_.TightenFor(angles_.cosines, angles_.sines, heads_.pairs);
  }

  const Rotation& rotation_;
  const Heads& heads_;
  TokenAngles& angles_;
  UndecidedPairs& undecided_;
  bool is_split_;
  std::size_t step_;  // elements from one pair's a to the next pair's
  SinCosBounds bounds_;
  bool are_tightened_ = false;
  std::size_t undecided_by_added_ = 0;
  Tally tally_;
};

// Writes a token's cosines and sines [pairs], times the gain, into `room` as RotateExact loads them: doubles
// for float32, times kSinCosScale; high and low parts in float for 16-bit types.
template <posenc_type kType, posenc_pairing kPairing>
void PackSinCos(const double* cosines, const double* sines, std::size_t pairs, const Gain& gain,
                PackedSinCosRoom& room) {
  const ScaledSinCos scaled(cosines, sines, pairs, gain);
  auto* packed = new (room.bytes) PackedSinCos<kType, kPairing>;
  if constexpr (kType == POSENC_F32) {
    StoreScaled(scaled.Scaled(kSinCosScale<POSENC_F32>), packed->parts[0]);
  } else {
    PackParts<kType, kPairing, Part::kHigh>(scaled, packed->parts[0]);
    PackParts<kType, kPairing, Part::kLow>(scaled, packed->parts[1]);
  }
}

// The quick loop is tried again after this many blocks at the latest.
inline constexpr std::size_t kMaxBlocks = 16;

// Rotates a token's heads by the quick loop of a pairing, for RotateExact:
//
// 1. rotate_quickly takes all heads. It defers vectors with one or two undecided lanes, whose pairs are then
//    queued.
// 2. BoundedRotation takes the vectors at which the quick loop stops: vectors with more undecided lanes,
//    vectors that it does not defer, and the last pairs of a head. bfloat16 goes there from the first if the
//    gain exceeds kMaxQuickGain.
// 3. ResolveUndecidedPairs resolves the queue whenever it is full. The caller resolves the pairs that remain
//    in `undecided`.
template <posenc_type kType, class Value>
HWY_NOINLINE Tally RotateBlocks(decltype(&RotateQuickly<kType, POSENC_HALF_SPLIT, Value>) rotate_quickly,
                                const QuickSinCos<Value>& quick, const Rotation& rotation,
                                TokenAngles& angles, const Heads& heads, UndecidedPairs& undecided) {
  const bool is_quick = kType != POSENC_BF16 || rotation.gain.nearest() <= kMaxQuickGain;
  BoundedRotation<kType> bounded(rotation, heads, angles, undecided);
  const std::size_t block = bounded.Block();
  DeferredVectors<kType> deferred;
  static_assert(UndecidedPairs::kFull + deferred.kMax * deferred.kMaxPairs <= UndecidedPairs::kCapacity,
                "there must be room");
  std::size_t blocks = 1;
  for (PairCursor at{0, 0};;) {
    const PairCursor before = at;
    if (is_quick) at = rotate_quickly(heads, quick, at, deferred);
    const bool was_full = deferred.count == deferred.kMax;
    if (deferred.count != 0) QueueDeferred(deferred, rotation, heads, undecided);
    bounded.ResolveIfFull();
    if (at.head == heads.count) break;
    // There is room again, so the quick loop may defer the vector at which it stopped.
    if (was_full) continue;
    // If the quick loop stops again within two blocks, BoundedRotation takes twice as many as the last time.
    const std::size_t taken = (at.head - before.head) * heads.pairs + at.pair - before.pair;
    const bool is_last = heads.pairs - at.pair < block;
    if (!is_last) blocks = taken > 2 * block ? 1 : HWY_MIN(2 * blocks, kMaxBlocks);
    at = bounded.Rotate(at, is_last ? 1 : blocks * block);
  }
  return bounded.tally();
}

// Rotates a token's heads, each element correctly rounded:
//
//   x = G (a cos - b sin), y = G (b cos + a sin)
//
// `room` is PackSinCos' for the same type, pairing and gain; `angles` are the same token's, without the
// gain.
template <posenc_type kType, posenc_pairing kPairing>
Tally RotateExact(const Rotation& rotation, TokenAngles& angles, const PackedSinCosRoom& room,
                  const Heads& heads, UndecidedPairs& undecided) {
  using Packed = PackedSinCos<kType, kPairing>;
  using Value = typename Packed::Value;
  const auto& first = PackedIn<kType, kPairing>(room).parts[0];
  const auto& last = PackedIn<kType, kPairing>(room).parts[Packed::kParts - 1];  // float32 has one part
  return RotateBlocks<kType, Value>(&RotateQuickly<kType, kPairing, Value>,
                                    {first.cosines, first.sines, last.cosines, last.sines}, rotation, angles,
                                    heads, undecided);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_INL_H_
