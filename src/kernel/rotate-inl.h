// Rotation of a token's heads: exactly, or in the plain arithmetic of floats. Included once per target.
#if defined(POSENC_SRC_KERNEL_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernel/open_pairs-inl.h"
#include "kernel/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pairs that are taken together: floats in double, shorter types in float.
template <posenc_type kType>
using PairsOf = std::conditional_t<kType == POSENC_F32, Floats, hn::ScalableTag<float>>;
template <posenc_type kType>
using TurnOfType = std::conditional_t<kType == POSENC_F32, double, float>;

// Cosines and sines times the gain, and what bounds the error of the sums.
template <class Value>
struct GainedTurns {
  HWY_ALIGN Value cosines[kMaxRotaryPairs + kTurnPadding];
  HWY_ALIGN Value sines[kMaxRotaryPairs + kTurnPadding];
  // Of doubles, as neighbours take them: [c_0 c_0 c_1 c_1 ...] and [-s_0 s_0 -s_1 s_1 ...].
  HWY_ALIGN Value twice_cosines[sizeof(Value) == 8 ? 2 * kMaxRotaryPairs + kTurnPadding : 1];
  HWY_ALIGN Value signed_sines[sizeof(Value) == 8 ? 2 * kMaxRotaryPairs + kTurnPadding : 1];
  Value error;        // by the larger of |a| and |b|
  float least_part;   // of it: smaller sums are not rounded quickly
  std::int32_t most;  // bits of the largest float of which no sum overflows
};

// Where a loop over heads and their pairs is.
struct Progress {
  std::size_t head, pair;
};

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
                                                          const GainedTurns<TurnOfType<kType>>& turns,
                                                          std::size_t i, WordsAs<DF>& x, WordsAs<DF>& y) {
  const hn::RebindToSigned<DF> di;
  const hn::RebindToUnsigned<DF> du;
  const auto magnitude = LargerMagnitude(df, a, b);
  const auto special = hn::Gt(magnitude, hn::Set(di, turns.most));
  WordsAs<DF> differ;
  if constexpr (kType == POSENC_F32) {
    const Doubles d;
    const auto bound = hn::Mul(hn::PromoteTo(d, hn::BitCast(df, magnitude)), hn::Set(d, turns.error));
    DoubleVec x_sum, x_low_sum, y_sum, y_low_sum;
    BoundSums(d, hn::PromoteTo(d, a), hn::PromoteTo(d, b), hn::LoadU(d, turns.cosines + i),
              hn::LoadU(d, turns.sines + i), bound, x_sum, x_low_sum, y_sum, y_low_sum);
    x = hn::BitCast(du, ToFloats(x_sum));
    y = hn::BitCast(du, ToFloats(y_sum));
    const auto x_low = hn::BitCast(du, ToFloats(x_low_sum));
    const auto y_low = hn::BitCast(du, ToFloats(y_low_sum));
    differ = hn::Or(hn::Xor(x, x_low), hn::Xor(y, y_low));
  } else {
    const auto larger = hn::BitCast(df, magnitude);
    auto bound = hn::Mul(larger, hn::Set(df, turns.error));
    if constexpr (kType == POSENC_BF16) {
      bound = hn::Max(bound, hn::Min(larger, hn::Set(df, kLeastRotationError)));
    }
    hn::Vec<DF> x_sum, x_low_sum, y_sum, y_low_sum;
    BoundSums(df, a, b, hn::LoadU(df, turns.cosines + i), hn::LoadU(df, turns.sines + i), bound, x_sum,
              x_low_sum, y_sum, y_low_sum);
    x = RoundOpen<kType>(df, x_sum);
    y = RoundOpen<kType>(df, y_sum);
    differ = hn::Or(Differ<kType>(df, x_sum, x_low_sum), Differ<kType>(df, y_sum, y_low_sum));
  }
  return hn::Or(special, hn::Ne(hn::BitCast(di, differ), hn::Zero(di)));
}

#if HWY_TARGET != HWY_SCALAR

// Of two vectors of sums and their floats, whether a pair may be open: unless the bits that a float drops,
// 29, are not within the window of a midpoint, and the float is no small part of `larger`, the larger element
// of its pair.
HWY_INLINE bool MayBeOpen(DoubleVec x_sum, DoubleVec y_sum, FloatVec least, FloatVec larger,
                          float least_part) {
  const Floats df;
  const Longs du;
  const Words dw;
  // Of what is not finite it is neither.
  const auto limit = hn::MulAdd(larger, hn::Set(df, least_part), hn::Set(df, kLeastRotated));
  constexpr std::uint64_t kBias = kRoundingBias<POSENC_F32, kRotatedWindow>;
  constexpr std::uint64_t kFar = kFarBits<POSENC_F32, kRotatedWindow>;
  const auto biased = hn::Add(WordsOf<false>(hn::BitCast(du, x_sum), hn::BitCast(du, y_sum)),
                              hn::Set(dw, static_cast<std::uint32_t>(kBias)));
  const auto far = hn::And(biased, hn::Set(dw, static_cast<std::uint32_t>(kFar)));
  return !hn::AllTrue(df, hn::Gt(least, limit)) || !hn::AllFalse(dw, hn::Eq(far, hn::Zero(dw)));
}

// A whole vector of pairs of floats with half of the work of RotateExactly, if none may be open; else false,
// and nothing is stored.
template <posenc_pairing kPairing>
HWY_INLINE bool RotateQuickly(const float* from, float* to, std::size_t apart,
                              const GainedTurns<double>& turns, std::size_t i) {
  const Floats df;
  const Doubles d;
  if constexpr (kPairing == POSENC_HALF_SPLIT) {
    const auto a = hn::LoadU(df, from), b = hn::LoadU(df, from + apart);
    const auto a_wide = hn::PromoteTo(d, a), b_wide = hn::PromoteTo(d, b);
    const auto cosine = hn::LoadU(d, turns.cosines + i), sine = hn::LoadU(d, turns.sines + i);
    const auto x_sum = MinusProduct(b_wide, sine, hn::Mul(a_wide, cosine));
    const auto y_sum = hn::MulAdd(a_wide, sine, hn::Mul(b_wide, cosine));
    const auto x = ToFloats(x_sum), y = ToFloats(y_sum);
    const auto larger = hn::BitCast(df, LargerMagnitude(df, a, b));
    const auto least = hn::Min(hn::Abs(x), hn::Abs(y));
    if (HWY_UNLIKELY(MayBeOpen(x_sum, y_sum, least, larger, turns.least_part))) return false;
    hn::StoreU(x, df, to);
    hn::StoreU(y, df, to + apart);
  } else {
    const std::size_t half = hn::Lanes(df);
    const auto first = hn::LoadU(df, from), second = hn::LoadU(df, from + half);
    const auto first_wide = hn::PromoteTo(d, first), second_wide = hn::PromoteTo(d, second);
    const double* cosines = turns.twice_cosines + 2 * i;
    const double* sines = turns.signed_sines + 2 * i;
    const auto first_sum = hn::MulAdd(hn::Reverse2(d, first_wide), hn::LoadU(d, sines),
                                      hn::Mul(first_wide, hn::LoadU(d, cosines)));
    const auto second_sum = hn::MulAdd(hn::Reverse2(d, second_wide), hn::LoadU(d, sines + half),
                                       hn::Mul(second_wide, hn::LoadU(d, cosines + half)));
    const auto x = ToFloats(first_sum), y = ToFloats(second_sum);
    // Of either half the larger of all pairs: of none it is less than its own.
    const auto first_larger = LargerMagnitude(df, first, hn::Reverse2(df, first));
    const auto second_larger = LargerMagnitude(df, second, hn::Reverse2(df, second));
    const auto larger = hn::BitCast(df, hn::Max(first_larger, second_larger));
    const auto least = hn::Min(hn::Abs(x), hn::Abs(y));
    if (HWY_UNLIKELY(MayBeOpen(first_sum, second_sum, least, larger, turns.least_part))) return false;
    hn::StoreU(x, df, to);
    hn::StoreU(y, df, to + half);
  }
  return true;
}

#endif  // HWY_SCALAR

// Where the elements of a head are.
template <posenc_type kType>
struct Head {
  const ElementOf<kType>* source;
  ElementOf<kType>* data;

  Head(const Heads& heads, std::size_t head)
      : source(reinterpret_cast<const ElementOf<kType>*>(heads.source + head * heads.source_stride)),
        data(reinterpret_cast<ElementOf<kType>*>(heads.data + head * heads.stride)) {}
};

// Elements of a pair of neighbours follow those of the one before; of half-split ones each element does.
template <posenc_pairing kPairing>
constexpr std::size_t kStep = kPairing == POSENC_NEIGHBOURS ? 2 : 1;

// The pairs of a head from `first` on, fewer than a vector has lanes, as a vector of them in memory.
template <posenc_type kType, posenc_pairing kPairing, class DF>
struct LastPairs {
  HWY_ALIGN ElementOf<kType> elements[2 * kMostLanes] = {};

  HWY_NOINLINE void Read(const ElementOf<kType>* source, std::size_t first, std::size_t pairs) {
    for (std::size_t k = 0; k < hn::Lanes(DF()) && first + k < pairs; ++k) {
      const PairIndex from = ElementsOf(kPairing, first + k, pairs);
      const PairIndex to = ElementsOf(kPairing, k, hn::Lanes(DF()));
      elements[to.a] = source[from.a];
      elements[to.b] = source[from.b];
    }
  }

  HWY_NOINLINE void Write(ElementOf<kType>* data, std::size_t first, std::size_t pairs) const {
    for (std::size_t k = 0; k < hn::Lanes(DF()) && first + k < pairs; ++k) {
      const PairIndex from = ElementsOf(kPairing, k, hn::Lanes(DF()));
      const PairIndex to = ElementsOf(kPairing, first + k, pairs);
      data[to.a] = elements[from.a];
      data[to.b] = elements[from.b];
    }
  }
};

// The first `count` lanes of a mask, of at most 64, one bit each.
template <class D>
HWY_INLINE std::uint64_t FirstBits(D d, hn::Mask<D> mask, std::size_t count) {
  std::uint8_t bytes[kMostLanes / 8 + 8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < 8; ++k) bits |= std::uint64_t{bytes[k]} << (8 * k);
  return count < 64 ? bits & ((std::uint64_t{1} << count) - 1) : bits;
}

// Lanes that are flagged, and what they are of.
template <class DF>
struct FlaggedLanes {
  HWY_ALIGN float a[kMostLanes];
  HWY_ALIGN float b[kMostLanes];
  HWY_ALIGN std::int32_t flags[kMostLanes];
};

// Adds the flagged lanes, of the first `count`, to the open pairs.
template <class DF>
HWY_NOINLINE void Push(const FlaggedLanes<DF>& lanes, std::size_t place, std::size_t count, OpenPairs& open) {
  const hn::RebindToSigned<DF> di;
  const auto flagged = hn::Ne(hn::Load(di, lanes.flags), hn::Zero(di));
  std::size_t n = open.count;
  for (std::uint64_t bits = FirstBits(di, flagged, count); bits != 0; bits &= bits - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(bits);
    open.place[n] = static_cast<std::uint32_t>(place + k);
    open.a[n] = lanes.a[k];
    open.b[n] = lanes.b[k];
    ++n;
  }
  open.count = n;
}

// The pairs from `pair` on of a head, a vector of them, of which `count` are its; half-split elements are
// `apart`.
template <posenc_type kType, posenc_pairing kPairing>
HWY_INLINE void RotateVector(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                             const GainedTurns<TurnOfType<kType>>& turns, std::size_t head, std::size_t pair,
                             std::size_t count, OpenPairs& open) {
  const PairsOf<kType> df;
  const hn::RebindToSigned<PairsOf<kType>> di;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kType == POSENC_F32) {
    if (HWY_LIKELY(RotateQuickly<kPairing>(from, to, apart, turns, pair))) return;
  }
#endif
  hn::Vec<PairsOf<kType>> a, b;
  WordsAs<PairsOf<kType>> x, y;
  LoadPairs<kType, kPairing>(df, from, apart, a, b);
  const auto flagged = RotateExactly<kType>(df, a, b, turns, pair, x, y);
  StorePairs<kType, kPairing>(df, x, y, to, apart);
  if (HWY_LIKELY(hn::AllFalse(di, flagged))) return;
  FlaggedLanes<PairsOf<kType>> lanes;
  hn::Store(a, df, lanes.a);
  hn::Store(b, df, lanes.b);
  hn::Store(hn::VecFromMask(di, flagged), di, lanes.flags);
  Push(lanes, head * kMaxRotaryPairs + pair, count, open);
}

template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void RotateLast(const Head<kType>& head, std::size_t pairs,
                             const GainedTurns<TurnOfType<kType>>& turns, Progress at, OpenPairs& open) {
  LastPairs<kType, kPairing, PairsOf<kType>> last;
  last.Read(head.source, at.pair, pairs);
  RotateVector<kType, kPairing>(last.elements, last.elements, hn::Lanes(PairsOf<kType>()), turns, at.head,
                                at.pair, pairs - at.pair, open);
  last.Write(head.data, at.pair, pairs);
}

// From `at` on; stops where there are many open pairs.
template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE Progress RotateLoop(const Heads& heads, const GainedTurns<TurnOfType<kType>>& turns, Progress at,
                                 OpenPairs& open) {
  const std::size_t lanes = hn::Lanes(PairsOf<kType>()), pairs = heads.pairs;
  for (; at.head < heads.count; ++at.head, at.pair = 0) {
    const Head<kType> head(heads, at.head);
    for (; at.pair + lanes <= pairs; at.pair += lanes) {
      const std::size_t element = at.pair * kStep<kPairing>;
      RotateVector<kType, kPairing>(head.source + element, head.data + element, pairs, turns, at.head,
                                    at.pair, lanes, open);
      if (HWY_UNLIKELY(open.count >= OpenPairs::kFull)) {
        at.pair += lanes;
        return at;
      }
    }
    if (at.pair < pairs) RotateLast<kType, kPairing>(head, pairs, turns, at, open);
    if (HWY_UNLIKELY(open.count >= OpenPairs::kFull)) return {at.head + 1, 0};
  }
  return at;
}

// cosines and sines [count], times the gain, and zeros behind them for the rest of a vector of floats.
template <class Value>
HWY_NOINLINE void ApplyGain(const Gain& gain, std::size_t count, const double* cosines, const double* sines,
                            GainedTurns<Value>& turns) {
  const Doubles d;
  const auto factor = hn::Set(d, gain.nearest());
  const auto sine_factor = hn::Set(d, gain.inverse ? -gain.nearest() : gain.nearest());
  const std::size_t vectors =
      (count + hn::Lanes(hn::ScalableTag<float>()) - 1) / hn::Lanes(hn::ScalableTag<float>());
  for (std::size_t i = 0; i < vectors * hn::Lanes(hn::ScalableTag<float>()); i += hn::Lanes(d)) {
    const bool is_one = i < count;
    const auto cosine = is_one ? hn::Mul(hn::LoadU(d, cosines + i), factor) : hn::Zero(d);
    const auto sine = is_one ? hn::Mul(hn::LoadU(d, sines + i), sine_factor) : hn::Zero(d);
    if constexpr (sizeof(Value) == sizeof(double)) {
      hn::StoreU(cosine, d, turns.cosines + i);
      hn::StoreU(sine, d, turns.sines + i);
    } else {
      hn::StoreU(ToFloats(cosine), Floats(), turns.cosines + i);
      hn::StoreU(ToFloats(sine), Floats(), turns.sines + i);
    }
  }
}

// For neighbours.
inline HWY_NOINLINE void Spread(std::size_t count, GainedTurns<double>& turns) {
  for (std::size_t i = 0; i < count; ++i) {
    turns.twice_cosines[2 * i] = turns.twice_cosines[2 * i + 1] = turns.cosines[i];
    turns.signed_sines[2 * i] = -turns.sines[i];
    turns.signed_sines[2 * i + 1] = turns.sines[i];
  }
}

// Larger elements are left to what rounds sums beyond the largest float; NaNs and infinities too.
inline std::int32_t MostOf(const Gain& gain) {
  const double most = 0x1p126 / gain.nearest();
  const float bound = most < 0x1.fffffep127 ? static_cast<float>(most) : 0x1.fffffep127f;
  std::int32_t bits;
  std::memcpy(&bits, &bound, sizeof(bits));
  return bits;
}

template <posenc_type kType, posenc_pairing kPairing, class Value>
HWY_INLINE void RotateHeads(const Rotation& rotation, const Heads& heads, const GainedTurns<Value>& turns,
                            const GainedTurns<double>& doubles, OpenPairs& open, Tally& tally) {
  for (Progress at{0, 0}; at.head < heads.count;) {
    const std::size_t begin = open.count;
    at = RotateLoop<kType, kPairing>(heads, turns, at, open);
    Note(rotation.token, heads, ElementSize(kType), doubles.cosines, doubles.sines, begin, open);
    if (open.count >= OpenPairs::kFull) CloseOpenPairs<kType>(rotation.table, rotation.gain, open, tally);
  }
}

template <posenc_type kType, posenc_pairing kPairing>
Tally RotateExact(const Rotation& rotation, const double* cosines, const double* sines, const Heads& heads,
                  OpenPairs& open) {
  const Gain& gain = rotation.gain;
  GainedTurns<double> turns;
  turns.error = kRotationError * gain.nearest();
  turns.least_part = kLeastPart * static_cast<float>(gain.nearest());
  turns.most = 0x7F7FFFFF;  // all that are finite: doubles do not overflow
  ApplyGain(gain, heads.pairs, cosines, sines, turns);
  Tally tally;
  if constexpr (kType == POSENC_F32) {
    if (kPairing == POSENC_NEIGHBOURS) Spread(heads.pairs, turns);
    RotateHeads<kType, kPairing>(rotation, heads, turns, turns, open, tally);
  } else {
    constexpr double kError =
        HWY_NATIVE_FMA && !HWY_ARCH_PPC ? kFloatRotationError : kFloatRotationErrorWithoutFma;
    GainedTurns<float> floats;
    floats.error = static_cast<float>(kError * gain.nearest() * (1.0 + 0x1p-20));
    floats.most = MostOf(gain);
    ApplyGain(gain, heads.pairs, cosines, sines, floats);
    RotateHeads<kType, kPairing>(rotation, heads, floats, turns, open, tally);
  }
  return tally;
}

// Words of a vector of pairs in plain arithmetic.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> RoundPlainly(DF df, hn::Vec<DF> v) {
  if constexpr (kType == POSENC_F32) {
    return hn::BitCast(hn::RebindToUnsigned<DF>(), v);
  } else if constexpr (kType == POSENC_BF16) {
    return RoundToBFloat16(df, v);
  } else {
    return Float16Bits(df, v);
  }
}

template <posenc_type kType, posenc_pairing kPairing>
HWY_INLINE void RotateVectorFast(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                                 const float* cosines, const float* sines) {
  const hn::ScalableTag<float> df;
  hn::Vec<hn::ScalableTag<float>> a, b;
  LoadPairs<kType, kPairing>(df, from, apart, a, b);
  const auto cosine = hn::LoadU(df, cosines), sine = hn::LoadU(df, sines);
  const auto x = hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine));
  const auto y = hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine));
  StorePairs<kType, kPairing>(df, RoundPlainly<kType>(df, x), RoundPlainly<kType>(df, y), to, apart);
}

template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void RotateFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                             const Heads& heads) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>()), pairs = heads.pairs;
  for (std::size_t h = 0; h < heads.count; ++h) {
    const Head<kType> head(heads, h);
    std::size_t i = 0;
    for (; i + lanes <= pairs; i += lanes) {
      RotateVectorFast<kType, kPairing>(head.source + i * kStep<kPairing>, head.data + i * kStep<kPairing>,
                                        pairs, cosines + i, sines + i);
    }
    if (i == pairs) continue;
    LastPairs<kType, kPairing, hn::ScalableTag<float>> last;
    last.Read(head.source, i, pairs);
    RotateVectorFast<kType, kPairing>(last.elements, last.elements, lanes, cosines + i, sines + i);
    last.Write(head.data, i, pairs);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_INL_H_
