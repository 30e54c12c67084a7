// The run-of-rows kernel: groups of rows around an anchor half-way between two positions, each row the
// anchor rotated. Rows at equal distances share products and loads:
//
//   e^(iw(a + k)) and e^(iw(a - k)) from e^(iwa) and e^(iwk), k = 1/2, 3/2, ...: 6 operations for 4 vectors
//
// Anchors of neighbouring groups are in turn rotated from one that the direct kernel's arithmetic evaluates.
// What the rounding test flags, or is too small for its absolute error, is taken again by the direct
// kernel. Included once per target.
#if defined(POSENC_SRC_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_ROTATE_INL_H_
#undef POSENC_SRC_ROTATE_INL_H_
#else
#define POSENC_SRC_ROTATE_INL_H_
#endif

#include "anchors-inl.h"
#include "direct-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "rotate_float-inl.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two rows at the same distance from an anchor, before and after it, in the pairs of a chunk.
template <class Operation>
struct RowPair {
  std::int64_t position[2];
  Row<Operation> row[2];
  const Stored<Operation>* next[2];  // that are read after these
  std::size_t begin;                 // the chunk's first pair; the arrays below begin there
  const double* sines;
  const double* cosines;
  const float* small;
  const double* rotation;
  std::size_t padded;
};

// [s0 c0 s1 c1 ...] of the pairs from begin + at on, of both rows. True if some need the direct kernel.
template <class Operation>
HWY_INLINE bool RotateInterleaved(const RowPair<Operation>& pair, std::size_t at, EntryVec& entries0,
                                  EntryVec& entries1, WordVec& far0, WordVec& far1) {
  const Doubles d;
  DoubleVec s0, c0, s1, c1;
  Rotate(hn::LoadU(d, pair.sines + at), hn::LoadU(d, pair.cosines + at), pair.rotation + at, pair.padded, s1,
         c1, s0, c0);
  far0 = RoundRotated<Operation::kFormat, true>(s0, c0, entries0);
  far1 = RoundRotated<Operation::kFormat, true>(s1, c1, entries1);
  const auto small = Small(entries0, entries1, hn::LoadU(Entries(), pair.small + 2 * at));
  return AnyNegative(hn::Or(IsZero(hn::Min(far0, far1)), small));
}

// The same of two vectors of pairs: [s0 s1 ...] and [c0 c1 ...].
template <class Operation>
HWY_INLINE bool RotateHalves(const RowPair<Operation>& pair, std::size_t at, EntryVec& sines0,
                             EntryVec& cosines0, EntryVec& sines1, EntryVec& cosines1, WordVec& far0,
                             WordVec& far1) {
  constexpr ElementType kFormat = Operation::kFormat;
  const Doubles d;
  const std::size_t at_b = at + hn::Lanes(d);
  DoubleVec s0, c0, s1, c1, s0b, c0b, s1b, c1b;
  Rotate(hn::LoadU(d, pair.sines + at), hn::LoadU(d, pair.cosines + at), pair.rotation + at, pair.padded, s1,
         c1, s0, c0);
  Rotate(hn::LoadU(d, pair.sines + at_b), hn::LoadU(d, pair.cosines + at_b), pair.rotation + at_b,
         pair.padded, s1b, c1b, s0b, c0b);
  far0 =
      hn::Min(RoundRotated<kFormat, false>(s0, s0b, sines0), RoundRotated<kFormat, false>(c0, c0b, cosines0));
  far1 =
      hn::Min(RoundRotated<kFormat, false>(s1, s1b, sines1), RoundRotated<kFormat, false>(c1, c1b, cosines1));
  const auto limit = hn::LoadU(Entries(), pair.small + 2 * at);
  const auto small = hn::Or(Small(sines0, cosines0, limit), Small(sines1, cosines1, limit));
  return AnyNegative(hn::Or(IsZero(hn::Min(far0, far1)), small));
}

// The hot loop: whole vectors from pair i up to `end`, or to the first that need the direct kernel; returns
// where it stopped. Nothing is called from here, so that all constants stay in registers.
template <bool kInterleaved, class Operation>
HWY_NOINLINE std::size_t RotateVectors(const Columns& columns, const Operation& operation,
                                       const RowPair<Operation>& pair, bool stream, std::size_t i,
                                       std::size_t end) {
  const Entries df;
  const RowPair<Operation> p = pair;
  WordVec far0, far1;
  if constexpr (kInterleaved) {
    EntryVec entries0, entries1;
    for (; i < end; i += hn::Lanes(Doubles())) {
      if (HWY_UNLIKELY(RotateInterleaved(p, i - p.begin, entries0, entries1, far0, far1))) break;
      if constexpr (Operation::kReads) {
        hwy::Prefetch(p.next[0] + 2 * i);
        hwy::Prefetch(p.next[1] + 2 * i);
      }
      StoreLanes(operation, df, entries0, p.row[0].from + 2 * i, p.row[0].to + 2 * i, stream);
      StoreLanes(operation, df, entries1, p.row[1].from + 2 * i, p.row[1].to + 2 * i, stream);
    }
  } else {
    EntryVec sines0, cosines0, sines1, cosines1;
    for (; i < end; i += hn::Lanes(df)) {
      if (HWY_UNLIKELY(RotateHalves(p, i - p.begin, sines0, cosines0, sines1, cosines1, far0, far1))) break;
      const std::size_t sine = columns.sine_offset + i;
      const std::size_t cosine = columns.cosine_offset + i;
      if constexpr (Operation::kReads) {
        hwy::Prefetch(p.next[0] + sine);
        hwy::Prefetch(p.next[0] + cosine);
        hwy::Prefetch(p.next[1] + sine);
        hwy::Prefetch(p.next[1] + cosine);
      }
      StoreLanes(operation, df, sines0, p.row[0].from + sine, p.row[0].to + sine, stream);
      StoreLanes(operation, df, cosines0, p.row[0].from + cosine, p.row[0].to + cosine, stream);
      StoreLanes(operation, df, sines1, p.row[1].from + sine, p.row[1].to + sine, stream);
      StoreLanes(operation, df, cosines1, p.row[1].from + cosine, p.row[1].to + cosine, stream);
    }
  }
  return i;
}

// Vectors through the caches or past them, or only the entries that there are.
enum class Stores { kCached, kStream, kFew };

template <class Operation>
HWY_INLINE void StoreSome(const Operation& operation, EntryVec entries, std::size_t count, Stores stores,
                          const Row<Operation>& row, std::size_t column) {
  const Entries df;
  if (stores != Stores::kFew) {
    return StoreLanes(operation, df, entries, row.from + column, row.to + column, stores == Stores::kStream);
  }
  HWY_ALIGN float buffer[hn::MaxLanes(df)];
  hn::StoreU(entries, df, buffer);
  StoreFew(operation, buffer, HWY_MIN(count, hn::Lanes(df)), 1, row.from + column, row.to + column);
}

// One row of a vector of the hot loop, whole or not, with all that it leaves out: the direct kernel where it
// is needed (about one vector in 250), the end of a row, misaligned elements.
template <class Operation>
HWY_INLINE void FinishInterleaved(const FrequencyTable& table, const Columns& columns,
                                  const Operation& operation, const RowPair<Operation>& pair, std::size_t r,
                                  std::size_t i, EntryVec entries, WordVec far, Stores stores, Tally& tally) {
  const auto limit = hn::LoadU(Entries(), pair.small + 2 * (i - pair.begin));
  if (AnyNegative(hn::Or(IsZero(far), Small(entries, entries, limit)))) {
    FloatVec sines, cosines;
    RoundedPairs<Recipe::kExact, Operation::kFormat>(table, pair.position[r], i, tally, sines, cosines);
    entries = Join<true>(sines, cosines);
    tally.direct += hn::Lanes(Doubles());
  }
  StoreSome(operation, entries, columns.sines + columns.cosines - 2 * i, stores, pair.row[r], 2 * i);
}

template <class Operation>
HWY_INLINE void FinishHalves(const FrequencyTable& table, const Columns& columns, const Operation& operation,
                             const RowPair<Operation>& pair, std::size_t r, std::size_t i, EntryVec all_sines,
                             EntryVec all_cosines, WordVec far, Stores stores, Tally& tally) {
  const std::size_t lanes = hn::Lanes(Doubles());
  const auto limit = hn::LoadU(Entries(), pair.small + 2 * (i - pair.begin));
  if (AnyNegative(hn::Or(IsZero(far), Small(all_sines, all_cosines, limit)))) {
    FloatVec sines, cosines, sines_b, cosines_b;
    RoundedPairs<Recipe::kExact, Operation::kFormat>(table, pair.position[r], i, tally, sines, cosines);
    RoundedPairs<Recipe::kExact, Operation::kFormat>(table, pair.position[r], i + lanes, tally, sines_b,
                                                     cosines_b);
    all_sines = Join<false>(sines, sines_b);
    all_cosines = Join<false>(cosines, cosines_b);
    tally.direct += 2 * lanes;
  }
  StoreSome(operation, all_sines, columns.sines - i, stores, pair.row[r], columns.sine_offset + i);
  if (i >= columns.cosines) return;
  StoreSome(operation, all_cosines, columns.cosines - i, stores, pair.row[r], columns.cosine_offset + i);
}

// Where the hot loop stopped.
template <bool kInterleaved, class Operation>
HWY_NOINLINE void RotateSlowly(const FrequencyTable& table, const Columns& columns,
                               const Operation& operation, const RowPair<Operation>& pair, std::size_t i,
                               Stores stores, Tally& tally) {
  WordVec far0, far1;
  if constexpr (kInterleaved) {
    EntryVec entries0, entries1;
    RotateInterleaved(pair, i - pair.begin, entries0, entries1, far0, far1);
    FinishInterleaved(table, columns, operation, pair, 0, i, entries0, far0, stores, tally);
    FinishInterleaved(table, columns, operation, pair, 1, i, entries1, far1, stores, tally);
  } else {
    EntryVec sines0, cosines0, sines1, cosines1;
    RotateHalves(pair, i - pair.begin, sines0, cosines0, sines1, cosines1, far0, far1);
    FinishHalves(table, columns, operation, pair, 0, i, sines0, cosines0, far0, stores, tally);
    FinishHalves(table, columns, operation, pair, 1, i, sines1, cosines1, far1, stores, tally);
  }
}

// The chunk's columns of two rows, by the hot loop `rotate` of `at_once` pairs. Up to pair `whole`, vectors
// may be stored at once.
template <bool kInterleaved, class Operation, class HotLoop>
HWY_INLINE void RotateRows(const FrequencyTable& table, const Columns& columns, const Operation& operation,
                           const RowPair<Operation>& pair, std::size_t end, std::size_t whole,
                           std::size_t at_once, bool stream, const HotLoop& rotate, Tally& tally) {
  const std::size_t slow = (kInterleaved ? 1 : 2) * hn::Lanes(Doubles());
  for (std::size_t i = pair.begin; i < end;) {
    if (i < whole) i = rotate(i, whole);
    if (Operation::kFormat == kBFloat16 && i < whole) tally.doubles += 2 * at_once;
    const std::size_t stop = HWY_MIN(end, i + at_once);
    for (; i < stop; i += slow) {
      const Stores stores = i >= whole ? Stores::kFew : stream ? Stores::kStream : Stores::kCached;
      RotateSlowly<kInterleaved>(table, columns, operation, pair, i, stores, tally);
    }
  }
}

// Row by row, each from its first column to its last: memory sees few rows at a time, in order.
template <bool kInterleaved, class Operation>
HWY_NOINLINE void RotateRun(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                            const Operation& operation, const Run& run, Tally& tally) {
  constexpr bool kFloats = Operation::kFormat == kBFloat16;
  constexpr std::size_t kChunk = kFloats ? FloatAnchors::kChunkPairs : kChunkPairs;
  const std::size_t at_once = (kInterleaved && !kFloats ? 1 : 2) * hn::Lanes(Doubles());
  const std::size_t vectors = IsAligned<Operation>(rows) ? columns.cosines / at_once * at_once : 0;
  Anchors anchors;
  [[maybe_unused]] std::conditional_t<kFloats, FloatAnchors, int> floats;
  for (std::size_t begin = 0; begin < columns.sines; begin += kChunk) {
    const std::size_t end = HWY_MIN(begin + kChunk, columns.sines);
    const std::size_t whole = HWY_MIN(end, vectors);
    MakeAnchors<kInterleaved, Operation::kFormat>(table, run, begin, end - begin, anchors);
    if constexpr (kFloats) RoundAnchors(table, run, begin, end - begin, anchors, floats);
    const std::size_t pairs = run.groups * run.half;
    for (std::size_t n = 0; n < pairs; ++n) {
      const std::size_t g = n / run.half;
      const std::size_t k = n % run.half;
      const auto position = [&](std::size_t r) { return run.first + static_cast<std::int64_t>(r); };
      const auto row = [&](std::size_t r) { return RowAt<Operation>(rows, run.begin + r); };
      const std::size_t r0 = run.Before(n);
      const std::size_t r1 = run.After(n);
      const std::size_t next = HWY_MIN(n + 1, pairs - 1);
      const RowPair<Operation> pair = {{position(r0), position(r1)},
                                       {row(r0), row(r1)},
                                       {row(run.Before(next)).from, row(run.After(next)).from},
                                       begin,
                                       anchors.sines[g],
                                       anchors.cosines[g],
                                       anchors.small,
                                       table.rotations + 2 * k * table.padded + begin,
                                       table.padded};
      const auto rotate = [&](std::size_t i, std::size_t stop) {
        if constexpr (kFloats) {
          const FloatRowPair float_pair = {{pair.row[0].to, pair.row[1].to},
                                           floats.errors,
                                           floats.sines[g],
                                           floats.cosines[g],
                                           {floats.rotations[k][0], floats.rotations[k][1]}};
          return RotateFloatVectors<kInterleaved>(columns, float_pair, begin, rows.stream, i, stop);
        } else {
          return RotateVectors<kInterleaved>(columns, operation, pair, rows.stream, i, stop);
        }
      };
      RotateRows<kInterleaved>(table, columns, operation, pair, end, whole, at_once, rows.stream, rotate,
                               tally);
    }
  }
}

// The longest run from row `begin` on; of no rows if there is but one.
HWY_INLINE Run NextRun(const Rows& rows, std::size_t begin) {
  Run run;
  run.first = rows.first + static_cast<std::int64_t>(begin);
  run.begin = begin;
  std::size_t count = run.first == 0 ? 1 : rows.count - begin;
  if (run.first < 0) count = HWY_MIN(count, static_cast<std::size_t>(-run.first));
  run.groups = kMaxGroups;
  while (run.groups > 1 && run.groups * 2 * kReach > count) run.groups /= 2;
  run.half = HWY_MIN(kReach, count / 2);
  return run;
}

// Consecutive positions. Position 0 and odd rows out go to the direct kernel.
template <class Operation>
HWY_INLINE Tally RotatedRows(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                             const Operation& operation) {
  Tally tally;
  for (std::size_t begin = 0; begin < rows.count;) {
    const Run run = NextRun(rows, begin);
    if (run.half == 0) {
      Rows one = rows;
      one.first = run.first;
      one.count = 1;
      one.data = static_cast<Stored<Operation>*>(rows.data) + begin * rows.stride;
      if (rows.sources != nullptr) one.sources = rows.sources + begin;
      tally += DirectRows(table, columns, one, operation);
      ++begin;
      continue;
    }
    if (columns.step == 2) {
      RotateRun<true>(table, columns, rows, operation, run, tally);
    } else {
      RotateRun<false>(table, columns, rows, operation, run, tally);
    }
    begin += run.count();
  }
  if (rows.stream) hwy::FlushStream();
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_ROTATE_INL_H_
