// Sine and cosine of position * step quarter turns, in double: exact argument reduction to r, |r| <= 1/2, and
// polynomials in r. Included once per target.
//
// Errors are relative to the result unless said otherwise, u = 2^-53. A *worst known* error is the largest
// among 2 * 10^8 random inputs, or more, and 4 * 10^7 beside the worst of these, against `SinCosSums`
// (sincos_double-inl.h); its input was evaluated again by MPFR with 600 bits, with the step as it is.
// PROOF.md ("The angle") and proof/direct.md argue the bounds.
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

// Returns a * b - product, exactly; product is a * b rounded to double. No product of halves may be
// subnormal.
//
// Without FMA this is Dekker's sum of the products of halves. The halves of a have 26 bits, because a_high is
// a rounded to nearest and a_low has a sign. The halves of b have 26 and 27 bits. So no product has more than
// 53.
HWY_INLINE DoubleVec ProductError(DoubleVec a, DoubleVec b, DoubleVec product) {
  const Doubles d;
  if constexpr (kHasFma) return hn::MulSub(a, b, product);
  const Longs du;
  const auto top = hn::Set(du, ~((std::uint64_t{1} << 27) - 1));
  const auto half = hn::Set(du, std::uint64_t{1} << 26);
  const DoubleVec a_high = hn::BitCast(d, hn::And(hn::Add(hn::BitCast(du, a), half), top));
  const DoubleVec b_high = hn::BitCast(d, hn::And(hn::BitCast(du, b), top));
  const DoubleVec a_low = hn::Sub(a, a_high);
  const DoubleVec b_low = hn::Sub(b, b_high);
  DoubleVec error = hn::Sub(hn::Mul(a_high, b_high), product);
  error = hn::Add(error, hn::Mul(a_low, b_high));
  error = hn::Add(error, hn::Mul(a_high, b_low));
  return hn::Add(error, hn::Mul(a_low, b_low));
}

// Returns a + b * x.
HWY_INLINE DoubleVec Linear(DoubleVec x, double a, double b) {
  const Doubles d;
  return hn::MulAdd(hn::Set(d, b), x, hn::Set(d, a));
}

// The two polynomials are sums of pairs of terms, a + b r2, by Horner's rule in r4 = r2^2: that halves the
// chain of operations, whose latency a row of few pairs waits for. Coefficients:
// tools/sincos_coefficients.sollya.

// Returns sin(pi/2 (r + r_low)), |r| <= 1/2 + 2^-10, |r_low| <= ulp(r) / 2:
//
//   pi/2 r + (p(r^2) r + pi/2 r_low)      p of degree 6, its constant term the low part of pi/2
//
// Error: 2.5 u. The last sum rounds by u, the product below it by u (not with FMA), smaller terms by 0.4 u;
// the polynomial is off by 0.034 u, or 0.05 u where |r| exceeds 1/2.
// Worst known: 2.24 u, with FMA 1.27 u, by `SinCos`:
//
//   without  position 6459, step 0x1.8f423bb1bacf6p-2 - 0x1.36611efb82c2p-58:
//            got -0x1.19e5703293f54p-1, want -0x1.19e5703293f553c4p-1
//   with     position 5, step 0x1.fffe704a0cdf1p-2 + 0x1.333317b6d4076p-56:
//            got -0x1.6a0590766bd1ep-1, want -0x1.6a0590766bd1d1a0p-1
HWY_INLINE DoubleVec SinePolynomial(DoubleVec r, DoubleVec r_low, DoubleVec r2, DoubleVec r4) {
  const Doubles d;
  const DoubleVec half_pi = hn::Set(d, 0x1.921fb54442d18p0);
  DoubleVec p = Linear(r2, -0x1.e3009538e2c1ap-19, 0x1.e3fe151639f31p-25);
  p = hn::MulAdd(p, r4, Linear(r2, -0x1.32d2cce31fa25p-8, 0x1.507830084092cp-13));
  p = hn::MulAdd(p, r4, Linear(r2, -0x1.4abbce625be46p-1, 0x1.466bc67758c6ap-4));
  p = hn::MulAdd(p, r2, hn::Set(d, 0x1.1a62633145c07p-54));
  return hn::MulAdd(half_pi, r, hn::MulAdd(p, r, hn::Mul(half_pi, r_low)));
}

// Returns cos(pi/2 r), |r| <= 1/2 + 2^-10: 1 + p(r^2) r^2, p of degree 6. The low part of r is too small to
// count.
//
// Error: 2.2 u, and 2.8 u where |r| exceeds 1/2, because the low part of r may be larger there.
// Worst known: 2.01 u, with FMA 1.66 u, by `SinCos`:
//
//   without  position 10792, step 0x1.f43c1380f9c4dp-6 - 0x1.7d0ef71b0ebdap-60:
//            got -0x1.6a32a5d84b77ep-1, want -0x1.6a32a5d84b77c942p-1
//   with     position 5, step 0x1.fffe6ff5d3b04p-2 + 0x1.33332af111bcap-56:
//            got -0x1.6a0e3d360d439p-1, want -0x1.6a0e3d360d437d32p-1
HWY_INLINE DoubleVec CosinePolynomial(DoubleVec r2, DoubleVec r4) {
  const Doubles d;
  DoubleVec p = Linear(r2, 0x1.f9c89ca22cd52p-22, -0x1.b167305462f85p-28);
  p = hn::MulAdd(p, r4, Linear(r2, 0x1.e1f5067b90b39p-11, -0x1.a6d1e7294c416p-16));
  p = hn::MulAdd(p, r4, Linear(r2, 0x1.03c1f081b5a67p-2, -0x1.55d3c7e3c325bp-6));
  p = hn::MulAdd(p, r2, hn::Set(d, -0x1.3bd3cc9be45dep0));
  return hn::MulAdd(p, r2, hn::Set(d, 1.0));
}

// s = sin(pi/2 r), c = cos(pi/2 r), |r| <= 1/2 + 2^-14, r2 = r^2: S and C of degree 5 by Horner's rule, with
// fewer operations than the chains above. `EvaluateQuickly` hides the latency by reducing one vector ahead.
//
// Error: the polynomials are off by 2^-47.6 (sine) and 2^-43.6 (cosine). With r of `ReduceQuickly` that is
// below kQuickError.
// Worst known with that r: a sine 2^-46.8, a cosine 2^-43.6, both without FMA and at whole positions:
//
//   sine     position 251654, step 0x1.1251a98f7f5c4p+1 - 0x1.f4be784eb9078p-53:
//            got -0x1.cdc70ab3f36fdp-21, want -0x1.cdc70ab3f373dac8p-21
//   cosine   position 251654, step 0x1.1251778f7f9cdp+1 - 0x1.88b4ad8854c58p-54:
//            got -0x1.6a064899d2c26p-1, want -0x1.6a064899d2dfc0a9p-1
HWY_INLINE void QuickPolynomials(DoubleVec r, DoubleVec r2, DoubleVec& s, DoubleVec& c) {
  const Doubles d;
  s = Linear(r2, 0x1.5071be08a0a9dp-13, -0x1.dd4e0a1b3bed5p-19);
  s = hn::MulAdd(s, r2, hn::Set(d, -0x1.32d2c627f2965p-8));
  s = hn::MulAdd(s, r2, hn::Set(d, 0x1.466bc670fa44dp-4));
  s = hn::MulAdd(s, r2, hn::Set(d, -0x1.4abbce6257778p-1));
  s = hn::Mul(hn::MulAdd(s, r2, hn::Set(d, 0x1.921fb54442cf8p0)), r);
  c = Linear(r2, 0x1.e1e7f57f4c4bfp-11, -0x1.a0f369220335bp-16);
  c = hn::MulAdd(c, r2, hn::Set(d, -0x1.55d3ba9db26c1p-6));
  c = hn::MulAdd(c, r2, hn::Set(d, 0x1.03c1f075dd91p-2));
  c = hn::MulAdd(c, r2, hn::Set(d, -0x1.3bd3cc9bd6838p0));
  c = hn::MulAdd(c, r2, hn::Set(d, 1.0));
}

// Argument reduction: r + r_low = position * (high + low) - quadrant, quadrant an integer.
//
//   position, high, low  any doubles; high + low is the step, in quarter turns
//   phase                position * high, rounded
//   quadrant             the integer next to `phase`, in the low 51 bits of each lane
//   r, r_low             |r| <= 1/2 + 2^-10 for |phase| < 2^43, |r_low| <= ulp(r) / 2
//
// Error: 2^-104 of the phase from its product, besides the 2^-97 of the step; the subtraction is exact. So r
// is good to u / 2 unless |r| < kMinUncancelled |phase|, which `ReducedSinCos` tests.
HWY_INLINE void Reduce(DoubleVec position, DoubleVec high, DoubleVec low, DoubleVec& phase, DoubleVec& r,
                       DoubleVec& r_low, LongVec& quadrant) {
  const Doubles d;
  const Longs du;
  phase = hn::Mul(position, high);
  const DoubleVec phase_low = hn::MulAdd(position, low, ProductError(position, high, phase));

  // Adding 1.5 * 2^52 rounds to an integer, and leaves it in the low bits of the sum.
  const DoubleVec magic = hn::Set(d, 0x1.8p52);
  const DoubleVec shifted = hn::Add(phase, magic);
  const DoubleVec reduced = hn::Sub(phase, hn::Sub(shifted, magic));
  r = hn::Add(reduced, phase_low);
  r_low = hn::Sub(phase_low, hn::Sub(r, reduced));
  quadrant = hn::BitCast(du, shifted);
}

// The same with r as one double: r = position * (high + low) - quadrant, rounded.
//
//   position   1 <= |position| <= 2^31, steps at most kMaxStep
//   is_short   the position is an integer of at most kMaxShort (18 bits), so that its product with the first
//              35 bits of `high` is exact: without FMA this saves Dekker's products
//
// Error: for |r| >= kMinQuick the phase is good to 2^-42 of r; the sums round by less than 2^-49 of it, or
// 2^-44 without FMA if is_short.
HWY_INLINE void ReduceQuickly(bool is_short, DoubleVec position, DoubleVec high, DoubleVec low, DoubleVec& r,
                              LongVec& quadrant) {
  const Doubles d;
  const Longs du;
  const DoubleVec magic = hn::Set(d, 0x1.8p52);
  DoubleVec shifted;
  if constexpr (kHasFma) {
    shifted = hn::MulAdd(position, high, magic);
    r = hn::MulAdd(position, low, hn::MulSub(position, high, hn::Sub(shifted, magic)));
  } else {
    const auto top = hn::Set(du, ~((std::uint64_t{1} << 18) - 1));
    const DoubleVec upper = is_short ? hn::BitCast(d, hn::And(hn::BitCast(du, high), top)) : high;
    const DoubleVec phase = hn::Mul(position, upper);
    shifted = hn::Add(phase, magic);
    DoubleVec rest = hn::Mul(position, hn::Add(hn::Sub(high, upper), low));
    if (!is_short) rest = hn::Add(rest, ProductError(position, high, phase));
    r = hn::Add(hn::Sub(phase, hn::Sub(shifted, magic)), rest);
  }
  quadrant = hn::BitCast(du, shifted);
}

// Sine and cosine of quadrant + r quarter turns, from s = sin and c = cos of r quarter turns:
//
//   quadrant mod 4      0    1    2    3
//   sine                s    c   -s   -c
//   cosine              c   -s   -c    s
//
// Exact: it swaps, and flips sign bits. So a zero may become -0.
HWY_INLINE void SwapByQuadrant(LongVec quadrant, DoubleVec s, DoubleVec c, DoubleVec& sine,
                               DoubleVec& cosine) {
  const Doubles d;
  const Longs du;
  const auto swap = hn::RebindMask(d, hn::TestBit(quadrant, hn::Set(du, 1)));
  const DoubleVec sign = hn::SignBit(d);
  const auto sine_sign = hn::BitCast(d, hn::ShiftLeft<62>(quadrant));
  const auto cosine_sign = hn::BitCast(d, hn::ShiftLeft<62>(hn::Add(quadrant, hn::Set(du, 1))));
  sine = hn::Xor(hn::IfThenElse(swap, c, s), hn::And(sine_sign, sign));
  cosine = hn::Xor(hn::IfThenElse(swap, s, c), hn::And(cosine_sign, sign));
}

// s = sin(pi/2 r), c = cos(pi/2 r) for r = position * (high + low) - quadrant; arguments as for `Reduce`.
//
// Error: kDirectError. The returned mask has the lanes with |r| < min_uncancelled |phase|, where cancellation
// leaves s only an absolute error as small. Callers leave these lanes to `RecomputePairs`, or accept the
// absolute error and pass 0.
// Worst known: see `SinePolynomial` and `CosinePolynomial`.
HWY_INLINE hn::Mask<Doubles> ReducedSinCos(DoubleVec position, DoubleVec high, DoubleVec low,
                                           double min_uncancelled, DoubleVec& s, DoubleVec& c,
                                           LongVec& quadrant) {
  const Doubles d;
  DoubleVec phase, r, r_low;
  Reduce(position, high, low, phase, r, r_low, quadrant);
  const DoubleVec r2 = hn::Mul(r, r);
  const DoubleVec r4 = hn::Mul(r2, r2);
  s = SinePolynomial(r, r_low, r2, r4);
  c = CosinePolynomial(r2, r4);
  return hn::Lt(hn::Abs(r), hn::Mul(hn::Abs(phase), hn::Set(d, min_uncancelled)));
}

// sine = sin(pi/2 position (high + low)), cosine = cos of the same: `ReducedSinCos`, with its error and its
// mask, and `SwapByQuadrant`.
HWY_INLINE hn::Mask<Doubles> SinCos(DoubleVec position, DoubleVec high, DoubleVec low, double min_uncancelled,
                                    DoubleVec& sine, DoubleVec& cosine) {
  DoubleVec s, c;
  LongVec quadrant;
  const auto undecided = ReducedSinCos(position, high, low, min_uncancelled, s, c, quadrant);
  SwapByQuadrant(quadrant, s, c, sine, cosine);
  return undecided;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_SINCOS_INL_H_
