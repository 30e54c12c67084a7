// Cosines and sines of a token's pairs: as doubles, times a gain, rounded to a type. Included once per
// target.
#if defined(POSENC_SRC_KERNEL_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_TURNS_INL_H_
#undef POSENC_SRC_KERNEL_TURNS_INL_H_
#else
#define POSENC_SRC_KERNEL_TURNS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/direct-inl.h"
#include "kernel/heads.h"
#include "kernel/undecided_pairs.h"
#include "kernel/rotary_reference.h"
#include "kernel/sincos_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The phases of a vector of pairs: like LoadPhases, of a token.
struct TokenPhases {
  const double* high;
  const double* low;
  bool may_be_tiny;

  TokenPhases(const FrequencyTable& table, const Token& token) : TokenPhases(table, token, 0, table.count) {}

  // Of the vectors that pairs begin .. end - 1 are in.
  TokenPhases(const FrequencyTable& table, const Token& token, std::size_t begin, std::size_t end)
      : high(table.high), low(table.low) {
    bool is_whole = true;
    may_be_tiny = false;
    const std::size_t last = HWY_MIN(end - 1 + hn::Lanes(Doubles()), table.count);
    for (std::size_t i = begin; i < (token.multiples != nullptr ? last : begin + 1); ++i) {
      is_whole = is_whole && MayReduce(token[i]);
      may_be_tiny = may_be_tiny || MayBeTiny(token[i]);
    }
    if (!is_whole) {
      high = table.whole_high;
      low = table.whole_low;
    }
  }
};

// Of pairs begin .. end - 1, whole vectors of them, to arrays that begin with the first.
inline HWY_NOINLINE void SinCosOfPairs(const FrequencyTable& table, const Token& token, std::size_t begin,
                                       std::size_t end, double* cosines, double* sines, Tally& tally) {
  const Doubles d;
  const TokenPhases phases(table, token, begin, end);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d), cosines += hn::Lanes(d), sines += hn::Lanes(d)) {
    const auto multiple =
        token.multiples != nullptr ? hn::LoadU(d, token.multiples + i) : hn::Set(d, token.position);
    const auto high = hn::LoadU(d, phases.high + i), low = hn::LoadU(d, phases.low + i);
    DoubleVec sine, cosine;
    auto flagged = SinCos(d, multiple, high, low, table.max_cancellation, sine, cosine);
    if (phases.may_be_tiny) flagged = hn::Or(flagged, IsTiny(multiple, high, kMinDoublePhase));
    hn::StoreU(cosine, d, cosines);
    hn::StoreU(hn::Add(sine, hn::Zero(d)), d, sines);  // never -0
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      Flags flags;
      flags.Set(flagged);
      RecomputeSinCos(table, token, {1.0, 1.0, false}, POSENC_F64, i, flags.lanes, hn::Lanes(d), cosines,
                      sines, tally);
      if (phases.may_be_tiny) {  // only a sine that is exactly 0 is 0, times any gain: the others keep their
                                 // sign
        const auto known = hn::LoadU(d, sines);
        const auto is_tiny = IsTiny(multiple, high, kMinDoublePhase);
        const auto least = hn::Max(hn::Abs(known), hn::Set(d, 0x1p-960));
        hn::StoreU(hn::IfThenElse(is_tiny, hn::CopySign(least, known), known), d, sines);
      }
    }
  }
}

inline Tally SinCosOfToken(const FrequencyTable& table, const Token& token, double* cosines, double* sines) {
  Tally tally;
  SinCosOfPairs(table, token, 0, table.count, cosines, sines, tally);
  return tally;
}

HWY_INLINE void AddVector(const AddedAngles& added, std::size_t i, DoubleVec& cosine, DoubleVec& sine) {
  const Doubles d;
  const auto c = hn::LoadU(d, added.cosines + i), s = hn::LoadU(d, added.sines + i);
  const auto offset_c = hn::LoadU(d, added.offset_cosines + i),
             offset_s = hn::LoadU(d, added.offset_sines + i);
  cosine = MinusProduct(s, offset_s, hn::Mul(c, offset_c));
  sine = hn::MulAdd(c, offset_s, hn::Mul(s, offset_c));
}

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

// How doubles of whatever exponent are rounded to a format of floats.
struct FormatRounding {
  double least;  // of subnormal numbers, 2 to the exponent of the largest
  double magic;  // times a power of 2, a number whose last place is that of one as large in the format
};
template <posenc_type kFormat>
constexpr FormatRounding kFormatRounding = {TwoTo(TraitsOf(kFormat).min_exponent - 1),
                                            1.5 * TwoTo(53 - TraitsOf(kFormat).digits)};

HWY_INLINE FloatVec RoundToFormat(const FormatRounding& format, DoubleVec v) {
  const Doubles d;
  const Longs du;
  // Adding a number whose last place is that of v in the format rounds to it.
  const auto exponent = hn::And(hn::BitCast(du, v), hn::Set(du, std::uint64_t{0x7FF} << 52));
  const auto least = hn::Set(d, format.least);
  const auto scale = hn::Min(hn::Max(hn::BitCast(d, exponent), least), hn::Set(d, 0x1p300));  // of infinity
  const auto magic = hn::Mul(scale, hn::Set(d, format.magic));
  const auto nearest = hn::Sub(hn::Add(v, magic), magic);
  return ToFloats(hn::CopySign(nearest, v));
}

// Of numbers between low and high, the lanes in which rounding leaves them open.
HWY_INLINE hn::Mask<Doubles> RoundBetween(const FormatRounding& format, DoubleVec low, DoubleVec high,
                                          FloatVec& rounded) {
  const hn::RebindToSigned<Floats> di;
  const auto below = RoundToFormat(format, low);
  rounded = RoundToFormat(format, high);
  const auto differ = hn::Ne(hn::BitCast(di, below), hn::BitCast(di, rounded));
  // A mask of floats is one of as many doubles by way of numbers.
  const Doubles d;
  const auto one =
      hn::IfThenElse(hn::RebindMask(Floats(), differ), hn::Set(Floats(), 1.0f), hn::Zero(Floats()));
  return hn::Ne(hn::PromoteTo(d, one), hn::Zero(d));
}

// The lanes of v, good to kWindow ulps, that are too near a midpoint of a type to be rounded to it by way of
// the nearest float.
template <posenc_type kType, std::uint64_t kWindow>
HWY_INLINE hn::Mask<Doubles> IsNearMidpoint(DoubleVec v) {
  const Longs du;
  constexpr std::uint64_t kReach = kType == POSENC_F32 ? kWindow : kLastBit;
  static_assert(kReach >= kWindow, "of a float, half of the last bit besides");
  const auto biased = hn::Add(hn::BitCast(du, v), hn::Set(du, kRoundingBias<kType, kReach>));
  const auto far = hn::And(biased, hn::Set(du, kFarBits<kType, kReach>));
  return hn::RebindMask(Doubles(), hn::Eq(far, hn::Zero(du)));
}

// v, good to kScaledError, as floats for StoreSinCos, and the lanes that this leaves open.
template <posenc_type kType>
HWY_INLINE hn::Mask<Doubles> RoundScaled(DoubleVec v, FloatVec& rounded) {
  const Doubles d;
  rounded = ToFloats(v);
  const auto least = hn::Set(d, TwoTo(TraitsOf(kType).min_exponent));
  const auto is_small = hn::And(hn::Lt(hn::Abs(v), least), hn::Ne(v, hn::Zero(d)));
  return hn::Or(is_small, IsNearMidpoint<kType, kScaledWindow>(v));
}

// The same of any magnitude, of a short type.
template <posenc_type kType>
HWY_INLINE hn::Mask<Doubles> RoundScaledBetween(DoubleVec v, FloatVec& rounded) {
  const Doubles d;
  const auto error = hn::Mul(hn::Abs(v), hn::Set(d, kScaledError));
  return RoundBetween(kFormatRounding<kType>, hn::Sub(v, error), hn::Add(v, error), rounded);
}

// Floats that are of a type, or no midpoints of it.
template <posenc_type kType>
HWY_INLINE void StoreSinCos(FloatVec sin_cos, ElementOf<kType>* to) {
  StoreLanes(WriteOperation<kType>(), Floats(), sin_cos, nullptr, to, false);
}

// Of pairs begin .. end - 1, vectors of them; the arrays begin with the first.
template <posenc_type kType>
HWY_NOINLINE void RoundSinCosOfPairs(const FrequencyTable& table, const Token& token, const Gain& gain,
                                     std::size_t begin, std::size_t end, const double* cosines,
                                     const double* sines, ElementOf<kType>* rounded_cosines,
                                     ElementOf<kType>* rounded_sines, Tally& tally) {
  const Doubles d;
  const Floats df;
  const TokenPhases phases(table, token, begin, end);
  const auto factor = hn::Set(d, gain.nearest());
  const auto sine_factor = hn::Set(d, gain.inverse ? -gain.nearest() : gain.nearest());
  for (std::size_t k = 0; begin + k < end; k += hn::Lanes(d)) {
    const std::size_t i = begin + k;
    // Zeros are +0.
    const auto cosine = hn::Add(hn::Mul(hn::LoadU(d, cosines + k), factor), hn::Zero(d));
    const auto sine = hn::Add(hn::Mul(hn::LoadU(d, sines + k), sine_factor), hn::Zero(d));
    FloatVec rounded_cosine, rounded_sine;
    auto flagged = RoundScaled<kType>(cosine, rounded_cosine);
    flagged = hn::Or(flagged, RoundScaled<kType>(sine, rounded_sine));
    if (kType != POSENC_F32 && HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      flagged = RoundScaledBetween<kType>(cosine, rounded_cosine);
      flagged = hn::Or(flagged, RoundScaledBetween<kType>(sine, rounded_sine));
    }
    if (phases.may_be_tiny) {  // sines may be 0 for want of exponents, or become 0: of which sign?
      const auto multiple =
          token.multiples != nullptr ? hn::LoadU(d, token.multiples + i) : hn::Set(d, token.position);
      flagged = hn::Or(flagged, IsTiny(multiple, hn::LoadU(d, phases.high + i), kMinDoublePhase));
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      HWY_ALIGN float entries[2][kMaxLanes<Doubles>];
      hn::StoreU(rounded_cosine, df, entries[0]);
      hn::StoreU(rounded_sine, df, entries[1]);
      Flags flags;
      flags.Set(flagged);
      RecomputeSinCos(table, token, gain, kType, i, flags.lanes, hn::Lanes(d), entries[0], entries[1], tally);
      rounded_cosine = hn::LoadU(df, entries[0]);
      rounded_sine = hn::LoadU(df, entries[1]);
    }
    StoreSinCos<kType>(rounded_cosine, rounded_cosines + k);
    StoreSinCos<kType>(rounded_sine, rounded_sines + k);
  }
}

template <posenc_type kType>
Tally RoundSinCos(const FrequencyTable& table, const Token& token, const Gain& gain, const double* cosines,
                  const double* sines, void* rounded_cosines, void* rounded_sines) {
  Tally tally;
  RoundSinCosOfPairs<kType>(table, token, gain, 0, table.count, cosines, sines,
                            static_cast<ElementOf<kType>*>(rounded_cosines),
                            static_cast<ElementOf<kType>*>(rounded_sines), tally);
  return tally;
}

template <posenc_type kType>
HWY_NOINLINE Tally RoundAddedAngles(const FrequencyTable& table, const Token& token, const Gain& gain,
                                    const AddedAngles& added, void* rounded_cosines, void* rounded_sines) {
  const Doubles d;
  auto* cosines = static_cast<ElementOf<kType>*>(rounded_cosines);
  auto* sines = static_cast<ElementOf<kType>*>(rounded_sines);
  const auto factor = hn::Set(d, gain.nearest());
  const auto sine_factor = hn::Set(d, gain.inverse ? -gain.nearest() : gain.nearest());
  // Relative errors of smaller ones are too large, and subnormal numbers have midpoints of their own.
  const auto least =
      hn::Set(d, HWY_MAX(gain.nearest() * kMinAddedSinCos, TwoTo(TraitsOf(kType).min_exponent - 1)));
  Tally tally;
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    DoubleVec cosine, sine;
    AddVector(added, i, cosine, sine);
    cosine = hn::Mul(cosine, factor);
    sine = hn::Mul(sine, sine_factor);
    auto flagged = hn::Lt(hn::Min(hn::Abs(cosine), hn::Abs(sine)), least);
    flagged = hn::Or(flagged, IsNearMidpoint<kType, kAddedAngleWindow>(cosine));
    flagged = hn::Or(flagged, IsNearMidpoint<kType, kAddedAngleWindow>(sine));
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      HWY_ALIGN double sin_cos[2][kMaxLanes<Doubles>];  // directly
      SinCosOfPairs(table, token, i, i + 1, sin_cos[0], sin_cos[1], tally);
      RoundSinCosOfPairs<kType>(table, token, gain, i, i + 1, sin_cos[0], sin_cos[1], cosines + i, sines + i,
                                tally);
      continue;
    }
    StoreSinCos<kType>(ToFloats(cosine), cosines + i);
    StoreSinCos<kType>(ToFloats(sine), sines + i);
  }
  return tally;
}

// Sines and cosines of a vector of pairs as sums of two doubles.
struct SinCosParts {
  HWY_ALIGN double phase[kMaxLanes<Doubles>];
  HWY_ALIGN double cosine[kMaxLanes<Doubles>];
  HWY_ALIGN double cosine_low[kMaxLanes<Doubles>];
  HWY_ALIGN double sine[kMaxLanes<Doubles>];
  HWY_ALIGN double sine_low[kMaxLanes<Doubles>];
};

inline HWY_NOINLINE void FillSinCosParts(const Token& token, const TokenPhases& phases, std::size_t i,
                                         SinCosParts& sums) {
  const Doubles d;
  const auto multiple =
      token.multiples != nullptr ? hn::LoadU(d, token.multiples + i) : hn::Set(d, token.position);
  DoubleVec phase, sine, sine_low, cosine, cosine_low;
  SinCosSums(multiple, hn::LoadU(d, phases.high + i), hn::LoadU(d, phases.low + i), phase, sine, sine_low,
             cosine, cosine_low);
  hn::Store(phase, d, sums.phase);
  hn::Store(cosine, d, sums.cosine);
  hn::Store(cosine_low, d, sums.cosine_low);
  hn::Store(sine, d, sums.sine);
  hn::Store(sine_low, d, sums.sine_low);
}

// Those of an offset, a whole position, rounded to double, or nearly so: nothing is flagged, since it is the
// absolute error that matters.
inline void SinCosOfOffset(const FrequencyTable& table, double offset, double* cosines, double* sines) {
  const Token token{nullptr, offset};
  const TokenPhases phases(table, token);
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(Doubles())) {
    SinCosParts sums;
    FillSinCosParts(token, phases, i, sums);
    for (std::size_t k = 0; k < hn::Lanes(Doubles()) && i + k < table.count; ++k) {
      cosines[i + k] = sums.cosine[k] + sums.cosine_low[k];
      sines[i + k] = sums.sine[k] + sums.sine_low[k];
    }
  }
}

// To double: from sums of two doubles.
inline Tally RoundSinCosToDouble(const FrequencyTable& table, const Token& token, const Gain& gain,
                                 const double* /*cosines*/, const double* /*sines*/, void* rounded_cosines,
                                 void* rounded_sines) {
  const Doubles d;
  const TokenPhases phases(table, token);
  const auto amplitude = hn::Set(d, gain.amplitude), scale = hn::Set(d, gain.scale);
  const auto factor = hn::Mul(amplitude, scale), factor_low = ProductError(d, amplitude, scale, factor);
  auto* to_cosines = static_cast<unsigned char*>(rounded_cosines);
  auto* to_sines = static_cast<unsigned char*>(rounded_sines);
  Tally tally;
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    const auto multiple =
        token.multiples != nullptr ? hn::LoadU(d, token.multiples + i) : hn::Set(d, token.position);
    const auto high = hn::LoadU(d, phases.high + i);
    SinCosParts sums;
    FillSinCosParts(token, phases, i, sums);
    const auto phase = hn::Load(d, sums.phase);
    auto cosine = hn::Load(d, sums.cosine), cosine_low = hn::Load(d, sums.cosine_low);
    auto sine = hn::Load(d, sums.sine), sine_low = hn::Load(d, sums.sine_low);
    const auto phase_error =
        hn::Mul(hn::Abs(phase), hn::Set(d, table.max_cancellation * kPhaseErrorPerCancellation));
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
    auto flagged = RoundSum(cosine, cosine_low, cosine_error, rounded_cosine);
    flagged = hn::Or(flagged, RoundSum(sine, sine_low, sine_error, rounded_sine));
    flagged = hn::Or(flagged, hn::Gt(hn::Abs(phase), hn::Set(d, kLargestPhase)));
    if (phases.may_be_tiny) flagged = hn::Or(flagged, IsTiny(multiple, high, kMinDoublePhase));
    HWY_ALIGN double entries[2][kMaxLanes<Doubles>];
    hn::Store(rounded_cosine, d, entries[0]);
    hn::Store(rounded_sine, d, entries[1]);
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      Flags flags;
      flags.Set(flagged);
      RecomputeSinCos(table, token, gain, POSENC_F64, i, flags.lanes, hn::Lanes(d), entries[0], entries[1],
                      tally);
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

#endif  // POSENC_SRC_KERNEL_TURNS_INL_H_
