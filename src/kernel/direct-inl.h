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
  HWY_ALIGN float entries[2 * (kPairs + hn::MaxLanes(Doubles()))];
};

// The steps of a table for one position.
struct Steps {
  const double* high;
  const double* low;
};

HWY_INLINE Steps StepsAt(const FrequencyTable& table, double position) {  // a recipe's are all one
  const bool is_whole = static_cast<double>(static_cast<std::int64_t>(position)) == position;
  if (is_whole) return {table.high, table.low};
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
  HWY_ALIGN double phases[kBufferPairs + hn::MaxLanes(Doubles())];
};

// Of the pairs i .. i + count - 1, whole vectors of them.
inline Multiples MultiplesAt(const FrequencyTable& table, double position, std::size_t i, std::size_t count,
                             PhaseBuffer& buffer) {
  if (table.recipe.IsNone()) return {position, nullptr};
  table.FillPhases(position, i, count, buffer.phases);
  for (std::size_t k = 0; k < hn::MaxLanes(Doubles()); ++k) buffer.phases[count + k] = 0.0;
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
  bool any = false;
  HWY_ALIGN std::uint64_t lanes[hn::MaxLanes(Longs())];

  HWY_INLINE void Set(LongVec flagged) {  // 0 in the other lanes
    any = true;
    hn::Store(flagged, Longs(), lanes);
  }
  HWY_INLINE void Set(hn::Mask<Doubles> flagged) {
    Set(hn::BitCast(Longs(), hn::VecFromMask(Doubles(), flagged)));
  }
#if POSENC_JOINS_BITS
  HWY_INLINE void Set(PairFlags flagged) { Set(hn::BitCast(Longs(), hn::VecFromMask(Words(), flagged))); }
#endif
};

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
// leave. Returns the pairs that were flagged, or are by the rounding test.
template <bool kOdd>
HWY_INLINE PairFlags StoreRounded(LongVec quadrant, DoubleVec s, DoubleVec c, hn::Mask<Doubles> flagged,
                                  float* to) {
#if HWY_TARGET == HWY_SCALAR
  DoubleVec sine, cosine;
  TurnByQuadrant(Doubles(), quadrant, s, c, sine, cosine);
  for (const DoubleVec entry : {sine, cosine}) {
    FloatVec rounded;
    flagged = hn::Or(flagged, RoundDirect<kOdd>(entry, rounded));
    hn::StoreU(kOdd ? WithLastBit(Floats(), rounded) : rounded, Floats(), to++);
  }
  return flagged;
#else
  PairFlags flags;
  hn::StoreU(TurnEntries(quadrant, RoundPairs<kOdd>(s, c, flagged, flags)), Entries(), to);
  return flags;
#endif
}

// Whether multiples have phases that vectors must look at: tiny ones, or exact ones that may be 0.
inline bool IsSpecial(const FrequencyTable& table, const Multiples& multiples) {
  return MayBeTiny(multiples) || table.max_cancellation == 0.0;
}

// Whole vectors of pairs, rounded for `format`, from pair begin + at on; returns where it stopped: behind the
// first vector with flags, or at the end. kIsCommon: of floats, whose multiples are not special. Nothing is
// called from here, so that constants stay in registers.
template <bool kIsCommon>
HWY_NOINLINE std::size_t EvaluateVectors(const FrequencyTable& table, const Multiples& multiples,
                                         std::size_t begin, std::size_t at, std::size_t count,
                                         posenc_type format, float* entries, Flags& flags) {
  const Doubles d;
  const Steps steps = StepsAt(table, multiples.position);
  const Multiples numbers = {multiples.position, kIsCommon ? nullptr : multiples.list};
  const double max_cancellation = table.max_cancellation;  // a copy, which stores cannot change
  const bool is_special = !kIsCommon && IsSpecial(table, multiples);
  const bool is_odd = !kIsCommon && RoundsToOdd(format);
  const auto not_zero = hn::BitCast(d, hn::Set(Longs(), is_odd && !kPassesZeros ? kLastBit / 2 : 0));
  PairFlags rounding;
  do {
    DoubleVec multiple, high, low, s, c;
    LoadPhases(steps, numbers, begin, at, multiple, high, low);
    LongVec quadrant;
    auto flagged = ReducedSinCos<false>(d, multiple, high, low, max_cancellation, s, c, quadrant);
    if (is_odd) {  // cosines that would be near 1, and sines that would be 0, round to that from here too
      c = hn::Min(c, hn::Set(d, 1 - 0x1p-30));
      if (!kPassesZeros && !is_special) s = hn::Add(s, not_zero);
    }
    if (is_special) {
      flagged = hn::Or(flagged, IsTiny(multiple, high, kLeastPhase));
      TurnAndAdd(not_zero, quadrant, s, c);
    }
    float* to = entries + 2 * at;
    rounding = is_odd ? StoreRounded<true>(quadrant, s, c, flagged, to)
                      : StoreRounded<false>(quadrant, s, c, flagged, to);
    at += hn::Lanes(d);
  } while (AllFalse(rounding) && at < count);
  if (!AllFalse(rounding)) flags.Set(rounding);
  return at;
}

// The pairs begin .. begin + count - 1 at one position, whole vectors of them, as are their multiples, by
// turns.
inline HWY_NOINLINE void EvaluatePairs(const FrequencyTable& table, posenc_type format,
                                       const Multiples& multiples, std::size_t begin, std::size_t count,
                                       float* entries, Tally& tally) {
  const bool is_common = format == POSENC_F32 && !IsSpecial(table, multiples);
  const auto evaluate = is_common ? &EvaluateVectors<true> : &EvaluateVectors<false>;
  for (std::size_t at = 0; at < count;) {
    Flags flags;
    at = evaluate(table, multiples, begin, at, count, format, entries, flags);
    if (!flags.any) return;
    const std::size_t lanes = hn::Lanes(Doubles()), last = at - lanes;
    float* sines = entries + 2 * last;
    RecomputePairs(table, format, multiples.From(last), begin + last, flags.lanes, lanes, sines, sines + 1,
                   tally, 2);
  }
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
  return bits % element_size == 0;
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
