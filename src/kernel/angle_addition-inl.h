// Runs of rows by the angle-addition formulas: groups of rows around an anchor half-way between two
// positions. Rows at equal distances on either side of it, mirrored rows, share products and loads:
//
//   e^(iw(a + k)) and e^(iw(a - k)) from e^(iwa) and e^(iwk), k = 1/2, 3/2, ...: 6 operations for 4 vectors
//
// Anchors of neighbouring groups are in turn added up from one that the direct kernel's arithmetic evaluates.
// What the rounding test flags, or is too small for its absolute error, is added again with that error on
// either side, and rarely left to the direct kernel. Included once per target.
#if defined(POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
#undef POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
#else
#define POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
#endif

#include "kernel/anchors-inl.h"
#include "kernel/direct-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernel/angle_addition_float-inl.h"
#include "number/compiler.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void MirroredSinCos(const MirroredAngles& angles, std::size_t at, DoubleVec& s0, DoubleVec& c0,
                               DoubleVec& s1, DoubleVec& c1) {
  const Doubles d;
  SumAndDifference(hn::LoadU(d, angles.sines + at), hn::LoadU(d, angles.cosines + at), angles.offset + at,
                   angles.padded, s1, c1, s0, c0);
}

// [s0 c0 s1 c1 ...] of the pairs from begin + at on, of both rows. True if the test leaves some open.
template <posenc_type kFormat>
HWY_INLINE bool InterleavedEntries(const MirroredAngles& angles, std::size_t at, EntryVec& entries0,
                                   EntryVec& entries1) {
  DoubleVec s0, c0, s1, c1;
  MirroredSinCos(angles, at, s0, c0, s1, c1);
  const auto far0 = RoundAdded<kFormat, true>(s0, c0, entries0);
  const auto far1 = RoundAdded<kFormat, true>(s1, c1, entries1);
  return AnyOpen(BothFar(far0, far1), Least(entries0, entries1), hn::LoadU(Entries(), angles.small + 2 * at));
}

// The same of two vectors of pairs: [s0 s1 ...] and [c0 c1 ...].
template <posenc_type kFormat>
HWY_INLINE bool HalvesOfEntries(const MirroredAngles& angles, std::size_t at, EntryVec& sines0,
                                EntryVec& cosines0, EntryVec& sines1, EntryVec& cosines1) {
  DoubleVec s0, c0, s1, c1, s0b, c0b, s1b, c1b;
  MirroredSinCos(angles, at, s0, c0, s1, c1);
  MirroredSinCos(angles, at + hn::Lanes(Doubles()), s0b, c0b, s1b, c1b);
  const auto far0 =
      BothFar(RoundAdded<kFormat, false>(s0, s0b, sines0), RoundAdded<kFormat, false>(c0, c0b, cosines0));
  const auto far1 =
      BothFar(RoundAdded<kFormat, false>(s1, s1b, sines1), RoundAdded<kFormat, false>(c1, c1b, cosines1));
  return AnyOpen(BothFar(far0, far1), Least(Least(sines0, cosines0), Least(sines1, cosines1)),
                 hn::LoadU(Entries(), angles.small + at));
}

// The hot loop: whole vectors from pair i up to `end`, or to the first that are left open; returns
// where it stopped. Nothing is called from here, so that all constants stay in registers.
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
  const auto* next0 = reinterpret_cast<const Element*>(rows.next[0]) + first;
  const auto* next1 = reinterpret_cast<const Element*>(rows.next[1]) + first;
  [[maybe_unused]] const NextRowPrefetch prefetch = rows.prefetch;
  [[maybe_unused]] const bool asks_ahead = AsksAhead(to0, stream);
  const auto store = [&](EntryVec entries0, EntryVec entries1, std::size_t column) POSENC_INLINE_LAMBDA {
    if constexpr (Operation::kReads) {
      prefetch(next0 + column);
      prefetch(next1 + column);
    } else if (HWY_UNLIKELY(asks_ahead)) {
      hwy::Prefetch(to0 + column + kBytesAhead / sizeof(Element));
      hwy::Prefetch(to1 + column + kBytesAhead / sizeof(Element));
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

// Up to two vectors of pairs of two rows.
using FewPairs = PairBuffer<2 * kMostLanes<Doubles>>[2];

// One vector of one row, of so many pairs. Both ends of what an entry may be mostly round to the same float;
// where not, the direct kernel decides.
template <bool kOdd>
HWY_INLINE void FinishRow(const FrequencyTable& table, posenc_type format, const MirroredAngles& angles,
                          std::size_t r, std::size_t at, std::size_t pairs, DoubleVec sine, DoubleVec cosine,
                          float* entries, Tally& tally) {
  const auto error = hn::Set(Doubles(), kAddedBracket);
  const auto upper = ToRoundedFloats<kOdd>(hn::Add(sine, error), hn::Add(cosine, error));
  const auto lower = ToRoundedFloats<kOdd>(hn::Sub(sine, error), hn::Sub(cosine, error));
  const auto is_pair = hn::FirstN(Entries(), 2 * pairs);  // and not what fills the vector
  if (hn::AllTrue(Entries(), hn::Eq(upper, hn::IfThenElse(is_pair, lower, upper)))) {
    hn::StoreU(upper, Entries(), entries);
  } else {
    const std::size_t lanes = hn::Lanes(Doubles());
    EvaluateFully(table, format, {static_cast<double>(angles.position[r]), nullptr}, angles.begin + at, lanes,
                  entries, tally);
    tally.direct += lanes;
  }
}

// What the hot loop leaves: vectors that its tests flag, about one in 231, and the ends of rows.
template <bool kOdd>
HWY_NOINLINE void FinishPairs(const FrequencyTable& table, posenc_type format, const MirroredAngles& angles,
                              std::size_t at, std::size_t count, FewPairs& few, Tally& tally) {
  for (std::size_t n = 0; n < count; n += hn::Lanes(Doubles())) {
    DoubleVec s0, c0, s1, c1;
    MirroredSinCos(angles, at + n, s0, c0, s1, c1);
    const std::size_t pairs = HWY_MIN(count - n, hn::Lanes(Doubles()));
    FinishRow<kOdd>(table, format, angles, 0, at + n, pairs, s0, c0, few[0].entries + 2 * n, tally);
    FinishRow<kOdd>(table, format, angles, 1, at + n, pairs, s1, c1, few[1].entries + 2 * n, tally);
  }
}

// What of this kernel depends on layout and type.
struct RunRoutine {
  DirectRoutine direct;
  decltype(&AngleAdditionLoop<true, WriteOperation<POSENC_F32>>) hot_loop;
  decltype(&AngleAdditionLoop<true, WriteOperation<POSENC_F32>>) in_doubles;  // only if `floats`
  decltype(&FinishPairs<false>) finish;
  Limits limits;
  bool reads;
  bool floats;  // the hot loop adds angles in float
};

template <bool kInterleaved, class Operation>
constexpr RunRoutine MakeRoutine() {
  constexpr posenc_type kFormat = Operation::kFormat;
  constexpr bool kFloats = kAddsInFloat<Operation>;
  RunRoutine routine = {kDirectRoutine<Operation>,
                        nullptr,
                        &AngleAdditionLoop<kInterleaved, Operation>,
                        &FinishPairs<RoundsToOdd(kFormat)>,
                        {kLeastAdded<kFormat>, kFormat == POSENC_F16 ? 0.0 : kExemptQuarterTurns,
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
constexpr RunRoutine kRunRoutine = MakeRoutine<kInterleaved, Operation>();

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_ANGLE_ADDITION_INL_H_
