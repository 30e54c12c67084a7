// The direct kernel: rows at any positions, each entry from its own phase. One loop over the pairs of a
// row; the last few pairs take the same arithmetic through a small buffer. Included once per target.
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

// The sines and cosines of the pairs i .. i + Lanes - 1 at one position, rounded to the format.
template <Recipe kRecipe, ElementType kFormat>
HWY_INLINE void RoundedPairs(const FrequencyTable& table, std::int64_t position, std::size_t i, Tally& tally,
                             FloatVec& sines, FloatVec& cosines) {
  const Doubles d;
  const Floats df;
  DoubleVec sine, cosine;
  hn::Mask<Doubles> flagged;
  if constexpr (kRecipe == Recipe::kExact) {
    flagged = SinCos(d, hn::Set(d, static_cast<double>(position)), hn::LoadU(d, table.high + i),
                     hn::LoadU(d, table.low + i), sine, cosine);
  } else {
    const auto radians =
        hn::Div(hn::Set(df, static_cast<float>(position)), hn::LoadU(df, table.divisors + i));
    flagged = SinCos(d, hn::PromoteTo(d, radians), hn::Set(d, kTwoOverPiHigh), hn::Set(d, kTwoOverPiLow),
                     sine, cosine);
  }
  flagged = hn::Or(flagged, RoundDirect<kFormat>(sine, sines));
  flagged = hn::Or(flagged, RoundDirect<kFormat>(cosine, cosines));
  if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
    const Longs du;
    const std::size_t lanes = hn::Lanes(d);
    HWY_ALIGN std::uint64_t flags[hn::MaxLanes(d)];
    HWY_ALIGN float entries[2 * hn::MaxLanes(d)];
    hn::Store(hn::BitCast(du, hn::VecFromMask(d, flagged)), du, flags);
    hn::StoreU(sines, df, entries);
    hn::StoreU(cosines, df, entries + lanes);
    RecomputePairs(table, kFormat, position, i, flags, lanes, entries, entries + lanes, tally);
    sines = hn::LoadU(df, entries);
    cosines = hn::LoadU(df, entries + lanes);
  }
}

// One row on its way: where it is read and where it is written.
template <class Operation>
struct Row {
  const Stored<Operation>* from;
  Stored<Operation>* to;
};

template <class Operation>
HWY_INLINE Row<Operation> RowAt(const Rows& rows, std::size_t r) {
  auto* to = static_cast<Stored<Operation>*>(rows.data) + r * rows.stride;
  if (!Operation::kReads || rows.sources == nullptr) return {to, to};
  return {static_cast<const Stored<Operation>*>(rows.sources[r]), to};
}

// Vectors may access elements at any multiple of their size; other pointers take the buffer for all.
template <class Operation>
HWY_INLINE bool IsAligned(const Rows& rows) {
  std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(rows.data);
  if (Operation::kReads && rows.sources != nullptr) {
    for (std::size_t r = 0; r < rows.count; ++r) bits |= reinterpret_cast<std::uintptr_t>(rows.sources[r]);
  }
  return bits % sizeof(Stored<Operation>) == 0;
}

// The sines and cosines of the pairs from i on, as many as there are up to a vector, to a row.
template <class Operation>
HWY_INLINE void StoreFewPairs(const Operation& operation, const Columns& columns, std::size_t i,
                              FloatVec sines, FloatVec cosines, const Row<Operation>& row) {
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  HWY_ALIGN float buffer[hn::MaxLanes(df)];
  const std::size_t sine = columns.sine_offset + i * columns.step;
  hn::StoreU(sines, df, buffer);
  StoreFew(operation, buffer, HWY_MIN(columns.sines - i, lanes), columns.step, row.from + sine,
           row.to + sine);
  if (i >= columns.cosines) return;
  const std::size_t cosine = columns.cosine_offset + i * columns.step;
  hn::StoreU(cosines, df, buffer);
  StoreFew(operation, buffer, HWY_MIN(columns.cosines - i, lanes), columns.step, row.from + cosine,
           row.to + cosine);
}

// A whole vector of each.
template <bool kInterleaved, class Operation>
HWY_INLINE void StorePairs(const Operation& operation, const Columns& columns, std::size_t i, FloatVec sines,
                           FloatVec cosines, const Row<Operation>& row) {
#if HWY_TARGET == HWY_SCALAR
  if constexpr (kInterleaved) return StoreFewPairs(operation, columns, i, sines, cosines, row);
#else
  if constexpr (kInterleaved) {
    const hn::ScalableTag<float> df;
    return StoreLanes(operation, df, Join<true>(sines, cosines), row.from + 2 * i, row.to + 2 * i, false);
  }
#endif
  const Floats df;
  const std::size_t sine = columns.sine_offset + i;
  const std::size_t cosine = columns.cosine_offset + i;
  StoreLanes(operation, df, sines, row.from + sine, row.to + sine, false);
  StoreLanes(operation, df, cosines, row.from + cosine, row.to + cosine, false);
}

template <Recipe kRecipe, bool kInterleaved, class Operation>
HWY_NOINLINE Tally DirectRowsOf(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                                const Operation& operation) {
  const std::size_t lanes = hn::Lanes(Floats());
  const std::size_t whole = IsAligned<Operation>(rows) ? columns.cosines / lanes * lanes : 0;
  Tally tally;
  FloatVec sines, cosines;
  for (std::size_t r = 0; r < rows.count; ++r) {
    const Row<Operation> row = RowAt<Operation>(rows, r);
    const std::int64_t position = rows.Position(r);
    std::size_t i = 0;
    for (; i < whole; i += lanes) {
      RoundedPairs<kRecipe, Operation::kFormat>(table, position, i, tally, sines, cosines);
      StorePairs<kInterleaved>(operation, columns, i, sines, cosines, row);
    }
    for (; i < columns.sines; i += lanes) {
      RoundedPairs<kRecipe, Operation::kFormat>(table, position, i, tally, sines, cosines);
      StoreFewPairs(operation, columns, i, sines, cosines, row);
    }
  }
  return tally;
}

template <class Operation>
HWY_INLINE Tally DirectRows(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                            const Operation& operation) {
  const bool interleaved = columns.step == 2;
  if (table.recipe == Recipe::kExact) {
    return interleaved ? DirectRowsOf<Recipe::kExact, true>(table, columns, rows, operation)
                       : DirectRowsOf<Recipe::kExact, false>(table, columns, rows, operation);
  }
  return interleaved ? DirectRowsOf<Recipe::kF32PowDiv, true>(table, columns, rows, operation)
                     : DirectRowsOf<Recipe::kF32PowDiv, false>(table, columns, rows, operation);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_DIRECT_INL_H_
