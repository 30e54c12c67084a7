// Plans the arrays of a frequency table, lays them out in memory, and fills them.
#include "number/exact.h"

#include "frequency/table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "number/bounds.h"
#include "number/double_double.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

// A slice of a table shares the table's arrays. Some of its pointers still point to the table's first pair,
// the others to the slice's first pair.
enum class Begins { kWithTable, kWithSlice };

// Calls visit(start, rows, begins) for every array [rows, padded] that a table may have. rows is 0 if this
// table does not have the array.
template <class Table, class Visit>
void ForEachArray(Table& table, const Visit& visit) {
  visit(table.listed, table.schedule.IsListed() ? 1u : 0u, Begins::kWithTable);
  visit(table.factors, table.schedule.factors.count != 0 ? 1u : 0u, Begins::kWithTable);
  visit(table.high, 1u, Begins::kWithSlice);
  visit(table.low, 1u, Begins::kWithSlice);
  visit(table.unreduced_high, table.steps_are_reduced ? 1u : 0u, Begins::kWithSlice);
  visit(table.unreduced_low, table.steps_are_reduced ? 1u : 0u, Begins::kWithSlice);
  visit(table.rational, table.has_rational ? 1u : 0u, Begins::kWithSlice);
  visit(table.offsets, table.has_offsets ? 2 * kOffsets : 0u, Begins::kWithSlice);
  visit(table.float_offsets, table.has_offsets ? 2 * kReach : 0u, Begins::kWithSlice);
  visit(table.phase_rounding.values, table.phase_rounding.has_values ? 1u : 0u, Begins::kWithTable);
  visit(table.axes, table.axis_count > 1 ? 1u : 0u, Begins::kWithSlice);  // last: they are bytes
}

// Points the table's arrays into memory, and clears the memory. Only the offsets of pairs are not cleared.
void PlaceArrays(void* memory, FrequencyTable* table) {
  auto* next = static_cast<unsigned char*>(memory);
  ForEachArray(*table, [&](auto*& start, std::size_t rows, Begins /*begins*/) {
    if (rows == 0) return;
    start = reinterpret_cast<std::remove_reference_t<decltype(start)>>(next);
    // Arrays with several rows are offsets, which are nearly all of the memory. Each pair's offsets will be
    // written later, so only the padding behind the pairs is cleared.
    const std::size_t filled = rows > 1 ? table->count : 0;
    for (std::size_t r = 0; r < rows; ++r, next += table->padded * sizeof(*start)) {
      std::memset(next + filled * sizeof(*start), 0, (table->padded - filled) * sizeof(*start));
    }
  });
}

void SetStep(FrequencyTable* table, std::size_t i, const DoubleDouble& step) {
  table->high[i] = step.high;
  table->low[i] = step.low;
}

// Fills the steps of a geometric schedule with one exp only, for the ratio. Entries m .. 2m - 1 are entries 0
// .. m - 1 times ratio^m, and squaring gives the next power of the ratio. An entry is a product of at most 24
// factors.
void FillGeometric(FrequencyTable* table) {
  const Schedule& schedule = table->schedule;
  const std::size_t count = table->count;
  double *const high = table->high, *const low = table->low;
  SetStep(table, 0, ToDoubleDouble(schedule.QuarterTurns<4>(0)));
  if (count == 1) return;  // a single step has no ratio to keep in range
  Wide256 power = Exp(schedule.log_ratio);
  for (std::size_t m = 1; m < count; m *= 2) {
    const DoubleDouble factor = ToDoubleDouble(power);
    const std::size_t end = std::min(m, count - m);  // one condition, so that compilers make vectors of this
    for (std::size_t i = 0; i < end; ++i) {
      const DoubleDouble step = Multiply(DoubleDouble{high[i], low[i]}, factor);
      high[m + i] = step.high;
      low[m + i] = step.low;
    }
    if (2 * m < count) power = Multiply(power, power);  // the next one might overflow
  }
}

// Fills high and low with steps that are not yet reduced. If the scale is 0, the steps stay 0; they are not
// computed, because powers of the ratio may overflow.
void FillSteps(FrequencyTable* table) {
  const Schedule& schedule = table->schedule;
  if (!table->phase_rounding.IsNone()) {
    const DoubleDouble radian = ToDoubleDouble(QuarterTurnsPerRadian<4>());
    for (std::size_t i = 0; i < table->count; ++i) SetStep(table, i, radian);
  } else if (schedule.scale == 0.0) {
    return;
  } else if (schedule.calls != nullptr) {
    schedule.calls->fill(schedule, table->high, table->low);
  } else if (schedule.IsListed() || schedule.IsExact()) {
    for (std::size_t i = 0; i < table->count; ++i) {
      SetStep(table, i, ToDoubleDouble(schedule.QuarterTurns<4>(i)));
    }
  } else {
    FillGeometric(table);
  }
}

bool IsWhole(const RationalStep& step) { return step.denominator == 1 && step.exponent >= 0; }

// An integer step modulo eight quarter turns, from -3 to 4.
double ModuloEight(const RationalStep& step) {
  const int rest = step.exponent < 3 ? step.numerator << step.exponent & 7 : 0;
  return static_cast<double>(rest > 4 ? rest - 8 : rest);
}

template <int kLimbs>
Wide<kLimbs> ModuloEight(const Wide<kLimbs>& step) {
  Wide<kLimbs> eighth = step;
  eighth.exponent -= 3;
  return Subtract(step, FromInteger<kLimbs>(8 * NearestInteger(eighth)));
}

// A step modulo eight quarter turns, as a sum of two doubles. If a step is very close to a multiple of eight,
// cancellation leaves fewer correct bits of 256 than two doubles hold. Then it is computed in 1,024 bits.
DoubleDouble ModuloEight(const FrequencyTable& table, std::size_t i) {
  constexpr int kSumBits = 110;
  const Schedule& schedule = table.schedule;
  const Wide256 step = schedule.QuarterTurns<4>(i), rest = ModuloEight(step);
  if (!rest.IsZero() && step.exponent - rest.exponent <= kFrequencyBits<4> - kSumBits)
    return ToDoubleDouble(rest);
  const Wide1024 rest_of_all = ModuloEight(schedule.QuarterTurns<16>(i));
  const bool is_known = table.has_rational && step.exponent - rest_of_all.exponent > schedule.KnownBits();
  return is_known || rest_of_all.IsZero() ? DoubleDouble{} : ToDoubleDouble(TopOf<4>(rest_of_all));
}

// Copies all steps to the arrays of unreduced steps, and then reduces those beyond four quarter turns modulo
// eight.
void ReduceSteps(FrequencyTable* table) {
  std::memcpy(table->unreduced_high, table->high, table->count * sizeof(double));
  std::memcpy(table->unreduced_low, table->low, table->count * sizeof(double));
  for (std::size_t i = 0; i < table->count; ++i) {
    if (std::fabs(table->high[i]) < kMaxStep) continue;
    if (table->has_rational && IsWhole(table->rational[i])) {
      SetStep(table, i, {ModuloEight(table->rational[i]), 0.0});
      continue;
    }
    SetStep(table, i, ModuloEight(*table, i));
  }
}

// Whether the phases at all positions are exact: no phase needs more than 106 bits. None may exceed 2^43
// either, because the reduced phase r of a larger one is not small enough for the polynomials.
bool PhasesAreExact(const FrequencyTable& table) {
  if (!table.schedule.IsExact() || !table.phase_rounding.IsNone()) return false;
  for (std::size_t i = 0; i < table.count; ++i) {
    if (table.low[i] != 0.0 || table.unreduced_low[i] != 0.0 ||
        std::fabs(table.unreduced_high[i]) > kLargestExactStep)
      return false;
  }
  return true;
}

// Computes FrequencyTable::quick_pairs. The steps must be neither exact nor from a phase rounding.
std::size_t CountQuickPairs(const FrequencyTable& table) {
  const auto is_quick = [&](std::size_t i) { return std::fabs(table.high[i]) >= kMinQuick; };
  const bool is_monotonic = !table.schedule.IsListed() && !table.steps_are_reduced;
  if (is_monotonic && is_quick(0) && is_quick(table.count - 1)) return table.count;
  std::size_t pairs = 0;
  while (pairs < table.count && is_quick(pairs)) ++pairs;
  return pairs;
}

}  // namespace

std::size_t FrequencyTable::QuickPairs(double position, std::size_t i, std::size_t pairs) const {
  const bool is_near_zero = position > -1.0 && position < 1.0;
  if (is_near_zero || (high != unreduced_high && !IsWhole(position))) return 0;
  return std::min(quick_pairs - std::min(quick_pairs, i), pairs);
}

FrequencyTable FrequencyTable::Slice(std::size_t first_pair, std::size_t pairs) const {
  FrequencyTable slice = *this;
  slice.first += first_pair;
  slice.count = pairs;
  slice.quick_pairs = std::min(quick_pairs - std::min(quick_pairs, first_pair), pairs);
  ForEachArray(slice, [&](auto*& start, std::size_t /*rows*/, Begins begins) {
    if (begins == Begins::kWithSlice && start != nullptr) start += first_pair;
  });
  return slice;
}

posenc_status PlanTable(const posenc_spec& spec, FrequencyTable* table) {
  *table = {};
  if (const posenc_status status = CheckSpec(spec); status != POSENC_OK) return status;
  bool has_large = false;
  if (const posenc_status status = CheckRange(spec, nullptr, &has_large); status != POSENC_OK) return status;
  table->schedule.list = ListOf(spec);
  table->phase_rounding = PlanPhaseRounding(spec);
  table->axis_count = 1;
  PlanArrays(PairCount(spec), has_large, table);
  return rule::ok;
}

void PlanArrays(std::size_t pairs, bool has_large, FrequencyTable* table) {
  table->count = pairs;
  table->padded = pairs + kPadding;
  table->steps_are_reduced = table->phase_rounding.IsNone() && has_large;
  table->has_rational = table->phase_rounding.IsNone() && table->schedule.list.unit != POSENC_RADIANS;
  table->min_uncancelled = kMinUncancelled;
}

std::size_t ArrayBytes(const FrequencyTable& table) {
  std::size_t bytes = 0;
  ForEachArray(table, [&](const auto* start, std::size_t rows, Begins /*begins*/) {
    bytes += rows * table.padded * sizeof(*start);
  });
  return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

void FillTable(void* memory, FrequencyTable* table) {
  PlaceArrays(memory, table);
  table->schedule.list.MoveTo(table->listed);
  table->schedule.factors.MoveTo(table->factors);
  FinishPhaseRounding(table->schedule, table->count, &table->phase_rounding);
  FillSteps(table);
  for (std::size_t i = 0; table->has_rational && i < table->count; ++i) {
    table->rational[i] = table->schedule.RationalQuarterTurns(i);
  }
  if (table->steps_are_reduced) {
    ReduceSteps(table);
  } else {
    table->unreduced_high = table->high;
    table->unreduced_low = table->low;
  }
  if (PhasesAreExact(*table)) table->min_uncancelled = 0.0;
  if (table->min_uncancelled != 0.0 && table->phase_rounding.IsNone())
    table->quick_pairs = CountQuickPairs(*table);
}

void PhaseRounding::Fill(double position, std::size_t first, std::size_t count, double* phases) const {
  const double* const of_first = values == nullptr ? nullptr : values + first;
  const float start = static_cast<float>(position) * position_factor;
  const auto float_scale = static_cast<float>(scale);
  const auto put = [&](std::size_t i, float phase) { phases[i] = float_scale * phase; };
  switch (rounding) {
    case POSENC_F64_POW_DIV:
      for (std::size_t i = 0; i < count; ++i) phases[i] = scale * (position / of_first[i]);
      break;
    case POSENC_F64_POW_MUL:
      for (std::size_t i = 0; i < count; ++i) phases[i] = scale * (position * of_first[i]);
      break;
    case POSENC_F32_POW_DIV:
      for (std::size_t i = 0; i < count; ++i) put(i, start / static_cast<float>(of_first[i]));
      break;
    case POSENC_F32_ITERATED: {
      float t = start;
      for (std::size_t i = 0; i < first; ++i) t *= ratio;
      for (std::size_t i = 0; i < count; ++i, t *= ratio) put(i, t);
      break;
    }
    default:
      for (std::size_t i = 0; i < count; ++i) put(i, start * static_cast<float>(of_first[i]));
  }
}

}  // namespace internal
}  // namespace posenc
