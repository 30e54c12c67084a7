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
  HWY_INLINE void SetNot(PassedPairs passed) {
#if POSENC_JOINS_BITS
    Set(hn::BitCast(Longs(), hn::VecFromMask(Words(), hn::Not(passed))));
#else
    Set(hn::Not(passed));
#endif
  }
};

// Cosines that would be near 1, but are not, become odd floats from here too.
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
HWY_INLINE PassedPairs StoreRounded(LongVec quadrant, DoubleVec s, DoubleVec c, hn::Mask<Doubles> so_far,
                                    float* to) {
#if HWY_TARGET == HWY_SCALAR
  DoubleVec sine, cosine;
  TurnByQuadrant(Doubles(), quadrant, s, c, sine, cosine);
  for (const DoubleVec entry : {sine, cosine}) {
    FloatVec rounded;
    so_far = hn::AndNot(RoundDirect<kOdd, kWindow>(entry, rounded), so_far);
    hn::StoreU(kOdd ? WithLastBit(Floats(), rounded) : rounded, Floats(), to++);
  }
  return so_far;
#else
  PassedPairs passed;
  hn::StoreU(TurnEntries(quadrant, RoundPairs<kOdd, kWindow>(s, c, so_far, passed)), Entries(), to);
  return passed;
#endif
}

// The same, with the wider window: whether all pairs pass.
template <bool kOdd>
HWY_INLINE bool StoreQuickly(LongVec quadrant, DoubleVec s, DoubleVec c, hn::Mask<Doubles> so_far,
                             float* to) {
#if POSENC_JOINS_BITS || HWY_TARGET == HWY_SCALAR
  return AllTrue(StoreRounded<kOdd, kQuickWindow>(quadrant, s, c, so_far, to));
#else
  const Words dw;
  const auto low = WordsOf<false, true>(hn::BitCast(Longs(), s), hn::BitCast(Longs(), c));
  const auto biased = hn::Add(low, hn::Set(dw, static_cast<std::uint32_t>(kDirectBias<kOdd, kQuickWindow>)));
  const auto far =
      hn::And(biased, hn::Set(dw, static_cast<std::uint32_t>(kFarBits<POSENC_F32, kQuickWindow>)));
  hn::StoreU(TurnEntries(quadrant, ToRoundedFloats<kOdd>(s, c)), Entries(), to);
  return hn::AllTrue(Doubles(), so_far) && hn::AllFalse(dw, hn::Eq(far, hn::Zero(dw)));
#endif
}

// Whether multiples have phases that vectors must look at: tiny ones, or exact ones that may be 0.
inline bool IsSpecial(const FrequencyTable& table, const Multiples& multiples) {
  return MayBeTiny(multiples) || table.max_cancellation == 0.0;
}

// Whole vectors of pairs, rounded for `format`, from pair begin + at on; returns where it stopped: behind the
// first vector with flags, or at the end. Nothing is called from here, so that constants stay in registers.
inline HWY_NOINLINE std::size_t EvaluateVectors(const FrequencyTable& table, const Multiples& multiples,
                                                std::size_t begin, std::size_t at, std::size_t end,
                                                posenc_type format, float* entries, Flags& flags) {
  const Doubles d;
  const Steps steps = StepsAt(table, multiples.position);
  const Multiples numbers = multiples;
  const double max_cancellation = table.max_cancellation;  // a copy, which stores cannot change
  const bool is_special = IsSpecial(table, multiples);
  const bool is_odd = RoundsToOdd(format);
  const auto not_zero = hn::BitCast(d, hn::Set(Longs(), is_odd && !kPassesZeros ? kLastBit / 2 : 0));
  PassedPairs passed;
  do {
    DoubleVec multiple, high, low, s, c;
    LoadPhases(steps, numbers, begin, at, multiple, high, low);
    LongVec quadrant;
    auto flagged = ReducedSinCos(d, multiple, high, low, max_cancellation, s, c, quadrant);
    if (is_odd) {
      c = BelowOne(c);
      if (!kPassesZeros && !is_special) s = hn::Add(s, not_zero);
    }
    if (is_special) {
      flagged = hn::Or(flagged, IsTiny(multiple, high, kLeastPhase));
      TurnAndAdd(not_zero, quadrant, s, c);
    }
    float* to = entries + 2 * at;
    const auto so_far = hn::Not(flagged);
    passed = is_odd ? StoreRounded<true, kDirectWindow>(quadrant, s, c, so_far, to)
                    : StoreRounded<false, kDirectWindow>(quadrant, s, c, so_far, to);
    at += hn::Lanes(d);
  } while (AllTrue(passed) && at < end);
  if (!AllTrue(passed)) flags.SetNot(passed);
  return at;
}

// The pairs begin + at .. begin + end - 1 at one position, whole vectors of them, as are their multiples, by
// turns.
inline HWY_NOINLINE void EvaluateFully(const FrequencyTable& table, posenc_type format,
                                       const Multiples& multiples, std::size_t begin, std::size_t at,
                                       std::size_t end, float* entries, Tally& tally) {
  while (at < end) {
    Flags flags;
    at = EvaluateVectors(table, multiples, begin, at, end, format, entries, flags);
    if (!flags.any) return;
    const std::size_t lanes = hn::Lanes(Doubles()), last = at - lanes;
    float* sines = entries + 2 * last;
    RecomputePairs(table, format, multiples.From(last), begin + last, flags.lanes, lanes, sines, sines + 1,
                   tally, 2);
  }
}

// The same with fewer terms, at a position of at least 1, of steps that are usual; returns the first vector
// that does not pass, or one at the end. Each vector is reduced while the one before it is evaluated, since a
// chain of both is longer than what processors look ahead.
template <bool kOdd>
HWY_NOINLINE std::size_t EvaluateQuickly(const FrequencyTable& table, double position, std::size_t begin,
                                         std::size_t at, std::size_t end, float* entries) {
  const Doubles d;
  const Steps steps = {table.high, table.low};
  const auto least = hn::Set(d, kLeastQuick * kLeastQuick);
  DoubleVec multiple, high, low, next;
  LongVec next_quadrant;
  LoadPhases(steps, {position, nullptr}, begin, at, multiple, high, low);
  ReduceQuickly(d, multiple, high, low, next, next_quadrant);
  do {
    const auto r = next;
    const auto quadrant = next_quadrant;
    float* to = entries + 2 * at;
    at += hn::Lanes(d);
    LoadPhases(steps, {position, nullptr}, begin, at, multiple, high, low);
    ReduceQuickly(d, multiple, high, low, next, next_quadrant);
    const auto r2 = hn::Mul(r, r);
    DoubleVec s, c;
    QuickPolynomials(d, r, r2, s, c);
    if (kOdd) c = BelowOne(c);
    if (!StoreQuickly<kOdd>(quadrant, s, c, hn::Ge(r2, least), to)) return at - hn::Lanes(d);
  } while (at < end);
  return at;
}

// As EvaluateFully, but first quickly where that can be.
inline HWY_NOINLINE void EvaluatePairs(const FrequencyTable& table, posenc_type format,
                                       const Multiples& multiples, std::size_t begin, std::size_t count,
                                       float* entries, Tally& tally) {
  const double position = multiples.position;
  const std::size_t lanes = hn::Lanes(Doubles());
  const bool is_whole = static_cast<double>(static_cast<std::int64_t>(position)) == position;
  const bool is_far = position >= 1.0 || position <= -1.0;
  const bool is_usual = table.steps_are_usual && is_far &&
                        (HWY_NATIVE_FMA ? is_whole || table.high == table.whole_high
                                        : is_whole && position >= -kMostQuick && position <= kMostQuick);
  // Steps behind the last pair are 0.
  const std::size_t whole = is_usual ? HWY_MIN(count, (table.count - begin) / lanes * lanes) : 0;
  const auto evaluate = RoundsToOdd(format) ? &EvaluateQuickly<true> : &EvaluateQuickly<false>;
  for (std::size_t at = 0; at < whole;) {
    at = evaluate(table, position, begin, at, whole, entries);
    if (at >= whole) break;
    EvaluateFully(table, format, multiples, begin, at, at + lanes, entries, tally);
    at += lanes;
  }
  EvaluateFully(table, format, multiples, begin, whole, count, entries, tally);
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
