// A token's cosines and sines, multiplied by the gain and laid out as the exact rotation's first tier loads
// them. Included once per target.
#if defined(POSENC_SRC_KERNEL_PACK_SINCOS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_PACK_SINCOS_INL_H_
#undef POSENC_SRC_KERNEL_PACK_SINCOS_INL_H_
#else
#define POSENC_SRC_KERNEL_PACK_SINCOS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/heads.h"
#include "kernel/pairs-inl.h"
#include "kernel/quick_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arrays with one value for each pair: [c_0 c_1 ...] and [s_0 s_1 ...].
template <class Value>
struct SinCosArrays {
  Value* cosines;
  Value* sines;
};

// Arrays with one value for each element, for pairs of neighbours: [c_0 c_0 c_1 c_1 ...] and
// [-s_0 s_0 -s_1 s_1 ...].
template <class Value>
struct SinCosPerElement {
  Value* cosines;
  Value* sines;
};

// Whether a loop takes SinCosPerElement. Neighbours are rotated without separating a from b. Bfloat16 is the
// exception, because shifts and masks separate the two elements of a 32-bit word at little cost.
template <posenc_type kType, posenc_pairing kPairing>
constexpr bool kTakesSinCosPerElement = kPairing == POSENC_NEIGHBOURS ? kType != POSENC_BF16 : false;

// Whether a loop takes 32-bit words of two elements, so that each lane holds two pairs. The loop for
// half-split bfloat16 does, as far as the words fill vectors.
template <posenc_type kType, posenc_pairing kPairing>
constexpr bool kTakesWords = kHasVectors && (kType == POSENC_BF16) && (kPairing == POSENC_HALF_SPLIT);

// Pairs that the arrays hold: `count`, rounded up to whole vectors of floats.
inline std::size_t PaddedPairs(std::size_t count) {
  return hwy::RoundUpTo(count, hn::Lanes(hn::ScalableTag<float>()));
}

// A token's cosines and sines [PaddedPairs(count)] and what multiplies them.
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

  // The same with `scale`, a power of 2, in both factors.
  ScaledSinCos Scaled(double scale) const {
    ScaledSinCos scaled = *this;
    scaled.factor *= scale;
    scaled.sine_factor *= scale;
    return scaled;
  }
};

// Calls take(c, s, i) with vectors of doubles, c = factor * cosine and s = sine_factor * sine of the pairs
// from i on, to PaddedPairs(count).
//
// Error: kScaledError (5 u) for direct angles. Worst known: see CacheRowRounding (cache_row-inl.h).
template <class Take>
HWY_INLINE void ForScaled(const ScaledSinCos& sin_cos, const Take& take) {
  const hn::ScalableTag<double> d;
  const auto factor = hn::Set(d, sin_cos.factor), sine_factor = hn::Set(d, sin_cos.sine_factor);
  // Copies, which the compiler knows no store can change.
  const double *cosines = sin_cos.cosines, *sines = sin_cos.sines;
  const std::size_t padded = PaddedPairs(sin_cos.count);
  for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) {
    take(hn::Mul(hn::LoadU(d, cosines + i), factor), hn::Mul(hn::LoadU(d, sines + i), sine_factor), i);
  }
}

// Stores the values of the pairs from i on: one for each pair, or one for each element.
template <class D>
HWY_INLINE void Put(D d, hn::Vec<D> cosine, hn::Vec<D> sine, std::size_t i,
                    const SinCosArrays<hn::TFromD<D>>& to) {
  hn::StoreU(cosine, d, to.cosines + i);
  hn::StoreU(sine, d, to.sines + i);
}
template <class D>
HWY_INLINE void Put(D d, hn::Vec<D> cosine, hn::Vec<D> sine, std::size_t i,
                    const SinCosPerElement<hn::TFromD<D>>& to) {
  hn::StoreInterleaved2(cosine, cosine, d, to.cosines + 2 * i);
  hn::StoreInterleaved2(hn::Neg(sine), sine, d, to.sines + 2 * i);
}

// packed = the products in double, for float32.
template <class Arrays>
HWY_NOINLINE void StoreScaled(const ScaledSinCos& sin_cos, Arrays packed) {
  ForScaled(sin_cos, [&](DoubleVec cosine, DoubleVec sine, std::size_t i)
                         HWY_ATTR { Put(hn::ScalableTag<double>(), cosine, sine, i, packed); });
}

// An element of the type has 24 - kHighDigits digits, so its product with a high part is exact in float: 13
// digits for float16, 16 for bfloat16.
template <posenc_type kType>
constexpr int kHighDigits = 24 - TraitsOf(kType).digits;

// Stores the two floats that stand for a double v: the high part has its first kHighDigits digits, rounded to
// nearest, ties away from 0; the low part is v - high as a float.
//
// Error of high + low: 2^-24 of low, which is at most 2^-kHighDigits of v (proof/rotation_quick.md).
template <posenc_type kType>
HWY_INLINE void StoreBothParts(DoubleVec v, float* high, float* low) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<Floats> du;
  const auto nearest = ToFloats(v);
  constexpr std::uint32_t kUnit = 1u << (24 - kHighDigits<kType>);
  const auto rounded = hn::Add(hn::BitCast(du, nearest), hn::Set(du, kUnit / 2));
  const auto high_part = hn::BitCast(Floats(), hn::And(rounded, hn::Set(du, ~(kUnit - 1))));
  hn::StoreU(high_part, Floats(), high);
  hn::StoreU(ToFloats(hn::Sub(v, hn::PromoteTo(d, high_part))), Floats(), low);
}

// high, low = the parts of all products.
template <posenc_type kType>
HWY_NOINLINE void StoreParts(const ScaledSinCos& sin_cos, SinCosArrays<float> high, SinCosArrays<float> low) {
  ForScaled(sin_cos, [&](DoubleVec cosine, DoubleVec sine, std::size_t i) HWY_ATTR {
    StoreBothParts<kType>(cosine, high.cosines + i, low.cosines + i);
    StoreBothParts<kType>(sine, high.sines + i, low.sines + i);
  });
}

// sin_cos = cosines and sines [count, rounded up to whole vectors], one value for each element.
inline HWY_NOINLINE void PutPerElement(const float* cosines, const float* sines, std::size_t count,
                                       SinCosPerElement<float> sin_cos) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto cosine = hn::LoadU(d, cosines + i), sine = hn::LoadU(d, sines + i);
    Put(d, cosine, sine, i, sin_cos);
  }
}

// Deinterleaves vectors in place, two at a time: [v_0 v_2 ...] [v_1 v_3 ...], as loops over words of two
// pairs take them. If the number of vectors is odd, the last one stays as it is.
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

// What the first tier loads: arrays of cosines and of sines, one behind the other. They are doubles for
// float32. For 16-bit types they are high parts, and two arrays of low parts follow.
template <posenc_type kType, posenc_pairing kPairing>
struct PackedSinCos {
  using Value = std::conditional_t<kType == POSENC_F32, double, float>;
  using Arrays = std::conditional_t<kTakesSinCosPerElement<kType, kPairing>, SinCosPerElement<Value>,
                                    SinCosArrays<Value>>;
  static constexpr bool kHasLow = kType != POSENC_F32;

  // How many values an array has for some pairs. All arrays begin on cache lines.
  static std::size_t Stride(std::size_t pairs) {
    return hwy::RoundUpTo(pairs, kVectorPadding) * (kTakesSinCosPerElement<kType, kPairing> ? 2 : 1);
  }
};

// Writes a token's cosines and sines [pairs], times the gain, into `packed` as RotateQuickly loads them:
// doubles for float32, times kSinCosScale; high and low parts in float for 16-bit types.
template <posenc_type kType, posenc_pairing kPairing>
void PackSinCos(const double* cosines, const double* sines, std::size_t pairs, const Gain& gain,
                void* packed) {
  using Packed = PackedSinCos<kType, kPairing>;
  const ScaledSinCos scaled(cosines, sines, pairs, gain);
  const std::size_t stride = Packed::Stride(pairs);
  auto* const values = static_cast<typename Packed::Value*>(packed);
  const typename Packed::Arrays first = {values, values + stride};
  if constexpr (kType == POSENC_F32) {
    StoreScaled(scaled.Scaled(kSinCosScale<POSENC_F32>), first);
  } else {
    auto* const low_values = values + 2 * stride;
    const typename Packed::Arrays low = {low_values, low_values + stride};
    if constexpr (kTakesSinCosPerElement<kType, kPairing>) {
      HWY_ALIGN float parts[4][kMaxPiece];
      StoreParts<kType>(scaled, {parts[0], parts[1]}, {parts[2], parts[3]});
      PutPerElement(parts[0], parts[1], pairs, first);
      PutPerElement(parts[2], parts[3], pairs, low);
    } else {
      StoreParts<kType>(scaled, first, low);
    }
    if constexpr (kTakesWords<kType, kPairing>) {
      for (std::size_t k = 0; k < 4; ++k) Deinterleave(values + k * stride, pairs);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_PACK_SINCOS_INL_H_
