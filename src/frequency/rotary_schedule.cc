#include "frequency/rotary_schedule.h"

#include <cstdint>

#include "frequency/float_steps.h"
#include "frequency/rotary_checks.h"
#include "frequency/rotary_constants.h"

namespace posenc {
namespace internal {
namespace {

template <int kLimbs>
Wide<kLimbs> One() {
  return FromInteger<kLimbs>(1);
}

// base^(-2 exponent / exponent_dim)
template <int kLimbs>
Wide<kLimbs> Power(const RotaryConstants<kLimbs>& constants, std::size_t exponent, double exponent_dim) {
  if (exponent == 0) return One<kLimbs>();
  const auto numerator = FromInteger<kLimbs>(-2 * static_cast<std::int64_t>(exponent));
  return Exp(Divide(Multiply(numerator, constants.log_base), FromDouble<kLimbs>(exponent_dim)));
}

// Whether a number of turns is where the step of a Llama 3 with low = high is: in turns a base may make it
// that without a bit that shows it. Nothing else agrees so far.
template <int kLimbs>
bool IsAtStep(const RotaryConstants<kLimbs>& constants, const Wide<kLimbs>& turns) {
  constexpr std::int64_t kBits = 200;  // of 220, or more
  const Wide<kLimbs> above = Subtract(turns, constants.low);
  return constants.width.IsZero() && (above.IsZero() || turns.exponent - above.exponent > kBits);
}

// w / f and w in the proportion of share and 1 - share, by w.
template <int kLimbs>
Wide<kLimbs> Interpolated(const RotaryConstants<kLimbs>& constants, const Wide<kLimbs>& share) {
  return Add(Multiply(share, constants.inverse_factor), Subtract(One<kLimbs>(), share));
}

template <int kLimbs>
Wide<kLimbs> InQuarterTurns(Wide<kLimbs> frequency, posenc_unit unit) {
  if (unit == POSENC_RADIANS) return Multiply(frequency, QuarterTurnsPerRadian<kLimbs>());
  frequency.exponent += unit == POSENC_TURNS ? 2 : 1;
  return frequency;
}

// How often an unscaled frequency in quarter turns turns in L0, either way.
template <int kLimbs>
Wide<kLimbs> TurnsInLength(const RotarySchedule& schedule, const Wide<kLimbs>& step) {
  Wide<kLimbs> turns = Multiply(FromDouble<kLimbs>(schedule.spec.original_length), step);
  turns.exponent -= 2;
  turns.negative = false;
  return turns;
}

// What the scaling makes of step, an unscaled frequency in quarter turns.
template <int kLimbs>
Wide<kLimbs> Scaled(const RotarySchedule& schedule, const RotaryConstants<kLimbs>& constants,
                    std::size_t entry, const Wide<kLimbs>& step) {
  const auto i = FromInteger<kLimbs>(static_cast<std::int64_t>(entry));
  switch (schedule.spec.scaling) {
    case POSENC_LINEAR:
    case POSENC_PROPORTIONAL:
      return Multiply(step, constants.inverse_factor);
    case POSENC_YARN:
      return Multiply(step, Interpolated(constants, RampAt(constants, i)));
    case POSENC_YARN_LOG:
      return Multiply(step, Exp(Negate(Multiply(RampAt(constants, i), constants.log_factor))));
    case POSENC_LLAMA3: {
      const Wide<kLimbs> turns = TurnsInLength(schedule, step);
      return Multiply(step, Interpolated(constants, Subtract(One<kLimbs>(), RampAt(constants, turns))));
    }
    case POSENC_LONGROPE:
    case POSENC_FREQUENCY_FACTORS:
      return Divide(step, FromDouble<kLimbs>(schedule.factors[entry]));
    default:  // those that change the base
      return step;
  }
}

// A frequency of the base, or a listed one.
template <int kLimbs>
Wide<kLimbs> Unscaled(const RotarySchedule& schedule, const RotaryConstants<kLimbs>& constants,
                      const PairPlace& place) {
  const bool is_listed = schedule.list.count != 0;
  return is_listed ? FromDouble<kLimbs>(schedule.list[place.entry])
                   : Power(constants, place.exponent, place.exponent_dim);
}

template <int kLimbs>
Wide<kLimbs> Step(const RotarySchedule& schedule, const RotaryConstants<kLimbs>& constants, std::size_t entry,
                  const Wide<kLimbs>& frequency) {
  const Wide<kLimbs> step = InQuarterTurns(frequency, schedule.spec.unit);
  return Multiply(Scaled(schedule, constants, entry, step), constants.scale);
}

template <int kLimbs>
Wide<kLimbs> StepOf(const RotarySchedule& schedule, const RotaryConstants<kLimbs>& constants,
                    std::size_t pair) {
  const PairPlace place = PlaceOf(schedule.spec, pair);
  if (constants.scale.IsZero() || !schedule.Turns(place.entry)) return {};  // powers may be anything
  return Step(schedule, constants, place.entry, Unscaled(schedule, constants, place));
}

}  // namespace

// A ramp of YaRN whose end was moved may fall; no pair is on it then.
template <int kLimbs>
Wide<kLimbs> RampAt(const RotaryConstants<kLimbs>& constants, const Wide<kLimbs>& at) {
  if (IsAtStep(constants, at)) return {};
  Wide<kLimbs> above = Subtract(at, constants.low), width = constants.width;
  if (width.negative) {
    above = Negate(above);
    width = Negate(width);
  }
  if (above.IsZero() || above.negative) return {};
  return Subtract(width, above).negative ? One<kLimbs>() : Multiply(above, constants.inverse_width);
}

template Wide256 RampAt(const RotaryConstants<4>&, const Wide256&);

posenc_status MakeRotarySchedule(const posenc_rotary_spec& spec, RotarySchedule* schedule) {
  *schedule = {};
  schedule->spec = spec;
  schedule->list = {spec.frequencies, spec.frequencies_f32, spec.frequency_count, spec.unit};
  schedule->factors = FactorsOf(spec);
  posenc_rotary_spec& own = schedule->spec;  // the caller's memory is not its own
  own.factors = own.long_factors = own.frequencies = nullptr;
  own.factors_f32 = own.long_factors_f32 = own.frequencies_f32 = nullptr;
  own.target = nullptr;

  const double amplitude = AmplitudeOf(spec);
  if (!(amplitude >= 0x1p-64 && amplitude <= 0x1p64)) return POSENC_BAD_AMPLITUDE;
  schedule->amplitude = amplitude;
  if (!NtkFactorIsRight(spec)) return POSENC_BAD_FACTOR;
  if (spec.scaling == POSENC_PROPORTIONAL) {  // the product in double, where 0.3 means three tenths
    schedule->turning = static_cast<std::size_t>(spec.proportion * static_cast<double>(spec.rotary_dim)) / 2;
  }
  if (IsYarn(spec) && spec.truncate != 0) RoundRamp(schedule);
  schedule->constants = MakeConstants<4>(*schedule);
  if (!ExponentsAreRight(*schedule)) return POSENC_FREQUENCY_OUT_OF_RANGE;
  schedule->is_steep = IsSteep(*schedule);
  return POSENC_OK;
}

template <int kLimbs>
Wide<kLimbs> RotarySchedule::QuarterTurns(std::size_t pair) const {
  if constexpr (kLimbs == 4) {
    if (!is_steep) return StepOf(*this, constants, pair);
    return TopOf(QuarterTurns<16>(pair));
  } else {
    return StepOf(*this, MakeConstants<kLimbs>(*this), pair);
  }
}

template <int kLimbs>
Wide<kLimbs> RotarySchedule::Radians(std::size_t pair) const {
  return Multiply(QuarterTurns<kLimbs>(pair), RadiansPerQuarterTurn<kLimbs>());
}

template Wide256 RotarySchedule::QuarterTurns(std::size_t) const;
template Wide1024 RotarySchedule::QuarterTurns(std::size_t) const;
template Wide256 RotarySchedule::Radians(std::size_t) const;
template Wide1024 RotarySchedule::Radians(std::size_t) const;

bool RotarySchedule::IsExact() const {
  return list.count != 0 && spec.unit != POSENC_RADIANS && spec.scaling == POSENC_NO_SCALING;
}

double RotarySchedule::NearestRadians(std::size_t pair) const {
  const Wide256 radians = Radians<4>(pair);
  return radians.IsZero() ? 0.0 : NearestOrTie(radians, POSENC_F64);
}

Wide256 RotaryPass::Next() {
  const RotaryConstants<4>& constants = schedule_.constants;
  const std::size_t pair = pair_++;
  if (schedule_.list.count != 0 || schedule_.is_steep || constants.scale.IsZero()) {
    return schedule_.QuarterTurns<4>(pair);
  }
  const PairPlace place = PlaceOf(schedule_.spec, pair);
  if (!schedule_.Turns(place.entry)) return {};
  const std::size_t advance = place.exponent - last_exponent_;
  if (place.exponent == 0 || place.exponent <= last_exponent_) {  // an axis begins
    power_ = Power(constants, place.exponent, place.exponent_dim);
  } else {
    if (advance != advance_ || place.exponent_dim != exponent_dim_) {
      advance_ = advance;
      exponent_dim_ = place.exponent_dim;
      ratio_ = Power(constants, advance, place.exponent_dim);
    }
    power_ = Multiply(power_, ratio_);
  }
  last_exponent_ = place.exponent;
  return Step(schedule_, constants, place.entry, power_);
}

}  // namespace internal
}  // namespace posenc
