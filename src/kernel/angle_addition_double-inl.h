// Runs of rows of doubles by angle addition in sums of two doubles:
//
//   e^(iw(M + A +- D))     M the middle of the run, A = 0, +-8 or +-24 rows, D = 1/2, 3/2 .. 15/2
//
// The factors e^(iwM) and e^(iw/2) are evaluated. The others are powers of e^(iw/2). Included once per
// target.
//
// Two tiers: `AngleAdditionDoubleLoop`, then the direct kernel (`EvaluateDoubles`). Errors are absolute.
// proof/addition_float_double.md argues the bounds.
#if defined(POSENC_SRC_KERNEL_ANGLE_ADDITION_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ANGLE_ADDITION_DOUBLE_INL_H_
#undef POSENC_SRC_KERNEL_ANGLE_ADDITION_DOUBLE_INL_H_
#else
#define POSENC_SRC_KERNEL_ANGLE_ADDITION_DOUBLE_INL_H_
#endif

#include "hwy/highway.h"
#include "kernel/anchors-inl.h"
#include "kernel/direct_double-inl.h"
#include "kernel/store-inl.h"
#include "number/bounds.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// Shorter runs are faster by the direct kernel, row by row.
constexpr std::size_t kMinDoubleRun = 8;

// Angles split for products: x = part + low, part a multiple of 2^-26, |low| <= 2^-27; and x as one double
// (whole). Products of two parts, and sums of two such products, are exact.
struct SplitAngles {
  Angles parts;
  HWY_ALIGN ChunkArray whole_sines;
  HWY_ALIGN ChunkArray whole_cosines;
};

struct DoubleAnchors {
  HWY_ALIGN ChunkArray errors;  // bounds of each pair, of all entries of the run
  Angles middle;                // e^(iwM)
  SplitAngles anchor;           // e^(iw(M + A)) of one group, split
  Angles offsets[kReach];       // e^(iwk), split once all are made
  Angles moves[2];              // e^(iw8), e^(iw24)
};

// high + low = (a + a_low) + (b + b_low), |a|, |b| <= 1 (Knuth's TwoSum, then the low parts).
//
// Error: absolutely 2^-103. Worst known of 2 * 10^7: 2^-105.5.
HWY_INLINE void AddSums(DoubleVec a, DoubleVec a_low, DoubleVec b, DoubleVec b_low, DoubleVec& high,
                        DoubleVec& low) {
  const auto sum = hn::Add(a, b);
  const auto of_b = hn::Sub(sum, a);
  const auto error = hn::Add(hn::Sub(a, hn::Sub(sum, of_b)), hn::Sub(b, of_b));
  const auto rest = hn::Add(error, hn::Add(a_low, b_low));
  high = hn::Add(sum, rest);
  low = hn::Sub(rest, hn::Sub(high, sum));
}

// sum = e^(i(a + b)) if `plus`, else e^(i(a - b)), for `count` pairs; sum may be a or b.
//
// Error: 2^-102 for each product, besides the errors of a and b.
HWY_NOINLINE inline void AddAngles(const Angles& a, const Angles& b, bool plus, std::size_t count,
                                   Angles& sum) {
  const Doubles d;
  const auto sign = hn::Set(d, plus ? 0.0 : -0.0);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const auto s = hn::Load(d, a.sines + at), s_low = hn::Load(d, a.sines_low + at);
    const auto c = hn::Load(d, a.cosines + at), c_low = hn::Load(d, a.cosines_low + at);
    const auto bs = hn::Xor(hn::Load(d, b.sines + at), sign);
    const auto bs_low = hn::Xor(hn::Load(d, b.sines_low + at), sign);
    const auto bc = hn::Load(d, b.cosines + at), bc_low = hn::Load(d, b.cosines_low + at);
    DoubleVec x, x_low, y, y_low, high, low;
    Multiply(s, s_low, bc, bc_low, x, x_low);
    Multiply(c, c_low, bs, bs_low, y, y_low);
    AddSums(x, x_low, y, y_low, high, low);
    hn::Store(high, d, sum.sines + at);
    hn::Store(low, d, sum.sines_low + at);
    Multiply(c, c_low, bc, bc_low, x, x_low);
    Multiply(s, s_low, bs, bs_low, y, y_low);
    AddSums(x, x_low, hn::Neg(y), hn::Neg(y_low), high, low);
    hn::Store(high, d, sum.cosines + at);
    hn::Store(low, d, sum.cosines_low + at);
  }
}

// Splits high + low, |high + low| <= 1: high becomes the nearest multiple of 2^-26, low the rest, |low| <=
// 2^-27, rounded by 2^-81.
HWY_INLINE void SplitSum(DoubleVec& high, DoubleVec& low) {
  const auto magic = hn::Set(Doubles(), 0x1.8p26);  // rounds to its last place
  const auto multiple = hn::Sub(hn::Add(high, magic), magic);
  low = hn::Add(hn::Sub(high, multiple), low);
  high = multiple;
}

// `SplitSum` of the vector at `at` of all angles.
HWY_INLINE void SplitAt(const Angles& from, std::size_t at, Angles& to) {
  const Doubles d;
  auto high = hn::Load(d, from.sines + at), low = hn::Load(d, from.sines_low + at);
  SplitSum(high, low);
  hn::Store(high, d, to.sines + at);
  hn::Store(low, d, to.sines_low + at);
  high = hn::Load(d, from.cosines + at), low = hn::Load(d, from.cosines_low + at);
  SplitSum(high, low);
  hn::Store(high, d, to.cosines + at);
  hn::Store(low, d, to.cosines_low + at);
}

// Evaluates anchors.middle, e^(iwM), and anchors.offsets[0], e^(iw/2), of the pairs begin .. begin + count -
// 1, and the bound of all entries of the run:
//
//   error = min(kAddedEvaluations, 2 F) kDoubleError + kAddedDoubleError
//           + F min_uncancelled kPhaseErrorPerUncancelled
//
//   F    the largest |phase| of the run, in quarter turns
//
// An entry is a product of at most 64 evaluations, each off by kDoubleError, and at small angles by twice
// that times the angle in quarter turns. If the step is 0 all is exact, and so is the bound 0.
HWY_NOINLINE inline void EvaluateAngles(const FrequencyTable& table, const Run& run, std::size_t begin,
                                        std::size_t count, DoubleAnchors& anchors) {
  const Doubles d;
  const StepArrays steps = {table.high, table.low};
  const double middle = (static_cast<double>(run.first) + run.Last()) / 2;
  EvaluateSums(steps, {nullptr, middle}, begin, count, anchors.middle);
  EvaluateSums(steps, {nullptr, 0.5}, begin, count, anchors.offsets[0]);
  const auto extent = hn::Set(d, run.Extent());
  const auto phase_error = hn::Set(d, table.min_uncancelled * kPhaseErrorPerUncancelled);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const auto high = hn::LoadU(d, table.high + begin + at);
    const auto largest = hn::Mul(hn::Abs(high), extent);
    const auto evaluations = hn::Min(hn::Set(d, kAddedEvaluations), hn::Add(largest, largest));
    auto error = hn::MulAdd(evaluations, hn::Set(d, kDoubleError), hn::Set(d, kAddedDoubleError));
    error = hn::MulAdd(largest, phase_error, error);
    hn::Store(hn::IfThenZeroElse(hn::Eq(high, hn::Zero(d)), error), d, anchors.errors + at);
  }
}

// Makes anchors.offsets, and anchors.moves if there are several groups, from offsets[0]; then splits the
// offsets.
HWY_NOINLINE inline void MakeOffsets(const Run& run, std::size_t count, DoubleAnchors& anchors) {
  Angles* offsets = anchors.offsets;
  Angles* moves = anchors.moves;
  AddAngles(offsets[0], offsets[0], true, count, moves[1]);  // one row
  for (std::size_t k = 1; k < run.half; ++k) AddAngles(offsets[k - 1], moves[1], true, count, offsets[k]);
  if (run.groups > 1) {
    AddAngles(offsets[kReach - 1], offsets[0], true, count, moves[0]);  // kReach rows
    AddAngles(moves[0], moves[0], true, count, moves[1]);
    AddAngles(moves[1], moves[0], true, count, moves[1]);  // three times kReach
  }
  for (std::size_t k = 0; k < run.half; ++k) {
    for (std::size_t at = 0; at < count; at += hn::Lanes(Doubles())) SplitAt(offsets[k], at, offsets[k]);
  }
}

// anchors.anchor = e^(iw(M + A)) of group g, split.
HWY_NOINLINE POSENC_NOCLONE inline void MoveDoubleAnchor(const Run& run, std::size_t g, std::size_t count,
                                                         DoubleAnchors& anchors) {
  const Doubles d;
  SplitAngles& anchor = anchors.anchor;
  const Angles* from = &anchors.middle;
  if (run.groups > 1) {
    const bool after = 2 * g >= run.groups;
    const std::size_t move = (after ? 2 * g - run.groups : run.groups - 2 - 2 * g) / 2;
    AddAngles(anchors.middle, anchors.moves[move], after, count, anchor.parts);
    from = &anchor.parts;
  }
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    hn::Store(hn::Add(hn::Load(d, from->sines + at), hn::Load(d, from->sines_low + at)), d,
              anchor.whole_sines + at);
    hn::Store(hn::Add(hn::Load(d, from->cosines + at), hn::Load(d, from->cosines_low + at)), d,
              anchor.whole_cosines + at);
    SplitAt(*from, at, anchor.parts);
  }
}

// What two mirrored rows, `offset` before and after an anchor, are added from. Arrays start at the chunk's
// first pair.
struct MirroredDoubles {
  const double* errors;
  const SplitAngles* anchor;
  const Angles* offset;
};

// One vector of pairs of the row after the anchor (kAfter), or of its mirrored row before the anchor, from
// pair `at` of the chunk on, rounded to double. With anchor and offset split, S = s + s_low and so on, e.g.
// for the row after:
//
//   sine = (s bc + c bs) + (s_low bc + S bc_low + c_low bs + C bs_low)
//
// The first sum is exact; the second one, with the bound added and taken off, is rounded to double with it
// (`RoundSum`). Returns the pairs with an undecided entry. Callers take both rows one after the other, so
// that the compiler keeps the loads and products that are the same for both.
//
// Error: the bound that `EvaluateAngles` computes.
// Worst known of 3 * 10^7 entries of random runs at positions up to 2^14: 2^-73.0, 0.47 of its bound, the
// same with and without FMA: a sine, position 340 of the run from 277, step 0x1.ff7ae543d9178p-1 +
// 0x1.ce6d02188614p-59:
//
//   got -0x1.0845148cb3eacp-1 - 0x1.7699a295e9daap-27, want -0x1.084514ea5a53657a77aap-1
//
// Hardest: `worst_cases.inc` has entries 2^-74.6 from midpoints, of 2.5 * 10^9.
template <bool kAfter>
HWY_INLINE hn::Mask<Doubles> RoundMirrored(const MirroredDoubles& angles, std::size_t at, DoubleVec& sine,
                                           DoubleVec& cosine) {
  const Doubles d;
  const Angles& a = angles.anchor->parts;
  const Angles& b = *angles.offset;
  const auto s = hn::Load(d, a.sines + at), s_low = hn::Load(d, a.sines_low + at);
  const auto c = hn::Load(d, a.cosines + at), c_low = hn::Load(d, a.cosines_low + at);
  const auto s_whole = hn::Load(d, angles.anchor->whole_sines + at);
  const auto c_whole = hn::Load(d, angles.anchor->whole_cosines + at);
  const auto bs = hn::Load(d, b.sines + at), bs_low = hn::Load(d, b.sines_low + at);
  const auto bc = hn::Load(d, b.cosines + at), bc_low = hn::Load(d, b.cosines_low + at);
  const auto error = hn::Load(d, angles.errors + at);

  const auto sc = hn::Mul(s, bc);
  const auto sc_low = hn::MulAdd(s_low, bc, hn::Mul(s_whole, bc_low));
  const auto cs_low = hn::MulAdd(c_low, bs, hn::Mul(c_whole, bs_low));
  const auto sine_high = kAfter ? hn::MulAdd(c, bs, sc) : MinusProduct(c, bs, sc);
  const auto sine_low = kAfter ? hn::Add(sc_low, cs_low) : hn::Sub(sc_low, cs_low);
  const auto undecided = RoundSum(sine_high, sine_low, error, sine);

  const auto cc = hn::Mul(c, bc);
  const auto cc_low = hn::MulAdd(c_low, bc, hn::Mul(c_whole, bc_low));
  const auto ss_low = hn::MulAdd(s_low, bs, hn::Mul(s_whole, bs_low));
  const auto cosine_high = kAfter ? MinusProduct(s, bs, cc) : hn::MulAdd(s, bs, cc);
  const auto cosine_low = kAfter ? hn::Sub(cc_low, ss_low) : hn::Add(cc_low, ss_low);
  return hn::Or(undecided, RoundSum(cosine_high, cosine_low, error, cosine));
}

// Stores one vector of pairs, pair i on, in the columns of a row.
template <bool kInterleaved>
HWY_INLINE void StoreDoublePairs(const Columns& columns, DoubleVec s, DoubleVec c, double* row, std::size_t i,
                                 bool stream) {
  if constexpr (kInterleaved) {
    StoreInterleavedDoubles(s, c, row + columns.sine_offset + 2 * i, stream);
  } else {
    StoreVector(Doubles(), s, row + columns.sine_offset + i, stream);
    StoreVector(Doubles(), c, row + columns.cosine_offset + i, stream);
  }
}

// Two mirrored rows: their positions, and where they are written.
struct DoubleRows {
  double position[2];
  unsigned char* to[2];
};

// The hot loop: the pairs i .. end - 1 of two mirrored rows, whole vectors of them. Stops at the first vector
// with an undecided pair, stores nothing of it, and returns its first pair. Returns `end` if there is no such
// vector.
//
// Undecided: one pair in 3,000, left to `FinishMirroredDoubles`. Sines below 2^-22 always are.
template <bool kInterleaved>
HWY_NOINLINE std::size_t AngleAdditionDoubleLoop(const Columns& columns, const MirroredDoubles& angles,
                                                 std::size_t begin, const DoubleRows& rows, bool stream,
                                                 std::size_t i, std::size_t end) {
  const Doubles d;
  const Columns to = columns;
  const MirroredDoubles p = angles;
  auto* row0 = reinterpret_cast<double*>(rows.to[0]);
  auto* row1 = reinterpret_cast<double*>(rows.to[1]);
  for (; i < end; i += hn::Lanes(d)) {
    DoubleVec s0, c0, s1, c1;
    const auto undecided0 = RoundMirrored<false>(p, i - begin, s0, c0);
    const auto undecided1 = RoundMirrored<true>(p, i - begin, s1, c1);
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Or(undecided0, undecided1)))) break;
    StoreDoublePairs<kInterleaved>(to, s0, c0, row0, i, stream);
    StoreDoublePairs<kInterleaved>(to, s1, c1, row1, i, stream);
  }
  return i;
}

// One vector of one row into buffers: as it was added up, or by the direct kernel if a pair is undecided.
HWY_INLINE void FinishDoubles(const PairsAt& pairs, hn::Mask<Doubles> undecided, DoubleVec sine,
                              DoubleVec cosine, double* sines, double* cosines) {
  const Doubles d;
  if (hn::AllFalse(d, undecided)) {
    hn::Store(sine, d, sines);
    hn::Store(cosine, d, cosines);
  } else {
    EvaluateDoubles(pairs, hn::Lanes(d), {sines, cosines, 1});
    pairs.tally.direct += hn::Lanes(d);
  }
}

// One vector of two mirrored rows that the hot loop leaves: with undecided pairs, at the end of a row, or of
// rows that are not aligned.
inline HWY_NOINLINE void FinishMirroredDoubles(const FrequencyTable& table, const Columns& columns,
                                               const MirroredDoubles& angles, std::size_t begin,
                                               const DoubleRows& rows, std::size_t i, Tally& tally) {
  const Doubles d;
  HWY_ALIGN double sines[2][kMaxLanes<Doubles>];
  HWY_ALIGN double cosines[2][kMaxLanes<Doubles>];
  DoubleVec s0, c0, s1, c1;
  const auto undecided0 = RoundMirrored<false>(angles, i - begin, s0, c0);
  const auto undecided1 = RoundMirrored<true>(angles, i - begin, s1, c1);
  const PairsAt before = {table, {nullptr, rows.position[0]}, i, tally};
  const PairsAt after = {table, {nullptr, rows.position[1]}, i, tally};
  FinishDoubles(before, undecided0, s0, c0, sines[0], cosines[0]);
  FinishDoubles(after, undecided1, s1, c1, sines[1], cosines[1]);
  for (std::size_t r = 0; r < 2; ++r) {
    StoreSomeDoubles(columns, i, hn::Lanes(d), sines[r], cosines[r], rows.to[r]);
  }
}

// data = PE for one run: chunk by chunk, group by group, two mirrored rows at a time.
inline HWY_NOINLINE void FillDoubleRun(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                                       const Run& run, Tally& tally) {
  const auto hot_loop =
      columns.Interleaved() ? &AngleAdditionDoubleLoop<true> : &AngleAdditionDoubleLoop<false>;
  const std::size_t lanes = hn::Lanes(Doubles());
  const std::size_t whole = HoldDoubles(rows) ? columns.cosines / lanes * lanes : 0;
  DoubleAnchors anchors;
  for (std::size_t begin = 0; begin < columns.sines; begin += kDoubleChunkPairs) {
    const std::size_t end = HWY_MIN(begin + kDoubleChunkPairs, columns.sines);
    const std::size_t count = end - begin, whole_end = HWY_MIN(whole, end);
    EvaluateAngles(table, run, begin, count, anchors);
    MakeOffsets(run, count, anchors);
    for (std::size_t n = 0; n < run.groups * run.half; ++n) {
      const std::size_t g = n / run.half, k = n % run.half;
      if (k == 0) MoveDoubleAnchor(run, g, count, anchors);
      const MirroredDoubles angles = {anchors.errors, &anchors.anchor, &anchors.offsets[k]};
      DoubleRows mirrored;
      for (std::size_t r = 0; r < 2; ++r) {
        const std::size_t row = r == 0 ? run.Before(g, k) : run.After(g, k);
        mirrored.position[r] = static_cast<double>(run.first + static_cast<std::int64_t>(row));
        mirrored.to[r] = RowAt(rows, sizeof(double), run.begin + row).to;
      }
      for (std::size_t i = begin; i < end; i += lanes) {
        if (i < whole_end) {
          i = hot_loop(columns, angles, begin, mirrored, rows.stream, i, whole_end);
          if (i >= end) break;
        }
        FinishMirroredDoubles(table, columns, angles, begin, mirrored, i, tally);
      }
    }
  }
}
#endif  // HWY_SCALAR

// data = PE, rounded to double: consecutive positions without a phase rounding by angle addition, in runs of
// at least kMinDoubleRun rows; all other rows by the direct kernel.
inline HWY_NOINLINE Tally WriteDoubles(const FrequencyTable& table, const Columns& columns,
                                       const Rows& rows) {
  Tally tally;
  std::size_t begin = 0;
#if HWY_TARGET != HWY_SCALAR
  if (rows.at.IsRun() && table.phase_rounding.IsNone() && columns.AreCommon()) {
    while (rows.at.count - begin >= kMinDoubleRun) {
      const std::int64_t first = rows.at.first + static_cast<std::int64_t>(begin);
      const Run run = LongestRun(first, begin, rows.at.count - begin, kMaxGroups);
      FillDoubleRun(table, columns, rows, run, tally);
      begin += run.count();
    }
  }
#endif
  DirectDoubles(table, columns, rows, begin, tally);
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ANGLE_ADDITION_DOUBLE_INL_H_
