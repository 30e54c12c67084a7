#include "number/exact.h"

#include "oracle/rotary_oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/format.h"
#include "oracle/rounding.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace oracle {
namespace {

constexpr int kPhaseBits = 192;  // phases have this many more bits than a level; they go up to 2^63
constexpr int kTurnBits = 32;    // sines and cosines have this many more bits than a level
constexpr int kExactBits = 256;  // exact for an element and a factor (24 bits), amplitude and scale (53 bits)
constexpr mpfr_exp_t kNone = -(1 << 28);  // means no error; the sum of three still fits 32 bits

mpfr_exp_t ExponentOf(mpfr_srcptr x) { return mpfr_zero_p(x) != 0 ? kNone : mpfr_get_exp(x); }

// Each thread has MPFR's caches (pi, ln 2) of its own. This frees them when the thread ends.
struct ThreadCache {
  ~ThreadCache() { mpfr_free_cache(); }
};

}  // namespace

RotaryOracle::RotaryOracle(const posenc_rotary_spec& spec)
    : spec_(spec), formula_(spec), amplitude_(formula_.Amplitude()) {
  thread_local const ThreadCache cache;
  static_cast<void>(cache);
  for (std::size_t level = 0; level < kLevels; ++level) {
    frequencies_[level].resize(pairs());
    work_.emplace_back(kBits[level]);
  }
}

const Real& RotaryOracle::Frequency(std::size_t pair, std::size_t level) {
  std::unique_ptr<Real>& kept = frequencies_[level][pair];
  if (kept == nullptr) kept = std::make_unique<Real>(formula_.Frequency(pair, kBits[level] + kPhaseBits));
  return *kept;
}

Angle::Angle(RotaryOracle* oracle, std::size_t pair, double position, const Gain& gain)
    : oracle_(oracle), pair_(pair), position_(position), gain_(gain) {}

const Angle::Level& Angle::At(std::size_t level) {
  while (levels_.size() <= level) levels_.push_back(Make(levels_.size()));
  return levels_[level];
}

// The angle in radians, with an error of at most 2^*error. If the angle is a whole number of quarter turns,
// *quarters is this number modulo 4; otherwise it is -1.
Real Angle::Phase(std::size_t level, mpfr_exp_t* error, int* quarters) const {
  const int bits = RotaryOracle::kBits[level] + kPhaseBits;
  const posenc_rotary_spec& spec = oracle_->spec_;
  *quarters = -1;
  *error = kNone;
  if (spec.phase_rounding != POSENC_NO_PHASE_ROUNDING) {
    Real phase(static_cast<double>(oracle_->formula_.RoundedPhase(pair_, position_)), 53);
    if (phase.is_zero()) *quarters = 0;
    return phase;
  }
  Real phase = oracle_->Frequency(pair_, level) * position_;
  if (!phase.exact() && !phase.is_zero()) *error = ExponentOf(phase.get()) + 2 - bits;
  if (phase.is_zero()) *quarters = 0;
  const posenc_unit unit = oracle_->formula_.unit();
  if (unit == POSENC_RADIANS || phase.is_zero()) return phase;
  const bool is_exact = phase.exact();
  const double per_step = unit == POSENC_TURNS ? 4.0 : 2.0;
  Real turned = (phase * per_step).Modulo(4.0);
  if (is_exact && mpfr_integer_p(turned.get()) != 0) {
    *quarters = static_cast<int>((mpfr_get_si(turned.get(), MPFR_RNDN) + 4) % 4);
    return turned;
  }
  phase = turned * Real::Pi(bits) / 2.0;
  *error = std::max(*error + 4, ExponentOf(phase.get()) + 3 - bits);
  return phase;
}

Angle::Level Angle::Make(std::size_t level) const {
  const int bits = RotaryOracle::kBits[level];
  Level made(bits);
  Number gain(2 * 53 + 24);  // exact
  mpfr_set_d(gain, gain_.amplitude != 0.0 ? gain_.amplitude : oracle_->amplitude_, MPFR_RNDN);
  mpfr_mul_d(gain, gain, gain_.scale, MPFR_RNDN);
  mpfr_mul_d(gain, gain, static_cast<double>(gain_.factor), MPFR_RNDN);
  mpfr_exp_t error;
  int quarters;
  const Real phase = Phase(level, &error, &quarters);
  if (quarters >= 0) {
    made.exact = true;
    mpfr_mul_si(made.cosine, gain, quarters % 2 == 0 ? 1 - quarters : 0, MPFR_RNDN);
    mpfr_mul_si(made.sine, gain, quarters % 2 == 0 ? 0 : 2 - quarters, MPFR_RNDN);
  } else {
    Number sine(bits + kTurnBits), cosine(bits + kTurnBits);
    mpfr_sin_cos(sine, cosine, phase.get(), MPFR_RNDN);
    const auto take = [&](const Number& from, Number* to, mpfr_exp_t* to_error) {
      const mpfr_exp_t own = std::max(error, ExponentOf(from) - (bits + kTurnBits)) + 1;
      mpfr_mul(*to, from, gain, MPFR_RNDN);
      *to_error = std::max(own + ExponentOf(gain), ExponentOf(*to) - bits) + 1;
    };
    take(sine, &made.sine, &made.sine_error);
    take(cosine, &made.cosine, &made.cosine_error);
  }
  if (gain_.inverse) mpfr_neg(made.sine, made.sine, MPFR_RNDN);
  return made;
}

// Rounds v if its error is small enough to be certain. At the last level, a number that is still not certain
// is a tie or 0.
bool Angle::Decide(std::size_t level, posenc_type type, const Number& v, mpfr_exp_t error,
                   Rounding* out) const {
  if (Round(type, v, error, out)) return true;
  if (level + 1 < RotaryOracle::kLevels) return false;
  if (ExponentOf(v) < error + 2) {
    *out = {};
    return true;
  }
  Number tie(RotaryOracle::kBits[level] / 2);
  mpfr_set(tie, v, MPFR_RNDN);
  RoundExact(type, tie, out);
  return true;
}

// Computes x = a cosine - b sine or y = b cosine + a sine, for a and b in the workspace, and rounds it.
bool Angle::Combine(std::size_t level, posenc_type type, bool is_y, Rounding* out) {
  const Level& angle = At(level);
  RotaryOracle::Workspace& work = oracle_->work_[level];
  const Number& u = is_y ? work.b : work.a;
  const Number& w = is_y ? work.a : work.b;
  const auto add = [&](Number* v, Number* p, Number* q) {
    mpfr_mul(*p, u, angle.cosine, MPFR_RNDN);
    mpfr_mul(*q, w, angle.sine, MPFR_RNDN);
    is_y ? mpfr_add(*v, *p, *q, MPFR_RNDN) : mpfr_sub(*v, *p, *q, MPFR_RNDN);
  };
  if (angle.exact) {
    Number v(kExactBits), p(kExactBits), q(kExactBits);
    add(&v, &p, &q);
    RoundExact(type, v, out);
    return true;
  }
  add(&work.v, &work.p, &work.q);
  const int bits = RotaryOracle::kBits[level];
  const mpfr_exp_t of_terms = std::max(ExponentOf(u) + angle.cosine_error, ExponentOf(w) + angle.sine_error);
  const mpfr_exp_t of_products = std::max(ExponentOf(work.p), ExponentOf(work.q)) + 1 - bits;
  return Decide(level, type, work.v, std::max(of_terms, of_products) + 3, out);
}

void Angle::Rotate(posenc_type type, double a, double b, Rounding* x, Rounding* y) {
  *x = *y = {};
  if (a == 0.0 && b == 0.0) return;
  if (!std::isfinite(a) || !std::isfinite(b)) {
    const double c = Sign(false), s = Sign(true);
    x->bits = Pack(type, a * c - b * s);
    y->bits = Pack(type, b * c + a * s);
    return;
  }
  bool has_x = false, has_y = false;
  for (std::size_t level = 0; !has_x || !has_y; ++level) {
    RotaryOracle::Workspace& work = oracle_->work_[level];
    mpfr_set_d(work.a, a, MPFR_RNDN);
    mpfr_set_d(work.b, b, MPFR_RNDN);
    if (!has_x) has_x = Combine(level, type, false, x);
    if (!has_y) has_y = Combine(level, type, true, y);
  }
}

void Angle::RoundBoth(posenc_type type, Rounding* cosine, Rounding* sine) {
  const auto round = [&](bool is_sine, Rounding* out) {
    for (std::size_t level = 0;; ++level) {
      const Level& angle = At(level);
      const Number& v = is_sine ? angle.sine : angle.cosine;
      if (angle.exact) return RoundExact(type, v, out);
      if (Decide(level, type, v, is_sine ? angle.sine_error : angle.cosine_error, out)) return;
    }
  };
  round(false, cosine);
  round(true, sine);
}

int Angle::Sign(bool is_sine) {
  for (std::size_t level = 0;; ++level) {
    const Level& angle = At(level);
    const Number& v = is_sine ? angle.sine : angle.cosine;
    const bool is_known =
        angle.exact || ExponentOf(v) > (is_sine ? angle.sine_error : angle.cosine_error) + 1;
    if (is_known || level + 1 == RotaryOracle::kLevels)
      return is_known ? mpfr_sgn(static_cast<mpfr_srcptr>(v)) : 0;
  }
}

Number Angle::Sum(double u, double v) {
  const Level& angle = At(1);
  Number sum(RotaryOracle::kBits[1]), first(53), second(53);
  mpfr_set_d(first, u, MPFR_RNDN);
  mpfr_set_d(second, v, MPFR_RNDN);
  mpfr_fmma(sum, first, angle.cosine, second, angle.sine, MPFR_RNDN);
  return sum;
}

std::string Angle::Exact(double u, double v, int digits) {
  if (!std::isfinite(u) || !std::isfinite(v)) return "of no finite numbers";
  const Number exact = Sum(u, v);
  char* text = nullptr;
  if (mpfr_asprintf(&text, "%.*Re", digits - 1, static_cast<mpfr_srcptr>(exact)) < 0) return "?";
  std::string result(text);
  mpfr_free_str(text);
  return result;
}

double Angle::Ulp(posenc_type type, double got, double u, double v) {
  if (!std::isfinite(got) || !std::isfinite(u) || !std::isfinite(v)) {
    return std::numeric_limits<double>::infinity();
  }
  const Number exact = Sum(u, v);
  Number error(mpfr_get_prec(exact));
  mpfr_d_sub(error, got, exact, MPFR_RNDN);
  return UlpError(type, mpfr_get_d(error, MPFR_RNDN), mpfr_get_d(exact, MPFR_RNDZ));
}

}  // namespace oracle
}  // namespace posenc
