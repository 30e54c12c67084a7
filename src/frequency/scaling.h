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
  std::size_t entry;  // i of formulas, and in the caller's lists; of axial axes counted from the axis' first
};

// Of a spec whose sections add up (checks.cc).
PairPlace PlaceOf(const posenc_rotary_spec& spec, std::size_t pair);

// Whether each axis has frequencies of its own, as a rotary of one axis.
inline bool IsAxial(const posenc_rotary_spec& spec) {
  return spec.axes > 1 && spec.axis_order == POSENC_AXIAL_AXES;
}

// What all pairs share. A ramp rises from 0 at low to 1 at low + width: YaRN's over pairs, Llama 3's over
// turns in L0.
template <int kLimbs>
struct ScalingConstants {
  Wide<kLimbs> log_base;  // ln base, of the base as NTK scalings change it
  Wide<kLimbs> scale;     // of all frequencies: position_scale, and in POSENC_MIXED_NTK f^(-2/r)
  Wide<kLimbs> inverse_factor, log_factor;
  Wide<kLimbs> low, width, inverse_width;
};

struct AxisSchedule;

struct Scaling {
  posenc_rotary_spec spec;   // checked; without lists and target
  double amplitude;          // A, the nearest double
  const AxisSchedule* axes;  // [spec.axes] of axial axes, which have all that follows; else null

  double ramp_low, ramp_high;  // YaRN's, if they are rounded to integers
  std::size_t nonzero;         // POSENC_PROPORTIONAL: how many frequencies are not 0, the first ones
  bool is_steep;               // the ramp magnifies errors, so that frequencies are computed in 1,024 bits
  ScalingConstants<4> constants;

  // Whether the scaling leaves the frequency of that entry other than 0.
  bool IsNonzero(std::size_t entry) const { return spec.scaling != POSENC_PROPORTIONAL || entry < nonzero; }
};

// Of the pairs of one axis.
struct AxisSchedule {
  Scaling scaling;
  Schedule schedule;
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

// The constants of a schedule that has all else.
template <int kLimbs>
ScalingConstants<kLimbs> MakeConstants(const Schedule& schedule);

// Where the rest is evaluated (scaled_steps.cc). In 1,024 bits relative errors are below
// 2^-kFrequencyBits<16>, but at worst 2^-700 on a steep ramp, or if NTK makes a base nearly 1.
extern const ScalingCalls kScalingCalls;

// Whether the frequencies of all pairs are in range; sets *has_large if some exceed four quarter turns.
bool AreInRange(const Schedule& schedule, bool* has_large);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCALING_H_
