// The frequencies of a rotary embedding, scaled, as real numbers: as wide as anything needs them.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_SCHEDULE_H_
#define POSENC_SRC_FREQUENCY_ROTARY_SCHEDULE_H_

#include <cstddef>

#include "frequency/rotary_axes.h"
#include "frequency/schedule.h"
#include "number/wide.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// What all pairs share. A ramp rises from 0 at low to 1 at low + width: YaRN's over pairs, that of Llama 3
// over turns in L0.
template <int kLimbs>
struct RotaryConstants {
  Wide<kLimbs> log_base;  // of the base as NTK scalings change it
  Wide<kLimbs> scale;     // of all frequencies: position_scale, times f^(-2/r) in POSENC_MIXED_NTK
  Wide<kLimbs> inverse_factor, log_factor;
  Wide<kLimbs> low, width, inverse_width;
};

// How far `at` is up a ramp: from 0 to 1, and exactly these at its ends and beyond.
template <int kLimbs>
Wide<kLimbs> RampAt(const RotaryConstants<kLimbs>& constants, const Wide<kLimbs>& at);

struct RotarySchedule {
  posenc_rotary_spec spec;  // checked; rotary_dim and exponent_dim are not 0; without lists and target
  FrequencyList list;       // the caller's frequencies
  FrequencyList factors;    // those that count, if the scaling has some
  double amplitude;         // A, the nearest double

  double ramp_low, ramp_high;  // YaRN's, where they are rounded to integers
  std::size_t turning;         // POSENC_PROPORTIONAL: the pairs that turn
  bool is_steep;               // a ramp that magnifies errors: all is computed in 1,024 bits
  RotaryConstants<4> constants;

  // Whether the scaling leaves what is at that place in lists a frequency.
  bool Turns(std::size_t entry) const { return spec.scaling != POSENC_PROPORTIONAL || entry < turning; }

  // The scaled w_i, and w_i * 2/pi. Relative errors below 2^-kFrequencyBits<kLimbs>; in 1,024 bits on a steep
  // ramp, or of a base that NTK makes nearly 1, at worst 2^-700. QuarterTurns is exact if IsExact().
  template <int kLimbs>
  Wide<kLimbs> Radians(std::size_t pair) const;
  template <int kLimbs>
  Wide<kLimbs> QuarterTurns(std::size_t pair) const;
  bool IsExact() const;

  // The double nearest to the scaled w_i, ties to even.
  double NearestRadians(std::size_t pair) const;
};

// Of a spec that CheckRotarySpec has passed; lists are not copied. Where this is not POSENC_OK nothing may be
// evaluated.
posenc_status MakeRotarySchedule(const posenc_rotary_spec& spec, RotarySchedule* schedule);

// QuarterTurns of one pair after the other, in less time: relative errors below 2^-110.
class RotaryPass {
 public:
  explicit RotaryPass(const RotarySchedule& schedule) : schedule_(schedule) {}
  Wide256 Next();

 private:
  const RotarySchedule& schedule_;
  std::size_t pair_ = 0;
  std::size_t last_exponent_ = 0;  // of the pair before this one
  Wide256 power_;                  // of the base, to that
  std::size_t advance_ = 0;        // of exponents, by the factor ratio_
  double exponent_dim_ = 0.0;
  Wide256 ratio_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_SCHEDULE_H_
