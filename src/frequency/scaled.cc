// Evaluates a rotary's frequencies: takes the frequency that the base or a list gives, and applies the
// scaling to it. In formulas f is factor, L length, L0 original_length, r rotary_dim.
#include "number/exact.h"

#include "frequency/scaled.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>

#include "frequency/axes.h"
#include "frequency/nearest.h"
#include "frequency/rotary_spec.h"
#include "number/double_double.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

template <int kLimbs>
Wide<kLimbs> One() {
  return FromInteger<kLimbs>(1);
}

// base^(-2i / exponent_dim), where base is the one that an NTK scaling has changed.
template <int kLimbs>
Wide<kLimbs> Power(const ScalingConstants<kLimbs>& constants, std::size_t i, double exponent_dim) {
  if (i == 0) return One<kLimbs>();
  const auto numerator = FromInteger<kLimbs>(-2 * static_cast<std::int64_t>(i));
  return Exp(Divide(Multiply(numerator, constants.log_base), FromDouble<kLimbs>(exponent_dim)));
}

// How far `at` is up the ramp: (at - low) / width, which is exactly 0 at the low end and below, and exactly 1
// at the high end and above.
// YaRN limits its ramp's ends, so the ramp may fall instead of rise (its width is negative); no pair lies on
// such a ramp.
// With low = high, Llama 3's ramp is a jump. If the unit is turns, a frequency may lie exactly on the jump,
// which no number of bits can show. So a frequency that agrees with the jump in more than kStepBits counts as
// lying on it; any other frequency differs in an earlier bit, since exponent_dim is at most 2^128.
template <int kLimbs>
Wide<kLimbs> RampAt(const ScalingConstants<kLimbs>& constants, const Wide<kLimbs>& at) {
  constexpr std::int64_t kStepBits = 200;  // of 220 or more
  Wide<kLimbs> above = Subtract(at, constants.low), width = constants.width;
  if (width.IsZero() && at.exponent - above.exponent > kStepBits) return {};
  if (width.negative) {
    above = Negate(above);
    width = Negate(width);
  }
  if (above.IsZero() || above.negative) return {};
  return Subtract(width, above).negative ? One<kLimbs>() : Multiply(above, constants.inverse_width);
}

// share / f + (1 - share)
template <int kLimbs>
Wide<kLimbs> Interpolated(const ScalingConstants<kLimbs>& constants, const Wide<kLimbs>& share) {
  return Add(Multiply(share, constants.inverse_factor), Subtract(One<kLimbs>(), share));
}

// Applies the scaling to `step`, an unscaled frequency in quarter turns. posenc_scaling in rotary_c.h has the
// formulas.
template <int kLimbs>
Wide<kLimbs> Scaled(const Scaling& scaling, const ScalingConstants<kLimbs>& constants, std::size_t entry,
                    const Wide<kLimbs>& step) {
  const auto i = FromInteger<kLimbs>(static_cast<std::int64_t>(entry));
  const posenc_rotary_spec& spec = scaling.spec;
  switch (spec.scaling) {
    case POSENC_LINEAR:
    case POSENC_PROPORTIONAL:
      return Multiply(step, constants.inverse_factor);
    case POSENC_YARN:
      return Multiply(step, Interpolated(constants, RampAt(constants, i)));
    case POSENC_YARN_LOG:
      return Multiply(step, Exp(Negate(Multiply(RampAt(constants, i), constants.log_factor))));
    case POSENC_LLAMA3: {
      Wide<kLimbs> turns = Multiply(FromDouble<kLimbs>(spec.original_length), step);  // within L0 positions
      turns.exponent -= 2;
      turns.negative = false;
      return Multiply(step, Interpolated(constants, Subtract(One<kLimbs>(), RampAt(constants, turns))));
    }
    case POSENC_LONGROPE:
    case POSENC_FREQUENCY_FACTORS:
      return Divide(step, FromDouble<kLimbs>(scaling.formula.factors[entry]));
    default:  // the other scalings change the base only
      return step;
  }
}

// w_i in quarter turns, from the unscaled frequency in the spec's unit.
template <int kLimbs>
Wide<kLimbs> StepOf(const Scaling& scaling, const ScalingConstants<kLimbs>& constants, std::size_t entry,
                    const Wide<kLimbs>& frequency) {
  const Wide<kLimbs> step = InQuarterTurns(frequency, scaling.formula.unit);
  return Multiply(Scaled(scaling, constants, entry, step), constants.scale);
}

// w_i in quarter turns. Frequencies that are 0 return early, because their unscaled powers may be out of
// range.
template <int kLimbs>
Wide<kLimbs> StepOf(const Scaling& scaling, const ScalingConstants<kLimbs>& constants, std::size_t entry) {
  if (constants.scale.IsZero() || !scaling.IsNonzero(entry)) return {};
  return StepOf(scaling, constants, entry,
                scaling.formula.IsListed() ? FromDouble<kLimbs>(scaling.formula.list[entry])
                                           : Power(constants, entry, scaling.formula.exponent_dim));
}

Wide1024 StepIn1024Bits(const Scaling& scaling, std::size_t entry) {
  return StepOf(scaling, MakeConstants<16>(scaling), entry);
}

Wide256 StepIn256Bits(const Scaling& scaling, std::size_t entry) {
  if (scaling.is_steep) return TopOf<4>(StepIn1024Bits(scaling, entry));
  return StepOf(scaling, scaling.constants, entry);
}

// Generates the steps of a scaling's pairs in order. The values are close to StepIn256Bits, with a relative
// error below 2^-110, but cheaper: as long as entries advance by the same number, each step is one product
// instead of an exp.
class StepGenerator {
 public:
  explicit StepGenerator(const Scaling& scaling)
      : scaling_(scaling),
        is_geometric_(!scaling.formula.IsListed() && !scaling.is_steep && !scaling.constants.scale.IsZero()) {
  }

  Wide256 Next() {
    const std::size_t entry = scaling_.EntryOf(pair_++);
    if (!is_geometric_) return StepIn256Bits(scaling_, entry);
    if (!scaling_.IsNonzero(entry)) return {};
    if (entry <= last_) {  // the first pair of an axis
      power_ = PowerOf(entry);
    } else {
      if (entry - last_ != advance_) {
        advance_ = entry - last_;
        ratio_ = PowerOf(advance_);
      }
      power_ = Multiply(power_, ratio_);
    }
    last_ = entry;
    return StepOf(scaling_, scaling_.constants, entry, power_);
  }

 private:
  Wide256 PowerOf(std::size_t entry) const {
    return Power(scaling_.constants, entry, scaling_.formula.exponent_dim);
  }

  const Scaling& scaling_;
  bool is_geometric_;
  Wide256 power_, ratio_;  // base^(-2 last_ / exponent_dim) and base^(-2 advance_ / exponent_dim)
  std::size_t pair_ = 0, last_ = 0, advance_ = 0;
};

// A range of ln |x|.
struct LogRange {
  double low, high;
};

// The range of ln |x| of a list, without its zeros. low is above high if there is nothing else.
LogRange LogRangeOf(const FrequencyList& list) {
  double least = HUGE_VAL, largest = 0.0;
  for (std::size_t i = 0; i < list.count; ++i) {
    const double x = std::fabs(list[i]);
    if (x == 0.0) continue;
    least = std::min(least, x);
    largest = std::max(largest, x);
  }
  return {std::isfinite(least) ? ApproximateLog(least) : HUGE_VAL,
          largest > 0.0 ? ApproximateLog(largest) : -HUGE_VAL};
}

// Bounds of the ln by which the scaling multiplies an unscaled frequency, after its change of the base.
LogRange LogRangeOfScaling(const Scaling& scaling) {
  const posenc_rotary_spec& spec = scaling.spec;
  if (TakesFactors(spec)) {
    const LogRange factors = LogRangeOf(scaling.formula.factors);
    return {-factors.high, -factors.low};
  }
  const bool divides_all = IsOneOf(spec.scaling, POSENC_LINEAR, POSENC_PROPORTIONAL);
  if (!divides_all && !IsYarn(spec) && spec.scaling != POSENC_LLAMA3) return {0.0, 0.0};
  const double log = -ApproximateLog(spec.factor);
  return divides_all ? LogRange{log, log} : LogRange{std::min(log, 0.0), std::max(log, 0.0)};
}

// Whether bounds show that all frequencies are in range, and none beyond four quarter turns. If not, they may
// be so nevertheless: only steps can tell, and these are not computed a second time for ordinary specs.
bool AreSmall(const Scaling& scaling) {
  const double scale = std::fabs(ToDouble(scaling.constants.scale));
  if (!(scale > 0.0) || !std::isfinite(scale)) return scaling.constants.scale.IsZero();
  const double log_last = LogOfLast(scaling);
  const LogRange unscaled = scaling.formula.IsListed()
                                ? LogRangeOf(scaling.formula.list)
                                : LogRange{std::min(log_last, 0.0), std::max(log_last, 0.0)};
  const LogRange factor = LogRangeOfScaling(scaling);
  const double log_scale = ApproximateLog(scale) + LogOfUnit(scaling.formula.unit);
  return unscaled.low + factor.low + log_scale > kLogMinFrequency + kEstimateError &&
         unscaled.high + factor.high + log_scale < kLogOfSmall;
}

// Whether the frequencies of all pairs are in range. Sets *has_large if some exceed four quarter turns.
bool AreInRange(const Scaling& scaling, bool* has_large) {
  if (AreSmall(scaling)) return true;
  StepGenerator steps(scaling);
  for (std::size_t i = 0; i < scaling.pairs(); ++i) {
    const Wide256 step = steps.Next();
    if (step.IsZero()) continue;
    double radians = std::fabs(ToDouble(Multiply(step, RadiansPerQuarterTurn<4>())));
    const auto is_near = [&](double limit) { return std::fabs(radians / limit - 1.0) < 0x1p-50; };
    if (is_near(kMinFrequency) || is_near(kMaxFrequency)) {
      const Wide256 exact = Multiply(StepIn256Bits(scaling, scaling.EntryOf(i)), RadiansPerQuarterTurn<4>());
      radians = std::fabs(NearestOrTie(exact, POSENC_F64));
    }
    if (std::fabs(ToDouble(step)) >= kMaxStep) *has_large = true;
    if (!(radians >= kMinFrequency && radians <= kMaxFrequency)) return false;
  }
  return true;
}

}  // namespace

posenc_status ScaledFrequencies::Plan(const posenc_rotary_spec& spec, Scaling* scalings) {
  spec_ = WithoutPointers(spec);
  scalings_ = scalings;
  is_exact_ = spec.frequency_count != 0 && spec.unit != POSENC_RADIANS && spec.scaling == POSENC_NO_SCALING;
  std::size_t first = 0;
  for (std::size_t k = 0; k < scaling_count(); ++k) {
    const std::size_t pairs = IsAxial(spec) ? spec.sections[k] : spec.rotary_dim / 2;
    scalings[k] = {};
    if (pairs == 0) continue;
    const posenc_status status =
        MakeScaling(IsAxial(spec) ? SpecOfAxis(spec, first, pairs) : spec, &scalings[k]);
    if (status != POSENC_OK) return status;
    if (!AreInRange(scalings[k], &has_large_)) return rule::frequency_range;
    amplitude_ = scalings[k].amplitude;  // all axes have the same
    first += pairs;
  }
  return rule::ok;
}

std::size_t ScaledFrequencies::scaling_count() const { return IsAxial(spec_) ? spec_.axes : 1; }

std::size_t ScaledFrequencies::CopyBytes() const {
  std::size_t bytes = sizeof(*this);
  for (std::size_t k = 0; k < scaling_count(); ++k)
    bytes += sizeof(Scaling) + scalings_[k].formula.ListBytes();
  return bytes;
}

const ScaledFrequencies* ScaledFrequencies::CopyTo(void* memory) const {
  auto* const copy = ::new (memory) ScaledFrequencies(*this);
  auto* const scalings = reinterpret_cast<Scaling*>(copy + 1);
  auto* lists = reinterpret_cast<double*>(scalings + scaling_count());
  for (std::size_t k = 0; k < scaling_count(); ++k) {
    lists = (::new (&scalings[k]) Scaling(scalings_[k]))->formula.MoveListsTo(lists);
  }
  copy->scalings_ = scalings;
  return copy;
}

ScaledFrequencies::ScalingEntry ScaledFrequencies::ScalingOf(std::size_t pair) const {
  const PairPlace place = PlaceOf(spec_, pair);
  return {scalings_[IsAxial(spec_) ? place.axis : 0], place.entry};
}

AxisEntry ScaledFrequencies::AxisOf(std::size_t pair) const {
  const ScalingEntry at = ScalingOf(pair);
  return {at.scaling.formula, at.entry};
}

Wide256 ScaledFrequencies::In256Bits(std::size_t pair) const {
  const ScalingEntry at = ScalingOf(pair);
  return StepIn256Bits(at.scaling, at.entry);
}

Wide1024 ScaledFrequencies::In1024Bits(std::size_t pair) const {
  const ScalingEntry at = ScalingOf(pair);
  return StepIn1024Bits(at.scaling, at.entry);
}

// Scalings that divide a rational frequency leave it rational. For the other scalings integers cannot decide,
// so their known angles are found in 1,024 bits.
RationalStep ScaledFrequencies::Rational(std::size_t pair) const {
  const auto& [scaling, entry] = ScalingOf(pair);
  if (!scaling.IsNonzero(entry)) return {};
  switch (scaling.spec.scaling) {
    case POSENC_NO_SCALING:
      return scaling.formula.RationalQuotient(entry, 1.0);
    case POSENC_LINEAR:
    case POSENC_PROPORTIONAL:
      return scaling.formula.RationalQuotient(entry, scaling.spec.factor);
    case POSENC_LONGROPE:
    case POSENC_FREQUENCY_FACTORS:
      return scaling.formula.RationalQuotient(entry, scaling.formula.factors[entry]);
    default:
      return {};
  }
}

void ScaledFrequencies::FillSteps(std::size_t count, double* high, double* low) const {
  std::size_t i = 0;
  for (std::size_t k = 0; k < scaling_count() && i < count; ++k) {
    StepGenerator steps(scalings_[k]);
    for (const std::size_t end = i + scalings_[k].pairs(); i < end; ++i) {
      const DoubleDouble step = ToDoubleDouble(steps.Next());
      high[i] = step.high;
      low[i] = step.low;
    }
  }
}

}  // namespace internal
}  // namespace posenc
