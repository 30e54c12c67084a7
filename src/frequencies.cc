#include "frequencies.h"

#include <cmath>
#include <cstdint>
#include <cstring>
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

// Rotations take 16 bytes a pair and row: as many rows as fit the budget.
constexpr std::size_t kMinReach = 2;
constexpr std::size_t kRotationBytes = 96 * 1024;
constexpr std::align_val_t kAlignment{128};

DoubleDouble ToDoubleDouble(const Wide& x) {
  const double high = ToDouble(x);
  return {high, ToDouble(Subtract(x, FromDouble(high)))};
}

std::size_t Reach(std::size_t count) {
  const std::size_t fitting = kRotationBytes / (2 * sizeof(double) * count);
  return fitting < kMinReach ? kMinReach : fitting > kMaxReach ? kMaxReach : fitting;
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

}  // namespace

Wide Schedule::Frequency(std::size_t i) const {
  if (i == 0 || scale.IsZero()) return scale;
  return Multiply(scale, Exp(Multiply(FromInteger(static_cast<std::int64_t>(i)), log_ratio)));
}

}  // namespace internal

using internal::FrequencyTable;

Status Frequencies::Create(const Spec& spec, Frequencies* out) {
  if (out == nullptr) return Status::kNullPointer;
  const internal::FpState fp_state;
  if (const Status status = internal::CheckSpec(spec); status != Status::kOk) return status;
  const internal::Kernels* kernels = nullptr;
  if (const Status status = internal::FindKernels(spec.target, &kernels); status != Status::kOk)
    return status;

  FrequencyTable table{};
  table.count = internal::PairCount(spec.dim);
  table.recipe = spec.recipe;
  if (const Status status = internal::MakeSchedule(spec, table.count, &table.schedule);
      status != Status::kOk) {
    return status;
  }

  // One block: the table, then its arrays.
  const std::size_t padded = table.count + internal::kPadding;
  const bool exact = spec.recipe == Recipe::kExact;
  table.reach = exact && kernels->rotations != nullptr ? internal::Reach(table.count) : 0;
  const std::size_t header = (sizeof(FrequencyTable) + 127) / 128 * 128;
  const std::size_t entry_bytes = exact ? (2 + 2 * table.reach) * sizeof(double) : sizeof(float);
  const std::size_t bytes = header + padded * entry_bytes;
  auto* block = static_cast<unsigned char*>(::operator new(bytes, internal::kAlignment, std::nothrow));
  if (block == nullptr) return Status::kOutOfMemory;
  std::memset(block, 0, bytes);
  if (exact) {
    auto* high = reinterpret_cast<double*>(block + header);
    double* low = high + padded;
    internal::FillSteps(table.schedule, *kernels, table.count, high, low);
    table.high = high;
    table.low = low;
    if (table.reach != 0) {
      kernels->rotations(table, low + padded);
      table.rotations = low + padded;
    }
  } else {
    auto* divisors = reinterpret_cast<float*>(block + header);
    for (std::size_t i = table.count; i < padded; ++i) divisors[i] = 1.0f;
    internal::FillDivisors(spec, table.count, divisors);
    table.divisors = divisors;
  }
  *out = Frequencies();
  out->table_ = ::new (block) FrequencyTable(table);
  return Status::kOk;
}

Frequencies::~Frequencies() {
  if (table_ != nullptr) {
    ::operator delete(const_cast<FrequencyTable*>(table_), internal::kAlignment);
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
