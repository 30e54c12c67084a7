#include "number/exact.h"

#include "oracle/rotary_formula.h"

#include <cmath>

namespace posenc {
namespace oracle {
namespace {

constexpr int kGuardBits = 256;
constexpr int kWide = 53 + kGuardBits;  // precision of numbers that are then rounded to float in one step

Real Clamp(const Real& x) {
  if (x < 0.0) return Real(0.0, static_cast<int>(x.bits()));
  return x > 1.0 ? Real(1.0, static_cast<int>(x.bits())) : x;
}

// A float with the precision of a wide number. So the result of an operation has this precision, too, and is
// rounded to float in one step, even if it is subnormal.
Real FloatOf(float x) { return Real(static_cast<double>(x), kWide); }
Real FloatOf(double x) { return FloatOf(static_cast<float>(x)); }

// A list without the entries before `first`.
template <class T>
const T* From(const T* list, std::size_t first) {
  return list == nullptr ? nullptr : list + first;
}

}  // namespace

RotaryFormula::RotaryFormula(const posenc_rotary_spec& spec)
    : spec_(spec), rotary_dim_(spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim - spec.rotary_offset) {
  if (spec.axes == 1 || spec.axis_order != POSENC_AXIAL_AXES) return;
  std::size_t first = 0;
  for (std::size_t k = 0; k < spec.axes; first += spec.sections[k++]) {
    posenc_rotary_spec own = spec;
    own.head_dim = own.rotary_dim = 2 * spec.sections[k];
    own.rotary_offset = 0;
    own.axes = 1;
    own.factors = From(spec.factors, first);
    own.factors_f32 = From(spec.factors_f32, first);
    own.long_factors = From(spec.long_factors, first);
    own.long_factors_f32 = From(spec.long_factors_f32, first);
    own.frequencies = From(spec.frequencies, first);
    own.frequencies_f32 = From(spec.frequencies_f32, first);
    axes_.emplace_back(own);
  }
}

const RotaryFormula* RotaryFormula::OfAxis(std::size_t* pair) const {
  if (axes_.empty()) return nullptr;
  std::size_t k = 0;
  for (; *pair >= spec_.sections[k]; ++k) *pair -= spec_.sections[k];
  return &axes_[k];
}

std::size_t RotaryFormula::axis(std::size_t pair) const {
  const RotaryFormula* const own = OfAxis(&pair);
  return own == nullptr ? PlaceOf(pair).axis : static_cast<std::size_t>(own - axes_.data());
}

RotaryFormula::Place RotaryFormula::PlaceOf(std::size_t pair) const {
  const std::size_t* sections = spec_.sections;
  const std::size_t axes = spec_.axes;
  Place place;
  place.i = pair;
  place.numerator = 2.0 * static_cast<double>(pair);
  place.denominator = spec_.exponent_dim != 0.0 ? spec_.exponent_dim : static_cast<double>(rotary_dim_);
  if (axes == 1) return place;
  if (spec_.axis_order == POSENC_INTERLEAVED_AXES) {
    place.axis = pair < axes * sections[pair % axes] ? pair % axes : 0;
  } else if (spec_.axis_order == POSENC_IMROPE_AXES) {
    place.axis = pair < (axes - 1) * sections[pair % (axes - 1)] ? pair % (axes - 1) : axes - 1;
  } else if (spec_.axis_order == POSENC_ALTERNATING_AXES) {
    place.axis = pair < (axes - 1) * sections[1] ? 1 + pair % (axes - 1) : 0;
  } else {
    std::size_t j = pair;  // becomes the index within the axis
    for (; j >= sections[place.axis]; ++place.axis) j -= sections[place.axis];
    if (spec_.axis_order == POSENC_SPLIT_AXES) {
      place.i = place.axis + j * axes;
      place.numerator = 2.0 * static_cast<double>(place.i);
    }
  }
  return place;
}

double RotaryFormula::Listed(std::size_t i) const {
  return spec_.frequencies != nullptr ? spec_.frequencies[i] : static_cast<double>(spec_.frequencies_f32[i]);
}

double RotaryFormula::Factor(std::size_t i) const {
  const bool is_long = spec_.scaling == POSENC_LONGROPE && spec_.length > spec_.original_length;
  const double* doubles = is_long ? spec_.long_factors : spec_.factors;
  const float* floats = is_long ? spec_.long_factors_f32 : spec_.factors_f32;
  return doubles != nullptr ? doubles[i] : static_cast<double>(floats[i]);
}

// The base, changed by a scaling of the NTK family.
Real RotaryFormula::Base(int bits) const {
  Real base(spec_.base, bits);
  const Real f(spec_.factor, bits);
  const Real length(std::fmax(spec_.length, spec_.original_length), bits);
  const auto r = static_cast<double>(rotary_dim_);
  const auto ntk = [&](const Real& factor) {
    if (rotary_dim_ == 2) return base;  // the only exponent is 0
    return base * factor.Pow(Real(r, bits) / (r - 2.0));
  };
  switch (spec_.scaling) {
    case POSENC_NTK:
      return ntk(f);
    case POSENC_DYNAMIC_NTK:
      return ntk(f * length / spec_.original_length - (f - 1.0));
    case POSENC_QWEN_NTK: {
      const Real log2 = (Real(spec_.length, bits) / spec_.original_length).Log() / Real(2.0, bits).Log();
      // The logarithm of a power of two is an integer. The division above may miss it by a little.
      int exponent = 0;
      const double ratio = spec_.length / spec_.original_length;
      const bool is_power =
          std::frexp(ratio, &exponent) == 0.5 && ratio * spec_.original_length == spec_.length;
      const Real ceil = is_power ? Real(exponent - 1.0, bits) : log2.Ceil();
      const Real alpha = Real(2.0, bits).Pow(ceil + 1.0) - 1.0;
      return ntk(alpha < 1.0 ? Real(1.0, bits) : alpha);
    }
    case POSENC_MIXED_NTK:
      return base * f;
    default:
      return base;
  }
}

Real RotaryFormula::Unscaled(const Place& place, int bits) const {
  if (spec_.frequency_count != 0) return Real(Listed(place.i), bits);
  if (place.numerator == 0.0) return Real(1.0, bits);
  return Base(bits).Pow(Real(-place.numerator, bits) / place.denominator);
}

// The index, a fraction, of the pair that makes beta turns in L0 steps:
// r ln(L0 / (2 pi beta)) / (2 ln base).
Real RotaryFormula::PairThatTurns(double beta, int bits) const {
  const Real turns = Real(spec_.original_length, bits) / (Real::Pi(bits) * 2.0 * Real(beta, bits));
  return turns.Log() * static_cast<double>(rotary_dim_) / (Real(spec_.base, bits).Log() * 2.0);
}

// YaRN's ramp m_i, from 0 to 1.
Real RotaryFormula::YarnRamp(std::size_t i, int bits) const {
  Real low = PairThatTurns(spec_.beta_fast, bits), high = PairThatTurns(spec_.beta_slow, bits);
  if (spec_.truncate != 0) {
    low = low.Floor();
    high = high.Ceil();
  }
  const auto last = static_cast<double>(rotary_dim_ - 1);
  if (low < 0.0) low = Real(0.0, bits);
  if (high > last) high = Real(last, bits);
  if (low == high) high = high + Real(1.0, bits) / 1000.0;
  return Clamp((Real(static_cast<double>(i), bits) - low) / (high - low));
}

Real RotaryFormula::Llama3(const Real& w) const {
  const auto bits = static_cast<int>(w.bits());
  Real turns = w * spec_.original_length;  // turns in L0 steps
  if (spec_.unit == POSENC_RADIANS) turns = turns / (Real::Pi(bits) * 2.0);
  if (spec_.unit == POSENC_HALF_TURNS) turns = turns / 2.0;
  const double low = spec_.low_freq_factor, high = spec_.high_freq_factor;
  if (turns < 0.0) turns = turns * -1.0;
  if (low == high) {  // then the ramp is a step, and no precision can prove that turns is exactly there
    if (turns.is_zero()) return w;  // 0, whatever divides it
    const Real above = turns - low;
    const bool is_there = above.is_zero() || mpfr_get_exp(above.get()) < mpfr_get_exp(turns.get()) - bits / 2;
    return above > 0.0 && !is_there ? w : w / spec_.factor;
  }
  const Real s = Clamp((turns - low) / (Real(high, bits) - low));
  return (Real(1.0, bits) - s) * w / spec_.factor + s * w;
}

Real RotaryFormula::Scaled(const Place& place, const Real& w) const {
  const auto bits = static_cast<int>(w.bits());
  const Real f(spec_.factor, bits), one(1.0, bits);
  switch (spec_.scaling) {
    case POSENC_LINEAR:
      return w / f;
    case POSENC_MIXED_NTK:
      return w / f.Pow(Real(2.0, bits) / static_cast<double>(rotary_dim_));
    case POSENC_YARN: {
      const Real m = YarnRamp(place.i, bits);
      return (m / f + (one - m)) * w;
    }
    case POSENC_YARN_LOG:
      return w / f.Pow(YarnRamp(place.i, bits));
    case POSENC_LLAMA3:
      return Llama3(w);
    case POSENC_PROPORTIONAL: {
      // The formula multiplies doubles here.
      const double turning = std::floor(spec_.proportion * static_cast<double>(rotary_dim_) / 2.0);
      return static_cast<double>(place.i) < turning ? w / f : Real(0.0, bits);
    }
    case POSENC_LONGROPE:
    case POSENC_FREQUENCY_FACTORS:
      return w / Factor(place.i);
    default:
      return w;
  }
}

Real RotaryFormula::Frequency(std::size_t pair, int bits) const {
  if (const RotaryFormula* const own = OfAxis(&pair)) return own->Frequency(pair, bits);
  const Place place = PlaceOf(pair);
  return Scaled(place, Unscaled(place, bits + kGuardBits)) * spec_.position_scale;
}

Real RotaryFormula::Radians(std::size_t pair, int bits) const {
  Real w = Frequency(pair, bits);
  if (unit() == POSENC_RADIANS) return w;
  return w * Real::Pi(static_cast<int>(w.bits())) * (unit() == POSENC_TURNS ? 2.0 : 1.0);
}

double RotaryFormula::Amplitude() const {
  std::size_t pair = 0;
  if (const RotaryFormula* const own = OfAxis(&pair)) return own->Amplitude();
  if (spec_.amplitude != 0.0) return spec_.amplitude;
  const bool has_one = spec_.scaling == POSENC_YARN || spec_.scaling == POSENC_LONGROPE;
  if (!has_one) return 1.0;
  if (spec_.factor <= 1.0) return spec_.scaling == POSENC_YARN ? spec_.amplitude_factor : 1.0;
  const int bits = kWide;
  const Real log_factor = Real(spec_.factor, bits).Log();
  if (spec_.scaling == POSENC_LONGROPE) {
    return (log_factor / Real(spec_.original_length, bits).Log() + 1.0).Sqrt().ToDouble();
  }
  const auto term = [&](double mscale) { return log_factor * mscale / 10.0 + 1.0; };
  return (term(spec_.mscale) * spec_.amplitude_factor / term(spec_.mscale_all_dim)).ToDouble();
}

// The denominator as the phase rounding uses it, in double or in float.
double RotaryFormula::Denominator(const Place& place) const {
  const bool takes_double = spec_.phase_rounding == POSENC_F64_INV_FREQ;
  return takes_double ? place.denominator : static_cast<double>(static_cast<float>(place.denominator));
}

// The frequency w_i, for the phase roundings that multiply the position by it.
float RotaryFormula::RoundedFrequency(const Place& place) const {
  const double divisor =
      spec_.scaling == POSENC_LINEAR ? static_cast<double>(static_cast<float>(spec_.factor)) : 1.0;
  const auto divided = [&](float w) { return (FloatOf(w) / divisor).ToFloat(); };
  if (spec_.frequency_count != 0) return divided(static_cast<float>(Listed(place.i)));
  const double numerator = place.numerator, denominator = Denominator(place);
  switch (spec_.phase_rounding) {
    case POSENC_F32_INV_FREQ: {
      const Real exponent = FloatOf((Real(numerator, kWide) / denominator).ToFloat());
      const Real power = FloatOf(FloatOf(spec_.base).Pow(exponent).ToFloat());
      return divided((FloatOf(1.0f) / power).ToFloat());
    }
    case POSENC_F32_EXP: {
      if (numerator == 0.0 || spec_.base == 1.0) return 1.0f;  // even if the rate is infinite
      const Real log = FloatOf(FloatOf(spec_.base).Log().ToFloat());
      const Real rate = FloatOf((log * 2.0 / denominator).ToFloat());
      const Real exponent = FloatOf((FloatOf(-numerator / 2.0) * rate).ToFloat());
      return exponent.Exp().ToFloat();
    }
    default: {  // POSENC_F64_INV_FREQ
      const Real exponent(numerator / denominator, 53);
      return divided((Real(1.0, 53) / Real(spec_.base, 53).Pow(exponent)).ToFloat());
    }
  }
}

float RotaryFormula::RoundedPhase(std::size_t pair, double position) const {
  if (const RotaryFormula* const own = OfAxis(&pair)) return own->RoundedPhase(pair, position);
  const Place place = PlaceOf(pair);
  const auto product = [](float x, float y) { return (FloatOf(x) * FloatOf(y)).ToFloat(); };
  const auto quotient = [](float x, float y) { return (FloatOf(x) / FloatOf(y)).ToFloat(); };
  const auto p = static_cast<float>(position);
  if (spec_.phase_rounding != POSENC_F32_ITERATED) {
    const bool is_scaled = spec_.phase_rounding == POSENC_F32_EXP && spec_.scaling == POSENC_LINEAR;
    const float scale = is_scaled ? static_cast<float>((Real(1.0, kWide) / spec_.factor).ToDouble()) : 1.0f;
    return product(product(p, scale), RoundedFrequency(place));
  }
  const Real exponent = FloatOf((Real(-2.0, kWide) / Denominator(place)).ToFloat());
  const float ratio = FloatOf(spec_.base).Pow(exponent).ToFloat();
  float t = p;
  for (std::size_t i = 0; i < pair; ++i) t = product(t, ratio);
  if (spec_.scaling == POSENC_LINEAR) {
    return product(quotient(1.0f, static_cast<float>(spec_.factor)), t);
  }
  if (spec_.scaling != POSENC_FREQUENCY_FACTORS) return t;
  return quotient(t, static_cast<float>(Factor(place.i)));
}

}  // namespace oracle
}  // namespace posenc
