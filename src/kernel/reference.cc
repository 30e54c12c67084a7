#include "number/exact.h"

#include "kernel/reference.h"

#include <cmath>
#include <cstring>

#include "kernel/heads.h"
#include "kernel/wide_sincos.h"
#include "number/bounds.h"
#include "number/double_double.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// The biased exponent of a double.
int ExponentOf(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return static_cast<int>(bits >> 52 & 0x7FF);
}

// Sine and cosine of multiple * (high + low) quarter turns, rounded to a type shorter than double, next to
// whole quarter turns: for 2^-100 < |r| < 2^-30, where one of the entries is 1 or -1, to 2^-59. It trusts at
// most 50 bits of the other one, pi/2 r, and knows no angle exactly. False for other angles, for the type
// double, and if these bits leave an entry undecided.
bool RoundNextToQuarterTurns(double multiple, double high, double low, posenc_type type, double* sine,
                             double* cosine) {
  constexpr double kNearest = 0x1.8p52, kHalfPi = 0x1.921fb54442d18p0;
  const DoubleDouble phase = ExactProduct(multiple, high);
  if (type == POSENC_F64 || !(std::fabs(phase.high) < kLargestPhase)) return false;
  const double whole = phase.high + kNearest - kNearest;
  const double r = phase.high - whole + (phase.low + multiple * low);
  if (!(std::fabs(r) < 0x1p-30 && std::fabs(r) > 0x1p-100)) return false;
  // The phase is good to 2^-96; r rounds once more, and so does its sine, which is pi/2 r to 2^-59.
  const int phase_bits = 95 - (ExponentOf(phase.high) - ExponentOf(r));
  bool decided = true;
  const double s = RoundToType(FromDouble<4>(kHalfPi * r), type, phase_bits < 50 ? phase_bits : 50, &decided);
  const auto quarter_turns = static_cast<std::int64_t>(whole);
  const bool swap = (quarter_turns & 1) != 0, negate_sine = (quarter_turns & 2) != 0;
  *sine = swap ? 1.0 : s;
  *cosine = swap ? s : 1.0;
  if (negate_sine) *sine = -*sine;
  if (negate_sine != swap) *cosine = -*cosine;
  return decided;
}

// Sine and cosine of one pair at a multiple, each rounded once to a type: beside whole quarter turns in
// double, else in wide arithmetic.
void RecomputeEntries(const FrequencyTable& table, std::size_t pair, double multiple, posenc_type type,
                      double* sine, double* cosine, Tally& tally) {
  ++tally.recomputed;
  const double high = table.unreduced_high[pair], low = table.unreduced_low[pair];
  if (table.has_rational || !RoundNextToQuarterTurns(multiple, high, low, type, sine, cosine)) {
    const RoundedSinCos exact = RoundExactly(table, pair, multiple, nullptr, kNoGain, type, tally);
    *sine = exact.sine;
    *cosine = exact.cosine;
  }
}

}  // namespace

template <class Value>
void RecomputePairs(const PairsAt& pairs, posenc_type type, const std::uint64_t* undecided, std::size_t lanes,
                    Value* sines, Value* cosines, std::size_t step) {
  for (std::size_t k = 0; k < lanes; ++k) {
    const std::size_t pair = pairs.begin + k;
    if (undecided[k] == 0 || pair >= pairs.table.count)
      continue;  // past the pairs, lanes only fill the vector
    double sine, cosine;
    RecomputeEntries(pairs.table, pair, pairs.multiples[k], type, &sine, &cosine, pairs.tally);
    sines[k * step] = static_cast<Value>(sine);
    cosines[k * step] = static_cast<Value>(cosine);
  }
}
template void RecomputePairs(const PairsAt&, posenc_type, const std::uint64_t*, std::size_t, float*, float*,
                             std::size_t);
template void RecomputePairs(const PairsAt&, posenc_type, const std::uint64_t*, std::size_t, double*, double*,
                             std::size_t);

Tally ReferenceRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, posenc_type type,
                    const float* scale) {
  const std::size_t size = ElementSize(type);
  Tally tally;
  for (std::size_t i = 0; i < columns.pairs(); ++i) {
    const Phase<4> phase(table, i);
    for (std::size_t r = 0; r < rows.at.count; ++r) {
      double multiple = rows.at[r];
      if (!table.phase_rounding.IsNone()) table.FillPhases(rows.at[r], i, 1, &multiple);
      const posenc_type rounded = scale == nullptr ? type : POSENC_F32;
      const RoundedSinCos exact = RoundExactly(table, i, multiple, &phase, kNoGain, rounded, tally);
      const Row row = RowAt(rows, size, r);
      const auto store = [&](double entry, std::size_t column) {
        if (type == POSENC_F64) return StoreDoubles(&entry, 1, 1, row.to + column * size);
        const auto narrow = static_cast<float>(entry);
        StoreEntries(type, &narrow, {}, 0, 1, scale, {row.from + column * size, row.to + column * size});
      };
      if (i < columns.sines) store(exact.sine, columns.sine_offset + i * columns.step);
      if (i < columns.cosines) store(exact.cosine, columns.cosine_offset + i * columns.step);
    }
  }
  tally.recomputed = columns.pairs() * rows.at.count;
  return tally;
}

}  // namespace internal
}  // namespace posenc
