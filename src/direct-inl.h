// The direct kernel: rows at any positions, each entry from its own phase. Pairs are evaluated into a buffer
// of floats, then stored in any layout and type. Included once per target.
#if defined(POSENC_SRC_DIRECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_DIRECT_INL_H_
#undef POSENC_SRC_DIRECT_INL_H_
#else
#define POSENC_SRC_DIRECT_INL_H_
#endif

#include <cstdint>

#include "format-inl.h"
#include "hwy/highway.h"
#include "kernels.h"
#include "reference.h"
#include "sincos-inl.h"
#include "store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pairs that pass through a buffer together.
constexpr std::size_t kBufferPairs = 256;

// Rounded entries of kPairs pairs in the order of a row: [s0 c0 s1 c1 ...] in steps of 2, else sines and
// cosines apart. A vector more than may be needed.
template <std::size_t kPairs>
struct PairBuffer {
  static constexpr std::size_t kSize = kPairs + hn::MaxLanes(Doubles());
  HWY_ALIGN float entries[2 * kSize];

  float* Sines() { return entries; }
  float* Cosines(std::size_t step) { return entries + (step == 2 ? 1 : kSize); }
};

// Replaces the entries in flagged lanes by those of wide arithmetic.
template <class Value>
HWY_NOINLINE void RecomputeLanes(const FrequencyTable& table, ElementType format, double position,
                                 std::size_t i, hn::Vec<Longs> flags, Value* sines, Value* cosines,
                                 std::size_t step, Tally& tally) {
  HWY_ALIGN std::uint64_t lanes[hn::MaxLanes(Longs())];
  hn::Store(flags, Longs(), lanes);
  RecomputePairs(table, format, position, i, lanes, hn::Lanes(Longs()), sines, cosines, step, tally);
}

// Puts a vector of each into a PairBuffer.
HWY_INLINE void OrderPairs(FloatVec sine, FloatVec cosine, float* sines, float* cosines, std::size_t step) {
  const Floats df;
#if HWY_TARGET == HWY_SCALAR
  static_cast<void>(step);
#else
  if (step == 2) return hn::StoreU(Join<true>(sine, cosine), Entries(), sines);
#endif
  hn::StoreU(sine, df, sines);
  hn::StoreU(cosine, df, cosines);
}

// The steps of a table for one position.
struct Steps {
  const double* high;
  const double* low;
};

HWY_INLINE Steps StepsAt(const FrequencyTable& table, double position) {
  const bool is_whole = static_cast<double>(static_cast<std::int64_t>(position)) == position;
  if (is_whole) return {table.high, table.low};
  return {table.whole_high, table.whole_low};
}

// The phases of a vector of pairs from pair i on: multiple * (high + low), in quarter turns.
HWY_INLINE void LoadPhases(const FrequencyTable& table, const Steps& steps, double position, std::size_t i,
                           DoubleVec& multiple, DoubleVec& high, DoubleVec& low) {
  const Doubles d;
  multiple = hn::Set(d, position);
  high = hn::Set(d, kTwoOverPiHigh);
  low = hn::Set(d, kTwoOverPiLow);
  if (table.recipe == Recipe::kExact) {
    high = hn::LoadU(d, steps.high + i);
    low = hn::LoadU(d, steps.low + i);
  } else {
    const Floats df;
    const auto radians =
        hn::Div(hn::Set(df, static_cast<float>(position)), hn::LoadU(df, table.divisors + i));
    multiple = hn::PromoteTo(d, radians);
  }
}

// Whether phases at that position may be tiny but not 0.
HWY_INLINE bool MayBeTiny(double position) { return position > -1.0 && position < 1.0 && position != 0.0; }

// -0 becomes +0.
HWY_INLINE void ClearSignsOfZeros(DoubleVec& sine, DoubleVec& cosine) {
  const auto zero = hn::Zero(Doubles());
  sine = hn::Add(sine, zero);
  cosine = hn::Add(cosine, zero);
}

// The lanes in which multiple * high is less than least, but neither factor is 0.
HWY_INLINE hn::Mask<Doubles> IsTiny(DoubleVec multiple, DoubleVec high, double least) {
  const Doubles d;
  const auto is_zero = hn::Or(hn::Eq(multiple, hn::Zero(d)), hn::Eq(high, hn::Zero(d)));
  return hn::AndNot(is_zero, hn::Lt(hn::Abs(hn::Mul(multiple, high)), hn::Set(d, least)));
}

// The pairs begin .. begin + count - 1 at one position, whole vectors of them, in the order of a PairBuffer.
HWY_NOINLINE void EvaluatePairs(const FrequencyTable& table, ElementType format, double position,
                                std::size_t begin, std::size_t count, float* sines, float* cosines,
                                std::size_t step, Tally& tally) {
  const Doubles d;
  const RoundDirect round(format);
  const Steps steps = StepsAt(table, position);
  const bool is_special = MayBeTiny(position) || table.max_cancellation == 0.0;
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const std::size_t i = begin + at;
    DoubleVec multiple, high, low, sine, cosine;
    LoadPhases(table, steps, position, i, multiple, high, low);
    FloatVec rounded_sines, rounded_cosines;
    auto flagged = SinCos(d, multiple, high, low, table.max_cancellation, sine, cosine);
    if (HWY_UNLIKELY(is_special)) {
      flagged = hn::Or(flagged, IsTiny(multiple, high, kLeastPhase));
      ClearSignsOfZeros(sine, cosine);
    }
    flagged = hn::Or(flagged, round(sine, rounded_sines));
    flagged = hn::Or(flagged, round(cosine, rounded_cosines));
    float* sines_at = sines + step * at;
    float* cosines_at = cosines + step * at;
    OrderPairs(rounded_sines, rounded_cosines, sines_at, cosines_at, step);
    if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
      const auto flags = hn::BitCast(Longs(), hn::VecFromMask(d, flagged));
      RecomputeLanes(table, format, position, i, flags, sines_at, cosines_at, step, tally);
    }
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
    for (std::size_t r = 0; r < rows.count; ++r) bits |= reinterpret_cast<std::uintptr_t>(rows.sources[r]);
  }
  return bits % element_size == 0;
}

// What of the direct kernel depends on the type.
struct DirectRoutine {
  std::size_t element_size;
  ElementType format;  // of the encodings
  decltype(&StoreRun<WriteOperation<kFloat32>>) store;
};

template <class Operation>
constexpr DirectRoutine kDirectRoutine = {sizeof(Stored<Operation>), Operation::kFormat,
                                          &StoreRun<Operation>};

// Stores `count` pairs of a PairBuffer, from pair i on, to a row.
HWY_NOINLINE void StorePairs(const DirectRoutine& routine, float scale, const Columns& columns, std::size_t i,
                             std::size_t count, const float* sines, const float* cosines, const Row& row,
                             bool aligned, bool stream) {
  const std::size_t cosine_count = HWY_MIN(count, columns.cosines - HWY_MIN(i, columns.cosines));
  const std::size_t sine = (columns.sine_offset + i * columns.step) * routine.element_size;
  const std::size_t cosine = (columns.cosine_offset + i * columns.step) * routine.element_size;
  if (columns.step == 2) {
    return routine.store(scale, sines, count + cosine_count, row.from + sine, row.to + sine, aligned, stream);
  }
  routine.store(scale, sines, count, row.from + sine, row.to + sine, aligned, stream);
  routine.store(scale, cosines, cosine_count, row.from + cosine, row.to + cosine, aligned, stream);
}

HWY_NOINLINE Tally DirectRows(const DirectRoutine& routine, const FrequencyTable& table,
                              const Columns& columns, const Rows& rows, float scale) {
  const bool aligned = IsAligned(rows, routine.element_size);
  Tally tally;
  PairBuffer<kBufferPairs> buffer;
  float* sines = buffer.Sines();
  float* cosines = buffer.Cosines(columns.step);
  for (std::size_t r = 0; r < rows.count; ++r) {
    const Row row = RowAt(rows, routine.element_size, r);
    for (std::size_t i = 0; i < columns.sines; i += kBufferPairs) {
      const std::size_t count = HWY_MIN(columns.sines - i, kBufferPairs);
      EvaluatePairs(table, routine.format, rows.Position(r), i, count, sines, cosines, columns.step, tally);
      StorePairs(routine, scale, columns, i, count, sines, cosines, row, aligned, false);
    }
  }
  return tally;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_DIRECT_INL_H_
