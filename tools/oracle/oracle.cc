#include "oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "oracle/format.h"
#include "oracle/rounding.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace oracle {
namespace {

constexpr int kFloatBits = std::numeric_limits<float>::digits;
constexpr int kFrequencyBits = 512;  // of the frequencies that are kept; more are computed when needed
constexpr int kDirectBits = 256;     // of the first attempt
constexpr int kAdditionBits = 256;   // of running sums of angles
constexpr int kAnchorBits = 384;     // phases below 2^62 lose as many bits of the anchor
constexpr std::size_t kAnchorRows = 4096;

// An addition of angles commits at most 2^(3 - kAdditionBits), and there are kAnchorRows between two anchors.
constexpr mpfr_exp_t kAdditionError = 3 + 12 - kAdditionBits;

// MPFR's caches (pi, ln 2) belong to a thread; this returns them when the thread ends.
struct ThreadCache {
  ~ThreadCache() { mpfr_free_cache(); }
};
void OwnThreadCache() {
  thread_local const ThreadCache cache;
  static_cast<void>(cache);
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

// Approximations of a sine and a cosine, off by at most 2^sine_error and 2^cosine_error. Those of whole
// quarter turns are exact: 0, 1 or -1.
struct Oracle::Pair {
  Number sine, cosine;
  bool exact;
  mpfr_exp_t sine_error, cosine_error;

  bool RoundBoth(posenc_type type, Rounding* s, Rounding* c) const {
    if (!exact) return Round(type, sine, sine_error, s) && Round(type, cosine, cosine_error, c);
    *s = {Pack(type, mpfr_get_d(sine, MPFR_RNDN)), 0};
    *c = {Pack(type, mpfr_get_d(cosine, MPFR_RNDN)), 0};
    return true;
  }
};

Oracle::Oracle(const Spec& spec, posenc_type type) : spec_(spec), type_(type) {
  OwnThreadCache();
  factors_.reserve(sines());
  for (std::size_t i = 0; i < sines(); ++i) {
    if (spec.phase_rounding == PhaseRounding::kNone) {
      factors_.push_back(Frequency(i, kFrequencyBits));
      continue;
    }
    Number exponent(kFloatBits), denominator(kFloatBits), base(kFloatBits), divisor(kFloatBits);
    mpfr_set_d(denominator, ExponentDim(), MPFR_RNDN);
    mpfr_ui_div(exponent, 2 * static_cast<unsigned long>(i), denominator, MPFR_RNDN);
    mpfr_set_flt(base, static_cast<float>(spec.base), MPFR_RNDN);
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
  mpfr_div_d(exponent, exponent, ExponentDim(), MPFR_RNDN);
  mpfr_set_d(base, spec_.base, MPFR_RNDN);
  mpfr_pow(frequency, base, exponent, MPFR_RNDN);
  mpfr_mul_d(frequency, frequency, spec_.position_scale, MPFR_RNDN);
  return frequency;
}

double Oracle::Listed(std::size_t pair) const {
  const FrequencyList& list = spec_.frequencies;
  return list.doubles != nullptr ? list.doubles[pair] : static_cast<double>(list.floats[pair]);
}

double Oracle::ExponentDim() const {
  return spec_.exponent_dim == 0.0 ? static_cast<double>(spec_.dim) : spec_.exponent_dim;
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

// The angle in radians, relative error below 2^(2 - bits); exact for PhaseRounding::kF32PowDiv.
Number Oracle::Phase(std::size_t pair, double position, int bits) const {
  if (spec_.phase_rounding == PhaseRounding::kF32PowDiv) {
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
void Oracle::EvaluateAndRound(posenc_type type, std::size_t pair, double position, Rounding* sine,
                              Rounding* cosine) const {
  for (int bits = kDirectBits;; bits *= 2) {
    if (Evaluate(pair, position, bits).RoundBoth(type, sine, cosine)) return;
  }
}

// e^(i w (p + 1)) = e^(i w p) e^(i w), evaluated anew every kAnchorRows.
template <class Visit>
void Oracle::AddAngles(std::size_t pair, std::int64_t first_position, std::size_t rows,
                       const Visit& visit) const {
  Number step_s(kAdditionBits), step_c(kAdditionBits);
  Number ss(kAdditionBits), cc(kAdditionBits), sc(kAdditionBits), cs(kAdditionBits);
  mpfr_sin_cos(step_s, step_c, factors_[pair], MPFR_RNDN);
  Pair at{Number(kAdditionBits), Number(kAdditionBits), false, kAdditionError, kAdditionError};
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
    if (rows > 1 && spec_.phase_rounding == PhaseRounding::kNone) {
      AddAngles(i, first_position, rows, visit_row);
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
void Oracle::PutPair(posenc_type type, std::size_t pair, std::int64_t position, const Pair& approximation,
                     Distances* distances, const Put& put) const {
  Rounding sine, cosine;
  if (!approximation.RoundBoth(type, &sine, &cosine)) {
    EvaluateAndRound(type, pair, static_cast<double>(position), &sine, &cosine);
  }
  distances->See(sine, position, pair, true);
  put(true, sine.bits);
  if (pair >= cosines()) return;  // an odd dim has one cosine less
  distances->See(cosine, position, pair, false);
  put(false, cosine.bits);
}

void Oracle::Row(double position, double* out) const {
  OwnThreadCache();
  for (std::size_t i = 0; i < sines(); ++i) {
    Rounding sine, cosine;
    EvaluateAndRound(type_, i, position, &sine, &cosine);
    out[ColumnOf({true, i}, spec_.layout, dim())] = Unpack(type_, sine.bits);
    if (i < cosines()) out[ColumnOf({false, i}, spec_.layout, dim())] = Unpack(type_, cosine.bits);
  }
}

Distances Oracle::Rows(std::int64_t first_position, std::size_t rows, double* out) const {
  Distances distances;
  ForEachPair(first_position, rows, [&](std::size_t r, std::size_t i, const Pair& pair) {
    PutPair(type_, i, first_position + static_cast<std::int64_t>(r), pair, &distances,
            [&](bool sine, std::uint64_t bits) {
              out[r * dim() + ColumnOf({sine, i}, spec_.layout, dim())] = Unpack(type_, bits);
            });
  });
  return distances;
}

std::array<Distances, 3> Oracle::AllTables(std::int64_t first_position, std::size_t rows,
                                           const Tables& tables) const {
  std::array<Distances, 3> distances;
  ForEachPair(first_position, rows, [&](std::size_t r, std::size_t i, const Pair& pair) {
    const std::int64_t position = first_position + static_cast<std::int64_t>(r);
    const std::size_t sine_at = r * dim() + ColumnOf({true, i}, spec_.layout, dim());
    const std::size_t cosine_at = r * dim() + ColumnOf({false, i}, spec_.layout, dim());
    const auto store = [&](posenc_type type, auto* table) {
      PutPair(type, i, position, pair, &distances[static_cast<std::size_t>(type - POSENC_F32)],
              [&](bool sine, std::uint64_t bits) {
                using Bits = std::remove_pointer_t<decltype(table)>;
                table[sine ? sine_at : cosine_at] = static_cast<Bits>(bits);
              });
    };
    store(POSENC_F32, tables.float32);
    store(POSENC_BF16, tables.bfloat16);
    store(POSENC_F16, tables.float16);
  });
  return distances;
}

Number Oracle::ExactEntry(double position, std::size_t column) const {
  OwnThreadCache();
  const Entry entry = EntryAt(spec_.layout, spec_.dim, column);
  Pair exact = Evaluate(entry.pair, position, kAnchorBits);
  return std::move(entry.sine ? exact.sine : exact.cosine);
}

double Oracle::Ulp(double got, double position, std::size_t column) const {
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  const Number exact = ExactEntry(position, column);
  Number error(mpfr_get_prec(exact));
  mpfr_d_sub(error, got, exact, MPFR_RNDN);
  // Rounding the exact value down keeps its exponent.
  return UlpError(type_, mpfr_get_d(error, MPFR_RNDN), mpfr_get_d(exact, MPFR_RNDZ));
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
