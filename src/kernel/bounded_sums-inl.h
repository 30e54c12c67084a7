// A vector of pairs of any elements, rotated in double between bounds: what the quick loops leave. Included
// once per target.
#if defined(POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
#undef POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
#else
#define POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/heads.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotary_reference.h"
#include "kernel/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pairs that are taken together: as many as there are doubles in a vector, of shorter types than float twice
// as many.
template <posenc_type kType>
using PairsOf = std::conditional_t<kType == POSENC_F32, Floats, hn::ScalableTag<float>>;

// What turns are multiplied by, and how good the products are: the error of one is `relative` of itself and
// `absolute` besides, which cover the roundings of a sum as well (number/bounds.h).
struct TurnBounds {
  double factor, sine_factor;
  double relative, absolute;
  bool are_direct;     // a cosine or sine that is 0 is exactly 0, and each has the right sign
  bool has_zeros;      // there may be such, which have no error
  bool are_exact;      // beside them 1 times the gain, and an element times that, is exact
  float scale = 1.0f;  // of the sums

  // Of sums in double or, of shorter types than float, in float.
  TurnBounds(const Gain& gain, bool direct, bool in_float)
      : factor(gain.nearest()),
        sine_factor(gain.inverse ? -gain.nearest() : gain.nearest()),
        relative(in_float ? kFloatRotationError
                 : direct ? kDirectRotationError
                          : 0.0),
        absolute(direct ? kLeastTurnError : kAddedRotationError * gain.nearest()),
        are_direct(direct),
        has_zeros(direct),
        are_exact(direct && (in_float ? IsShortInFloat(gain) : IsShort(gain))) {
    for (; in_float && factor > 1.0; scale *= 2.0f) {  // so that products do not overflow
      factor *= 0.5;
      sine_factor *= 0.5;
      absolute *= direct ? 1.0 : 0.5;
    }
  }

  // Spares what only few direct turns need: those [pairs] that are 0, or so small that products underflow.
  HWY_NOINLINE void LookAt(const double* cosines, const double* sines, std::size_t pairs) {
    if (!are_direct) return;
    const Doubles d;
    auto smallest = hn::Set(d, 1.0);
    for (std::size_t i = 0; i < pairs; i += hn::Lanes(d)) {
      auto least = hn::Min(hn::Abs(hn::LoadU(d, cosines + i)), hn::Abs(hn::LoadU(d, sines + i)));
      if (i + hn::Lanes(d) > pairs) least = hn::IfThenElse(hn::FirstN(d, pairs - i), least, smallest);
      smallest = hn::Min(smallest, least);
    }
    if (!hn::AllTrue(d, hn::Gt(smallest, hn::Set(d, kLeastPlainTurn)))) return;
    has_zeros = false;
    absolute = 0.0;
  }
};

// a cosine - b sine and b cosine + a sine times the gain, and what they are off by at most: 0 if they are
// exact, or NaNs or infinities as they should be.
struct BoundedSums {
  DoubleVec x, x_bound, y, y_bound;
};

HWY_INLINE BoundedSums SumWithin(FloatVec a_element, FloatVec b_element, DoubleVec cosine, DoubleVec sine,
                                 const TurnBounds& turns) {
  const Doubles d;
  const auto a = hn::PromoteTo(d, a_element), b = hn::PromoteTo(d, b_element);
  const auto a_size = hn::Abs(a), b_size = hn::Abs(b), size = hn::Add(a_size, b_size);
  const auto c = hn::Mul(cosine, hn::Set(d, turns.factor)), s = hn::Mul(sine, hn::Set(d, turns.sine_factor));
  const auto relative = hn::Set(d, turns.relative), absolute = hn::Set(d, turns.absolute);
  auto c_error = hn::MulAdd(hn::Abs(c), relative, absolute),
       s_error = hn::MulAdd(hn::Abs(s), relative, absolute);
  if (HWY_UNLIKELY(turns.has_zeros)) {
    auto no_cosine = hn::Eq(cosine, hn::Zero(d)), no_sine = hn::Eq(sine, hn::Zero(d));
    if (turns.are_exact) no_cosine = no_sine = hn::Or(no_cosine, no_sine);
    c_error = hn::IfThenZeroElse(no_cosine, c_error);
    s_error = hn::IfThenZeroElse(no_sine, s_error);
  }
  BoundedSums sums;
  sums.x = MinusProduct(b, s, hn::Mul(a, c));
  sums.y = hn::MulAdd(a, s, hn::Mul(b, c));
  auto has_bounds = hn::Lt(size, hn::Set(d, 0x1p200));
  if (!turns.are_direct) {  // the signs of infinities are not certain, which have an infinite bound
    const auto is_infinite = hn::Gt(size, hn::Set(d, 0x1p200));
    sums.x = hn::IfThenZeroElse(is_infinite, sums.x);
    sums.y = hn::IfThenZeroElse(is_infinite, sums.y);
    has_bounds = hn::Eq(size, size);
  }
  const auto x_bound = hn::MulAdd(b_size, s_error, hn::Mul(a_size, c_error));
  const auto y_bound = hn::MulAdd(a_size, s_error, hn::Mul(b_size, c_error));
  sums.x_bound = hn::IfThenElseZero(has_bounds, x_bound);
  sums.y_bound = hn::IfThenElseZero(has_bounds, y_bound);
  return sums;
}

// A sum from above and below; neither is -0 unless it is less than 0.
template <class D, class V>
HWY_INLINE V Above(D /*d*/, V sum, V bound) {
  return hn::Add(sum, bound);
}
template <class D, class V>
HWY_INLINE V Below(D d, V sum, V bound) {
  return hn::Add(sum, hn::Sub(hn::Zero(d), bound));
}

// Both rounded to float; and the lanes in which they differ.
HWY_INLINE hn::Mask<hn::RebindToSigned<Floats>> RoundToFloats(DoubleVec sum, DoubleVec bound,
                                                              WordsAs<Floats>& bits) {
  const Doubles d;
  const Floats df;
  const hn::RebindToUnsigned<Floats> du;
  const hn::RebindToSigned<Floats> di;
  const FloatVec above = ToFloats(Above(d, sum, bound)), below = ToFloats(Below(d, sum, bound));
  bits = hn::BitCast(du, WithCanonicalNans(df, above));
  return hn::Ne(hn::BitCast(di, above), hn::BitCast(di, below));
}

template <class DF>
HWY_INLINE hn::Vec<DF> JoinFloats([[maybe_unused]] DF df, DoubleVec lower, [[maybe_unused]] DoubleVec upper) {
#if HWY_TARGET == HWY_SCALAR
  return ToFloats(lower);
#else
  return hn::Combine(df, ToFloats(upper), ToFloats(lower));
#endif
}

// Pairs of elements of shorter types than float: products in double, which become floats, and what of the
// turns is not exactly 0.
template <class DF>
struct ShortProducts {
  hn::Vec<DF> ac, bs, bc, as;

  HWY_INLINE ShortProducts(DF df, hn::Vec<DF> a, hn::Vec<DF> b, const double* cosines, const double* sines,
                           const TurnBounds& turns) {
    const Doubles d;
    const auto factor = hn::Set(d, turns.factor), sine_factor = hn::Set(d, turns.sine_factor);
#if HWY_TARGET == HWY_SCALAR
    const auto a_lower = hn::PromoteTo(d, a), b_lower = hn::PromoteTo(d, b), a_upper = a_lower,
               b_upper = b_lower;
    const std::size_t half = 0;
#else
    const Floats df_half;
    const std::size_t half = hn::Lanes(d);
    const auto a_lower = hn::PromoteTo(d, hn::LowerHalf(df_half, a));
    const auto b_lower = hn::PromoteTo(d, hn::LowerHalf(df_half, b));
    const auto a_upper = hn::PromoteTo(d, hn::UpperHalf(df_half, a));
    const auto b_upper = hn::PromoteTo(d, hn::UpperHalf(df_half, b));
#endif
    const auto c_lower = hn::Mul(hn::LoadU(d, cosines), factor),
               c_upper = hn::Mul(hn::LoadU(d, cosines + half), factor);
    ac = JoinFloats(df, hn::Mul(a_lower, c_lower), hn::Mul(a_upper, c_upper));
    bc = JoinFloats(df, hn::Mul(b_lower, c_lower), hn::Mul(b_upper, c_upper));
    const auto s_lower = hn::Mul(hn::LoadU(d, sines), sine_factor),
               s_upper = hn::Mul(hn::LoadU(d, sines + half), sine_factor);
    as = JoinFloats(df, hn::Mul(a_lower, s_lower), hn::Mul(a_upper, s_upper));
    bs = JoinFloats(df, hn::Mul(b_lower, s_lower), hn::Mul(b_upper, s_upper));
  }
};

// 1 where turns are not exactly 0, else 0.
template <class DF>
HWY_INLINE hn::Vec<DF> AreNonzero(DF df, const double* turns) {
  const Doubles d;
  const auto is_one = [&](const double* from) HWY_ATTR {
    return hn::IfThenZeroElse(hn::Eq(hn::LoadU(d, from), hn::Zero(d)), hn::Set(d, 1.0));
  };
  return JoinFloats(df, is_one(turns), is_one(turns + (HWY_TARGET == HWY_SCALAR ? 0 : hn::Lanes(d))));
}

// A sum from above and below, times a scale, rounded to a shorter type, whose bits are in the low halves of
// words; returns what differs.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> RoundToShort(DF df, hn::Vec<DF> sum, hn::Vec<DF> bound, const TurnBounds& turns,
                                    WordsAs<DF>& bits) {
  const hn::RebindToUnsigned<DF> du;
  auto above = Above(df, sum, bound), below = Below(df, sum, bound);
  if (HWY_UNLIKELY(turns.scale != 1.0f)) {
    above = hn::Mul(above, hn::Set(df, turns.scale));
    below = hn::Mul(below, hn::Set(df, turns.scale));
  }
  above = WithCanonicalNans(df, above);
  below = WithCanonicalNans(df, below);
  if constexpr (kType == POSENC_BF16) {
    const auto half = hn::Set(du, 0x8000u);
    auto to = hn::Add(hn::BitCast(du, above), half);
    const auto differ = hn::ShiftRight<16>(hn::Xor(to, hn::Add(hn::BitCast(du, below), half)));
    if (HWY_UNLIKELY(turns.are_exact)) {  // ties go to even
      const auto off_tie =
          hn::Or(hn::And(to, hn::Set(du, 0xFFFFu)), hn::Xor(hn::BitCast(du, above), hn::BitCast(du, below)));
      const auto is_tie = hn::Eq(off_tie, hn::Zero(du));
      to = hn::IfThenElse(is_tie, hn::And(to, hn::Set(du, 0xFFFE0000u)), to);
    }
    bits = hn::ShiftRight<16>(to);
    return differ;
  } else {
    bits = Float16Bits(df, above);
    return hn::Xor(bits, Float16Bits(df, below));
  }
}

// What pairs of elements become, bits as StorePairs takes them; and the lanes that are left open.
template <posenc_type kType>
HWY_INLINE hn::Mask<hn::RebindToSigned<PairsOf<kType>>> RotateWithin(
    hn::Vec<PairsOf<kType>> a, hn::Vec<PairsOf<kType>> b, const double* cosines, const double* sines,
    const TurnBounds& turns, WordsAs<PairsOf<kType>>& x, WordsAs<PairsOf<kType>>& y) {
  const Doubles d;
  const PairsOf<kType> df;
  const hn::RebindToSigned<PairsOf<kType>> di;
  if constexpr (kType == POSENC_F32) {
    const BoundedSums sums = SumWithin(a, b, hn::LoadU(d, cosines), hn::LoadU(d, sines), turns);
    (void)df;
    (void)di;
    return hn::Or(RoundToFloats(sums.x, sums.x_bound, x), RoundToFloats(sums.y, sums.y_bound, y));
  } else {
    const ShortProducts<PairsOf<kType>> products(df, a, b, cosines, sines, turns);
    const auto a_size = hn::Abs(a), b_size = hn::Abs(b);
    const auto larger = hn::Max(hn::BitCast(di, a_size), hn::BitCast(di, b_size));
    const auto is_special = hn::RebindMask(df, hn::Gt(larger, hn::Set(di, 0x7F7FFFFF)));
    const auto most_least = hn::Set(df, kLeastFloatRotationError),
               relative = hn::Set(df, static_cast<float>(turns.relative));
    auto x_least = hn::Min(hn::BitCast(df, larger), most_least), y_least = x_least;
    auto is_exact = is_special;  // as it is: a NaN or, if the signs are certain, an infinity
    auto x_sum = hn::Sub(products.ac, products.bs), y_sum = hn::Add(products.bc, products.as);
    if (HWY_UNLIKELY(turns.has_zeros)) {
      const auto has_c = AreNonzero(df, cosines), has_s = AreNonzero(df, sines);
      x_least = hn::Min(hn::MulAdd(b_size, has_s, hn::Mul(a_size, has_c)), most_least);
      y_least = hn::Min(hn::MulAdd(a_size, has_s, hn::Mul(b_size, has_c)), most_least);
      if (turns.are_exact) is_exact = hn::Or(is_exact, hn::Eq(hn::Mul(has_c, has_s), hn::Zero(df)));
    }
    if (!turns.are_direct) {  // the bounds of infinities are infinite
      const auto absolute =
          hn::Mul(hn::BitCast(df, larger), hn::Set(df, static_cast<float>(2.0 * turns.absolute)));
      const auto is_infinite = hn::RebindMask(df, hn::Eq(larger, hn::Set(di, 0x7F800000)));
      x_least = hn::Add(x_least, absolute);
      y_least = hn::Add(y_least, absolute);
      x_sum = hn::IfThenZeroElse(is_infinite, x_sum);
      y_sum = hn::IfThenZeroElse(is_infinite, y_sum);
      is_exact = hn::RebindMask(df, hn::Gt(larger, hn::Set(di, 0x7F800000)));
    }
    const auto bound = [&](hn::Vec<PairsOf<kType>> first, hn::Vec<PairsOf<kType>> second,
                           hn::Vec<PairsOf<kType>> least) HWY_ATTR {
      return hn::IfThenZeroElse(
          is_exact, hn::MulAdd(hn::Abs(first), relative, hn::MulAdd(hn::Abs(second), relative, least)));
    };
    const auto x_differs = RoundToShort<kType>(df, x_sum, bound(products.ac, products.bs, x_least), turns, x);
    const auto y_differs = RoundToShort<kType>(df, y_sum, bound(products.bc, products.as, y_least), turns, y);
    return hn::Ne(hn::BitCast(di, hn::Or(x_differs, y_differs)), hn::Zero(di));
  }
}

// The lanes of a mask, a bit each, at most 64.
template <class D>
HWY_INLINE std::uint64_t BitsOf(D d, hn::Mask<D> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < 8; ++k) bits |= std::uint64_t{bytes[k]} << (8 * k);
  return bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_BOUNDED_SUMS_INL_H_
