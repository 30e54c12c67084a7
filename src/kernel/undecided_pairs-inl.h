// The queue of undecided pairs, which any loop of the exact rotation fills: resolved a vector at a time in
// double with direct angles, and by wide arithmetic where that is not enough. Included once per target.
#if defined(POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#undef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#else
#define POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/heads.h"
#include "kernel/undecided_pairs.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotary_reference.h"
#include "kernel/token_sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector of elements as floats, from their bits [lanes]; and the bits of floats that are numbers of the
// type. Exact; a NaN's bits are those of the canonical one.
HWY_INLINE FloatVec FloatsOfBits(posenc_type type, const std::uint32_t* from) {
  const Floats df;
  const auto bits = hn::LoadU(hn::RebindToUnsigned<Floats>(), from);
  if (type == POSENC_F32) return hn::BitCast(df, bits);
  if (type == POSENC_BF16) return hn::BitCast(df, hn::ShiftLeft<16>(bits));
  const auto words = hn::BitCast(hn::RebindToSigned<Floats>(), bits);
  return FromFloat16(df, hn::DemoteTo(hn::Rebind<std::uint16_t, Floats>(), words));
}
HWY_INLINE WordsAs<Floats> BitsOfFloats(posenc_type type, FloatVec v) {
  const Floats df;
  const auto canonical = WithCanonicalNans(df, v);
  const auto bits = hn::BitCast(hn::RebindToUnsigned<Floats>(), canonical);
  if (type == POSENC_F32) return bits;
  if (type == POSENC_BF16) return hn::ShiftRight<16>(bits);
  return Float16Bits(df, canonical);
}

// Resolves the queued pairs, all of one type and gain: each rotated element correctly rounded and stored. One
// pair a lane, as they have multiples and steps of their own.
//
// Sums and bounds are SumWithin's, with direct angles: kDirectRotationError (9 u) by |a c| + |b s|. Worst
// known: see there. Both ends are rounded; NaNs and infinities are what IEEE arithmetic makes of the sums.
//
// RecomputePair takes, in two doubles or in wide arithmetic, the pairs that this leaves undecided: 1 of 2.7
// million rotated pairs of float32, none of 65 million of each 16-bit type (src/README.md). It takes cosine
// and sine from here, NaNs where these are not known.
//
// It is one function for all types, because three of them would take 2 KB each on every target.
inline HWY_NOINLINE void ResolveUndecidedPairs(posenc_type type, const FrequencyTable& table,
                                               const Gain& gain, UndecidedPairs& undecided, Tally& tally) {
  const Doubles d;
  const SinCosBounds bounds(gain, true, false);
  const FormatRounding format = type == POSENC_F32    ? kFormatRounding<POSENC_F32>
                                : type == POSENC_BF16 ? kFormatRounding<POSENC_BF16>
                                                      : kFormatRounding<POSENC_F16>;
  tally.doubles += undecided.count;
  for (std::size_t n = undecided.count; n % hn::Lanes(d) != 0; ++n) {  // fills up the last vector
    undecided.multiple[n] = undecided.high[n] = undecided.low[n] = 0.0;
    undecided.a[n] = undecided.b[n] = 0;
  }
  for (std::size_t from = 0; from < undecided.count; from += hn::Lanes(d)) {
    const auto multiple = hn::LoadU(d, undecided.multiple + from), high = hn::LoadU(d, undecided.high + from);
    DoubleVec sine, cosine;
    auto is_unknown =
        SinCos(d, multiple, high, hn::LoadU(d, undecided.low + from), table.max_cancellation, sine, cosine);
    is_unknown = hn::Or(is_unknown, IsTiny(multiple, high, kMinDoublePhase));
    const auto a = FloatsOfBits(type, undecided.a + from), b = FloatsOfBits(type, undecided.b + from);
    DoubleVec x_sum, x_bound, y_sum, y_bound;
    SumWithin<false>(a, b, cosine, sine, bounds, x_sum, x_bound, y_sum, y_bound);
    // NaNs and infinities are decided: with a bound of 0 both ends are the sum itself.
    const auto size = hn::Add(hn::Abs(hn::PromoteTo(d, a)), hn::Abs(hn::PromoteTo(d, b)));
    const auto is_finite = hn::Lt(size, hn::Set(d, 0x1p200));
    x_bound = hn::IfThenElseZero(is_finite, x_bound);
    y_bound = hn::IfThenElseZero(is_finite, y_bound);
    FloatVec x, y;
    auto is_undecided = RoundBetween(format, Below(d, x_sum, x_bound), Above(d, x_sum, x_bound), x);
    is_undecided =
        hn::Or(is_undecided, RoundBetween(format, Below(d, y_sum, y_bound), Above(d, y_sum, y_bound), y));
    const std::uint64_t flags = BitsOf(d, hn::Or(is_undecided, is_unknown));
    HWY_ALIGN double cosines[kMaxLanes<Doubles>], sines[kMaxLanes<Doubles>];
    hn::Store(hn::IfThenElse(is_unknown, hn::NaN(d), cosine), d, cosines);
    hn::Store(hn::IfThenElse(is_unknown, hn::NaN(d), sine), d, sines);
    HWY_ALIGN std::uint32_t xs[kMaxLanes<Doubles>], ys[kMaxLanes<Doubles>];
    hn::Store(BitsOfFloats(type, x), hn::RebindToUnsigned<Floats>(), xs);
    hn::Store(BitsOfFloats(type, y), hn::RebindToUnsigned<Floats>(), ys);
    for (std::size_t k = 0; k < hn::Lanes(d) && from + k < undecided.count; ++k) {
      const std::size_t n = from + k;
      if (HWY_LIKELY((flags >> k & 1) == 0)) {
        StoreBits(type, xs[k], undecided.x[n]);
        StoreBits(type, ys[k], undecided.y[n]);
        continue;
      }
      unsigned char a_element[sizeof(float)], b_element[sizeof(float)];
      StoreBits(type, undecided.a[n], a_element);
      StoreBits(type, undecided.b[n], b_element);
      const RotatedPair rotated = RecomputePair(table, undecided.multiple[n], gain, type, undecided.pair[n],
                                                LoadElement(type, a_element), LoadElement(type, b_element),
                                                cosines[k], sines[k], undecided.wide, tally);
      StoreElement(type, rotated.x, undecided.x[n]);
      StoreElement(type, rotated.y, undecided.y[n]);
    }
  }
  undecided.count = 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
