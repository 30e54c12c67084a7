#include "frequency/schedule.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace posenc {
namespace internal {
namespace {

constexpr double kMinFrequency = 0x1p-126;
constexpr double kMaxFrequency = 0x1p31;
constexpr double kLogMinFrequency = -87.336544750553102;
constexpr double kLogMaxFrequency = 21.487562597358306;
constexpr double kLogOfSmall = 1.8372;  // steps of e^1.8372 = 6.279 radians are below four quarter turns
constexpr double kLogPi = 1.1447298858494002;
constexpr double kLogTwoPi = 1.8378770664093453;

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

double GivenExponentDim(const posenc_spec& spec) {
  return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
}

// As a phase rounding takes them, which may make another frequency of a base next to 1.
double Rounded(const posenc_spec& spec, double x) {
  return spec.phase_rounding == POSENC_F32_POW_DIV ? static_cast<double>(static_cast<float>(x)) : x;
}
double Base(const posenc_spec& spec) { return Rounded(spec, spec.base); }
double ExponentDim(const posenc_spec& spec) { return Rounded(spec, GivenExponentDim(spec)); }

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
      const double base = Base(spec), exponent_dim = ExponentDim(spec);
      if (base == 0.0 || !std::isfinite(base)) return POSENC_BAD_BASE;
      if (exponent_dim == 0.0 || !std::isfinite(exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
      return spec.position_scale == 1.0 ? POSENC_OK : POSENC_BAD_POSITION_SCALE;
    }
    default:
      return POSENC_BAD_PHASE_ROUNDING;
  }
}

// What an estimate of log |w_i| says of the frequency.
enum class Range { kInside, kOutside, kNearALimit };

Range RangeOf(double log_frequency) {
  constexpr double kError = 1e-6;  // far more than that of the estimates
  if (log_frequency > kLogMinFrequency + kError && log_frequency < kLogMaxFrequency - kError)
    return Range::kInside;
  const bool is_near = log_frequency > kLogMinFrequency - kError && log_frequency < kLogMaxFrequency + kError;
  return is_near ? Range::kNearALimit : Range::kOutside;
}

double LogMagnitude(double x) { return ApproximateLog(std::fabs(x)); }

// Calls visit(i, log |w_i|), an estimate, for the pairs of the largest and the least frequency, or for all in
// a list; not for those that are 0. Ends and returns false where visit does.
template <class Visit>
bool ForExtremes(const posenc_spec& spec, const Visit& visit) {
  if (spec.position_scale == 0.0) return true;
  const double log_scale = LogMagnitude(spec.position_scale);
  const FrequencyList list = ListOf(spec);
  if (list.count != 0) {
    const double log_unit = list.unit == POSENC_RADIANS ? 0.0
                            : list.unit == POSENC_TURNS ? kLogTwoPi
                                                        : kLogPi;
    for (std::size_t i = 0; i < list.count; ++i) {
      if (list[i] != 0.0 && !visit(i, log_scale + LogMagnitude(list[i]) + log_unit)) return false;
    }
    return true;
  }
  // A geometric sequence: its ends are its extremes.
  const std::size_t last = PairCount(spec.dim) - 1;
  const double log_base = ApproximateLog(Base(spec));
  const double steps = -2.0 * static_cast<double>(last) / ExponentDim(spec);  // may be infinite
  const double log_span = last == 0 || log_base == 0.0 ? 0.0 : steps * log_base;
  return visit(0, log_scale) && visit(last, log_scale + log_span);
}

template <int kLimbs>
Wide<kLimbs> LogRatio(const Schedule& schedule) {
  const Wide<kLimbs> log_base = Log<kLimbs>(schedule.base);
  return Negate(Divide(Add(log_base, log_base), FromDouble<kLimbs>(schedule.exponent_dim)));
}

template <int kLimbs>
Wide<kLimbs> LogRatioOf(const Schedule& schedule) {
  if constexpr (kLimbs == 4) return schedule.log_ratio;
  return LogRatio<kLimbs>(schedule);
}

}  // namespace

std::size_t PairCount(std::size_t dim) { return dim / 2 + dim % 2; }

posenc_status EstimateSchedule(const posenc_spec& spec, bool* has_large) {
  if (const posenc_status status = CheckSpec(spec); status != POSENC_OK) return status;
  *has_large = false;
  const bool are_in_range = ForExtremes(spec, [&](std::size_t /*i*/, double log_frequency) {
    *has_large = *has_large || log_frequency > kLogOfSmall;
    return RangeOf(log_frequency) != Range::kOutside;
  });
  return are_in_range ? POSENC_OK : POSENC_FREQUENCY_OUT_OF_RANGE;
}

posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule) {
  schedule->base = Base(spec);
  schedule->exponent_dim = ExponentDim(spec);
  schedule->scale = spec.position_scale;
  schedule->list = ListOf(spec);
  if (!schedule->IsListed()) schedule->log_ratio = LogRatio<4>(*schedule);
  const bool are_in_range = ForExtremes(spec, [&](std::size_t i, double log_frequency) {
    if (RangeOf(log_frequency) != Range::kNearALimit) return true;
    const double frequency = std::fabs(ToDouble(schedule->Radians<4>(i)));
    return frequency >= kMinFrequency && frequency <= kMaxFrequency;
  });
  return are_in_range ? POSENC_OK : POSENC_FREQUENCY_OUT_OF_RANGE;
}

double NearestOrTie(Wide256 x, posenc_type type) {
  constexpr int kBits = kFrequencyBits<4> - 4;
  bool decided = true;
  const double nearest = RoundToType(x, type, kBits, &decided);
  if (decided) return nearest;
  Wide256 half = FromInteger<4>(1);  // of the last bit of 64
  half.exponent = x.exponent - 64;
  half.negative = x.negative;
  x = Add(x, half);
  x.limb[0] = x.limb[1] = x.limb[2] = 0;
  return RoundToType(x, type, kBits, &decided);
}

// pow is correctly rounded.
void FillDivisors(const posenc_spec& spec, double* divisors) {
  const Wide256 log_base = Log<4>(Base(spec));
  const auto denominator = static_cast<float>(ExponentDim(spec));
  for (std::size_t i = 0; i < PairCount(spec.dim); ++i) {
    const float exponent = static_cast<float>(2 * i) / denominator;
    if (log_base.IsZero()) {  // pow(1, x) = 1, even where x overflows to infinity
      divisors[i] = 1.0;
      continue;
    }
    const Wide256 power = Exp(Multiply(FromDouble<4>(static_cast<double>(exponent)), log_base));
    divisors[i] = NearestOrTie(power, POSENC_F32);
  }
}

double FrequencyList::operator[](std::size_t i) const {
  return doubles != nullptr ? Load(doubles, i) : Load(floats, i);
}

template <int kLimbs>
Wide<kLimbs> Schedule::Radians(std::size_t i) const {
  if (IsRotary() || IsExact()) return Multiply(QuarterTurns<kLimbs>(i), RadiansPerQuarterTurn<kLimbs>());
  const auto wide_scale = FromDouble<kLimbs>(scale);
  if (IsListed()) return Multiply(wide_scale, FromDouble<kLimbs>(list[i]));
  if (i == 0 || wide_scale.IsZero()) return wide_scale;
  const auto exponent =
      Multiply(FromInteger<kLimbs>(static_cast<std::int64_t>(i)), LogRatioOf<kLimbs>(*this));
  return Multiply(wide_scale, Exp(exponent));
}

template <int kLimbs>
Wide<kLimbs> Schedule::QuarterTurns(std::size_t i) const {
  if (IsRotary()) {
    if constexpr (kLimbs == 4) {
      return rotary.in_256_bits(*rotary.schedule, i);
    } else {
      return rotary.in_1024_bits(*rotary.schedule, i);
    }
  }
  if (!IsExact()) return Multiply(Radians<kLimbs>(i), QuarterTurnsPerRadian<kLimbs>());
  Wide<kLimbs> step = Multiply(FromDouble<kLimbs>(scale), FromDouble<kLimbs>(list[i]));
  step.exponent += list.unit == POSENC_TURNS ? 2 : 1;
  return step;
}

template Wide256 Schedule::Radians(std::size_t) const;
template Wide256 Schedule::QuarterTurns(std::size_t) const;
template Wide1024 Schedule::QuarterTurns(std::size_t) const;

}  // namespace internal
}  // namespace posenc
