// Cosines and sines of a token times its gain, as the loops over its heads take them. Included once per
// target.
#if defined(POSENC_SRC_KERNEL_GAINED_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_GAINED_TURNS_INL_H_
#undef POSENC_SRC_KERNEL_GAINED_TURNS_INL_H_
#else
#define POSENC_SRC_KERNEL_GAINED_TURNS_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/format-inl.h"
#include "kernel/heads.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arrays of them. Stack is scarce: a kernel has only those that it reads in its loops.
template <class Value>
struct SinCosArrays {
  HWY_ALIGN Value cosines[kMaxRotaryPairs];
  HWY_ALIGN Value sines[kMaxRotaryPairs];
};

// The same for each element of neighbours: [c_0 c_0 c_1 c_1 ...] and [-s_0 s_0 -s_1 s_1 ...].
template <class Value>
struct SpreadSinCos {
  HWY_ALIGN Value cosines[2 * kMaxRotaryPairs];
  HWY_ALIGN Value sines[2 * kMaxRotaryPairs];
};

// Neighbours that are turned in place need spread turns; two bfloat16 are one word, taken apart.
template <posenc_type kType, posenc_pairing kPairing>
constexpr bool kTakesSpread = kPairing == POSENC_NEIGHBOURS ? kType != POSENC_BF16 : false;

// Half-split bfloat16 is taken by words of two pairs, as far as these fill vectors.
template <posenc_type kType, posenc_pairing kPairing>
constexpr bool kTakesWords = kHasVectors && (kType == POSENC_BF16) && (kPairing == POSENC_HALF_SPLIT);

// Loops take, and arrays of turns hold, so many pairs: of `count` as many as fill vectors of floats, the last
// ones zeros.
inline std::size_t PaddedPairs(std::size_t count) {
  return hwy::RoundUpTo(count, hn::Lanes(hn::ScalableTag<float>()));
}

// Cosines and sines [count] and what they are multiplied by.
struct ScaledSinCos {
  const double* cosines;
  const double* sines;
  std::size_t count;
  double factor, sine_factor;

  ScaledSinCos(const double* cosines_of_token, const double* sines_of_token, std::size_t pairs,
               const Gain& gain)
      : cosines(cosines_of_token),
        sines(sines_of_token),
        count(pairs),
        factor(gain.nearest()),
        sine_factor(gain.inverse ? -gain.nearest() : gain.nearest()) {}

  // Times a power of 2.
  ScaledSinCos Scaled(double scale) const {
    ScaledSinCos scaled = *this;
    scaled.factor *= scale;
    scaled.sine_factor *= scale;
    return scaled;
  }
};

// take(cosine, sine, i) for vectors of products, pairs i and on, to the last that PaddedPairs counts.
template <class Take>
HWY_INLINE void ForGained(const ScaledSinCos& sin_cos, const Take& take) {
  const hn::ScalableTag<double> d;
  const auto factor = hn::Set(d, sin_cos.factor), sine_factor = hn::Set(d, sin_cos.sine_factor);
  for (std::size_t i = 0; i < PaddedPairs(sin_cos.count); i += hn::Lanes(d)) {
    const bool is_one = i < sin_cos.count;
    take(is_one ? hn::Mul(hn::LoadU(d, sin_cos.cosines + i), factor) : hn::Zero(d),
         is_one ? hn::Mul(hn::LoadU(d, sin_cos.sines + i), sine_factor) : hn::Zero(d), i);
  }
}

// Puts those of pairs i and on in their place.
template <class D>
HWY_INLINE void Put(D d, hn::Vec<D> cosine, hn::Vec<D> sine, std::size_t i, SinCosArrays<hn::TFromD<D>>& to) {
  hn::StoreU(cosine, d, to.cosines + i);
  hn::StoreU(sine, d, to.sines + i);
}
template <class D>
HWY_INLINE void Put(D d, hn::Vec<D> cosine, hn::Vec<D> sine, std::size_t i, SpreadSinCos<hn::TFromD<D>>& to) {
  hn::StoreInterleaved2(cosine, cosine, d, to.cosines + 2 * i);
  hn::StoreInterleaved2(hn::Neg(sine), sine, d, to.sines + 2 * i);
}

template <class Turns>
HWY_NOINLINE void StoreScaled(const ScaledSinCos& sin_cos, Turns& placed) {
  ForGained(sin_cos, [&](DoubleVec cosine, DoubleVec sine, std::size_t i)
                         HWY_ATTR { Put(hn::ScalableTag<double>(), cosine, sine, i, placed); });
}

// What floats take of a double: its first digits, rounded, and what these leave.
enum class Part { kHigh, kLow };

// So many digits that products with elements of the type are exact in float.
template <posenc_type kType>
constexpr int kHighDigits = 24 - TraitsOf(kType).digits;

template <posenc_type kType, Part kPart>
HWY_INLINE FloatVec TakePart(DoubleVec v) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<Floats> du;
  const auto nearest = ToFloats(v);
  constexpr std::uint32_t kUnit = 1u << (24 - kHighDigits<kType>);
  const auto rounded = hn::Add(hn::BitCast(du, nearest), hn::Set(du, kUnit / 2));
  const auto high = hn::BitCast(Floats(), hn::And(rounded, hn::Set(du, ~(kUnit - 1))));
  return kPart == Part::kHigh ? high : ToFloats(hn::Sub(v, hn::PromoteTo(d, high)));
}

template <posenc_type kType, Part kPart>
HWY_NOINLINE void StoreParts(const ScaledSinCos& sin_cos, SinCosArrays<float>& arrays) {
  ForGained(sin_cos, [&](DoubleVec cosine, DoubleVec sine, std::size_t i) HWY_ATTR {
    hn::StoreU(TakePart<kType, kPart>(cosine), Floats(), arrays.cosines + i);
    hn::StoreU(TakePart<kType, kPart>(sine), Floats(), arrays.sines + i);
  });
}

inline HWY_NOINLINE void Spread(const float* cosines, const float* sines, std::size_t count,
                                SpreadSinCos<float>& sin_cos) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto cosine = hn::LoadU(d, cosines + i), sine = hn::LoadU(d, sines + i);
    Put(d, cosine, sine, i, sin_cos);
  }
}

// Of each two vectors the elements with even numbers first, then the others.
inline HWY_NOINLINE void Deinterleave(float* values, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i + 2 * lanes <= count; i += 2 * lanes) {
    hn::Vec<decltype(d)> even, odd;
    hn::LoadInterleaved2(d, values + i, even, odd);
    hn::StoreU(even, d, values + i);
    hn::StoreU(odd, d, values + i + lanes);
  }
}

// Those of an exact kernel: in double, or high and low parts.
template <posenc_type kType, posenc_pairing kPairing>
struct PlacedSinCos {
  using Value = std::conditional_t<kType == POSENC_F32, double, float>;
  static constexpr std::size_t kParts = kType == POSENC_F32 ? 1 : 2;

  std::conditional_t<kTakesSpread<kType, kPairing>, SpreadSinCos<Value>, SinCosArrays<Value>> parts[kParts];
};

template <posenc_type kType, posenc_pairing kPairing>
const PlacedSinCos<kType, kPairing>& PlacedIn(const PlacedSinCosRoom& room) {
  using Placed = PlacedSinCos<kType, kPairing>;
  static_assert(sizeof(Placed) <= sizeof(room) && alignof(Placed) <= alignof(PlacedSinCosRoom),
                "there must be room");
  return *reinterpret_cast<const Placed*>(room.bytes);
}

template <posenc_type kType, posenc_pairing kPairing, Part kPart, class Turns>
HWY_INLINE void PlaceParts(const ScaledSinCos& sin_cos, Turns& placed) {
  if constexpr (kTakesSpread<kType, kPairing>) {
    SinCosArrays<float> arrays;
    StoreParts<kType, kPart>(sin_cos, arrays);
    Spread(arrays.cosines, arrays.sines, sin_cos.count, placed);
  } else {
    StoreParts<kType, kPart>(sin_cos, placed);
  }
  if constexpr (kTakesWords<kType, kPairing>) {
    Deinterleave(placed.cosines, sin_cos.count);
    Deinterleave(placed.sines, sin_cos.count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_GAINED_TURNS_INL_H_
