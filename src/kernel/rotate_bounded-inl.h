// The exact rotation's second tier, which rotates the vectors that the quick loop leaves. Included once per
// target.
#if defined(POSENC_SRC_KERNEL_ROTATE_BOUNDED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_BOUNDED_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_BOUNDED_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_BOUNDED_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotate_quickly-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rotates the vectors that the quick loop leaves undecided, with any elements: 16-bit types first by
// RoundConverted, float32 that stays float32 first by RotateFinite, and what is left by RotateWithin (errors
// there). Pairs that are still undecided are queued for ResolveUndecidedPairs. But if added angles leave more
// than kFewUndecided pairs of a token undecided, direct angles replace them, and the vector is rotated again.
template <posenc_type kFrom, posenc_type kTo>
class BoundedRotation {
 public:
  BoundedRotation(const Rotation& rotation, const Heads& heads, TokenAngles& angles,
                  UndecidedPairs& undecided)
      : rotation_(rotation),
        heads_(heads),
        angles_(angles),
        undecided_(undecided),
        is_split_(heads.pairing == POSENC_HALF_SPLIT),
        step_(is_split_ ? 1 : 2) {
    if (!angles.has_bounds) TakeBounds();
  }

  // Rotates `count` pairs from `at` on, or a few more: to the end of a pass, where the quick loop may go on,
  // or of the head. It stops earlier if the queue becomes full. Returns the next pair.
  PairCursor Rotate(PairCursor at, std::size_t count) {
    const std::size_t pass = PairsPerPass(kFrom, heads_.pairing);
    while (count != 0 && at.head != heads_.count && !undecided_.IsFull()) {
      const std::size_t end = HWY_MIN(heads_.pairs, at.pair - at.pair % pass + hwy::RoundUpTo(count, pass));
      count -= HWY_MIN(count, end - at.pair);
      while (at.pair != end && !undecided_.IsFull()) {
        at.pair = end - at.pair >= hn::Lanes(PairsOf<kFrom>()) ? RotateVectors(at, end) : RotateLast(at, end);
      }
      if (at.pair == heads_.pairs) at = {at.head + 1, 0};
    }
    return at;
  }

 private:
  static constexpr bool kInFloat = kFrom != POSENC_F32;
  static constexpr bool kConverts = kHasVectors && kInFloat;
  static constexpr bool kTakesFinite = kHasVectors && kFrom == POSENC_F32 && kTo == POSENC_F32;

  // If added angles leave more pairs of a token undecided than this, direct angles replace them.
  static constexpr std::size_t kFewUndecided = 2;

  // RotateFinite pays if it rotates more than about this many vectors before it stops.
  static constexpr std::size_t kFewVectors = 4;

  // Rotates the whole vectors before `end`, or fewer if the queue becomes full. Returns the next pair.
  std::size_t RotateVectors(PairCursor at, std::size_t end) {
    const Head<kFrom, kTo> head(heads_, at.head);
    const std::size_t element = at.pair * step_, lanes = hn::Lanes(PairsOf<kFrom>());
    const std::size_t count = (end - at.pair) / lanes * lanes;
    return at.pair + RotateRun(head.source + element, head.data + element, heads_.apart, at, count);
  }

  // Rotates the pairs before `end`, fewer than a vector has lanes, by way of a copy. Returns `end`.
  std::size_t RotateLast(PairCursor at, std::size_t end) {
    return is_split_ ? RotateLastOf<POSENC_HALF_SPLIT>(at, end) : RotateLastOf<POSENC_NEIGHBOURS>(at, end);
  }
  template <posenc_pairing kPairing>
  HWY_NOINLINE std::size_t RotateLastOf(PairCursor at, std::size_t end) {
    const Head<kFrom, kTo> head(heads_, at.head);
    LastPairs<kFrom, kTo, kPairing, PairsOf<kFrom>> last;
    last.Read(head.source, at.pair, end, heads_.apart);
    RotateRun(last.elements, last.Results(), hn::Lanes(PairsOf<kFrom>()), at, end - at.pair);
    last.Write(head.data, at.pair, end, heads_.apart);
    return end;
  }

  // A bit for each of the first `count` lanes.
  static std::uint64_t LanesBelow(std::size_t count) {
    return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  }

  // Rotates vectors of pairs, from pair `at` on, until `count` pairs are done or the queue is full. Returns
  // how many pairs are done, as whole vectors. Lanes beyond `count` are not queued.
  //
  //   from, to  a and x; b and y are `apart` elements behind them if half-split, else beside them
  //
  // A vector of zeros becomes +0, and one with a NaN in every pair becomes NaNs.
  // A vector with an infinity or a NaN in every pair is rotated by direct angles, with which these are
  // decided.
  HWY_NOINLINE std::size_t RotateRun(const ElementOf<kFrom>* from, ElementOf<kTo>* to, std::size_t apart,
                                     PairCursor at, std::size_t count) {
    const PairsOf<kFrom> df;
    const hn::RebindToSigned<PairsOf<kFrom>> di;
    const bool is_split = is_split_;
    std::size_t k = 0, left = count;  // left: the vector that RotateConverted or RotateFinite did not take
    for (; k < count && (k == 0 || !undecided_.IsFull()); k += hn::Lanes(df)) {
      const std::size_t element = is_split ? k : 2 * k;
      hn::Vec<PairsOf<kFrom>> a, b;
      if (is_split) {
        LoadPairs<kFrom, POSENC_HALF_SPLIT>(df, from + element, apart, a, b);
      } else {
        LoadPairs<kFrom, POSENC_NEIGHBOURS>(df, from + element, apart, a, b);
      }
      const auto larger = LargerBits(df, a, b);
      auto x = hn::Set(hn::RebindToUnsigned<PairsOf<kFrom>>(), kNanBits<kTo>), y = x;
      if (hn::AllTrue(di, hn::Eq(larger, hn::Zero(di)))) {
        x = y = hn::Zero(hn::RebindToUnsigned<PairsOf<kFrom>>());
      } else if (!hn::AllTrue(di, hn::Gt(larger, hn::Set(di, 0x7F800000)))) {
        const bool are_special = hn::AllTrue(di, hn::Gt(larger, hn::Set(di, 0x7F7FFFFF)));
        if (are_special && !angles_.are_direct) TakeDirectAngles();
        const bool is_tried = kConverts || (kTakesFinite && !angles_.bounds.has_zeros &&
                                            count - k >= kFewVectors * hn::Lanes(df));
        if (is_tried && angles_.bounds.tries != 0 && k != left) {
          left = k + (kConverts ? RotateConverted(from + element, to + element, apart, at.pair + k, count - k)
                                : RotateFinite(from + element, to + element, apart, at.pair + k, count - k));
          k = left - hn::Lanes(df);  // the loop adds a vector
          continue;
        }
        for (;;) {
          const std::size_t pair = heads_.first + at.pair + k;
          const auto undecided = RotateWithin<kFrom, kTo>(a, b, angles_.cosines + pair, angles_.sines + pair,
                                                          angles_.bounds, x, y);
          if (HWY_LIKELY(hn::AllFalse(di, undecided))) break;
          if (Queue(BitsOf(di, undecided) & (LanesBelow(count - k)), from + element, apart,
                    {at.head, at.pair + k}))
            break;
        }
      }
      if (is_split) {
        StoreElements<kTo, POSENC_HALF_SPLIT>(df, x, y, to + element, apart);
      } else {
        StoreElements<kTo, POSENC_NEIGHBOURS>(df, x, y, to + element, apart);
      }
    }
    return k;
  }

  // Rotates whole vectors of pairs with a 16-bit type as RotateRun does, up to the first vector that
  // RoundConverted does not decide. There are few such vectors. Returns how many pairs are done.
  HWY_NOINLINE std::size_t RotateConverted(const ElementOf<kFrom>* from, ElementOf<kTo>* to,
                                           std::size_t apart, std::size_t pair, std::size_t count) {
    std::size_t k = 0;
    if constexpr (kConverts) {
      const Entries df;
      const Words dw;
      const SignedWords di;
      const SinCosBounds bounds = angles_.bounds;  // a copy, which the compiler knows no store can change
      const double *cosines = angles_.cosines + heads_.first + pair,
                   *sines = angles_.sines + heads_.first + pair;
      const bool is_split = is_split_;
      for (; k + hn::Lanes(df) <= count; k += hn::Lanes(df)) {
        EntryVec a, b;
        if (is_split) {
          LoadPairs<kFrom, POSENC_HALF_SPLIT>(df, from + k, apart, a, b);
        } else {
          LoadPairs<kFrom, POSENC_NEIGHBOURS>(df, from + 2 * k, apart, a, b);
        }
        EntryVec x_sum, y_sum;
        SumPairsToFloats(a, b, cosines + k, sines + k, bounds, x_sum, y_sum);
        const auto larger = LargerBits(df, a, b);
        const auto is_special = hn::Gt(larger, hn::Set(di, 0x7F7FFFFF));  // infinities and NaNs
        const bool are_finite = hn::AllFalse(di, is_special);
        const bool has_infinities =
            HWY_UNLIKELY(!are_finite) && !hn::AllFalse(di, hn::Eq(larger, hn::Set(di, 0x7F800000)));
        if (HWY_UNLIKELY(has_infinities && !bounds.are_direct)) break;
        WordVec x = hn::Zero(dw), y = x;
        auto is_decided = hn::RebindMask(df, is_special);
        if (HWY_LIKELY(!hn::AllTrue(di, is_special))) is_decided = RoundConverted<kTo>(x_sum, y_sum, x, y);
        if (HWY_UNLIKELY(!are_finite)) {
          const auto special = hn::RebindMask(dw, is_special);
          const auto nan = hn::Set(dw, kNanBits<kTo>);
          x = hn::IfThenElse(special, has_infinities ? BitsOfNumbers<kTo>(df, x_sum) : nan, x);
          y = hn::IfThenElse(special, has_infinities ? BitsOfNumbers<kTo>(df, y_sum) : nan, y);
          is_decided = hn::Or(is_decided, hn::RebindMask(df, is_special));
        }
        if (!hn::AllTrue(df, is_decided)) {
          --angles_.bounds.tries;
          break;
        }
        if (is_split) {
          StoreElements<kTo, POSENC_HALF_SPLIT>(df, x, y, to + k, apart);
        } else {
          StoreElements<kTo, POSENC_NEIGHBOURS>(df, x, y, to + 2 * k, apart);
        }
      }
    }
    return k;
  }

  // Rotates whole vectors of pairs of float32 as RotateRun does, in less time, up to the first vector that
  // has an undecided pair, an infinity or a NaN. bounds.has_zeros must be false. Returns how many pairs are
  // done.
  HWY_NOINLINE std::size_t RotateFinite(const ElementOf<kFrom>* from, ElementOf<kTo>* to, std::size_t apart,
                                        std::size_t pair, std::size_t count) {
    std::size_t k = 0;
    if constexpr (kTakesFinite) {
      const Floats df;
      const Doubles d;
      const hn::RebindToSigned<Floats> di;
      SinCosBounds bounds = angles_.bounds;  // a copy, which the compiler knows no store can change
      bounds.has_zeros = false;  // as it is: so the compiler leaves out what BoundsOf does for zeros
      const double *cosines = angles_.cosines + heads_.first + pair,
                   *sines = angles_.sines + heads_.first + pair;
      const bool is_split = is_split_;
      for (; k + hn::Lanes(df) <= count; k += hn::Lanes(df)) {
        FloatVec a, b;
        if (is_split) {
          LoadPairs<kFrom, POSENC_HALF_SPLIT>(df, from + k, apart, a, b);
        } else {
          LoadPairs<kFrom, POSENC_NEIGHBOURS>(df, from + 2 * k, apart, a, b);
        }
        const auto larger = LargerBits(df, a, b);
        WordsAs<Floats> x = hn::Zero(hn::RebindToUnsigned<Floats>()), y = x;
        if (HWY_LIKELY(!hn::AllTrue(di, hn::Eq(larger, hn::Zero(di))))) {
          const auto cosine = hn::LoadU(d, cosines + k), sine = hn::LoadU(d, sines + k);
          DoubleVec x_sum, y_sum, x_bound, y_bound;
          SumPairs(a, b, cosine, sine, bounds, x_sum, y_sum);
          BoundsOf<false>(a, b, cosine, sine, bounds, x_bound, y_bound);
          const auto x_differ = RoundToFloats(x_sum, x_bound, x), y_differ = RoundToFloats(y_sum, y_bound, y);
          const auto is_decided = hn::Eq(hn::BitCast(di, hn::Or(x_differ, y_differ)), hn::Zero(di));
          if (!hn::AllTrue(di, hn::And(is_decided, hn::Lt(larger, hn::Set(di, 0x7F800000))))) {
            if (k < kFewVectors * hn::Lanes(df)) --angles_.bounds.tries;
            break;
          }
        }
        if (is_split) {
          StoreElements<kTo, POSENC_HALF_SPLIT>(df, x, y, to + k, apart);
        } else {
          StoreElements<kTo, POSENC_NEIGHBOURS>(df, x, y, to + 2 * k, apart);
        }
      }
    }
    return k;
  }

  // Queues the undecided pairs of a vector, a bit each, whose elements are at `from` as in RotateRun. Returns
  // false, and queues none, if with these the token's added angles have left more than kFewUndecided pairs
  // undecided: now its angles are direct, and the vector must be rotated again.
  HWY_NOINLINE bool Queue(std::uint64_t pairs, const ElementOf<kFrom>* from, std::size_t apart,
                          PairCursor at) {
    if (!angles_.are_direct && (angles_.undecided_by_added += hwy::PopCount(pairs)) > kFewUndecided) {
      TakeDirectAngles();
      return false;
    }
    undecided_.Append(rotation_, heads_, at, pairs, from, apart);
    return true;
  }

  // Replaces the token's added angles by direct ones, for all its heads.
  HWY_NOINLINE void TakeDirectAngles() {
    SinCosOfPairs(rotation_.table, rotation_.multiples, 0, rotation_.table.count, angles_.cosines,
                  angles_.sines, rotation_.tally);
    angles_.are_direct = true;
    TakeBounds();
  }

  // Makes the bounds for the token's angles and the gain.
  HWY_NOINLINE void TakeBounds() {
    angles_.bounds = MakeBounds(rotation_.gain, angles_.are_direct, kInFloat);
    TightenFor(angles_.cosines, angles_.sines, rotation_.table.count, angles_.bounds);
    angles_.has_bounds = true;
  }

  const Rotation& rotation_;
  const Heads& heads_;
  TokenAngles& angles_;
  UndecidedPairs& undecided_;
  bool is_split_;
  std::size_t step_;  // elements from one pair's a to the next pair's
};

// The second tier of the exact rotation, from `at` on: BoundedRotation::Rotate.
template <posenc_type kFrom, posenc_type kTo>
PairCursor RotateBetweenBounds(const Rotation& rotation, TokenAngles& angles, const Heads& heads,
                               PairCursor at, std::size_t count, UndecidedPairs& undecided) {
  return BoundedRotation<kFrom, kTo>(rotation, heads, angles, undecided).Rotate(at, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_BOUNDED_INL_H_
