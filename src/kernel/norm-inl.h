// Norms in double (rotary_norm_c.h): n = x g / sqrt(mean + epsilon), each rounded once to float, if doubles
// decide it. Included once per target.
//
//   kernel            computes                                          error
//   SumHeads          sums of squares, each of which is exact           (d - 1) u
//   InvertSums        1 / sqrt(mean + epsilon) from such sums           3 u, on SCALAR 4.1 u
//   NormalizeHead     n of a head whose factors are shared by heads,    0 where it is decided
//                     with an interval test (NormError)
//   Normalize         the same for a part of a head                     0 where it is decided
//   SumExactly        the sum of squares as an integer                  0
//   NormalizeByRoot   n where sqrt(mean + epsilon) is a float: ties     0 where it is decided
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

// v rounded to the nearest integer; |v| < 2^51.
HWY_INLINE DoubleVec ToInteger(DoubleVec v) {
  const auto magic = hn::Set(Doubles(), 0x1.8p52);
  return hn::Sub(hn::Add(v, magic), magic);
}

// Adds the squares of integers X = x * scale, in three parts. X = h 2^16 + l, where |h| and |l| are at most
// 2^15. Returns the lanes in which X is an integer.
HWY_INLINE hn::Mask<Doubles> AddExactly(FloatVec x, double scale, DoubleVec& high, DoubleVec& mixed,
                                        DoubleVec& low) {
  const Doubles d;
  const auto integer = hn::Mul(hn::PromoteTo(d, x), hn::Set(d, scale));
  const auto h = ToInteger(hn::Mul(integer, hn::Set(d, 0x1p-16)));
  const auto l = hn::Sub(integer, hn::Mul(h, hn::Set(d, 0x1p16)));
  high = hn::MulAdd(h, h, high);
  mixed = hn::MulAdd(h, l, mixed);
  low = hn::MulAdd(l, l, low);
  return hn::Eq(ToInteger(l), l);
}

// *sum = the sum of the squares of X = x * scale, which is a power of two. Each |X| must be below 2^31, and
// the sum below 2^64. Returns whether all X are integers. If not, *sum is wrong. No step rounds: the three
// parts are sums of at most 2^16 integers below 2^31.
inline bool SumExactly(const float* x, std::size_t count, double scale, std::uint64_t* sum) {
  const Doubles d;
  const Floats df;
  const std::size_t lanes = hn::Lanes(d);
  auto high = hn::Zero(d), mixed = hn::Zero(d), low = hn::Zero(d);
  auto are_integers = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (std::size_t at = 0; at < count; at += lanes) {
    const std::size_t left = count - at;
    const auto elements = left < lanes ? LoadFirst(x + at, left) : hn::LoadU(df, x + at);
    const auto is_integer = AddExactly(elements, scale, high, mixed, low);
    are_integers = hn::And(are_integers, is_integer);
  }
  const auto part = [&](DoubleVec v) POSENC_INLINE_LAMBDA {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, v))));
  };
  *sum = (part(high) << 32) + (part(mixed) << 17) + part(low);
  return hn::AllTrue(d, are_integers);
}

// Normalizes a vector of finite elements where `root` = sqrt(mean + epsilon) is a float. The product t of an
// element and its factor is exact if the factor has at most 29 digits. q = t / root is within 2^-51 of the
// quotient. m is the midpoint of floats next to q. m * root is exact. If it is t, the quotient is m.
// Otherwise, if q is farther from m than the quotient from q, q rounds as the quotient does. Returns the
// lanes that are decided so.
HWY_INLINE hn::Mask<Doubles> DivideByRoot(FloatVec x, FloatVec weights, double one, double root,
                                          FloatVec& n) {
  const Doubles d;
  const Longs du;
  const auto w = hn::PromoteTo(d, weights), ones = hn::Set(d, one);
  const auto factor = hn::Add(w, ones);
  const auto back = hn::Sub(factor, ones);
  const auto lost = hn::Add(hn::Sub(ones, hn::Sub(factor, back)), hn::Sub(w, back));  // of 1 + weight (Knuth)
  const auto is_short =
      hn::Eq(hn::And(hn::BitCast(du, factor), hn::Set(du, (std::uint64_t{1} << 24) - 1)), hn::Zero(du));
  const auto product = hn::Mul(hn::PromoteTo(d, x), factor);
  const auto quotient = hn::Mul(product, hn::Set(d, 1.0 / root));
  // Zeros are right as they are. 1 takes their place below, because subnormal midpoints would be slow.
  const auto q = hn::IfThenElse(hn::Eq(product, hn::Zero(d)), hn::Set(d, 1.0), quotient);
  const auto kept = hn::And(hn::BitCast(du, q), hn::Set(du, ~((std::uint64_t{1} << 29) - 1)));
  const auto midpoint = hn::BitCast(d, hn::Or(kept, hn::Set(du, std::uint64_t{1} << 28)));
  const auto is_tie = hn::Eq(hn::Mul(midpoint, hn::Set(d, root)), product);
  const auto size = hn::Abs(q);
  const auto is_far = hn::Gt(hn::Abs(hn::Sub(q, midpoint)), hn::Mul(size, hn::Set(d, 0x1p-50)));
  const auto is_normal = hn::And(hn::Ge(size, hn::Set(d, 0x1p-125)), hn::Lt(size, hn::Set(d, 0x1p127)));
  n = ToFloats(hn::IfThenElse(is_tie, midpoint, quotient));
  const auto is_exact = hn::And(hn::Eq(lost, hn::Zero(d)), hn::RebindMask(d, is_short));
  return hn::And(hn::And(is_exact, is_normal), hn::Or(is_tie, is_far));
}

// Normalizes a row in which `root` is sqrt(mean + epsilon). Returns whether all elements are decided.
inline bool NormalizeByRoot(const NormRow& row, double root) {
  const Doubles d;
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  const double one = row.plus_one ? 1.0 : -0.0;
  auto are_decided = hn::Eq(hn::Zero(d), hn::Zero(d));
  FloatVec n;
  std::size_t at = 0;
  for (; at + lanes <= row.count; at += lanes) {
    const auto is_decided =
        DivideByRoot(hn::LoadU(df, row.x + at), hn::LoadU(df, row.weights + at), one, root, n);
    are_decided = hn::And(are_decided, is_decided);
    hn::StoreU(n, df, row.n + at);
  }
  if (at < row.count) {
    const std::size_t left = row.count - at;
    const auto is_decided =
        DivideByRoot(LoadFirst(row.x + at, left), LoadFirst(row.weights + at, left), one, root, n);
    are_decided = hn::And(are_decided, is_decided);
    StoreFirst(n, row.n + at, left);
  }
  return hn::AllTrue(d, are_decided);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_NORM_INL_H_
