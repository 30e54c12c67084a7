// Computes frequencies as frameworks and engines do: after each step of a formula the value is rounded to
// float or double. pow and exp are correctly rounded, because frameworks differ in their last bits.
#include "number/exact.h"

#include "frequency/phase_rounding.h"

#include <cmath>
#include <limits>

#include "frequency/scaling.h"
#include "frequency/schedule.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

// f32(a / b)
float QuotientAsFloat(double a, double b) {
  return a == 0.0 ? 0.0f : NearestFloat(Divide(FromDouble<4>(a), FromDouble<4>(b)));
}

// exp(exponent * log), rounded to a type. The result is 0 or infinite if it is out of range for every type.
double ExpAsType(double exponent, const Wide256& log, posenc_type type) {
  constexpr double kBeyond = 800.0;
  if (log.IsZero()) return 1.0;
  const double estimate = exponent * ToDouble(log);
  if (!(estimate <= kBeyond)) return std::numeric_limits<double>::infinity();
  if (estimate < -kBeyond) return 0.0;
  return NearestOrTie(Exp(Multiply(FromDouble<4>(exponent), log)), type);
}

float ExpAsFloat(double exponent, const Wide256& log) {
  return NearestFloat(ExpAsType(exponent, log, POSENC_F32));
}

// f32(exp(exponent))
float ExpAsFloat(float exponent) { return ExpAsFloat(exponent, FromInteger<4>(1)); }

// What a framework computes before it knows a position. The schedule is one that Schedule::Own returned. In
// the formulas D is exponent_dim, and f is the factor of POSENC_LINEAR.
class Framework {
 public:
  Framework(const Schedule& schedule, posenc_phase_rounding rounding)
      : schedule_(schedule),
        rounding_(rounding),
        rounds_spec_(schedule.scaling != nullptr && rounding != POSENC_F64_INV_FREQ),
        is_linear_(schedule.scaling != nullptr && schedule.scaling->spec.scaling == POSENC_LINEAR) {
    const double base = AsGiven(schedule.base);
    base_is_right_ = base > 0.0 && std::isfinite(base);
    if (schedule.IsListed() || !base_is_right_) return;
    log_base_ = Log<4>(base);
    if (schedule.min_timescale != 1.0) log_base_ = Subtract(log_base_, Log<4>(schedule.min_timescale));
  }

  bool BaseIsRight() const { return base_is_right_ || schedule_.IsListed(); }

  // POSENC_F32_ITERATED: f32(pow(base, f32(-2 / D)))
  float Ratio() const {
    return ExpAsFloat(QuotientAsFloat(-2.0, AsGiven(schedule_.exponent_dim)), log_base_);
  }

  float Factor() const { return is_linear_ ? NearestFloat(schedule_.scaling->spec.factor) : 1.0f; }

  // f32(1 / f32(f)), or f32(f64(1 / f)) for POSENC_F32_EXP
  float InverseFactor() const {
    const bool divides_doubles = is_linear_ && rounding_ == POSENC_F32_EXP;
    return divides_doubles ? NearestFloat(1.0 / schedule_.scaling->spec.factor) : 1.0f / Factor();
  }

  // The entry of PhaseRounding::values.
  double Value(std::size_t entry) const {
    if (rounding_ == POSENC_F32_ITERATED) {
      return schedule_.factors.count == 0 ? 1.0 : AsFloat(schedule_.factors[entry]);
    }
    const double frequency = Frequency(entry);
    const bool divides = is_linear_ && rounding_ != POSENC_F32_EXP;
    return divides ? static_cast<float>(frequency) / Factor() : frequency;
  }

 private:
  static double AsFloat(double x) { return NearestFloat(x); }

  // base or D as the framework has it. For a rotary, most roundings take it as a float. For an encoder,
  // BaseOf and ExponentDimOf have already rounded it.
  double AsGiven(double x) const { return rounds_spec_ ? AsFloat(x) : x; }

  // w_i before linear scaling, or 1 / w_i for the POW_DIV roundings, which divide positions by it.
  double Frequency(std::size_t entry) const {
    if (schedule_.IsListed()) return schedule_.list[entry];
    const float min_timescale = NearestFloat(schedule_.min_timescale);
    if (entry == 0 || log_base_.IsZero()) return min_timescale;  // even if i / D is infinite
    const auto i = static_cast<float>(entry);
    const double exponent_dim = AsGiven(schedule_.exponent_dim), exponent = 2.0 * i / exponent_dim;
    const float half_dim = NearestFloat(exponent_dim) / 2.0f;
    switch (rounding_) {
      case POSENC_F32_POW_DIV:
        return ExpAsFloat(QuotientAsFloat(2.0 * i, exponent_dim), log_base_);
      case POSENC_F32_INV_FREQ:
        return 1.0f / ExpAsFloat(QuotientAsFloat(2.0 * i, exponent_dim), log_base_);
      case POSENC_F32_EXP: {
        if (schedule_.scaling != nullptr) {  // a rotary's logarithm is rounded before the division
          return ExpAsFloat(-i * QuotientAsFloat(2.0 * NearestFloat(log_base_), exponent_dim));
        }
        Wide256 rate = Negate(Divide(log_base_, FromDouble<4>(exponent_dim)));
        ++rate.exponent;  // doubled, because i multiplies it, and not 2i
        return ExpAsFloat(i * NearestFloat(rate));
      }
      case POSENC_F32_LOG_DIV:
        return ExpAsFloat(NearestFloat(Negate(log_base_)) * i / half_dim);
      case POSENC_F32_LOG_INCREMENT:
        return min_timescale * ExpAsFloat(i * -(NearestFloat(log_base_) / half_dim));
      case POSENC_F64_INV_FREQ:
        return AsFloat(1.0 / ExpAsType(exponent, log_base_, POSENC_F64));
      case POSENC_F64_POW_DIV:
        return ExpAsType(exponent, log_base_, POSENC_F64);
      default:  // POSENC_F64_POW_MUL
        return ExpAsType(-exponent, log_base_, POSENC_F64);
    }
  }

  const Schedule& schedule_;
  posenc_phase_rounding rounding_;
  bool rounds_spec_;
  bool is_linear_;
  bool base_is_right_;
  Wide256 log_base_;  // ln(base / min_timescale)
};

std::size_t EntryOf(const Schedule& schedule, std::size_t pair) {
  schedule.Own(&pair);
  return pair;
}

// Whether pair is the first or the last of an ascending sequence of entries, among `pairs` pairs. All other
// values lie between the values at such ends, so only the ends need a check.
bool IsAnEnd(const Schedule& schedule, std::size_t pair, std::size_t pairs) {
  if (pair == 0 || pair + 1 == pairs) return true;
  const std::size_t entry = EntryOf(schedule, pair);
  return EntryOf(schedule, pair - 1) > entry || EntryOf(schedule, pair + 1) < entry;
}

// Whether x is small enough for a phase. Kernels can reduce far larger ones.
bool IsPhase(float x) { return std::fabs(x) <= 0x1p63f; }

// Checks that a rotary's values, and the phases at the largest position, do not overflow to infinity or
// underflow to 0.
posenc_status CheckValues(const Schedule& schedule, const Framework& framework, const PhaseRounding& phases) {
  const bool has_factors = schedule.factors.count != 0, is_iterated = phases.rounding == POSENC_F32_ITERATED;
  const auto factor = static_cast<float>(phases.scale);
  const std::size_t pairs = schedule.scaling->spec.rotary_dim / 2;
  auto last = static_cast<float>(POSENC_MAX_POSITION);
  last *= phases.position_factor;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (schedule.IsListed() || has_factors || IsAnEnd(schedule, i, pairs)) {
      const auto value = static_cast<float>(framework.Value(EntryOf(schedule, i)));
      const bool is_zero = schedule.IsListed() && value == 0.0f;
      if (!IsRegular(value) && !is_zero) return has_factors ? rule::rounding_factors : rule::rounding_base;
      const float phase = is_iterated ? factor * last / value : last * value;
      if (!IsPhase(phase)) return rule::frequency_range;
    }
    if (is_iterated) last *= phases.ratio;
  }
  return rule::ok;
}

}  // namespace

PhaseRounding PlanPhaseRounding(const posenc_spec& spec) {
  const posenc_phase_rounding rounding = spec.phase_rounding;
  const bool is_of_doubles = IsOneOf(rounding, POSENC_F64_POW_DIV, POSENC_F64_POW_MUL);
  const double scale = is_of_doubles ? spec.position_scale : NearestFloat(spec.position_scale);
  const bool has_values = !IsOneOf(rounding, POSENC_NO_PHASE_ROUNDING, POSENC_F32_ITERATED);
  return {rounding, scale, 1.0f, 1.0f, has_values, nullptr};
}

posenc_status PlanPhaseRounding(const Schedule& schedule, PhaseRounding* phases) {
  const posenc_rotary_spec& spec = schedule.scaling->spec;
  const bool is_iterated = spec.phase_rounding == POSENC_F32_ITERATED;
  if (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING) return rule::ok;
  *phases = {spec.phase_rounding, 1.0, 1.0f, 1.0f, !is_iterated || schedule.factors.count != 0, nullptr};
  const Framework framework(schedule, spec.phase_rounding);
  if (!framework.BaseIsRight()) return rule::rounding_base;
  if (is_iterated) {
    if (spec.rotary_dim > 2) phases->ratio = framework.Ratio();
    phases->scale = framework.InverseFactor();
  } else if (spec.phase_rounding == POSENC_F32_EXP) {
    phases->position_factor = framework.InverseFactor();
  }
  if (!IsRegular(phases->ratio)) return rule::rounding_base;
  const bool factors_are_right = IsRegular(framework.Factor()) && IsRegular(phases->position_factor) &&
                                 IsRegular(static_cast<float>(phases->scale));
  if (!factors_are_right) return rule::rounding_factor;
  return CheckValues(schedule, framework, *phases);
}

void FinishPhaseRounding(const Schedule& schedule, std::size_t count, PhaseRounding* phases) {
  if (phases->IsNone()) return;
  if (!phases->has_values && schedule.scaling == nullptr) {
    phases->ratio = Framework(schedule, phases->rounding).Ratio();
  }
  for (std::size_t i = 0; phases->has_values && i < count;) {
    std::size_t entry = i;
    const Schedule& own = schedule.Own(&entry);
    const Framework framework(own, phases->rounding);
    do {
      phases->values[i] = framework.Value(entry);
      entry = ++i;
    } while (i < count && &schedule.Own(&entry) == &own);
  }
}

double NearestOrTie(Wide256 x, posenc_type type) {
  constexpr int kBits = kFrequencyBits<4> - 4;
  bool decided = true;
  const double nearest = RoundToType(x, type, kBits, &decided);
  if (decided) return nearest;
  Wide256 half = FromInteger<4>(1);  // half of the lowest of x's top 64 bits
  half.exponent = x.exponent - 64;
  half.negative = x.negative;
  x = Add(x, half);
  x.limb[0] = x.limb[1] = x.limb[2] = 0;
  return RoundToType(x, type, kBits, &decided);
}

float NearestFloat(double x) {
  constexpr double kLargest = 0x1.ffffffp127;  // this and anything larger rounds to infinity
  if (x < kLargest && x > -kLargest) return static_cast<float>(x);
  return x > 0.0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
}

float NearestFloat(const Wide256& x) { return NearestFloat(NearestOrTie(x, POSENC_F32)); }

}  // namespace internal
}  // namespace posenc
