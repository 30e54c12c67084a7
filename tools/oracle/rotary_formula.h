// Computes the frequencies, amplitudes and rounded phases of rotary embeddings with MPFR, from the formulas
// in rotary_c.h.
#ifndef POSENC_TOOLS_ORACLE_ROTARY_FORMULA_H_
#define POSENC_TOOLS_ORACLE_ROTARY_FORMULA_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracle/real.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace oracle {

class RotaryFormula {
 public:
  // `spec` must be one that posenc_rotary_create accepts. Its lists must outlive this object.
  explicit RotaryFormula(const posenc_rotary_spec& spec);

  std::size_t pairs() const { return rotary_dim_ / 2; }
  std::size_t axis(std::size_t pair) const;

  // The scaled frequency w_i times position_scale, in the spec's unit per step. The relative error is below
  // 2^-bits, unless a ramp is so steep that it costs more than 256 bits.
  Real Frequency(std::size_t pair, int bits) const;

  // The same frequency in radians per step.
  Real Radians(std::size_t pair, int bits) const;

  // The amplitude A, rounded to double.
  double Amplitude() const;

  // The unit in which Frequency returns its result.
  posenc_unit unit() const { return spec_.unit; }

  // The phase of a pair with the spec's phase rounding, in radians. `position` is the position on the pair's
  // axis.
  float RoundedPhase(std::size_t pair, double position) const;

 private:
  struct Place {
    std::size_t axis = 0;
    std::size_t i = 0;              // the index in lists and in the formulas of scalings
    double numerator, denominator;  // the frequency is base^(-numerator / denominator)
  };

  // With axial axes: the formula for the pair's axis; *pair becomes the pair's index within this axis. Null
  // with any other order of axes.
  const RotaryFormula* OfAxis(std::size_t* pair) const;
  Place PlaceOf(std::size_t pair) const;
  Real Base(int bits) const;
  Real Unscaled(const Place& place, int bits) const;
  Real Scaled(const Place& place, const Real& w) const;
  Real PairThatTurns(double beta, int bits) const;
  Real YarnRamp(std::size_t i, int bits) const;
  Real Llama3(const Real& w) const;
  double Listed(std::size_t i) const;
  double Factor(std::size_t i) const;
  double Denominator(const Place& place) const;
  float RoundedFrequency(const Place& place) const;

  posenc_rotary_spec spec_;
  std::size_t rotary_dim_;
  std::vector<RotaryFormula> axes_;  // with axial axes, one formula for each axis; otherwise empty
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_ROTARY_FORMULA_H_
