// The frequencies, amplitudes and rounded phases of rotary embeddings, as rotary_c.h writes them, by MPFR.
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
  // `spec` must be one that posenc_rotary_create accepts; its lists must live on.
  explicit RotaryFormula(const posenc_rotary_spec& spec);

  std::size_t pairs() const { return rotary_dim_ / 2; }
  std::size_t axis(std::size_t pair) const;

  // The scaled w_i times position_scale, per step: in the spec's unit, which only radians leave as it is.
  // Relative error below 2^-bits, unless a ramp is so steep that it takes more than 256 bits more.
  Real Frequency(std::size_t pair, int bits) const;

  // The same in radians.
  Real Radians(std::size_t pair, int bits) const;

  // A, the nearest double.
  double Amplitude() const;

  // The unit of frequencies.
  posenc_unit unit() const { return spec_.unit; }

  // What a phase rounding makes of the position of the pair's axis, in radians.
  float RoundedPhase(std::size_t pair, double position) const;

 private:
  struct Place {
    std::size_t axis = 0;
    std::size_t i = 0;              // of lists, and in the formulas of scalings
    double numerator, denominator;  // base^(-numerator / denominator)
  };

  // The formula of the pair's axis, for which the pair becomes its index there; null unless axes are axial.
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
  std::vector<RotaryFormula> axes_;  // of axial axes: each is a rotary of its own
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_ROTARY_FORMULA_H_
