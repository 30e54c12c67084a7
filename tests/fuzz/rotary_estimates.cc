#include "rotary_estimates.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace posenc {
namespace fuzz {
namespace {

constexpr long double kRounding = 0x1p-61L;  // of some operations on long doubles, relatively
constexpr long double kPi = 0x1.921fb54442d18468p1L;
constexpr Estimate kUnknown = {1.0L, 1.0L};

bool IsNtk(posenc_scaling scaling) {
  return scaling == POSENC_NTK || scaling == POSENC_DYNAMIC_NTK || scaling == POSENC_QWEN_NTK;
}

// Pairs of an axis that are consecutive: the axis, and the pair's place in it.
struct Place {
  std::size_t axis, index;
};
Place PlaceOf(const posenc_rotary_spec& spec, std::size_t pair) {
  Place place = {0, pair};
  while (place.index >= spec.sections[place.axis]) place.index -= spec.sections[place.axis++];
  return place;
}

// Of a pair: its entry in lists and ramps, and 2i / r.
struct Index {
  std::size_t entry;
  long double exponent;
};
Index IndexOf(const posenc_rotary_spec& spec, std::size_t pair) {
  const auto r = static_cast<long double>(RotaryDim(spec));
  const long double d = spec.exponent_dim == 0.0 ? r : std::fabs(static_cast<long double>(spec.exponent_dim));
  const long double sign = spec.exponent_dim < 0.0 ? -1.0L : 1.0L;
  std::size_t entry = pair;
  if (HasOwnSchedules(spec)) {
    const Place place = PlaceOf(spec, pair);
    if (spec.axis_order == POSENC_AXIAL_AXES)
      return {pair,
              static_cast<long double>(place.index) / static_cast<long double>(spec.sections[place.axis])};
    entry = place.axis + place.index * spec.axes;
  }
  return {entry, sign * 2.0L * static_cast<long double>(entry) / d};
}

// The logarithm to base 2 of the base as scaled, and the sum of the terms' magnitudes.
struct BaseLog {
  long double value, magnitude;
};
BaseLog LogOfBase(const posenc_rotary_spec& spec) {
  const long double base = std::log2(static_cast<long double>(spec.base));
  long double more = 0.0L;
  if (spec.scaling == POSENC_MIXED_NTK) more = std::log2(static_cast<long double>(spec.factor));
  const auto r = static_cast<long double>(RotaryDim(spec));
  if (IsNtk(spec.scaling) && r > 2.0L) more = r / (r - 2.0L) * std::log2(Stretch(spec));
  return {base + more, std::fabs(base) + std::fabs(more) + (more != 0.0L ? 0x1p-10L : 0.0L)};
}

Estimate Unscaled(const posenc_rotary_spec& spec, const Index& index) {
  const long double unit = spec.unit == POSENC_RADIANS ? 1.0L : spec.unit == POSENC_TURNS ? 2.0L * kPi : kPi;
  if (spec.frequency_count != 0)
    return {unit * ListEntry(spec.frequencies, spec.frequencies_f32, index.entry), kRounding};
  long double divisor = 0.0L;  // its logarithm
  if (spec.scaling == POSENC_MIXED_NTK) {
    divisor =
        2.0L / static_cast<long double>(RotaryDim(spec)) * std::log2(static_cast<long double>(spec.factor));
  }
  const BaseLog base = LogOfBase(spec);
  const long double power = index.exponent == 0.0L ? 0.0L : -index.exponent * base.value;
  const long double error =
      (std::fabs(index.exponent) * base.magnitude + std::fabs(divisor) + 2.0L) * kRounding;
  return {unit * std::exp2(std::clamp(power - divisor, -12000.0L, 12000.0L)),
          error};  // neither 0 nor infinite
}

// From 0 to 1, with an absolute error.
Estimate Ramp(long double at, long double low, long double high, long double error) {
  if (low == high) high += 0.001L;
  const long double width = high - low, m = (at - low) / width;
  error = (error + (std::fabs(at) + std::fabs(low) + std::fabs(high)) * kRounding) / std::fabs(width) +
          std::fabs(m) * kRounding;
  if (m < -error) return {0.0L, 0.0L};
  if (m > 1.0L + error) return {1.0L, 0.0L};
  return {std::clamp(m, 0.0L, 1.0L), error};
}

Estimate YarnRamp(const posenc_rotary_spec& spec, std::size_t entry) {
  const auto r = static_cast<long double>(RotaryDim(spec));
  const long double rate = r / (2.0L * std::log(static_cast<long double>(spec.base)));
  const auto pair = [&](long double beta) {
    return rate * std::log(static_cast<long double>(spec.original_length) / (2.0L * kPi * beta));
  };
  long double low = pair(spec.beta_fast), high = pair(spec.beta_slow);
  long double error = (std::fabs(low) + std::fabs(high) + rate) * kRounding;
  if (spec.truncate != 0) {
    const auto is_near = [&](long double x) { return std::fabs(x - std::nearbyint(x)) <= error; };
    if (is_near(low) || is_near(high)) return kUnknown;
    low = std::floor(low);
    high = std::ceil(high);
    error = 0.0L;
  }
  low = std::max(low, 0.0L);
  high = std::min(high, r - 1.0L);
  if (spec.truncate == 0 && std::fabs(high - low) <= 8.0L * error) return kUnknown;
  return Ramp(static_cast<long double>(entry), low, high, error);
}

// (1 - m) w + m w / f
Estimate Blend(const Estimate& w, const Estimate& m, long double f) {
  const long double share = m.value / f + (1.0L - m.value);
  return {w.value * share, w.error + m.error * std::fabs(1.0L / f - 1.0L) / share + kRounding};
}

Estimate Scaled(const posenc_rotary_spec& spec, std::size_t entry, const Estimate& w) {
  const long double f = spec.factor;
  switch (spec.scaling) {
    case POSENC_LINEAR:
      return {w.value / f, w.error + kRounding};
    case POSENC_YARN:
      return Blend(w, YarnRamp(spec, entry), f);
    case POSENC_YARN_LOG: {
      const Estimate m = YarnRamp(spec, entry);
      const long double log = std::log2(f);
      return {w.value * std::exp2(-m.value * log), w.error + (m.error + kRounding) * (std::fabs(log) + 1.0L)};
    }
    case POSENC_LLAMA3: {
      const long double turns = std::fabs(spec.original_length * w.value) / (2.0L * kPi);
      const long double step = spec.low_freq_factor;
      if (spec.high_freq_factor == spec.low_freq_factor) {
        if (std::fabs(turns - step) <= (turns + step) * (w.error + 4.0L * kRounding)) return kUnknown;
        return {w.value / (turns > step ? 1.0L : f), w.error + kRounding};
      }
      const Estimate share =
          Ramp(turns, spec.low_freq_factor, spec.high_freq_factor, std::fabs(turns) * (w.error + kRounding));
      return Blend(w, {1.0L - share.value, share.error}, f);
    }
    case POSENC_PROPORTIONAL: {
      const double turning = std::floor(spec.proportion * static_cast<double>(RotaryDim(spec)) / 2.0);
      return {static_cast<double>(entry) < turning ? w.value / f : 0.0L, w.error + kRounding};
    }
    case POSENC_LONGROPE:
    case POSENC_FREQUENCY_FACTORS:
      return {w.value / (IsLong(spec) ? ListEntry(spec.long_factors, spec.long_factors_f32, entry)
                                      : ListEntry(spec.factors, spec.factors_f32, entry)),
              w.error + kRounding};
    default:
      return w;
  }
}

}  // namespace

double ListEntry(const double* doubles, const float* floats, std::size_t i) {
  double wide = 0.0;
  float narrow = 0.0f;
  if (doubles != nullptr) {
    std::memcpy(&wide, reinterpret_cast<const char*>(doubles) + i * sizeof(wide), sizeof(wide));
    return wide;
  }
  std::memcpy(&narrow, reinterpret_cast<const char*>(floats) + i * sizeof(narrow), sizeof(narrow));
  return static_cast<double>(narrow);
}

bool AxesAreRight(const posenc_rotary_spec& spec) {
  if (spec.axes == 0 || spec.axes > POSENC_MAX_AXES) return false;
  if (spec.axis_order < POSENC_CONSECUTIVE_AXES || spec.axis_order > POSENC_IMROPE_AXES) return false;
  const std::size_t pairs = RotaryDim(spec) / 2, *s = spec.sections, end = spec.axes == 1 ? 0 : spec.axes;
  std::size_t sum = 0;
  for (std::size_t k = 0; k < POSENC_MAX_AXES; ++k) {
    if (s[k] > (k < end ? pairs : 0)) return false;
    sum += s[k];
  }
  if (end == 0) return true;
  if (sum != pairs) return false;
  for (std::size_t k = 0; k < end; ++k) {
    const std::size_t last = s[k] == 0 ? 0 : k + end * (s[k] - 1);  // where axes take turns
    if (spec.axis_order == POSENC_SPLIT_AXES && last >= pairs) return false;
    if (spec.axis_order == POSENC_INTERLEAVED_AXES && k > 0 && last >= pairs) return false;
    if (spec.axis_order == POSENC_ALTERNATING_AXES && k > 0 && s[k] != s[1]) return false;
    const std::size_t last_of_others = s[k] == 0 ? 0 : k + (end - 1) * (s[k] - 1);
    if (spec.axis_order == POSENC_IMROPE_AXES && k + 1 < end && last_of_others >= pairs) return false;
  }
  return true;
}

std::size_t AxisOf(const posenc_rotary_spec& spec, std::size_t pair) {
  const std::size_t axes = spec.axes, others = axes - 1;
  if (axes == 1) return 0;
  if (spec.axis_order == POSENC_INTERLEAVED_AXES)
    return pair < axes * spec.sections[pair % axes] ? pair % axes : 0;
  if (spec.axis_order == POSENC_IMROPE_AXES)
    return pair < others * spec.sections[pair % others] ? pair % others : others;
  if (spec.axis_order == POSENC_ALTERNATING_AXES)
    return pair < others * spec.sections[1] ? 1 + pair % others : 0;
  return PlaceOf(spec, pair).axis;
}

long double Stretch(const posenc_rotary_spec& spec) {
  const long double f = spec.factor, length = spec.length, original = spec.original_length;
  if (spec.scaling == POSENC_DYNAMIC_NTK)
    return length <= original ? 1.0L : 1.0L + f * ((length - original) / original);
  if (spec.scaling != POSENC_QWEN_NTK) return f;
  int n = std::ilogb(length) - std::ilogb(original) - 1;
  while (std::ldexp(original, n) < length) ++n;
  return n <= 0 ? 1.0L : std::exp2(static_cast<long double>(n + 1)) - 1.0L;
}

Estimate FrequencyOf(const posenc_rotary_spec& spec, std::size_t pair) {
  const Index index = IndexOf(spec, pair);
  const Estimate w = Scaled(spec, index.entry, Unscaled(spec, index));
  return {w.value * spec.position_scale, w.error + kRounding};
}

Estimate AmplitudeOf(const posenc_rotary_spec& spec) {
  const long double f = spec.factor;
  if (spec.amplitude != 0.0) return {spec.amplitude, 0.0L};
  if (!(f > 1.0L)) return {1.0L, 0.0L};
  if (spec.scaling == POSENC_YARN) {
    const auto term = [&](long double mscale) { return 0.1L * mscale * std::log(f) + 1.0L; };
    return {term(spec.mscale) / term(spec.mscale_all_dim), kRounding};
  }
  if (spec.scaling == POSENC_LONGROPE)
    return {std::sqrt(1.0L + std::log(f) / std::log(static_cast<long double>(spec.original_length))),
            kRounding};
  return {1.0L, 0.0L};
}

}  // namespace fuzz
}  // namespace posenc
