#include "schedule.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace posenc {
namespace internal {
namespace {

constexpr double kMinFrequency = 0x1p-126;
constexpr double kMaxFrequency = 0x1p31;
constexpr std::int64_t kMaxLogExponent = 11;  // beyond e^(2^11) no scale brings w_i into range

bool HasList(const Spec& spec) {
  const FrequencyList& list = spec.frequencies;
  return list.doubles != nullptr || list.floats != nullptr || list.count != 0;
}

template <class T>
double Load(const T* values, std::size_t i) {
  T value;
  std::memcpy(&value, reinterpret_cast<const unsigned char*>(values) + i * sizeof(value), sizeof(value));
  return static_cast<double>(value);
}

double Listed(const FrequencyList& list, std::size_t i) {
  return list.doubles != nullptr ? Load(list.doubles, i) : Load(list.floats, i);
}

bool IsUnit(FrequencyUnit unit) {
  return unit == FrequencyUnit::kRadians || unit == FrequencyUnit::kHalfTurns ||
         unit == FrequencyUnit::kTurns;
}

Status CheckList(const Spec& spec) {
  const FrequencyList& list = spec.frequencies;
  if ((list.doubles == nullptr) == (list.floats == nullptr) || list.count != PairCount(spec.dim) ||
      spec.recipe != Recipe::kExact) {
    return Status::kBadFrequencies;
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!std::isfinite(Listed(list, i))) return Status::kBadFrequencies;
  }
  return Status::kOk;
}

Status CheckSpec(const Spec& spec) {
  if (spec.dim == 0 || spec.dim > kMaxDim) return Status::kBadDim;
  if (!std::isfinite(spec.base) || spec.base <= 0.0) return Status::kBadBase;
  if (spec.exponent_dim && (!std::isfinite(*spec.exponent_dim) || *spec.exponent_dim == 0.0)) {
    return Status::kBadExponentDim;
  }
  if (!IsUnit(spec.frequencies.unit)) return Status::kBadFrequencies;
  if (HasList(spec)) {
    if (const Status status = CheckList(spec); status != Status::kOk) return status;
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

}  // namespace

std::size_t PairCount(std::size_t dim) { return dim / 2 + dim % 2; }

Status MakeSchedule(const Spec& spec, Schedule* schedule, double* largest) {
  if (const Status status = CheckSpec(spec); status != Status::kOk) return status;
  const std::size_t count = PairCount(spec.dim);
  const Wide log_base = Log(spec.base);
  schedule->log_ratio = Negate(Divide(Add(log_base, log_base), FromDouble(ExponentDim(spec))));
  schedule->scale = FromDouble(spec.position_scale);
  schedule->list = spec.frequencies;
  *largest = 0.0;
  if (schedule->scale.IsZero()) return Status::kOk;
  const auto is_in_range = [&](std::size_t i) {
    const Wide radians = schedule->Radians(i);
    if (radians.IsZero()) return true;  // as listed
    const double frequency = std::fabs(ToDouble(radians));
    *largest = std::fmax(*largest, frequency);
    return frequency >= kMinFrequency && frequency <= kMaxFrequency;
  };
  if (schedule->IsListed()) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_in_range(i)) return Status::kFrequencyOutOfRange;
    }
    return Status::kOk;
  }
  // A geometric sequence: its ends are its extremes.
  const auto last = static_cast<std::int64_t>(count - 1);
  const Wide log_span = Multiply(FromInteger(last), schedule->log_ratio);
  if (!log_span.IsZero() && log_span.exponent > kMaxLogExponent) return Status::kFrequencyOutOfRange;
  return is_in_range(0) && is_in_range(count - 1) ? Status::kOk : Status::kFrequencyOutOfRange;
}

// pow is correctly rounded, an exact tie to even.
void FillDivisors(const Spec& spec, float* divisors) {
  const Wide log_base = Log(spec.base);
  const auto denominator = static_cast<float>(ExponentDim(spec));
  for (std::size_t i = 0; i < PairCount(spec.dim); ++i) {
    const float exponent = static_cast<float>(2 * i) / denominator;
    if (log_base.IsZero()) {  // pow(1, x) = 1, even where x overflows to infinity
      divisors[i] = 1.0f;
      continue;
    }
    bool decided = true;
    const Wide power = Exp(Multiply(FromDouble(static_cast<double>(exponent)), log_base));
    divisors[i] = static_cast<float>(RoundToFormat(power, kFloat32Format, kFrequencyBits, &decided));
  }
}

double Schedule::Listed(std::size_t i) const { return internal::Listed(list, i); }

Wide Schedule::Radians(std::size_t i) const {
  if (IsExact()) return Multiply(QuarterTurns(i), RadiansPerQuarterTurn());
  if (IsListed()) return Multiply(scale, FromDouble(Listed(i)));
  if (i == 0 || scale.IsZero()) return scale;
  return Multiply(scale, Exp(Multiply(FromInteger(static_cast<std::int64_t>(i)), log_ratio)));
}

Wide Schedule::QuarterTurns(std::size_t i) const {
  if (!IsExact()) return Multiply(Radians(i), QuarterTurnsPerRadian());
  Wide step = Multiply(scale, FromDouble(Listed(i)));
  step.exponent += list.unit == FrequencyUnit::kTurns ? 2 : 1;
  return step;
}

}  // namespace internal
}  // namespace posenc
