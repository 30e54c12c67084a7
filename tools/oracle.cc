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

// Approximations of a sine and a cosine, off by at most 2^sine_error and 2^cosine_error. A phase of
// exactly 0 has the exact values 0 and 1.
struct Oracle::Pair {
  Number sine, cosine;
  bool exact;
  mpfr_exp_t sine_error, cosine_error;

  bool RoundBoth(Format format, Rounding* s, Rounding* c) const {
    if (!exact) return Round(format, sine, sine_error, s) && Round(format, cosine, cosine_error, c);
    *s = {0, 0};
    *c = {Pack(format, 1.0f), 0};
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
void Oracle::EvaluateAndRound(Format format, std::size_t pair, std::int64_t position, Rounding* sine,
                              Rounding* cosine) const {
  for (int bits = kDirectBits;; bits *= 2) {
    if (Evaluate(pair, position, bits).RoundBoth(format, sine, cosine)) return;
  }
}

template <class Visit>
void Oracle::Direct(std::size_t pair, std::int64_t first_position, std::size_t rows,
                    const Visit& visit) const {
  for (std::size_t r = 0; r < rows; ++r) {
    visit(r, Evaluate(pair, first_position + static_cast<std::int64_t>(r), kDirectBits));
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
    if (r % kAnchorRows == 0 || at.exact) {
      const Pair anchor = Evaluate(pair, first_position + static_cast<std::int64_t>(r), kAnchorBits);
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
    at.exact = mpfr_zero_p(factors_[pair]) != 0 || first_position + static_cast<std::int64_t>(r) == 0;
    visit(r, at);
  }
}

// Calls visit(row, pair, approximation) for all.
template <class Visit>
void Oracle::ForEachPair(std::int64_t first_position, std::size_t rows, const Visit& visit) const {
  OwnThreadCache();
  for (std::size_t i = 0; i < sines(); ++i) {
    const auto visit_row = [&](std::size_t r, const Pair& pair) { visit(r, i, pair); };
    if (rows == 1 || spec_.recipe != Recipe::kExact) {
      Direct(i, first_position, rows, visit_row);
    } else {
      Rotate(i, first_position, rows, visit_row);
    }
  }
}

// Calls put(sine, bits) for both entries of a pair, or its only one.
template <class Put>
void Oracle::PutPair(Format format, std::size_t pair, std::int64_t position, const Pair& approximation,
                     Distances* distances, const Put& put) const {
  Rounding sine, cosine;
  if (!approximation.RoundBoth(format, &sine, &cosine)) {
    EvaluateAndRound(format, pair, position, &sine, &cosine);
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

Number Oracle::ExactEntry(std::int64_t position, std::size_t column) const {
  OwnThreadCache();
  const Entry entry = EntryAt(spec_.layout, spec_.dim, column);
  Pair exact = Evaluate(entry.pair, position, kAnchorBits);
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
