#include "frequency/table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "number/bounds.h"
#include "number/double_double.h"

namespace posenc {
namespace internal {
namespace {

bool HasValues(const FrequencyTable& table) {
  return !table.recipe.IsNone() && table.recipe.rounding != POSENC_F32_ITERATED;
}

// Of a slice, where an array begins: at the table's first pair, or at the slice's.
enum class Begins { kWithTable, kWithSlice };

// visit(start, rows, begins) of every array, [rows, padded]; rows is 0 if there is none.
template <class Table, class Visit>
void ForEachArray(Table& table, const Visit& visit) {
  visit(table.listed, table.is_listed ? 1u : 0u, Begins::kWithTable);
  visit(table.high, 1u, Begins::kWithSlice);
  visit(table.low, 1u, Begins::kWithSlice);
  visit(table.whole_high, table.steps_are_reduced ? 1u : 0u, Begins::kWithSlice);
  visit(table.whole_low, table.steps_are_reduced ? 1u : 0u, Begins::kWithSlice);
  visit(table.rational, table.has_rational ? 1u : 0u, Begins::kWithSlice);
  visit(table.offsets, table.has_offsets ? 2 * kOffsets : 0u, Begins::kWithSlice);
  visit(table.float_offsets, table.has_offsets ? 2 * kReach : 0u, Begins::kWithSlice);
  visit(table.recipe_values, HasValues(table) ? 1u : 0u, Begins::kWithTable);
}

// The steps of a geometric schedule: one exp for the ratio, its powers by squaring; entries m .. 2m - 1 are
// entries 0 .. m - 1 times ratio^m. An entry is a product of at most 24 factors.
void FillGeometric(const Schedule& schedule, std::size_t count, double* high, double* low) {
  const DoubleDouble first = ToDoubleDouble(schedule.QuarterTurns<4>(0));
  high[0] = first.high;
  low[0] = first.low;
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

// Each on its own: of a list, or exact ones.
void FillEach(const Schedule& schedule, std::size_t count, double* high, double* low) {
  for (std::size_t i = 0; i < count; ++i) {
    const DoubleDouble step = ToDoubleDouble(schedule.QuarterTurns<4>(i));
    high[i] = step.high;
    low[i] = step.low;
  }
}

bool IsWhole(const RationalStep& step) { return step.denominator == 1 && step.exponent >= 0; }

// A whole step modulo eight quarter turns, from -3 to 4.
double ModuloEight(const RationalStep& step) {
  const int rest = step.exponent < 3 ? step.numerator << step.exponent & 7 : 0;
  return static_cast<double>(rest > 4 ? rest - 8 : rest);
}

// Steps beyond four quarter turns modulo eight.
void ReduceSteps(FrequencyTable* table) {
  for (std::size_t i = 0; i < table->count; ++i) {
    if (std::fabs(table->high[i]) < kMaxStep) continue;
    const Wide256 step = table->schedule.QuarterTurns<4>(i);
    Wide256 eighth = step;
    eighth.exponent -= 3;
    DoubleDouble reduced = ToDoubleDouble(Subtract(step, FromInteger<4>(8 * NearestInteger(eighth))));
    if (table->has_rational && IsWhole(table->rational[i])) reduced = {ModuloEight(table->rational[i]), 0.0};
    table->high[i] = reduced.high;
    table->low[i] = reduced.low;
  }
}

// Whether no phase of a position needs more than 106 bits nor exceeds 2^43, beyond which r is not small
// enough for the polynomials.
bool PhasesAreExact(const FrequencyTable& table) {
  if (!table.schedule.IsExact() || !table.recipe.IsNone()) return false;
  for (std::size_t i = 0; i < table.count; ++i) {
    if (table.low[i] != 0.0 || table.whole_low[i] != 0.0 ||
        std::fabs(table.whole_high[i]) > kLargestExactStep)
      return false;
  }
  return true;
}

void FillSteps(FrequencyTable* table) {
  Schedule& schedule = table->schedule;
  const std::size_t count = table->count;
  if (schedule.IsListed()) {
    for (std::size_t i = 0; i < count; ++i) table->listed[i] = schedule.list[i];
    schedule.list.doubles = table->listed;
    schedule.list.floats = nullptr;
  }
  if (!table->recipe.IsNone()) {
    const DoubleDouble radian = ToDoubleDouble(QuarterTurnsPerRadian<4>());
    for (std::size_t i = 0; i < count; ++i) {
      table->high[i] = radian.high;
      table->low[i] = radian.low;
    }
  } else if (schedule.scale == 0.0) {
    // The steps stay 0, though powers of the ratio may overflow.
  } else if (schedule.IsListed() || schedule.IsExact()) {
    FillEach(schedule, count, table->high, table->low);
  } else {
    FillGeometric(schedule, count, table->high, table->low);
  }
  FinishSteps(table);
}

}  // namespace

std::size_t FrequencyTable::QuickPairs(double position, std::size_t i, std::size_t pairs) const {
  const bool is_near_zero = position > -1.0 && position < 1.0;
  if (is_near_zero || (high != whole_high && !IsWhole(position))) return 0;
  return std::min(usual - std::min(usual, i), pairs);
}

FrequencyTable FrequencyTable::Slice(std::size_t first_pair, std::size_t pairs) const {
  FrequencyTable slice = *this;
  slice.first += first_pair;
  slice.count = pairs;
  slice.usual = std::min(usual - std::min(usual, first_pair), pairs);
  ForEachArray(slice, [&](auto*& start, std::size_t /*rows*/, Begins begins) {
    if (begins == Begins::kWithSlice && start != nullptr) start += first_pair;
  });
  return slice;
}

posenc_status PlanTable(const posenc_spec& spec, FrequencyTable* table) {
  *table = {};
  bool has_large = false;
  if (const posenc_status status = EstimateSchedule(spec, &has_large); status != POSENC_OK) return status;
  table->recipe.rounding = spec.phase_rounding;
  table->is_listed = spec.frequency_count != 0;
  table->count = PairCount(spec);
  table->padded = table->count + kPadding;
  table->steps_are_reduced = table->recipe.IsNone() && has_large;
  table->has_rational = table->recipe.IsNone() && spec.frequency_unit != POSENC_RADIANS;
  table->max_cancellation = kMaxCancellation;
  return POSENC_OK;
}

std::size_t ArrayBytes(const FrequencyTable& table) {
  std::size_t bytes = 0;
  ForEachArray(table, [&](const auto* start, std::size_t rows, Begins /*begins*/) {
    bytes += rows * table.padded * sizeof(*start);
  });
  return bytes;
}

void PlaceArrays(void* memory, FrequencyTable* table) {
  auto* next = static_cast<unsigned char*>(memory);
  ForEachArray(*table, [&](auto*& start, std::size_t rows, Begins /*begins*/) {
    if (rows == 0) return;
    start = reinterpret_cast<std::remove_reference_t<decltype(start)>>(next);
    // Arrays of many rows are offsets: nearly all there is, and of each pair they will be filled.
    const std::size_t filled = rows > 1 ? table->count : 0;
    for (std::size_t r = 0; r < rows; ++r, next += table->padded * sizeof(*start)) {
      std::memset(next + filled * sizeof(*start), 0, (table->padded - filled) * sizeof(*start));
    }
  });
}

void FinishSteps(FrequencyTable* table) {
  const std::size_t count = table->count;
  for (std::size_t i = 0; table->has_rational && i < count; ++i) {
    table->rational[i] = table->schedule.RationalQuarterTurns(i);
  }
  if (table->steps_are_reduced) {
    std::memcpy(table->whole_high, table->high, count * sizeof(double));
    std::memcpy(table->whole_low, table->low, count * sizeof(double));
    ReduceSteps(table);
  } else {
    table->whole_high = table->high;
    table->whole_low = table->low;
  }
  if (PhasesAreExact(*table)) table->max_cancellation = 0.0;
  if (table->max_cancellation == 0.0 || !table->recipe.IsNone()) return;
  const auto is_usual = [table](std::size_t i) { return std::fabs(table->high[i]) >= kLeastQuick; };
  const bool is_monotonic = !table->is_listed && !table->steps_are_reduced;
  if (is_monotonic && count > 0 && is_usual(0) && is_usual(count - 1)) table->usual = count;
  while (table->usual < count && is_usual(table->usual)) ++table->usual;
}

void FillTable(const posenc_spec& spec, void* memory, FrequencyTable* table) {
  PlaceArrays(memory, table);
  table->recipe = MakeRecipe(spec, table->recipe_values);
  FillSteps(table);
}

}  // namespace internal
}  // namespace posenc
