// Frequencies of encoders: a geometric sequence, or the caller's list.
#include "number/exact.h"

#include "frequency/geometric.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "frequency/encoder_spec.h"
#include "frequency/products.h"
#include "number/double_double.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

constexpr double kMiddleLog = (kLogMinFrequency + kLogMaxFrequency) / 2;

// An estimate of ln |x|. An infinite x gets a value above the range.
double LogMagnitude(double x) {
  return std::isfinite(x) ? ApproximateLog(std::fabs(x)) : kLogMaxFrequency + 1.0;
}

// ln(base / min_timescale). If the two are close, the difference of their logarithms would lose the leading
// digits, and a quotient near 1 would lose the last ones.
template <int kLimbs>
Wide<kLimbs> LogSpan(double base, double min_timescale) {
  if (min_timescale == 1.0) return Log<kLimbs>(base);
  const auto least = FromDouble<kLimbs>(min_timescale), largest = FromDouble<kLimbs>(base);
  const Wide<kLimbs> excess = Divide(Subtract(largest, least), least);
  constexpr std::int64_t kCloseExponent = -12;
  const bool are_close = excess.IsZero() || excess.exponent <= kCloseExponent;
  return are_close ? LogOnePlus(excess) : Log(Divide(largest, least));
}

// An estimate of ln(base / min_timescale) with a relative error below 2^-26.
double ApproximateLogSpan(double base, double min_timescale) {
  const bool cancels = min_timescale != 1.0 && base < 2.0 * min_timescale && min_timescale < 2.0 * base;
  return cancels ? ToDouble(LogSpan<4>(base, min_timescale))
                 : ApproximateLog(base) - ApproximateLog(min_timescale);
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
    if (w == 0.0 && !list.RoundsToZero(i)) continue;
    if (!visit(i, w == 0.0 ? kLogMinFrequency - 1.0 : log_first + LogMagnitude(w))) return false;
  }
  if (list.count != 0) return true;
  // The extremes of a geometric sequence are its ends.
  const std::size_t last = PairCount(spec) - 1;
  const double log_min = ApproximateLog(spec.min_timescale);
  const double log_span = ApproximateLogSpan(BaseOf(spec), spec.min_timescale);
  const double exponent = -2.0 * static_cast<double>(last) / ExponentDimOf(spec);  // may be infinite
  const double log_last = last == 0 || log_span == 0.0 ? 0.0 : exponent * log_span;
  return visit(0, log_first + log_min) && visit(last, log_first + log_min + log_last);
}

// Whether all frequencies times scale are in range. exact(i) returns |w_i| in radians; it is asked only for
// frequencies so close to a limit that estimates cannot decide.
template <class Exact>
bool AreInRange(const posenc_spec& spec, double scale, bool* has_large, const Exact& exact) {
  return ForExtremes(spec, scale, [&](std::size_t i, double log_frequency) {
    *has_large = *has_large || log_frequency > kLogOfSmall;
    // This rounding multiplies floats again and again, so a frequency near the limit might leave the range.
    if (spec.phase_rounding == POSENC_F32_ITERATED && log_frequency > kLogMaxFrequency - 1.0) return false;
    const double outside = std::fabs(log_frequency - kMiddleLog) - (kLogMaxFrequency - kMiddleLog);
    if (!(outside < kEstimateError)) return false;
    if (outside < -kEstimateError) return true;
    const double frequency = exact(i);
    return frequency >= kMinFrequency && frequency <= kMaxFrequency;
  });
}

// ln(w_{i+1} / w_i) = -2 ln(base / min_timescale) / exponent_dim
template <int kLimbs>
Wide<kLimbs> LogRatio(const Formula& formula) {
  Wide<kLimbs> log_span = LogSpan<kLimbs>(formula.base, formula.min_timescale);
  ++log_span.exponent;
  return Negate(Divide(log_span, FromDouble<kLimbs>(formula.exponent_dim)));
}

// Whether base^(-2 / exponent_dim) is a power of two, 2^*exponent: for example each frequency is twice the
// one before. Phases may then be integers of quarter turns.
bool IsBinary(const Formula& formula, std::int64_t* exponent) {
  constexpr int kMantissaBits = 52, kBias = 1023;
  std::uint64_t bits;
  std::memcpy(&bits, &formula.base, sizeof(bits));
  const bool is_power = bits << (64 - kMantissaBits) == 0 && bits >> kMantissaBits != 0;
  if (formula.IsListed() || formula.min_timescale != 1.0 || !is_power) return false;
  const double log2 = static_cast<double>(static_cast<int>(bits >> kMantissaBits) - kBias);
  const double quotient = -2.0 * log2 / formula.exponent_dim;
  if (!(std::fabs(quotient) < 256.0)) return false;
  *exponent = static_cast<std::int64_t>(quotient);
  // Compared exactly, because the quotient is rounded.
  const Wide256 product = Multiply(FromInteger<4>(*exponent), FromDouble<4>(formula.exponent_dim));
  return Subtract(product, FromDouble<4>(-2.0 * log2)).IsZero();
}

}  // namespace

posenc_status CheckRange(const posenc_spec& spec, bool* has_large) {
  const auto passes = [](std::size_t) { return 1.0; };
  // A phase rounding rounds w_i before it multiplies by the scale, so w_i must be in range, too.
  const bool are_in_range =
      (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING || AreInRange(spec, 1.0, has_large, passes)) &&
      AreInRange(spec, spec.position_scale, has_large, passes);
  return are_in_range ? rule::ok : rule::frequency_range;
}

posenc_status GeometricFrequencies::Plan(const posenc_spec& spec) {
  formula_.base = BaseOf(spec);
  formula_.min_timescale = spec.min_timescale;
  formula_.exponent_dim = ExponentDimOf(spec);
  formula_.unit = spec.unit;
  formula_.list = ListOf(spec);
  formula_.linear_factor = 1.0;
  is_binary_ = IsBinary(formula_, &ratio_exponent_);
  is_exact_ = (formula_.IsListed() || is_binary_) && spec.unit != POSENC_RADIANS;
  is_monotonic_ = !formula_.IsListed();
  if (!formula_.IsListed()) log_ratio_ = LogRatio<4>(formula_);
  // As in CheckRange, but near a limit exactly.
  const auto are_in_range = [&](double scale) {
    bool has_large = false;
    formula_.scale = scale;
    return AreInRange(spec, scale, &has_large,
                      [&](std::size_t i) { return std::fabs(ToDouble(Radians(i))); });
  };
  const bool rounds = spec.phase_rounding != POSENC_NO_PHASE_ROUNDING;
  if ((rounds && !are_in_range(1.0)) || !are_in_range(spec.position_scale)) return rule::frequency_range;
  if (!HasPairs(spec)) formula_.scale = 0.0;
  return rule::ok;
}

std::size_t GeometricFrequencies::CopyBytes(const posenc_spec& spec) {
  return sizeof(GeometricFrequencies) + spec.frequency_count * sizeof(double);
}

const GeometricFrequencies* GeometricFrequencies::CopyTo(void* memory) const {
  auto* const copy = ::new (memory) GeometricFrequencies(*this);
  copy->formula_.MoveListsTo(reinterpret_cast<double*>(copy + 1));
  return copy;
}

template <int kLimbs>
Wide<kLimbs> GeometricFrequencies::InUnit(std::size_t pair) const {
  const auto scale = FromDouble<kLimbs>(formula_.scale);
  if (formula_.IsListed()) return Multiply(scale, FromDouble<kLimbs>(formula_.list[pair]));
  Wide<kLimbs> first = scale;
  if (formula_.min_timescale != 1.0) first = Multiply(scale, FromDouble<kLimbs>(formula_.min_timescale));
  if (pair == 0 || first.IsZero()) return first;
  if (is_binary_) {
    first.exponent += static_cast<std::int64_t>(pair) * ratio_exponent_;
    return first;
  }
  Wide<kLimbs> log;
  if constexpr (kLimbs == 4) {
    log = log_ratio_;
  } else {
    log = LogRatio<kLimbs>(formula_);
  }
  return Multiply(first, Exp(Multiply(FromInteger<kLimbs>(static_cast<std::int64_t>(pair)), log)));
}

Wide256 GeometricFrequencies::In256Bits(std::size_t pair) const {
  return InQuarterTurns(InUnit<4>(pair), formula_.unit);
}

Wide1024 GeometricFrequencies::In1024Bits(std::size_t pair) const {
  return InQuarterTurns(InUnit<16>(pair), formula_.unit);
}

Wide256 GeometricFrequencies::Radians(std::size_t pair) const {
  return formula_.unit == POSENC_RADIANS ? InUnit<4>(pair) : Frequencies::Radians(pair);
}

RationalStep GeometricFrequencies::Rational(std::size_t pair) const {
  return formula_.RationalQuotient(pair, 1.0);
}

// If the scale is 0, the steps stay 0; they are not computed, because powers of the ratio may overflow. A
// single step has no ratio that must be in range. Products are cheaper than an exp for each step.
void GeometricFrequencies::FillSteps(std::size_t count, double* high, double* low) const {
  if (formula_.scale == 0.0) return;
  if (!formula_.IsListed() && !IsExact() && count > 1) {
    return FillProducts(In256Bits(0), Exp(log_ratio_), count, high, low);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const DoubleDouble step = ToDoubleDouble(In256Bits(i));
    high[i] = step.high;
    low[i] = step.low;
  }
}

}  // namespace internal
}  // namespace posenc
