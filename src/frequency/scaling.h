// What a rotary's frequencies have besides a schedule: axes, a scaling of the context and its amplitude.
// posenc_scaling (rotary_c.h) has the formulas and the models that they are from.
#ifndef POSENC_SRC_FREQUENCY_SCALING_H_
#define POSENC_SRC_FREQUENCY_SCALING_H_

#include <cstddef>

#include "frequency/schedule.h"
#include "number/wide.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// Where the frequency of a pair comes from.
struct PairPlace {
  std::size_t axis;   // whose position multiplies it
  std::size_t entry;  // in the caller's lists
  std::size_t index;  // a scaling's i; and base^(-2 index / exponent_dim), unless frequencies are listed
  double exponent_dim;
};

// Whether each axis has indices and an r of its own.
inline bool IsAxial(const posenc_rotary_spec& spec) {
  return spec.axes > 1 && spec.axis_order == POSENC_AXIAL_AXES;
}

// Of a spec whose sections add up (checks.cc), and whose exponent_dim is not 0.
PairPlace PlaceOf(const posenc_rotary_spec& spec, std::size_t pair);

// The spec by which the formulas of scalings know the pairs of an axis: r, its rotary_dim, is that of the
// axis if axes are axial.
posenc_rotary_spec SpecOf(const posenc_rotary_spec& spec, std::size_t axis);

// What all pairs of an axis share. A ramp rises from 0 at low to 1 at low + width: YaRN's over pairs, Llama
// 3's over turns in L0.
template <int kLimbs>
struct ScalingConstants {
  Wide<kLimbs> log_base;  // ln base, of the base as NTK scalings change it
  Wide<kLimbs> scale;     // of all frequencies: position_scale, and in POSENC_MIXED_NTK f^(-2/r)
  Wide<kLimbs> inverse_factor, log_factor;
  Wide<kLimbs> low, width, inverse_width;
};

inline Wide256 TopOf(const Wide1024& x) {
  Wide256 top;
  for (int i = 0; i < 4; ++i) top.limb[i] = x.limb[12 + i];
  top.exponent = x.exponent;
  top.negative = x.negative;
  return top;
}

struct AxisScaling {
  double ramp_low, ramp_high;  // YaRN's, if they are rounded to integers
  std::size_t nonzero;         // POSENC_PROPORTIONAL: how many frequencies are not 0, the first ones
  ScalingConstants<4> constants;
};

struct Scaling {
  posenc_rotary_spec spec;  // checked; without lists and target
  double amplitude;         // A, the nearest double
  bool is_steep;            // a ramp magnifies errors, so that frequencies are computed in 1,024 bits
  AxisScaling axes[POSENC_MAX_AXES];  // all alike, unless axes are axial

  // Whether the scaling leaves the frequency of that pair other than 0.
  bool IsNonzero(const PairPlace& place) const {
    return spec.scaling != POSENC_PROPORTIONAL || place.index < axes[place.axis].nonzero;
  }
};

inline bool IsYarn(const posenc_rotary_spec& spec) {
  return IsOneOf(spec.scaling, POSENC_YARN, POSENC_YARN_LOG);
}

// Whether the scaling multiplies the base by a power of NtkFactor.
inline bool IsNtk(const posenc_rotary_spec& spec) {
  return IsOneOf(spec.scaling, POSENC_NTK, POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK);
}

// Whether the scaling divides by listed factors.
inline bool TakesFactors(const posenc_rotary_spec& spec) {
  return IsOneOf(spec.scaling, POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS);
}

inline FrequencyList ListOf(const posenc_rotary_spec& spec) {
  return {spec.frequencies, spec.frequencies_f32, spec.frequency_count, spec.unit};
}

// The constants of an axis that has pairs, of a schedule that has all else.
template <int kLimbs>
ScalingConstants<kLimbs> MakeConstants(const Schedule& schedule, std::size_t axis);

// What an NTK scaling has for f; exact but for POSENC_DYNAMIC_NTK.
template <int kLimbs>
Wide<kLimbs> NtkFactor(const posenc_rotary_spec& spec);

// Where the rest is evaluated (scaled_steps.cc). In 1,024 bits relative errors are below
// 2^-kFrequencyBits<16>, but at worst 2^-700 on a steep ramp, or if NTK makes a base nearly 1.
extern const ScalingCalls kScalingCalls;

// Whether the frequencies of all pairs are in range; sets *has_large if some exceed four quarter turns.
bool AreInRange(const Schedule& schedule, bool* has_large);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCALING_H_
