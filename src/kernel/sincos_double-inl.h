// Sine and cosine of position * step quarter turns as sums of two doubles, for rows of doubles: with all
// terms (2^-78), and with fewer for a first try (2^-65). Included once per target.
//
// A value x is a pair x, x_low: their sum, |x_low| at most a few ulps of x. (Not a struct: vectors of SVE and
// RISC-V have no size that members need.)
//
// Errors are relative unless said otherwise. A *worst known* error is the largest among 3 * 10^7 random
// inputs, or more, and 2 * 10^7 beside the worst of these, against sines and cosines of 113 bits; its input
// was evaluated again by MPFR with 600. proof/direct.md argues the bounds.
#if defined(POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_
#undef POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_
#else
#define POSENC_SRC_KERNEL_SINCOS_DOUBLE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/rounding-inl.h"
#include "kernel/sincos-inl.h"
#include "number/bounds.h"
#include "number/compiler.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// high + low = (a_high + a_low) * (b_high + b_low); high and low may be a or b.
//
// Error: 2^-102. Worst known of 2 * 10^7 products: 2^-103.9.
HWY_INLINE void Multiply(DoubleVec a_high, DoubleVec a_low, DoubleVec b_high, DoubleVec b_low,
                         DoubleVec& high, DoubleVec& low) {
  const auto product = hn::Mul(a_high, b_high);
  const auto cross = hn::MulAdd(a_high, b_low, hn::Mul(a_low, b_high));
  low = hn::Add(ProductError(a_high, b_high, product), cross);
  high = product;
}

// sum = sum * b + c, for |sum * b| < |c| / 2: a step of Horner's rule, c = c_sum[0] + c_sum[1].
//
// Error: all the steps of a polynomial add 2^-100. Worst known of 2 * 10^7 steps, |sum * b| <= 1/4 and c = 1
// + 0x1.1p-54: 2^-104.4.
HWY_INLINE void MultiplyAdd(DoubleVec& sum_high, DoubleVec& sum_low, DoubleVec b_high, DoubleVec b_low,
                            const double (&c_sum)[2]) {
  const Doubles d;
  const auto c = hn::Set(d, c_sum[0]);
  if constexpr (kHasFma) {
    const auto sum = hn::MulAdd(sum_high, b_high, c);
    const auto rest = hn::MulAdd(sum_high, b_high, hn::Sub(c, sum));  // the error of `sum`
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

// s = sin(pi/2 r) / r, c = cos(pi/2 r) for |r| <= 1/2, r2 + r2_low = r^2: polynomials of degree 8 and 9,
// whose last five steps have coefficients and sums of two doubles.
//
// Error: kDoubleError; of the cosine 2^-78.5 (its last sum of one double, at the coefficient of r^10, rounds
// by 2^-69), of the sine 2^-79.1 (mostly the polynomial).
// Worst known: see `SinCosSums`.
//
// The steps are loops over tables, because few vectors come here: small code counts.
//
// Coefficients: tools/sincos_coefficients.sollya.
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

// sine = sin(pi/2 multiple (high + low)), cosine = cos of the same, as sums of two doubles.
//
// Error: kDoubleError, and absolutely pi/2 times 2^-97 (the step) and 2^-104 (`Reduce`) of the phase.
// Worst known, for positions up to 2^18: a sine 2^-79.7, a cosine 2^-78.5:
//
//   sine     position 316, step 0x1.3716b3f40ab48p-8 - 0x1.9ec951a0c4db8p-63:
//            got 0x1.6a09d8c9fa6e8p-1 + 0x1.f47efc2798932p-55,
//            want 0x1.6a09d8c9fa6e8p-1 + 0x1.f47efbbaa6072p-55
//   cosine   position 316, step 0x1.3716b4fe379c3p-8 - 0x1.0335f12713298p-64:
//            got -0x1.6a09f6dfcd07dp-1 + 0x1.81050b74e697fp-55,
//            want -0x1.6a09f6dfcd07dp-1 + 0x1.81050a704c705p-55
//
// Left undecided by `RoundSum`: one pair in 20 million at positions up to 10^4.
HWY_INLINE void SinCosSums(DoubleVec multiple, DoubleVec high, DoubleVec low, DoubleVec& sine,
                           DoubleVec& sine_low, DoubleVec& cosine, DoubleVec& cosine_low) {
  DoubleVec phase, r, r_low, r2, r2_low;
  LongVec quadrant;
  Reduce(multiple, high, low, phase, r, r_low, quadrant);
  Multiply(r, r_low, r, r_low, r2, r2_low);
  DoubleVec s, s_low, c, c_low;
  PolynomialSums(r2, r2_low, s, s_low, c, c_low);
  Multiply(r, r_low, s, s_low, s, s_low);
  SwapByQuadrant(quadrant, s, c, sine, cosine);
  SwapByQuadrant(quadrant, s_low, c_low, sine_low, cosine_low);
}

// top + rest = high + low. Products of two tops are exact. With FMA top = high; without it, top is high cut
// after 26 bits.
HWY_INLINE void SplitForProducts(DoubleVec high, DoubleVec low, DoubleVec& top, DoubleVec& rest) {
  const auto first = hn::Set(Longs(), ~((std::uint64_t{1} << 27) - 1));  // 26 bits
  top = kHasFma ? high : hn::BitCast(Doubles(), hn::And(hn::BitCast(Longs(), high), first));
  rest = kHasFma ? low : hn::Add(hn::Sub(high, top), low);
}

// high + low = (high + low) * factor + (c_high + c_low), for |(high + low) * factor| < |c_high| / 2. The
// factor is given as a double, and as factor_top + factor_rest of `SplitForProducts`.
//
// Error: what `high` rounds off is kept; products and sums of low parts round by less than 2^-104 of c_high,
// and without FMA by 2^-77 of the product.
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

// s = sin(pi/2 r), c = cos(pi/2 r) = 1 - r^2 C(r^2) as sums of two doubles, and r2 = r^2 rounded: S and C of
// degree 7, whose last three steps keep what their sums round off.
//
//   r, r_low   of `ReduceToSum`: |r| <= 1/2 + 2^-32, without FMA + 2^-15; |r| >= kMinQuickDouble and
//              >= kMinQuickPart |position|
//
// Error: kQuickSineError of the sine; kQuickCosineError times r^2 of the cosine, absolutely
// (kQuickCosineErrorWithoutFma without FMA).
// Worst known: 0.33 * 2^-64 and 1.15 * 2^-63 r^2. Without FMA 0.315 * 2^-64 and 3.42 * 2^-63 r^2
// (proof/direct.md); 3.41 is reached at position 186091, as is the sine's:
//
//   sine     step 0x1.614a076bb23f5p+1 - 0x1.c8af6dbc6d7fp-54:
//            got 0x1.6a0aed2ae746p-1 + 0x1.eea7bfdf48bf4p-26, want 0x1.6a0aee223b25efa4d186p-1
//   cosine   step 0x1.614a076bb23cap+1 - 0x1.30fa17955e94p-53:
//            got 0x1.6a08df566fa2p-1 - 0x1.0f1946707faedp-26, want 0x1.6a08decee2fec7bcbffcp-1
//
// Left undecided by `RoundQuickly`: one vector of eight pairs in 190.
// Coefficients: tools/sincos_coefficients.sollya.
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

  auto p = Linear(r2, 0x1.e8eecaf71a551p-25, -0x1.6c59b1daf0eeap-31);
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

  p = Linear(r2, -0x1.b70d930b8f0c7p-28, 0x1.2b32ae1957f91p-34);
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

// r + r_low = position * (high + low) - quadrant, as `Reduce`.
//
// Without FMA `position` must be an integer of at most kMaxShort (18 bits): its products with the first 35
// bits of `high`, and with the other 18, are exact without Dekker's halves. The integer is the one next to
// the first of these products, so |r| <= 1/2 + 2^-15.
HWY_INLINE void ReduceToSum(DoubleVec position, DoubleVec high, DoubleVec low, DoubleVec& r, DoubleVec& r_low,
                            LongVec& quadrant) {
  const Doubles d;
  if constexpr (kHasFma) {
    DoubleVec phase;
    return Reduce(position, high, low, phase, r, r_low, quadrant);
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
