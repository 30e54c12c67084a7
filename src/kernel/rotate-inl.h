// Rotation of a token's heads, exactly. Included once per target.
#if defined(POSENC_SRC_KERNEL_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/open_pairs-inl.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotate_quickly-inl.h"
#include "kernel/rotate_still-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pairs that are taken together: floats in double, shorter types in float.
template <posenc_type kType>
using PairsOf = std::conditional_t<kType == POSENC_F32, Floats, hn::ScalableTag<float>>;

// Larger elements are left to what rounds sums beyond the largest float; NaNs and infinities too.
inline std::int32_t MostOf(double gain) {
  const double most = 0x1p126 / gain;
  const float bound = most < 0x1.fffffep127 ? static_cast<float>(most) : 0x1.fffffep127f;
  std::int32_t bits;
  std::memcpy(&bits, &bound, sizeof(bits));
  return bits;
}

// Cosines and sines, their gain, and what bounds the error of the sums.
struct BoundedTurns : GainedTurns {
  double error;       // by the larger of |a| and |b|
  std::int32_t most;  // bits of the largest float of which no sum overflows

  BoundedTurns(const GainedTurns& gained, posenc_type type) : GainedTurns(gained) {
    constexpr double kInFloat =
        HWY_NATIVE_FMA && !HWY_ARCH_PPC ? kFloatRotationError : kFloatRotationErrorWithoutFma;
    error = type == POSENC_F32 ? kRotationError * factor : kInFloat * factor * (1.0 + 0x1p-20);
    most = type == POSENC_F32 ? 0x7F7FFFFF : MostOf(factor);  // doubles do not overflow
  }
};

// Cosines or sines times their gain as floats; of a vector that reaches beyond them zeros.
template <class DF>
HWY_INLINE hn::Vec<DF> LoadGained([[maybe_unused]] DF df, const double* from, double factor, std::size_t i,
                                  [[maybe_unused]] std::size_t count) {
  const Doubles d;
  const auto lower = ToFloats(hn::Mul(hn::LoadU(d, from + i), hn::Set(d, factor)));
#if HWY_TARGET == HWY_SCALAR
  return lower;
#else
  i += hn::Lanes(d);
  const auto upper =
      i < count ? ToFloats(hn::Mul(hn::LoadU(d, from + i), hn::Set(d, factor))) : hn::Zero(Floats());
  return hn::Combine(df, upper, lower);
#endif
}

// Of sums that no midpoint is between, bits in the low halves of words: ties may go either way, NaNs any.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> RoundOpen(DF df, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  if constexpr (kType == POSENC_BF16) {
    return hn::ShiftRight<16>(hn::Add(hn::BitCast(du, v), hn::Set(du, 0x8000u)));
  } else {
    return Float16Bits(df, v);
  }
}

// Whether rounding two floats to the type makes other numbers of them.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> Differ(DF df, hn::Vec<DF> v, hn::Vec<DF> w) {
  const hn::RebindToUnsigned<DF> du;
  if constexpr (kType == POSENC_BF16) {
    const auto half = hn::Set(du, 0x8000u);
    const auto bits = hn::Xor(hn::Add(hn::BitCast(du, v), half), hn::Add(hn::BitCast(du, w), half));
    return hn::And(bits, hn::Set(du, 0xFFFF0000u));
  } else {
    return hn::Xor(Float16Bits(df, v), Float16Bits(df, w));
  }
}

// The elements of a vector of pairs, and the lanes in which the bound leaves one of them open.
template <posenc_type kType, class DF>
HWY_INLINE hn::Mask<hn::RebindToSigned<DF>> RotateExactly(DF df, hn::Vec<DF> a, hn::Vec<DF> b,
                                                          const BoundedTurns& turns, std::size_t i,
                                                          WordsAs<DF>& x, WordsAs<DF>& y) {
  const hn::RebindToSigned<DF> di;
  const hn::RebindToUnsigned<DF> du;
  const auto magnitude = LargerMagnitude(df, a, b);
  const auto special = hn::Gt(magnitude, hn::Set(di, turns.most));
  WordsAs<DF> differ;
  if constexpr (kType == POSENC_F32) {
    const Doubles d;
    const auto bound = hn::Mul(hn::PromoteTo(d, hn::BitCast(df, magnitude)), hn::Set(d, turns.error));
    const auto cosine = hn::Mul(hn::LoadU(d, turns.cosines + i), hn::Set(d, turns.factor));
    const auto sine = hn::Mul(hn::LoadU(d, turns.sines + i), hn::Set(d, turns.sine_factor));
    DoubleVec x_sum, x_low_sum, y_sum, y_low_sum;
    BoundSums(d, hn::PromoteTo(d, a), hn::PromoteTo(d, b), cosine, sine, bound, x_sum, x_low_sum, y_sum,
              y_low_sum);
    x = hn::BitCast(du, ToFloats(x_sum));
    y = hn::BitCast(du, ToFloats(y_sum));
    const auto x_low = hn::BitCast(du, ToFloats(x_low_sum));
    const auto y_low = hn::BitCast(du, ToFloats(y_low_sum));
    differ = hn::Or(hn::Xor(x, x_low), hn::Xor(y, y_low));
  } else {
    const auto larger = hn::BitCast(df, magnitude);
    auto bound = hn::Mul(larger, hn::Set(df, static_cast<float>(turns.error)));
    if constexpr (kType == POSENC_BF16) {
      bound = hn::Max(bound, hn::Min(larger, hn::Set(df, kLeastRotationError)));
    }
    hn::Vec<DF> x_sum, x_low_sum, y_sum, y_low_sum;
    BoundSums(df, a, b, LoadGained(df, turns.cosines, turns.factor, i, turns.count),
              LoadGained(df, turns.sines, turns.sine_factor, i, turns.count), bound, x_sum, x_low_sum, y_sum,
              y_low_sum);
    x = RoundOpen<kType>(df, x_sum);
    y = RoundOpen<kType>(df, y_sum);
    differ = hn::Or(Differ<kType>(df, x_sum, x_low_sum), Differ<kType>(df, y_sum, y_low_sum));
  }
  return hn::Or(special, hn::Ne(hn::BitCast(di, differ), hn::Zero(di)));
}

// One copy for full vectors and for last ones, but where these are none.
#undef POSENC_SHARED_BY_LOOPS
#if HWY_TARGET == HWY_SCALAR
#define POSENC_SHARED_BY_LOOPS HWY_INLINE
#else
#define POSENC_SHARED_BY_LOOPS HWY_NOINLINE
#endif

// The pairs from `pair` on of a head, a vector of them, of which `count` are its; half-split elements are
// `apart`.
template <posenc_type kType, posenc_pairing kPairing>
POSENC_SHARED_BY_LOOPS void RotateVector(const ElementOf<kType>* from, ElementOf<kType>* to,
                                         std::size_t apart, const BoundedTurns& turns, std::size_t head,
                                         std::size_t pair, std::size_t count, OpenPairs& open) {
  const PairsOf<kType> df;
  const hn::RebindToSigned<PairsOf<kType>> di;
  hn::Vec<PairsOf<kType>> a, b;
  WordsAs<PairsOf<kType>> x, y;
  LoadPairs<kType, kPairing>(df, from, apart, a, b);
  const auto flagged = RotateExactly<kType>(df, a, b, turns, pair, x, y);
  if (HWY_UNLIKELY(!hn::AllFalse(di, flagged))) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(di, flagged, bytes);
    const std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t pairs = BitsIn(bytes) & (count < 64 ? ~(all << count) : all);
    ListOpen<kType, kPairing>(pairs, from, apart, head, pair, open);
  }
  StorePairs<kType, kPairing>(df, x, y, to, apart);
}

// The pairs from `at` on to `end`, fewer than a vector has lanes.
template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void RotateLast(const Head<kType>& head, std::size_t pairs, const BoundedTurns& turns,
                             Progress at, std::size_t end, OpenPairs& open) {
  LastPairs<kType, kPairing, PairsOf<kType>> last;
  last.Read(head.source, at.pair, end, pairs);
  RotateVector<kType, kPairing>(last.elements, last.elements, hn::Lanes(PairsOf<kType>()), turns, at.head,
                                at.pair, end - at.pair, open);
  last.Write(head.data, at.pair, end, pairs);
}

// From `pair` on to where RotateQuickly may go on, or to the end of the head; or those that RotateStill
// takes, if there are such.
template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE Progress RotateSome(const Rotation& rotation, const Heads& heads, const BoundedTurns& turns,
                                 std::size_t head, std::size_t pair, OpenPairs& open) {
  if (HWY_UNLIKELY(MayBeStill<kType>(rotation, heads, head, pair))) {
    const Progress still = RotateStill<kType>(rotation, heads, {head, pair});
    if (still.head != head || still.pair != pair) return still;
  }
  const std::size_t lanes = hn::Lanes(PairsOf<kType>());
  const std::size_t some = HWY_TARGET == HWY_SCALAR
                               ? 32
                               : hn::Lanes(hn::ScalableTag<float>()) * (kTakesWords<kType, kPairing> ? 2 : 1);
  const std::size_t end = HWY_MIN(heads.pairs, pair - pair % some + some);
  const Head<kType> elements(heads, head);
  for (; pair + lanes <= end; pair += lanes) {
    const std::size_t element = pair * kStep<kPairing>;
    RotateVector<kType, kPairing>(elements.source + element, elements.data + element, heads.pairs, turns,
                                  head, pair, lanes, open);
  }
  if (pair < end) RotateLast<kType, kPairing>(elements, heads.pairs, turns, {head, pair}, end, open);
  return end == heads.pairs ? Progress{head + 1, 0} : Progress{head, end};
}

template <posenc_type kType, posenc_pairing kPairing>
void PlaceTurns(const double* cosines, const double* sines, std::size_t pairs, const Gain& gain,
                PlacedTurnsRoom& room) {
  const GainedTurns gained(cosines, sines, pairs, gain);
  auto* placed = new (room.bytes) PlacedTurns<kType, kPairing>;
  if constexpr (kType == POSENC_F32) {
    StoreGained(gained.Scaled(kTurnScale<POSENC_F32>), placed->parts[0]);
  } else {
    PlaceParts<kType, kPairing, Part::kHigh>(gained, placed->parts[0]);
    PlaceParts<kType, kPairing, Part::kLow>(gained, placed->parts[1]);
  }
}

template <posenc_type kType, posenc_pairing kPairing>
Tally RotateExact(const Rotation& rotation, const double* cosines, const double* sines,
                  const PlacedTurnsRoom& room, const Heads& heads, OpenPairs& open) {
  using Placed = PlacedTurns<kType, kPairing>;
  const auto& first = PlacedIn<kType, kPairing>(room).parts[0];
  const auto& last = PlacedIn<kType, kPairing>(room).parts[Placed::kParts - 1];  // of float32 the same
  const QuickTurns<typename Placed::Value> quick{first.cosines, first.sines, last.cosines, last.sines};
  const BoundedTurns turns({cosines, sines, heads.pairs, rotation.gain}, kType);
  const bool is_quick = kType != POSENC_BF16 || turns.factor <= kMostQuickGain;
  Tally tally;
  NotedVectors<kType> noted;
  static_assert(OpenPairs::kFull + noted.kMost * noted.kMostPairs <= OpenPairs::kCapacity,
                "there must be room");
  static_assert(OpenPairs::kFull + 2 * kMostLanes<hn::ScalableTag<float>> <= OpenPairs::kCapacity,
                "for what RotateSome leaves open");
  std::size_t complete = open.count;
  const auto close_if_full = [&] {
    if (HWY_LIKELY(open.count < OpenPairs::kFull)) return;
    Complete(rotation.token, heads, ElementSize(kType), turns, complete, open);
    CloseOpenPairs<kType>(rotation.table, rotation.gain, open, tally);
    complete = 0;
  };
  for (Progress at{0, 0}; at.head < heads.count;) {
    if (is_quick) at = RotateQuickly<kType, kPairing>(heads, quick, at, noted);
    if (noted.count != 0) ListNoted<kType, kPairing>(noted, open);
    close_if_full();
    if (at.head == heads.count) break;
    at = RotateSome<kType, kPairing>(rotation, heads, turns, at.head, at.pair, open);
    close_if_full();
  }
  Complete(rotation.token, heads, ElementSize(kType), turns, complete, open);
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_INL_H_
