#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "posenc/accuracy.h"

namespace posenc {
namespace oracle {
namespace {

constexpr int kFloatBits = std::numeric_limits<float>::digits;
constexpr int kFrequencyBits = 512;  // of the frequencies that are kept; more are computed when needed
constexpr int kDirectBits = 256;     // of the first attempt
constexpr int kRotationBits = 192;   // of a running rotation
constexpr std::size_t kAnchorRows = 4096;

// A rotation commits at most 2^(3 - kRotationBits), and there are kAnchorRows between two anchors.
constexpr mpfr_exp_t kRotationError = 3 + 12 - kRotationBits;

// MPFR's caches (pi, ln 2) belong to a thread; this returns them when the thread ends.
struct ThreadCache {
  ~ThreadCache() { mpfr_free_cache(); }
};
void OwnThreadCache() {
  thread_local const ThreadCache cache;
  static_cast<void>(cache);
}

// Below the least number: its half, which no exact value equals, decides; and the sign must be certain.
bool RoundTiny(Format format, const Number& v, mpfr_exp_t error, float* out) {
  if (mpfr_get_exp(v) < error + 2) return false;
  const int least = LeastExponent(format);
  Number above(mpfr_get_prec(v)), half(MPFR_PREC_MIN);
  mpfr_set_ui_2exp(half, 1, least - 1, MPFR_RNDN);
  mpfr_abs(above, v, MPFR_RNDN);
  mpfr_sub(above, above, half, MPFR_RNDN);
  if (mpfr_zero_p(above) || mpfr_get_exp(above) < error + 2) return false;
  *out = std::copysign(mpfr_sgn(above) > 0 ? std::ldexp(1.0f, least) : 0.0f,
                       static_cast<float>(mpfr_sgn(static_cast<mpfr_srcptr>(v))));
  return true;
}

// Rounds v, which differs from the real number by at most 2^error, if that decides the rounding.
bool Round(Format format, const Number& v, mpfr_exp_t error, float* out) {
  if (mpfr_zero_p(v)) return false;
  const mpfr_exp_t exponent = mpfr_get_exp(v);
  const mpfr_exp_t bits = std::min<mpfr_exp_t>(Digits(format), exponent - LeastExponent(format));
  if (bits < 1) return RoundTiny(format, v, error, out);
  if (!mpfr_can_round(v, exponent - error, MPFR_RNDN, MPFR_RNDN, bits)) return false;
  if (format == Format::kFloat32) {
    *out = mpfr_get_flt(v, MPFR_RNDN);
    return true;
  }
  Number rounded(bits);
  mpfr_set(rounded, v, MPFR_RNDN);
  *out = mpfr_get_flt(rounded, MPFR_RNDN);
  return true;
}

double UlpErrorOf(Format format, double error, double exact) {
  if (format == Format::kFloat32) return UlpError(error, exact);
  return std::ldexp(std::fabs(error), -SpacingExponent(format, exact));
}

void RoundToF32(Number* v) { mpfr_prec_round(*v, kFloatBits, MPFR_RNDN); }

}  // namespace

Entry EntryAt(Layout layout, std::size_t dim, std::size_t column) {
  const std::size_t cosines = dim / 2;
  const std::size_t sines = dim - cosines;
  switch (layout) {
    case Layout::kInterleaved:
      return {column % 2 == 0, column / 2};
    case Layout::kSinCos:
      return column < sines ? Entry{true, column} : Entry{false, column - sines};
    case Layout::kCosSin:
      break;
  }
  return column < cosines ? Entry{false, column} : Entry{true, column - cosines};
}

void PlaceRow(Layout layout, std::size_t dim, const float* sines, const float* cosines, float* row) {
  for (std::size_t column = 0; column < dim; ++column) {
    const Entry entry = EntryAt(layout, dim, column);
    row[column] = (entry.sine ? sines : cosines)[entry.pair];
  }
}

// Approximations of a sine and a cosine, off by at most 2^sine_error and 2^cosine_error. A phase of
// exactly 0 has the exact values 0 and 1.
struct Oracle::Pair {
  Number sine, cosine;
  bool exact;
  mpfr_exp_t sine_error, cosine_error;

  bool RoundBoth(Format format, float* s, float* c) const {
    if (exact) {
      *s = 0.0f;
      *c = 1.0f;
      return true;
    }
    return Round(format, sine, sine_error, s) && Round(format, cosine, cosine_error, c);
  }
};

// The largest error seen. Values are rounded to double first: that is monotonic and midpoints of all formats
// are doubles, so that no error of at most half a unit comes out larger.
class Oracle::Ulps {
 public:
  explicit Ulps(Format format) : format_(format) {}

  void See(float rounded, const Number& value) {
    const double exact = mpfr_get_d(value, MPFR_RNDN);
    largest_ = std::max(largest_, UlpErrorOf(format_, static_cast<double>(rounded) - exact, exact));
  }
  double largest() const { return largest_; }

 private:
  const Format format_;
  double largest_ = 0.0;
};

Oracle::Oracle(const Spec& spec, Format format) : spec_(spec), format_(format) {
  OwnThreadCache();
  const double exponent_dim = spec.exponent_dim.value_or(static_cast<double>(spec.dim));
  factors_.reserve(sines());
  for (std::size_t i = 0; i < sines(); ++i) {
    if (spec.recipe == Recipe::kExact) {
      factors_.push_back(Frequency(i, kFrequencyBits));
      continue;
    }
    Number exponent(kFloatBits), denominator(kFloatBits), base(53), divisor(kFloatBits);
    mpfr_set_d(denominator, exponent_dim, MPFR_RNDN);
    mpfr_ui_div(exponent, 2 * static_cast<unsigned long>(i), denominator, MPFR_RNDN);
    mpfr_set_d(base, spec.base, MPFR_RNDN);
    mpfr_pow(divisor, base, exponent, MPFR_RNDN);
    factors_.push_back(std::move(divisor));
  }
}

Oracle::~Oracle() = default;

// position_scale * base^(-2i / exponent_dim), relative error below 2^-bits. 64 bits cover the three
// roundings and the exponent, which is below 2^12 wherever the frequency is in range.
Number Oracle::Frequency(std::size_t pair, int bits) const {
  Number exponent(bits + 64), base(53), frequency(bits + 64);
  mpfr_set_d(exponent, -2.0 * static_cast<double>(pair), MPFR_RNDN);
  mpfr_div_d(exponent, exponent, spec_.exponent_dim.value_or(static_cast<double>(spec_.dim)), MPFR_RNDN);
  mpfr_set_d(base, spec_.base, MPFR_RNDN);
  mpfr_pow(frequency, base, exponent, MPFR_RNDN);
  mpfr_mul_d(frequency, frequency, spec_.position_scale, MPFR_RNDN);
  return frequency;
}

// The angle in radians, relative error below 2^(2 - bits); exact for Recipe::kF32PowDiv.
Number Oracle::Phase(std::size_t pair, std::int64_t position, int bits) const {
  const auto p = static_cast<double>(position);
  if (spec_.recipe == Recipe::kF32PowDiv) {
    Number phase(53);
    mpfr_set_d(phase, p, MPFR_RNDN);
    RoundToF32(&phase);
    mpfr_div(phase, phase, factors_[pair], MPFR_RNDN);
    return phase;
  }
  Number phase(bits);
  if (bits <= kFrequencyBits) {
    mpfr_mul_d(phase, factors_[pair], p, MPFR_RNDN);
  } else {
    mpfr_mul_d(phase, Frequency(pair, bits), p, MPFR_RNDN);
  }
  return phase;
}

// The errors: |phase| * 2^(2 - bits) from the phase, and half a unit of the result, which is at most as
// large as |phase| (sine) or 1 (cosine).
Oracle::Pair Oracle::Evaluate(std::size_t pair, std::int64_t position, int bits) const {
  Pair result{Number(bits), Number(bits), false, 0, 0};
  const Number phase = Phase(pair, position, bits);
  mpfr_sin_cos(result.sine, result.cosine, phase, MPFR_RNDN);
  result.exact = mpfr_zero_p(phase) != 0;
  if (result.exact) {
    mpfr_set_zero(result.sine, 1);
  } else {
    result.sine_error = mpfr_get_exp(phase) + 3 - bits;
    result.cosine_error = std::max<mpfr_exp_t>(mpfr_get_exp(phase), 1) + 3 - bits;
  }
  return result;
}

// Ends, because the sine and cosine of an algebraic number other than 0 are transcendental: never a tie.
Oracle::Pair Oracle::EvaluateAndRound(std::size_t pair, std::int64_t position, float* sine,
                                      float* cosine) const {
  for (int bits = kDirectBits;; bits *= 2) {
    Pair result = Evaluate(pair, position, bits);
    if (result.RoundBoth(format_, sine, cosine)) return result;
  }
}

template <class Put>
void Oracle::Direct(std::size_t pair, std::int64_t first_position, std::size_t rows, const Put& put) const {
  float sine, cosine;
  for (std::size_t r = 0; r < rows; ++r) {
    const Pair exact = EvaluateAndRound(pair, first_position + static_cast<std::int64_t>(r), &sine, &cosine);
    put(r, sine, cosine, exact.sine, exact.cosine);
  }
}

// e^(i w (p + 1)) = e^(i w p) e^(i w), evaluated anew every kAnchorRows, and wherever the rotation's error
// leaves the rounding open.
template <class Put>
void Oracle::Rotate(std::size_t pair, std::int64_t first_position, std::size_t rows, const Put& put) const {
  Number s(kRotationBits), c(kRotationBits), step_s(kRotationBits), step_c(kRotationBits);
  Number ss(kRotationBits), cc(kRotationBits), sc(kRotationBits), cs(kRotationBits);
  mpfr_sin_cos(step_s, step_c, factors_[pair], MPFR_RNDN);
  float sine, cosine;
  for (std::size_t r = 0; r < rows; ++r) {
    if (r % kAnchorRows != 0) {
      mpfr_mul(ss, s, step_s, MPFR_RNDN);
      mpfr_mul(cc, c, step_c, MPFR_RNDN);
      mpfr_mul(sc, s, step_c, MPFR_RNDN);
      mpfr_mul(cs, c, step_s, MPFR_RNDN);
      mpfr_sub(c, cc, ss, MPFR_RNDN);
      mpfr_add(s, sc, cs, MPFR_RNDN);
      if (Round(format_, s, kRotationError, &sine) && Round(format_, c, kRotationError, &cosine)) {
        put(r, sine, cosine, s, c);
        continue;
      }
    }
    const Pair exact = EvaluateAndRound(pair, first_position + static_cast<std::int64_t>(r), &sine, &cosine);
    put(r, sine, cosine, exact.sine, exact.cosine);
    mpfr_set(s, exact.sine, MPFR_RNDN);
    mpfr_set(c, exact.cosine, MPFR_RNDN);
  }
}

double Oracle::Range(std::int64_t first_position, std::size_t rows, float* sines, float* cosines) const {
  OwnThreadCache();
  Ulps ulps(format_);
  const std::size_t sine_count = this->sines();
  const std::size_t cosine_count = this->cosines();
  for (std::size_t i = 0; i < sine_count; ++i) {
    const auto put = [&](std::size_t r, float sine, float cosine, const Number& s, const Number& c) {
      sines[r * sine_count + i] = sine;
      ulps.See(sine, s);
      if (i == cosine_count) return;  // an odd dim has one cosine less
      cosines[r * cosine_count + i] = cosine;
      ulps.See(cosine, c);
    };
    if (rows == 1 || spec_.recipe != Recipe::kExact) {
      Direct(i, first_position, rows, put);
    } else {
      Rotate(i, first_position, rows, put);
    }
  }
  return ulps.largest();
}

double Oracle::Table(std::int64_t first_position, std::size_t rows, float* out,
                     std::size_t row_stride) const {
  std::vector<float> all_sines(rows * sines()), all_cosines(rows * cosines());
  const double ulp = Range(first_position, rows, all_sines.data(), all_cosines.data());
  for (std::size_t r = 0; r < rows; ++r) {
    PlaceRow(spec_.layout, spec_.dim, all_sines.data() + r * sines(), all_cosines.data() + r * cosines(),
             out + r * row_stride);
  }
  return ulp;
}

Number Oracle::ExactEntry(std::int64_t position, std::size_t column) const {
  OwnThreadCache();
  const Entry entry = EntryAt(spec_.layout, spec_.dim, column);
  float sine, cosine;
  Pair exact = EvaluateAndRound(entry.pair, position, &sine, &cosine);
  return std::move(entry.sine ? exact.sine : exact.cosine);
}

double Oracle::Ulp(float got, std::int64_t position, std::size_t column) const {
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  const Number exact = ExactEntry(position, column);
  Number error(mpfr_get_prec(exact));
  mpfr_d_sub(error, static_cast<double>(got), exact, MPFR_RNDN);
  // Rounding the exact value down keeps its exponent.
  return UlpErrorOf(format_, mpfr_get_d(error, MPFR_RNDN), mpfr_get_d(exact, MPFR_RNDZ));
}

std::string Oracle::Exact(std::int64_t position, std::size_t column, int digits) const {
  const Number exact = ExactEntry(position, column);
  char* text = nullptr;
  if (mpfr_asprintf(&text, "%.*Re", digits - 1, static_cast<mpfr_srcptr>(exact)) < 0) return "?";
  std::string result(text);
  mpfr_free_str(text);
  return result;
}

}  // namespace oracle
}  // namespace posenc
