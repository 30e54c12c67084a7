// Norms in double (rotary_norm_c.h): n = x g / sqrt(mean + epsilon), each rounded once to float, if doubles
// decide it. Included once per target.
//
//   kernel            computes                                          error
//   SumHeads          sums of squares, each of which is exact           (d - 1) u
//   InvertSums        1 / sqrt(mean + epsilon) from such sums           3 u, on SCALAR 4.1 u
//   NormalizeHead     n of a head whose factors are shared by heads,    0 where it is decided
//                     with an interval test (NormError)
//   Normalize         the same for a part of a head                     0 where it is decided
//   SumClosely        the sum of squares as a sum of two doubles        0, or (d u)^2
//   NormalizeClosely  n as a sum of two doubles                         0 where it is decided
//
// proof/norm.md argues the bounds.
#if defined(POSENC_SRC_KERNEL_NORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_NORM_INL_H_
#undef POSENC_SRC_KERNEL_NORM_INL_H_
#else
#define POSENC_SRC_KERNEL_NORM_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernel/norm_reference.h"
#include "kernel/norm_rows.h"
#include "kernel/simd-inl.h"
#include "kernel/sincos-inl.h"
#include "number/bounds.h"
#include "number/double_double.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first `count` floats, fewer than a vector of doubles has lanes, and zeros behind them.
HWY_INLINE FloatVec LoadFirst(const float* from, std::size_t count) {
  HWY_ALIGN float lanes[kMaxLanes<Entries>] = {};
  std::memcpy(lanes, from, count * sizeof(float));
  return hn::Load(Floats(), lanes);
}

// Stores the first `count` lanes.
HWY_INLINE void StoreFirst(FloatVec v, float* to, std::size_t count) {
  HWY_ALIGN float lanes[kMaxLanes<Entries>];
  hn::Store(v, Floats(), lanes);
  std::memcpy(to, lanes, count * sizeof(float));
}

HWY_INLINE DoubleVec PlusSquares(FloatVec x, DoubleVec sum) {
  const auto v = hn::PromoteTo(Doubles(), x);
  return hn::MulAdd(v, v, sum);
}

inline double SumSquares(const float* x, std::size_t count) {
  const Doubles d;
  const Floats df;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  std::size_t at = 0;
  for (; at + 4 * lanes <= count; at += 4 * lanes) {
    sum0 = PlusSquares(hn::LoadU(df, x + at), sum0);
    sum1 = PlusSquares(hn::LoadU(df, x + at + lanes), sum1);
    sum2 = PlusSquares(hn::LoadU(df, x + at + 2 * lanes), sum2);
    sum3 = PlusSquares(hn::LoadU(df, x + at + 3 * lanes), sum3);
  }
  for (; at + lanes <= count; at += lanes) sum0 = PlusSquares(hn::LoadU(df, x + at), sum0);
  if (at < count) sum1 = PlusSquares(LoadFirst(x + at, count - at), sum1);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

// sums[h] = the sum of squares of head h, h < heads. Heads are `stride` floats apart. The order of summation
// depends on the target, but results do not, because the error bound holds for any order.
inline void SumHeads(const float* x, std::size_t stride, std::size_t heads, std::size_t count, double* sums) {
  for (std::size_t h = 0; h < heads; ++h) sums[h] = SumSquares(x + h * stride, count);
}

// sums[k] becomes 1 / sqrt(sums[k] / count + epsilon), k < many. Numbers behind these, up to a whole vector,
// may change.
inline void InvertSums(double* sums, std::size_t many, double count, double epsilon) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < many; ++k) {
    sums[k] = ReferenceInverseRoot(sums[k] / count + epsilon);  // Highway would call the C library
  }
#else
  const Doubles d;
  for (std::size_t k = 0; k < many; k += hn::Lanes(d)) {
    const auto mean = hn::Add(hn::Div(hn::LoadU(d, sums + k), hn::Set(d, count)), hn::Set(d, epsilon));
    hn::StoreU(hn::Div(hn::Set(d, 1.0), hn::Sqrt(mean)), d, sums + k);
  }
#endif
}

// lower = factor * (1 - error) and upper = factor * (1 + error) for factors [count], which are weight or
// 1 + weight. Numbers behind these, up to a whole vector, may change.
inline void BoundFactors(const NormRow& row, double error, double* lower, double* upper) {
  const Doubles d;
  const Floats df;
  const auto one = hn::Set(d, row.plus_one ? 1.0 : -0.0);  // -0 leaves each number as it is, also -0
  const auto below = hn::Set(d, 1.0 - error), above = hn::Set(d, 1.0 + error);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < row.count; at += lanes) {
    const std::size_t left = row.count - at;
    const auto weights = left < lanes ? LoadFirst(row.weights + at, left) : hn::LoadU(df, row.weights + at);
    const auto factors = hn::Add(hn::PromoteTo(d, weights), one);
    hn::StoreU(hn::Mul(factors, below), d, lower + at);
    hn::StoreU(hn::Mul(factors, above), d, upper + at);
  }
}

// Normalizes a vector by the bounds of its factors, as NormalizeVector does.
HWY_INLINE hn::Mask<Floats> NormalizeBetween(FloatVec x, double inverse, const double* lower,
                                             const double* upper, FloatVec& n) {
  const Doubles d;
  const auto scaled = hn::Mul(hn::PromoteTo(d, x), hn::Set(d, inverse));
  n = ToFloats(hn::Mul(scaled, hn::LoadU(d, lower)));
  return hn::Eq(n, ToFloats(hn::Mul(scaled, hn::LoadU(d, upper))));
}

// Normalizes a head by the bounds of its factors, which all heads of a group share. Returns whether all
// elements are decided. If not, some of n are wrong.
inline bool NormalizeHead(const NormRow& row, double inverse, const double* lower, const double* upper) {
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  auto are_decided = hn::Eq(hn::Zero(df), hn::Zero(df));
  FloatVec n;
  std::size_t at = 0;
  for (; at + lanes <= row.count; at += lanes) {
    const auto is_decided = NormalizeBetween(hn::LoadU(df, row.x + at), inverse, lower + at, upper + at, n);
    are_decided = hn::And(are_decided, is_decided);
    hn::StoreU(n, df, row.n + at);
  }
  if (at < row.count) {
    const std::size_t left = row.count - at;
    const auto is_decided = NormalizeBetween(LoadFirst(row.x + at, left), inverse, lower + at, upper + at, n);
    are_decided = hn::And(are_decided, is_decided);
    StoreFirst(n, row.n + at, left);
  }
  return hn::AllTrue(df, are_decided);
}

// What all vectors of a row have in common. (A struct could not hold vectors of SVE.)
struct NormScalars {
  double one;           // is added to weights; -0.0 leaves each as it is, also -0
  double inverse;       // 1 / sqrt(mean + epsilon)
  double below, above;  // 1 - error and 1 + error
};

// Normalizes a vector. Returns the lanes that are decided. The others have a NaN, or an interval with a
// midpoint.
HWY_INLINE hn::Mask<Floats> NormalizeVector(FloatVec x, FloatVec weights, const NormScalars& scalars,
                                            FloatVec& n) {
  const Doubles d;
  const auto factors = hn::Add(hn::PromoteTo(d, weights), hn::Set(d, scalars.one));
  const auto product = hn::Mul(hn::Mul(hn::PromoteTo(d, x), factors), hn::Set(d, scalars.inverse));
  n = ToFloats(hn::Mul(product, hn::Set(d, scalars.below)));
  return hn::Eq(n, ToFloats(hn::Mul(product, hn::Set(d, scalars.above))));
}

// Normalizes a row. `error` is NormError(d). Returns whether all elements are decided. If not, some of n are
// wrong.
inline bool Normalize(const NormRow& row, double inverse, double error) {
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  const NormScalars scalars = {row.plus_one ? 1.0 : -0.0, inverse, 1.0 - error, 1.0 + error};
  auto are_decided = hn::Eq(hn::Zero(df), hn::Zero(df));
  FloatVec n;
  std::size_t at = 0;
  for (; at + lanes <= row.count; at += lanes) {
    const auto is_decided =
        NormalizeVector(hn::LoadU(df, row.x + at), hn::LoadU(df, row.weights + at), scalars, n);
    are_decided = hn::And(are_decided, is_decided);
    hn::StoreU(n, df, row.n + at);
  }
  if (at < row.count) {
    const std::size_t left = row.count - at;
    const auto is_decided =
        NormalizeVector(LoadFirst(row.x + at, left), LoadFirst(row.weights + at, left), scalars, n);
    // Lanes without elements are 0 * (0 or 1), which an infinite or NaN inverse makes NaNs. Then the elements
    // are not decided either.
    are_decided = hn::And(are_decided, is_decided);
    StoreFirst(n, row.n + at, left);
  }
  return hn::AllTrue(df, are_decided);
}

// Returns the error of sum = a + b (Knuth).
HWY_INLINE DoubleVec SumError(DoubleVec a, DoubleVec b, DoubleVec sum) {
  const auto back = hn::Sub(sum, a);
  return hn::Add(hn::Sub(a, hn::Sub(sum, back)), hn::Sub(b, back));
}

// Adds the squares of x [count] to sum[0] + sum[1]. Returns whether all x * scale are integers, where `scale`
// is a power of two and |x * scale| is below 2^51. Each sum of doubles has its error added to a second sum.
inline bool SumClosely(const float* x, std::size_t count, double scale, double* sum) {
  const Doubles d;
  const Floats df;
  const std::size_t lanes = hn::Lanes(d);
  const auto magic = hn::Set(d, 0x1.8p52), scales = hn::Set(d, scale);
  auto high = hn::Zero(d), low = hn::Zero(d);
  auto are_integers = hn::Eq(high, low);
  for (std::size_t at = 0; at < count; at += lanes) {
    const std::size_t left = count - at;
    const auto v = hn::PromoteTo(d, left < lanes ? LoadFirst(x + at, left) : hn::LoadU(df, x + at));
    const auto integer = hn::Sub(hn::MulAdd(v, scales, magic), magic);
    are_integers = hn::And(are_integers, hn::Eq(integer, hn::Mul(v, scales)));
    // Products are exact, so next is the sum of high and a square, rounded once, and the rest is its error.
    const auto next = hn::MulAdd(v, v, high);
    const auto back = hn::Sub(next, high);
    const auto error = hn::Add(hn::Sub(high, hn::Sub(next, back)), hn::MulSub(v, v, back));
    low = hn::Add(low, error);
    high = next;
  }
  HWY_ALIGN double highs[kMaxLanes<Doubles>], lows[kMaxLanes<Doubles>];
  hn::Store(high, d, highs);
  hn::Store(low, d, lows);
  for (std::size_t k = 0; k < lanes; ++k) {
    const DoubleDouble next = ExactSum(sum[0], highs[k]);
    sum[0] = next.high;
    sum[1] += next.low + lows[k];
  }
  return hn::AllTrue(d, are_integers);
}

// The middle of the two floats that x lies between, or the middle above if |x| is a float. Floats beside x
// are normal, or too large for float.
HWY_INLINE DoubleVec MidpointBeside(DoubleVec x) {
  const Longs du;
  const auto kept = hn::And(hn::BitCast(du, x), hn::Set(du, ~((std::uint64_t{1} << 29) - 1)));
  return hn::BitCast(Doubles(), hn::Or(kept, hn::Set(du, std::uint64_t{1} << 28)));
}

// Normalizes a vector of finite elements. q + low is n, with an error below mean.error. m is the midpoint
// of the two floats beside q. (If q is almost a float, m may be the midpoint on the other side of this
// float.) What is returned is m, moved a little to the side where n is, and rounded to float. Lanes in which
// this side is not known are NaNs.
HWY_INLINE FloatVec RoundClosely(FloatVec x, FloatVec weights, double one, const CloseMean& mean) {
  const Doubles d;
  const auto element = hn::PromoteTo(d, x), weight = hn::PromoteTo(d, weights), ones = hn::Set(d, one);
  const auto inverse = hn::Set(d, mean.inverse);
  const auto factor = hn::Add(weight, ones), factor_low = SumError(weight, ones, factor);
  const auto product = hn::Mul(element, factor);
  const auto product_low = hn::MulAdd(element, factor_low, ProductError(element, factor, product));
  const auto q = hn::Mul(product, inverse), q_low = ProductError(product, inverse, q);
  const auto low = hn::MulAdd(product, hn::Set(d, mean.inverse_low), hn::MulAdd(product_low, inverse, q_low));
  auto m = MidpointBeside(q);
  const auto size = hn::Abs(q);
  const auto is_subnormal = hn::Lt(size, hn::Set(d, 0x1.ffffffp-127));
  if (HWY_UNLIKELY(!hn::AllFalse(d, is_subnormal))) {
    // Subnormal floats are as far apart as floats from 2^-126 to 2^-125.
    const auto shift = hn::CopySign(hn::Set(d, 0x1p-126), q);
    m = hn::IfThenElse(is_subnormal, hn::Sub(MidpointBeside(hn::Add(q, shift)), shift), m);
  }
  const auto beyond = hn::Add(hn::Sub(q, m), low);
  const auto is_far = hn::Gt(hn::Abs(beyond), hn::Mul(size, hn::Set(d, mean.error)));
  const auto to_side = hn::CopySign(hn::Set(d, kNormNudge), hn::Xor(beyond, m));
  const auto is_no_double = hn::VecFromMask(d, hn::Ne(factor_low, hn::Zero(d)));
  const auto exact = hn::Or(hn::Set(d, mean.nudge), is_no_double);  // all bits make a NaN
  return ToFloats(hn::MulAdd(m, hn::IfThenElse(is_far, to_side, exact), m));
}

// Normalizes a row. Returns whether all elements are decided. The others are NaNs.
inline bool NormalizeClosely(const NormRow& the_row, const CloseMean& the_mean) {
  const NormRow row = the_row;  // copies, which stores to n do not change
  const CloseMean mean = the_mean;
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  const double one = row.plus_one ? 1.0 : -0.0;
  auto are_decided = hn::Eq(hn::Zero(df), hn::Zero(df));
  for (std::size_t at = 0; at < row.count; at += lanes) {
    const std::size_t left = row.count - at;
    const bool is_whole = left >= lanes;
    const auto x = is_whole ? hn::LoadU(df, row.x + at) : LoadFirst(row.x + at, left);
    const auto weights = is_whole ? hn::LoadU(df, row.weights + at) : LoadFirst(row.weights + at, left);
    const auto n = RoundClosely(x, weights, one, mean);
    are_decided = hn::And(are_decided, hn::Eq(n, n));
    if (is_whole) {
      hn::StoreU(n, df, row.n + at);
    } else {
      StoreFirst(n, row.n + at, left);
    }
  }
  return hn::AllTrue(df, are_decided);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_NORM_INL_H_
