// Runs of rows of float and 16-bit types by angle addition: groups of rows around an anchor half-way between
// two positions. Rows at equal distances before and after it, mirrored rows, share products and loads:
//
//   e^(iw(a + k)) and e^(iw(a - k)) from e^(iwa) and e^(iwk), k = 1/2, 3/2, ...: 6 operations for 4 vectors
//
// The anchors of the groups are added up in the same way from the middle of the run, which is evaluated
// (anchors-inl.h). Included once per target.
//
// Three tiers: `AngleAdditionLoop`, `FinishPairs` (both ends of the interval), the direct kernel. Before them
// `AngleAdditionFloatLoop` for 16 bits.
//
// Error: absolutely kAngleAdditionError, u = 2^-53.
// Worst known, as in anchors-inl.h: 4.42 u, with FMA 3.74 u:
//
//   without  sine, position 14531836 of the run from 14531784, step 0x1.a8af93ecde6a7p-4 -
//            0x1.ff0dbb738e184p-59: got 0x1.b2237c05fb276p-1, want 0x1.b2237c05fb27a6bfp-1
//   with     sine, position 2339 of the run from 2291, step 0x1.4a96ec5fd4afbp+1 + 0x1.e9372b99a078ep-53:
//            got 0x1.fff7340e97eebp-1, want 0x1.fff7340e97eeebd3p-1
#if defined(POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
#undef POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
#else
#define POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
#endif

#include "kernel/anchors-inl.h"
#include "kernel/direct-inl.h"
#include "hwy/highway.h"
#include "kernel/angle_addition_float-inl.h"
#include "number/compiler.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sines and cosines of two mirrored rows, before (s0, c0) and after (s1, c1) their anchor: one vector of
// pairs each, from pair `at` of the chunk on.
HWY_INLINE void MirroredSinCos(const MirroredAngles& angles, std::size_t at, DoubleVec& s0, DoubleVec& c0,
                               DoubleVec& s1, DoubleVec& c1) {
  const Doubles d;
  SumAndDifference(hn::LoadU(d, angles.sines + at), hn::LoadU(d, angles.cosines + at), angles.offset.From(at),
                   s1, c1, s0, c0);
}

// The same rounded for kFormat, as [s0 c0 s1 c1 ...] for each row. Returns whether any entry is undecided.
template <posenc_type kFormat>
HWY_INLINE bool InterleavedEntries(const MirroredAngles& angles, std::size_t at, EntryVec& entries0,
                                   EntryVec& entries1) {
  DoubleVec s0, c0, s1, c1;
  MirroredSinCos(angles, at, s0, c0, s1, c1);
  const auto decided0 = RoundAdded<kFormat, true>(s0, c0, entries0);
  const auto decided1 = RoundAdded<kFormat, true>(s1, c1, entries1);
  return AnyUndecidedEntry(BothDecided(decided0, decided1), SmallerMagnitudes(entries0, entries1),
                           hn::LoadU(Entries(), angles.small + 2 * at));
}

// The same of two vectors of pairs, as [s0 s1 ...] and [c0 c1 ...] for each row.
template <posenc_type kFormat>
HWY_INLINE bool HalvesOfEntries(const MirroredAngles& angles, std::size_t at, EntryVec& sines0,
                                EntryVec& cosines0, EntryVec& sines1, EntryVec& cosines1) {
  DoubleVec s0, c0, s1, c1, s0b, c0b, s1b, c1b;
  MirroredSinCos(angles, at, s0, c0, s1, c1);
  MirroredSinCos(angles, at + hn::Lanes(Doubles()), s0b, c0b, s1b, c1b);
  const auto decided0 =
      BothDecided(RoundAdded<kFormat, false>(s0, s0b, sines0), RoundAdded<kFormat, false>(c0, c0b, cosines0));
  const auto decided1 =
      BothDecided(RoundAdded<kFormat, false>(s1, s1b, sines1), RoundAdded<kFormat, false>(c1, c1b, cosines1));
  return AnyUndecidedEntry(
      BothDecided(decided0, decided1),
      SmallerMagnitudes(SmallerMagnitudes(sines0, cosines0), SmallerMagnitudes(sines1, cosines1)),
      hn::LoadU(Entries(), angles.small + at));
}

// The hot loop: the pairs i .. end - 1 of two mirrored rows, whole vectors of them, written or added. Stops
// at the first vector with an undecided entry, stores nothing of it, and returns its first pair. Returns
// `end` if there is no such vector.
//
// Decided: no midpoint within kAddedWindow ulps, and |entry| >= kMinAdded, or exempt from that
// (`MakeAnchors`).
// Undecided: one vector in 231 (AVX-512), left to `FinishPairs`.
// Hardest: `worst_cases.inc` has entries that are built to lie 2^-46 to 2^-73 from midpoints, relatively.
//
// The loop calls nothing, so that its constants stay in registers.
template <bool kInterleaved, class Operation>
HWY_NOINLINE std::size_t AngleAdditionLoop(float scale, const Columns& columns, const MirroredAngles& angles,
                                           const MirroredRows& rows, bool stream, std::size_t i,
                                           std::size_t end) {
  using Element = Stored<Operation>;
  constexpr posenc_type kFormat = Operation::kFormat;
  const Entries df;
  const Operation operation{scale};
  const MirroredAngles p = angles;
  const std::size_t first = kInterleaved ? columns.sine_offset : 0;
  const auto* from0 = reinterpret_cast<const Element*>(rows.row[0].from) + first;
  const auto* from1 = reinterpret_cast<const Element*>(rows.row[1].from) + first;
  auto* to0 = reinterpret_cast<Element*>(rows.row[0].to) + first;
  auto* to1 = reinterpret_cast<Element*>(rows.row[1].to) + first;
  [[maybe_unused]] const std::uintptr_t next0 = rows.next[0] + first * sizeof(Element);
  [[maybe_unused]] const std::uintptr_t next1 = rows.next[1] + first * sizeof(Element);
  [[maybe_unused]] const NextRowPrefetch prefetch = rows.prefetch;
  [[maybe_unused]] const bool prefetches = Prefetches(to0, stream);
  const auto store = [&](EntryVec entries0, EntryVec entries1, std::size_t column) POSENC_INLINE_LAMBDA {
    if constexpr (Operation::kReads) {
      prefetch(next0 + column * sizeof(Element));
      prefetch(next1 + column * sizeof(Element));
    } else if (HWY_UNLIKELY(prefetches)) {
      PrefetchNear(AddressOf(to0 + column) + kWriteAhead);
      PrefetchNear(AddressOf(to1 + column) + kWriteAhead);
    }
    StoreAdded(operation, entries0, from0 + column, to0 + column, stream);
    StoreAdded(operation, entries1, from1 + column, to1 + column, stream);
  };
  if constexpr (kInterleaved) {
    EntryVec entries0, entries1;
    for (; i < end; i += hn::Lanes(Doubles())) {
      if (HWY_UNLIKELY(InterleavedEntries<kFormat>(p, i - p.begin, entries0, entries1))) break;
      store(entries0, entries1, 2 * i);
    }
  } else {
    const std::size_t sine_offset = columns.sine_offset;
    const std::size_t cosine_offset = columns.cosine_offset;
    EntryVec sines0, cosines0, sines1, cosines1;
    for (; i < end; i += hn::Lanes(df)) {
      if (HWY_UNLIKELY(HalvesOfEntries<kFormat>(p, i - p.begin, sines0, cosines0, sines1, cosines1))) break;
      store(sines0, sines1, sine_offset + i);
      store(cosines0, cosines1, cosine_offset + i);
    }
  }
  return i;
}

// The entries of up to two vectors of pairs, for each of two rows.
using FewPairs = PairBuffer<2 * kMaxLanes<Doubles>>[2];

// Entries [s0 c0 s1 c1 ...] of one vector of one row, from their sums. An entry is decided if both ends of
// its interval, its sum plus and less kAddedInterval, round to the same float, or odd float (kOdd).
//
//   count    how many pairs of the vector count; others only fill it
//
// Returns whether all are decided, and stores them only then.
template <bool kOdd>
HWY_INLINE bool StoreBetween(DoubleVec sine, DoubleVec cosine, std::size_t count, float* entries) {
  EntryVec rounded;
  const auto is_decided = RoundPairsBetween<kOdd>(sine, cosine, hn::Set(Doubles(), kAddedInterval), rounded);
  const auto is_pair = hn::FirstN(Entries(), 2 * count);
  if (!hn::AllFalse(Entries(), hn::AndNot(is_decided, is_pair))) return false;
  hn::StoreU(rounded, Entries(), entries);
  return true;
}

// The entries of `count` pairs of both rows that the hot loop leaves: undecided vectors, and the ends of rows
// that fill no vector.
//
// Undecided by their intervals: 4 to 72 of 10^6 pairs of the first 4,096 positions. The direct kernel
// evaluates their vectors.
template <bool kOdd>
HWY_NOINLINE void FinishPairs(const FrequencyTable& table, posenc_type format, const MirroredAngles& angles,
                              std::size_t at, std::size_t count, FewPairs& few, Tally& tally) {
  const std::size_t lanes = hn::Lanes(Doubles());
  for (std::size_t n = 0; n < count; n += lanes) {
    const auto evaluate = [&](std::size_t r) HWY_ATTR {
      const Multiples multiples = {nullptr, static_cast<double>(angles.position[r])};
      const PairsAt pairs = {table, multiples, angles.begin + at + n, tally};
      EvaluatePairsFully(pairs, format, lanes, few[r].entries + 2 * n);
      tally.direct += lanes;
    };
    DoubleVec s0, c0, s1, c1;
    MirroredSinCos(angles, at + n, s0, c0, s1, c1);
    const std::size_t pairs = HWY_MIN(count - n, lanes);
    if (!StoreBetween<kOdd>(s0, c0, pairs, few[0].entries + 2 * n)) evaluate(0);
    if (!StoreBetween<kOdd>(s1, c1, pairs, few[1].entries + 2 * n)) evaluate(1);
  }
}

// The parts of this kernel that depend on layout and operation. `RunRows` takes them as data, so it is
// compiled once per target.
struct RunRoutine {
  DirectRoutine direct;
  decltype(&AngleAdditionLoop<true, WriteOperation<POSENC_F32>>) hot_loop;
  decltype(&AngleAdditionLoop<true, WriteOperation<POSENC_F32>>) in_doubles;  // used if `floats`
  decltype(&FinishPairs<false>) finish;
  Limits limits;
  bool reads;
  bool floats;  // whether hot_loop adds angles in float
};

template <bool kInterleaved, class Operation>
constexpr RunRoutine MakeRoutine() {
  constexpr posenc_type kFormat = Operation::kFormat;
  constexpr bool kFloats = kAddsInFloat<Operation>;
  // Small entries may be subnormal numbers of the format. The window test is wrong for these.
  constexpr bool kHasSubnormalEntries = TraitsOf(kFormat).min_exponent > TraitsOf(POSENC_F32).min_exponent;
  RunRoutine routine = {kDirectRoutine<Operation>,
                        nullptr,
                        &AngleAdditionLoop<kInterleaved, Operation>,
                        &FinishPairs<RoundsToOdd(kFormat)>,
                        {kMinAdded<kFormat>, kHasSubnormalEntries ? 0.0 : kExemptQuarterTurns,
                         kFloatError<Operation>, kInterleaved},
                        Operation::kReads,
                        kFloats};
  if constexpr (kFloats) {
    routine.hot_loop = &AngleAdditionFloatLoop<kInterleaved, Operation>;
  } else {
    routine.hot_loop = routine.in_doubles;
  }
  return routine;
}

template <bool kInterleaved, class Operation>
inline constexpr RunRoutine kRunRoutine = MakeRoutine<kInterleaved, Operation>();

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
