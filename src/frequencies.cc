#include "frequencies.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "fp_state.h"
#include "kernels.h"
#include "targets.h"

namespace posenc {
namespace internal {
namespace {

constexpr double kMinFrequency = 0x1p-126;
constexpr double kMaxFrequency = 0x1p31;
constexpr std::int64_t kMaxLogExponent = 11;  // beyond e^(2^11) no scale brings w_i into range
constexpr std::size_t kMaxPowers = 32;

constexpr std::size_t kAlignment = 128;

DoubleDouble ToDoubleDouble(const Wide& x) {
  const double high = ToDouble(x);
  return {high, ToDouble(Subtract(x, FromDouble(high)))};
}

std::size_t PairCount(std::size_t dim) { return dim / 2 + dim % 2; }

Status CheckSpec(const Spec& spec) {
  if (spec.dim == 0 || spec.dim > kMaxDim) return Status::kBadDim;
  if (!std::isfinite(spec.base) || spec.base <= 0.0) return Status::kBadBase;
  if (spec.exponent_dim && (!std::isfinite(*spec.exponent_dim) || *spec.exponent_dim == 0.0)) {
    return Status::kBadExponentDim;
  }
  if (!std::isfinite(spec.position_scale)) return Status::kBadPositionScale;
  switch (spec.recipe) {
    case Recipe::kExact:
      return Status::kOk;
    case Recipe::kF32PowDiv:
      if (spec.exponent_dim && (static_cast<float>(*spec.exponent_dim) == 0.0f ||
                                !std::isfinite(static_cast<float>(*spec.exponent_dim)))) {
        return Status::kBadExponentDim;
      }
      return spec.position_scale == 1.0 ? Status::kOk : Status::kBadPositionScale;
  }
  return Status::kBadRecipe;
}

double ExponentDim(const Spec& spec) { return spec.exponent_dim.value_or(static_cast<double>(spec.dim)); }

Status MakeSchedule(const Spec& spec, std::size_t count, Schedule* schedule) {
  const Wide log_base = Log(spec.base);
  schedule->log_ratio = Negate(Divide(Add(log_base, log_base), FromDouble(ExponentDim(spec))));
  schedule->scale = FromDouble(spec.position_scale);
  if (schedule->scale.IsZero()) return Status::kOk;
  // A geometric sequence: its ends are its extremes.
  const auto last = static_cast<std::int64_t>(count - 1);
  const Wide log_span = Multiply(FromInteger(last), schedule->log_ratio);
  if (!log_span.IsZero() && log_span.exponent > kMaxLogExponent) return Status::kFrequencyOutOfRange;
  for (const std::size_t i : {std::size_t{0}, count - 1}) {
    const double frequency = std::fabs(ToDouble(schedule->Frequency(i)));
    if (frequency < kMinFrequency || frequency > kMaxFrequency) return Status::kFrequencyOutOfRange;
  }
  return Status::kOk;
}

// high and low for Recipe::kExact: one exp for the ratio, its powers by squaring, the rest in vectors.
void FillSteps(const Schedule& schedule, const Kernels& kernels, std::size_t count, double* high,
               double* low) {
  if (schedule.scale.IsZero()) return;  // the steps stay 0, though powers of the ratio may overflow
  DoubleDouble powers[kMaxPowers];
  Wide power;
  if (count > 1) power = Exp(schedule.log_ratio);  // a single step has no ratio to keep in range
  for (std::size_t k = 0; (count - 1) >> k != 0; ++k) {
    powers[k] = ToDoubleDouble(power);
    power = Multiply(power, power);
  }
  const Wide first = Multiply(schedule.scale, QuarterTurnsPerRadian());
  kernels.geometric(ToDoubleDouble(first), powers, count, high, low);

  for (std::size_t i = 0; i < count; ++i) {
    if (std::fabs(high[i]) < 4.0) continue;
    const Wide step = Multiply(schedule.Frequency(i), QuarterTurnsPerRadian());
    Wide eighth = step;
    eighth.exponent -= 3;
    const Wide reduced = Subtract(step, FromInteger(8 * NearestInteger(eighth)));
    const DoubleDouble pair = ToDoubleDouble(reduced);
    high[i] = pair.high;
    low[i] = pair.low;
  }
}

// q_i for Recipe::kF32PowDiv: pow is correctly rounded, an exact tie to even.
void FillDivisors(const Spec& spec, std::size_t count, float* divisors) {
  const Wide log_base = Log(spec.base);
  const auto denominator = static_cast<float>(ExponentDim(spec));
  for (std::size_t i = 0; i < count; ++i) {
    const float exponent = static_cast<float>(2 * i) / denominator;
    if (log_base.IsZero()) {  // pow(1, x) = 1, even where x overflows to infinity
      divisors[i] = 1.0f;
      continue;
    }
    bool decided = true;
    divisors[i] = RoundToFormat(Exp(Multiply(FromDouble(static_cast<double>(exponent)), log_base)),
                                kFloat32Format, kFrequencyBits, &decided);
  }
}

// Where the parts of a table lie in its block of memory: the table itself, then its arrays.
std::size_t HeaderBytes() { return (sizeof(FrequencyTable) + kAlignment - 1) / kAlignment * kAlignment; }

std::size_t BlockBytes(const FrequencyTable& table, const Kernels& kernels) {
  const std::size_t rotations = kernels.rotations != nullptr ? kRotations : 0;
  const bool exact = table.recipe == Recipe::kExact;
  return HeaderBytes() + table.padded * (exact ? (2 + 2 * rotations) * sizeof(double) : sizeof(float));
}

// A table without its arrays, and the target that will fill them.
Status PlanTable(const Spec& spec, FrequencyTable* table, const Kernels** kernels) {
  if (const Status status = CheckSpec(spec); status != Status::kOk) return status;
  if (const Status status = FindKernels(spec.target, kernels); status != Status::kOk) return status;
  table->count = PairCount(spec.dim);
  table->recipe = spec.recipe;
  table->padded = table->count + kPadding;
  return MakeSchedule(spec, table->count, &table->schedule);
}

// Puts the table and its arrays into block [BlockBytes(table, kernels)], aligned to kAlignment.
const FrequencyTable* BuildTable(const Spec& spec, const Kernels& kernels, FrequencyTable table,
                                 unsigned char* block) {
  std::memset(block, 0, BlockBytes(table, kernels));
  const std::size_t padded = table.padded;
  unsigned char* arrays = block + HeaderBytes();
  if (table.recipe == Recipe::kExact) {
    auto* high = reinterpret_cast<double*>(arrays);
    double* low = high + padded;
    FillSteps(table.schedule, kernels, table.count, high, low);
    table.high = high;
    table.low = low;
    if (kernels.rotations != nullptr) {
      kernels.rotations(table, low + padded);
      table.rotations = low + padded;
    }
  } else {
    auto* divisors = reinterpret_cast<float*>(arrays);
    for (std::size_t i = table.count; i < padded; ++i) divisors[i] = 1.0f;
    FillDivisors(spec, table.count, divisors);
    table.divisors = divisors;
  }
  return ::new (block) FrequencyTable(table);
}

}  // namespace

Wide Schedule::Frequency(std::size_t i) const {
  if (i == 0 || scale.IsZero()) return scale;
  return Multiply(scale, Exp(Multiply(FromInteger(static_cast<std::int64_t>(i)), log_ratio)));
}

Status Access::MemorySize(const Spec& spec, std::size_t* bytes) {
  const FpState fp_state;
  const Kernels* kernels = nullptr;
  FrequencyTable table{};
  if (const Status status = PlanTable(spec, &table, &kernels); status != Status::kOk) return status;
  *bytes = BlockBytes(table, *kernels) + kAlignment - 1;
  return Status::kOk;
}

Status Access::Make(const Spec& spec, void* memory, std::size_t bytes, Frequencies* out,
                    const Kernels** kernels) {
  const FpState fp_state;
  FrequencyTable table{};
  if (const Status status = PlanTable(spec, &table, kernels); status != Status::kOk) return status;
  table.owned = memory == nullptr;
  const std::size_t needed = BlockBytes(table, **kernels);
  if (table.owned) {
    memory = ::operator new (needed, std::align_val_t{kAlignment}, std::nothrow);
    if (memory == nullptr) return Status::kOutOfMemory;
  } else if (std::align(kAlignment, needed, memory, bytes) == nullptr) {
    return Status::kMemoryTooSmall;
  }
  *out = Frequencies();
  out->table_ = BuildTable(spec, **kernels, table, static_cast<unsigned char*>(memory));
  return Status::kOk;
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
  const internal::FpState fp_state;
  return internal::ToDouble(table_->schedule.Frequency(i));
}

}  // namespace posenc
