// The run-of-rows kernel: groups of rows around an anchor half-way between two positions, each row the
// anchor rotated. Rows at equal distances share products and loads:
//
//   e^(iw(a + k)) and e^(iw(a - k)) from e^(iwa) and e^(iwk), k = 1/2, 3/2, ...: 6 operations for 4 vectors
//
// What the rounding test flags, or is too small for its absolute error, is taken again by the direct
// kernel. Included once per target.
#if defined(POSENC_SRC_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_ROTATE_INL_H_
#undef POSENC_SRC_ROTATE_INL_H_
#else
#define POSENC_SRC_ROTATE_INL_H_
#endif

#include "direct-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Blocks (vectors of pairs) whose anchors wait on the stack while a group's rows are rotated: evaluating
// them together hides the latency of the polynomials, and their rotations stay in L1 for the next group.
constexpr std::size_t kChunkBlocks = 32;

// Fills [block][k][cosines, sines] of (k + 1/2) steps, a vector each, k < table.reach.
HWY_NOINLINE void MakeRotations(const FrequencyTable& table, double* rotations) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  DoubleVec sine, cosine;
  for (std::size_t i = 0; i < table.count; i += lanes) {
    for (std::size_t k = 0; k < table.reach; ++k, rotations += 2 * lanes) {
      SinCos(d, hn::Set(d, static_cast<double>(k) + 0.5), hn::LoadU(d, table.high + i),
             hn::LoadU(d, table.low + i), sine, cosine);
      hn::StoreU(cosine, d, rotations);
      hn::StoreU(sine, d, rotations + lanes);
    }
  }
}

// Rows around an anchor, at positions of one sign.
template <class Operation>
struct Group {
  std::int64_t first;  // position of rows[0]
  std::size_t half;    // rows on either side, at most table.reach
  bool aligned;        // to elements, all of them
  bool stream;
  Row<Operation> rows[2 * kMaxReach];
};

// Per block: sines and cosines of the anchor, and the exempt lanes as bit 30 of both words.
template <class Operation>
HWY_INLINE void MakeAnchors(const FrequencyTable& table, const Group<Operation>& group, std::size_t begin,
                            std::size_t end, double* anchors) {
  const Doubles d;
  const Longs du;
  const std::size_t lanes = hn::Lanes(d);
  const double anchor = static_cast<double>(group.first) + static_cast<double>(group.half) - 0.5;
  const double last = static_cast<double>(group.first) + static_cast<double>(2 * group.half - 1);
  const auto extent = hn::Set(d, group.first < 0 ? -static_cast<double>(group.first) : last);
  // For float16 no lane is but those of frequency 0, since what it rounds below 2^-14 is subnormal.
  const auto limit = hn::Set(d, Operation::kFormat == kFloat16 ? 0.0 : kExemptQuarterTurns);
  DoubleVec sine, cosine;
  for (std::size_t i = begin; i < end; i += lanes, anchors += 3 * lanes) {
    const auto high = hn::LoadU(d, table.high + i);
    SinCos(d, hn::Set(d, anchor), high, hn::LoadU(d, table.low + i), sine, cosine);
    const auto exempt = hn::RebindMask(du, hn::Le(hn::Mul(hn::Abs(high), extent), limit));
    hn::StoreU(sine, d, anchors);
    hn::StoreU(cosine, d, anchors + lanes);
    hn::StoreU(hn::BitCast(d, hn::IfThenElseZero(exempt, hn::Set(du, 0x4000000040000000u))), d,
               anchors + 2 * lanes);
  }
}

// e^(i anchor) * e^(+-i rotation).
HWY_INLINE void Rotate(DoubleVec sine, DoubleVec cosine, const double* rotation, DoubleVec& sine_plus,
                       DoubleVec& cosine_plus, DoubleVec& sine_minus, DoubleVec& cosine_minus) {
  const Doubles d;
  const auto c = hn::LoadU(d, rotation);
  const auto s = hn::LoadU(d, rotation + hn::Lanes(d));
  const auto sc = hn::Mul(sine, c);
  const auto cc = hn::Mul(cosine, c);
  sine_plus = hn::MulAdd(cosine, s, sc);
  sine_minus = hn::NegMulAdd(cosine, s, sc);
  cosine_plus = hn::NegMulAdd(sine, s, cc);
  cosine_minus = hn::MulAdd(sine, s, cc);
}

// count entries or a vector of words, contiguous in the row from column on.
template <class Operation>
HWY_INLINE void StoreWords(const Operation& operation, WordVec entries, std::size_t column, std::size_t count,
                           [[maybe_unused]] const Group<Operation>& group, const Row<Operation>& row) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<float> df;
  if (HWY_LIKELY(group.aligned && count >= hn::Lanes(df))) {
    return StoreLanes(operation, df, hn::BitCast(df, entries), row.from + column, row.to + column,
                      group.stream);
  }
#endif
  HWY_ALIGN hn::TFromD<Words> buffer[2 * hn::MaxLanes(Doubles())];
  hn::StoreU(entries, Words(), buffer);
  StoreFew(operation, reinterpret_cast<const float*>(buffer), HWY_MIN(count, 2 * hn::Lanes(Doubles())), 1,
           row.from + column, row.to + column);
}

// [a0 b0 a1 b1 ...] to [a0 a1 ... b0 b1 ...].
HWY_INLINE WordVec Deinterleave(WordVec v) {
#if HWY_TARGET == HWY_SCALAR
  return v;
#else
  const Words dw;
  const auto half = static_cast<std::uint32_t>(hn::Lanes(dw) / 2);
  const auto lane = hn::Iota(dw, 0);
  const auto twice = hn::Add(lane, lane);
  const auto upper = hn::Not(hn::Eq(hn::And(lane, hn::Set(dw, half)), hn::Zero(dw)));
  const auto index = hn::IfThenElse(upper, hn::Sub(twice, hn::Set(dw, 2 * half - 1)), twice);
  return hn::TableLookupLanes(v, hn::IndicesFromVec(dw, index));
#endif
}

// The rows at distance k + 1/2 from the anchor once more, by the direct kernel: first the row after the
// anchor, then that before. Rare: about one call in 150.
//
// Interleaved: [s0 c0 s1 c1 ...] of the pairs from i on. Halves: [s0 s'0 s1 s'1 ...] and [c0 c'0 c1 c'1 ...],
// with s' and c' a vector further on.
template <bool kInterleaved, class Operation>
HWY_NOINLINE void DirectEntries(const FrequencyTable& table, const Group<Operation>& group, std::size_t k,
                                std::size_t i, Tally& tally, hn::TFromD<Words>* entries) {
  const Words dw;
  const std::size_t lanes = hn::Lanes(Doubles());
  FloatVec sines, cosines, sines_b, cosines_b;
  for (const std::size_t r : {group.half + k, group.half - 1 - k}) {
    const std::int64_t position = group.first + static_cast<std::int64_t>(r);
    RoundedPairs<Recipe::kExact, Operation::kFormat>(table, position, i, tally, sines, cosines);
    tally.direct += lanes;
    if constexpr (kInterleaved) {
      hn::StoreU(InterleaveFloats(sines, cosines), dw, entries);
      entries += hn::Lanes(dw);
    } else {
      RoundedPairs<Recipe::kExact, Operation::kFormat>(table, position, i + lanes, tally, sines_b, cosines_b);
      hn::StoreU(InterleaveFloats(sines, sines_b), dw, entries);
      hn::StoreU(InterleaveFloats(cosines, cosines_b), dw, entries + hn::Lanes(dw));
      tally.direct += lanes;
      entries += 2 * hn::Lanes(dw);
    }
  }
}

// One block of pairs: [s0 c0 s1 c1 ...].
template <class Operation>
HWY_INLINE void RotateInterleaved(const FrequencyTable& table, const Columns& columns,
                                  const Operation& operation, const Group<Operation>& group, std::size_t i,
                                  const double* anchors, Tally& tally) {
  const Doubles d;
  const Words dw;
  const std::size_t lanes = hn::Lanes(d);
  const auto sine = hn::LoadU(d, anchors);
  const auto cosine = hn::LoadU(d, anchors + lanes);
  const auto exempt = hn::BitCast(dw, hn::LoadU(d, anchors + 2 * lanes));
  const double* rotation = table.rotations + 2 * i * table.reach;
  const std::size_t count = columns.sines + columns.cosines - 2 * i;
  HWY_ALIGN hn::TFromD<Words> direct[2 * hn::MaxLanes(dw)];
  DoubleVec s1, c1, s2, c2;
  WordVec plus, minus;
  for (std::size_t k = 0; k < group.half; ++k, rotation += 2 * lanes) {
    Rotate(sine, cosine, rotation, s1, c1, s2, c2);
    const auto near = hn::Or(RoundRotated<Operation::kFormat>(s1, c1, plus),
                             RoundRotated<Operation::kFormat>(s2, c2, minus));
    const auto small = NotLarge(hn::Or(hn::And(Large(plus), Large(minus)), exempt));
    if (HWY_UNLIKELY(!hn::AllFalse(dw, hn::Or(near, small)))) {
      DirectEntries<true>(table, group, k, i, tally, direct);
      plus = hn::Load(dw, direct);
      minus = hn::Load(dw, direct + hn::Lanes(dw));
    }
    StoreWords(operation, plus, 2 * i, count, group, group.rows[group.half + k]);
    StoreWords(operation, minus, 2 * i, count, group, group.rows[group.half - 1 - k]);
  }
}

// Two blocks of pairs: [s0 s1 ...] and [c0 c1 ...].
template <class Operation>
HWY_INLINE void RotateHalves(const FrequencyTable& table, const Columns& columns, const Operation& operation,
                             const Group<Operation>& group, std::size_t i, const double* anchors,
                             Tally& tally) {
  const Doubles d;
  const Words dw;
  const std::size_t lanes = hn::Lanes(d);
  const auto sine_a = hn::LoadU(d, anchors);
  const auto cosine_a = hn::LoadU(d, anchors + lanes);
  const auto sine_b = hn::LoadU(d, anchors + 3 * lanes);
  const auto cosine_b = hn::LoadU(d, anchors + 4 * lanes);
  WordVec exempt, unused;
  InterleaveWords(hn::BitCast(Longs(), hn::LoadU(d, anchors + 2 * lanes)),
                  hn::BitCast(Longs(), hn::LoadU(d, anchors + 5 * lanes)), exempt, unused);
  const double* rotation_a = table.rotations + 2 * i * table.reach;
  const double* rotation_b = rotation_a + 2 * lanes * table.reach;
  const std::size_t sine_column = columns.sine_offset + i;
  const std::size_t cosine_column = columns.cosine_offset + i;
  const std::size_t cosines = columns.cosines > i ? columns.cosines - i : 0;
  HWY_ALIGN hn::TFromD<Words> direct[4 * hn::MaxLanes(dw)];
  DoubleVec s1a, c1a, s2a, c2a, s1b, c1b, s2b, c2b;
  WordVec s1, c1, s2, c2;
  for (std::size_t k = 0; k < group.half; ++k, rotation_a += 2 * lanes, rotation_b += 2 * lanes) {
    Rotate(sine_a, cosine_a, rotation_a, s1a, c1a, s2a, c2a);
    Rotate(sine_b, cosine_b, rotation_b, s1b, c1b, s2b, c2b);
    const auto near1 = hn::Or(RoundRotated<Operation::kFormat>(s1a, s1b, s1),
                              RoundRotated<Operation::kFormat>(c1a, c1b, c1));
    const auto near2 = hn::Or(RoundRotated<Operation::kFormat>(s2a, s2b, s2),
                              RoundRotated<Operation::kFormat>(c2a, c2b, c2));
    const auto large = hn::And(hn::And(Large(s1), Large(c1)), hn::And(Large(s2), Large(c2)));
    const auto small = NotLarge(hn::Or(large, exempt));
    if (HWY_UNLIKELY(!hn::AllFalse(dw, hn::Or(hn::Or(near1, near2), small)))) {
      DirectEntries<false>(table, group, k, i, tally, direct);
      s1 = hn::Load(dw, direct);
      c1 = hn::Load(dw, direct + hn::Lanes(dw));
      s2 = hn::Load(dw, direct + 2 * hn::Lanes(dw));
      c2 = hn::Load(dw, direct + 3 * hn::Lanes(dw));
    }
    const Row<Operation>& plus = group.rows[group.half + k];
    const Row<Operation>& minus = group.rows[group.half - 1 - k];
    StoreWords(operation, Deinterleave(s1), sine_column, columns.sines - i, group, plus);
    StoreWords(operation, Deinterleave(c1), cosine_column, cosines, group, plus);
    StoreWords(operation, Deinterleave(s2), sine_column, columns.sines - i, group, minus);
    StoreWords(operation, Deinterleave(c2), cosine_column, cosines, group, minus);
  }
}

// A run of positions of one sign: rows begin .. end - 1 of a block.
template <bool kInterleaved, class Operation>
HWY_NOINLINE void RotateRows(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                             const Operation& operation, std::size_t begin, std::size_t end, Tally& tally) {
  const std::size_t lanes = hn::Lanes(Doubles());
  constexpr std::size_t kBlocks = kInterleaved ? 1 : 2;
  HWY_ALIGN double anchors[(kChunkBlocks + 1) * 3 * hn::MaxLanes(Doubles())];
  Group<Operation> group;
  group.aligned = IsAligned<Operation>(rows);
  group.stream = rows.stream;
  for (std::size_t pair = 0; pair < columns.sines; pair += kChunkBlocks * lanes) {
    const std::size_t pair_end = HWY_MIN(pair + kChunkBlocks * lanes, columns.sines);
    for (std::size_t row = begin; row + 1 < end; row += 2 * group.half) {
      group.half = HWY_MIN(table.reach, (end - row) / 2);
      group.first = rows.first + static_cast<std::int64_t>(row);
      for (std::size_t r = 0; r < 2 * group.half; ++r) group.rows[r] = RowAt<Operation>(rows, row + r);
      MakeAnchors(table, group, pair, pair_end + (kBlocks - 1) * lanes, anchors);
      const double* at = anchors;
      for (std::size_t i = pair; i < pair_end; i += kBlocks * lanes, at += kBlocks * 3 * lanes) {
        if constexpr (kInterleaved) {
          RotateInterleaved(table, columns, operation, group, i, at, tally);
        } else {
          RotateHalves(table, columns, operation, group, i, at, tally);
        }
      }
    }
  }
}

HWY_INLINE void AddTally(const Tally& from, Tally& to) {
  to.direct += from.direct;
  to.recomputed += from.recomputed;
  to.undecided += from.undecided;
}

// Consecutive positions. Position 0 and odd rows out go to the direct kernel.
template <class Operation>
HWY_INLINE Tally RotatedRows(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                             const Operation& operation) {
  Tally tally;
  for (std::size_t begin = 0; begin < rows.count;) {
    const std::int64_t first = rows.first + static_cast<std::int64_t>(begin);
    std::size_t count = first == 0 ? 1 : rows.count - begin;
    if (first < 0) count = HWY_MIN(count, static_cast<std::size_t>(-first));
    if (count > 1) {
      count -= count % 2;
      if (columns.step == 2) {
        RotateRows<true>(table, columns, rows, operation, begin, begin + count, tally);
      } else {
        RotateRows<false>(table, columns, rows, operation, begin, begin + count, tally);
      }
    } else {
      Rows one = rows;
      one.first = first;
      one.count = 1;
      one.data = static_cast<Stored<Operation>*>(rows.data) + begin * rows.stride;
      if (rows.sources != nullptr) one.sources = rows.sources + begin;
      AddTally(DirectRows(table, columns, one, operation), tally);
    }
    begin += count;
  }
  if (rows.stream) hwy::FlushStream();
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_ROTATE_INL_H_
