// The direct kernel: rows at any positions, each entry from its own phase. Pairs are evaluated as floats by
// turns, where the row wants them, or else into a buffer, from which they are stored in any layout and type.
// Included once per target.
#if defined(POSENC_SRC_KERNEL_DIRECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_DIRECT_INL_H_
#undef POSENC_SRC_KERNEL_DIRECT_INL_H_
#else
#define POSENC_SRC_KERNEL_DIRECT_INL_H_
#endif

#include <cstdint>
#include <utility>

#include "kernel/format-inl.h"
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

// Pairs that pass through a buffer together.
constexpr std::size_t kBufferPairs = 512;

// Rounded entries of kPairs pairs, [s0 c0 s1 c1 ...], a vector more than may be needed.
template <std::size_t kPairs>
struct PairBuffer {
  HWY_ALIGN float entries[2 * (kPairs + kMostLanes<Doubles>)];
};

// The steps of a table for one position.
struct Steps {
  const double* high;
  const double* low;
};

HWY_INLINE Steps StepsAt(const FrequencyTable& table, double position) {  // a recipe's are all one
  if (IsWhole(position)) return {table.high, table.low};
  return {table.whole_high, table.whole_low};
}

// The phases of a vector of pairs from pair begin + at on: multiple * (high + low), in quarter turns.
HWY_INLINE void LoadPhases(const Steps& steps, const Multiples& multiples, std::size_t begin, std::size_t at,
                           DoubleVec& multiple, DoubleVec& high, DoubleVec& low) {
  const Doubles d;
  multiple = multiples.list == nullptr ? hn::Set(d, multiples.position) : hn::LoadU(d, multiples.list + at);
  high = hn::LoadU(d, steps.high + begin + at);
  low = hn::LoadU(d, steps.low + begin + at);
}

// A recipe's phases of as many pairs as pass through a buffer together. Others leave it as it is: to clear it
// would cost a single row a tenth of its time.
struct PhaseBuffer {
  HWY_ALIGN double phases[kBufferPairs + kMostLanes<Doubles>];
};

// Of the pairs i .. i + count - 1, whole vectors of them.
inline Multiples MultiplesAt(const FrequencyTable& table, double position, std::size_t i, std::size_t count,
                             PhaseBuffer& buffer) {
  if (table.recipe.IsNone()) return {position, nullptr};
  table.FillPhases(position, i, count, buffer.phases);
  for (std::size_t k = 0; k < kMostLanes<Doubles>; ++k) buffer.phases[count + k] = 0.0;
  return {position, buffer.phases};
}

// Whether phases at that position may be tiny but not 0.
HWY_INLINE bool MayBeTiny(double position) { return position > -1.0 && position < 1.0 && position != 0.0; }
HWY_INLINE bool MayBeTiny(const Multiples& multiples) {
  return multiples.list != nullptr || MayBeTiny(multiples.position);
}

// The lanes in which multiple * high is less than least, but neither factor is 0.
HWY_INLINE hn::Mask<Doubles> IsTiny(DoubleVec multiple, DoubleVec high, double least) {
  const Doubles d;
  const auto is_zero = hn::Or(hn::Eq(multiple, hn::Zero(d)), hn::Eq(high, hn::Zero(d)));
  return hn::AndNot(is_zero, hn::Lt(hn::Abs(hn::Mul(multiple, high)), hn::Set(d, least)));
}

// The lanes of a vector that need wide arithmetic.
struct Flags {
  HWY_ALIGN std::uint64_t lanes[kMostLanes<Longs>];

  HWY_INLINE void Set(LongVec flagged) {  // 0 in the other lanes
    hn::Store(flagged, Longs(), lanes);
  }
  HWY_INLINE void Set(hn::Mask<Doubles> flagged) {
    Set(hn::BitCast(Longs(), hn::VecFromMask(Doubles(), flagged)));
  }
  HWY_INLINE void SetNot(PassedPairs passed) {
    Set(hn::BitCast(Longs(), hn::VecFromMask(PassedLanes(), hn::Not(passed))));
  }
};

// Cosines above 1 - 2^-30 are taken as that, whose odd float is theirs.
HWY_INLINE DoubleVec BelowOne(DoubleVec c) { return hn::Min(c, hn::Set(Doubles(), 1 - 0x1p-30)); }

// Turns by the quadrants, so that none are left, and adds 0, or what zeros become: both make -0 +0 before
// anything rounds to -0.
HWY_INLINE void TurnAndAdd(DoubleVec not_zero, LongVec& quadrant, DoubleVec& s, DoubleVec& c) {
  DoubleVec sine, cosine;
  TurnByQuadrant(Doubles(), quadrant, s, c, sine, cosine);
  s = hn::Add(sine, not_zero);
  c = hn::Add(cosine, not_zero);
  quadrant = hn::Zero(Longs());
}

// Stores a vector of pairs as [s0 c0 s1 c1 ...], rounded, from the sines and cosines of what their quadrants
// leave. Returns those of the pairs that passed so far which the rounding test passes.
template <bool kOdd, std::uint64_t kWindow>
HWY_INLINE auto StoreRounded(LongVec quadrant, DoubleVec s, DoubleVec c, hn::Mask<Doubles> so_far,
                             float* to) {
  if constexpr (kHasVectors) {
    PassedPairs passed;
    hn::StoreU(TurnEntries(quadrant, RoundPairs<kOdd, kWindow>(s, c, so_far, passed)), Entries(), to);
    return passed;
  } else {
    DoubleVec sine, cosine;
    TurnByQuadrant(Doubles(), quadrant, s, c, sine, cosine);
    FloatVec rounded_sine, rounded_cosine;
    so_far = hn::AndNot(RoundDirect<kOdd, kWindow>(sine, rounded_sine), so_far);
    so_far = hn::AndNot(RoundDirect<kOdd, kWindow>(cosine, rounded_cosine), so_far);
    hn::StoreU(kOdd ? WithLastBit(Floats(), rounded_sine) : rounded_sine, Floats(), to);
    hn::StoreU(kOdd ? WithLastBit(Floats(), rounded_cosine) : rounded_cosine, Floats(), to + 1);
    return so_far;
  }
}

// The pairs begin .. begin + count - 1 at one position, whole vectors of them, as are their multiples,
// rounded for `format`, by turns.
inline HWY_NOINLINE void EvaluateFully(const FrequencyTable& table, posenc_type format,
                                       const Multiples& multiples, std::size_t begin, std::size_t count,
                                       float* entries, Tally& tally) {
  const Doubles d;
  const Steps steps = StepsAt(table, multiples.position);
  const bool is_odd = RoundsToOdd(format);
  const auto not_zero = hn::BitCast(d, hn::Set(Longs(), is_odd && !kPassesZeros ? kLastBit / 2 : 0));
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    DoubleVec multiple, high, low, s, c;
    LoadPhases(steps, multiples, begin, at, multiple, high, low);
    LongVec quadrant;
    auto flagged = ReducedSinCos(d, multiple, high, low, table.max_cancellation, s, c, quadrant);
    flagged = hn::Or(flagged, IsTiny(multiple, high, kLeastPhase));
    if (is_odd) c = BelowOne(c);
    TurnAndAdd(not_zero, quadrant, s, c);
    float* to = entries + 2 * at;
    const auto so_far = hn::Not(flagged);
    const PassedPairs passed = is_odd ? StoreRounded<true, kDirectWindow>(quadrant, s, c, so_far, to)
                                      : StoreRounded<false, kDirectWindow>(quadrant, s, c, so_far, to);
    if (HWY_LIKELY(AllTrue(passed))) continue;
    Flags flags;
    flags.SetNot(passed);
    RecomputePairs(table, format, multiples.From(at), begin + at, flags.lanes, hn::Lanes(d), to, to + 1,
                   tally, 2);
  }
}

// As StoreRounded, with the wider window: whether all pairs pass.
template <bool kOdd>
HWY_INLINE bool StoreQuickly(LongVec quadrant, DoubleVec s, DoubleVec c, hn::Mask<Doubles> so_far,
                             float* to) {
  if constexpr (kIsAvx512) return AllTrue(StoreRounded<kOdd, kQuickWindow>(quadrant, s, c, so_far, to));
  const Words dw;
  const auto low = WordsOf<false, true>(hn::BitCast(Longs(), s), hn::BitCast(Longs(), c));
  const auto biased = hn::Add(low, hn::Set(dw, static_cast<std::uint32_t>(kDirectBias<kOdd, kQuickWindow>)));
  const auto bits = hn::Set(dw, static_cast<std::uint32_t>(kFarBits<POSENC_F32, kQuickWindow>));
  hn::StoreU(TurnEntries(quadrant, ToRoundedFloats<kOdd>(s, c)), Entries(), to);
  return hn::AllTrue(Doubles(), so_far) && hn::AllFalse(dw, hn::Eq(hn::And(biased, bits), hn::Zero(dw)));
}

// The same with fewer terms, from pair begin + at on, at a position of at least 1, of steps that are usual
// and at most kMaxStep; returns the first vector that does not pass, or one at the end. Each vector is
// reduced while the one before it is evaluated, since a chain of both is longer than what processors look
// ahead. Nothing is called from here, so that constants stay in registers.
template <bool kOdd>
HWY_NOINLINE std::size_t EvaluateQuickly(const FrequencyTable& table, double position, std::size_t begin,
                                         std::size_t at, std::size_t end, float* entries) {
  const Doubles d;
  const Steps steps = {table.high, table.low};
  const bool is_short = IsWhole(position) && position >= -kMostShort && position <= kMostShort;
  const auto least = hn::Set(d, kLeastQuick * kLeastQuick);
  DoubleVec multiple, high, low, next;
  LongVec next_quadrant;
  LoadPhases(steps, {position, nullptr}, begin, at, multiple, high, low);
  ReduceQuickly(d, is_short, multiple, high, low, next, next_quadrant);
  do {
    const auto r = next;
    const auto quadrant = next_quadrant;
    float* to = entries + 2 * at;
    at += hn::Lanes(d);
    LoadPhases(steps, {position, nullptr}, begin, at, multiple, high, low);
    ReduceQuickly(d, is_short, multiple, high, low, next, next_quadrant);
    const auto r2 = hn::Mul(r, r);
    DoubleVec s, c;
    QuickPolynomials(d, r, r2, s, c);
    if (kOdd) c = BelowOne(c);
    if (!StoreQuickly<kOdd>(quadrant, s, c, hn::Ge(r2, least), to)) return at - hn::Lanes(d);
  } while (at < end);
  return at;
}

// As EvaluateFully, but without terms at position 0, and quickly where that can be.
inline HWY_NOINLINE void EvaluatePairs(const FrequencyTable& table, posenc_type format,
                                       const Multiples& multiples, std::size_t begin, std::size_t count,
                                       float* entries, Tally& tally) {
  std::size_t at = 0;
  if constexpr (kHasVectors) {  // any other target is chosen before SCALAR: there it is not worth the code
    const std::size_t lanes = hn::Lanes(Doubles());
    const double position = multiples.position;
    if (position == 0.0) {  // phases of a recipe are 0 too
      const Entries df;
      const auto pairs = hn::OddEven(hn::Set(df, 1.0f), hn::Zero(df));
      for (; at < count; at += lanes) hn::StoreU(pairs, df, entries + 2 * at);
      return;
    }
    const std::size_t whole = table.QuickPairs(position, begin, count) / lanes * lanes;
    const auto evaluate = RoundsToOdd(format) ? &EvaluateQuickly<true> : &EvaluateQuickly<false>;
    while (at < whole && (at = evaluate(table, position, begin, at, whole, entries)) < whole) {
      EvaluateFully(table, format, multiples.From(at), begin + at, lanes, entries + 2 * at, tally);
      at += lanes;
    }
    if (at >= count) return;
  }
  EvaluateFully(table, format, multiples.From(at), begin + at, count - at, entries + 2 * at, tally);
}

// One row on its way: where it is read and where it is written.
struct Row {
  const unsigned char* from;
  unsigned char* to;
};

HWY_INLINE Row RowAt(const Rows& rows, std::size_t element_size, std::size_t r) {
  auto* to = static_cast<unsigned char*>(rows.data) + r * rows.stride * element_size;
  if (rows.sources == nullptr) return {to, to};
  return {static_cast<const unsigned char*>(rows.sources[r]), to};
}

// Vectors may access elements at any multiple of their size; other pointers take single elements.
HWY_INLINE bool IsAligned(const Rows& rows, std::size_t element_size) {
  std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(rows.data);
  if (rows.sources != nullptr) {
    for (std::size_t r = 0; r < rows.at.count; ++r) bits |= reinterpret_cast<std::uintptr_t>(rows.sources[r]);
  }
  return (bits & (element_size - 1)) == 0;
}

// What of the direct kernel depends on the type.
struct DirectRoutine {
  std::size_t element_size;
  posenc_type format;  // of the encodings
  bool in_place;       // entries are what is stored
  decltype(&StoreRun<WriteOperation<POSENC_F32>>) store;
};

template <class Operation>
constexpr DirectRoutine kDirectRoutine = {sizeof(Stored<Operation>), Operation::kFormat,
                                          Operation::kType == POSENC_F32 && !Operation::kReads,
                                          &StoreRun<Operation>};

// Stores `count` pairs from pair i on to a row.
inline HWY_NOINLINE void StorePairs(const DirectRoutine& routine, float scale, const Columns& columns,
                                    std::size_t i, std::size_t count, const float* entries, const Row& row,
                                    bool aligned, bool stream) {
  const std::size_t sine_count = HWY_MIN(count, columns.sines - HWY_MIN(i, columns.sines));
  const std::size_t cosine_count = HWY_MIN(count, columns.cosines - HWY_MIN(i, columns.cosines));
  const std::size_t sine = (columns.sine_offset + i * columns.step) * routine.element_size;
  const std::size_t cosine = (columns.cosine_offset + i * columns.step) * routine.element_size;
  if (columns.InTurns()) {
    const std::size_t both = sine_count + cosine_count, first = HWY_MIN(sine, cosine);
    const EntryOrder order = columns.SinesFirst() ? EntryOrder() : kCosinesFirst;
    return routine.store(scale, entries, order, both, row.from + first, row.to + first, aligned, stream);
  }
  routine.store(scale, entries, kSines, sine_count, row.from + sine, row.to + sine, aligned, stream);
  routine.store(scale, entries, kCosines, cosine_count, row.from + cosine, row.to + cosine, aligned, stream);
}

inline HWY_NOINLINE Tally DirectRows(const DirectRoutine& routine, const FrequencyTable& table,
                                     const Columns& columns, const Rows& rows, float scale) {
  const bool aligned = IsAligned(rows, routine.element_size);
  Tally tally;
  PairBuffer<kBufferPairs> buffer;
  PhaseBuffer phases;
  const bool in_place = routine.in_place && aligned && columns.InTurns() && columns.SinesFirst();
  const std::size_t whole = in_place ? columns.cosines / hn::Lanes(Doubles()) * hn::Lanes(Doubles()) : 0;
  for (std::size_t r = 0; r < rows.at.count; ++r) {
    const Row row = RowAt(rows, routine.element_size, r);
    if (rows.sources != nullptr) {  // of a table: memory brings the row while it is evaluated
      const std::size_t bytes = (columns.sines + columns.cosines) * routine.element_size;
      const NextRowPrefetch prefetch;
      for (std::size_t at = 0; at < bytes; at += 64) prefetch(row.from + at);
    }
    for (std::size_t i = 0; i < columns.pairs(); i += kBufferPairs) {
      const std::size_t count = HWY_MIN(columns.pairs() - i, kBufferPairs);
      const Multiples multiples = MultiplesAt(table, rows.at[r], i, count, phases);
      const std::size_t begun = HWY_MIN(count, whole - HWY_MIN(i, whole));  // where they are to be
      if (begun > 0) {
        float* to = reinterpret_cast<float*>(row.to) + columns.sine_offset + 2 * i;
        EvaluatePairs(table, routine.format, multiples, i, begun, to, tally);
      }
      if (begun == count) continue;
      EvaluatePairs(table, routine.format, multiples.From(begun), i + begun, count - begun, buffer.entries,
                    tally);
      StorePairs(routine, scale, columns, i + begun, count - begun, buffer.entries, row, aligned, false);
    }
  }
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_DIRECT_INL_H_
