// What a rotary must write, by MPFR and from the text of rotary_c.h alone: frequencies without a scaling, of
// one axis or of several, to 1,200 bits.
//
// Every number is taken with an error bound, and rounded only if the bound decides the rounding; else it is
// taken again with more bits. What no precision decides, a tie, is the sum of exact numbers, or 0.
#ifndef POSENC_TESTS_ROTARY_ORACLE_H_
#define POSENC_TESTS_ROTARY_ORACLE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "oracle/number.h"
#include "posenc/rotary_c.h"
#include "scalar_formats.h"

namespace posenc {

using oracle::Number;

inline constexpr int kFrequencyPrecision = 1200;
inline constexpr int kTurnBits = 384;       // enough nearly always
inline constexpr int kMostTurnBits = 3400;  // tells the sine of 2^-1074 from that
inline constexpr mpfr_exp_t kNoError = -100000;

// Cosine and sine of one pair at one position; errors below 2^exponent.
struct Turn {
  Number cosine{MPFR_PREC_MIN}, sine{MPFR_PREC_MIN};
  mpfr_exp_t cosine_error = kNoError, sine_error = kNoError;
  bool is_exact = false;   // whole quarter turns
  bool is_eighth = false;  // odd eighths: cosine and sine of the same magnitude
};

// An element of a type rounded from v, of an error below 2^error: a double that rounds to every type of fewer
// than 50 digits, subnormal or not, as v does. False if v is not known well enough.
inline bool RoundToOdd(mpfr_srcptr v, mpfr_exp_t error, double* out) {
  if (mpfr_zero_p(v) != 0) return false;
  if (mpfr_can_round(v, mpfr_get_exp(v) - error, MPFR_RNDN, MPFR_RNDZ, 53) == 0) return false;
  const double sign = mpfr_signbit(v) != 0 ? -1.0 : 1.0;
  double truncated = std::fabs(mpfr_get_d(v, MPFR_RNDZ));
  std::uint64_t bits;
  std::memcpy(&bits, &truncated, sizeof(bits));
  bits |= 1;  // it is no double
  std::memcpy(&truncated, &bits, sizeof(bits));
  *out = sign * truncated;
  return true;
}

// The same of an exact number.
inline double RoundExact(mpfr_srcptr v) {
  double rounded = 0.0;
  if (mpfr_zero_p(v) != 0) return 0.0;
  if (mpfr_cmp_d(v, mpfr_get_d(v, MPFR_RNDZ)) == 0) return mpfr_get_d(v, MPFR_RNDZ);
  return RoundToOdd(v, mpfr_get_exp(v) - 2000, &rounded) ? rounded : HUGE_VAL;
}

class RotaryOracle {
 public:
  // Without a scaling, or with one that only sets the amplitude, which is not looked at here.
  explicit RotaryOracle(const posenc_rotary_spec& spec) : spec_(spec) {
    const std::size_t r = spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim - spec.rotary_offset;
    for (std::size_t i = 0; i < r / 2; ++i) places_.push_back(PlaceOf(i, r));
    for (std::size_t i = 0; i < r / 2; ++i) frequencies_.push_back(FrequencyOf(i, kFrequencyPrecision));
    wide_frequencies_.resize(r / 2);
  }

  std::size_t pairs() const { return frequencies_.size(); }
  std::size_t axis(std::size_t pair) const { return places_[pair].axis; }

  // At a position of the pair's axis.
  Turn At(std::size_t pair, double position, int bits = kTurnBits) const {
    const int precision = bits <= kTurnBits ? kFrequencyPrecision : bits + 100;  // of the frequency
    const Frequency& w = bits <= kTurnBits ? frequencies_[pair] : WideFrequency(pair, precision);
    Turn turn;
    Number phase(bits + 40);
    mpfr_exp_t error = kNoError;  // of the phase
    turn.cosine = Number(bits);
    turn.sine = Number(bits);
    bool is_exact = w.is_exact;
    if (spec_.unit == POSENC_TURNS) {
      Number quarters(precision), four(MPFR_PREC_MIN), eighths(precision), pi(bits + 40);
      is_exact = mpfr_mul_d(quarters, w.value, position, MPFR_RNDN) == 0 && is_exact;
      mpfr_mul_2ui(quarters, quarters, 2, MPFR_RNDN);
      if (!is_exact && mpfr_zero_p(quarters) == 0) error = mpfr_get_exp(quarters) + 2 - precision;
      mpfr_set_ui(four, 4, MPFR_RNDN);
      mpfr_fmod(quarters, quarters, four, MPFR_RNDN);
      mpfr_mul_2ui(eighths, quarters, 1, MPFR_RNDN);
      if ((is_exact && mpfr_integer_p(quarters) != 0) || position == 0.0) {
        const long k = (mpfr_get_si(quarters, MPFR_RNDN) + 4) % 4;
        mpfr_set_si(turn.cosine, k % 2 == 0 ? 1 - k : 0, MPFR_RNDN);
        mpfr_set_si(turn.sine, k % 2 == 0 ? 0 : 2 - k, MPFR_RNDN);
        turn.is_exact = true;
        return turn;
      }
      turn.is_eighth = is_exact && mpfr_integer_p(eighths) != 0;
      mpfr_const_pi(pi, MPFR_RNDN);
      mpfr_mul(phase, quarters, pi, MPFR_RNDN);
      mpfr_div_2ui(phase, phase, 1, MPFR_RNDN);
      error = std::max<mpfr_exp_t>(error, mpfr_get_exp(phase) - (bits + 38)) + 1;
    } else {
      is_exact = mpfr_mul_d(phase, w.value, position, MPFR_RNDN) == 0 && is_exact;
      if (mpfr_zero_p(phase) != 0) {
        mpfr_set_ui(turn.cosine, 1, MPFR_RNDN);
        mpfr_set_zero(turn.sine, 1);
        turn.is_exact = true;
        return turn;
      }
      if (!is_exact) error = mpfr_get_exp(phase) + 2 - std::min(bits + 40, precision);
    }
    mpfr_sin_cos(turn.sine, turn.cosine, phase, MPFR_RNDN);
    const mpfr_exp_t slope = std::min<mpfr_exp_t>(mpfr_get_exp(phase), 0) + 1;  // of the cosine
    turn.sine_error = std::max(error, mpfr_get_exp(turn.sine) - bits) + 1;
    turn.cosine_error = std::max(error + slope, mpfr_get_exp(turn.cosine) - bits) + 1;
    return turn;
  }

  // To the most bits.
  const Turn& WideTurn(std::size_t pair, double position) const {
    std::unique_ptr<Turn>& turn = wide_turns_[{pair, position}];
    if (turn == nullptr) turn = std::make_unique<Turn>(At(pair, position, kMostTurnBits));
    return *turn;
  }

 private:
  // Where a pair's frequency comes from: base^(-numerator / denominator) of an axis.
  struct Place {
    std::size_t axis = 0;
    double numerator = 0.0, denominator = 1.0;
  };
  struct Frequency {
    Number value{MPFR_PREC_MIN};
    bool is_exact = false;
  };

  // axis_order in its own words.
  Place PlaceOf(std::size_t i, std::size_t r) const {
    Place place;
    std::size_t j = i;
    const std::size_t* sections = spec_.sections;
    place.numerator = 2.0 * static_cast<double>(i);
    place.denominator = spec_.exponent_dim != 0.0 ? spec_.exponent_dim : static_cast<double>(r);
    if (spec_.axes == 1) return place;
    switch (spec_.axis_order) {
      case POSENC_INTERLEAVED_AXES:
        place.axis = i < spec_.axes * sections[i % spec_.axes] ? i % spec_.axes : 0;
        break;
      case POSENC_IMROPE_AXES: {
        const std::size_t last = spec_.axes - 1;
        place.axis = i < last * sections[i % last] ? i % last : last;
        break;
      }
      case POSENC_ALTERNATING_AXES:
        place.axis = i < (spec_.axes - 1) * sections[1] ? 1 + i % (spec_.axes - 1) : 0;
        break;
      default:
        for (; j >= sections[place.axis]; ++place.axis) j -= sections[place.axis];
        if (spec_.axis_order == POSENC_SPLIT_AXES) {
          place.numerator = 2.0 * static_cast<double>(place.axis + j * spec_.axes);
        } else if (spec_.axis_order == POSENC_AXIAL_AXES) {
          place.numerator = static_cast<double>(j);
          place.denominator = static_cast<double>(sections[place.axis]);
        }
    }
    return place;
  }

  Frequency FrequencyOf(std::size_t pair, int precision) const {
    Frequency w;
    Number exponent(precision + 64), base(53);
    w.value = Number(precision + 64);
    mpfr_set_d(exponent, -places_[pair].numerator, MPFR_RNDN);
    w.is_exact = mpfr_div_d(exponent, exponent, places_[pair].denominator, MPFR_RNDN) == 0;
    mpfr_set_d(base, spec_.base, MPFR_RNDN);
    w.is_exact = mpfr_pow(w.value, base, exponent, MPFR_RNDN) == 0 && w.is_exact;
    if (spec_.frequencies != nullptr)
      w.is_exact = mpfr_set_d(w.value, spec_.frequencies[pair], MPFR_RNDN) == 0;
    w.is_exact = mpfr_mul_d(w.value, w.value, spec_.position_scale, MPFR_RNDN) == 0 && w.is_exact;
    return w;
  }

  const Frequency& WideFrequency(std::size_t pair, int precision) const {
    if (wide_frequencies_[pair] == nullptr) {
      wide_frequencies_[pair] = std::make_unique<Frequency>(FrequencyOf(pair, precision));
    }
    return *wide_frequencies_[pair];
  }

  posenc_rotary_spec spec_;
  std::vector<Place> places_;
  std::vector<Frequency> frequencies_;
  // What was needed: for one thread.
  mutable std::vector<std::unique_ptr<Frequency>> wide_frequencies_;
  mutable std::map<std::pair<std::size_t, double>, std::unique_ptr<Turn>> wide_turns_;
};

// What a turn is multiplied by.
struct RotaryGain {
  double amplitude = 1.0, scale = 1.0;
  bool inverse = false;
};

template <class T>
struct Rotated {
  T x, y;
};

// A pair at a position, turned back or not, times amplitude * scale.
class GainedTurn {
 public:
  GainedTurn(const RotaryOracle& oracle, std::size_t pair, double position, const RotaryGain& gain,
             const Turn& turn, int bits = kTurnBits)
      : oracle_(oracle),
        pair_(pair),
        position_(position),
        gain_(gain),
        bits_(bits),
        cosine_(bits),
        sine_(bits),
        is_exact_(turn.is_exact),
        is_eighth_(turn.is_eighth) {
    Number factor(106);
    mpfr_set_d(factor, gain.amplitude, MPFR_RNDN);
    mpfr_mul_d(factor, factor, gain.scale, MPFR_RNDN);
    Take(turn.cosine, turn.cosine_error, factor, cosine_, &cosine_error_);
    Take(turn.sine, turn.sine_error, factor, sine_, &sine_error_);
    if (gain.inverse && mpfr_zero_p(sine_) == 0) mpfr_neg(sine_, sine_, MPFR_RNDN);
  }

  // As a double, approximately.
  double cosine() const { return mpfr_get_d(cosine_, MPFR_RNDN); }
  double sine() const { return mpfr_get_d(sine_, MPFR_RNDN); }

  // Each element as a real number rounded once, or as IEEE arithmetic has it of NaNs and infinities.
  template <class T>
  Rotated<T> Rotate(T a, T b) const {
    const auto wide_a = static_cast<double>(Value(a)), wide_b = static_cast<double>(Value(b));
    if (!std::isfinite(wide_a) || !std::isfinite(wide_b)) {
      const double c = mpfr_sgn(static_cast<mpfr_srcptr>(cosine_)),
                   s = mpfr_sgn(static_cast<mpfr_srcptr>(sine_));
      return {Nearest<T>(wide_a * c - wide_b * s), Nearest<T>(wide_b * c + wide_a * s)};
    }
    return {Nearest<T>(Element(wide_a, -wide_b)), Nearest<T>(Element(wide_b, wide_a))};
  }

  // The nearest number of the type T: of the cosine, and of the sine.
  template <class T>
  T Cosine() const {
    return Entry<T>(true);
  }
  template <class T>
  T Sine() const {
    return Entry<T>(false);
  }

  // u * cosine + v * sine, a double that rounds to any type of elements as the real number does.
  double Element(double u, double v) const {
    if (u == 0.0 && v == 0.0) return 0.0;
    static thread_local Number first(53), second(53);
    Number sum(is_exact_ ? 600 : bits_);
    mpfr_set_d(first, u, MPFR_RNDN);
    mpfr_set_d(second, v, MPFR_RNDN);
    const int inexact = mpfr_fmma(sum, first, cosine_, second, sine_, MPFR_RNDN);
    if (is_exact_) {
      EXPECT_EQ(inexact, 0);
      return RoundExact(sum);
    }
    const int same_sign =
        mpfr_sgn(static_cast<mpfr_srcptr>(cosine_)) * mpfr_sgn(static_cast<mpfr_srcptr>(sine_));
    if (is_eighth_ && u == -same_sign * v) return 0.0;
    mpfr_exp_t error = mpfr_zero_p(sum) != 0 ? kNoError : mpfr_get_exp(sum) - bits_;
    if (u != 0.0) error = std::max(error, std::ilogb(u) + 1 + cosine_error_);
    if (v != 0.0) error = std::max(error, std::ilogb(v) + 1 + sine_error_);
    double rounded = 0.0;
    if (RoundToOdd(sum, error + 2, &rounded)) return rounded;
    return WithMoreBits<double>([&](const GainedTurn& wider) { return wider.Element(u, v); });
  }

 private:
  static void Take(mpfr_srcptr value, mpfr_exp_t value_error, const Number& factor, Number& product,
                   mpfr_exp_t* error) {
    mpfr_mul(product, value, factor, MPFR_RNDN);
    if (mpfr_zero_p(product) != 0) return;
    *error = std::max(value_error + mpfr_get_exp(factor), mpfr_get_exp(product) - mpfr_get_prec(product)) + 1;
  }

  template <class T>
  T Entry(bool is_cosine) const {
    const Number& value = is_cosine ? cosine_ : sine_;
    if (is_exact_) {
      if (mpfr_zero_p(value) != 0) return Nearest<T>(0.0);
      return Nearest<T>(sizeof(T) == 8 ? mpfr_get_d(value, MPFR_RNDN) : RoundExact(value));
    }
    // No number of 60 digits lies in between: none that rounding depends on.
    const mpfr_exp_t error = is_cosine ? cosine_error_ : sine_error_;
    if (mpfr_can_round(value, mpfr_get_exp(value) - error, MPFR_RNDN, MPFR_RNDZ, 60) != 0) {
      double odd = 0.0;
      if (sizeof(T) == 8) return Nearest<T>(mpfr_get_d(value, MPFR_RNDN));
      if (RoundToOdd(value, error, &odd)) return Nearest<T>(odd);
    }
    return WithMoreBits<T>([&](const GainedTurn& wider) { return wider.template Entry<T>(is_cosine); });
  }

  template <class Result, class Visit>
  Result WithMoreBits(const Visit& visit) const {
    if (bits_ >= kMostTurnBits) {
      ADD_FAILURE() << "the oracle cannot round pair " << pair_ << " at " << position_;
      return {};
    }
    if (wider_ == nullptr) {
      wider_ = std::make_unique<GainedTurn>(oracle_, pair_, position_, gain_,
                                            oracle_.WideTurn(pair_, position_), kMostTurnBits);
    }
    return visit(*wider_);
  }

  const RotaryOracle& oracle_;
  std::size_t pair_;
  double position_;
  RotaryGain gain_;
  int bits_;
  Number cosine_, sine_;
  mpfr_exp_t cosine_error_ = kNoError, sine_error_ = kNoError;
  bool is_exact_, is_eighth_;
  mutable std::unique_ptr<GainedTurn> wider_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_ROTARY_ORACLE_H_
