// What a rotary must write, by MPFR: rotated elements, and cosines and sines for caches. It shares the public
// headers with the library and no arithmetic.
//
// Every number is taken with an error bound, rounded only if the bound decides the rounding, and otherwise
// taken again with more bits. What 9,000 of them cannot tell from 0, or from the middle of two neighbours, is
// that: a sum of exact products.
#ifndef POSENC_TOOLS_ORACLE_ROTARY_ORACLE_H_
#define POSENC_TOOLS_ORACLE_ROTARY_ORACLE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "oracle/distances.h"
#include "oracle/number.h"
#include "oracle/real.h"
#include "oracle/rotary_formula.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace oracle {

// What cosines and sines are multiplied by besides the amplitude, and whether it turns back.
struct Gain {
  double scale = 1.0;
  bool inverse = false;
  double amplitude = 0.0;  // if not 0, instead of the spec's
};

// For one thread. Call it with the default floating-point state.
class RotaryOracle {
 public:
  // `spec` must be one that posenc_rotary_create accepts; its lists must live on.
  explicit RotaryOracle(const posenc_rotary_spec& spec);

  std::size_t pairs() const { return formula_.pairs(); }
  std::size_t axis(std::size_t pair) const { return formula_.axis(pair); }

  // What turns a pair at a position, at(k) of each axis k: that of its axis.
  template <class At>
  double PositionOf(std::size_t pair, const At& at) const {
    return at(axis(pair));
  }

 private:
  friend class Turn;
  static constexpr std::size_t kLevels = 3;
  static constexpr int kBits[kLevels] = {128, 640, 9000};  // two words first, where MPFR is fastest

  struct Workspace {
    explicit Workspace(int bits) : a(bits), b(bits), p(bits), q(bits), v(bits) {}
    Number a, b, p, q, v;
  };

  const Real& Frequency(std::size_t pair, std::size_t level);

  posenc_rotary_spec spec_;
  RotaryFormula formula_;
  double amplitude_;
  std::vector<std::unique_ptr<Real>> frequencies_[kLevels];  // [pairs]
  std::vector<Workspace> work_;                              // [kLevels]
};

// Amplitude * scale * cos and sin of one pair at RotaryOracle::PositionOf: what all heads of a token share.
class Turn {
 public:
  Turn(RotaryOracle* oracle, std::size_t pair, double position, const Gain& gain);

  // What the elements a and b of a pair become, in POSENC_EXACT. A NaN has the bits that Pack gives it.
  void Rotate(posenc_type type, double a, double b, Rounding* x, Rounding* y);

  // Cosine and sine of a cache.
  void RoundBoth(posenc_type type, Rounding* cosine, Rounding* sine);

  // Of u cosine + v sine: in scientific notation, and how far a number of the type is from it.
  std::string Exact(double u, double v, int digits = 30);
  double Ulp(posenc_type type, double got, double u, double v);

 private:
  // Approximations, off by at most 2^..._error; or exact.
  struct Level {
    explicit Level(int bits) : cosine(bits), sine(bits) {}
    Number cosine, sine;
    mpfr_exp_t cosine_error = 0, sine_error = 0;
    bool exact = false;
  };

  const Level& At(std::size_t level);
  Level Make(std::size_t level) const;
  Real Phase(std::size_t level, mpfr_exp_t* error, int* quarters) const;
  bool Combine(std::size_t level, posenc_type type, bool is_y, Rounding* out);
  bool Decide(std::size_t level, posenc_type type, const Number& v, mpfr_exp_t error, Rounding* out) const;
  int Sign(bool is_sine);
  Number Sum(double u, double v);

  RotaryOracle* oracle_;
  std::size_t pair_;
  double position_;
  Gain gain_;
  std::vector<Level> levels_;
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_ROTARY_ORACLE_H_
