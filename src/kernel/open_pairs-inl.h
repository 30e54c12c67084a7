// The pairs that a loop leaves open, one by one: closed in double, with direct turns, or in the last resort.
// Included once per target.
#if defined(POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#undef POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#else
#define POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/bounded_sums-inl.h"
#include "kernel/heads.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotary_reference.h"
#include "kernel/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where a loop over heads and their pairs is.
struct Progress {
  std::size_t head, pair;
};

// Bits of an element, or as one.
inline std::uint32_t BitsOfElement(std::uint16_t element) { return element; }
inline std::uint32_t BitsOfElement(float element) {
  std::uint32_t bits;
  std::memcpy(&bits, &element, sizeof(bits));
  return bits;
}
template <posenc_type kType>
void StoreBits(std::uint32_t bits, unsigned char* to) {
  const auto element =
      static_cast<std::conditional_t<kType == POSENC_F32, std::uint32_t, std::uint16_t>>(bits);
  std::memcpy(to, &element, sizeof(element));
}

// Floats from bits of elements, and the bits of floats that are such.
template <posenc_type kType>
HWY_INLINE FloatVec FloatsOfBits(const std::uint32_t* from) {
  const Floats df;
  const auto bits = hn::LoadU(hn::RebindToUnsigned<Floats>(), from);
  if constexpr (kType == POSENC_F32) {
    return hn::BitCast(df, bits);
  } else if constexpr (kType == POSENC_BF16) {
    return hn::BitCast(df, hn::ShiftLeft<16>(bits));
  } else {
    const auto words = hn::BitCast(hn::RebindToSigned<Floats>(), bits);
    return FromFloat16(df, hn::DemoteTo(hn::Rebind<std::uint16_t, Floats>(), words));
  }
}
template <posenc_type kType>
HWY_INLINE WordsAs<Floats> BitsOfFloats(FloatVec v) {
  const Floats df;
  const auto canonical = WithCanonicalNans(df, v);
  const auto bits = hn::BitCast(hn::RebindToUnsigned<Floats>(), canonical);
  if constexpr (kType == POSENC_F32) {
    return bits;
  } else if constexpr (kType == POSENC_BF16) {
    return hn::ShiftRight<16>(bits);
  } else {
    return Float16Bits(df, canonical);
  }
}

// Adds some of the pairs from `at` on, whose elements lie at `from`, to the open ones: a bit each.
template <posenc_type kType>
HWY_NOINLINE void ListOpen(std::uint64_t pairs, const ElementOf<kType>* from, std::size_t apart, Progress at,
                           const Rotation& rotation, const Heads& heads, OpenPairs& open) {
  unsigned char* data = heads.data + at.head * heads.stride;
  for (; pairs != 0; pairs &= pairs - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(pairs), n = open.count++;
    const std::size_t pair = at.pair + k;
    const PairIndex here = ElementsOf(heads.pairing, k, apart),
                    there = ElementsOf(heads.pairing, pair, heads.pairs);
    const PhaseStep step(rotation.table, rotation.token[pair], pair);
    open.pair[n] = static_cast<std::uint32_t>(pair);
    open.a[n] = BitsOfElement(from[here.a]);
    open.b[n] = BitsOfElement(from[here.b]);
    open.multiple[n] = rotation.token[pair];
    open.high[n] = step.high;
    open.low[n] = step.low;
    open.x[n] = data + there.a * sizeof(*from);
    open.y[n] = data + there.b * sizeof(*from);
  }
}

template <posenc_type kType>
HWY_NOINLINE void CloseOpenPairs(const FrequencyTable& table, const Gain& gain, OpenPairs& open,
                                 Tally& tally) {
  const Doubles d;
  const TurnBounds turns(gain, true, false);
  tally.doubles += open.count;
  for (std::size_t n = open.count; n % hn::Lanes(d) != 0; ++n) {  // whole vectors are read
    open.multiple[n] = open.high[n] = open.low[n] = 0.0;
    open.a[n] = open.b[n] = 0;
  }
  for (std::size_t from = 0; from < open.count; from += hn::Lanes(d)) {
    const auto multiple = hn::LoadU(d, open.multiple + from), high = hn::LoadU(d, open.high + from);
    DoubleVec sine, cosine;
    auto is_unknown =
        SinCos(d, multiple, high, hn::LoadU(d, open.low + from), table.max_cancellation, sine, cosine);
    is_unknown = hn::Or(is_unknown, IsTiny(multiple, high, kLeastDoublePhase));
    const auto a = FloatsOfBits<kType>(open.a + from), b = FloatsOfBits<kType>(open.b + from);
    DoubleVec x_sum, x_bound, y_sum, y_bound;
    SumWithin<false>(a, b, cosine, sine, turns, x_sum, x_bound, y_sum, y_bound);
    // NaNs and infinities are as IEEE arithmetic has them.
    const auto size = hn::Add(hn::Abs(hn::PromoteTo(d, a)), hn::Abs(hn::PromoteTo(d, b)));
    const auto is_finite = hn::Lt(size, hn::Set(d, 0x1p200));
    x_bound = hn::IfThenElseZero(is_finite, x_bound);
    y_bound = hn::IfThenElseZero(is_finite, y_bound);
    FloatVec x, y;
    auto is_open = RoundBetween<kType>(Below(d, x_sum, x_bound), Above(d, x_sum, x_bound), x);
    is_open = hn::Or(is_open, RoundBetween<kType>(Below(d, y_sum, y_bound), Above(d, y_sum, y_bound), y));
    const std::uint64_t flags = BitsOf(d, hn::Or(is_open, is_unknown));
    HWY_ALIGN double cosines[kMostLanes<Doubles>], sines[kMostLanes<Doubles>];
    hn::Store(hn::IfThenElse(is_unknown, hn::NaN(d), cosine), d, cosines);
    hn::Store(hn::IfThenElse(is_unknown, hn::NaN(d), sine), d, sines);
    HWY_ALIGN std::uint32_t xs[kMostLanes<Doubles>], ys[kMostLanes<Doubles>];
    hn::Store(BitsOfFloats<kType>(x), hn::RebindToUnsigned<Floats>(), xs);
    hn::Store(BitsOfFloats<kType>(y), hn::RebindToUnsigned<Floats>(), ys);
    for (std::size_t k = 0; k < hn::Lanes(d) && from + k < open.count; ++k) {
      const std::size_t n = from + k;
      if (HWY_LIKELY((flags >> k & 1) == 0)) {
        StoreBits<kType>(xs[k], open.x[n]);
        StoreBits<kType>(ys[k], open.y[n]);
        continue;
      }
      ElementOf<kType> elements[2];
      StoreBits<kType>(open.a[n], reinterpret_cast<unsigned char*>(elements));
      StoreBits<kType>(open.b[n], reinterpret_cast<unsigned char*>(elements + 1));
      const RotatedPair rotated =
          RecomputePair(table, open.multiple[n], gain, kType, open.pair[n],
                        LoadElement(kType, reinterpret_cast<const unsigned char*>(elements)),
                        LoadElement(kType, reinterpret_cast<const unsigned char*>(elements + 1)), cosines[k],
                        sines[k], open.wide, tally);
      StoreElement(kType, rotated.x, open.x[n]);
      StoreElement(kType, rotated.y, open.y[n]);
    }
  }
  open.count = 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_OPEN_PAIRS_INL_H_
