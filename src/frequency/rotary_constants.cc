#include "frequency/rotary_constants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "frequency/rotary_checks.h"

namespace posenc {
namespace internal {
namespace {

// Of an unscaled frequency in range once it is scaled: 2^157, a factor and a position_scale, each up to
// 2^1074. Errors of logarithms, 2^-232, then still are less than what a schedule promises.
constexpr double kLargestLog = 1600.0;

template <int kLimbs>
Wide<kLimbs> FromSize(std::size_t n) {
  return FromInteger<kLimbs>(static_cast<std::int64_t>(n));
}

template <int kLimbs>
Wide<kLimbs> One() {
  return FromInteger<kLimbs>(1);
}

// 2^ceil(log2(L / L0) + 1) - 1, at least 1.
template <int kLimbs>
Wide<kLimbs> QwenAlpha(const posenc_rotary_spec& spec) {
  const auto length = FromDouble<4>(spec.length), original = FromDouble<4>(spec.original_length);
  const bool rounds_up = length.limb[3] > original.limb[3];  // neither has more than 53 bits
  const std::int64_t n = length.exponent - original.exponent + (rounds_up ? 1 : 0) + 1;
  Wide<kLimbs> power = One<kLimbs>();
  if (n <= 1) return power;
  power.exponent += n;
  return Subtract(power, One<kLimbs>());
}

// What NTK scalings put for f.
template <int kLimbs>
Wide<kLimbs> NtkFactor(const posenc_rotary_spec& spec) {
  if (spec.scaling == POSENC_QWEN_NTK) return QwenAlpha<kLimbs>(spec);
  const auto factor = FromDouble<kLimbs>(spec.factor);
  if (spec.scaling != POSENC_DYNAMIC_NTK) return factor;
  if (spec.length <= spec.original_length) return One<kLimbs>();
  // f L / L0 - (f - 1), as a sum in which nothing cancels
  const auto original = FromDouble<kLimbs>(spec.original_length);
  const Wide<kLimbs> growth = Divide(Subtract(FromDouble<kLimbs>(spec.length), original), original);
  return Add(One<kLimbs>(), Multiply(factor, growth));
}

bool DividesByFactor(const posenc_rotary_spec& spec) {
  return spec.scaling == POSENC_LINEAR || IsYarn(spec) || spec.scaling == POSENC_LLAMA3 ||
         spec.scaling == POSENC_PROPORTIONAL;
}

bool IsNtk(posenc_scaling scaling) {
  return scaling == POSENC_NTK || scaling == POSENC_DYNAMIC_NTK || scaling == POSENC_QWEN_NTK;
}

// Of what scalings multiply the base by; 0 if that is nothing.
template <int kLimbs>
Wide<kLimbs> LogOfBaseFactor(const posenc_rotary_spec& spec) {
  if (spec.scaling == POSENC_MIXED_NTK) return Log<kLimbs>(spec.factor);
  if (!IsNtk(spec.scaling) || spec.rotary_dim == 2) return {};  // the only pair's exponent is 0
  const Wide<kLimbs> power = Divide(FromSize<kLimbs>(spec.rotary_dim), FromSize<kLimbs>(spec.rotary_dim - 2));
  return Multiply(power, Log(NtkFactor<kLimbs>(spec)));
}

template <int kLimbs>
Wide<kLimbs> LogBase(const posenc_rotary_spec& spec) {
  constexpr std::int64_t kLogOfNearOne =
      -9;  // the absolute error of what NTK puts for f counts as one of that
  const auto log_base = Log<kLimbs>(spec.base), log_factor = LogOfBaseFactor<kLimbs>(spec);
  if (log_factor.IsZero()) return log_base;
  const Wide<kLimbs> log = Add(log_base, log_factor);
  const std::int64_t largest = std::max({log_base.exponent, log_factor.exponent, kLogOfNearOne});
  if constexpr (kLimbs == 4) {
    return log.IsZero() || largest - log.exponent > 3 ? TopOf(LogBase<16>(spec)) : log;
  } else {  // what cancels so far is 0: no bits show that a base is 1
    return largest - log.exponent > 900 ? Wide<kLimbs>() : log;
  }
}

// The pair that turns beta times in L0: r ln(L0 / (2 pi beta)) / (2 ln base)
template <int kLimbs>
Wide<kLimbs> PairThatTurns(double beta, const posenc_rotary_spec& spec, const Wide<kLimbs>& log_base) {
  Wide<kLimbs> wavelengths =
      Multiply(FromDouble<kLimbs>(spec.original_length), QuarterTurnsPerRadian<kLimbs>());
  wavelengths.exponent -= 2;
  const Wide<kLimbs> log = Log(Divide(wavelengths, FromDouble<kLimbs>(beta)));
  return Divide(Multiply(FromSize<kLimbs>(spec.rotary_dim / 2), log), log_base);
}

// Below any pair and above all of them what it is no longer matters. It is never an integer, since pi is
// transcendental.
double Floor(const Wide256& x) {
  constexpr double kBeyond = 2.0 * POSENC_MAX_ROTARY_DIM;
  const double near = ToDouble(x);
  if (near > kBeyond) return kBeyond;
  if (near < -kBeyond) return -kBeyond;
  const std::int64_t nearest = NearestInteger(x);
  const bool is_above = Subtract(x, FromInteger<4>(nearest)).negative;
  return static_cast<double>(is_above ? nearest - 1 : nearest);
}

template <int kLimbs>
void SetYarnRamp(const RotarySchedule& schedule, RotaryConstants<kLimbs>* constants) {
  const posenc_rotary_spec& spec = schedule.spec;
  const auto last = FromSize<kLimbs>(spec.rotary_dim - 1);
  Wide<kLimbs> low, high;
  if (spec.truncate != 0) {
    low = FromDouble<kLimbs>(schedule.ramp_low);
    high = FromDouble<kLimbs>(schedule.ramp_high);
  } else {
    low = PairThatTurns(spec.beta_fast, spec, constants->log_base);
    high = PairThatTurns(spec.beta_slow, spec, constants->log_base);
  }
  if (low.negative) low = {};
  if (!Subtract(high, last).negative) high = last;
  constants->low = low;
  constants->width = Subtract(high, low);
  if (constants->width.IsZero()) constants->width = Divide(One<kLimbs>(), FromSize<kLimbs>(1000));
}

// The largest exponent of pairs that turn, without its sign.
double LargestExponent(const RotarySchedule& schedule) {
  double largest = 0.0;
  for (std::size_t i = 0; i < schedule.spec.rotary_dim / 2; ++i) {
    const PairPlace place = PlaceOf(schedule.spec, i);
    if (!schedule.Turns(place.entry)) continue;
    const double exponent = 2.0 * static_cast<double>(place.exponent) / std::fabs(place.exponent_dim);
    if (exponent > largest) largest = exponent;
  }
  return largest;
}

// The largest natural logarithm of an unscaled frequency, without its sign; 0 of listed ones.
double LargestLog(const RotarySchedule& schedule) {
  const double exponent = schedule.list.count != 0 ? 0.0 : LargestExponent(schedule);
  const double log_base = std::fabs(ToDouble(schedule.constants.log_base));
  return exponent == 0.0 || log_base == 0.0 ? 0.0 : exponent * log_base;
}

}  // namespace

template <int kLimbs>
RotaryConstants<kLimbs> MakeConstants(const RotarySchedule& schedule) {
  const posenc_rotary_spec& spec = schedule.spec;
  RotaryConstants<kLimbs> constants;
  constants.scale = FromDouble<kLimbs>(spec.position_scale);
  if (schedule.list.count == 0 || IsYarn(spec)) constants.log_base = LogBase<kLimbs>(spec);
  if (spec.scaling == POSENC_MIXED_NTK) {
    const Wide<kLimbs> log = Divide(Log<kLimbs>(spec.factor), FromSize<kLimbs>(spec.rotary_dim / 2));
    constants.scale = Multiply(constants.scale, Exp(Negate(log)));
  }
  if (IsYarn(spec)) SetYarnRamp(schedule, &constants);
  if (spec.scaling == POSENC_YARN_LOG) constants.log_factor = Log<kLimbs>(spec.factor);
  if (spec.scaling == POSENC_LLAMA3) {
    constants.low = FromDouble<kLimbs>(spec.low_freq_factor);
    constants.width = Subtract(FromDouble<kLimbs>(spec.high_freq_factor), constants.low);
  }
  if (!constants.width.IsZero()) constants.inverse_width = Divide(One<kLimbs>(), constants.width);
  if (DividesByFactor(spec)) {
    constants.inverse_factor = Divide(One<kLimbs>(), FromDouble<kLimbs>(spec.factor));
  }
  return constants;
}
template RotaryConstants<4> MakeConstants(const RotarySchedule&);
template RotaryConstants<16> MakeConstants(const RotarySchedule&);

void RoundRamp(RotarySchedule* schedule) {
  const posenc_rotary_spec& spec = schedule->spec;
  const auto log_base = Log<4>(spec.base);
  schedule->ramp_low = Floor(PairThatTurns(spec.beta_fast, spec, log_base));
  schedule->ramp_high = -Floor(Negate(PairThatTurns(spec.beta_slow, spec, log_base)));
}

bool NtkFactorIsRight(const posenc_rotary_spec& spec) {
  return !IsNtk(spec.scaling) || std::isfinite(ToDouble(NtkFactor<4>(spec)));
}

bool ExponentsAreRight(const RotarySchedule& schedule) {
  return schedule.spec.position_scale == 0.0 || LargestLog(schedule) < kLargestLog;
}

bool IsSteep(const RotarySchedule& schedule) {
  const posenc_rotary_spec& spec = schedule.spec;
  const double low = ToDouble(schedule.constants.low), width = ToDouble(schedule.constants.width);
  const double step = spec.factor > 1.0 ? spec.factor : 1.0 / spec.factor;
  // How often the error of 2^-231 of a logarithm, or the like, is in that of w_i.
  double magnified = 0.0;
  if (spec.scaling == POSENC_LLAMA3 && width > 0.0) {  // pi leaves none on a step
    magnified = step * (low + width) / width * (LargestLog(schedule) + 1.0) / 2.0;
  } else if (IsYarn(spec) && spec.truncate == 0 && width > 0.0) {
    const double pairs_per_log = static_cast<double>(spec.rotary_dim) / (2.0 * ApproximateLog(spec.base));
    magnified = step * 2.0 * (low + width + 1.0 + pairs_per_log) / width;
  }
  return !(magnified < 1024.0);
}

double AmplitudeOf(const posenc_rotary_spec& spec) {
  if (spec.amplitude != 0.0) return spec.amplitude;
  const bool has_one = spec.scaling == POSENC_YARN || spec.scaling == POSENC_LONGROPE;
  if (!has_one || spec.factor <= 1.0) return 1.0;
  const auto one = One<4>(), log_factor = Log<4>(spec.factor);
  if (spec.scaling == POSENC_LONGROPE) {  // the root by logarithms: where it is a double, it rounds to it
    Wide256 half = Log(Add(one, Divide(log_factor, Log<4>(spec.original_length))));
    --half.exponent;
    return ToDouble(Exp(half));
  }
  const auto term = [&](double mscale) {
    return Add(one, Divide(Multiply(FromDouble<4>(mscale), log_factor), FromInteger<4>(10)));
  };
  return ToDouble(Divide(term(spec.mscale), term(spec.mscale_all_dim)));
}

}  // namespace internal
}  // namespace posenc
