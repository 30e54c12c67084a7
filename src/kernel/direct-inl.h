// The direct kernel: rows at any positions, each entry from its own phase. Entries are evaluated as
// interleaved floats. If the row stores such floats, they are evaluated in the row itself. Otherwise they are
// evaluated in a buffer, and stored from there in any layout and type. Included once per target.
//
// `DecidePairs` is the ladder of tiers: `EvaluateQuickly` (few terms), `EvaluateFully` (all terms),
// `RecomputePairs` (wide arithmetic, reference.h).
#if defined(POSENC_SRC_KERNEL_DIRECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_DIRECT_INL_H_
#undef POSENC_SRC_KERNEL_DIRECT_INL_H_
#else
#define POSENC_SRC_KERNEL_DIRECT_INL_H_
#endif

#include <cstdint>
#include <utility>

#include "kernel/rounding-inl.h"
#include "hwy/highway.h"
#include "kernel/rows.h"
#include "kernel/reference.h"
#include "kernel/sincos-inl.h"
#include "kernel/store-inl.h"
#include "number/cache_size.h"
#include "number/compiler.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How many pairs are evaluated into a buffer at a time.
constexpr std::size_t kBufferPairs = 512;

// The rounded entries of kPairs pairs, [s0 c0 s1 c1 ...], with room to the end of a last vector.
template <std::size_t kPairs>
struct PairBuffer {
  HWY_ALIGN float entries[2 * (kPairs + kMaxLanes<Doubles>)];
};

// The steps that serve one position: high + low, in quarter turns, one for each pair.
struct StepArrays {
  const double* high;
  const double* low;
};

// Steps that are reduced modulo eight quarter turns serve whole positions only. With a phase rounding all
// steps are one radian.
HWY_INLINE StepArrays StepsAt(const FrequencyTable& table, double position) {
  if (IsWhole(position)) return {table.high, table.low};
  return {table.unreduced_high, table.unreduced_low};
}

// Loads the factors of a vector of phases, multiple * (high + low), of the pairs from begin + at on.
HWY_INLINE void LoadPhases(const StepArrays& steps, const Multiples& multiples, std::size_t begin,
                           std::size_t at, DoubleVec& multiple, DoubleVec& high, DoubleVec& low) {
  const Doubles d;
  multiple = multiples.list == nullptr ? hn::Set(d, multiples.position) : hn::LoadU(d, multiples.list + at);
  high = hn::LoadU(d, steps.high + begin + at);
  low = hn::LoadU(d, steps.low + begin + at);
}

// The phases of kBufferPairs pairs under a phase rounding. Without one the array stays uninitialized:
// clearing it would take a tenth of the time of a single row.
struct PhaseBuffer {
  HWY_ALIGN double phases[kBufferPairs + kMaxLanes<Doubles>];
};

// The multiples of the pairs i .. i + count - 1 at a position: the position itself or, with a phase rounding,
// the rounded phases, which fill `buffer`, and zeros behind them to the end of the last vector.
inline Multiples MultiplesAt(const FrequencyTable& table, double position, std::size_t i, std::size_t count,
                             PhaseBuffer& buffer) {
  if (table.phase_rounding.IsNone()) return {nullptr, position};
  table.FillPhases(position, i, count, buffer.phases);
  for (std::size_t k = 0; k < kMaxLanes<Doubles>; ++k) buffer.phases[count + k] = 0.0;
  return {buffer.phases, position};
}

// Whether phases may be tiny but not 0. They may at positions within 1 of 0, and with a phase rounding.
HWY_INLINE bool MayBeTiny(double position) { return position > -1.0 && position < 1.0 && position != 0.0; }
HWY_INLINE bool MayBeTiny(const Multiples& multiples) {
  return multiples.list != nullptr || MayBeTiny(multiples.position);
}

// The lanes in which 0 < |multiple * high| < least, where neither factor is 0: their sines may be subnormal.
HWY_INLINE hn::Mask<Doubles> IsTiny(DoubleVec multiple, DoubleVec high, double least) {
  const Doubles d;
  const auto is_zero = hn::Or(hn::Eq(multiple, hn::Zero(d)), hn::Eq(high, hn::Zero(d)));
  return hn::AndNot(is_zero, hn::Lt(hn::Abs(hn::Mul(multiple, high)), hn::Set(d, least)));
}

// The undecided lanes of a vector of pairs, for `RecomputePairs`: 0 in decided lanes.
struct UndecidedLanes {
  HWY_ALIGN std::uint64_t undecided[kMaxLanes<Longs>];

  HWY_INLINE void Set(LongVec lanes) {  // 0 in decided lanes
    hn::Store(lanes, Longs(), undecided);
  }
  HWY_INLINE void Set(hn::Mask<Doubles> lanes) {
    Set(hn::BitCast(Longs(), hn::VecFromMask(Doubles(), lanes)));
  }
  HWY_INLINE void SetNot(PassedPairs passed) {
    Set(hn::BitCast(Longs(), hn::VecFromMask(PassedLanes(), hn::Not(passed))));
  }
};

// Swaps and negates s and c by their quadrants, then sets `quadrant` to 0. Adds `not_zero` to both, which
// makes -0 +0.
//
//   not_zero   0; for odd floats, if the target's test does not know that zeros are exact (kPassesZeros), a
//              subnormal double, which that test decides and which leaves larger numbers as they are
HWY_INLINE void SwapAndAdd(DoubleVec not_zero, LongVec& quadrant, DoubleVec& s, DoubleVec& c) {
  DoubleVec sine, cosine;
  SwapByQuadrant(quadrant, s, c, sine, cosine);
  s = hn::Add(sine, not_zero);
  c = hn::Add(cosine, not_zero);
  quadrant = hn::Zero(Longs());
}

// Rounds s and c, one vector of pairs, applies the quadrants and stores the entries:
//
//   to [2 lanes] = [s0 c0 s1 c1 ...]     floats to nearest, or odd floats (kOdd, `RoundDirect`)
//
// Returns which of the pairs `so_far` are decided: both entries lie outside the window of kWindow ulps.
template <bool kOdd, std::uint64_t kWindow>
HWY_INLINE auto StoreRounded(LongVec quadrant, DoubleVec s, DoubleVec c, hn::Mask<Doubles> so_far,
                             float* to) {
  if constexpr (kHasVectors) {
    PassedPairs passed;
    hn::StoreU(SwapEntries(quadrant, RoundPairs<kOdd, kWindow>(s, c, so_far, passed)), Entries(), to);
    return passed;
  } else {
    DoubleVec sine, cosine;
    SwapByQuadrant(quadrant, s, c, sine, cosine);
    FloatVec rounded_sine, rounded_cosine;
    so_far = hn::AndNot(RoundDirect<kOdd, kWindow>(sine, rounded_sine), so_far);
    so_far = hn::AndNot(RoundDirect<kOdd, kWindow>(cosine, rounded_cosine), so_far);
    hn::StoreU(kOdd ? WithLastBit(Floats(), rounded_sine) : rounded_sine, Floats(), to);
    hn::StoreU(kOdd ? WithLastBit(Floats(), rounded_cosine) : rounded_cosine, Floats(), to + 1);
    return so_far;
  }
}

// Entries with all terms, of pairs at .. end - 1:
//
//   entries[2 k]     = sin(pi/2 multiple_k (high_k + low_k))
//   entries[2 k + 1] = cos(pi/2 multiple_k (high_k + low_k))
//
//   entries    [2 * end], rounded up to whole vectors, as are multiples and steps: floats to nearest, or odd
//              floats for 16-bit formats, to which they are rounded when they are stored
//
// Stops at the first vector that has an undecided pair and returns its `at`; `lanes` tells these pairs.
// Returns `end` or more if there is no such vector.
//
// Error: kDirectError before rounding; decided outside a window of kDirectWindow ulps.
// Undecided: one pair in 5 million in lists; also pairs with |r| < kMinUncancelled |phase|, and phases below
// kMinPhase.
// Hardest known, by exhaustion (`tools/verify/worst_cases.inc`): one entry of each type.
//
//   float32    cos(730825806 * 10000^(-38/64)) = -0x1.234a4f0000000043p-1, 2^-38.9 ulp of a float from the
//              midpoint -0x1.234a4fp-1: want -0x1.234a5p-1
//   bfloat16   sin(93324 * 10000^(-680/768)) = 0x1.fcffffffffff9998p-1, 2^-42.3 ulp of a bfloat16 from the
//              midpoint 0x1.fdp-1: want 0x1.fcp-1
//   float16    cos(2146609790 * (10^7)^(-14/64)) = 0x1.3b1ffffffffdb9bep-1, 2^-36.8 ulp of a float16 from the
//              midpoint 0x1.3b2p-1: want 0x1.3bp-1
inline HWY_NOINLINE std::size_t EvaluateFully(const PairsAt& pairs, posenc_type format, std::size_t at,
                                              std::size_t end, float* entries, UndecidedLanes& lanes) {
  const Doubles d;
  const FrequencyTable& table = pairs.table;
  const StepArrays steps = StepsAt(table, pairs.multiples.position);
  const bool is_odd = RoundsToOdd(format);
  const auto not_zero = hn::BitCast(d, hn::Set(Longs(), is_odd && !kPassesZeros ? kLastBit / 2 : 0));
  for (; at < end; at += hn::Lanes(d)) {
    DoubleVec multiple, high, low, s, c;
    LoadPhases(steps, pairs.multiples, pairs.begin, at, multiple, high, low);
    LongVec quadrant;
    auto undecided = ReducedSinCos(multiple, high, low, table.min_uncancelled, s, c, quadrant);
    undecided = hn::Or(undecided, IsTiny(multiple, high, kMinPhase));
    if (is_odd) c = BelowOne(c);
    SwapAndAdd(not_zero, quadrant, s, c);
    float* to = entries + 2 * at;
    const auto so_far = hn::Not(undecided);
    const PassedPairs passed = is_odd ? StoreRounded<true, kDirectWindow>(quadrant, s, c, so_far, to)
                                      : StoreRounded<false, kDirectWindow>(quadrant, s, c, so_far, to);
    if (HWY_LIKELY(AllTrue(passed))) continue;
    lanes.SetNot(passed);
    return at;
  }
  return at;
}

// `StoreRounded` with a window of kQuickWindow ulps. Returns whether all pairs are decided and in `so_far`.
template <bool kOdd>
HWY_INLINE bool StoreQuickly(LongVec quadrant, DoubleVec s, DoubleVec c, hn::Mask<Doubles> so_far,
                             float* to) {
  const auto store = [&](EntryVec entries)
                         POSENC_INLINE_LAMBDA { hn::StoreU(SwapEntries(quadrant, entries), Entries(), to); };
  return RoundAllPairs<kOdd, kQuickWindow>(s, c, so_far, store);
}

// Entries with fewer terms: the hot loop of the direct kernel. Evaluates the pairs from begin + at on, to
// begin + end - 1 and to the end of the last vector; entries[2 k] is the sine of pair begin + k. Stops at the
// first vector that has an undecided pair, whose entries are then wrong, and returns its `at`. Returns `end`
// or more if there is no such vector.
//
//   multiples  |position| >= 1, kMinQuick <= |step| <= kMaxStep (FrequencyTable::QuickPairs); if kPhases,
//              phases of at most kMaxQuickPhase (FrequencyTable::QuickPhases)
//
// Error: kQuickError before rounding; decided outside a window of kQuickWindow ulps if |r| >= kMinQuick.
// Worst known before rounding: see `QuickPolynomials`.
// Undecided: one vector in 4,000, left to `EvaluateFully`.
//
// Each vector is reduced while the one before it is evaluated: the chain of both is longer than the window of
// out-of-order execution. The loop calls nothing, so that its constants stay in registers.
template <bool kOdd, bool kPhases>
HWY_NOINLINE std::size_t EvaluateQuickly(const FrequencyTable& table, const Multiples& multiples,
                                         std::size_t begin, std::size_t at, std::size_t end, float* entries) {
  const Doubles d;
  const double position = multiples.position, *phases = multiples.list;
  const double *highs = table.high + begin, *lows = table.low + begin;
  const bool is_short = !kPhases && IsWhole(position) && position >= -kMaxShort && position <= kMaxShort;
  const auto least = hn::Set(d, kMinQuick * kMinQuick);
  DoubleVec next;
  LongVec next_quadrant;
  const auto reduce = [&]() POSENC_INLINE_LAMBDA {
    const auto multiple = kPhases ? hn::LoadU(d, phases + at) : hn::Set(d, position);
    ReduceQuickly(is_short, multiple, hn::LoadU(d, highs + at), hn::LoadU(d, lows + at), next, next_quadrant);
  };
  reduce();
  do {
    const auto r = next;
    const auto quadrant = next_quadrant;
    float* to = entries + 2 * at;
    at += hn::Lanes(d);
    reduce();
    const auto r2 = hn::Mul(r, r);
    DoubleVec s, c;
    QuickPolynomials(r, r2, s, c);
    if (kOdd) c = BelowOne(c);
    if (!StoreQuickly<kOdd>(quadrant, s, c, hn::Ge(r2, least), to)) return at - hn::Lanes(d);
  } while (at < end);
  return at;
}

// The ladder of direct entries: decides the pairs 0 .. count - 1, by one tier after another from top to
// bottom. Each tier goes on until a vector is undecided. The next tier takes this vector, and then the first
// tier goes on.
//
//   tier     computes              error    leaves undecided         costs for each pair
//   Quickly  few terms             2^-41    1 vector in 4,000        1
//   Fully    all terms             3 u      1 pair in 5 million      1.9 times as much
//   Widely   256 bits, then 1,024  2^-220   nothing (proof/wide.md)  1,000 times, or 100 for some angles
//
// The figures are for float rows (Zen 4, AVX-512). `EvaluateDoublesQuickly` has figures for double rows.
//
//   quick_end   Quickly may take the pairs before it: whole vectors
template <class Tiers>
HWY_INLINE void DecidePairs(const Tiers& tiers, std::size_t quick_end, std::size_t count) {
  UndecidedLanes undecided;
  for (std::size_t at = 0; at < count;) {
    if (at < quick_end) at = tiers.Quickly(at, quick_end);
    if (at >= count) return;
    const std::size_t end = at < quick_end ? at + hn::Lanes(Doubles()) : count;
    at = tiers.Fully(at, end, undecided);
    if (at >= end) continue;
    tiers.Widely(at, undecided);
    at += hn::Lanes(Doubles());
  }
}

// The tiers of float rows: entries [s0 c0 s1 c1 ...], as of `EvaluateFully`.
struct FloatTiers {
  const PairsAt& pairs;
  posenc_type format;
  float* entries;

  HWY_INLINE std::size_t Quickly(std::size_t at, std::size_t end) const {
    auto evaluate = RoundsToOdd(format) ? &EvaluateQuickly<true, false> : &EvaluateQuickly<false, false>;
    if (pairs.multiples.list != nullptr) evaluate = &EvaluateQuickly<false, true>;
    return evaluate(pairs.table, pairs.multiples, pairs.begin, at, end, entries);
  }
  HWY_INLINE std::size_t Fully(std::size_t at, std::size_t end, UndecidedLanes& lanes) const {
    return EvaluateFully(pairs, format, at, end, entries, lanes);
  }
  HWY_INLINE void Widely(std::size_t at, const UndecidedLanes& lanes) const {
    float* to = entries + 2 * at;
    RecomputePairs(pairs.From(at), format, lanes.undecided, hn::Lanes(Doubles()), to, to + 1, 2);
  }
};

// The entries of pairs 0 .. count - 1, as of `EvaluateFully`. At position 0 they are 0 and 1.
inline HWY_NOINLINE void EvaluatePairs(const PairsAt& pairs, posenc_type format, std::size_t count,
                                       float* entries) {
  std::size_t quick_end = 0;
  if constexpr (kHasVectors) {  // any other target is chosen before SCALAR: there it is not worth the code
    const std::size_t lanes = hn::Lanes(Doubles());
    const double position = pairs.multiples.position;
    if (position == 0.0) {  // phase roundings give phase 0 as well
      const Entries df;
      const auto zero_and_one = hn::OddEven(hn::Set(df, 1.0f), hn::Zero(df));
      for (std::size_t at = 0; at < count; at += lanes) hn::StoreU(zero_and_one, df, entries + 2 * at);
      return;
    }
    const double* phases = pairs.multiples.list;
    if (phases == nullptr) quick_end = pairs.table.QuickPairs(position, pairs.begin, count);
    if (phases != nullptr && !RoundsToOdd(format))  // odd floats have no such loop
      quick_end = pairs.table.QuickPhases(position, pairs.begin, count, phases);
    quick_end -= quick_end % lanes;
  }
  DecidePairs(FloatTiers{pairs, format, entries}, quick_end, count);
}

// The same from the second tier on, for pairs that the first one would leave undecided.
inline HWY_NOINLINE void EvaluatePairsFully(const PairsAt& pairs, posenc_type format, std::size_t count,
                                            float* entries) {
  DecidePairs(FloatTiers{pairs, format, entries}, 0, count);
}

// The parts of the direct kernel that depend on the operation. `DirectRows` takes them as data, so it is
// compiled once per target.
struct DirectRoutine {
  std::size_t element_size;
  posenc_type format;  // what entries are rounded to
  bool in_place;       // whether rows store the entries as they are
  decltype(&StoreRun<WriteOperation<POSENC_F32>>) store;
};

template <class Operation>
inline constexpr DirectRoutine kDirectRoutine = {sizeof(Stored<Operation>), Operation::kFormat,
                                                 Operation::kType == POSENC_F32 && !Operation::kReads,
                                                 &StoreRun<Operation>};

// How the rows of a call are stored.
struct Storing {
  const DirectRoutine& routine;
  const Columns& columns;
  float scale;
  bool aligned;  // whether vectors may access the rows
};

// Stores or adds the pairs i .. i + count - 1, entries [s0 c0 s1 c1 ...], in the columns of a row. The last
// pair of a row may have only one of the two.
inline HWY_NOINLINE void StoreEntriesOfPairs(const Storing& storing, std::size_t i, std::size_t count,
                                             const float* entries, const Row& row, bool stream) {
  const Columns& columns = storing.columns;
  const std::size_t size = storing.routine.element_size;
  const std::size_t sine_count = HWY_MIN(count, columns.sines - HWY_MIN(i, columns.sines));
  const std::size_t cosine_count = HWY_MIN(count, columns.cosines - HWY_MIN(i, columns.cosines));
  const std::size_t sine = (columns.sine_offset + i * columns.step) * size;
  const std::size_t cosine = (columns.cosine_offset + i * columns.step) * size;
  const auto store = [&](EntryOrder order, std::size_t entry_count, std::size_t offset) {
    storing.routine.store(storing.scale, entries, order, entry_count, {row.from + offset, row.to + offset},
                          storing.aligned, stream);
  };
  if (columns.Interleaved()) {
    const EntryOrder order = columns.SinesFirst() ? EntryOrder() : kCosinesFirst;
    return store(order, sine_count + cosine_count, HWY_MIN(sine, cosine));
  }
  store(kSines, sine_count, sine);
  store(kCosines, cosine_count, cosine);
}

// data = PE, or sources * scale + PE, for each row and each pair, kBufferPairs at a time.
inline HWY_NOINLINE Tally DirectRows(const DirectRoutine& routine, const FrequencyTable& table,
                                     const Columns& columns, const Rows& rows, float scale) {
  const Storing storing = {routine, columns, scale, IsAligned(rows, routine.element_size)};
  Tally tally;
  PairBuffer<kBufferPairs> buffer;
  PhaseBuffer phases;
  const bool in_place = routine.in_place && storing.aligned && columns.Interleaved() && columns.SinesFirst();
  const std::size_t whole = in_place ? columns.cosines / hn::Lanes(Doubles()) * hn::Lanes(Doubles()) : 0;
  for (std::size_t r = 0; r < rows.at.count; ++r) {
    const Row row = RowAt(rows, routine.element_size, r);
    if (rows.sources != nullptr) {  // prefetched, so that it arrives while its entries are evaluated
      const std::size_t bytes = (columns.sines + columns.cosines) * routine.element_size;
      const NextRowPrefetch prefetch;
      for (std::size_t at = 0; at < bytes; at += 64) prefetch(AddressOf(row.from) + at);
    }
    for (std::size_t i = 0; i < columns.pairs(); i += kBufferPairs) {
      const std::size_t count = HWY_MIN(columns.pairs() - i, kBufferPairs);
      const PairsAt pairs = {table, MultiplesAt(table, rows.at[r], i, count, phases), i, tally};
      const std::size_t placed = HWY_MIN(count, whole - HWY_MIN(i, whole));  // evaluated in the row itself
      if (placed > 0) {
        float* to = reinterpret_cast<float*>(row.to) + columns.sine_offset + 2 * i;
        EvaluatePairs(pairs, routine.format, placed, to);
      }
      if (placed == count) continue;
      EvaluatePairs(pairs.From(placed), routine.format, count - placed, buffer.entries);
      StoreEntriesOfPairs(storing, i + placed, count - placed, buffer.entries, row, false);
    }
  }
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_DIRECT_INL_H_
