// The scalings of rotaries, which stretch the context (linear, NTK, YaRN, ...): the numbers that all pairs of
// an axis share. posenc_scaling in rotary_c.h has the formulas, and the models that they come from.
#ifndef POSENC_SRC_FREQUENCY_SCALING_H_
#define POSENC_SRC_FREQUENCY_SCALING_H_

#include <cstddef>

#include "frequency/formula.h"
#include "number/wide.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// YaRN and Llama 3 mix scaled and unscaled frequencies along a ramp, which rises from 0 at low to 1 at low +
// width. YaRN measures along pairs, Llama 3 in turns within L0 positions.
template <int kLimbs>
struct ScalingConstants {
  Wide<kLimbs> log_base;  // ln of the base, which NTK scalings have changed
  Wide<kLimbs> scale;     // multiplies all frequencies: position_scale, for POSENC_MIXED_NTK also f^(-2/r)
  Wide<kLimbs> inverse_factor;  // 1 / f, for scalings that divide frequencies by f
  Wide<kLimbs> log_factor;      // ln f, for POSENC_YARN_LOG
  Wide<kLimbs> low, width, inverse_width;
};

// The frequencies of one axial axis, or of all axes of any other order.
struct Scaling {
  posenc_rotary_spec spec;  // checked; without lists and target
  Formula formula;
  double amplitude;  // A, the nearest double

  double ramp_low, ramp_high;  // the ends of YaRN's ramp, if `truncate` rounds them to integers
  std::size_t nonzero;         // POSENC_PROPORTIONAL: only the first `nonzero` frequencies are not 0
  bool is_steep;               // the ramp magnifies errors, so frequencies are computed in 1,024 bits
  ScalingConstants<4> constants;

  std::size_t pairs() const { return spec.rotary_dim / 2; }

  // Whether the scaling keeps this entry's frequency. POSENC_PROPORTIONAL sets the last ones to 0.
  bool IsNonzero(std::size_t entry) const { return spec.scaling != POSENC_PROPORTIONAL || entry < nonzero; }

  // The i of formulas and lists for one of these pairs.
  std::size_t EntryOf(std::size_t pair) const;
};

// Turns a checked spec (for axial axes: SpecOfAxis) into a scaling, which refers to the caller's lists. On an
// error no frequency may be evaluated. The range of frequencies is not checked.
posenc_status MakeScaling(const posenc_rotary_spec& spec, Scaling* scaling);

// Computes the constants from the other members.
template <int kLimbs>
ScalingConstants<kLimbs> MakeConstants(const Scaling& scaling);

// ln of the unscaled frequency of the last entry that is not 0, divided by the one of entry 0. With a list it
// is 0. An estimate.
double LogOfLast(const Scaling& scaling);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCALING_H_
