// Pairs of a head's elements as vectors of floats: loads and stores in either pairing. Included once per
// target.
//
//   half-split  [a_0 a_1 ... b_0 b_1 ...]; b_i is `apart` elements behind a_i
//   neighbours  [a_0 b_0 a_1 b_1 ...]; `apart` does not matter
#if defined(POSENC_SRC_KERNEL_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_PAIRS_INL_H_
#undef POSENC_SRC_KERNEL_PAIRS_INL_H_
#else
#define POSENC_SRC_KERNEL_PAIRS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/format-inl.h"
#include "kernel/heads.h"
#include "kernel/store-inl.h"
#include "number/compiler.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The bits of a vector of floats, as words of 32 bits.
template <class DF>
using WordsAs = hn::Vec<hn::RebindToUnsigned<DF>>;

// Where one head's elements are read and written.
template <posenc_type kType>
struct Head {
  const ElementOf<kType>* source;
  ElementOf<kType>* data;

  Head(const Heads& heads, std::size_t head)
      : source(reinterpret_cast<const ElementOf<kType>*>(heads.source + head * heads.source_stride)),
        data(reinterpret_cast<ElementOf<kType>*>(heads.data + head * heads.stride)) {}
};

// Elements from one pair's a to the next pair's.
template <posenc_pairing kPairing>
constexpr std::size_t kStep = kPairing == POSENC_NEIGHBOURS ? 2 : 1;

// Prefetches the lines 2 KB, half a page, ahead of a vector's elements: they belong to the next heads or the
// next tokens. Hardware prefetching alone comes too late (without this a Xeon took 1.7 times as long in
// DRAM).
//
// kFar also prefetches the lines 4 KB ahead into a farther cache, for loops whose arithmetic takes time (1.06
// to 1.15 times as fast; prefetching all of it at once is no faster).
template <bool kFar, class T>
HWY_INLINE void PrefetchAhead(const T* head, std::size_t pair, std::size_t pairs) {
  constexpr std::size_t kHalfPage = 2048, kLine = 64 / sizeof(T);
  for (std::size_t k = 0; k < 2 * pairs; k += kLine) {
    const std::uintptr_t ahead = AddressOf(head + 2 * pair + k) + kHalfPage;
    PrefetchNear(ahead);
    if (kFar) PrefetchFar(ahead + kHalfPage);
  }
}

// Prefetches, into a farther cache, the lines 8 KB ahead of consecutive heads with `pairs` pairs in all, for
// calls that no cache holds. POSENC_FAST waits for memory only, so it gains where a core prefetches little by
// itself (Zen 4, DRAM: 1.25 times as fast).
template <class T>
HWY_INLINE void PrefetchFarAhead(const T* head, std::size_t pairs) {
  constexpr std::size_t kTwoPages = 8192, kLine = 64 / sizeof(T);
  for (std::size_t k = 0; k < 2 * pairs; k += kLine) PrefetchFar(AddressOf(head + k) + kTwoPages);
}

// LoadAsFloat, but 64 bytes are loaded as two halves. A vector may lie across two cache lines, and then two
// loads are a third faster in DRAM (Zen 5).
template <posenc_type kType, class DF>
HWY_INLINE hn::Vec<DF> LoadHalves(DF df, const ElementOf<kType>* from) {
  if constexpr (kHasAvx512 && kType == POSENC_F32 && std::is_same_v<DF, Entries>) {
    return Join<false>(hn::LoadU(Floats(), from), hn::LoadU(Floats(), from + 8));
  }
  return LoadAsFloat<kType>(df, from);
}

// Loads a vector of pairs from `at`: a = the first elements as floats, b = the second ones. Exact.
template <posenc_type kType, posenc_pairing kPairing, class DF>
HWY_INLINE void LoadPairs(DF df, const ElementOf<kType>* at, std::size_t apart, hn::Vec<DF>& a,
                          hn::Vec<DF>& b) {
  if constexpr (kPairing == POSENC_HALF_SPLIT || !kHasVectors) {
    const bool is_split = kPairing == POSENC_HALF_SPLIT;
    a = LoadHalves<kType>(df, at);
    b = LoadHalves<kType>(df, at + (is_split ? apart : 1));
  } else if constexpr (kType == POSENC_F32) {
    if constexpr (std::is_same_v<DF, Floats>) {
      const Longs dl;
      const hn::RebindToUnsigned<DF> du;
      const auto words = hn::BitCast(dl, hn::LoadU(Entries(), at));  // a word a pair
      const auto low = hn::BitCast(df, hn::TruncateTo(du, words));
      const auto high = hn::BitCast(df, hn::TruncateTo(du, hn::ShiftRight<32>(words)));
      a = kBigEndian ? high : low;
      b = kBigEndian ? low : high;
    } else if constexpr (kHasAvx512) {
      const auto first = LoadHalves<kType>(df, at), second = LoadHalves<kType>(df, at + hn::Lanes(df));
      a = EveryOther(false, first, second);
      b = EveryOther(true, first, second);
    } else {
      hn::LoadInterleaved2(df, at, a, b);
    }
  } else {
    const hn::RebindToUnsigned<DF> du;
    const hn::Repartition<std::uint16_t, DF> d16;
    const auto words = hn::BitCast(du, hn::LoadU(d16, at));  // a word a pair
    if constexpr (kType == POSENC_BF16) {
      const auto low = hn::BitCast(df, hn::ShiftLeft<16>(words));
      const auto high = hn::BitCast(df, hn::And(words, hn::Set(du, 0xFFFF0000u)));
      a = kBigEndian ? high : low;
      b = kBigEndian ? low : high;
    } else {
      const hn::RebindToSigned<DF> di;
      const hn::Rebind<std::uint16_t, DF> halves;
      const auto low_bits = hn::BitCast(di, hn::And(words, hn::Set(du, 0xFFFFu)));
      const auto high_bits = hn::BitCast(di, hn::ShiftRight<16>(words));
      const auto low = FromFloat16(df, hn::DemoteTo(halves, low_bits));
      const auto high = FromFloat16(df, hn::DemoteTo(halves, high_bits));
      a = kBigEndian ? high : low;
      b = kBigEndian ? low : high;
    }
  }
}

// Stores a vector of pairs to `at`: x = the bits of the first elements, y = the bits of the second ones. Bits
// of 16-bit elements lie in the low half of each word, and the high half is 0.
template <posenc_type kType, posenc_pairing kPairing, class DF>
HWY_INLINE void StoreElements(DF df, WordsAs<DF> x, WordsAs<DF> y, ElementOf<kType>* at, std::size_t apart) {
  constexpr bool kIsSplit = kPairing == POSENC_HALF_SPLIT;
  if constexpr (kType == POSENC_F32) {
    const auto x_floats = hn::BitCast(df, x), y_floats = hn::BitCast(df, y);
    if constexpr (kIsSplit || !kHasVectors) {
      hn::StoreU(x_floats, df, at);
      hn::StoreU(y_floats, df, at + (kIsSplit ? apart : 1));
    } else if constexpr (std::is_same_v<DF, Floats>) {
      hn::StoreU(Join<true>(x_floats, y_floats), Entries(), at);
    } else {
      hn::StoreInterleaved2(x_floats, y_floats, df, at);
    }
  } else if constexpr (kIsSplit || !kHasVectors) {
    const hn::Rebind<std::uint16_t, DF> d16;
    hn::StoreU(NarrowTo16(df, x), d16, at);
    hn::StoreU(NarrowTo16(df, y), d16, at + (kIsSplit ? apart : 1));
  } else {
    const hn::Repartition<std::uint16_t, DF> d16;
    const auto words = kBigEndian ? hn::Or(hn::ShiftLeft<16>(x), y) : hn::Or(x, hn::ShiftLeft<16>(y));
    hn::StoreU(hn::BitCast(d16, words), d16, at);
  }
}

// The pairs first .. end - 1 of a head, fewer than a vector has lanes, in a buffer that holds a whole vector;
// the loops' bodies work there as they do on a head. Half-split elements are a vector's lanes apart in it.
template <posenc_type kType, posenc_pairing kPairing, class DF>
struct LastPairs {
  HWY_ALIGN ElementOf<kType> elements[2 * kMaxLanes<hn::ScalableTag<float>>] = {};

  HWY_NOINLINE void Read(const ElementOf<kType>* source, std::size_t first, std::size_t end,
                         std::size_t pairs) {
    Copy(source + first * kStep<kPairing>, pairs, end - first, elements, hn::Lanes(DF()));
  }

  HWY_NOINLINE void Write(ElementOf<kType>* data, std::size_t first, std::size_t end,
                          std::size_t pairs) const {
    Copy(elements, hn::Lanes(DF()), end - first, data + first * kStep<kPairing>, pairs);
  }

 private:
  // Copies `count` pairs.
  static HWY_INLINE void Copy(const ElementOf<kType>* from, std::size_t apart_from, std::size_t count,
                              ElementOf<kType>* to, std::size_t apart_to) {
    std::memcpy(to, from, count * kStep<kPairing> * sizeof(*to));
    if (kPairing == POSENC_HALF_SPLIT) std::memcpy(to + apart_to, from + apart_from, count * sizeof(*to));
  }
};

// One value for each pair: [c_0 c_1 ...] and [s_0 s_1 ...].
template <class Value>
struct SinCosArrays {
  HWY_ALIGN Value cosines[kMaxPiece];
  HWY_ALIGN Value sines[kMaxPiece];
};

// One value for each element, for pairs of neighbours: [c_0 c_0 c_1 c_1 ...] and [-s_0 s_0 -s_1 s_1 ...].
template <class Value>
struct SinCosPerElement {
  HWY_ALIGN Value cosines[2 * kMaxPiece];
  HWY_ALIGN Value sines[2 * kMaxPiece];
};

// Whether a loop takes SinCosPerElement. Neighbours are rotated without separating a from b. Bfloat16 is the
// exception, because shifts and masks separate the two elements of a 32-bit word at little cost.
template <posenc_type kType, posenc_pairing kPairing>
constexpr bool kTakesSinCosPerElement = kPairing == POSENC_NEIGHBOURS ? kType != POSENC_BF16 : false;

// Whether a loop takes 32-bit words of two elements, so that each lane holds two pairs. The loop for
// half-split bfloat16 does, as far as the words fill vectors.
template <posenc_type kType, posenc_pairing kPairing>
constexpr bool kTakesWords = kHasVectors && (kType == POSENC_BF16) && (kPairing == POSENC_HALF_SPLIT);

// Pairs that the arrays hold: `count`, rounded up to whole vectors of floats. Pairs beyond `count` may be
// zeros.
inline std::size_t PaddedPairs(std::size_t count) {
  return hwy::RoundUpTo(count, hn::Lanes(hn::ScalableTag<float>()));
}

// A token's cosines and sines [count, rounded up to whole vectors of doubles] and what multiplies them.
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
// from i on. From the first vector beyond `count` to PaddedPairs(count) they are zeros.
//
// Error: kScaledError (5 u) for direct angles. Worst known: see RoundSinCosOfPairs (token_sincos-inl.h).
template <class Take>
HWY_INLINE void ForScaled(const ScaledSinCos& sin_cos, const Take& take) {
  const hn::ScalableTag<double> d;
  const auto factor = hn::Set(d, sin_cos.factor), sine_factor = hn::Set(d, sin_cos.sine_factor);
  for (std::size_t i = 0; i < PaddedPairs(sin_cos.count); i += hn::Lanes(d)) {
    const bool is_one = i < sin_cos.count;
    take(is_one ? hn::Mul(hn::LoadU(d, sin_cos.cosines + i), factor) : hn::Zero(d),
         is_one ? hn::Mul(hn::LoadU(d, sin_cos.sines + i), sine_factor) : hn::Zero(d), i);
  }
}

// Stores the values of the pairs from i on: one for each pair, or one for each element.
template <class D>
HWY_INLINE void Put(D d, hn::Vec<D> cosine, hn::Vec<D> sine, std::size_t i, SinCosArrays<hn::TFromD<D>>& to) {
  hn::StoreU(cosine, d, to.cosines + i);
  hn::StoreU(sine, d, to.sines + i);
}
template <class D>
HWY_INLINE void Put(D d, hn::Vec<D> cosine, hn::Vec<D> sine, std::size_t i,
                    SinCosPerElement<hn::TFromD<D>>& to) {
  hn::StoreInterleaved2(cosine, cosine, d, to.cosines + 2 * i);
  hn::StoreInterleaved2(hn::Neg(sine), sine, d, to.sines + 2 * i);
}

// packed = the products in double, for float32.
template <class Arrays>
HWY_NOINLINE void StoreScaled(const ScaledSinCos& sin_cos, Arrays& packed) {
  ForScaled(sin_cos, [&](DoubleVec cosine, DoubleVec sine, std::size_t i)
                         HWY_ATTR { Put(hn::ScalableTag<double>(), cosine, sine, i, packed); });
}

// The two floats that stand for a double v: high has its first kHighDigits digits, low is v - high as a
// float.
enum class Part { kHigh, kLow };

// An element of the type has 24 - kHighDigits digits, so its product with a high part is exact in float: 13
// digits for float16, 16 for bfloat16.
template <posenc_type kType>
constexpr int kHighDigits = 24 - TraitsOf(kType).digits;

// Returns the high or the low part of v. High parts are rounded to nearest, ties away from 0.
//
// Error of high + low: 2^-24 of low, which is at most 2^-kHighDigits of v (PROOF.md, section 6, "Quickly").
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

// arrays = the high or the low parts of all products.
template <posenc_type kType, Part kPart>
HWY_NOINLINE void StoreParts(const ScaledSinCos& sin_cos, SinCosArrays<float>& arrays) {
  ForScaled(sin_cos, [&](DoubleVec cosine, DoubleVec sine, std::size_t i) HWY_ATTR {
    hn::StoreU(TakePart<kType, kPart>(cosine), Floats(), arrays.cosines + i);
    hn::StoreU(TakePart<kType, kPart>(sine), Floats(), arrays.sines + i);
  });
}

// sin_cos = cosines and sines [count, rounded up to whole vectors], one value for each element.
inline HWY_NOINLINE void PutPerElement(const float* cosines, const float* sines, std::size_t count,
                                       SinCosPerElement<float>& sin_cos) {
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

// What RotateExact loads: doubles for float32; for 16-bit types parts[0] is high, parts[1] low.
template <posenc_type kType, posenc_pairing kPairing>
struct PackedSinCos {
  using Value = std::conditional_t<kType == POSENC_F32, double, float>;
  static constexpr std::size_t kParts = kType == POSENC_F32 ? 1 : 2;

  std::conditional_t<kTakesSinCosPerElement<kType, kPairing>, SinCosPerElement<Value>, SinCosArrays<Value>>
      parts[kParts];
};

// What PackSinCos wrote to `room` for the same type and pairing.
template <posenc_type kType, posenc_pairing kPairing>
const PackedSinCos<kType, kPairing>& PackedIn(const PackedSinCosRoom& room) {
  using Packed = PackedSinCos<kType, kPairing>;
  static_assert(sizeof(Packed) <= sizeof(room) && alignof(Packed) <= alignof(PackedSinCosRoom),
                "there must be room");
  return *reinterpret_cast<const Packed*>(room.bytes);
}

// packed = the high or the low parts of all products, in the order in which the loop loads them.
template <posenc_type kType, posenc_pairing kPairing, Part kPart, class Arrays>
HWY_INLINE void PackParts(const ScaledSinCos& sin_cos, Arrays& packed) {
  if constexpr (kTakesSinCosPerElement<kType, kPairing>) {
    SinCosArrays<float> arrays;
    StoreParts<kType, kPart>(sin_cos, arrays);
    PutPerElement(arrays.cosines, arrays.sines, sin_cos.count, packed);
  } else {
    StoreParts<kType, kPart>(sin_cos, packed);
  }
  if constexpr (kTakesWords<kType, kPairing>) {
    Deinterleave(packed.cosines, sin_cos.count);
    Deinterleave(packed.sines, sin_cos.count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_PAIRS_INL_H_
