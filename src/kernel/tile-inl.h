// Sines and cosines as doubles, not rounded to any type: by angle addition in runs, each from its own phase
// in lists. Included once per target.
#if defined(POSENC_SRC_KERNEL_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_TILE_INL_H_
#undef POSENC_SRC_KERNEL_TILE_INL_H_
#else
#define POSENC_SRC_KERNEL_TILE_INL_H_
#endif

#include "hwy/highway.h"
#include "kernel/anchors-inl.h"
#include "kernel/direct-inl.h"
#include "kernel/runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where the sines and cosines of a row of doubles go, from pair i on.
struct DoubleRow {
  double* sines;
  double* cosines;

  DoubleRow(const Columns& columns, const Rows& rows, std::size_t r, std::size_t i) {
    double* row = static_cast<double*>(rows.data) + r * rows.stride;
    sines = row + columns.sine_offset + i;
    cosines = row + columns.cosine_offset + i;
  }
};

// The first `count` lanes, or all if there are not so many.
HWY_INLINE void StoreUpTo(std::size_t count, DoubleVec v, double* to) {
  const Doubles d;
  if (HWY_LIKELY(count >= hn::Lanes(d))) return hn::StoreU(v, d, to);
  HWY_ALIGN double lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  for (std::size_t k = 0; k < count; ++k) to[k] = lanes[k];
}

HWY_INLINE void StoreSinCos(std::size_t at, std::size_t end, DoubleVec sine, DoubleVec cosine,
                            const DoubleRow& row) {
  StoreUpTo(end - at, sine, row.sines + at);
  StoreUpTo(end - at, cosine, row.cosines + at);
}

// One row, each entry with a relative error of at most kDirectError.
inline HWY_NOINLINE void DirectDoubles(const FrequencyTable& table, double position, const DoubleRow& row,
                                       Tally& tally) {
  const Doubles d;
  const Steps steps = StepsAt(table, position);
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    DoubleVec multiple, high, low, sine, cosine;
    LoadPhases(table, steps, position, i, multiple, high, low);
    auto flagged = SinCos(d, multiple, high, low, table.max_cancellation, sine, cosine);
    if (MayBeTiny(position)) flagged = hn::Or(flagged, IsTiny(multiple, high, kLeastDoublePhase));
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      Flags flags;
      flags.Set(flagged);
      HWY_ALIGN double sines[hn::MaxLanes(d)], cosines[hn::MaxLanes(d)];
      hn::Store(sine, d, sines);
      hn::Store(cosine, d, cosines);
      RecomputePairs(table, POSENC_F64, position, i, flags.lanes, hn::Lanes(d), sines, cosines, tally);
      sine = hn::Load(d, sines);
      cosine = hn::Load(d, cosines);
    }
    StoreSinCos(i, table.count, sine, cosine, row);
  }
}

#if HWY_TARGET != HWY_SCALAR

// A run, each entry with an absolute error of at most kAngleAdditionError.
inline HWY_NOINLINE void AddedDoubles(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                                      const Run& run) {
  const Doubles d;
  Anchors anchors;
  for (std::size_t begin = 0; begin < table.count; begin += kChunkPairs) {
    const std::size_t count = HWY_MIN(table.count - begin, kChunkPairs);
    MakeAnchors(table, run, begin, count, 0.0, 0.0, anchors);
    for (std::size_t g = 0; g < run.groups; ++g) {
      const bool is_middle = run.groups == 1;  // where the only group has its anchor
      if (!is_middle) MoveAnchors(table, run, g, begin, count, anchors);
      const double* anchor_sines = is_middle ? anchors.middle_sines : anchors.sines;
      const double* anchor_cosines = is_middle ? anchors.middle_cosines : anchors.cosines;
      for (std::size_t k = 0; k < run.half; ++k) {
        const std::size_t n = g * run.half + k;
        const DoubleRow before(columns, rows, run.begin + run.Before(n), begin);
        const DoubleRow after(columns, rows, run.begin + run.After(n), begin);
        const double* offset = table.offsets + 2 * k * table.padded + begin;
        for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
          DoubleVec sine_before, cosine_before, sine_after, cosine_after;
          SumAndDifference(hn::LoadU(d, anchor_sines + at), hn::LoadU(d, anchor_cosines + at), offset + at,
                           table.padded, sine_after, cosine_after, sine_before, cosine_before);
          StoreSinCos(at, count, sine_before, cosine_before, before);
          StoreSinCos(at, count, sine_after, cosine_after, after);
        }
      }
    }
  }
}

#endif  // HWY_SCALAR

inline HWY_NOINLINE Tally TileDoubles(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  Tally tally;
  for (std::size_t r = 0; r < rows.at.count;) {
#if HWY_TARGET != HWY_SCALAR
    if (rows.at.IsRun() && table.has_offsets) {
      const Run run = NextRun(rows.at, r);
      if (run.half != 0) {
        AddedDoubles(table, columns, rows, run);
        r += run.count();
        continue;
      }
    }
#endif
    DirectDoubles(table, rows.at[r], DoubleRow(columns, rows, r, 0), tally);
    ++r;
  }
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_TILE_INL_H_
