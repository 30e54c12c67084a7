// Checks an encoder's spec, turns it into a schedule, and evaluates schedules of encoders and rotaries. A
// call reports one mistake only: the first one in the order of these checks.
#include "number/exact.h"

#include "frequency/schedule.h"

#include <cmath>
#include <cstring>

#include "frequency/phase_rounding.h"
#include "spec/check_members.h"

namespace posenc {
namespace internal {
namespace {

constexpr double kLogMinFrequency = -87.336544750553102;
constexpr double kLogMaxFrequency = 21.487562597358306;
constexpr double kMiddleLog = (kLogMinFrequency + kLogMaxFrequency) / 2;
constexpr double kEstimateError = 1e-6;  // an estimated ln |w_i| is far closer than this
constexpr double kLogOfSmall = 1.8372;   // e^1.8372 = 6.279 radians, just below four quarter turns
constexpr double kLogPi = 1.1447298858494002;
constexpr double kLogTwoPi = 1.8378770664093453;

// The columns of a row that hold sines and cosines: with input_first, column 0 is the position itself.
std::size_t ColumnsOfPairs(const posenc_spec& spec) { return spec.dim - (spec.input_first != 0 ? 1 : 0); }

// Whether a row has a sine or cosine at all. If not, its frequencies count as 0.
bool HasPairs(const posenc_spec& spec) {
  const std::size_t columns = ColumnsOfPairs(spec);
  return columns > 1 || (columns == 1 && (spec.odd_column == POSENC_ODD_HALF_PAIR ||
                                          spec.odd_column == POSENC_ODD_COSINE_LAST));
}

// An estimate of ln |x|. An infinite x gets a value above the range.
double LogMagnitude(double x) {
  return std::isfinite(x) ? ApproximateLog(std::fabs(x)) : kLogMaxFrequency + 1.0;
}

double LogOfUnit(posenc_unit unit) {
  return unit == POSENC_RADIANS ? 0.0 : unit == POSENC_TURNS ? kLogTwoPi : kLogPi;
}

// Calls visit(i, estimate of ln |w_i|) for the largest and the least frequency, or with a list for each entry
// that is not 0. Stops and returns false as soon as visit returns false.
template <class Visit>
bool ForExtremes(const posenc_spec& spec, double scale, const Visit& visit) {
  if (scale == 0.0 || !HasPairs(spec)) return true;
  const double log_first = LogMagnitude(scale) + LogOfUnit(spec.unit);
  const FrequencyList list = ListOf(spec);
  for (std::size_t i = 0; i < list.count; ++i) {
    const double w = list[i];
    if (w == 0.0 && !list.Vanishes(i)) continue;
    if (!visit(i, w == 0.0 ? kLogMinFrequency - 1.0 : log_first + LogMagnitude(w))) return false;
  }
  if (list.count != 0) return true;
  // The extremes of a geometric sequence are its ends.
  const std::size_t last = PairCount(spec) - 1;
  const double log_min = ApproximateLog(spec.min_timescale);
  const double log_span = ApproximateLog(BaseOf(spec)) - log_min;
  const double exponent = -2.0 * static_cast<double>(last) / ExponentDimOf(spec);  // may be infinite
  const double log_last = last == 0 || log_span == 0.0 ? 0.0 : exponent * log_span;
  return visit(0, log_first + log_min) && visit(last, log_first + log_min + log_last);
}

// Whether all frequencies times scale are in range. Without a schedule, frequencies close to a limit count as
// in range, because only a schedule can tell.
bool AreInRange(const posenc_spec& spec, double scale, Schedule* schedule, bool* has_large) {
  if (schedule != nullptr) schedule->scale = scale;
  return ForExtremes(spec, scale, [&](std::size_t i, double log_frequency) {
    *has_large = *has_large || log_frequency > kLogOfSmall;
    // This rounding multiplies floats again and again, so a frequency near the limit might leave the range.
    if (spec.phase_rounding == POSENC_F32_ITERATED && log_frequency > kLogMaxFrequency - 1.0) return false;
    const double outside = std::fabs(log_frequency - kMiddleLog) - (kLogMaxFrequency - kMiddleLog);
    if (!(outside < kEstimateError)) return false;
    if (schedule == nullptr || outside < -kEstimateError) return true;
    const double frequency = std::fabs(ToDouble(schedule->Radians<4>(i)));
    return frequency >= kMinFrequency && frequency <= kMaxFrequency;
  });
}

posenc_status CheckRounding(const posenc_spec& spec) {
  if (spec.phase_rounding == POSENC_F32_LIST && spec.frequency_count == 0) return rule::f32_list_needs_list;
  if (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING) return rule::ok;
  if (spec.unit != POSENC_RADIANS) return rule::rounding_unit;
  const double exponent_dim = ExponentDimOf(spec);
  if (!IsPositive(BaseOf(spec))) return rule::rounding_base;
  if (exponent_dim == 0.0 || !std::isfinite(exponent_dim)) return rule::rounding_exponent_dim;
  return IsRegular(NearestFloat(spec.position_scale)) ? rule::ok : rule::rounding_position_scale;
}

// ln(w_{i+1} / w_i) = -2 ln(base / min_timescale) / exponent_dim
template <int kLimbs>
Wide<kLimbs> LogRatio(const Schedule& schedule) {
  Wide<kLimbs> log_span = Log<kLimbs>(schedule.base);
  if (schedule.min_timescale != 1.0) log_span = Subtract(log_span, Log<kLimbs>(schedule.min_timescale));
  ++log_span.exponent;
  return Negate(Divide(log_span, FromDouble<kLimbs>(schedule.exponent_dim)));
}

// Whether base^(-2 / exponent_dim) is a power of two, 2^*exponent: for example each frequency is twice the
// one before. Phases may then be integers of quarter turns.
bool IsBinary(const Schedule& schedule, std::int64_t* exponent) {
  constexpr int kMantissaBits = 52, kBias = 1023;
  std::uint64_t bits;
  std::memcpy(&bits, &schedule.base, sizeof(bits));
  const bool is_power = bits << (64 - kMantissaBits) == 0 && bits >> kMantissaBits != 0;
  if (schedule.IsListed() || schedule.min_timescale != 1.0 || !is_power) return false;
  const double log2 = static_cast<double>(static_cast<int>(bits >> kMantissaBits) - kBias);
  const double quotient = -2.0 * log2 / schedule.exponent_dim;
  if (!(std::fabs(quotient) < 256.0)) return false;
  *exponent = static_cast<std::int64_t>(quotient);
  // Compared exactly, because the quotient is rounded.
  const Wide256 product = Multiply(FromInteger<4>(*exponent), FromDouble<4>(schedule.exponent_dim));
  return Subtract(product, FromDouble<4>(-2.0 * log2)).IsZero();
}

}  // namespace

FrequencyList ListOf(const posenc_spec& spec) {
  return {spec.frequencies, spec.frequencies_f32, spec.frequency_count, spec.unit,
          spec.phase_rounding == POSENC_F32_LIST};
}

double* FrequencyList::MoveTo(double* copy) {
  if (count == 0) return copy;
  for (std::size_t i = 0; i < count; ++i) copy[i] = (*this)[i];
  doubles = copy;
  floats = nullptr;
  return copy + count;
}

std::size_t PairCount(const posenc_spec& spec) {
  const std::size_t columns = ColumnsOfPairs(spec);
  const std::size_t pairs = columns / 2 + (spec.odd_column == POSENC_ODD_HALF_PAIR ? columns % 2 : 0);
  return pairs == 0 ? 1 : pairs;
}

// Frameworks round the base first. If a base is close to 1, that makes different frequencies, so posenc must
// do the same.
double BaseOf(const posenc_spec& spec) {
  const bool is_rounded =
      IsOneOf(spec.phase_rounding, POSENC_F32_POW_DIV, POSENC_F32_INV_FREQ, POSENC_F32_ITERATED);
  return is_rounded ? NearestFloat(spec.base) : spec.base;
}

double ExponentDimOf(const posenc_spec& spec) {
  const double given = spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
  const bool is_rounded = IsOneOf(spec.phase_rounding, POSENC_F32_POW_DIV, POSENC_F32_LOG_DIV,
                                  POSENC_F32_INV_FREQ, POSENC_F32_ITERATED, POSENC_F32_LOG_INCREMENT);
  return is_rounded ? NearestFloat(given) : given;
}

posenc_status CheckList(const FrequencyList& list, std::size_t pairs, bool rounding_takes_it) {
  if (list.doubles == nullptr && list.floats == nullptr) {
    return list.count == 0 ? rule::ok : rule::frequencies_missing;
  }
  if (list.doubles != nullptr && list.floats != nullptr) return rule::frequencies_twice;
  if (list.count != pairs) return rule::frequency_count;
  if (!rounding_takes_it) return rule::list_rounding;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!std::isfinite(list[i])) return rule::frequencies_finite;
  }
  return rule::ok;
}

posenc_status CheckSpec(const posenc_spec& spec) {
  if (const posenc_status status = CheckMembers(spec); status != POSENC_OK) return status;
  FrequencyList list = ListOf(spec);
  list.are_rounded = false;
  const bool is_exact = spec.phase_rounding == POSENC_NO_PHASE_ROUNDING;
  const posenc_status status =
      CheckList(list, PairCount(spec), is_exact || spec.phase_rounding == POSENC_F32_LIST);
  if (status != POSENC_OK) return status;
  if (spec.min_timescale != 1.0 && list.count != 0) return rule::min_timescale_with_list;
  if (spec.min_timescale != 1.0 && !is_exact && spec.phase_rounding != POSENC_F32_LOG_INCREMENT)
    return rule::min_timescale_with_rounding;
  return CheckRounding(spec);
}

posenc_status CheckRange(const posenc_spec& spec, Schedule* schedule, bool* has_large) {
  // A phase rounding rounds w_i before it multiplies by the scale, so w_i must be in range, too.
  const bool are_in_range =
      (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING || AreInRange(spec, 1.0, schedule, has_large)) &&
      AreInRange(spec, spec.position_scale, schedule, has_large);
  return are_in_range ? rule::ok : rule::frequency_range;
}

posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule) {
  *schedule = {};
  schedule->base = BaseOf(spec);
  schedule->min_timescale = spec.min_timescale;
  schedule->exponent_dim = ExponentDimOf(spec);
  schedule->list = ListOf(spec);
  schedule->is_binary = IsBinary(*schedule, &schedule->ratio_exponent);
  schedule->is_exact = (schedule->IsListed() || schedule->is_binary) && spec.unit != POSENC_RADIANS;
  if (!schedule->IsListed()) schedule->log_ratio = LogRatio<4>(*schedule);
  bool has_large = false;
  const posenc_status status = CheckRange(spec, schedule, &has_large);
  schedule->scale = HasPairs(spec) ? spec.position_scale : 0.0;
  return status;
}

template <int kLimbs>
Wide<kLimbs> Schedule::Unscaled(std::size_t i) const {
  const auto wide_scale = FromDouble<kLimbs>(scale);
  if (IsListed()) return Multiply(wide_scale, FromDouble<kLimbs>(list[i]));
  Wide<kLimbs> first = wide_scale;
  if (min_timescale != 1.0) first = Multiply(wide_scale, FromDouble<kLimbs>(min_timescale));
  if (i == 0 || first.IsZero()) return first;
  if (is_binary) {
    first.exponent += static_cast<std::int64_t>(i) * ratio_exponent;
    return first;
  }
  Wide<kLimbs> log;
  if constexpr (kLimbs == 4) {
    log = log_ratio;
  } else {
    log = LogRatio<kLimbs>(*this);
  }
  return Multiply(first, Exp(Multiply(FromInteger<kLimbs>(static_cast<std::int64_t>(i)), log)));
}

template <int kLimbs>
Wide<kLimbs> Schedule::Radians(std::size_t i) const {
  if (scaling == nullptr && list.unit == POSENC_RADIANS) return Unscaled<kLimbs>(i);
  return Multiply(QuarterTurns<kLimbs>(i), RadiansPerQuarterTurn<kLimbs>());
}

template <int kLimbs>
Wide<kLimbs> Schedule::QuarterTurns(std::size_t i) const {
  if (scaling == nullptr) return InQuarterTurns(Unscaled<kLimbs>(i), list.unit);
  const Schedule& own = Own(&i);
  if constexpr (kLimbs == 4) {
    return calls->in_256_bits(own, i);
  } else {
    return calls->in_1024_bits(own, i);
  }
}

double Schedule::NearestRadians(std::size_t i) const {
  const Wide256 radians = Radians<4>(i);
  return radians.IsZero() ? 0.0 : NearestOrTie(radians, POSENC_F64);
}

RationalStep Schedule::RationalQuotient(std::size_t entry, double divisor) const {
  if (list.unit == POSENC_RADIANS || scale == 0.0 || (IsListed() && list[entry] == 0.0)) return {};
  const Exponent exponent = IsListed() ? Exponent{1, 1} : ExponentOf(entry, exponent_dim);
  RationalProduct product;
  product.Multiply(list.unit == POSENC_HALF_TURNS ? 2.0 : 4.0);
  product.Multiply(scale);
  product.Multiply(IsListed() ? list[entry] : base, exponent);
  if (min_timescale != 1.0) product.Multiply(min_timescale, {exponent.d - exponent.n, exponent.d});
  product.Multiply(divisor, {-1, 1});
  return product.Step();
}

RationalStep Schedule::RationalQuarterTurns(std::size_t i) const {
  if (scaling == nullptr) return RationalQuotient(i, 1.0);
  const Schedule& own = Own(&i);
  return calls->rational(own, i);
}

template Wide256 Schedule::Radians(std::size_t) const;
template Wide256 Schedule::QuarterTurns(std::size_t) const;
template Wide1024 Schedule::QuarterTurns(std::size_t) const;

}  // namespace internal
}  // namespace posenc
