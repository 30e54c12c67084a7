#include "frequencies.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "access.h"
#include "bounds.h"
#include "checks.h"
#include "fp_state.h"
#include "kernels.h"
#include "targets.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kMaxPowers = 32;

constexpr std::size_t kAlignment = 128;
constexpr double kMaxStep = 4.0;      // in quarter turns; larger steps are reduced
constexpr double kSmallSteps = 6.28;  // radians, that are surely less

DoubleDouble ToDoubleDouble(const Wide& x) {
  const double high = ToDouble(x);
  return {high, ToDouble(Subtract(x, FromDouble(high)))};
}

// The steps of a geometric schedule: one exp for the ratio, its powers by squaring, the rest in vectors.
void FillGeometric(const Schedule& schedule, const Kernels& kernels, std::size_t count, double* high,
                   double* low) {
  DoubleDouble powers[kMaxPowers];
  Wide power;
  if (count > 1) power = Exp(schedule.log_ratio);  // a single step has no ratio to keep in range
  for (std::size_t k = 0; (count - 1) >> k != 0; ++k) {
    powers[k] = ToDoubleDouble(power);
    power = Multiply(power, power);
  }
  const Wide first = Multiply(schedule.scale, QuarterTurnsPerRadian());
  kernels.geometric(ToDoubleDouble(first), powers, count, high, low);
}

void FillListed(const Schedule& schedule, double* high, double* low) {
  for (std::size_t i = 0; i < schedule.list.count; ++i) {
    const DoubleDouble step = ToDoubleDouble(schedule.QuarterTurns(i));
    high[i] = step.high;
    low[i] = step.low;
  }
}

// Steps beyond four quarter turns modulo eight.
void ReduceSteps(const Schedule& schedule, std::size_t count, double* high, double* low) {
  for (std::size_t i = 0; i < count; ++i) {
    if (std::fabs(high[i]) < kMaxStep) continue;
    const Wide step = schedule.QuarterTurns(i);
    Wide eighth = step;
    eighth.exponent -= 3;
    const DoubleDouble reduced = ToDoubleDouble(Subtract(step, FromInteger(8 * NearestInteger(eighth))));
    high[i] = reduced.high;
    low[i] = reduced.low;
  }
}

// Whether no phase of a position needs more than 106 bits nor exceeds 2^43, beyond which r is not small
// enough for the polynomials.
bool PhasesAreExact(const FrequencyTable& table) {
  if (!table.schedule.IsExact()) return false;
  for (std::size_t i = 0; i < table.count; ++i) {
    if (table.low[i] != 0.0 || table.whole_low[i] != 0.0 ||
        std::fabs(table.whole_high[i]) > kLargestExactStep)
      return false;
  }
  return true;
}

// Where the parts of a table lie in its block of memory: the table itself, then its arrays.
std::size_t HeaderBytes() { return (sizeof(FrequencyTable) + kAlignment - 1) / kAlignment * kAlignment; }

// Arrays [padded] of doubles, for Recipe::kExact.
std::size_t Arrays(const FrequencyTable& table, const Kernels& kernels) {
  const std::size_t steps = table.steps_are_reduced ? 4 : 2;
  const std::size_t listed = table.schedule.IsListed() ? 1 : 0;
  return steps + listed + (kernels.rotations != nullptr ? 2 * kRotations : 0);
}

std::size_t BlockBytes(const FrequencyTable& table, const Kernels& kernels) {
  const bool exact = table.recipe == Recipe::kExact;
  return HeaderBytes() + table.padded * (exact ? Arrays(table, kernels) * sizeof(double) : sizeof(float));
}

// A table without its arrays, and the target that will fill them.
Status PlanTable(const Spec& spec, FrequencyTable* table, const Kernels** kernels) {
  double largest = 0.0;
  if (const Status status = MakeSchedule(spec, &table->schedule, &largest); status != Status::kOk) {
    return status;
  }
  if (const Status status = FindKernels(spec.target, kernels); status != Status::kOk) return status;
  table->count = PairCount(spec.dim);
  table->recipe = spec.recipe;
  table->padded = table->count + kPadding;
  table->max_cancellation = kMaxCancellation;
  table->steps_are_reduced = largest > kSmallSteps;
  return Status::kOk;
}

// The arrays of Recipe::kExact.
void FillSteps(const Kernels& kernels, FrequencyTable* table, double* arrays) {
  const std::size_t padded = table->padded, count = table->count;
  const auto next_array = [&] {
    double* array = arrays;
    arrays += padded;
    return array;
  };
  Schedule& schedule = table->schedule;
  if (schedule.IsListed()) {
    double* listed = next_array();
    for (std::size_t i = 0; i < count; ++i) listed[i] = schedule.Listed(i);
    schedule.list.doubles = listed;
    schedule.list.floats = nullptr;
  }
  double* high = next_array();
  double* low = next_array();
  if (schedule.scale.IsZero()) {
    // The steps stay 0, though powers of the ratio may overflow.
  } else if (schedule.IsListed()) {
    FillListed(schedule, high, low);
  } else {
    FillGeometric(schedule, kernels, count, high, low);
  }
  table->high = table->whole_high = high;
  table->low = table->whole_low = low;
  if (table->steps_are_reduced) {
    double* whole_high = next_array();
    double* whole_low = next_array();
    std::memcpy(whole_high, high, count * sizeof(*high));
    std::memcpy(whole_low, low, count * sizeof(*low));
    ReduceSteps(schedule, count, high, low);
    table->whole_high = whole_high;
    table->whole_low = whole_low;
  }
  if (PhasesAreExact(*table)) table->max_cancellation = 0.0;
  if (kernels.rotations != nullptr) {
    kernels.rotations(*table, arrays);
    table->rotations = arrays;
  }
}

// Puts the table and its arrays into block [BlockBytes(table, kernels)], aligned to kAlignment.
const FrequencyTable* BuildTable(const Spec& spec, const Kernels& kernels, FrequencyTable table,
                                 unsigned char* block) {
  std::memset(block, 0, BlockBytes(table, kernels));
  unsigned char* arrays = block + HeaderBytes();
  if (table.recipe == Recipe::kExact) {
    FillSteps(kernels, &table, reinterpret_cast<double*>(arrays));
  } else {
    auto* divisors = reinterpret_cast<float*>(arrays);
    for (std::size_t i = table.count; i < table.padded; ++i) divisors[i] = 1.0f;
    FillDivisors(spec, divisors);
    table.divisors = divisors;
  }
  return ::new (block) FrequencyTable(table);
}

}  // namespace

Status Access::MemorySize(const Spec& spec, std::size_t* bytes) {
  return InFpState([&] {
    const Kernels* kernels = nullptr;
    FrequencyTable table{};
    const Status status = PlanTable(spec, &table, &kernels);
    if (status == Status::kOk) *bytes = BlockBytes(table, *kernels) + kAlignment - 1;
    return status;
  });
}

Status Access::Make(const Spec& spec, void* memory, std::size_t bytes, Frequencies* out,
                    const Kernels** kernels) {
  return InFpState([&] {
    FrequencyTable table{};
    if (const Status status = PlanTable(spec, &table, kernels); status != Status::kOk) return status;
    table.owned = memory == nullptr;
    const std::size_t needed = BlockBytes(table, **kernels);
    if (!table.owned && table.schedule.IsListed() &&
        Overlap({memory, bytes}, ListBytes(table.schedule.list))) {
      return Status::kBuffersOverlap;
    }
    if (table.owned) {
      memory = ::operator new (needed, std::align_val_t{kAlignment}, std::nothrow);
      if (memory == nullptr) return Status::kOutOfMemory;
    } else if (std::align(kAlignment, needed, memory, bytes) == nullptr) {
      return Status::kMemoryTooSmall;
    }
    *out = Frequencies();
    out->table_ = BuildTable(spec, **kernels, table, static_cast<unsigned char*>(memory));
    return Status::kOk;
  });
}

}  // namespace internal

using internal::FrequencyTable;

Status Frequencies::Create(const Spec& spec, Frequencies* out) {
  if (out == nullptr) return Status::kNullPointer;
  const internal::Kernels* kernels = nullptr;
  return internal::Access::Make(spec, nullptr, 0, out, &kernels);
}

Frequencies::~Frequencies() {
  if (table_ != nullptr && table_->owned) {
    ::operator delete (const_cast<FrequencyTable*>(table_), std::align_val_t{internal::kAlignment});
  }
}

Frequencies::Frequencies(Frequencies&& other) noexcept : table_(other.table_) { other.table_ = nullptr; }

Frequencies& Frequencies::operator=(Frequencies&& other) noexcept {
  const FrequencyTable* table = other.table_;
  other.table_ = table_;
  table_ = table;
  return *this;
}

std::size_t Frequencies::count() const { return table_ == nullptr ? 0 : table_->count; }

double Frequencies::Radians(std::size_t i) const {
  if (i >= count()) return std::nan("");
  return internal::InFpState([&] { return internal::ToDouble(table_->schedule.Radians(i)); });
}

}  // namespace posenc
