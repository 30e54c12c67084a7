// Decides which kernel takes a call. Angle addition takes runs of two rows or more. The direct kernel takes
// single rows, lists, phase roundings and rare layouts. Angle addition takes chunks of pairs, then pairs of
// mirrored rows of each group, each row from the chunk's first column to its last. Included once per target.
#if defined(POSENC_SRC_KERNEL_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_RUNS_INL_H_
#undef POSENC_SRC_KERNEL_RUNS_INL_H_
#else
#define POSENC_SRC_KERNEL_RUNS_INL_H_
#endif

#include "hwy/highway.h"
#include "kernel/angle_addition-inl.h"
#include "kernel/direct-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// What all runs of a call share.
struct Task {
  const RunRoutine& routine;
  const FrequencyTable& table;
  const Columns& columns;
  const Rows& rows;
  float scale;
  bool aligned;
  std::size_t at_once;  // pairs in an iteration of the hot loop
  std::size_t whole;    // pairs that the hot loop may take: whole vectors of them, of aligned rows
};

// The ladder of runs: decides the pairs angles.begin .. end - 1 of two mirrored rows, by one tier after
// another from top to bottom. Each tier stops at the first vector that is undecided. The next tier takes this
// vector, and then the first tier goes on. `finish` also takes pairs that fill no vector.
//
//   tier         computes                                     error          leaves undecided
//   hot_loop     16-bit types: angle addition in float        5 e, absolute  of float16 up to 1 vector in 8
//   in_doubles   angle addition in double (float: hot_loop)   11 u, absolute 1 vector in 231
//   finish       both ends of an interval of +- 12 u                         4 to 72 pairs in 10^6
//                then the ladder of direct rows (`DecidePairs`), from its second tier
inline HWY_NOINLINE void FillMirroredRows(const Task& task, const MirroredAngles& angles,
                                          const MirroredRows& rows, std::size_t end, Tally& tally) {
  const RunRoutine& routine = task.routine;
  const std::size_t whole = HWY_MIN(task.whole, end);
  const Storing storing = {routine.direct, task.columns, task.scale, task.aligned};
  FewPairs few;
  for (std::size_t i = angles.begin; i < end;) {
    const bool in_vectors = i < whole;
    if (in_vectors) i = routine.hot_loop(task.scale, task.columns, angles, rows, task.rows.stream, i, whole);
    if (i >= end) return;
    std::size_t count = HWY_MIN(task.at_once, end - i);
    if (routine.floats && i < whole) {
      tally.doubles += 2 * count;
      const std::size_t stop = i + count;
      i = routine.in_doubles(task.scale, task.columns, angles, rows, task.rows.stream, i, stop);
      if (i == stop) continue;
      count = stop - i;
    }
    routine.finish(task.table, routine.direct.format, angles, i - angles.begin, count, few, tally);
    for (std::size_t r = 0; r < 2; ++r) {
      StoreEntriesOfPairs(storing, i, count, few[r].entries, rows.row[r], task.rows.stream && i < whole);
    }
    i += count;
  }
}

// Computes the pairs begin .. end - 1 of all rows of a run. It takes two mirrored rows at a time, so that few
// rows are written at once, each in order. The rows at one distance +-k from the anchors of all groups follow
// one another, because they share offsets, which stay in L1: 4 KB for a chunk of 256 pairs.
inline HWY_NOINLINE void FillChunk(const Task& task, const Run& run, std::size_t begin, std::size_t end,
                                   const Anchors& anchors, const FloatAnchors* floats, Tally& tally) {
  const std::size_t size = task.routine.direct.element_size, padded = task.table.padded;
  const std::size_t run_rows = run.count();
  const auto row = [&](std::size_t r) { return RowAt(task.rows, size, run.begin + r); };
  // Sums prefetch the rows that come `rows_ahead` groups later: in this chunk, or in the next one, or in the
  // next run.
  const std::size_t rows_ahead = sizeof(float) / size;
  const bool is_last = end == task.columns.sines;
  const bool has_more = task.rows.sources == nullptr || run.begin + 2 * run_rows <= task.rows.at.count;
  const auto next = [&](std::size_t r, bool is_behind) {
    const std::size_t column_bytes = task.columns.step * size;
    const bool is_of_next_run = is_behind && is_last && has_more;
    const std::uintptr_t address =
        SourceAddress(task.rows, size, run.begin + (is_of_next_run ? run_rows : 0) + r);
    if (!is_behind || (is_last && !has_more)) return address;
    return is_last ? address - begin * column_bytes : address + (end - begin) * column_bytes;
  };
  const NextRowPrefetch prefetch;
  MirroredAngles angles = {{}, begin, nullptr, nullptr, anchors.small, {}, {}};
  for (std::size_t k = 0; k < run.half; ++k) {
    const std::size_t offset = 2 * k * padded + begin;
    const double* offset_cosines = task.table.offsets + offset;
    angles.offset = {offset_cosines + padded, offset_cosines};
    for (std::size_t g = 0; g < run.groups; ++g) {
      const std::size_t at = g * anchors.stride;
      const std::size_t before = run.Before(g, k), after = run.After(g, k);
      angles.position[0] = run.first + static_cast<std::int64_t>(before);
      angles.position[1] = run.first + static_cast<std::int64_t>(after);
      angles.sines = anchors.sines + at;
      angles.cosines = anchors.cosines + at;
      if (floats != nullptr) {
        const float* cosines = task.table.float_offsets + offset;
        angles.floats = {
            floats->errors, floats->sines + at, floats->cosines + at, {cosines, cosines + padded}};
      }
      MirroredRows rows = {{row(before), row(after)}, {}, prefetch};
      if (task.routine.reads) {
        std::size_t next_k = k, next_g = g + rows_ahead;
        for (; next_g >= run.groups; ++next_k) next_g -= run.groups;
        const bool is_behind = next_k >= run.half;
        next_k = HWY_MIN(is_behind ? next_k - run.half : next_k, run.half - 1);
        rows.next[0] = next(run.Before(next_g, next_k), is_behind);
        rows.next[1] = next(run.After(next_g, next_k), is_behind);
      }
      FillMirroredRows(task, angles, rows, end, tally);
    }
  }
}

// Computes all pairs of all rows of a run, chunk by chunk. `floats` is null if angles are added in double.
inline HWY_NOINLINE void FillRun(const Task& task, const Run& run, FloatAnchors* floats, Tally& tally) {
  Anchors anchors;
  const std::size_t chunk = HWY_MIN(kMaxChunkPairs, kChunkAnchors / run.groups);
  for (std::size_t begin = 0; begin < task.columns.sines; begin += chunk) {
    const std::size_t end = HWY_MIN(begin + chunk, task.columns.sines);
    const std::size_t count = end - begin;
    anchors.stride = hwy::RoundUpTo(count, hn::Lanes(Entries())) + Anchors::kPad;
    MakeAnchors(task.table, run, task.routine.limits, begin, count, anchors, floats);
    FillChunk(task, run, begin, end, anchors, floats, tally);
  }
}

// `FillRun` with angle addition in float. It is a separate function, so that runs in double do not need its
// 11 KB of stack.
inline HWY_NOINLINE void FillFloatRun(const Task& task, const Run& run, Tally& tally) {
  FloatAnchors floats;
  FillRun(task, run, &floats, tally);
}

// Returns the longest run from row `begin` on whose positions have one sign. It is empty at position 0, and
// for a single row.
HWY_INLINE Run NextRun(const Positions& at, std::size_t begin, std::size_t max_groups) {
  const std::int64_t first = at.first + static_cast<std::int64_t>(begin);
  std::size_t count = first == 0 ? 1 : at.count - begin;
  if (first < 0) count = HWY_MIN(count, static_cast<std::size_t>(-first));
  return LongestRun(first, begin, count, max_groups);
}

// data = PE, or sources * scale + PE, for consecutive positions: runs by angle addition, position 0 and rows
// that are left single by the direct kernel.
inline HWY_NOINLINE Tally RunRows(const RunRoutine& routine, const FrequencyTable& table,
                                  const Columns& columns, Rows rows, float scale) {
  const std::size_t size = routine.direct.element_size;
  // Streaming needs vectors of 16 bytes. `FinishPairs` leaves the entries of one vector of doubles, which
  // must fill such a vector too: one cached store stalls every streaming store behind it.
  rows.stream = rows.stream && 2 * hn::Lanes(Doubles()) * size >= 16;
  const bool aligned = IsAligned(rows, size);
  const std::size_t at_once = (routine.limits.interleaved && !routine.floats ? 1 : 2) * hn::Lanes(Doubles());
  const std::size_t whole = aligned ? columns.cosines / at_once * at_once : 0;
  const Task task = {routine, table, columns, rows, scale, aligned, at_once, whole};
  const bool in_long_parts = routine.reads && columns.sines * kMaxGroups > kChunkAnchors;
  const std::size_t max_groups = in_long_parts ? kChunkAnchors / kMaxChunkPairs : kMaxGroups;
  Tally tally;
  for (std::size_t begin = 0; begin < rows.at.count;) {
    const Run run = NextRun(rows.at, begin, max_groups);
    if (run.half == 0) {
      Rows one = rows;
      one.at = {nullptr, run.first, 1};
      one.data = RowAt(rows.data, rows.stride, size, begin);
      if (rows.sources != nullptr) one.sources = rows.sources + begin;
      tally += DirectRows(routine.direct, table, columns, one, scale);
      ++begin;
      continue;
    }
    if (routine.floats) {
      FillFloatRun(task, run, tally);
    } else {
      FillRun(task, run, nullptr, tally);
    }
    begin += run.count();
  }
  return tally;
}

#endif  // HWY_SCALAR

// data = PE, or sources * scale + PE, as the operation says (store-inl.h). Returns how many pairs slower
// tiers decided.
template <class Operation>
Tally RunOrDirectRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
#if HWY_TARGET != HWY_SCALAR
  if (rows.at.IsRun() && rows.at.count > 1 && table.has_offsets && columns.AreCommon()) {
    const auto& routine =
        columns.Interleaved() ? kRunRoutine<true, Operation> : kRunRoutine<false, Operation>;
    return RunRows(routine, table, columns, rows, scale);
  }
#endif
  return DirectRows(kDirectRoutine<Operation>, table, columns, rows, scale);
}

template <posenc_type kType>
Tally Write(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  return RunOrDirectRows<WriteOperation<kType>>(table, columns, rows, 1.0f);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_RUNS_INL_H_
