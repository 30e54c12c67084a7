// Cosine and sine of each angle of a token: as doubles, then times the gain and rounded to a type. Included
// once per target.
//
// Pair i of a token has the angle multiple_i * step_i; step_i, in quarter turns, is the sum of two doubles
// table.high[i] + table.low[i]. Errors are relative unless said otherwise; u = 2^-53. A *worst known* error
// is the largest of 4 * 10^7 random inputs and 2 * 10^7 beside the worst of these, measured against
// SinCosSums (2^-78) and confirmed by MPFR; its step is a single double. PROOF.md, sections 1 and 6, argues
// the bounds.
#if defined(POSENC_SRC_KERNEL_TOKEN_SINCOS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_TOKEN_SINCOS_INL_H_
#undef POSENC_SRC_KERNEL_TOKEN_SINCOS_INL_H_
#else
#define POSENC_SRC_KERNEL_TOKEN_SINCOS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/direct-inl.h"
#include "kernel/heads.h"
#include "kernel/rotary_reference.h"
#include "kernel/sincos_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The phase steps of a token's pairs. They are reduced if all multiples allow that. `may_be_tiny` is set if
// some phase may be too small for SinCos (kMinDoublePhase).
struct TokenPhases {
  StepArrays steps;
  bool may_be_tiny;

  TokenPhases(const FrequencyTable& table, const Multiples& multiples)
      : TokenPhases(table, multiples, 0, table.count) {}

  // Considers only the multiples of the vectors that contain pairs begin .. end - 1.
  TokenPhases(const FrequencyTable& table, const Multiples& multiples, std::size_t begin, std::size_t end)
      : steps{table.high, table.low} {
    bool is_whole = true;
    may_be_tiny = false;
    const std::size_t last = HWY_MIN(end - 1 + hn::Lanes(Doubles()), table.count);
    for (std::size_t i = begin; i < (multiples.list != nullptr ? last : begin + 1); ++i) {
      is_whole = is_whole && MayReduce(multiples[i]);
      may_be_tiny = may_be_tiny || MayBeTiny(multiples[i]);
    }
    if (!is_whole) steps = {table.unreduced_high, table.unreduced_low};
  }
};

// Direct evaluation: cosines[k] = cos(angle of pair begin + k), sines[k] = sin of it, for begin + k < end.
//
//   cosines, sines  [end - begin, rounded up to whole vectors]
//
// Error: kDirectError (3 u). A cosine or sine is 0 only if it is exactly 0, and a sine is never -0.
// Worst known:
//   1.64 u         cos(39432 * 0x1.83deb22687d8fp-6): got -0x1.6ace509480628p-1, want -0x1.6ace509480627p-1
//   without FMA
//   2.22 u         cos(1426 * 0x1.f1e483e808aafp-4): got -0x1.03a8a19a1bfb0p-1, want -0x1.03a8a19a1bfb1p-1
//
// Pairs whose phase cancels too much, or is too small, are undecided; RecomputeSinCos evaluates them in wide
// arithmetic and rounds them to double.
inline HWY_NOINLINE void SinCosOfPairs(const FrequencyTable& table, const Multiples& multiples,
                                       std::size_t begin, std::size_t end, double* cosines, double* sines,
                                       Tally& tally) {
  const Doubles d;
  const TokenPhases phases(table, multiples, begin, end);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d), cosines += hn::Lanes(d), sines += hn::Lanes(d)) {
    const auto multiple =
        multiples.list != nullptr ? hn::LoadU(d, multiples.list + i) : hn::Set(d, multiples.position);
    const auto high = hn::LoadU(d, phases.steps.high + i), low = hn::LoadU(d, phases.steps.low + i);
    DoubleVec sine, cosine;
    auto undecided = SinCos(d, multiple, high, low, table.min_uncancelled, sine, cosine);
    if (phases.may_be_tiny) undecided = hn::Or(undecided, IsTiny(multiple, high, kMinDoublePhase));
    hn::StoreU(cosine, d, cosines);
    hn::StoreU(hn::Add(sine, hn::Zero(d)), d, sines);  // never -0
    if (HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
      UndecidedLanes lanes;
      lanes.Set(undecided);
      RecomputeSinCos(PairsAt{table, multiples.From(i), i, tally}, kNoGain, POSENC_F64, lanes.undecided,
                      hn::Lanes(d), cosines, sines);
      // A sine that underflows, here or times a gain, must keep its sign: only an exact 0 is stored as 0.
      if (phases.may_be_tiny) {
        const auto is_tiny = IsTiny(multiple, high, kMinDoublePhase);
        for (double* at : {cosines, sines}) {
          const auto known = hn::LoadU(d, at);
          const auto least = hn::Max(hn::Abs(known), hn::Set(d, 0x1p-960));
          hn::StoreU(hn::IfThenElse(is_tiny, hn::CopySign(least, known), known), d, at);
        }
      }
    }
  }
}

// SinCosOfPairs for all pairs of a token.
inline Tally SinCosOfToken(const FrequencyTable& table, const Multiples& multiples, double* cosines,
                           double* sines) {
  Tally tally;
  SinCosOfPairs(table, multiples, 0, table.count, cosines, sines, tally);
  return tally;
}

// Angle addition for the pairs from i on: the product of two complex numbers of size 1,
//
//   cosine = c * offset_c - s * offset_s
//   sine   = s * offset_c + c * offset_s
//
// (c, s) belongs to an anchor, a token up to 7 positions before this one, and is direct; (offset_c, offset_s)
// belongs to the distance from there.
//
// Error: kAddedAngleError (6.5 u), absolute; cosine and sine together, as a complex number.
// Worst known:
//   2.71 u         166 * 0x1.823a02b9f4f1ap-9, 6 behind its anchor: cosine 0x1.70283ac436423p-1,
//                  want 0x1.70283ac436421p-1
//   without FMA
//   3.22 u         22 * 0x1.57936603a40b5p-4, 4 behind its anchor: cosine -0x1.f0f8f2efb58f8p-1,
//                  want -0x1.f0f8f2efb58fbp-1
HWY_INLINE void AddVector(const AddedAngles& added, std::size_t i, DoubleVec& cosine, DoubleVec& sine) {
  const Doubles d;
  const auto c = hn::LoadU(d, added.cosines + i), s = hn::LoadU(d, added.sines + i);
  const auto offset_c = hn::LoadU(d, added.offset_cosines + i),
             offset_s = hn::LoadU(d, added.offset_sines + i);
  cosine = MinusProduct(s, offset_s, hn::Mul(c, offset_c));
  sine = hn::MulAdd(c, offset_s, hn::Mul(s, offset_c));
}

// AddVector for all pairs: cosines, sines [pairs, rounded up to whole vectors].
inline HWY_NOINLINE void AddTokenAngles(const AddedAngles& added, std::size_t pairs, double* cosines,
                                        double* sines) {
  const Doubles d;
  for (std::size_t i = 0; i < pairs; i += hn::Lanes(d)) {
    DoubleVec cosine, sine;
    AddVector(added, i, cosine, sine);
    hn::StoreU(cosine, d, cosines + i);
    hn::StoreU(sine, d, sines + i);
  }
}

// Stores floats rounded to the type. They are decided: numbers of the type, or not near its midpoints.
template <posenc_type kType>
HWY_INLINE void StoreSinCos(FloatVec sin_cos, ElementOf<kType>* to) {
  StoreLanes(WriteOperation<kType>(), Floats(), sin_cos, nullptr, to, false);
}

// Where the cosines and sines of a cache go.
template <posenc_type kType>
struct CacheRow {
  ElementOf<kType>* cosines;
  ElementOf<kType>* sines;
};

// Cached cosines and sines from direct ones, correctly rounded to the type, for pairs begin .. end - 1:
//
//   row.cosines[k] = G * cosines[k], row.sines[k] = G * sines[k] (-G if the gain is inverse)
//
//   cosines, sines, and the results  [end - begin, rounded up to whole vectors]
//
// Error of the products before they are rounded: kScaledError (5 u). Zeros become +0.
// Worst known:
//   2.50 u         cosine of 214 * 0x1.240b38c81c966p-9, G = 0x1.5d99633eeab98p0: got 0x1.000a455124b47p0,
//                  want 0x1.000a455124b48p0
//   without FMA
//   3.04 u         sine of 1318 * 0x1.d210cc4ed784bp-10, G = 0x1.f296370a86971p0: got -0x1.0000cc5568d03p0,
//                  want -0x1.0000cc5568d05p0
//
// RoundScaled decides most vectors. RoundBetween decides more for 16-bit types. RecomputeSinCos decides
// the pairs that are left, in wide arithmetic.
template <posenc_type kType>
HWY_NOINLINE void RoundSinCosOfPairs(const Rotation& rotation, std::size_t begin, std::size_t end,
                                     const double* cosines, const double* sines, const CacheRow<kType>& row,
                                     Tally& tally) {
  const FrequencyTable& table = rotation.table;
  const Multiples& multiples = rotation.multiples;
  const Gain& gain = rotation.gain;
  const Doubles d;
  const Floats df;
  const TokenPhases phases(table, multiples, begin, end);
  const auto factor = hn::Set(d, gain.nearest());
  const auto sine_factor = hn::Set(d, gain.inverse ? -gain.nearest() : gain.nearest());
  for (std::size_t k = 0; begin + k < end; k += hn::Lanes(d)) {
    const std::size_t i = begin + k;
    // Adding 0 makes +0 of -0.
    const auto cosine = hn::Add(hn::Mul(hn::LoadU(d, cosines + k), factor), hn::Zero(d));
    const auto sine = hn::Add(hn::Mul(hn::LoadU(d, sines + k), sine_factor), hn::Zero(d));
    FloatVec rounded_cosine, rounded_sine;
    auto undecided = RoundScaled<kType>(cosine, rounded_cosine);
    undecided = hn::Or(undecided, RoundScaled<kType>(sine, rounded_sine));
    if (kType != POSENC_F32 && HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
      const auto error = hn::Set(d, kScaledError);
      undecided =
          RoundBetween(kFormatRounding<kType>, cosine, hn::Mul(hn::Abs(cosine), error), rounded_cosine);
      undecided = hn::Or(
          undecided, RoundBetween(kFormatRounding<kType>, sine, hn::Mul(hn::Abs(sine), error), rounded_sine));
    }
    if (phases.may_be_tiny) {  // such a sine may underflow, and only RecomputeSinCos knows its sign
      const auto multiple =
          multiples.list != nullptr ? hn::LoadU(d, multiples.list + i) : hn::Set(d, multiples.position);
      undecided = hn::Or(undecided, IsTiny(multiple, hn::LoadU(d, phases.steps.high + i), kMinDoublePhase));
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
      HWY_ALIGN float entries[2][kMaxLanes<Doubles>];
      hn::StoreU(rounded_cosine, df, entries[0]);
      hn::StoreU(rounded_sine, df, entries[1]);
      UndecidedLanes lanes;
      lanes.Set(undecided);
      RecomputeSinCos(PairsAt{table, multiples.From(i), i, tally}, gain, kType, lanes.undecided, hn::Lanes(d),
                      entries[0], entries[1]);
      rounded_cosine = hn::LoadU(df, entries[0]);
      rounded_sine = hn::LoadU(df, entries[1]);
    }
    StoreSinCos<kType>(rounded_cosine, row.cosines + k);
    StoreSinCos<kType>(rounded_sine, row.sines + k);
  }
}

// RoundSinCosOfPairs for all pairs of a token.
template <posenc_type kType>
Tally RoundSinCos(const FrequencyTable& table, const Multiples& multiples, const Gain& gain,
                  const double* cosines, const double* sines, void* rounded_cosines, void* rounded_sines) {
  Tally tally;
  const CacheRow<kType> row = {static_cast<ElementOf<kType>*>(rounded_cosines),
                               static_cast<ElementOf<kType>*>(rounded_sines)};
  RoundSinCosOfPairs<kType>({table, multiples, gain}, 0, table.count, cosines, sines, row, tally);
  return tally;
}

// Cached cosines and sines, correctly rounded to the type, from the angles of an anchor and of an offset.
//
// Error of a product with the gain that is at least G * kMinAddedSinCos (2^-12): 2^12 * kAddedAngleError and
// 2 u, below kAddedAngleWindow (2^15 ulps).
// Worst known:
//   8,346 u        sine of 8 * 0x1.fffadad9a35f5p-2, 5 behind its anchor, G = 0x1.00024e16e7eb8p0:
//                  got -0x1.02a1802d98eabp-12, want -0x1.02a1802d99f23p-12
//   without FMA
//   8,760 u        cosine of 17 * 0x1.e1f53909371a4p-5, 6 behind its anchor, G = 0x1.00054e7df6e6bp0:
//                  got -0x1.024002c304f7bp-12, want -0x1.024002c303e39p-12
//
// A vector with a smaller product, or with one in that window around a midpoint, is evaluated directly
// (SinCosOfPairs, RoundSinCosOfPairs).
template <posenc_type kType>
HWY_NOINLINE Tally RoundAddedAngles(const FrequencyTable& table, const Multiples& multiples, const Gain& gain,
                                    const AddedAngles& added, void* rounded_cosines, void* rounded_sines) {
  const Doubles d;
  auto* cosines = static_cast<ElementOf<kType>*>(rounded_cosines);
  auto* sines = static_cast<ElementOf<kType>*>(rounded_sines);
  const auto factor = hn::Set(d, gain.nearest());
  const auto sine_factor = hn::Set(d, gain.inverse ? -gain.nearest() : gain.nearest());
  // The relative error of smaller products is too large, and the test for midpoints does not hold for
  // subnormal numbers.
  const auto least =
      hn::Set(d, HWY_MAX(gain.nearest() * kMinAddedSinCos, TwoTo(TraitsOf(kType).min_exponent - 1)));
  Tally tally;
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    DoubleVec cosine, sine;
    AddVector(added, i, cosine, sine);
    cosine = hn::Mul(cosine, factor);
    sine = hn::Mul(sine, sine_factor);
    auto undecided = hn::Lt(hn::Min(hn::Abs(cosine), hn::Abs(sine)), least);
    undecided = hn::Or(undecided, IsNearMidpoint<kType, kAddedAngleWindow>(cosine));
    undecided = hn::Or(undecided, IsNearMidpoint<kType, kAddedAngleWindow>(sine));
    if (HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
      HWY_ALIGN double pairs[2][kMaxLanes<Doubles>];
      SinCosOfPairs(table, multiples, i, i + 1, pairs[0], pairs[1], tally);
      RoundSinCosOfPairs<kType>({table, multiples, gain}, i, i + 1, pairs[0], pairs[1],
                                {cosines + i, sines + i}, tally);
      continue;
    }
    StoreSinCos<kType>(ToFloats(cosine), cosines + i);
    StoreSinCos<kType>(ToFloats(sine), sines + i);
  }
  return tally;
}

// Phase (quarter turns), cosine and sine of a vector of pairs. Cosine and sine are sums of two doubles.
struct SinCosParts {
  HWY_ALIGN double phase[kMaxLanes<Doubles>];
  HWY_ALIGN double cosine[kMaxLanes<Doubles>];
  HWY_ALIGN double cosine_low[kMaxLanes<Doubles>];
  HWY_ALIGN double sine[kMaxLanes<Doubles>];
  HWY_ALIGN double sine_low[kMaxLanes<Doubles>];
};

// Fills `sums` for the pairs from i on. Error: see SinCosSums (kDoubleError, and the error of the phase).
inline HWY_NOINLINE void FillSinCosParts(const Multiples& multiples, const TokenPhases& phases, std::size_t i,
                                         SinCosParts& sums) {
  const Doubles d;
  const auto multiple =
      multiples.list != nullptr ? hn::LoadU(d, multiples.list + i) : hn::Set(d, multiples.position);
  DoubleVec phase, sine, sine_low, cosine, cosine_low;
  SinCosSums(multiple, hn::LoadU(d, phases.steps.high + i), hn::LoadU(d, phases.steps.low + i), phase, sine,
             sine_low, cosine, cosine_low);
  hn::Store(phase, d, sums.phase);
  hn::Store(cosine, d, sums.cosine);
  hn::Store(cosine_low, d, sums.cosine_low);
  hn::Store(sine, d, sums.sine);
  hn::Store(sine_low, d, sums.sine_low);
}

// cosines[i] = cos(offset * step_i), sines[i] = sin of it, for angle addition: [table.count], not more.
//
// Error: u, absolute. It is half an ulp of a double and little else. No pair is tested for cancellation,
// because only the absolute error counts.
inline void SinCosOfOffset(const FrequencyTable& table, double offset, double* cosines, double* sines) {
  const Multiples multiples{nullptr, offset};
  const TokenPhases phases(table, multiples);
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(Doubles())) {
    SinCosParts sums;
    FillSinCosParts(multiples, phases, i, sums);
    for (std::size_t k = 0; k < hn::Lanes(Doubles()) && i + k < table.count; ++k) {
      cosines[i + k] = sums.cosine[k] + sums.cosine_low[k];
      sines[i + k] = sums.sine[k] + sums.sine_low[k];
    }
  }
}

// Cached cosines and sines of doubles: gain times sums of two doubles, correctly rounded.
//
//   rounded_cosines, rounded_sines  [table.count], of any alignment
//
// Error before rounding: kDoubleError of the value, and kPhaseErrorPerUncancelled * table.min_uncancelled
// of the phase (absolute), times the gain.
//
// RoundSum decides most pairs. RecomputeSinCos takes the others to wide arithmetic: undecided pairs, phases
// above kLargestPhase and tiny phases.
inline Tally RoundSinCosToDouble(const FrequencyTable& table, const Multiples& multiples, const Gain& gain,
                                 const double* /*cosines*/, const double* /*sines*/, void* rounded_cosines,
                                 void* rounded_sines) {
  const Doubles d;
  const TokenPhases phases(table, multiples);
  const auto amplitude = hn::Set(d, gain.amplitude), scale = hn::Set(d, gain.scale);
  const auto factor = hn::Mul(amplitude, scale), factor_low = ProductError(d, amplitude, scale, factor);
  auto* to_cosines = static_cast<unsigned char*>(rounded_cosines);
  auto* to_sines = static_cast<unsigned char*>(rounded_sines);
  Tally tally;
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
      RecomputeSinCos(PairsAt{table, multiples.From(i), i, tally}, gain, POSENC_F64, lanes.undecided,
                      hn::Lanes(d), entries[0], entries[1]);
    }
    const std::size_t count = HWY_MIN(hn::Lanes(d), table.count - i);
    StoreDoubles(entries[0], count, 1, to_cosines + i * sizeof(double));
    StoreDoubles(entries[1], count, 1, to_sines + i * sizeof(double));
  }
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_TOKEN_SINCOS_INL_H_
