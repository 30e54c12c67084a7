// Plans the arrays of a frequency table, lays them out in memory, and fills them.
#include "number/exact.h"

#include "frequency/table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "frequency/framework.h"
#include "number/bounds.h"
#include "number/double_double.h"

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

// Fills high and low with steps that are not yet reduced.
void FillSteps(const Frequencies& exact, FrequencyTable* table) {
  if (table->phase_rounding.IsNone()) return exact.FillSteps(table->count, table->high, table->low);
  const DoubleDouble radian = ToDoubleDouble(QuarterTurnsPerRadian<4>());
  for (std::size_t i = 0; i < table->count; ++i) SetStep(table, i, radian);
}

bool IsInteger(const RationalStep& step) { return step.denominator == 1 && step.exponent >= 0; }

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
  const Frequencies& exact = *table.exact;
  const Wide256 step = exact.QuarterTurns<4>(i), rest = ModuloEight(step);
  if (!rest.IsZero() && step.exponent - rest.exponent <= kFrequencyBits<4> - kSumBits)
    return ToDoubleDouble(rest);
  const Wide1024 rest_of_all = ModuloEight(exact.QuarterTurns<16>(i));
  const bool is_known = table.has_rational && step.exponent - rest_of_all.exponent > exact.KnownBits();
  return is_known || rest_of_all.IsZero() ? DoubleDouble{} : ToDoubleDouble(TopOf<4>(rest_of_all));
}

// Copies all steps to the arrays of unreduced steps, and then reduces those beyond four quarter turns modulo
// eight.
void ReduceSteps(FrequencyTable* table) {
  std::memcpy(table->unreduced_high, table->high, table->count * sizeof(double));
  std::memcpy(table->unreduced_low, table->low, table->count * sizeof(double));
  for (std::size_t i = 0; i < table->count; ++i) {
    if (std::fabs(table->high[i]) < kMaxStep) continue;
    if (table->has_rational && IsInteger(table->rational[i])) {
      SetStep(table, i, {ModuloEight(table->rational[i]), 0.0});
      continue;
    }
    SetStep(table, i, ModuloEight(*table, i));
  }
}

// Whether the phases at all positions are exact: no phase needs more than 106 bits. None may exceed 2^43
// either, because the reduced phase r of a larger one is not small enough for the polynomials.
bool PhasesAreExact(const FrequencyTable& table) {
  if (!table.exact->IsExact() || !table.phase_rounding.IsNone()) return false;
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
  const bool is_monotonic = table.exact->IsMonotonic() && !table.steps_are_reduced;
  if (is_monotonic && is_quick(0) && is_quick(table.count - 1)) return table.count;
  std::size_t pairs = 0;
  while (pairs < table.count && is_quick(pairs)) ++pairs;
  return pairs;
}

// Computes FrequencyTable::quick_phases. POSENC_F32_ITERATED, which has no values, is not worth code.
std::size_t CountQuickPhases(const FrequencyTable& table) {
  const PhaseRounding& phases = table.phase_rounding;
  const bool divides = phases.rounding == POSENC_F32_POW_DIV || phases.rounding == POSENC_F64_POW_DIV;
  std::size_t pairs = 0;
  for (; phases.has_values && pairs < table.count; ++pairs) {
    const double value = std::fabs(phases.values[pairs]);
    if (divides ? value < 1.0 : value > 1.0) break;
  }
  return pairs;
}

}  // namespace

std::size_t FrequencyTable::QuickPairs(double position, std::size_t i, std::size_t pairs) const {
  const bool is_near_zero = position > -1.0 && position < 1.0;
  if (is_near_zero || (high != unreduced_high && !IsWhole(position))) return 0;
  return std::min(quick_pairs - std::min(quick_pairs, i), pairs);
}

std::size_t FrequencyTable::QuickPhases(double position, std::size_t i, std::size_t pairs,
                                        const double* phases) const {
  // Rounding makes phases larger by less than 2^-21.
  if (std::fabs(position * phase_rounding.scale) > kMaxQuickPhase) return 0;
  std::size_t quick = std::min(quick_phases - std::min(quick_phases, i), pairs);
  while (quick > 0 && std::fabs(phases[quick - 1]) < kMinQuick) --quick;  // they would be undecided
  return quick;
}

bool FrequencyTable::HasStepBesideHalfTurns() const {
  for (std::size_t i = 0; i < count; ++i) {
    double beside = std::fabs(high[i]);  // at most 4, as larger steps are reduced
    if (beside >= kMinAddedStep && beside < 1.0) continue;
    if (beside >= 1.0) beside -= beside > 3.0 ? 4.0 : 2.0;
    beside += high[i] < 0.0 ? -low[i] : low[i];
    if (beside != 0.0 && std::fabs(beside) < kMinAddedStep) return true;
  }
  return false;
}

FrequencyTable FrequencyTable::Slice(std::size_t first_pair, std::size_t pairs) const {
  FrequencyTable slice = *this;
  slice.first += first_pair;
  slice.count = pairs;
  slice.quick_pairs = std::min(quick_pairs - std::min(quick_pairs, first_pair), pairs);
  slice.quick_phases = std::min(quick_phases - std::min(quick_phases, first_pair), pairs);
  ForEachArray(slice, [&](auto*& start, std::size_t /*rows*/, Begins begins) {
    if (begins == Begins::kWithSlice && start != nullptr) start += first_pair;
  });
  return slice;
}

void PlanTable(std::size_t pairs, posenc_unit unit, bool has_large, const PhaseRounding& phases,
               FrequencyTable* table) {
  *table = {};
  table->phase_rounding = phases;
  table->count = pairs;
  table->padded = pairs + kPadding;
  table->steps_are_reduced = table->phase_rounding.IsNone() && has_large;
  table->has_rational = table->phase_rounding.IsNone() && unit != POSENC_RADIANS;
  table->min_uncancelled = kMinUncancelled;
  table->axis_count = 1;
}

std::size_t ArrayBytes(const FrequencyTable& table) {
  std::size_t bytes = 0;
  ForEachArray(table, [&](const auto* start, std::size_t rows, Begins /*begins*/) {
    bytes += rows * table.padded * sizeof(*start);
  });
  return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

void FillTable(void* memory, const Frequencies& exact, FrequencyTable* table) {
  PlaceArrays(memory, table);
  table->exact = &exact;
  FinishPhaseRounding(exact, table->count, &table->phase_rounding);
  FillSteps(exact, table);
  for (std::size_t i = 0; table->has_rational && i < table->count; ++i) {
    table->rational[i] = exact.Rational(i);
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
  if (!table->phase_rounding.IsNone()) table->quick_phases = CountQuickPhases(*table);
}

}  // namespace internal
}  // namespace posenc
