// The direct kernel for rows of doubles, in any layout: each entry from its own phase, as a sum of two
// doubles that is rounded once. Included once per target.
//
// The ladder is that of float rows (`DecidePairs`), with the tiers of `DoubleTiers`.
#if defined(POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
#undef POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
#else
#define POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "number/bounds.h"
#include "kernel/direct-inl.h"
#include "hwy/highway.h"
#include "kernel/sincos_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How many pairs are evaluated at a time. With this number the anchors and offsets of a run (`DoubleAnchors`)
// take 26 KB of the stack.
constexpr std::size_t kDoubleChunkPairs = 64;
static_assert(kDoubleChunkPairs % kMaxLanes<Doubles> == 0, "whole vectors");
using ChunkArray = double[kDoubleChunkPairs];

// The sine and cosine of one angle for each pair of a chunk, as sums of two doubles.
struct Angles {
  HWY_ALIGN ChunkArray sines;
  HWY_ALIGN ChunkArray sines_low;
  HWY_ALIGN ChunkArray cosines;
  HWY_ALIGN ChunkArray cosines_low;
};

// `SinCosSums` of the pairs begin .. begin + count - 1, rounded up to whole vectors, at their multiples.
inline HWY_NOINLINE void EvaluateSums(const StepArrays& steps, const Multiples& multiples, std::size_t begin,
                                      std::size_t count, Angles& angles) {
  const Doubles d;
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    DoubleVec multiple, high, low, sine, sine_low, cosine, cosine_low;
    LoadPhases(steps, multiples, begin, at, multiple, high, low);
    SinCosSums(multiple, high, low, sine, sine_low, cosine, cosine_low);
    hn::Store(sine, d, angles.sines + at);
    hn::Store(sine_low, d, angles.sines_low + at);
    hn::Store(cosine, d, angles.cosines + at);
    hn::Store(cosine_low, d, angles.cosines_low + at);
  }
}

// Where pairs are stored: sines and cosines apart (step 1), or interleaved, each cosine behind its sine (step
// 2).
struct DoublesTo {
  double* sines;
  double* cosines;
  std::size_t step;

  DoublesTo From(std::size_t at) const { return {sines + at * step, cosines + at * step, step}; }
};

// Stores one vector of pairs.
HWY_INLINE void StoreTo(const DoublesTo& to, DoubleVec s, DoubleVec c) {
  if (kHasVectors && to.step == 2) return StoreInterleavedDoubles(s, c, to.sines, false);
  hn::StoreU(s, Doubles(), to.sines);
  hn::StoreU(c, Doubles(), to.cosines);
}

// Entries with all terms, of pairs at .. end - 1, stored at `to`; results as of `EvaluateFully`:
//
//   sine_k, cosine_k = sin, cos(pi/2 multiple_k (high_k + low_k))     double, rounded to nearest
//
// Error before rounding: kDoubleError, and absolutely min_uncancelled * kPhaseErrorPerUncancelled *
// |phase|.
// Undecided: one pair in 20 million at positions up to 10^4, one in 5,000 at positions up to 2^31; also
// phases beyond kLargestPhase or below kMinDoublePhase.
// Hardest known, of 10^9 (`worst_cases.inc`): sin(0x1.72f50ba83bc06p+2), 2^-85.6 of itself from a midpoint:
// want -0x1.df306b48d3d4cp-2.
inline HWY_NOINLINE std::size_t EvaluateDoublesFully(const PairsAt& pairs, std::size_t at, std::size_t end,
                                                     const DoublesTo& to, UndecidedLanes& lanes) {
  const Doubles d;
  const FrequencyTable& table = pairs.table;
  const StepArrays steps = StepsAt(table, pairs.multiples.position);
  const auto phase_error = hn::Set(d, table.min_uncancelled * kPhaseErrorPerUncancelled);
  const auto relative_error = hn::Set(d, kDoubleError);
  Angles angles;
  for (std::size_t k = 0; at < end; at += hn::Lanes(d), k += hn::Lanes(d)) {
    if (k % kDoubleChunkPairs == 0) {
      k = 0;
      const std::size_t count = HWY_MIN(end - at, kDoubleChunkPairs);
      EvaluateSums(steps, pairs.multiples.From(at), pairs.begin + at, count, angles);
    }
    DoubleVec multiple, high, low;
    LoadPhases(steps, pairs.multiples, pairs.begin, at, multiple, high, low);
    const auto phase = hn::Mul(multiple, high);
    const auto sine = hn::Load(d, angles.sines + k), cosine = hn::Load(d, angles.cosines + k);
    const auto sine_low = hn::Load(d, angles.sines_low + k), cosine_low = hn::Load(d, angles.cosines_low + k);
    const auto error = hn::Mul(hn::Abs(phase), phase_error);
    const auto sine_error = hn::MulAdd(hn::Abs(sine), relative_error, error);
    const auto cosine_error = hn::MulAdd(hn::Abs(cosine), relative_error, error);
    DoubleVec rounded_sines, rounded_cosines;
    auto undecided = RoundSum(sine, sine_low, sine_error, rounded_sines);
    undecided = hn::Or(undecided, RoundSum(cosine, cosine_low, cosine_error, rounded_cosines));
    // Phases beyond 2^51 are not reduced to |r| <= 1/2.
    undecided = hn::Or(undecided, hn::Gt(hn::Abs(phase), hn::Set(d, kLargestPhase)));
    if (HWY_UNLIKELY(MayBeTiny(pairs.multiples))) {
      undecided = hn::Or(undecided, IsTiny(multiple, high, kMinDoublePhase));
    }
    StoreTo(to.From(at), rounded_sines, rounded_cosines);
    if (HWY_LIKELY(hn::AllFalse(d, undecided))) continue;
    lanes.Set(undecided);
    return at;
  }
  return at;
}

// Entries with fewer terms: the hot loop, as `EvaluateQuickly`, with the same result and pipeline.
//
//   1 <= |position| <= kMaxShort, without FMA whole; no phase rounding; steps as of `EvaluateQuickly`
//
// Error before rounding: kQuickSineError of the sine, kQuickCosineError * r^2 of the cosine, if |r| is at
// least kMinQuickDouble and kMinQuickPart * |position|.
// Worst known before rounding: see `QuickSums`.
// Undecided: one vector of eight pairs in 190, left to `EvaluateDoublesFully`.
inline HWY_NOINLINE POSENC_NOCLONE std::size_t EvaluateDoublesQuickly(const FrequencyTable& table,
                                                                      double position, std::size_t begin,
                                                                      std::size_t at, std::size_t end,
                                                                      const DoublesTo& to) {
  const Doubles d;
  constexpr double kCosineError = kHasFma ? kQuickCosineError : kQuickCosineErrorWithoutFma;
  const StepArrays steps = {table.high, table.low};
  const double least = HWY_MAX(kMinQuickDouble, std::fabs(position) * kMinQuickPart);
  DoubleVec multiple, high, low, next, next_low;
  LongVec next_quadrant;
  LoadPhases(steps, {nullptr, position}, begin, at, multiple, high, low);
  ReduceToSum(multiple, high, low, next, next_low, next_quadrant);
  do {
    const auto r = next, r_low = next_low;
    const auto quadrant = next_quadrant;
    const DoublesTo now = to.From(at);
    at += hn::Lanes(d);
    LoadPhases(steps, {nullptr, position}, begin, at, multiple, high, low);
    ReduceToSum(multiple, high, low, next, next_low, next_quadrant);
    DoubleVec s, s_low, c, c_low, r2, sine, cosine;
    QuickSums(r, r_low, s, s_low, c, c_low, r2);
    auto undecided = RoundQuickly(s, s_low, s, kQuickSineError, s);
    undecided = hn::Or(undecided, RoundQuickly(c, c_low, r2, kCosineError, c));
    undecided = hn::Or(undecided, hn::Lt(r2, hn::Set(d, least * least)));
    SwapByQuadrant(quadrant, s, c, sine, cosine);
    StoreTo(now, sine, cosine);
    if (!hn::AllFalse(d, undecided)) return at - hn::Lanes(d);
  } while (at < end);
  return at;
}

// The tiers of double rows.
struct DoubleTiers {
  const PairsAt& pairs;
  const DoublesTo& to;

  HWY_INLINE std::size_t Quickly(std::size_t at, std::size_t end) const {
    return EvaluateDoublesQuickly(pairs.table, pairs.multiples.position, pairs.begin, at, end, to);
  }
  HWY_INLINE std::size_t Fully(std::size_t at, std::size_t end, UndecidedLanes& lanes) const {
    return EvaluateDoublesFully(pairs, at, end, to, lanes);
  }
  HWY_INLINE void Widely(std::size_t at, const UndecidedLanes& lanes) const {
    const DoublesTo now = to.From(at);
    RecomputePairs(pairs.From(at), POSENC_F64, lanes.undecided, hn::Lanes(Doubles()), now.sines, now.cosines,
                   now.step);
  }
};

// The entries of pairs 0 .. count - 1, as of `EvaluateDoublesFully`. At position 0 they are 0 and 1.
inline HWY_NOINLINE void EvaluateDoubles(const PairsAt& pairs, std::size_t count, const DoublesTo& to) {
  std::size_t quick_end = 0;
  if constexpr (kHasVectors) {
    const std::size_t lanes = hn::Lanes(Doubles());
    const double position = pairs.multiples.position;
    if (position == 0.0) {
      for (std::size_t at = 0; at < count; at += lanes) {
        StoreTo(to.From(at), hn::Zero(Doubles()), hn::Set(Doubles(), 1.0));
      }
      return;
    }
    const bool is_near = position >= -kMaxShort && position <= kMaxShort && (kHasFma || IsWhole(position));
    if (is_near) quick_end = pairs.table.QuickPairs(position, pairs.begin, count) / lanes * lanes;
  }
  DecidePairs(DoubleTiers{pairs, to}, quick_end, count);
}

// Stores the pairs i .. i + count - 1, as far as the row has them, in its columns.
inline HWY_NOINLINE void StoreSomeDoubles(const Columns& columns, std::size_t i, std::size_t count,
                                          const double* sines, const double* cosines, unsigned char* row) {
  const std::size_t sine_count = HWY_MIN(count, columns.sines - HWY_MIN(i, columns.sines));
  const std::size_t cosine_count = HWY_MIN(count, columns.cosines - HWY_MIN(i, columns.cosines));
  StoreDoubles(sines, sine_count, columns.step,
               row + (columns.sine_offset + i * columns.step) * sizeof(double));
  StoreDoubles(cosines, cosine_count, columns.step,
               row + (columns.cosine_offset + i * columns.step) * sizeof(double));
}

// Whether all rows lie at multiples of 8 bytes, so that vectors may access them. (Doubles are never added, so
// there are no sources.)
HWY_INLINE bool HoldDoubles(const Rows& rows) {
  return reinterpret_cast<std::uintptr_t>(rows.data) % sizeof(double) == 0;
}

// data = PE for the rows from `begin` on: evaluated in the row where that has whole vectors of pairs, sines
// first; else in buffers, and stored from these.
inline HWY_NOINLINE void DirectDoubles(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                                       std::size_t begin, Tally& tally) {
  HWY_ALIGN double sines[kBufferPairs + kMaxLanes<Doubles>];
  HWY_ALIGN double cosines[kBufferPairs + kMaxLanes<Doubles>];
  PhaseBuffer phases;
  const bool in_place = HoldDoubles(rows) && (!columns.Interleaved() || columns.SinesFirst());
  const std::size_t lanes = hn::Lanes(Doubles());
  const std::size_t whole = in_place ? HWY_MIN(columns.sines, columns.cosines) / lanes * lanes : 0;
  for (std::size_t r = begin; r < rows.at.count; ++r) {
    auto* row = RowAt(rows, sizeof(double), r).to;
    for (std::size_t i = 0; i < columns.pairs(); i += kBufferPairs) {
      const std::size_t count = HWY_MIN(columns.pairs() - i, kBufferPairs);
      const PairsAt pairs = {table, MultiplesAt(table, rows.at[r], i, count, phases), i, tally};
      const std::size_t placed = HWY_MIN(count, whole - HWY_MIN(i, whole));  // evaluated in the row itself
      if (placed > 0) {
        auto* to = reinterpret_cast<double*>(row) + i * columns.step;
        EvaluateDoubles(pairs, placed, {to + columns.sine_offset, to + columns.cosine_offset, columns.step});
      }
      if (placed == count) continue;
      EvaluateDoubles(pairs.From(placed), count - placed, {sines, cosines, 1});
      StoreSomeDoubles(columns, i + placed, count - placed, sines, cosines, row);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_DIRECT_DOUBLE_INL_H_
