// The direct kernel for rows of doubles: sines and cosines as sums of two doubles, rounded once. Included
// once per target.
#if defined(POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
#undef POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
#else
#define POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
#endif

#include <cstring>

#include "number/bounds.h"
#include "kernel/direct-inl.h"
#include "hwy/highway.h"
#include "kernel/sincos-inl.h"

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
                            double c_high, double c_low) {
  const Doubles d;
  const auto c = hn::Set(d, c_high);
#if HWY_NATIVE_FMA
  const auto sum = hn::MulAdd(sum_high, b_high, c);
  const auto rest = hn::MulAdd(sum_high, b_high, hn::Sub(c, sum));  // what `sum` was rounded by
  const auto low = hn::MulAdd(sum_low, b_high, hn::MulAdd(sum_high, b_low, rest));
  sum_low = hn::Add(low, hn::Set(d, c_low));
  sum_high = sum;
#else
  DoubleVec product_high, product_low;
  Multiply(sum_high, sum_low, b_high, b_low, product_high, product_low);
  sum_high = hn::Add(c, product_high);
  const auto rest = hn::Sub(product_high, hn::Sub(sum_high, c));
  sum_low = hn::Add(rest, hn::Add(product_low, hn::Set(d, c_low)));
#endif
}

// sin(pi/2 r) and cos(pi/2 r) for |r| <= 1/2, with an error of at most kDoubleError relatively. Coefficients:
// tools/sincos_coefficients.sollya.
HWY_INLINE void SineSum(DoubleVec r, DoubleVec r_low, DoubleVec r2, DoubleVec r2_low, DoubleVec& high,
                        DoubleVec& low) {
  const Doubles d;
  high = hn::Set(d, 0x1.a776024bba348p-38);
  high = hn::MulAdd(high, r2, hn::Set(d, -0x1.6faa797dc6d56p-31));
  high = hn::MulAdd(high, r2, hn::Set(d, 0x1.e8f43183c930ap-25));
  high = hn::MulAdd(high, r2, hn::Set(d, -0x1.e3074fdc94f25p-19));
  low = hn::Zero(d);
  MultiplyAdd(high, low, r2, r2_low, 0x1.50783487edca6p-13, 0x1.1c9b6c239c3p-70);
  MultiplyAdd(high, low, r2, r2_low, -0x1.32d2cce62bd81p-8, -0x1.fcaccd55c4561p-62);
  MultiplyAdd(high, low, r2, r2_low, 0x1.466bc6775aae2p-4, -0x1.7b154f57b8388p-59);
  MultiplyAdd(high, low, r2, r2_low, -0x1.4abbce625be53p-1, 0x1.055320b31061ap-55);
  MultiplyAdd(high, low, r2, r2_low, 0x1.921fb54442d18p0, 0x1.1a6262ca2f195p-54);
  Multiply(high, low, r, r_low, high, low);
}

HWY_INLINE void CosineSum(DoubleVec r2, DoubleVec r2_low, DoubleVec& high, DoubleVec& low) {
  const Doubles d;
  high = hn::Set(d, -0x1.27a1ff75c0a9ap-41);
  high = hn::MulAdd(high, r2, hn::Set(d, 0x1.20c39ad1da1p-34));
  high = hn::MulAdd(high, r2, hn::Set(d, -0x1.b6e24c3f1a376p-28));
  high = hn::MulAdd(high, r2, hn::Set(d, 0x1.f9d38a353e71cp-22));
  high = hn::MulAdd(high, r2, hn::Set(d, -0x1.a6d1f2a203b8p-16));
  low = hn::Zero(d);
  MultiplyAdd(high, low, r2, r2_low, 0x1.e1f506891bab3p-11, -0x1.9c4f0c3769bap-69);
  MultiplyAdd(high, low, r2, r2_low, -0x1.55d3c7e3cbffap-6, 0x1.845e4cda2b74p-64);
  MultiplyAdd(high, low, r2, r2_low, 0x1.03c1f081b5ac4p-2, -0x1.32b616be39c6ep-56);
  MultiplyAdd(high, low, r2, r2_low, -0x1.3bd3cc9be45dep0, -0x1.692b700ccd88cp-54);
  MultiplyAdd(high, low, r2, r2_low, 1.0, 0.0);
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
  SineSum(r, r_low, r2, r2_low, s, s_low);
  CosineSum(r2, r2_low, c, c_low);
  TurnByQuadrant(d, quadrant, s, c, sine, cosine);
  TurnByQuadrant(d, quadrant, s_low, c_low, sine_low, cosine_low);
}

// Like EvaluatePairs.
inline HWY_NOINLINE void EvaluateDoubles(const FrequencyTable& table, const Multiples& multiples,
                                         std::size_t begin, std::size_t count, double* sines, double* cosines,
                                         Tally& tally) {
  const Doubles d;
  const Steps steps = StepsAt(table, multiples.position);
  const auto phase_error = hn::Set(d, table.max_cancellation * kPhaseErrorPerCancellation);
  const auto relative_error = hn::Set(d, kDoubleError);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    DoubleVec multiple, high, low;
    LoadPhases(steps, multiples, begin, at, multiple, high, low);
    DoubleVec phase, sine, sine_low, cosine, cosine_low;
    SinCosSums(multiple, high, low, phase, sine, sine_low, cosine, cosine_low);
    const auto error = hn::Mul(hn::Abs(phase), phase_error);
    const auto sine_error = hn::MulAdd(hn::Abs(sine), relative_error, error);
    const auto cosine_error = hn::MulAdd(hn::Abs(cosine), relative_error, error);
    DoubleVec rounded_sines, rounded_cosines;
    auto flagged = RoundSum(sine, sine_low, sine_error, rounded_sines);
    flagged = hn::Or(flagged, RoundSum(cosine, cosine_low, cosine_error, rounded_cosines));
    // What is not reduced to |r| <= 1/2 is far beyond this.
    flagged = hn::Or(flagged, hn::Gt(hn::Abs(phase), hn::Set(d, kLargestPhase)));
    if (HWY_UNLIKELY(MayBeTiny(multiples))) {
      flagged = hn::Or(flagged, IsTiny(multiple, high, kLeastDoublePhase));
    }
    hn::StoreU(rounded_sines, d, sines + at);
    hn::StoreU(rounded_cosines, d, cosines + at);
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      Flags flags;
      flags.Set(flagged);
      RecomputePairs(table, POSENC_F64, multiples.From(at), begin + at, flags.lanes, hn::Lanes(d), sines + at,
                     cosines + at, tally);
    }
  }
}

// Stores `count` pairs from pair i on to a row, those of them that it has.
HWY_INLINE void StoreSomeDoubles(const Columns& columns, std::size_t i, std::size_t count,
                                 const double* sines, const double* cosines, unsigned char* row) {
  const std::size_t sine_count = HWY_MIN(count, columns.sines - HWY_MIN(i, columns.sines));
  const std::size_t cosine_count = HWY_MIN(count, columns.cosines - HWY_MIN(i, columns.cosines));
  StoreDoubles(sines, sine_count, columns.step,
               row + (columns.sine_offset + i * columns.step) * sizeof(double));
  StoreDoubles(cosines, cosine_count, columns.step,
               row + (columns.cosine_offset + i * columns.step) * sizeof(double));
}

// data = PE, rounded to double, row by row.
inline HWY_NOINLINE Tally DirectDoubles(const FrequencyTable& table, const Columns& columns,
                                        const Rows& rows) {
  HWY_ALIGN double sines[kBufferPairs + hn::MaxLanes(Doubles())];
  HWY_ALIGN double cosines[kBufferPairs + hn::MaxLanes(Doubles())];
  PhaseBuffer phases;
  Tally tally;
  for (std::size_t r = 0; r < rows.at.count; ++r) {
    auto* row = static_cast<unsigned char*>(rows.data) + r * rows.stride * sizeof(double);
    for (std::size_t i = 0; i < columns.pairs(); i += kBufferPairs) {
      const std::size_t count = HWY_MIN(columns.pairs() - i, kBufferPairs);
      const Multiples multiples = MultiplesAt(table, rows.at[r], i, count, phases);
      EvaluateDoubles(table, multiples, i, count, sines, cosines, tally);
      StoreSomeDoubles(columns, i, count, sines, cosines, row);
    }
  }
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
