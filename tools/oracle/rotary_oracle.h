// The oracle for rotary embeddings: computes with MPFR rotated elements, and the cosines and sines of caches.
// It uses the library's public headers, but none of its arithmetic.
//
// Every number is computed with an error bound. If the bound is too large to be certain of the rounding, the
// number is computed again with more bits. If 9,000 bits cannot distinguish a number from 0, or from the
// midpoint of two neighbours, it is exactly that: such a number is a sum of exact products.
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

// The arguments of a rotation that change the cosines and sines: they are multiplied by the amplitude, by
// `scale` and by `factor`. `inverse` rotates backwards.
struct Gain {
  double scale = 1.0;
  bool inverse = false;
  double amplitude = 0.0;  // replaces the amplitude of the spec unless it is 0
  float factor = 1.0f;     // of the token
};

// One thread may use a RotaryOracle at a time. Call it with the default floating-point state.
class RotaryOracle {
 public:
  // `spec` must be one that posenc_rotary_create accepts. Its lists must outlive the oracle.
  explicit RotaryOracle(const posenc_rotary_spec& spec);

  std::size_t pairs() const { return formula_.pairs(); }
  std::size_t axis(std::size_t pair) const { return formula_.axis(pair); }

  // The position that rotates a pair: the position on the pair's axis, where at(k) is the position on axis k.
  template <class At>
  double PositionOf(std::size_t pair, const At& at) const {
    return at(axis(pair));
  }

 private:
  friend class Angle;
  static constexpr std::size_t kLevels = 3;
  static constexpr int kBits[kLevels] = {128, 640, 9000};  // begins with two words, for which MPFR is fastest

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

// The angle of one pair at one position, and its rotation: cos and sin, each times amplitude * scale *
// factor. All heads of a token share it. `position` comes from RotaryOracle::PositionOf.
class Angle {
 public:
  Angle(RotaryOracle* oracle, std::size_t pair, double position, const Gain& gain);

  // Rotates the elements a and b of a pair as POSENC_EXACT does. A NaN has the bits that Pack returns.
  void Rotate(posenc_type type, double a, double b, Rounding* x, Rounding* y);

  // The cosine and the sine for a cache.
  void RoundBoth(posenc_type type, Rounding* cosine, Rounding* sine);

  // The exact value of u cosine + v sine, in scientific notation; and the error of `got` from it, in ULP of
  // the type.
  std::string Exact(double u, double v, int digits = 30);
  double Ulp(posenc_type type, double got, double u, double v);

 private:
  // Approximations of a cosine and a sine. Their errors are at most 2^cosine_error and 2^sine_error, unless
  // they are exact.
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
