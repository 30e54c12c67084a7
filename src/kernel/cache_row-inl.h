// Rows of a cache: cosines and sines of a token's angles times the gain, correctly rounded to the cache's
// type. (RowRuns in token_angles.h says which rows come from the loops of runs-inl.h instead.) Included once
// per target.
//
// u = 2^-53. *Worst known* errors were found as in token_sincos-inl.h. proof/rotation.md argues the bounds.
#if defined(POSENC_SRC_KERNEL_CACHE_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_CACHE_ROW_INL_H_
#undef POSENC_SRC_KERNEL_CACHE_ROW_INL_H_
#else
#define POSENC_SRC_KERNEL_CACHE_ROW_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "kernel/direct-inl.h"
#include "kernel/heads.h"
#include "kernel/rotary_reference.h"
#include "kernel/token_sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Stores floats rounded to the type. They are decided: numbers of the type, or not near its midpoints.
template <posenc_type kType>
HWY_INLINE void StoreSinCos(FloatVec sin_cos, ElementOf<kType>* to) {
  StoreLanes(WriteOperation<kType>(), Floats(), sin_cos, nullptr, to, false);
}

// Rounds a row of a cache for one token: entries [pairs, rounded up to whole vectors] G cos, and G sin or, if
// the gain is inverse, -G sin. Zeros become +0.
template <posenc_type kType>
class CacheRowRounding {
 public:
  CacheRowRounding(const Rotation& rotation, void* cosines, void* sines)
      : rotation_(rotation),
        to_cosines_(static_cast<ElementOf<kType>*>(cosines)),
        to_sines_(static_cast<ElementOf<kType>*>(sines)) {}

  // The ladder of a row. A tier keeps an entry only if all numbers within its error bound round to this
  // entry. It leaves vectors with other entries to the next tier:
  //
  //   tier                   takes                      error               leaves
  //   1  RoundAdded          rows after an anchor       6.5 u G, absolute   entries below 2^-12 G, or within
  //                                                                         2^15 ulps of a midpoint
  //   2  RoundScaled         direct angles: a row, or   5 u                 entries within kScaledWindow of
  //                          what tier 1 leaves                             a midpoint
  //   3  RoundBetween        what tier 2 leaves, for    5 u                 intervals around a midpoint
  //                          16-bit types
  //   4  RecomputeSinCos     one pair at a time         none                nothing
  //
  // Tiers 2 and 3 are in RoundDirect. A tier takes a few instructions for each pair; but a vector that tier 1
  // leaves is evaluated anew (SinCosOfPairs), and tier 4 is wide arithmetic.
  HWY_INLINE void Round(const AddedAngles& angles) {
    const std::size_t lanes = hn::Lanes(Doubles()), count = rotation_.table.count;
    const bool is_added = angles.offset_cosines != nullptr;
    HWY_ALIGN double direct_cosines[kMaxLanes<Doubles>], direct_sines[kMaxLanes<Doubles>];
    for (std::size_t i = 0; i < count;) {
      const double *cosines = angles.cosines + i, *sines = angles.sines + i;
      std::size_t end = count;
      if (is_added) {
        i = RoundAdded(angles, i);
        if (i >= count) return;
        end = i + 1;
        SinCosOfPairs(rotation_.table, rotation_.multiples, i, end, direct_cosines, direct_sines,
                      rotation_.tally);
        cosines = direct_cosines;
        sines = direct_sines;
      }
      i = RoundDirect(cosines, sines, i, end);
      if (i >= end) continue;
      RecomputeSinCos(rotation_, kType, i, undecided_.undecided, lanes, to_cosines_ + i, to_sines_ + i);
      i += lanes;
    }
  }

 private:
  // Rounds sums of angles from pair i on. Returns the first pair of a vector that is left, or table.count or
  // more.
  //
  // Error of a product with the gain that is at least G * kMinAddedSinCos (2^-12): 2^12 * kAddedAngleError
  // and 2 u, below kAddedAngleWindow (2^15 ulps). Worst known:
  //   8,346 u        sine of 8 * 0x1.fffadad9a35f5p-2, 5 behind its anchor, G = 0x1.00024e16e7eb8p0:
  //                  got -0x1.02a1802d98eabp-12, want -0x1.02a1802d99f23p-12
  //   without FMA
  //   8,760 u        cosine of 17 * 0x1.e1f53909371a4p-5, 6 behind its anchor, G = 0x1.00054e7df6e6bp0:
  //                  got -0x1.024002c304f7bp-12, want -0x1.024002c303e39p-12
  HWY_INLINE std::size_t RoundAdded(const AddedAngles& added, std::size_t i) const {
    const Doubles d;
    ElementOf<kType>*const to_cosines = to_cosines_, *const to_sines = to_sines_;
    const Gain& gain = rotation_.gain;
    const auto factor = hn::Set(d, gain.nearest());
    const auto sine_factor = hn::Set(d, gain.inverse ? -gain.nearest() : gain.nearest());
    // The relative error of smaller products is too large, and the test for midpoints does not hold for
    // subnormal numbers.
    const auto least =
        hn::Set(d, HWY_MAX(gain.nearest() * kMinAddedSinCos, TwoTo(TraitsOf(kType).min_exponent - 1)));
    const std::size_t count = rotation_.table.count;
    for (; i < count; i += hn::Lanes(d)) {
      DoubleVec cosine, sine;
      AddVector(added, i, cosine, sine);
      cosine = hn::Mul(cosine, factor);
      sine = hn::Mul(sine, sine_factor);
      auto undecided = hn::Lt(hn::Min(hn::Abs(cosine), hn::Abs(sine)), least);
      undecided = hn::Or(undecided, IsNearMidpoint<kType, kAddedAngleWindow>(cosine));
      undecided = hn::Or(undecided, IsNearMidpoint<kType, kAddedAngleWindow>(sine));
      if (HWY_UNLIKELY(!hn::AllFalse(d, undecided))) return i;
      StoreSinCos<kType>(ToFloats(cosine), to_cosines + i);
      StoreSinCos<kType>(ToFloats(sine), to_sines + i);
    }
    return i;
  }

  // Rounds direct angles of pairs begin .. end - 1. Returns the first pair of a vector with lanes that are
  // left, after it has stored the other lanes and has set undecided_; or `end` or more.
  //
  //   cosines, sines  [end - begin, rounded up to whole vectors]
  //
  // Error of the products before they are rounded: kScaledError (5 u).
  // Worst known:
  //   2.50 u         cosine of 214 * 0x1.240b38c81c966p-9, G = 0x1.5d99633eeab98p0: got 0x1.000a455124b47p0,
  //                  want 0x1.000a455124b48p0
  //   without FMA
  //   3.04 u         sine of 1318 * 0x1.d210cc4ed784bp-10, G = 0x1.f296370a86971p0: got -0x1.0000cc5568d03p0,
  //                  want -0x1.0000cc5568d05p0
  HWY_INLINE std::size_t RoundDirect(const double* cosines, const double* sines, std::size_t begin,
                                     std::size_t end) {
    const Doubles d;
    const Gain& gain = rotation_.gain;
    ElementOf<kType>*const to_cosines = to_cosines_, *const to_sines = to_sines_;
    const auto factor = hn::Set(d, gain.nearest());
    const auto sine_factor = hn::Set(d, gain.inverse ? -gain.nearest() : gain.nearest());
    for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
      // Adding 0 makes +0 of -0. A sine that is not 0 is at least 2^-960 (SinCosOfPairs), and a gain at least
      // 2^-64. So the product is not 0 either, and keeps the sign for what it rounds to.
      const auto cosine = hn::Add(hn::Mul(hn::LoadU(d, cosines + (i - begin)), factor), hn::Zero(d));
      const auto sine = hn::Add(hn::Mul(hn::LoadU(d, sines + (i - begin)), sine_factor), hn::Zero(d));
      FloatVec rounded_cosine, rounded_sine;
      auto undecided = RoundScaled<kType>(cosine, rounded_cosine);
      undecided = hn::Or(undecided, RoundScaled<kType>(sine, rounded_sine));
      if (kType != POSENC_F32 && HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
        const auto error = hn::Set(d, kScaledError);
        undecided =
            RoundBetween(kFormatRounding<kType>, cosine, hn::Mul(hn::Abs(cosine), error), rounded_cosine);
        undecided = hn::Or(undecided, RoundBetween(kFormatRounding<kType>, sine,
                                                   hn::Mul(hn::Abs(sine), error), rounded_sine));
      }
      StoreSinCos<kType>(rounded_cosine, to_cosines + i);
      StoreSinCos<kType>(rounded_sine, to_sines + i);
      if (HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
        undecided_.Set(undecided);
        return i;
      }
    }
    return HWY_MAX(end, begin + hn::Lanes(d));
  }

  const Rotation& rotation_;
  ElementOf<kType>* to_cosines_;
  ElementOf<kType>* to_sines_;
  UndecidedLanes undecided_;
};

// A row of a cache, by CacheRowRounding.
template <posenc_type kType>
void RoundCacheRow(const Rotation& rotation, const AddedAngles& angles, void* cosines, void* sines) {
  CacheRowRounding<kType>(rotation, cosines, sines).Round(angles);
}

// A row of a cache of doubles: gain times sums of two doubles, correctly rounded.
//
//   rounded_cosines, rounded_sines  [table.count], of any alignment
//
// Error before rounding: kDoubleError of the value, and kPhaseErrorPerUncancelled * table.min_uncancelled
// of the phase (absolute), times the gain.
//
// RoundSum decides most pairs. RecomputeSinCos takes the others to wide arithmetic: undecided pairs, phases
// above kLargestPhase and tiny phases.
inline void RoundCacheRowToDouble(const Rotation& rotation, const AddedAngles& /*angles*/,
                                  void* rounded_cosines, void* rounded_sines) {
  const FrequencyTable& table = rotation.table;
  const Multiples& multiples = rotation.multiples;
  const Gain& gain = rotation.gain;
  const Doubles d;
  const TokenPhases phases(table, multiples);
  const DoubleDouble product = gain.Sum();
  const auto factor = hn::Set(d, product.high), factor_low = hn::Set(d, product.low);
  auto* to_cosines = static_cast<unsigned char*>(rounded_cosines);
  auto* to_sines = static_cast<unsigned char*>(rounded_sines);
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    const auto multiple =
        multiples.list != nullptr ? hn::LoadU(d, multiples.list + i) : hn::Set(d, multiples.position);
    const auto high = hn::LoadU(d, phases.steps.high + i);
    SinCosParts sums;
    FillSinCosParts(multiples, phases, i, sums);
    const auto phase = hn::Load(d, sums.phase);
    auto cosine = hn::Load(d, sums.cosine), cosine_low = hn::Load(d, sums.cosine_low);
    auto sine = hn::Load(d, sums.sine), sine_low = hn::Load(d, sums.sine_low);
    const auto phase_error =
        hn::Mul(hn::Abs(phase), hn::Set(d, table.min_uncancelled * kPhaseErrorPerUncancelled));
    const auto cosine_error =
        hn::Mul(hn::MulAdd(hn::Abs(cosine), hn::Set(d, kDoubleError), phase_error), factor);
    const auto sine_error = hn::Mul(hn::MulAdd(hn::Abs(sine), hn::Set(d, kDoubleError), phase_error), factor);
    Multiply(cosine, cosine_low, factor, factor_low, cosine, cosine_low);
    Multiply(sine, sine_low, factor, factor_low, sine, sine_low);
    if (gain.inverse) {
      sine = hn::Neg(sine);
      sine_low = hn::Neg(sine_low);
    }
    DoubleVec rounded_cosine, rounded_sine;
    auto undecided = RoundSum(cosine, cosine_low, cosine_error, rounded_cosine);
    undecided = hn::Or(undecided, RoundSum(sine, sine_low, sine_error, rounded_sine));
    undecided = hn::Or(undecided, hn::Gt(hn::Abs(phase), hn::Set(d, kLargestPhase)));
    if (phases.may_be_tiny) undecided = hn::Or(undecided, IsTiny(multiple, high, kMinDoublePhase));
    HWY_ALIGN double entries[2][kMaxLanes<Doubles>];
    hn::Store(rounded_cosine, d, entries[0]);
    hn::Store(rounded_sine, d, entries[1]);
    if (HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
      UndecidedLanes lanes;
      lanes.Set(undecided);
      RecomputeSinCos(rotation, POSENC_F64, i, lanes.undecided, hn::Lanes(d), entries[0], entries[1]);
    }
    const std::size_t count = HWY_MIN(hn::Lanes(d), table.count - i);
    StoreDoubles(entries[0], count, 1, to_cosines + i * sizeof(double));
    StoreDoubles(entries[1], count, 1, to_sines + i * sizeof(double));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_CACHE_ROW_INL_H_
