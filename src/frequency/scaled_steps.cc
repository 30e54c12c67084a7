// Computes a rotary's frequencies: takes the frequency that the base or a list gives, and applies the scaling
// to it. In formulas f is factor, L length, L0 original_length, r rotary_dim.
#include "number/exact.h"

#include <cmath>
#include <cstdint>

#include "frequency/rational.h"
#include "frequency/scaling.h"
#include "frequency/schedule.h"
#include "number/double_double.h"

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
// lying on it; any other frequency differs in an earlier bit.
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
Wide<kLimbs> Scaled(const Schedule& schedule, const ScalingConstants<kLimbs>& constants, std::size_t entry,
                    const Wide<kLimbs>& step) {
  const auto i = FromInteger<kLimbs>(static_cast<std::int64_t>(entry));
  const posenc_rotary_spec& spec = schedule.scaling->spec;
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
      return Divide(step, FromDouble<kLimbs>(schedule.factors[entry]));
    default:  // the other scalings change the base only
      return step;
  }
}

// w_i in quarter turns, from the unscaled frequency in the spec's unit.
template <int kLimbs>
Wide<kLimbs> StepOf(const Schedule& schedule, const ScalingConstants<kLimbs>& constants, std::size_t entry,
                    const Wide<kLimbs>& frequency) {
  const Wide<kLimbs> step = InQuarterTurns(frequency, schedule.list.unit);
  return Multiply(Scaled(schedule, constants, entry, step), constants.scale);
}

// w_i in quarter turns. Frequencies that are 0 return early, because their unscaled powers may be out of
// range.
template <int kLimbs>
Wide<kLimbs> StepOf(const Schedule& schedule, const ScalingConstants<kLimbs>& constants, std::size_t entry) {
  if (constants.scale.IsZero() || !schedule.scaling->IsNonzero(entry)) return {};
  return StepOf(schedule, constants, entry,
                schedule.IsListed() ? FromDouble<kLimbs>(schedule.list[entry])
                                    : Power(constants, entry, schedule.exponent_dim));
}

const Schedule& OwnSchedule(const Schedule& schedule, std::size_t* pair) {
  const Scaling& scaling = *schedule.scaling;
  const PairPlace place = PlaceOf(scaling.spec, *pair);
  *pair = place.entry;
  return scaling.axes == nullptr ? schedule : scaling.axes[place.axis].schedule;
}

Wide1024 StepIn1024Bits(const Schedule& schedule, std::size_t entry) {
  return StepOf(schedule, MakeConstants<16>(schedule), entry);
}

Wide256 StepIn256Bits(const Schedule& schedule, std::size_t entry) {
  if (schedule.scaling->is_steep) return TopOf<4>(StepIn1024Bits(schedule, entry));
  return StepOf(schedule, schedule.scaling->constants, entry);
}

// Generates the steps of a schedule's pairs in order (for axial axes: the schedule of one axis). The values
// are close to StepIn256Bits, with a relative error below 2^-110, but cheaper: as long as entries advance by
// the same number, each step is one product instead of an exp.
class Steps {
 public:
  explicit Steps(const Schedule& schedule)
      : schedule_(schedule),
        is_geometric_(!schedule.IsListed() && !schedule.scaling->is_steep &&
                      !schedule.scaling->constants.scale.IsZero()) {}

  std::size_t count() const { return schedule_.scaling->spec.rotary_dim / 2; }

  Wide256 Next() {
    const Scaling& scaling = *schedule_.scaling;
    const std::size_t entry = PlaceOf(scaling.spec, pair_++).entry;
    if (!is_geometric_) return StepIn256Bits(schedule_, entry);
    if (!scaling.IsNonzero(entry)) return {};
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
    return StepOf(schedule_, scaling.constants, entry, power_);
  }

 private:
  Wide256 PowerOf(std::size_t entry) const {
    return Power(schedule_.scaling->constants, entry, schedule_.exponent_dim);
  }

  const Schedule& schedule_;
  bool is_geometric_;
  Wide256 power_, ratio_;  // base^(-2 last_ / exponent_dim) and base^(-2 advance_ / exponent_dim)
  std::size_t pair_ = 0, last_ = 0, advance_ = 0;
};

void FillSteps(const Schedule& schedule, double* high, double* low) {
  const auto fill = [&](const Schedule& own) {
    Steps steps(own);
    for (std::size_t i = 0; i < steps.count(); ++i) {
      const DoubleDouble step = ToDoubleDouble(steps.Next());
      *high++ = step.high;
      *low++ = step.low;
    }
  };
  const Scaling& scaling = *schedule.scaling;
  if (scaling.axes == nullptr) return fill(schedule);
  for (std::size_t k = 0; k < scaling.spec.axes; ++k) {
    if (scaling.spec.sections[k] != 0) fill(scaling.axes[k].schedule);
  }
}

// Scalings that divide a rational frequency leave it rational. For the other scalings integers cannot decide,
// so their known angles are found in 1,024 bits.
RationalStep RationalStepOf(const Schedule& schedule, std::size_t entry) {
  const Scaling& scaling = *schedule.scaling;
  if (!scaling.IsNonzero(entry)) return {};
  switch (scaling.spec.scaling) {
    case POSENC_NO_SCALING:
      return schedule.RationalQuotient(entry, 1.0);
    case POSENC_LINEAR:
    case POSENC_PROPORTIONAL:
      return schedule.RationalQuotient(entry, scaling.spec.factor);
    case POSENC_LONGROPE:
    case POSENC_FREQUENCY_FACTORS:
      return schedule.RationalQuotient(entry, schedule.factors[entry]);
    default:
      return {};
  }
}

}  // namespace

const ScalingCalls kScalingCalls = {&OwnSchedule, &StepIn256Bits, &StepIn1024Bits, &RationalStepOf,
                                    &FillSteps};

bool AreInRange(const Schedule& schedule, bool* has_large) {
  Steps steps(schedule);
  for (std::size_t i = 0; i < steps.count(); ++i) {
    const Wide256 step = steps.Next();
    if (step.IsZero()) continue;
    double radians = std::fabs(ToDouble(Multiply(step, RadiansPerQuarterTurn<4>())));
    const auto is_near = [&](double limit) { return std::fabs(radians / limit - 1.0) < 0x1p-50; };
    if (is_near(kMinFrequency) || is_near(kMaxFrequency)) radians = std::fabs(schedule.NearestRadians(i));
    if (std::fabs(ToDouble(step)) >= kMaxStep) *has_large = true;
    if (!(radians >= kMinFrequency && radians <= kMaxFrequency)) return false;
  }
  return true;
}

}  // namespace internal
}  // namespace posenc
