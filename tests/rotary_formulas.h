// The frequencies, axes and rounded phases of rotary embeddings, as papers and engines write them, in MPFR;
// and tables to hold against them.
#ifndef POSENC_TESTS_ROTARY_FORMULAS_H_
#define POSENC_TESTS_ROTARY_FORMULAS_H_

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "frequency/rotary_table.h"
#include "oracle/number.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace formulas {

// A real number of 2,000 bits, with operators.
class Real {
 public:
  Real(double x = 0.0) : value_(kBits) { mpfr_set_d(value_, x, MPFR_RNDN); }  // NOLINT: implicit
  Real(const Real& x) : value_(kBits) { mpfr_set(value_, x.value_, MPFR_RNDN); }
  Real& operator=(const Real& x) {
    if (this != &x) mpfr_set(value_, x.value_, MPFR_RNDN);
    return *this;
  }

  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  static Real Of(Unary f, const Real& x) {
    Real result;
    f(result.value_, x.value_, MPFR_RNDN);
    return result;
  }
  static Real Of(Binary f, const Real& x, const Real& y) {
    Real result;
    f(result.value_, x.value_, y.value_, MPFR_RNDN);
    return result;
  }

  friend Real operator+(const Real& x, const Real& y) { return Of(&mpfr_add, x, y); }
  friend Real operator-(const Real& x, const Real& y) { return Of(&mpfr_sub, x, y); }
  friend Real operator*(const Real& x, const Real& y) { return Of(&mpfr_mul, x, y); }
  friend Real operator/(const Real& x, const Real& y) { return Of(&mpfr_div, x, y); }
  friend bool operator<(const Real& x, const Real& y) { return mpfr_less_p(x.value_, y.value_) != 0; }
  friend bool operator==(const Real& x, const Real& y) { return mpfr_equal_p(x.value_, y.value_) != 0; }

  double AsDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }
  double AsFloat() const { return static_cast<double>(mpfr_get_flt(value_, MPFR_RNDN)); }
  const oracle::Number& number() const { return value_; }

 private:
  static constexpr mpfr_prec_t kBits = 2000;
  oracle::Number value_;
};

inline Real Log(const Real& x) { return Real::Of(&mpfr_log, x); }
inline Real Exp(const Real& x) { return Real::Of(&mpfr_exp, x); }
inline Real Sqrt(const Real& x) { return Real::Of(&mpfr_sqrt, x); }
inline Real Pow(const Real& x, const Real& y) { return Real::Of(&mpfr_pow, x, y); }
inline Real Floor(const Real& x) { return Real::Of(&mpfr_rint_floor, x); }
inline Real Ceil(const Real& x) { return Real::Of(&mpfr_rint_ceil, x); }
inline Real Abs(const Real& x) { return Real::Of(&mpfr_abs, x); }
inline Real Max(const Real& x, const Real& y) { return x < y ? y : x; }
inline Real Min(const Real& x, const Real& y) { return y < x ? y : x; }
inline const Real& Pi() {
  static const Real pi = Real::Of(&mpfr_acos, -1.0);
  return pi;
}
inline Real NumberOf(std::size_t n) { return static_cast<double>(n); }
inline Real Entry(const double* doubles, const float* floats, std::size_t i) {
  return doubles != nullptr ? doubles[i] : static_cast<double>(floats[i]);
}

// posenc_rotary_spec_init's defaults.
inline posenc_rotary_spec Spec(std::size_t head_dim) {
  posenc_rotary_spec s = {};
  s.struct_size = sizeof(s);
  s.head_dim = head_dim;
  s.output_pairing = POSENC_SAME_PAIRING;
  s.base = 10000.0;
  s.position_scale = 1.0;
  s.factor = 1.0;
  s.beta_fast = 32.0;
  s.beta_slow = 1.0;
  s.mscale = 1.0;
  s.low_freq_factor = 1.0;
  s.high_freq_factor = 4.0;
  s.proportion = 1.0;
  s.truncate = 1;
  s.axes = 1;
  return s;
}

inline double RotaryDim(const posenc_rotary_spec& s) {
  return static_cast<double>(s.rotary_dim == 0 ? s.head_dim - s.rotary_offset : s.rotary_dim);
}

// Where pairs of an axis are consecutive: the axis of pair i, and its first pair.
struct Section {
  std::size_t axis, first;
};
inline Section SectionOf(const posenc_rotary_spec& s, std::size_t i) {
  Section section = {0, 0};
  while (i >= section.first + s.sections[section.axis]) section.first += s.sections[section.axis++];
  return section;
}

inline std::size_t AxisOf(const posenc_rotary_spec& s, std::size_t i) {
  if (s.axes == 1) return 0;
  if (s.axis_order == POSENC_INTERLEAVED_AXES) {
    return i < s.axes * s.sections[i % s.axes] ? i % s.axes : 0;
  }
  if (s.axis_order == POSENC_IMROPE_AXES) {
    return i < (s.axes - 1) * s.sections[i % (s.axes - 1)] ? i % (s.axes - 1) : s.axes - 1;
  }
  if (s.axis_order == POSENC_ALTERNATING_AXES) {
    return i < (s.axes - 1) * s.sections[1] ? 1 + i % (s.axes - 1) : 0;
  }
  return SectionOf(s, i).axis;
}

// Of pair i: its place in the schedule and in lists, and its 2i / r.
struct Index {
  std::size_t entry;
  Real exponent;
};
inline Index IndexOf(const posenc_rotary_spec& s, std::size_t i) {
  const Real d = s.exponent_dim == 0.0 ? RotaryDim(s) : s.exponent_dim;
  if (s.axes > 1 && s.axis_order == POSENC_SPLIT_AXES) {
    const Section section = SectionOf(s, i);
    const std::size_t entry = section.axis + (i - section.first) * s.axes;
    return {entry, NumberOf(2 * entry) / d};
  }
  if (s.axes > 1 && s.axis_order == POSENC_AXIAL_AXES) {
    const Section section = SectionOf(s, i);
    return {i, NumberOf(i - section.first) / NumberOf(s.sections[section.axis])};
  }
  return {i, NumberOf(2 * i) / d};
}

// NTK's f, and Qwen's alpha.
inline Real Stretch(const posenc_rotary_spec& s) {
  const Real length = s.length, original = s.original_length, f = s.factor;
  if (s.scaling == POSENC_NTK) return f;
  if (s.scaling == POSENC_DYNAMIC_NTK) return f * Max(length, original) / original - (f - 1.0);
  return Max(1.0, Pow(2.0, Ceil(Log(length / original) / Log(2.0) + 1.0)) - 1.0);
}

inline Real Unscaled(const posenc_rotary_spec& s, std::size_t i) {
  const Index index = IndexOf(s, i);
  const Real unit = s.unit == POSENC_RADIANS ? Real(1.0) : s.unit == POSENC_TURNS ? Pi() * 2.0 : Pi();
  if (s.frequency_count != 0) return unit * Entry(s.frequencies, s.frequencies_f32, index.entry);
  const Real r = RotaryDim(s);
  Real base = s.base, divisor = 1.0;
  if (s.scaling == POSENC_MIXED_NTK) {
    base = base * s.factor;
    divisor = Pow(s.factor, Real(2.0) / r);
  }
  if (index.exponent == 0.0) return unit / divisor;  // of any base, also where r = 2 leaves NTK's undefined
  if (s.scaling == POSENC_NTK || s.scaling == POSENC_DYNAMIC_NTK || s.scaling == POSENC_QWEN_NTK) {
    base = base * Pow(Stretch(s), r / (r - 2.0));
  }
  return unit * Pow(base, Real(0.0) - index.exponent) / divisor;
}

inline Real YarnRamp(const posenc_rotary_spec& s, const Real& i) {
  const Real r = RotaryDim(s);
  const auto pair = [&](double beta) {
    return r * Log(Real(s.original_length) / (Pi() * 2.0 * beta)) / (Log(s.base) * 2.0);
  };
  Real low = pair(s.beta_fast), high = pair(s.beta_slow);
  if (s.truncate != 0) {
    low = Floor(low);
    high = Ceil(high);
  }
  low = Max(low, 0.0);
  high = Min(high, r - 1.0);
  if (low == high) high = high + Real(1.0) / 1000.0;
  return Min(Max((i - low) / (high - low), 0.0), 1.0);
}

// The scaled w_i, in radians a step.
inline Real FrequencyOf(const posenc_rotary_spec& s, std::size_t pair) {
  const std::size_t entry = IndexOf(s, pair).entry;
  const Real w = Unscaled(s, pair), f = s.factor, i = NumberOf(entry), scale = s.position_scale;
  switch (s.scaling) {
    case POSENC_LINEAR:
      return w / f * scale;
    case POSENC_YARN: {
      const Real m = YarnRamp(s, i);
      return (w / f * m + w * (Real(1.0) - m)) * scale;
    }
    case POSENC_YARN_LOG:
      return w * Pow(f, Real(0.0) - YarnRamp(s, i)) * scale;
    case POSENC_LONGROPE:
      if (s.length > s.original_length) return w / Entry(s.long_factors, s.long_factors_f32, entry) * scale;
      [[fallthrough]];
    case POSENC_FREQUENCY_FACTORS:
      return w / Entry(s.factors, s.factors_f32, entry) * scale;
    case POSENC_LLAMA3: {
      const Real turns = Abs(w) * s.original_length / (Pi() * 2.0);
      const Real low = s.low_freq_factor, high = s.high_freq_factor;
      if (low == high) {  // what agrees with it in 1,900 bits is there, and divided
        return Abs(turns - low) < low * Pow(2.0, -1900.0) || turns < low ? w / f * scale : w * scale;
      }
      const Real smooth = Min(Max((turns - low) / (high - low), 0.0), 1.0);
      return ((Real(1.0) - smooth) * w / f + smooth * w) * scale;
    }
    case POSENC_PROPORTIONAL:
      return i < Floor(s.proportion * RotaryDim(s) / 2.0) ? w / f * scale : Real(0.0);
    default:
      return w * scale;
  }
}

inline Real AmplitudeOf(const posenc_rotary_spec& s) {
  if (s.amplitude != 0.0) return s.amplitude;
  if (s.factor <= 1.0) return 1.0;
  if (s.scaling == POSENC_YARN) {
    const Real tenth = Log(s.factor) / 10.0;
    return (tenth * s.mscale + 1.0) / (tenth * s.mscale_all_dim + 1.0);
  }
  if (s.scaling == POSENC_LONGROPE) return Sqrt(Log(s.factor) / Log(s.original_length) + 1.0);
  return 1.0;
}

// What a phase rounding makes before it knows the position: w of pair i, or the ratio of iterated phases.
inline double RoundedFactorOf(posenc_rotary_spec s, std::size_t i) {
  if (s.phase_rounding != POSENC_F64_INV_FREQ) s.exponent_dim = Real(s.exponent_dim).AsFloat();
  const Index index = IndexOf(s, i);
  const Real r = s.exponent_dim == 0.0 ? RotaryDim(s) : s.exponent_dim, one = 1.0;
  double w = 0.0;
  switch (s.phase_rounding) {
    case POSENC_F32_INV_FREQ:
      w = s.frequency_count != 0
              ? static_cast<double>(s.frequencies_f32[index.entry])
              : (one / Pow(Real(s.base).AsFloat(), index.exponent.AsFloat()).AsFloat()).AsFloat();
      break;
    case POSENC_F64_INV_FREQ:
      w = (one / Pow(s.base, index.exponent.AsDouble()).AsDouble()).AsFloat();
      break;
    case POSENC_F32_EXP: {
      const double half = (r / 2.0).AsFloat();
      const double rate = (Real(Log(Real(s.base).AsFloat()).AsFloat()) / half).AsFloat();
      return Exp((Real(0.0) - NumberOf(i) * rate).AsFloat()).AsFloat();
    }
    default:  // POSENC_F32_ITERATED
      return Pow(Real(s.base).AsFloat(), (Real(-2.0) / r).AsFloat()).AsFloat();
  }
  return s.scaling == POSENC_LINEAR ? (Real(w) / Real(s.factor).AsFloat()).AsFloat() : w;
}

// The phase of pair i as the phase rounding makes it, of RoundedFactorOf(s, i).
inline double RoundedPhaseOf(const posenc_rotary_spec& s, std::size_t i, double position, double factor) {
  const double p = Real(position).AsFloat();
  const Real one = 1.0;
  const bool is_linear = s.scaling == POSENC_LINEAR;
  if (s.phase_rounding == POSENC_F32_ITERATED) {
    double t = p;
    for (std::size_t k = 0; k < i; ++k) t = (Real(t) * factor).AsFloat();
    if (s.scaling == POSENC_FREQUENCY_FACTORS) {
      return (Real(t) / Entry(s.factors, s.factors_f32, i).AsFloat()).AsFloat();
    }
    return is_linear ? (Real((one / Real(s.factor).AsFloat()).AsFloat()) * t).AsFloat() : t;
  }
  const bool scales_positions = is_linear && s.phase_rounding == POSENC_F32_EXP;
  const double scaled =
      scales_positions ? (Real(p) * Real((one / s.factor).AsDouble()).AsFloat()).AsFloat() : p;
  return (Real(scaled) * factor).AsFloat();
}

// A table in memory of its own.
struct Made {
  posenc_status status;
  internal::RotaryTable table;
  std::vector<double> memory;
};
inline std::unique_ptr<Made> Make(const posenc_rotary_spec& spec) {
  auto made = std::make_unique<Made>();
  made->status = internal::PlanRotaryTable(spec, &made->table);
  if (made->status != POSENC_OK) return made;
  made->memory.assign(internal::ArrayBytes(made->table) / sizeof(double) + 1, std::nan(""));
  internal::FillRotaryTable(made->memory.data(), &made->table);
  return made;
}

}  // namespace formulas
}  // namespace posenc

#endif  // POSENC_TESTS_ROTARY_FORMULAS_H_
