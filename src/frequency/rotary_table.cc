#include "frequency/rotary_table.h"

#include <cmath>
#include <cstring>

#include "frequency/rotary_checks.h"
#include "frequency/rotary_rational.h"
#include "number/bounds.h"
#include "number/double_double.h"

namespace posenc {
namespace internal {
namespace {

constexpr double kMinFrequency = 0x1p-126;
constexpr double kMaxFrequency = 0x1p31;

// The steps that kernels fall back to: with a phase rounding each frequency is 1 radian.
template <int kLimbs>
Wide<kLimbs> StepOf(const RotarySchedule& schedule, std::size_t pair) {
  if (schedule.spec.phase_rounding != POSENC_NO_PHASE_ROUNDING) return QuarterTurnsPerRadian<kLimbs>();
  return schedule.QuarterTurns<kLimbs>(pair);
}

// Whether all frequencies are; *has_large becomes whether some exceed four quarter turns.
bool AreInRange(const RotarySchedule& schedule, bool* has_large) {
  RotaryPass pass(schedule);
  for (std::size_t i = 0; i < schedule.spec.rotary_dim / 2; ++i) {
    const Wide256 step = pass.Next();
    if (step.IsZero()) continue;
    double radians = std::fabs(ToDouble(Multiply(step, RadiansPerQuarterTurn<4>())));
    const auto is_near = [&](double limit) { return std::fabs(radians / limit - 1.0) < 0x1p-50; };
    if (is_near(kMinFrequency) || is_near(kMaxFrequency)) radians = std::fabs(schedule.NearestRadians(i));
    if (!(radians >= kMinFrequency && radians <= kMaxFrequency)) return false;
    if (std::fabs(ToDouble(step)) >= kMaxStep) *has_large = true;
  }
  return true;
}

// After the arrays of `frequencies`: offsets, lists, values of a phase rounding, axes; so each is aligned.
std::size_t OffsetBytes(const RotaryTable& table) {
  return table.has_offsets ? (2 * kMaxOffset * table.frequencies.count + kPadding) * sizeof(double) : 0;
}

std::size_t ListBytes(const RotarySchedule& schedule) {
  return (schedule.list.count + schedule.factors.count) * sizeof(double);
}

std::size_t ValueBytes(const RotaryTable& table) {
  return table.IsRounded() ? table.frequencies.count * sizeof(float) : 0;
}

// Becomes a copy of a list, as doubles.
double* Own(double* memory, FrequencyList* list) {
  if (list->count == 0) return memory;
  for (std::size_t i = 0; i < list->count; ++i) memory[i] = (*list)[i];
  list->doubles = memory;
  list->floats = nullptr;
  return memory + list->count;
}

}  // namespace

void RotaryTable::FillMultiples(const double* position, double* multiples) const {
  const std::size_t count = frequencies.count;
  for (std::size_t i = count; i < frequencies.padded; ++i) multiples[i] = 0.0;
  if (IsRounded()) return phases.Fill(position, schedule.spec.axes, axes, count, multiples);
  for (std::size_t i = 0; i < count; ++i) multiples[i] = position[axes == nullptr ? 0 : axes[i]];
}

posenc_status PlanRotaryTable(const posenc_rotary_spec& spec, RotaryTable* table) {
  *table = {};
  posenc_rotary_spec checked = spec;
  if (const posenc_status status = CheckRotarySpec(&checked); status != POSENC_OK) return status;
  const posenc_status status = MakeRotarySchedule(checked, &table->schedule);
  if (status != POSENC_OK) return status;
  bool has_large = false;
  if (!AreInRange(table->schedule, &has_large)) return POSENC_FREQUENCY_OUT_OF_RANGE;

  FrequencyTable& frequencies = table->frequencies;
  frequencies.count = checked.rotary_dim / 2;
  frequencies.padded = frequencies.count + kPadding;
  frequencies.steps_are_reduced = has_large && !table->IsRounded();
  frequencies.has_rational = checked.unit != POSENC_RADIANS && !table->IsRounded();
  frequencies.max_cancellation = kMaxCancellation;
  return table->IsRounded() ? PlanRoundedPhases(table->schedule, &table->phases) : POSENC_OK;
}

std::size_t ArrayBytes(const RotaryTable& table) {
  const std::size_t axes = table.schedule.spec.axes > 1 ? table.frequencies.count : 0;
  return ArrayBytes(table.frequencies) + OffsetBytes(table) + ListBytes(table.schedule) + ValueBytes(table) +
         axes;
}

void FillRotaryTable(void* memory, RotaryTable* table) {
  RotarySchedule& schedule = table->schedule;
  FrequencyTable& frequencies = table->frequencies;
  PlaceArrays(memory, &frequencies);
  auto* next = static_cast<unsigned char*>(memory) + ArrayBytes(frequencies);
  if (table->has_offsets) table->offsets = reinterpret_cast<double*>(next);
  std::memset(next, 0, OffsetBytes(*table));
  next += OffsetBytes(*table);
  auto* lists = reinterpret_cast<double*>(next);
  Own(Own(lists, &schedule.list), &schedule.factors);
  next += ListBytes(schedule);
  if (table->IsRounded()) {
    auto* values = reinterpret_cast<float*>(next);
    FillRoundedValues(schedule, values);
    table->phases.values = values;
    next += ValueBytes(*table);
  }
  if (schedule.spec.axes > 1) {
    table->axes = next;
    for (std::size_t i = 0; i < frequencies.count; ++i) {
      table->axes[i] = static_cast<std::uint8_t>(PlaceOf(schedule.spec, i).axis);
    }
  }

  RotaryPass pass(schedule);
  const bool is_rounded = table->IsRounded();
  const DoubleDouble radian = ToDoubleDouble(QuarterTurnsPerRadian<4>());
  for (std::size_t i = 0; i < frequencies.count; ++i) {
    const DoubleDouble step = is_rounded ? radian : ToDoubleDouble(pass.Next());
    frequencies.high[i] = step.high;
    frequencies.low[i] = step.low;
  }
  frequencies.schedule.rotary = {&schedule, &StepOf<4>, &StepOf<16>, &RationalStepOf, schedule.IsExact()};
  FinishSteps(&frequencies);
}

}  // namespace internal
}  // namespace posenc
