#include "frequency/schedule.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace posenc {
namespace internal {
namespace {

constexpr double kMinFrequency = 0x1p-126;
constexpr double kMaxFrequency = 0x1p31;
constexpr std::int64_t kMaxLogExponent = 11;  // beyond e^(2^11) no scale brings w_i into range

template <class T>
double Load(const T* values, std::size_t i) {
  T value;
  std::memcpy(&value, reinterpret_cast<const unsigned char*>(values) + i * sizeof(value), sizeof(value));
  return static_cast<double>(value);
}

bool IsUnit(posenc_unit unit) {
  return unit == POSENC_RADIANS || unit == POSENC_HALF_TURNS || unit == POSENC_TURNS;
}

FrequencyList ListOf(const posenc_spec& spec) {
  return {spec.frequencies, spec.frequencies_f32, spec.frequency_count, spec.frequency_unit};
}

posenc_status CheckList(const posenc_spec& spec) {
  const FrequencyList list = ListOf(spec);
  if (!IsUnit(list.unit)) return POSENC_BAD_FREQUENCIES;
  if (list.doubles == nullptr && list.floats == nullptr && list.count == 0) return POSENC_OK;
  if ((list.doubles == nullptr) == (list.floats == nullptr) || list.count != PairCount(spec.dim) ||
      spec.phase_rounding != POSENC_NO_PHASE_ROUNDING) {
    return POSENC_BAD_FREQUENCIES;
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!std::isfinite(list[i])) return POSENC_BAD_FREQUENCIES;
  }
  return POSENC_OK;
}

double ExponentDim(const posenc_spec& spec) {
  return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
}

posenc_status CheckSpec(const posenc_spec& spec) {
  if (spec.dim == 0 || spec.dim > POSENC_MAX_DIM) return POSENC_BAD_DIM;
  if (!std::isfinite(spec.base) || spec.base <= 0.0) return POSENC_BAD_BASE;
  if (!std::isfinite(spec.exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
  if (const posenc_status status = CheckList(spec); status != POSENC_OK) return status;
  if (!std::isfinite(spec.position_scale)) return POSENC_BAD_POSITION_SCALE;
  switch (spec.phase_rounding) {
    case POSENC_NO_PHASE_ROUNDING:
      return POSENC_OK;
    case POSENC_F32_POW_DIV: {
      const auto exponent_dim = static_cast<float>(ExponentDim(spec));
      if (exponent_dim == 0.0f || !std::isfinite(exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
      return spec.position_scale == 1.0 ? POSENC_OK : POSENC_BAD_POSITION_SCALE;
    }
    default:
      return POSENC_BAD_PHASE_ROUNDING;
  }
}

}  // namespace

std::size_t PairCount(std::size_t dim) { return dim / 2 + dim % 2; }

posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule, double* largest) {
  if (const posenc_status status = CheckSpec(spec); status != POSENC_OK) return status;
  const std::size_t count = PairCount(spec.dim);
  const Wide log_base = Log(spec.base);
  schedule->log_ratio = Negate(Divide(Add(log_base, log_base), FromDouble(ExponentDim(spec))));
  schedule->scale = FromDouble(spec.position_scale);
  schedule->list = ListOf(spec);
  *largest = 0.0;
  if (schedule->scale.IsZero()) return POSENC_OK;
  const auto is_in_range = [&](std::size_t i) {
    const Wide radians = schedule->Radians(i);
    if (radians.IsZero()) return true;  // as listed
    const double frequency = std::fabs(ToDouble(radians));
    *largest = std::fmax(*largest, frequency);
    return frequency >= kMinFrequency && frequency <= kMaxFrequency;
  };
  if (schedule->IsListed()) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_in_range(i)) return POSENC_FREQUENCY_OUT_OF_RANGE;
    }
    return POSENC_OK;
  }
  // A geometric sequence: its ends are its extremes.
  const auto last = static_cast<std::int64_t>(count - 1);
  const Wide log_span = Multiply(FromInteger(last), schedule->log_ratio);
  if (!log_span.IsZero() && log_span.exponent > kMaxLogExponent) return POSENC_FREQUENCY_OUT_OF_RANGE;
  return is_in_range(0) && is_in_range(count - 1) ? POSENC_OK : POSENC_FREQUENCY_OUT_OF_RANGE;
}

// pow is correctly rounded, an exact tie to even.
void FillDivisors(const posenc_spec& spec, double* divisors) {
  const Wide log_base = Log(spec.base);
  const auto denominator = static_cast<float>(ExponentDim(spec));
  for (std::size_t i = 0; i < PairCount(spec.dim); ++i) {
    const float exponent = static_cast<float>(2 * i) / denominator;
    if (log_base.IsZero()) {  // pow(1, x) = 1, even where x overflows to infinity
      divisors[i] = 1.0;
      continue;
    }
    bool decided = true;
    const Wide power = Exp(Multiply(FromDouble(static_cast<double>(exponent)), log_base));
    divisors[i] = RoundToType(power, POSENC_F32, kFrequencyBits, &decided);
  }
}

double FrequencyList::operator[](std::size_t i) const {
  return doubles != nullptr ? Load(doubles, i) : Load(floats, i);
}

Wide Schedule::Radians(std::size_t i) const {
  if (IsExact()) return Multiply(QuarterTurns(i), RadiansPerQuarterTurn());
  if (IsListed()) return Multiply(scale, FromDouble(list[i]));
  if (i == 0 || scale.IsZero()) return scale;
  return Multiply(scale, Exp(Multiply(FromInteger(static_cast<std::int64_t>(i)), log_ratio)));
}

Wide Schedule::QuarterTurns(std::size_t i) const {
  if (!IsExact()) return Multiply(Radians(i), QuarterTurnsPerRadian());
  Wide step = Multiply(scale, FromDouble(list[i]));
  step.exponent += list.unit == POSENC_TURNS ? 2 : 1;
  return step;
}

}  // namespace internal
}  // namespace posenc
