// Cosine and sine of each angle of a token, direct or by angle addition. Included once per target.
//
// Pair i of a token has the angle multiple_i * step_i; step_i, in quarter turns, is the sum of two doubles
// table.high[i] + table.low[i]. Errors are relative unless said otherwise; u = 2^-53. A *worst known* error
// is the largest of 4 * 10^7 random inputs and 2 * 10^7 beside the worst of these, measured against
// SinCosSums (2^-78) and confirmed by MPFR; its step is a single double. PROOF.md ("The angle"),
// proof/direct.md and proof/rotation.md argue the bounds.
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
    auto undecided = SinCos(multiple, high, low, table.min_uncancelled, sine, cosine);
    if (phases.may_be_tiny) undecided = hn::Or(undecided, IsTiny(multiple, high, kMinDoublePhase));
    hn::StoreU(cosine, d, cosines);
    hn::StoreU(hn::Add(sine, hn::Zero(d)), d, sines);  // never -0
    if (HWY_UNLIKELY(!hn::AllFalse(d, undecided))) {
      UndecidedLanes lanes;
      lanes.Set(undecided);
      RecomputeSinCos({table, multiples, kNoGain, tally}, POSENC_F64, i, lanes.undecided, hn::Lanes(d),
                      cosines, sines);
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
inline void SinCosOfToken(const FrequencyTable& table, const Multiples& multiples, double* cosines,
                          double* sines, Tally& tally) {
  SinCosOfPairs(table, multiples, 0, table.count, cosines, sines, tally);
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
  const auto high = hn::LoadU(d, phases.steps.high + i), low = hn::LoadU(d, phases.steps.low + i);
  DoubleVec sine, sine_low, cosine, cosine_low;
  SinCosSums(multiple, high, low, sine, sine_low, cosine, cosine_low);
  hn::Store(hn::Mul(multiple, high), d, sums.phase);
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

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_TOKEN_SINCOS_INL_H_
