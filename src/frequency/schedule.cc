#include "frequency/schedule.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "frequency/float_steps.h"
#include "spec/rows.h"

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

// As the caller has it.
double Listed(const FrequencyList& list, std::size_t i) {
  return list.doubles != nullptr ? Load(list.doubles, i) : Load(list.floats, i);
}

// All but the one of the input.
std::size_t ColumnsOfPairs(const posenc_spec& spec) { return spec.dim - (spec.input_first != 0 ? 1 : 0); }

posenc_status CheckList(const posenc_spec& spec) {
  const FrequencyList list = ListOf(spec);
  if (!IsValue<Of::unit>(list.unit)) return POSENC_BAD_UNIT;
  if (list.doubles == nullptr && list.floats == nullptr && list.count == 0) return POSENC_OK;
  if ((list.doubles == nullptr) == (list.floats == nullptr)) return POSENC_BAD_FREQUENCIES;
  if (list.count != PairCount(spec)) return POSENC_BAD_FREQUENCY_COUNT;
  if (spec.phase_rounding != POSENC_NO_PHASE_ROUNDING && spec.phase_rounding != POSENC_F32_LIST) {
    return POSENC_ROUNDING_TAKES_NO_LIST;
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!std::isfinite(Listed(list, i))) return POSENC_FREQUENCY_NOT_FINITE;
  }
  return POSENC_OK;
}

bool IsPositive(double x) { return std::isfinite(x) && x > 0.0; }

posenc_status CheckRounding(const posenc_spec& spec) {
  if (!IsValue<Of::phase_rounding>(spec.phase_rounding)) return POSENC_BAD_PHASE_ROUNDING;
  if (spec.phase_rounding == POSENC_F32_LIST && spec.frequency_count == 0) return POSENC_BAD_FREQUENCIES;
  if (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING) return POSENC_OK;
  if (spec.frequency_unit != POSENC_RADIANS) return POSENC_ROUNDING_NEEDS_RADIANS;
  const double base = BaseOf(spec), exponent_dim = ExponentDimOf(spec);
  if (!IsPositive(base)) return POSENC_BAD_BASE;
  if (exponent_dim == 0.0 || !std::isfinite(exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
  return IsRegular(NearestFloat(spec.position_scale)) ? POSENC_OK : POSENC_BAD_POSITION_SCALE;
}

posenc_status CheckSpec(const posenc_spec& spec) {
  if (spec.dim == 0 || spec.dim > POSENC_MAX_DIM) return POSENC_BAD_DIM;
  if (!IsPositive(spec.base)) return POSENC_BAD_BASE;
  if (!std::isfinite(spec.exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
  if (const posenc_status status = CheckList(spec); status != POSENC_OK) return status;
  if (!std::isfinite(spec.position_scale)) return POSENC_BAD_POSITION_SCALE;
  const bool may_have_least = spec.frequency_count == 0 && (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING ||
                                                            spec.phase_rounding == POSENC_F32_LOG_INCREMENT);
  if (!IsPositive(spec.min_timescale) || (spec.min_timescale != 1.0 && !may_have_least))
    return POSENC_BAD_MIN_TIMESCALE;
  return CheckRounding(spec);
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

// Beyond the range if x is infinite.
double LogMagnitude(double x) {
  return std::isfinite(x) ? ApproximateLog(std::fabs(x)) : kLogMaxFrequency + 1.0;
}

double LogOfUnit(posenc_unit unit) {
  return unit == POSENC_RADIANS ? 0.0 : unit == POSENC_TURNS ? kLogTwoPi : kLogPi;
}

// Calls visit(i, log |w_i|), an estimate, for the pairs of the largest and the least frequency, or for all in
// a list; not for those that are 0. Ends and returns false where visit does.
template <class Visit>
bool ForExtremes(const posenc_spec& spec, double scale, const Visit& visit) {
  if (scale == 0.0 || !HasPairs(spec)) return true;
  const double log_first = LogMagnitude(scale) + LogOfUnit(spec.frequency_unit);
  const FrequencyList list = ListOf(spec);
  if (list.count != 0) {
    for (std::size_t i = 0; i < list.count; ++i) {
      if (Listed(list, i) == 0.0) continue;
      const bool vanishes = list[i] == 0.0;
      if (!visit(i, vanishes ? kLogMinFrequency - 1.0 : log_first + LogMagnitude(list[i]))) return false;
    }
    return true;
  }
  // A geometric sequence: its ends are its extremes.
  const std::size_t last = PairCount(spec) - 1;
  const double log_least = ApproximateLog(spec.min_timescale);
  const double log_base = ApproximateLog(BaseOf(spec)) - log_least;
  const double steps = -2.0 * static_cast<double>(last) / ExponentDimOf(spec);  // may be infinite
  const double log_span = last == 0 || log_base == 0.0 ? 0.0 : steps * log_base;
  return visit(0, log_first + log_least) && visit(last, log_first + log_least + log_span);
}

template <int kLimbs>
Wide<kLimbs> LogRatio(const Schedule& schedule) {
  Wide<kLimbs> log_base = Log<kLimbs>(schedule.base);
  if (schedule.least != 1.0) log_base = Subtract(log_base, Log<kLimbs>(schedule.least));
  ++log_base.exponent;
  return Negate(Divide(log_base, FromDouble<kLimbs>(schedule.exponent_dim)));
}

template <int kLimbs>
Wide<kLimbs> LogRatioOf(const Schedule& schedule) {
  if constexpr (kLimbs == 4) return schedule.log_ratio;
  return LogRatio<kLimbs>(schedule);
}

// Whether base^(-2 / exponent_dim) is a power of two: frequencies of NeRF and of pixels, whose phases may be
// whole quarter turns.
bool IsBinary(const Schedule& schedule, std::int64_t* exponent) {
  constexpr int kMantissaBits = 52, kBias = 1023;
  std::uint64_t bits;
  std::memcpy(&bits, &schedule.base, sizeof(bits));
  if (schedule.least != 1.0 || bits << (64 - kMantissaBits) != 0 || bits >> kMantissaBits == 0) return false;
  const double log2 = static_cast<double>(static_cast<int>(bits >> kMantissaBits) - kBias);
  const double steps = -2.0 * log2 / schedule.exponent_dim;
  if (!(std::fabs(steps) < 256.0)) return false;
  *exponent = static_cast<std::int64_t>(steps);
  // Exactly: steps is a rounded quotient.
  const Wide256 product = Multiply(FromInteger<4>(*exponent), FromDouble<4>(schedule.exponent_dim));
  return Subtract(product, FromDouble<4>(-2.0 * log2)).IsZero();
}

}  // namespace

FrequencyList ListOf(const posenc_spec& spec) {
  return {spec.frequencies, spec.frequencies_f32, spec.frequency_count, spec.frequency_unit,
          spec.phase_rounding == POSENC_F32_LIST};
}

bool HasPairs(const posenc_spec& spec) {
  const std::size_t columns = ColumnsOfPairs(spec);
  return columns > 1 || (columns == 1 && (spec.odd_column == POSENC_ODD_HALF_PAIR ||
                                          spec.odd_column == POSENC_ODD_COSINE_LAST));
}

std::size_t PairCount(const posenc_spec& spec) {
  const std::size_t columns = ColumnsOfPairs(spec);
  const std::size_t pairs = columns / 2 + (spec.odd_column == POSENC_ODD_HALF_PAIR ? columns % 2 : 0);
  return pairs == 0 ? 1 : pairs;
}

// What they are as floats may make another frequency of a base next to 1.
double BaseOf(const posenc_spec& spec) {
  switch (spec.phase_rounding) {
    case POSENC_F32_POW_DIV:
    case POSENC_F32_INV_FREQ:
    case POSENC_F32_ITERATED:
      return static_cast<double>(NearestFloat(spec.base));
    default:
      return spec.base;
  }
}

double ExponentDimOf(const posenc_spec& spec) {
  const double given = spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
  switch (spec.phase_rounding) {
    case POSENC_F32_POW_DIV:
    case POSENC_F32_LOG_DIV:
    case POSENC_F32_INV_FREQ:
    case POSENC_F32_ITERATED:
    case POSENC_F32_LOG_INCREMENT:
      return static_cast<double>(NearestFloat(given));
    default:
      return given;
  }
}

posenc_status EstimateSchedule(const posenc_spec& spec, bool* has_large) {
  if (const posenc_status status = CheckSpec(spec); status != POSENC_OK) return status;
  *has_large = false;
  const auto is_in_range = [&](std::size_t /*i*/, double log_frequency) {
    *has_large = *has_large || log_frequency > kLogOfSmall;
    // Rounded again and again, it might leave the range.
    if (spec.phase_rounding == POSENC_F32_ITERATED && log_frequency > kLogMaxFrequency - 1.0) return false;
    return RangeOf(log_frequency) != Range::kOutside;
  };
  // Recipes round w_i before the scale.
  const bool are_in_range =
      ForExtremes(spec, spec.position_scale, is_in_range) &&
      (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING || ForExtremes(spec, 1.0, is_in_range));
  return are_in_range ? POSENC_OK : POSENC_FREQUENCY_OUT_OF_RANGE;
}

posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule) {
  schedule->base = BaseOf(spec);
  schedule->least = spec.min_timescale;
  schedule->exponent_dim = ExponentDimOf(spec);
  schedule->scale = HasPairs(spec) ? spec.position_scale : 0.0;
  schedule->list = ListOf(spec);
  schedule->is_binary = !schedule->IsListed() && IsBinary(*schedule, &schedule->ratio_exponent);
  if (!schedule->IsListed()) schedule->log_ratio = LogRatio<4>(*schedule);
  const auto is_in_range = [&](std::size_t i, double log_frequency) {
    if (RangeOf(log_frequency) != Range::kNearALimit) return true;
    const double frequency = std::fabs(ToDouble(schedule->Radians<4>(i)));
    return frequency >= kMinFrequency && frequency <= kMaxFrequency;
  };
  if (!ForExtremes(spec, schedule->scale, is_in_range)) return POSENC_FREQUENCY_OUT_OF_RANGE;
  if (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING) return POSENC_OK;
  const double scale = schedule->scale;
  schedule->scale = 1.0;
  const bool are_in_range = ForExtremes(spec, schedule->scale, is_in_range);
  schedule->scale = scale;
  return are_in_range ? POSENC_OK : POSENC_FREQUENCY_OUT_OF_RANGE;
}

double FrequencyList::operator[](std::size_t i) const {
  const double listed = Listed(*this, i);
  return are_rounded ? static_cast<double>(NearestFloat(listed)) : listed;
}

template <int kLimbs>
Wide<kLimbs> Schedule::Counted(std::size_t i) const {
  const auto wide_scale = FromDouble<kLimbs>(scale);
  if (IsListed()) return Multiply(wide_scale, FromDouble<kLimbs>(list[i]));
  Wide<kLimbs> first = least == 1.0 ? wide_scale : Multiply(wide_scale, FromDouble<kLimbs>(least));
  if (i == 0 || first.IsZero()) return first;
  const auto index = static_cast<std::int64_t>(i);
  if (is_binary) {
    first.exponent += index * ratio_exponent;
    return first;
  }
  return Multiply(first, Exp(Multiply(FromInteger<kLimbs>(index), LogRatioOf<kLimbs>(*this))));
}

template <int kLimbs>
Wide<kLimbs> Schedule::Radians(std::size_t i) const {
  if (!IsRotary() && list.unit == POSENC_RADIANS) return Counted<kLimbs>(i);
  return Multiply(QuarterTurns<kLimbs>(i), RadiansPerQuarterTurn<kLimbs>());
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
  Wide<kLimbs> step = Counted<kLimbs>(i);
  if (list.unit == POSENC_RADIANS) return Multiply(step, QuarterTurnsPerRadian<kLimbs>());
  step.exponent += list.unit == POSENC_TURNS ? 2 : 1;
  return step;
}

RationalStep Schedule::RationalQuarterTurns(std::size_t i) const {
  if (IsRotary()) return rotary.rational(*rotary.schedule, i);
  if (list.unit == POSENC_RADIANS || scale == 0.0 || (IsListed() && list[i] == 0.0)) return {};
  RationalProduct product;
  product.Multiply(scale);
  if (IsListed()) {
    product.Multiply(list[i]);
  } else {  // least (base / least)^(-2i / exponent_dim)
    const Exponent exponent = ExponentOf(i, exponent_dim);
    product.Multiply(base, exponent);
    product.Multiply(least, Add({1, 1}, Multiply({-1, 1}, exponent)));
  }
  product.ScaleByTwoTo({list.unit == POSENC_HALF_TURNS ? 1 : 2, 1});
  return product.Step();
}

template Wide256 Schedule::Radians(std::size_t) const;
template Wide256 Schedule::QuarterTurns(std::size_t) const;
template Wide1024 Schedule::QuarterTurns(std::size_t) const;

}  // namespace internal
}  // namespace posenc
