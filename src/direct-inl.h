// The direct kernel: rows at any positions, each entry from its own phase. One loop over the pairs of a
// row; the last few pairs take the same arithmetic through a small buffer. Included once per target.
#if defined(POSENC_SRC_DIRECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_DIRECT_INL_H_
#undef POSENC_SRC_DIRECT_INL_H_
#else
#define POSENC_SRC_DIRECT_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels.h"
#include "reference.h"
#include "sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;  // as many lanes
using FloatVec = hn::Vec<Floats>;

// What a row does with its entries: out = PE.
struct WriteEntries {
  HWY_INLINE FloatVec operator()(Floats /*df*/, FloatVec /*old*/, FloatVec entries) const { return entries; }
  static constexpr bool kReads = false;
};

// x = x * scale + PE, both operations rounded.
struct AddEntries {
  HWY_INLINE FloatVec operator()(Floats df, FloatVec x, FloatVec entries) const {
    return hn::Add(hn::Mul(x, hn::Set(df, scale)), entries);
  }
  static constexpr bool kReads = true;
  float scale;
};

// A vector of sines and one of cosines, starting with pair i, to a row of that layout.
template <bool kInterleaved, class Operation>
HWY_INLINE void StorePairs(const Operation& operation, const Columns& columns, std::size_t i, FloatVec sines,
                           FloatVec cosines, float* row) {
  const Floats df;
  if constexpr (kInterleaved) {
    float* to = row + 2 * i;
    FloatVec old_sines = sines, old_cosines = cosines;
    if constexpr (Operation::kReads) hn::LoadInterleaved2(df, to, old_sines, old_cosines);
    hn::StoreInterleaved2(operation(df, old_sines, sines), operation(df, old_cosines, cosines), df, to);
  } else {
    float* to_sines = row + columns.sine_offset + i;
    float* to_cosines = row + columns.cosine_offset + i;
    FloatVec old_sines = sines, old_cosines = cosines;
    if constexpr (Operation::kReads) {
      old_sines = hn::LoadU(df, to_sines);
      old_cosines = hn::LoadU(df, to_cosines);
    }
    hn::StoreU(operation(df, old_sines, sines), df, to_sines);
    hn::StoreU(operation(df, old_cosines, cosines), df, to_cosines);
  }
}

// count entries, step elements apart, at any alignment.
template <class Operation>
HWY_INLINE void StoreFew(const Operation& operation, FloatVec entries, std::size_t count, std::size_t step,
                         float* to) {
  const Floats df;
  HWY_ALIGN float buffer[hn::MaxLanes(df)];
  if constexpr (Operation::kReads) {
    hn::Store(entries, df, buffer);
    for (std::size_t k = 0; k < count; ++k) std::memcpy(&buffer[k], to + k * step, sizeof(float));
    entries = operation(df, hn::Load(df, buffer), entries);
  }
  hn::Store(entries, df, buffer);
  for (std::size_t k = 0; k < count; ++k) std::memcpy(to + k * step, &buffer[k], sizeof(float));
}

// The entries of the flagged lanes, taken again. Rare: about one pair in a million.
HWY_NOINLINE Tally Recompute(const FrequencyTable& table, std::int64_t position, std::size_t i,
                             const std::uint64_t* flags, float* entries) {
  const std::size_t lanes = hn::Lanes(Doubles());
  return RecomputePairs(table, position, i, flags, lanes, entries, entries + lanes);
}

// Correctly rounded sines and cosines of the pairs i .. i + Lanes - 1.
template <Recipe kRecipe>
HWY_INLINE void RoundedPairs(const FrequencyTable& table, std::int64_t position, std::size_t i, Tally& tally,
                             FloatVec& sines, FloatVec& cosines) {
  const Doubles d;
  const Floats df;
  hn::Vec<Doubles> sine, cosine;
  hn::Mask<Doubles> flagged;
  if constexpr (kRecipe == Recipe::kExact) {
    flagged = SinCos(d, hn::Set(d, static_cast<double>(position)), hn::Load(d, table.high + i),
                     hn::LoadU(d, table.low + i), sine, cosine);
  } else {
    const auto radians = hn::Div(hn::Set(df, static_cast<float>(position)), hn::LoadU(df, table.divisors + i));
    flagged = SinCos(d, hn::PromoteTo(d, radians), hn::Set(d, kTwoOverPiHigh), hn::Set(d, kTwoOverPiLow), sine,
                     cosine);
  }
  flagged = hn::Or(flagged, hn::Or(NearMidpoint(d, sine), NearMidpoint(d, cosine)));
  sines = hn::DemoteTo(df, sine);
  cosines = hn::DemoteTo(df, cosine);
  if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) {
    const hn::RebindToUnsigned<Doubles> du;
    HWY_ALIGN std::uint64_t flags[hn::MaxLanes(d)];
    HWY_ALIGN float entries[2 * hn::MaxLanes(df)];
    hn::Store(hn::BitCast(du, hn::VecFromMask(d, flagged)), du, flags);
    hn::StoreU(sines, df, entries);
    hn::StoreU(cosines, df, entries + hn::Lanes(df));
    const Tally here = Recompute(table, position, i, flags, entries);
    tally.recomputed += here.recomputed;
    tally.undecided += here.undecided;
    sines = hn::LoadU(df, entries);
    cosines = hn::LoadU(df, entries + hn::Lanes(df));
  }
}

template <Recipe kRecipe, bool kInterleaved, class Operation>
HWY_NOINLINE Tally DirectRows(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                              const Operation& operation) {
  const std::size_t lanes = hn::Lanes(Floats());
  // Vectors may store floats at any multiple of four bytes; other pointers take the buffer for all.
  const bool aligned = reinterpret_cast<std::uintptr_t>(rows.data) % alignof(float) == 0;
  const std::size_t whole = aligned ? columns.cosines / lanes * lanes : 0;
  Tally tally;
  FloatVec sines, cosines;
  for (std::size_t r = 0; r < rows.count; ++r) {
    float* row = rows.data + r * rows.stride;
    std::size_t i = 0;
    for (; i < whole; i += lanes) {
      RoundedPairs<kRecipe>(table, rows.positions[r], i, tally, sines, cosines);
      StorePairs<kInterleaved>(operation, columns, i, sines, cosines, row);
    }
    for (; i < columns.sines; i += lanes) {
      RoundedPairs<kRecipe>(table, rows.positions[r], i, tally, sines, cosines);
      StoreFew(operation, sines, HWY_MIN(columns.sines - i, lanes), columns.step,
               row + columns.sine_offset + i * columns.step);
      StoreFew(operation, cosines, HWY_MIN(columns.cosines - i, lanes), columns.step,
               row + columns.cosine_offset + i * columns.step);
    }
  }
  return tally;
}

template <class Operation>
HWY_INLINE Tally DirectRows(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                            const Operation& operation) {
  const bool interleaved = columns.step == 2;
  if (table.recipe == Recipe::kExact) {
    return interleaved ? DirectRows<Recipe::kExact, true>(table, columns, rows, operation)
                       : DirectRows<Recipe::kExact, false>(table, columns, rows, operation);
  }
  return interleaved ? DirectRows<Recipe::kF32PowDiv, true>(table, columns, rows, operation)
                     : DirectRows<Recipe::kF32PowDiv, false>(table, columns, rows, operation);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_DIRECT_INL_H_
