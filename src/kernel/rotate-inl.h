// Rotation of a token's heads, exactly. Included once per target.
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
#include "kernel/undecided_pairs-inl.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotate_quickly-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The pairs of a token's heads that the quick loop leaves, whatever their elements are.
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

  // From `at` on `count` pairs, in whole blocks of a head: so many that the quick loop may go on there.
  Progress Rotate(Progress at, std::size_t count) {
    if (!are_looked_at_) bounds_.LookAt(angles_.cosines, angles_.sines, heads_.pairs);
    are_looked_at_ = true;
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

  void ResolveIfFull() {
    if (HWY_UNLIKELY(undecided_.count >= UndecidedPairs::kFull)) {
      ResolveUndecidedPairs(kType, rotation_.table, rotation_.gain, undecided_, tally_);
    }
  }

  // As many pairs as the quick loop takes at once.
  std::size_t Block() const {
    if (!kHasVectors) return 32;
    return hn::Lanes(hn::ScalableTag<float>()) * (kTakesWords<kType, POSENC_HALF_SPLIT> && is_split_ ? 2 : 1);
  }

  const Tally& tally() const { return tally_; }

 private:
  static constexpr bool kInFloat = kType != POSENC_F32;

  // Added turns that leave so many pairs of a token open are replaced by direct ones.
  static constexpr std::size_t kFewUndecided = 2;

  // Whole vectors, to where open pairs should be closed; returns the pair behind them.
  std::size_t RotateVectors(Progress at, std::size_t end) {
    const Head<kType> head(heads_, at.head);
    const std::size_t element = at.pair * step_, lanes = hn::Lanes(PairsOf<kType>());
    const std::size_t count = (end - at.pair) / lanes * lanes;
    return at.pair + RotateRun(head.source + element, head.data + element, heads_.pairs, at, count);
  }

  // Fewer pairs than a vector has lanes.
  std::size_t RotateLast(Progress at, std::size_t end) {
    return is_split_ ? RotateLastOf<POSENC_HALF_SPLIT>(at, end) : RotateLastOf<POSENC_NEIGHBOURS>(at, end);
  }
  template <posenc_pairing kPairing>
  HWY_NOINLINE std::size_t RotateLastOf(Progress at, std::size_t end) {
    const Head<kType> head(heads_, at.head);
    LastPairs<kType, kPairing, PairsOf<kType>> last;
    last.Read(head.source, at.pair, end, heads_.pairs);
    RotateRun(last.elements, last.elements, hn::Lanes(PairsOf<kType>()), at, end - at.pair);
    last.Write(head.data, at.pair, end, heads_.pairs);
    return end;
  }

  static std::uint64_t LanesBelow(std::size_t count) {
    return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  }

  // Vectors of pairs, of which `count` are the head's; half-split elements are `apart`. Returns how many it
  // took.
  HWY_NOINLINE std::size_t RotateRun(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                                     Progress at, std::size_t count) {
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
          if (List(BitsOf(di, undecided) & (LanesBelow(count - k)), from + element, apart,
                   {at.head, at.pair + k}))
            break;
        }
      }
      if (is_split_) {
        StorePairs<kType, POSENC_HALF_SPLIT>(df, x, y, to + element, apart);
      } else {
        StorePairs<kType, POSENC_NEIGHBOURS>(df, x, y, to + element, apart);
      }
    }
    return k;
  }

  // Lists open pairs; false if there were many, for want of direct turns, which now there are.
  HWY_NOINLINE bool List(std::uint64_t pairs, const ElementOf<kType>* from, std::size_t apart, Progress at) {
    if (!angles_.are_direct && (open_by_added_ += hwy::PopCount(pairs)) > kFewUndecided) {
      TakeDirectAngles();
      return false;
    }
    QueueUndecided(kType, pairs, from, apart, at, rotation_, heads_, undecided_);
    return true;
  }

  HWY_NOINLINE void TakeDirectAngles() {
    SinCosOfPairs(rotation_.table, rotation_.token, 0, heads_.pairs, angles_.cosines, angles_.sines, tally_);
    angles_.are_direct = true;
    bounds_ = SinCosBounds(rotation_.gain, true, kInFloat);
    bounds_.LookAt(angles_.cosines, angles_.sines, heads_.pairs);
  }

  const Rotation& rotation_;
  const Heads& heads_;
  TokenAngles& angles_;
  UndecidedPairs& undecided_;
  bool is_split_;
  std::size_t step_;  // from an element to that of the next pair
  SinCosBounds bounds_;
  bool are_looked_at_ = false;
  std::size_t open_by_added_ = 0;
  Tally tally_;
};

template <posenc_type kType, posenc_pairing kPairing>
void PlaceSinCos(const double* cosines, const double* sines, std::size_t pairs, const Gain& gain,
                 PlacedSinCosRoom& room) {
  const ScaledSinCos gained(cosines, sines, pairs, gain);
  auto* placed = new (room.bytes) PlacedSinCos<kType, kPairing>;
  if constexpr (kType == POSENC_F32) {
    StoreScaled(gained.Scaled(kSinCosScale<POSENC_F32>), placed->parts[0]);
  } else {
    PlaceParts<kType, kPairing, Part::kHigh>(gained, placed->parts[0]);
    PlaceParts<kType, kPairing, Part::kLow>(gained, placed->parts[1]);
  }
}

// After so many blocks at most the quick loop is tried again.
inline constexpr std::size_t kMaxBlocks = 16;

// By the quick loop of a pairing, and of what it leaves open the bounded one.
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
  for (Progress at{0, 0};;) {
    const Progress before = at;
    if (is_quick) at = rotate_quickly(heads, quick, at, deferred);
    const bool were_many = deferred.count == deferred.kMax;
    if (deferred.count != 0) QueueDeferred(deferred, rotation, heads, undecided);
    bounded.ResolveIfFull();
    if (at.head == heads.count) break;
    if (were_many) continue;
    // Where the quick loop fails again and again, the other one takes longer and longer runs.
    const std::size_t taken = (at.head - before.head) * heads.pairs + at.pair - before.pair;
    const bool is_last = heads.pairs - at.pair < block;
    if (!is_last) blocks = taken > 2 * block ? 1 : HWY_MIN(2 * blocks, kMaxBlocks);
    at = bounded.Rotate(at, is_last ? 1 : blocks * block);
  }
  return bounded.tally();
}

template <posenc_type kType>
using QuickValue = typename PlacedSinCos<kType, POSENC_HALF_SPLIT>::Value;

template <
    posenc_type kType, posenc_pairing kPairing,
    decltype(&RotateBlocks<kType, QuickValue<kType>>) kRotateBlocks = &RotateBlocks<kType, QuickValue<kType>>>
Tally RotateExact(const Rotation& rotation, TokenAngles& angles, const PlacedSinCosRoom& room,
                  const Heads& heads, UndecidedPairs& undecided) {
  using Placed = PlacedSinCos<kType, kPairing>;
  const auto& first = PlacedIn<kType, kPairing>(room).parts[0];
  const auto& last = PlacedIn<kType, kPairing>(room).parts[Placed::kParts - 1];  // of float32 the same
  return kRotateBlocks(&RotateQuickly<kType, kPairing, QuickValue<kType>>,
                       {first.cosines, first.sines, last.cosines, last.sines}, rotation, angles, heads,
                       undecided);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_INL_H_
