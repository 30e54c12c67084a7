// The direct kernel for rows of doubles: sines and cosines as sums of two doubles, rounded once. Included
// once per target.
#if defined(POSENC_SRC_DIRECT_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_DIRECT_DOUBLE_INL_H_
#undef POSENC_SRC_DIRECT_DOUBLE_INL_H_
#else
#define POSENC_SRC_DIRECT_DOUBLE_INL_H_
#endif

#include <cstring>

#include "bounds.h"
#include "direct-inl.h"
#include "hwy/highway.h"
#include "sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The value is high + low, |low| at most some units in the last place of high.
struct DoubleSum {
  DoubleVec high, low;
};

HWY_INLINE DoubleSum Multiply(const DoubleSum& a, const DoubleSum& b) {
  const Doubles d;
  const auto product = hn::Mul(a.high, b.high);
  const auto cross = hn::MulAdd(a.high, b.low, hn::Mul(a.low, b.high));
  return {product, hn::Add(ProductError(d, a.high, b.high, product), cross)};
}

// a * b + c, |a * b| < |c.high|.
HWY_INLINE DoubleSum MultiplyAdd(const DoubleSum& a, const DoubleSum& b, double c_high, double c_low) {
  const Doubles d;
  const DoubleSum product = Multiply(a, b);
  const auto c = hn::Set(d, c_high);
  const auto sum = hn::Add(c, product.high);
  const auto rest = hn::Sub(product.high, hn::Sub(sum, c));
  return {sum, hn::Add(rest, hn::Add(product.low, hn::Set(d, c_low)))};
}

// sin(pi/2 r) and cos(pi/2 r) for |r| <= 1/2, with an error of at most kDoubleError relatively. Coefficients:
// tools/sincos_coefficients.sollya.
HWY_INLINE DoubleSum SineSum(const DoubleSum& r, const DoubleSum& r2) {
  const Doubles d;
  auto p = hn::Set(d, 0x1.a77601ee2d808p-38);
  p = hn::MulAdd(p, r2.high, hn::Set(d, -0x1.6faa797d05ae1p-31));
  p = hn::MulAdd(p, r2.high, hn::Set(d, 0x1.e8f43183c7eaep-25));
  p = hn::MulAdd(p, r2.high, hn::Set(d, -0x1.e3074fdc94f13p-19));
  p = hn::MulAdd(p, r2.high, hn::Set(d, 0x1.50783487edca6p-13));
  DoubleSum sum = {p, hn::Zero(d)};
  sum = MultiplyAdd(sum, r2, -0x1.32d2cce62bd81p-8, -0x1.fc997bef214bfp-62);
  sum = MultiplyAdd(sum, r2, 0x1.466bc6775aae2p-4, -0x1.7b156449d1394p-59);
  sum = MultiplyAdd(sum, r2, -0x1.4abbce625be53p-1, 0x1.055320b77e81dp-55);
  sum = MultiplyAdd(sum, r2, 0x1.921fb54442d18p0, 0x1.1a6262ca2dd2ap-54);
  return Multiply(sum, r);
}

HWY_INLINE DoubleSum CosineSum(const DoubleSum& r2) {
  const Doubles d;
  auto p = hn::Set(d, -0x1.27a232ac17916p-41);
  p = hn::MulAdd(p, r2.high, hn::Set(d, 0x1.20c39b47e4aep-34));
  p = hn::MulAdd(p, r2.high, hn::Set(d, -0x1.b6e24c3ffd86fp-28));
  p = hn::MulAdd(p, r2.high, hn::Set(d, 0x1.f9d38a353f5e7p-22));
  p = hn::MulAdd(p, r2.high, hn::Set(d, -0x1.a6d1f2a203b89p-16));
  p = hn::MulAdd(p, r2.high, hn::Set(d, 0x1.e1f506891bab3p-11));
  DoubleSum sum = {p, hn::Zero(d)};
  sum = MultiplyAdd(sum, r2, -0x1.55d3c7e3cbffap-6, 0x1.83b8ebe5612cp-64);
  sum = MultiplyAdd(sum, r2, 0x1.03c1f081b5ac4p-2, -0x1.32b612a8e3bffp-56);
  sum = MultiplyAdd(sum, r2, -0x1.3bd3cc9be45dep0, -0x1.692b700f121bdp-54);
  return MultiplyAdd(sum, r2, 1.0, 0.0);
}

// The nearest double to a value within `error` of v, never -0, and whether that bound leaves it open (Ziv's
// test).
HWY_INLINE hn::Mask<Doubles> RoundSum(const DoubleSum& v, DoubleVec error, DoubleVec& rounded) {
  rounded = hn::Add(v.high, hn::Add(v.low, error));
  return hn::Ne(rounded, hn::Add(v.high, hn::Sub(v.low, error)));
}

// Like EvaluatePairs.
HWY_NOINLINE void EvaluateDoubles(const FrequencyTable& table, double position, std::size_t begin,
                                  std::size_t count, double* sines, double* cosines, Tally& tally) {
  const Doubles d;
  const Steps steps = StepsAt(table, position);
  const auto phase_error = hn::Set(d, table.max_cancellation * kPhaseErrorPerCancellation);
  const auto relative_error = hn::Set(d, kDoubleError);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const std::size_t i = begin + at;
    DoubleVec multiple, high, low;
    LoadPhases(table, steps, position, i, multiple, high, low);
    const Reduced<Doubles> reduced = Reduce(d, multiple, high, low);
    const DoubleSum r = {reduced.r, reduced.r_low};
    const DoubleSum r2 = Multiply(r, r);
    const DoubleSum s = SineSum(r, r2);
    const DoubleSum c = CosineSum(r2);
    DoubleSum sine, cosine;
    TurnByQuadrant(d, reduced.quadrant, s.high, c.high, sine.high, cosine.high);
    TurnByQuadrant(d, reduced.quadrant, s.low, c.low, sine.low, cosine.low);
    const auto error = hn::Mul(hn::Abs(reduced.phase), phase_error);
    DoubleVec rounded_sines, rounded_cosines;
    auto flagged = RoundSum(sine, hn::MulAdd(hn::Abs(sine.high), relative_error, error), rounded_sines);
    flagged = hn::Or(
        flagged, RoundSum(cosine, hn::MulAdd(hn::Abs(cosine.high), relative_error, error), rounded_cosines));
    // What is not reduced to |r| <= 1/2 is far beyond this.
    flagged = hn::Or(flagged, hn::Gt(hn::Abs(reduced.phase), hn::Set(d, kLargestPhase)));
    if (HWY_UNLIKELY(MayBeTiny(position))) {
      flagged = hn::Or(flagged, IsTiny(multiple, high, kLeastDoublePhase));
    }
    hn::StoreU(rounded_sines, d, sines + at);
    hn::StoreU(rounded_cosines, d, cosines + at);
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      const auto flags = hn::BitCast(Longs(), hn::VecFromMask(d, flagged));
      RecomputeLanes<kFloat64>(table, position, i, flags, sines + at, cosines + at, tally);
    }
  }
}

// data = PE, rounded to double.
HWY_NOINLINE Tally WriteDoubles(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  HWY_ALIGN double sines[kBufferPairs + hn::MaxLanes(Doubles())];
  HWY_ALIGN double cosines[kBufferPairs + hn::MaxLanes(Doubles())];
  Tally tally;
  for (std::size_t r = 0; r < rows.count; ++r) {
    auto* row = static_cast<unsigned char*>(rows.data) + r * rows.stride * sizeof(double);
    for (std::size_t i = 0; i < columns.sines; i += kBufferPairs) {
      const std::size_t count = HWY_MIN(columns.sines - i, kBufferPairs);
      EvaluateDoubles(table, rows.Position(r), i, count, sines, cosines, tally);
      const std::size_t cosine_count = HWY_MIN(count, columns.cosines - HWY_MIN(i, columns.cosines));
      StoreDoubles(sines, count, columns.step,
                   row + (columns.sine_offset + i * columns.step) * sizeof(double));
      StoreDoubles(cosines, cosine_count, columns.step,
                   row + (columns.cosine_offset + i * columns.step) * sizeof(double));
    }
  }
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_DIRECT_DOUBLE_INL_H_
