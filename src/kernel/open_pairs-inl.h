// Exact sums between bounds, and the pairs that a loop leaves open: closed in double, or in the last resort.
// Included once per target.
#if defined(POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#undef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#else
#define POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/gained_turns-inl.h"
#include "kernel/heads.h"
#include "kernel/pairs-inl.h"
#include "kernel/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The larger of |a| and |b|, as bits; above those of finite floats if either is no finite one.
template <class DF>
HWY_INLINE hn::Vec<hn::RebindToSigned<DF>> LargerMagnitude(DF df, hn::Vec<DF> a, hn::Vec<DF> b) {
  const hn::RebindToSigned<DF> di;
  (void)df;
  return hn::Max(hn::BitCast(di, hn::Abs(a)), hn::BitCast(di, hn::Abs(b)));
}

// a cosine - b sine and b cosine + a sine from above and below.
template <class D, class V>
HWY_INLINE void BoundSums(D d, V a, V b, V cosine, V sine, V bound, V& x_high, V& x_low, V& y_high,
                          V& y_low) {
  const V minus_bound = hn::Sub(hn::Zero(d), bound);  // of 0 it is 0: sums that are 0 are +0
#if HWY_ARCH_PPC
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {  // GCC's vmaddfp takes subnormal floats for zeros
    const V ac = hn::Mul(a, cosine), bs = hn::Mul(b, sine), bc = hn::Mul(b, cosine), as = hn::Mul(a, sine);
    x_high = hn::Sub(hn::Add(ac, bound), bs);
    x_low = hn::Sub(hn::Add(ac, minus_bound), bs);
    y_high = hn::Add(hn::Add(bc, bound), as);
    y_low = hn::Add(hn::Add(bc, minus_bound), as);
    return;
  }
#endif
  x_high = MinusProduct(b, sine, hn::MulAdd(a, cosine, bound));
  x_low = MinusProduct(b, sine, hn::MulAdd(a, cosine, minus_bound));
  y_high = hn::MulAdd(a, sine, hn::MulAdd(b, cosine, bound));
  y_low = hn::MulAdd(a, sine, hn::MulAdd(b, cosine, minus_bound));
}

// The lanes of a mask as StoreMaskBits stores them, at most 64.
inline std::uint64_t BitsIn(const std::uint8_t bytes[8]) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < 8; ++k) bits |= std::uint64_t{bytes[k]} << (8 * k);
  return bits;
}

// Adds some of a vector of pairs, from `pair` on of a head, to the open ones: a bit each.
template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void ListOpen(std::uint64_t pairs, const ElementOf<kType>* from, std::size_t apart,
                           std::size_t head, std::size_t pair, OpenPairs& open) {
  for (; pairs != 0; pairs &= pairs - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(pairs), n = open.count++;
    const PairIndex at = ElementsOf(kPairing, k, apart);
    open.head[n] = head;
    open.pair[n] = static_cast<std::uint32_t>(pair + k);
    open.a[n] = LoadElement(kType, reinterpret_cast<const unsigned char*>(from + at.a));
    open.b[n] = LoadElement(kType, reinterpret_cast<const unsigned char*>(from + at.b));
  }
}

// What the open pairs from `begin` on, of a token, are: all but head, pair, a and b.
inline HWY_NOINLINE void Complete(const Token& token, const Heads& heads, std::size_t element_size,
                                  const GainedTurns& turns, std::size_t begin, OpenPairs& open) {
  for (std::size_t n = begin; n < open.count; ++n) {
    const std::size_t pair = open.pair[n];
    const PairIndex at = ElementsOf(heads.pairing, pair, heads.pairs);
    unsigned char* data = heads.data + open.head[n] * heads.stride;
    open.multiple[n] = token[pair];
    open.cosine[n] = turns.cosines[pair] * turns.factor;
    open.sine[n] = turns.sines[pair] * turns.sine_factor;
    open.x[n] = data + at.a * element_size;
    open.y[n] = data + at.b * element_size;
  }
}

// The elements in double; pairs that this leaves open too are flagged.
template <posenc_type kType>
HWY_INLINE void RotateInDouble(const OpenPairs& open, std::size_t from, double error, std::uint64_t* flags,
                               float* xs, float* ys) {
  const Doubles d;
  const Floats df;
  const auto a = hn::LoadU(df, open.a + from), b = hn::LoadU(df, open.b + from);
  const auto magnitude = hn::BitCast(df, LargerMagnitude(df, a, b));
  const auto bound = hn::Mul(hn::PromoteTo(d, magnitude), hn::Set(d, error));
  DoubleVec x_high, x_low, y_high, y_low;
  BoundSums(d, hn::PromoteTo(d, a), hn::PromoteTo(d, b), hn::LoadU(d, open.cosine + from),
            hn::LoadU(d, open.sine + from), bound, x_high, x_low, y_high, y_low);
  FloatVec x, y;
  auto flagged = RoundBetween<kType>(x_low, x_high, x);
  flagged = hn::Or(flagged, RoundBetween<kType>(y_low, y_high, y));
  flagged = hn::Or(flagged, hn::Not(hn::Lt(bound, hn::Set(d, 0x1p200))));  // NaN, infinity
  hn::Store(hn::BitCast(Longs(), hn::VecFromMask(d, flagged)), Longs(), flags);
  hn::Store(x, df, xs);
  hn::Store(y, df, ys);
}

template <posenc_type kType>
HWY_NOINLINE void CloseOpenPairs(const FrequencyTable& table, const Gain& gain, OpenPairs& open,
                                 Tally& tally) {
  const std::size_t lanes = hn::Lanes(Doubles());
  tally.doubles += open.count;
  for (std::size_t from = 0; from < open.count; from += lanes) {
    HWY_ALIGN std::uint64_t flags[kMostLanes<Longs>];
    HWY_ALIGN float xs[kMostLanes<Doubles>], ys[kMostLanes<Doubles>];
    RotateInDouble<kType>(open, from, kRotationError * gain.nearest(), flags, xs, ys);
    for (std::size_t k = 0; k < lanes && from + k < open.count; ++k) {
      const std::size_t n = from + k;
      if (flags[k] != 0) {
        const RotatedPair rotated =
            RecomputePair(table, open.multiple[n], gain, kType, open.pair[n], open.a[n], open.b[n], tally);
        xs[k] = rotated.x;
        ys[k] = rotated.y;
      }
      StoreElement(kType, xs[k], open.x[n]);
      StoreElement(kType, ys[k], open.y[n]);
    }
  }
  open.count = 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
