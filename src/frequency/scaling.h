// What only rotaries have, besides the schedule that encoders have too: axes, a scaling that stretches the
// context (linear, NTK, YaRN, ...), and the scaling's amplitude. posenc_scaling in rotary_c.h has the
// formulas, and the models that they come from.
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
  std::size_t axis;  // the axis whose position multiplies the frequency
  // The i of the formulas and of the caller's lists. For axial axes it counts from the axis' first pair.
  std::size_t entry;
};

// The place of a pair. The spec's sections must add up (SectionsAddUp in rotary_checks.cc).
PairPlace PlaceOf(const posenc_rotary_spec& spec, std::size_t pair);

// Whether each axis has separate frequencies, as if it were a rotary with one axis.
inline bool IsAxial(const posenc_rotary_spec& spec) {
  return spec.axes > 1 && spec.axis_order == POSENC_AXIAL_AXES;
}

// The numbers that all pairs share. YaRN and Llama 3 mix scaled and unscaled frequencies along a ramp, which
// rises from 0 at low to 1 at low + width. YaRN measures along pairs, Llama 3 in turns within L0 positions.
template <int kLimbs>
struct ScalingConstants {
  Wide<kLimbs> log_base;  // ln of the base, which NTK scalings have changed
  Wide<kLimbs> scale;     // multiplies all frequencies: position_scale, for POSENC_MIXED_NTK also f^(-2/r)
  Wide<kLimbs> inverse_factor, log_factor;
  Wide<kLimbs> low, width, inverse_width;
};

struct AxisSchedule;

struct Scaling {
  posenc_rotary_spec spec;  // checked; without lists and target
  double amplitude;         // A, the nearest double
  // [spec.axes] if the axes are axial, else null. Each axial axis has its scaling there, and the members
  // below are unused here.
  const AxisSchedule* axes;

  double ramp_low, ramp_high;  // the ends of YaRN's ramp, if `truncate` rounds them to integers
  std::size_t nonzero;         // POSENC_PROPORTIONAL: only the first `nonzero` frequencies are not 0
  bool is_steep;               // the ramp magnifies errors, so frequencies are computed in 1,024 bits
  ScalingConstants<4> constants;

  // Whether the scaling keeps this entry's frequency. POSENC_PROPORTIONAL sets the last ones to 0.
  bool IsNonzero(std::size_t entry) const { return spec.scaling != POSENC_PROPORTIONAL || entry < nonzero; }
};

// The schedule of one axial axis, with its scaling.
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

// Computes the constants of a schedule whose other members are set.
template <int kLimbs>
ScalingConstants<kLimbs> MakeConstants(const Schedule& schedule);

// The functions that evaluate a rotary's frequencies (scaled_steps.cc). In 1,024 bits the relative error is
// below 2^-kFrequencyBits<16>. On a steep ramp, or if NTK makes the base nearly 1, it is below 2^-700.
extern const ScalingCalls kScalingCalls;

// Whether the frequencies of all pairs are in range. Sets *has_large if some exceed four quarter turns.
bool AreInRange(const Schedule& schedule, bool* has_large);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCALING_H_
