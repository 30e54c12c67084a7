#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "posenc/accuracy.h"
#include "rounding.h"

namespace posenc {
namespace oracle {
namespace {

constexpr int kFloatBits = std::numeric_limits<float>::digits;
constexpr int kFrequencyBits = 512;  // of the frequencies that are kept; more are computed when needed
constexpr int kDirectBits = 256;     // of the first attempt
constexpr int kRotationBits = 256;   // of a running rotation
constexpr int kAnchorBits = 384;     // phases below 2^62 lose as many bits of the anchor
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

double UlpErrorOf(Format format, double error, double exact) {
  if (format == Format::kFloat32) return UlpError(error, exact);
  return std::ldexp(std::fabs(error), -SpacingExponent(format, exact));
}

// The nearest double to a number within 2^error of v; false if that leaves it open.
bool RoundToDouble(const Number& v, mpfr_exp_t error, double* out) {
  Number bound(MPFR_PREC_MIN), end(mpfr_get_prec(v) + 64);
  mpfr_set_ui_2exp(bound, 1, error, MPFR_RNDN);
  mpfr_sub(end, v, bound, MPFR_RNDD);
  const double low = mpfr_get_d(end, MPFR_RNDN);
  mpfr_add(end, v, bound, MPFR_RNDU);
  *out = mpfr_get_d(end, MPFR_RNDN);
  return low == *out && std::signbit(low) == std::signbit(*out);
}

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

std::size_t ColumnOf(const Entry& entry, Layout layout, std::size_t dim) {
  const std::size_t sines = (dim + 1) / 2, cosines = dim / 2;
  if (layout == Layout::kInterleaved) return 2 * entry.pair + (entry.sine ? 0 : 1);
  const bool second = entry.sine == (layout == Layout::kCosSin);
  return entry.pair + (second ? (entry.sine ? cosines : sines) : 0);
}

void PlaceRow(Layout layout, std::size_t dim, const float* sines, const float* cosines, float* row) {
  for (std::size_t column = 0; column < dim; ++column) {
    const Entry entry = EntryAt(layout, dim, column);
    row[column] = (entry.sine ? sines : cosines)[entry.pair];
  }
}

// Approximations of a sine and a cosine, off by at most 2^sine_error and 2^cosine_error. Those of whole
// quarter turns are exact: 0, 1 or -1.
struct Oracle::Pair {
  Number sine, cosine;
  bool exact;
  mpfr_exp_t sine_error, cosine_error;

  bool RoundBoth(Format format, Rounding* s, Rounding* c) const {
    if (!exact) return Round(format, sine, sine_error, s) && Round(format, cosine, cosine_error, c);
    *s = {Pack(format, mpfr_get_flt(sine, MPFR_RNDN)), 0};
    *c = {Pack(format, mpfr_get_flt(cosine, MPFR_RNDN)), 0};
    return true;
  }
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
  if (spec_.frequencies.count != 0) {
    Number listed(bits + 64), pi(bits + 64);
    mpfr_set_d(listed, Listed(pair), MPFR_RNDN);
    mpfr_mul_d(listed, listed, spec_.position_scale, MPFR_RNDN);
    if (spec_.frequencies.unit == FrequencyUnit::kRadians) return listed;
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul(listed, listed, pi, MPFR_RNDN);
    if (spec_.frequencies.unit == FrequencyUnit::kTurns) mpfr_mul_2ui(listed, listed, 1, MPFR_RNDN);
    return listed;
  }
  Number exponent(bits + 64), base(53), frequency(bits + 64);
  mpfr_set_d(exponent, -2.0 * static_cast<double>(pair), MPFR_RNDN);
  mpfr_div_d(exponent, exponent, spec_.exponent_dim.value_or(static_cast<double>(spec_.dim)), MPFR_RNDN);
  mpfr_set_d(base, spec_.base, MPFR_RNDN);
  mpfr_pow(frequency, base, exponent, MPFR_RNDN);
  mpfr_mul_d(frequency, frequency, spec_.position_scale, MPFR_RNDN);
  return frequency;
}

double Oracle::Listed(std::size_t pair) const {
  const FrequencyList& list = spec_.frequencies;
  return list.doubles != nullptr ? list.doubles[pair] : static_cast<double>(list.floats[pair]);
}

// Of listed frequencies in turns or half turns, modulo 4 and exact: three factors of 53 bits each.
Number Oracle::QuarterTurns(std::size_t pair, double position) const {
  Number turns(3 * 53), four(MPFR_PREC_MIN);
  mpfr_set_d(turns, Listed(pair), MPFR_RNDN);
  mpfr_mul_d(turns, turns, spec_.position_scale, MPFR_RNDN);
  mpfr_mul_d(turns, turns, position, MPFR_RNDN);
  mpfr_mul_2ui(turns, turns, spec_.frequencies.unit == FrequencyUnit::kTurns ? 2 : 1, MPFR_RNDN);
  mpfr_set_ui(four, 4, MPFR_RNDN);
  mpfr_fmod(turns, turns, four, MPFR_RNDN);
  return turns;
}

// The angle in radians, relative error below 2^(2 - bits); exact for Recipe::kF32PowDiv.
Number Oracle::Phase(std::size_t pair, double position, int bits) const {
  if (spec_.recipe == Recipe::kF32PowDiv) {
    Number phase(
        kDirectBits);  // a quotient of floats that is no number of so many bits is no midpoint either
    mpfr_set_flt(phase, static_cast<float>(position), MPFR_RNDN);
    mpfr_div(phase, phase, factors_[pair], MPFR_RNDN);
    mpfr_set_flt(phase, mpfr_get_flt(phase, MPFR_RNDN), MPFR_RNDN);
    return phase;
  }
  Number phase(bits);
  if (bits <= kFrequencyBits) {
    mpfr_mul_d(phase, factors_[pair], position, MPFR_RNDN);
  } else {
    mpfr_mul_d(phase, Frequency(pair, bits), position, MPFR_RNDN);
  }
  return phase;
}

// The errors: |phase| * 2^(2 - bits) from the phase, and half a unit of the result, which is at most as
// large as |phase| (sine) or 1 (cosine).
Oracle::Pair Oracle::Evaluate(std::size_t pair, double position, int bits) const {
  Pair result{Number(bits), Number(bits), false, 0, 0};
  Number phase(bits);
  if (spec_.frequencies.count != 0 && spec_.frequencies.unit != FrequencyUnit::kRadians) {
    const Number turns = QuarterTurns(pair, position);
    if (mpfr_integer_p(turns) != 0) {
      const long quarters = (mpfr_get_si(turns, MPFR_RNDN) + 4) % 4;
      result.exact = true;
      mpfr_set_si(result.sine, quarters % 2 == 0 ? 0 : 2 - quarters, MPFR_RNDN);
      mpfr_set_si(result.cosine, quarters % 2 == 0 ? 1 - quarters : 0, MPFR_RNDN);
      return result;
    }
    mpfr_const_pi(phase, MPFR_RNDN);
    mpfr_mul(phase, phase, turns, MPFR_RNDN);
    mpfr_div_2ui(phase, phase, 1, MPFR_RNDN);
  } else {
    phase = Phase(pair, position, bits);
  }
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
void Oracle::EvaluateAndRound(Format format, std::size_t pair, double position, Rounding* sine,
                              Rounding* cosine) const {
  for (int bits = kDirectBits;; bits *= 2) {
    if (Evaluate(pair, position, bits).RoundBoth(format, sine, cosine)) return;
  }
}

// e^(i w (p + 1)) = e^(i w p) e^(i w), evaluated anew every kAnchorRows.
template <class Visit>
void Oracle::Rotate(std::size_t pair, std::int64_t first_position, std::size_t rows,
                    const Visit& visit) const {
  Number step_s(kRotationBits), step_c(kRotationBits);
  Number ss(kRotationBits), cc(kRotationBits), sc(kRotationBits), cs(kRotationBits);
  mpfr_sin_cos(step_s, step_c, factors_[pair], MPFR_RNDN);
  Pair at{Number(kRotationBits), Number(kRotationBits), false, kRotationError, kRotationError};
  for (std::size_t r = 0; r < rows; ++r) {
    const auto position = static_cast<double>(first_position + static_cast<std::int64_t>(r));
    if (r % kAnchorRows == 0 || at.exact) {
      const Pair anchor = Evaluate(pair, position, kAnchorBits);
      mpfr_set(at.sine, anchor.sine, MPFR_RNDN);
      mpfr_set(at.cosine, anchor.cosine, MPFR_RNDN);
    } else {
      mpfr_mul(ss, at.sine, step_s, MPFR_RNDN);
      mpfr_mul(cc, at.cosine, step_c, MPFR_RNDN);
      mpfr_mul(sc, at.sine, step_c, MPFR_RNDN);
      mpfr_mul(cs, at.cosine, step_s, MPFR_RNDN);
      mpfr_sub(at.cosine, cc, ss, MPFR_RNDN);
      mpfr_add(at.sine, sc, cs, MPFR_RNDN);
    }
    at.exact = mpfr_zero_p(factors_[pair]) != 0 || position == 0.0;
    if (at.exact) {
      mpfr_set_zero(at.sine, 1);
      mpfr_set_ui(at.cosine, 1, MPFR_RNDN);
    }
    visit(r, at);
  }
}

// Calls visit(row, pair, approximation) for all.
template <class Visit>
void Oracle::ForEachPair(std::int64_t first_position, std::size_t rows, const Visit& visit) const {
  OwnThreadCache();
  for (std::size_t i = 0; i < sines(); ++i) {
    const auto visit_row = [&](std::size_t r, const Pair& pair) { visit(r, i, pair); };
    if (rows > 1 && spec_.recipe == Recipe::kExact) {
      Rotate(i, first_position, rows, visit_row);
      continue;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int64_t position = first_position + static_cast<std::int64_t>(r);
      visit_row(r, Evaluate(i, static_cast<double>(position), kDirectBits));
    }
  }
}

// Calls put(sine, bits) for both entries of a pair, or its only one.
template <class Put>
void Oracle::PutPair(Format format, std::size_t pair, std::int64_t position, const Pair& approximation,
                     Distances* distances, const Put& put) const {
  Rounding sine, cosine;
  if (!approximation.RoundBoth(format, &sine, &cosine)) {
    EvaluateAndRound(format, pair, static_cast<double>(position), &sine, &cosine);
  }
  distances->See(sine, position, pair, true);
  put(true, sine.bits);
  if (pair >= cosines()) return;  // an odd dim has one cosine less
  distances->See(cosine, position, pair, false);
  put(false, cosine.bits);
}

Distances Oracle::Range(std::int64_t first_position, std::size_t rows, float* sines, float* cosines) const {
  Distances distances;
  ForEachPair(first_position, rows, [&](std::size_t r, std::size_t i, const Pair& pair) {
    PutPair(format_, i, first_position + static_cast<std::int64_t>(r), pair, &distances,
            [&](bool sine, std::uint32_t bits) {
              const float value = Unpack(format_, bits);
              (sine ? sines[r * this->sines() + i] : cosines[r * this->cosines() + i]) = value;
            });
  });
  return distances;
}

void Oracle::Row(double position, float* sines, float* cosines) const {
  OwnThreadCache();
  for (std::size_t i = 0; i < this->sines(); ++i) {
    Rounding sine, cosine;
    EvaluateAndRound(format_, i, position, &sine, &cosine);
    sines[i] = Unpack(format_, sine.bits);
    if (i < this->cosines()) cosines[i] = Unpack(format_, cosine.bits);
  }
}

void Oracle::DoubleRow(double position, double* sines, double* cosines) const {
  OwnThreadCache();
  for (std::size_t i = 0; i < this->sines(); ++i) {
    double sine = 0.0, cosine = 1.0;
    for (int bits = kDirectBits;; bits *= 2) {
      const Pair pair = Evaluate(i, position, bits);
      if (pair.exact) {
        sine = mpfr_get_d(pair.sine, MPFR_RNDN);
        cosine = mpfr_get_d(pair.cosine, MPFR_RNDN);
        break;
      }
      if (RoundToDouble(pair.sine, pair.sine_error, &sine) &&
          RoundToDouble(pair.cosine, pair.cosine_error, &cosine)) {
        break;
      }
    }
    sines[i] = sine;
    if (i < this->cosines()) cosines[i] = cosine;
  }
}

Distances Oracle::Table(std::int64_t first_position, std::size_t rows, float* out,
                        std::size_t row_stride) const {
  std::vector<float> all_sines(rows * sines()), all_cosines(rows * cosines());
  Distances distances = Range(first_position, rows, all_sines.data(), all_cosines.data());
  for (std::size_t r = 0; r < rows; ++r) {
    PlaceRow(spec_.layout, spec_.dim, all_sines.data() + r * sines(), all_cosines.data() + r * cosines(),
             out + r * row_stride);
  }
  return distances;
}

std::array<Distances, 3> Oracle::AllTables(std::int64_t first_position, std::size_t rows,
                                           const Tables& tables) const {
  std::array<Distances, 3> distances;
  ForEachPair(first_position, rows, [&](std::size_t r, std::size_t i, const Pair& pair) {
    const std::int64_t position = first_position + static_cast<std::int64_t>(r);
    const std::size_t sine_at = r * dim() + ColumnOf({true, i}, spec_.layout, dim());
    const std::size_t cosine_at = r * dim() + ColumnOf({false, i}, spec_.layout, dim());
    const auto store = [&](Format format, auto* table) {
      PutPair(format, i, position, pair, &distances[static_cast<std::size_t>(format)],
              [&](bool sine, std::uint32_t bits) {
                using Bits = std::remove_pointer_t<decltype(table)>;
                table[sine ? sine_at : cosine_at] = static_cast<Bits>(bits);
              });
    };
    store(Format::kFloat32, tables.float32);
    store(Format::kBFloat16, tables.bfloat16);
    store(Format::kFloat16, tables.float16);
  });
  return distances;
}

Number Oracle::ExactEntry(double position, std::size_t column) const {
  OwnThreadCache();
  const Entry entry = EntryAt(spec_.layout, spec_.dim, column);
  Pair exact = Evaluate(entry.pair, position, kAnchorBits);
  return std::move(entry.sine ? exact.sine : exact.cosine);
}

double Oracle::Ulp(float got, double position, std::size_t column) const {
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  const Number exact = ExactEntry(position, column);
  Number error(mpfr_get_prec(exact));
  mpfr_d_sub(error, static_cast<double>(got), exact, MPFR_RNDN);
  // Rounding the exact value down keeps its exponent.
  return UlpErrorOf(format_, mpfr_get_d(error, MPFR_RNDN), mpfr_get_d(exact, MPFR_RNDZ));
}

std::string Oracle::Exact(double position, std::size_t column, int digits) const {
  const Number exact = ExactEntry(position, column);
  char* text = nullptr;
  if (mpfr_asprintf(&text, "%.*Re", digits - 1, static_cast<mpfr_srcptr>(exact)) < 0) return "?";
  std::string result(text);
  mpfr_free_str(text);
  return result;
}

}  // namespace oracle
}  // namespace posenc
