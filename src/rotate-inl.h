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

HWY_INLINE void RotateBoth(const RotatedPair& pair, std::size_t at, DoubleVec& s0, DoubleVec& c0,
                           DoubleVec& s1, DoubleVec& c1) {
  const Doubles d;
  Rotate(hn::LoadU(d, pair.sines + at), hn::LoadU(d, pair.cosines + at), pair.rotation + at, pair.padded, s1,
         c1, s0, c0);
}

// [s0 c0 s1 c1 ...] of the pairs from begin + at on, of both rows. True if some need the direct kernel.
template <ElementType kFormat>
HWY_INLINE bool RotateInterleaved(const RotatedPair& pair, std::size_t at, EntryVec& entries0,
                                  EntryVec& entries1) {
  DoubleVec s0, c0, s1, c1;
  RotateBoth(pair, at, s0, c0, s1, c1);
  const auto far0 = RoundRotated<kFormat, true>(s0, c0, entries0);
  const auto far1 = RoundRotated<kFormat, true>(s1, c1, entries1);
  const auto small = Small(entries0, entries1, hn::LoadU(Entries(), pair.small + 2 * at));
  return AnyNegative(hn::Or(IsZero(hn::Min(far0, far1)), small));
}

// The same of two vectors of pairs: [s0 s1 ...] and [c0 c1 ...].
template <ElementType kFormat>
HWY_INLINE bool RotateHalves(const RotatedPair& pair, std::size_t at, EntryVec& sines0, EntryVec& cosines0,
                             EntryVec& sines1, EntryVec& cosines1) {
  DoubleVec s0, c0, s1, c1, s0b, c0b, s1b, c1b;
  RotateBoth(pair, at, s0, c0, s1, c1);
  RotateBoth(pair, at + hn::Lanes(Doubles()), s0b, c0b, s1b, c1b);
  const auto far0 =
      hn::Min(RoundRotated<kFormat, false>(s0, s0b, sines0), RoundRotated<kFormat, false>(c0, c0b, cosines0));
  const auto far1 =
      hn::Min(RoundRotated<kFormat, false>(s1, s1b, sines1), RoundRotated<kFormat, false>(c1, c1b, cosines1));
  const auto limit = hn::LoadU(Entries(), pair.small + 2 * at);
  const auto small = hn::Or(Small(sines0, cosines0, limit), Small(sines1, cosines1, limit));
  return AnyNegative(hn::Or(IsZero(hn::Min(far0, far1)), small));
}

// The hot loop: whole vectors from pair i up to `end`, or to the first that need the direct kernel; returns
// where it stopped. Nothing is called from here, so that all constants stay in registers.
template <bool kInterleaved, class Operation>
HWY_NOINLINE std::size_t RotateVectors(float scale, const Columns& columns, const RotatedPair& pair,
                                       const RowPair& rows, bool stream, std::size_t i, std::size_t end) {
  using Element = Stored<Operation>;
  constexpr ElementType kFormat = Operation::kFormat;
  const Entries df;
  const Operation operation{scale};
  const RotatedPair p = pair;
  const auto* from0 = reinterpret_cast<const Element*>(rows.row[0].from);
  const auto* from1 = reinterpret_cast<const Element*>(rows.row[1].from);
  auto* to0 = reinterpret_cast<Element*>(rows.row[0].to);
  auto* to1 = reinterpret_cast<Element*>(rows.row[1].to);
  const auto* next0 = reinterpret_cast<const Element*>(rows.next[0]);
  const auto* next1 = reinterpret_cast<const Element*>(rows.next[1]);
  const auto store = [&](EntryVec entries0, EntryVec entries1, std::size_t column) HWY_ATTR {
    if constexpr (Operation::kReads) {
      hwy::Prefetch(next0 + column);
      hwy::Prefetch(next1 + column);
    }
    StoreLanes(operation, df, entries0, from0 + column, to0 + column, stream);
    StoreLanes(operation, df, entries1, from1 + column, to1 + column, stream);
  };
  if constexpr (kInterleaved) {
    EntryVec entries0, entries1;
    for (; i < end; i += hn::Lanes(Doubles())) {
      if (HWY_UNLIKELY(RotateInterleaved<kFormat>(p, i - p.begin, entries0, entries1))) break;
      store(entries0, entries1, 2 * i);
    }
  } else {
    const std::size_t sine_offset = columns.sine_offset;
    const std::size_t cosine_offset = columns.cosine_offset;
    EntryVec sines0, cosines0, sines1, cosines1;
    for (; i < end; i += hn::Lanes(df)) {
      if (HWY_UNLIKELY(RotateHalves<kFormat>(p, i - p.begin, sines0, cosines0, sines1, cosines1))) break;
      store(sines0, sines1, sine_offset + i);
      store(cosines0, cosines1, cosine_offset + i);
    }
  }
  return i;
}

// Up to two vectors of pairs of two rows.
struct FewPairs {
  HWY_ALIGN float sines[2][2 * hn::MaxLanes(Doubles())];
  HWY_ALIGN float cosines[2][2 * hn::MaxLanes(Doubles())];
};

// One vector of one row: by the direct kernel if the rotated entries need it.
template <ElementType kFormat>
HWY_INLINE void FinishRow(const FrequencyTable& table, const RotatedPair& pair, std::size_t r, std::size_t at,
                          DoubleVec sine, DoubleVec cosine, float* sines, float* cosines, Tally& tally) {
  const Floats df;
  const auto limit = hn::LoadU(df, pair.limits + at);
  EntryVec rotated;
  const auto far = RoundRotated<kFormat, false>(sine, cosine, rotated);
  if (AnyNegative(hn::Or(IsZero(far), Small(rotated, rotated, Join<false>(limit, limit))))) {
    const std::size_t lanes = hn::Lanes(df);
    EvaluatePairs<kFormat>(table, pair.position[r], pair.begin + at, lanes, sines, cosines, tally);
    tally.direct += lanes;
  } else {
    hn::StoreU(hn::LowerHalf(df, rotated), df, sines);
    hn::StoreU(hn::UpperHalf(df, rotated), df, cosines);
  }
}

// What the hot loop leaves: vectors that need the direct kernel, about one in 250, and the ends of rows.
template <ElementType kFormat>
HWY_NOINLINE void FinishPairs(const FrequencyTable& table, const RotatedPair& pair, std::size_t at,
                              std::size_t count, FewPairs& few, Tally& tally) {
  for (std::size_t n = 0; n < count; n += hn::Lanes(Doubles())) {
    DoubleVec s0, c0, s1, c1;
    RotateBoth(pair, at + n, s0, c0, s1, c1);
    FinishRow<kFormat>(table, pair, 0, at + n, s0, c0, few.sines[0] + n, few.cosines[0] + n, tally);
    FinishRow<kFormat>(table, pair, 1, at + n, s1, c1, few.sines[1] + n, few.cosines[1] + n, tally);
  }
}

// What of this kernel depends on layout and type.
struct RotateRoutine {
  DirectRoutine direct;
  decltype(&RotateVectors<true, WriteOperation<kFloat32>>) hot_loop;
  decltype(&FinishPairs<kFloat32>) finish;
  bool interleaved;
  bool floats;  // the hot loop rotates floats
  double small;
  double exempt;
};

template <bool kInterleaved, class Operation>
constexpr RotateRoutine MakeRoutine() {
  constexpr ElementType kFormat = Operation::kFormat;
  constexpr bool kFloats = kFormat == kBFloat16;
  RotateRoutine routine = {kDirectRoutine<kInterleaved, Operation>,
                           nullptr,
                           &FinishPairs<kFormat>,
                           kInterleaved,
                           kFloats,
                           kRotatedTest<kFormat>.small,
                           kFormat == kFloat16 ? 0.0 : kExemptQuarterTurns};
  if constexpr (kFloats) {
    routine.hot_loop = &RotateFloatVectors<kInterleaved>;
  } else {
    routine.hot_loop = &RotateVectors<kInterleaved, Operation>;
  }
  return routine;
}

template <bool kInterleaved, class Operation>
constexpr RotateRoutine kRotateRoutine = MakeRoutine<kInterleaved, Operation>();

// A call on its way through the rows.
struct Task {
  const RotateRoutine& routine;
  const FrequencyTable& table;
  const Columns& columns;
  const Rows& rows;
  float scale;
  bool aligned;
  std::size_t at_once;  // pairs that the hot loop takes at once
  std::size_t whole;    // pairs that it may take: they fill vectors
};

// The pairs from pair.begin to `end` of two rows.
HWY_NOINLINE void RotateRows(const Task& task, const RotatedPair& pair, const RowPair& rows, std::size_t end,
                             Tally& tally) {
  const RotateRoutine& routine = task.routine;
  const std::size_t whole = HWY_MIN(task.whole, end);
  FewPairs few;
  for (std::size_t i = pair.begin; i < end;) {
    const bool in_vectors = i < whole;
    if (in_vectors) i = routine.hot_loop(task.scale, task.columns, pair, rows, task.rows.stream, i, whole);
    if (i >= end) return;
    if (routine.floats && i < whole) tally.doubles += 2 * task.at_once;
    const std::size_t count = HWY_MIN(task.at_once, end - i);
    routine.finish(task.table, pair, i - pair.begin, count, few, tally);
    for (std::size_t r = 0; r < 2; ++r) {
      routine.direct.store(task.scale, task.columns, i, count, few.sines[r], few.cosines[r], rows.row[r],
                           task.aligned, task.rows.stream && i < whole);
    }
    i += count;
  }
}

// A group's columns of a chunk, row by row, each from its first column to its last: memory sees few rows at a
// time, in order.
HWY_INLINE void RotateGroup(const Task& task, const Run& run, std::size_t g, std::size_t begin,
                            std::size_t end, const Anchors& anchors, const FloatAnchors* floats,
                            Tally& tally) {
  const bool one = run.groups == 1;  // its anchor is the middle
  const std::size_t last = run.groups * run.half - 1;
  const auto position = [&](std::size_t r) { return run.first + static_cast<std::int64_t>(r); };
  const auto row = [&](std::size_t r) {
    return RowAt(task.rows, task.routine.direct.element_size, run.begin + r);
  };
  for (std::size_t k = 0; k < run.half; ++k) {
    const std::size_t n = g * run.half + k;
    const std::size_t next = HWY_MIN(n + 1, last);
    RotatedPair pair = {{position(run.Before(n)), position(run.After(n))},
                        begin,
                        one ? anchors.middle_sines : anchors.sines,
                        one ? anchors.middle_cosines : anchors.cosines,
                        anchors.small,
                        anchors.limits,
                        task.table.rotations + 2 * k * task.table.padded + begin,
                        task.table.padded,
                        {}};
    if (floats != nullptr) {
      const auto& rotation = floats->rotations[k];
      pair.floats = {floats->errors, floats->sines, floats->cosines, {rotation[0], rotation[1]}};
    }
    const RowPair rows = {{row(run.Before(n)), row(run.After(n))},
                          {row(run.Before(next)).from, row(run.After(next)).from}};
    RotateRows(task, pair, rows, end, tally);
  }
}

template <bool kFloats>
HWY_NOINLINE void RotateRun(const Task& task, const Run& run, Tally& tally) {
  constexpr std::size_t kChunk = kFloats ? FloatAnchors::kChunkPairs : kChunkPairs;
  const RotateRoutine& routine = task.routine;
  Anchors anchors;
  [[maybe_unused]] std::conditional_t<kFloats, FloatAnchors, int> floats;
  for (std::size_t begin = 0; begin < task.columns.sines; begin += kChunk) {
    const std::size_t end = HWY_MIN(begin + kChunk, task.columns.sines);
    const std::size_t count = end - begin;
    MakeAnchors(task.table, run, begin, count, routine.small, routine.exempt, anchors);
    if (routine.interleaved) {
      OrderLimits<true>(count, anchors);
    } else {
      OrderLimits<false>(count, anchors);
    }
    if constexpr (kFloats) RoundRotations(task.table, run, begin, count, floats);
    for (std::size_t g = 0; g < run.groups; ++g) {
      if (run.groups > 1) MoveAnchors(task.table, run, g, begin, count, anchors);
      if constexpr (kFloats) {
        RoundAnchors(anchors, run.groups == 1, count, floats);
        RotateGroup(task, run, g, begin, end, anchors, &floats, tally);
      } else {
        RotateGroup(task, run, g, begin, end, anchors, nullptr, tally);
      }
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
HWY_NOINLINE Tally RotatedRows(const RotateRoutine& routine, const FrequencyTable& table,
                               const Columns& columns, const Rows& rows, float scale) {
  const std::size_t size = routine.direct.element_size;
  const bool aligned = IsAligned(rows, size);
  const std::size_t at_once = (routine.interleaved && !routine.floats ? 1 : 2) * hn::Lanes(Doubles());
  const std::size_t whole = aligned ? columns.cosines / at_once * at_once : 0;
  const Task task = {routine, table, columns, rows, scale, aligned, at_once, whole};
  Tally tally;
  for (std::size_t begin = 0; begin < rows.count;) {
    const Run run = NextRun(rows, begin);
    if (run.half == 0) {
      Rows one = rows;
      one.first = run.first;
      one.count = 1;
      one.data = static_cast<unsigned char*>(rows.data) + begin * rows.stride * size;
      if (rows.sources != nullptr) one.sources = rows.sources + begin;
      tally += DirectRows(routine.direct, table, columns, one, scale);
      ++begin;
      continue;
    }
    if (routine.floats) {
      RotateRun<true>(task, run, tally);
    } else {
      RotateRun<false>(task, run, tally);
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
