// The direct kernel's arithmetic, for any target: exact reduction to a quarter turn, sine and cosine by
// polynomials in double. One body, included once per target.
#if defined(POSENC_SRC_KERNEL_SINCOS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_SINCOS_INL_H_
#undef POSENC_SRC_KERNEL_SINCOS_INL_H_
#else
#define POSENC_SRC_KERNEL_SINCOS_INL_H_
#endif

#include <cstdint>

#include "number/bounds.h"
#include "hwy/highway.h"
#include "kernel/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// a * b - product for product = round(a * b), exactly: with FMA, or (Dekker) from halves of 26 bits of a, the
// low one with a sign, and of 26 and 27 bits of b.
template <class D, class V>
HWY_INLINE V ProductError(D d, V a, V b, V product) {
  if constexpr (kHasFma) return hn::MulSub(a, b, product);
  const hn::RebindToUnsigned<D> du;
  const auto top = hn::Set(du, ~((std::uint64_t{1} << 27) - 1));
  const auto half = hn::Set(du, std::uint64_t{1} << 26);
  const V a_high = hn::BitCast(d, hn::And(hn::Add(hn::BitCast(du, a), half), top));
  const V b_high = hn::BitCast(d, hn::And(hn::BitCast(du, b), top));
  const V a_low = hn::Sub(a, a_high);
  const V b_low = hn::Sub(b, b_high);
  V error = hn::Sub(hn::Mul(a_high, b_high), product);
  error = hn::Add(error, hn::Mul(a_low, b_high));
  error = hn::Add(error, hn::Mul(a_high, b_low));
  return hn::Add(error, hn::Mul(a_low, b_low));
}

// a + b x
template <class D, class V>
HWY_INLINE V Linear(D d, V x, double a, double b) {
  return hn::MulAdd(hn::Set(d, b), x, hn::Set(d, a));
}

// Of r and the squares r2 = r^2 and r4 = r2^2, in short chains, since what is evaluated one by one waits for
// them. Coefficients: tools/sincos_coefficients.sollya.

// sin(pi/2 (r + r_low)) for |r| <= 1/2. The first term, pi/2 * r, is summed last and with the low parts of
// both factors.
template <class D, class V>
HWY_INLINE V SinePolynomial(D d, V r, V r_low, V r2, V r4) {
  const V half_pi = hn::Set(d, 0x1.921fb54442d18p0);
  V p = Linear(d, r2, -0x1.e3009538e2c1ap-19, 0x1.e3fe151639f31p-25);
  p = hn::MulAdd(p, r4, Linear(d, r2, -0x1.32d2cce31fa25p-8, 0x1.507830084092cp-13));
  p = hn::MulAdd(p, r4, Linear(d, r2, -0x1.4abbce625be46p-1, 0x1.466bc67758c6ap-4));
  p = hn::MulAdd(p, r2, hn::Set(d, 0x1.1a62633145c07p-54));
  return hn::MulAdd(half_pi, r, hn::MulAdd(p, r, hn::Mul(half_pi, r_low)));
}

// cos(pi/2 r) for |r| <= 1/2.
template <class D, class V>
HWY_INLINE V CosinePolynomial(D d, V r2, V r4) {
  V p = Linear(d, r2, 0x1.f9c89ca22cd52p-22, -0x1.b167305462f85p-28);
  p = hn::MulAdd(p, r4, Linear(d, r2, 0x1.e1f5067b90b39p-11, -0x1.a6d1e7294c416p-16));
  p = hn::MulAdd(p, r4, Linear(d, r2, 0x1.03c1f081b5a67p-2, -0x1.55d3c7e3c325bp-6));
  p = hn::MulAdd(p, r2, hn::Set(d, -0x1.3bd3cc9be45dep0));
  return hn::MulAdd(p, r2, hn::Set(d, 1.0));
}

// Both, with fewer terms, good to kQuickError, and operations: for vectors that are reduced ahead.
template <class D, class V>
HWY_INLINE void QuickPolynomials(D d, V r, V r2, V& s, V& c) {
  s = Linear(d, r2, 0x1.5071be08a0a9dp-13, -0x1.dd4e0a1b3bed5p-19);
  s = hn::MulAdd(s, r2, hn::Set(d, -0x1.32d2c627f2965p-8));
  s = hn::MulAdd(s, r2, hn::Set(d, 0x1.466bc670fa44dp-4));
  s = hn::MulAdd(s, r2, hn::Set(d, -0x1.4abbce6257778p-1));
  s = hn::Mul(hn::MulAdd(s, r2, hn::Set(d, 0x1.921fb54442cf8p0)), r);
  c = Linear(d, r2, 0x1.e1e7f57f4c4bfp-11, -0x1.a0f369220335bp-16);
  c = hn::MulAdd(c, r2, hn::Set(d, -0x1.55d3ba9db26c1p-6));
  c = hn::MulAdd(c, r2, hn::Set(d, 0x1.03c1f075dd91p-2));
  c = hn::MulAdd(c, r2, hn::Set(d, -0x1.3bd3cc9bd6838p0));
  c = hn::MulAdd(c, r2, hn::Set(d, 1.0));
}

// Reduces phases of position * step quarter turns, step = high + low, by the nearest integer, which then
// stands in the low bits of `quadrant`: r + r_low is exact but for the phase.
template <class D, class V>
HWY_INLINE void Reduce(D d, V position, V high, V low, V& phase, V& r, V& r_low,
                       hn::Vec<hn::RebindToUnsigned<D>>& quadrant) {
  const hn::RebindToUnsigned<D> du;
  phase = hn::Mul(position, high);
  const V phase_low = hn::MulAdd(position, low, ProductError(d, position, high, phase));

  // Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits of the sum.
  const V magic = hn::Set(d, 0x1.8p52);
  const V shifted = hn::Add(phase, magic);
  const V reduced = hn::Sub(phase, hn::Sub(shifted, magic));
  r = hn::Add(reduced, phase_low);
  r_low = hn::Sub(phase_low, hn::Sub(r, reduced));
  quadrant = hn::BitCast(du, shifted);
}

// The same with r rounded to double. Without FMA `is_short` says that the position is a whole one up to
// kMostShort, whose product with 35 digits of a step is exact.
template <class D, class V>
HWY_INLINE void ReduceQuickly(D d, bool is_short, V position, V high, V low, V& r,
                              hn::Vec<hn::RebindToUnsigned<D>>& quadrant) {
  const hn::RebindToUnsigned<D> du;
  const V magic = hn::Set(d, 0x1.8p52);
  V shifted;
  if constexpr (kHasFma) {
    shifted = hn::MulAdd(position, high, magic);
    r = hn::MulAdd(position, low, hn::MulSub(position, high, hn::Sub(shifted, magic)));
  } else {
    const auto top = hn::Set(du, ~((std::uint64_t{1} << 18) - 1));
    const V upper = is_short ? hn::BitCast(d, hn::And(hn::BitCast(du, high), top)) : high;
    const V phase = hn::Mul(position, upper);
    shifted = hn::Add(phase, magic);
    V rest = hn::Mul(position, hn::Add(hn::Sub(high, upper), low));
    if (!is_short) rest = hn::Add(rest, ProductError(d, position, high, phase));
    r = hn::Add(hn::Sub(phase, hn::Sub(shifted, magic)), rest);
  }
  quadrant = hn::BitCast(du, shifted);
}

// Sine and cosine of quadrant + r quarter turns from those of r. Bit 0 of the quadrant swaps, bit 1 negates
// the sine, their sum the cosine. Zeros become +0.
template <class D, class V>
HWY_INLINE void TurnByQuadrant(D d, hn::Vec<hn::RebindToUnsigned<D>> quadrant, V s, V c, V& sine, V& cosine) {
  const hn::RebindToUnsigned<D> du;
  const auto swap = hn::RebindMask(d, hn::TestBit(quadrant, hn::Set(du, 1)));
  const V sign = hn::SignBit(d);
  const auto sine_sign = hn::BitCast(d, hn::ShiftLeft<62>(quadrant));
  const auto cosine_sign = hn::BitCast(d, hn::ShiftLeft<62>(hn::Add(quadrant, hn::Set(du, 1))));
  sine = hn::Xor(hn::IfThenElse(swap, c, s), hn::And(sine_sign, sign));
  cosine = hn::Xor(hn::IfThenElse(swap, s, c), hn::And(cosine_sign, sign));
}

// Of position * step quarter turns, step = high + low: the sine and cosine of what is left by the quadrant,
// with a relative error of at most kDirectError, except in the lanes of the returned mask: there less than
// `max_cancellation` of the phase is left, so that only the absolute error is as small.
template <class D, class V>
HWY_INLINE hn::Mask<D> ReducedSinCos(D d, V position, V high, V low, double max_cancellation, V& s, V& c,
                                     hn::Vec<hn::RebindToUnsigned<D>>& quadrant) {
  V phase, r, r_low;
  Reduce(d, position, high, low, phase, r, r_low, quadrant);
  const V r2 = hn::Mul(r, r);
  const V r4 = hn::Mul(r2, r2);
  s = SinePolynomial(d, r, r_low, r2, r4);
  c = CosinePolynomial(d, r2, r4);
  return hn::Lt(hn::Abs(r), hn::Mul(hn::Abs(phase), hn::Set(d, max_cancellation)));
}

// Sine and cosine of position * step quarter turns, good to kDirectError where the mask is not set.
template <class D, class V>
HWY_INLINE hn::Mask<D> SinCos(D d, V position, V high, V low, double max_cancellation, V& sine, V& cosine) {
  V s, c;
  hn::Vec<hn::RebindToUnsigned<D>> quadrant;
  const auto flagged = ReducedSinCos(d, position, high, low, max_cancellation, s, c, quadrant);
  TurnByQuadrant(d, quadrant, s, c, sine, cosine);
  return flagged;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_SINCOS_INL_H_
