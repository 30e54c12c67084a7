// The direct kernel's arithmetic for rows of doubles: sines and cosines as sums of two doubles, rounded once;
// with all terms, and with fewer for a first try. Included once per target.
#if defined(POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_
#undef POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_
#else
#define POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/format-inl.h"
#include "kernel/sincos-inl.h"
#include "number/bounds.h"
#include "number/compiler.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// In what follows values are sums of two doubles, *_low at most some units in the last place of *_high. (No
// struct of them: vectors of no fixed size cannot be members.)

// high + low = a * b, which it may be one of.
HWY_INLINE void Multiply(DoubleVec a_high, DoubleVec a_low, DoubleVec b_high, DoubleVec b_low,
                         DoubleVec& high, DoubleVec& low) {
  const Doubles d;
  const auto product = hn::Mul(a_high, b_high);
  const auto cross = hn::MulAdd(a_high, b_low, hn::Mul(a_low, b_high));
  low = hn::Add(ProductError(d, a_high, b_high, product), cross);
  high = product;
}

// sum = sum * b + c, |sum * b| < |c_high| / 2.
HWY_INLINE void MultiplyAdd(DoubleVec& sum_high, DoubleVec& sum_low, DoubleVec b_high, DoubleVec b_low,
                            const double (&c_sum)[2]) {
  const Doubles d;
  const auto c = hn::Set(d, c_sum[0]);
  if constexpr (kHasFma) {
    const auto sum = hn::MulAdd(sum_high, b_high, c);
    const auto rest = hn::MulAdd(sum_high, b_high, hn::Sub(c, sum));  // what `sum` was rounded by
    const auto low = hn::Add(rest, hn::MulAdd(sum_high, b_low, hn::Set(d, c_sum[1])));
    sum_low = hn::MulAdd(sum_low, b_high, low);
    sum_high = sum;
  } else {
    DoubleVec product_high, product_low;
    Multiply(sum_high, sum_low, b_high, b_low, product_high, product_low);
    sum_high = hn::Add(c, product_high);
    const auto rest = hn::Sub(product_high, hn::Sub(sum_high, c));
    sum_low = hn::Add(rest, hn::Add(product_low, hn::Set(d, c_sum[1])));
  }
}

// sin(pi/2 r) and cos(pi/2 r) for |r| <= 1/2, with an error of at most kDoubleError relatively, of the sine
// by r. In loops, as what is rare must stay short. Coefficients: tools/sincos_coefficients.sollya.
HWY_INLINE void PolynomialSums(DoubleVec r2, DoubleVec r2_low, DoubleVec& s, DoubleVec& s_low, DoubleVec& c,
                               DoubleVec& c_low) {
  static constexpr double kTerms[][2] = {{-0x1.6faa797dc6d56p-31, 0x1.20c39ad1da1p-34},
                                         {0x1.e8f43183c930ap-25, -0x1.b6e24c3f1a376p-28},
                                         {-0x1.e3074fdc94f25p-19, 0x1.f9d38a353e71cp-22}};
  static constexpr double kSineSums[][2] = {{0x1.50783487edca6p-13, 0x1.1c9b6c239c3p-70},
                                            {-0x1.32d2cce62bd81p-8, -0x1.fcaccd55c4561p-62},
                                            {0x1.466bc6775aae2p-4, -0x1.7b154f57b8388p-59},
                                            {-0x1.4abbce625be53p-1, 0x1.055320b31061ap-55},
                                            {0x1.921fb54442d18p0, 0x1.1a6262ca2f195p-54}};
  static constexpr double kCosineSums[][2] = {{0x1.e1f506891bab3p-11, -0x1.9c4f0c3769bap-69},
                                              {-0x1.55d3c7e3cbffap-6, 0x1.845e4cda2b74p-64},
                                              {0x1.03c1f081b5ac4p-2, -0x1.32b616be39c6ep-56},
                                              {-0x1.3bd3cc9be45dep0, -0x1.692b700ccd88cp-54},
                                              {1.0, 0.0}};
  const Doubles d;
  s = hn::Set(d, 0x1.a776024bba348p-38);
  c = hn::Set(d, -0x1.27a1ff75c0a9ap-41);
  for (const auto& term : kTerms) {
    s = hn::MulAdd(s, r2, hn::Set(d, term[0]));
    c = hn::MulAdd(c, r2, hn::Set(d, term[1]));
  }
  c = hn::MulAdd(c, r2, hn::Set(d, -0x1.a6d1f2a203b8p-16));
  s_low = c_low = hn::Zero(d);
  POSENC_ROLLED
  for (std::size_t k = 0; k < 5; ++k) {
    MultiplyAdd(s, s_low, r2, r2_low, kSineSums[k]);
    MultiplyAdd(c, c_low, r2, r2_low, kCosineSums[k]);
  }
}

// The nearest double to a value within `error` of high + low, never -0, and whether that bound leaves it open
// (Ziv's test).
HWY_INLINE hn::Mask<Doubles> RoundSum(DoubleVec high, DoubleVec low, DoubleVec error, DoubleVec& rounded) {
  rounded = hn::Add(high, hn::Add(low, error));
  return hn::Ne(rounded, hn::Add(high, hn::Sub(low, error)));
}

// Sines and cosines of phases multiple * (high + low) quarter turns, as sums of two doubles.
HWY_INLINE void SinCosSums(DoubleVec multiple, DoubleVec high, DoubleVec low, DoubleVec& phase,
                           DoubleVec& sine, DoubleVec& sine_low, DoubleVec& cosine, DoubleVec& cosine_low) {
  const Doubles d;
  DoubleVec r, r_low, r2, r2_low;
  LongVec quadrant;
  Reduce(d, multiple, high, low, phase, r, r_low, quadrant);
  Multiply(r, r_low, r, r_low, r2, r2_low);
  DoubleVec s, s_low, c, c_low;
  PolynomialSums(r2, r2_low, s, s_low, c, c_low);
  Multiply(r, r_low, s, s_low, s, s_low);
  TurnByQuadrant(d, quadrant, s, c, sine, cosine);
  TurnByQuadrant(d, quadrant, s_low, c_low, sine_low, cosine_low);
}

// high + low as top + rest, such that products of two tops are exact, if only for FMA.
HWY_INLINE void SplitForProducts(DoubleVec high, DoubleVec low, DoubleVec& top, DoubleVec& rest) {
  const auto first = hn::Set(Longs(), ~((std::uint64_t{1} << 27) - 1));  // 26 digits
  top = kHasFma ? high : hn::BitCast(Doubles(), hn::And(hn::BitCast(Longs(), high), first));
  rest = kHasFma ? low : hn::Add(hn::Sub(high, top), low);
}

// high + low = (high + low) * factor + c, of a factor that is split; the product is less than half of c_high.
HWY_INLINE void QuickMultiplyAdd(DoubleVec& high, DoubleVec& low, DoubleVec factor, DoubleVec factor_top,
                                 DoubleVec factor_rest, double c_high, double c_low) {
  const Doubles d;
  const auto c = hn::Set(d, c_high);
  DoubleVec top, rest;
  SplitForProducts(high, low, top, rest);
  high = hn::MulAdd(top, factor_top, c);
  low = hn::MulAdd(top, factor_top, hn::Sub(c, high));
  low = hn::Add(low, hn::MulAdd(top, factor_rest, hn::Set(d, c_low)));
  low = hn::MulAdd(rest, factor, low);
}

// Sine and cosine of r + r_low quarter turns, good to kQuickSineError and kQuickCosineError. Coefficients:
// tools/sincos_coefficients.sollya.
HWY_INLINE void QuickSums(DoubleVec r, DoubleVec r_low, DoubleVec& s, DoubleVec& s_low, DoubleVec& c,
                          DoubleVec& c_low, DoubleVec& r2) {
  const Doubles d;
  DoubleVec r_top, r_rest, r2_top, r2_rest;
  SplitForProducts(r, r_low, r_top, r_rest);
  const auto square = hn::Mul(r_top, r_top);
  auto square_low = hn::Mul(r_rest, hn::Add(r_top, r));
  if constexpr (kHasFma) square_low = hn::Add(square_low, hn::MulSub(r_top, r_top, square));
  r2 = kHasFma ? square : hn::Add(square, square_low);
  SplitForProducts(square, square_low, r2_top, r2_rest);

  auto p = Linear(d, r2, 0x1.e8eecaf71a551p-25, -0x1.6c59b1daf0eeap-31);
  p = hn::MulAdd(p, r2, hn::Set(d, -0x1.e3074b47bc04p-19));
  p = hn::MulAdd(p, r2, hn::Set(d, 0x1.50783485c687cp-13));
  p = hn::MulAdd(p, r2, hn::Set(d, -0x1.32d2cce62abebp-8));
  const auto s2 = hn::Set(d, 0x1.466bc6775aad9p-4);
  s = hn::MulAdd(p, r2, s2);
  s_low = hn::MulAdd(p, r2, hn::Sub(s2, s));
  QuickMultiplyAdd(s, s_low, r2, r2_top, r2_rest, -0x1.4abbce625be53p-1, 0x1.12c5437496134p-55);
  QuickMultiplyAdd(s, s_low, r2, r2_top, r2_rest, 0x1.921fb54442d18p0, 0x1.1a5f0983df429p-54);
  DoubleVec top, rest;
  SplitForProducts(s, s_low, top, rest);
  s = hn::Mul(top, r_top);
  s_low = kHasFma ? hn::MulAdd(top, r_rest, hn::MulSub(top, r_top, s)) : hn::Mul(top, r_rest);
  s_low = hn::MulAdd(rest, r, s_low);

  p = Linear(d, r2, -0x1.b70d930b8f0c7p-28, 0x1.2b32ae1957f91p-34);
  p = hn::MulAdd(p, r2, hn::Set(d, 0x1.f9d3cc0f6549ap-22));
  p = hn::MulAdd(p, r2, hn::Set(d, -0x1.a6d1f2d3a4eb2p-16));
  p = hn::MulAdd(p, r2, hn::Set(d, 0x1.e1f5068942cabp-11));
  p = hn::MulAdd(p, r2, hn::Set(d, -0x1.55d3c7e3cc0eep-6));
  const auto c2 = hn::Set(d, 0x1.03c1f081b5ac4p-2);
  c = hn::MulAdd(p, r2, c2);
  c_low = hn::MulAdd(p, r2, hn::Sub(c2, c));
  if constexpr (kHasFma) c_low = hn::MulAdd(p, r2_rest, c_low);
  QuickMultiplyAdd(c, c_low, r2, r2_top, r2_rest, -0x1.3bd3cc9be45dep0, -0x1.69758fbe6c83cp-54);
  QuickMultiplyAdd(c, c_low, r2, r2_top, r2_rest, 1.0, 0.0);
}

// The nearest double to a value within `factor` times `error` of high + low, and whether that bound leaves it
// open.
HWY_INLINE hn::Mask<Doubles> RoundQuickly(DoubleVec high, DoubleVec low, DoubleVec factor, double error,
                                          DoubleVec& rounded) {
  const auto bound = hn::Set(Doubles(), error);
  rounded = hn::Add(high, hn::MulAdd(factor, bound, low));
  return hn::Ne(rounded, hn::Add(high, MinusProduct(factor, bound, low)));
}

// As Reduce; without FMA for whole positions up to kMostShort, whose products with 35 digits of a step are
// exact, and so are those with what is left of its 53.
HWY_INLINE void ReduceToSum(DoubleVec position, DoubleVec high, DoubleVec low, DoubleVec& r, DoubleVec& r_low,
                            LongVec& quadrant) {
  const Doubles d;
  if constexpr (kHasFma) {
    DoubleVec phase;
    return Reduce(d, position, high, low, phase, r, r_low, quadrant);
  }
  const auto first = hn::Set(Longs(), ~((std::uint64_t{1} << 18) - 1));
  const auto upper = hn::BitCast(d, hn::And(hn::BitCast(Longs(), high), first));
  const auto magic = hn::Set(d, 0x1.8p52);
  const auto phase = hn::Mul(position, upper);
  const auto shifted = hn::Add(phase, magic);
  const auto reduced = hn::Sub(phase, hn::Sub(shifted, magic));
  const auto rest = hn::Mul(position, hn::Sub(high, upper));
  const auto sum = hn::Add(reduced, rest);
  const auto sum_low = hn::MulAdd(position, low, hn::Sub(rest, hn::Sub(sum, reduced)));
  r = hn::Add(sum, sum_low);
  r_low = hn::Sub(sum_low, hn::Sub(r, sum));
  quadrant = hn::BitCast(Longs(), shifted);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_
