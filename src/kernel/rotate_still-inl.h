// Pairs that do not turn, or are zeros: elements times the gain, which may be ties or 0, as no bound tells.
// Included once per target.
#if defined(POSENC_SRC_KERNEL_ROTATE_STILL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_STILL_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_STILL_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_STILL_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "kernel/open_pairs-inl.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotate_quickly-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // one pair at a time, as CloseOpenPairs has it

template <posenc_type kType>
bool MayBeStill(const Rotation& /*rotation*/, const Heads& /*heads*/, std::size_t /*head*/,
                std::size_t /*pair*/) {
  return false;
}

template <posenc_type kType>
Progress RotateStill(const Rotation& /*rotation*/, const Heads& /*heads*/, Progress at) {
  return at;
}

#else

// Whether none of a vector of pairs turns.
HWY_INLINE bool AreStill(const Rotation& rotation, std::size_t pair) {
  const Doubles d;
  const Token& token = rotation.token;
  const auto is_zero = [](const double* from)
                           HWY_ATTR { return hn::Eq(hn::LoadU(Doubles(), from), hn::Zero(Doubles())); };
  if (token.multiples == nullptr) {
    return token.position == 0.0 || hn::AllTrue(d, is_zero(rotation.table.whole_high + pair));
  }
  return hn::AllTrue(d, hn::Or(is_zero(token.multiples + pair), is_zero(rotation.table.whole_high + pair)));
}

// Elements times a short gain, rounded to the type: bits, in the low halves of words if they are 16.
template <posenc_type kType>
HWY_INLINE WordsAs<Floats> Scale(FloatVec v, double factor) {
  const Doubles d;
  const hn::RebindToUnsigned<Floats> du;
  // Of 0 it is +0.
  const auto product = hn::Add(hn::Mul(hn::PromoteTo(d, v), hn::Set(d, factor)), hn::Zero(d));
  if constexpr (kType == POSENC_F32) {
    return hn::BitCast(du, ToFloats(product));
  } else {
    const FloatVec rounded = RoundToFormat<kType>(product);
    if constexpr (kType == POSENC_F16) return Float16Bits(Floats(), rounded);
    return hn::ShiftRight<16>(hn::BitCast(du, rounded));
  }
}

// Whether the first of the pairs that RotateQuickly left may be one for RotateStill.
template <posenc_type kType>
HWY_NOINLINE bool MayBeStill(const Rotation& rotation, const Heads& heads, std::size_t head,
                             std::size_t pair) {
  if (IsStill(rotation.table, rotation.token[pair], pair)) return true;
  const ElementOf<kType>* source = Head<kType>(heads, head).source;
  const PairIndex at = ElementsOf(heads.pairing, pair, heads.pairs);
  if constexpr (kType == POSENC_F32) {
    return source[at.a] == 0.0f && source[at.b] == 0.0f;
  } else {
    return ((source[at.a] | source[at.b]) & 0x7FFF) == 0;
  }
}

// From `at` on as far as whole vectors of pairs are zeros, or do not turn and are finite; of these no more
// than RotateQuickly takes at once, unless the next are likely to be ties too. Each element is one by itself,
// so neighbours are taken as two vectors of elements.
template <posenc_type kType>
HWY_NOINLINE Progress RotateStill(const Rotation& rotation, const Heads& heads, Progress at) {
  const Floats df;
  const hn::RebindToSigned<Floats> di;
  const StillGain gain = StillGainOf(rotation.gain);
  const std::size_t lanes = hn::Lanes(df);
  const bool is_split = heads.pairing == POSENC_HALF_SPLIT;
  const std::size_t step = is_split ? 1 : 2, apart = is_split ? heads.pairs : lanes;
  std::size_t scaled = 0;
  for (; at.head < heads.count; ++at.head, at.pair = 0) {
    const Head<kType> head(heads, at.head);
    for (; at.pair + lanes <= heads.pairs; at.pair += lanes) {
      FloatVec a, b;
      LoadPairs<kType, POSENC_HALF_SPLIT>(df, head.source + at.pair * step, apart, a, b);
      const auto magnitude = LargerMagnitude(df, a, b);
      auto x = hn::Zero(hn::RebindToUnsigned<Floats>()), y = x;
      if (!hn::AllTrue(di, hn::Eq(magnitude, hn::Zero(di)))) {
        const bool is_next = gain.is_short && (scaled < 2 || gain.makes_ties);
        if (!is_next || !AreStill(rotation, at.pair)) return at;
        if (!hn::AllTrue(di, hn::Lt(magnitude, hn::Set(di, 0x7F800000)))) return at;
        x = Scale<kType>(a, gain.factor);
        y = Scale<kType>(b, gain.factor);
        ++scaled;
      }
      StorePairs<kType, POSENC_HALF_SPLIT>(df, x, y, head.data + at.pair * step, apart);
    }
    if (at.pair < heads.pairs) return at;
  }
  return at;
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_STILL_INL_H_
