#include "number/exact.h"

#include "oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "oracle/format.h"
#include "oracle/phase_rounding.h"
#include "oracle/rounding.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace oracle {
namespace {

constexpr int kFrequencyBits = 512;  // precision of stored frequencies; more bits are computed when needed
constexpr int kDirectBits = 256;     // precision of the first attempt
constexpr int kAdditionBits = 256;   // precision of angle addition
constexpr int kAnchorBits = 384;     // precision of anchors; a phase of up to 2^62 costs up to 62 bits
constexpr std::size_t kAnchorRows = 4096;
constexpr int kManyBits = 2048;  // in this precision only an integer looks like an integer

// One angle addition has an error of at most 2^(3 - kAdditionBits), and there are kAnchorRows = 2^12 of them
// between two anchors.
constexpr mpfr_exp_t kAdditionError = 3 + 12 - kAdditionBits;

// Each thread has MPFR's caches (pi, ln 2) of its own. This frees them when the thread ends.
struct ThreadCache {
  ~ThreadCache() { mpfr_free_cache(); }
};
void OwnThreadCache() {
  thread_local const ThreadCache cache;
  static_cast<void>(cache);
}

// Calls visit(row, position) for each row, with the position before its offset is added.
template <class Visit>
void ForEachRow(std::int64_t first_position, std::size_t rows, const Visit& visit) {
  for (std::size_t r = 0; r < rows; ++r) visit(r, first_position + static_cast<std::int64_t>(r));
}

}  // namespace

// Approximations of a sine and a cosine. Their errors are at most 2^sine_error and 2^cosine_error. At whole
// quarter turns they are exact: 0, 1 or -1.
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

Oracle::Oracle(const posenc_spec& spec, posenc_type type)
    : spec_(spec),
      type_(type),
      entries_(EntriesOf(spec)),
      sine_at_(PairsOf(spec), kNone),
      cosine_at_(sine_at_) {
  OwnThreadCache();
  for (std::size_t column = 0; column < entries_.size(); ++column) {
    const Entry& entry = entries_[column];
    std::size_t& at = entry.sine() ? sine_at_[entry.pair] : cosine_at_[entry.pair];
    if (entry.IsOfPair() && at == kNone) {
      at = column;
    } else {
      others_.push_back(column);
    }
  }
  for (std::size_t i = 0; i < sine_at_.size(); ++i) {
    factors_.push_back(spec.phase_rounding == POSENC_NO_PHASE_ROUNDING ? Frequency(i, kFrequencyBits)
                                                                       : PhaseFactor(spec, i));
  }
}

Oracle::~Oracle() = default;

// The frequency of a pair in the spec's unit, times position_scale, with a relative error below 2^-bits. It
// is a listed frequency, or min_timescale * (base / min_timescale)^(-2i / exponent_dim). 96 more bits cover
// the roundings and the exponent. The exponent is below 2^12 if the frequency is in range; if the base is
// next to 1, it is below 2^25.
Number Oracle::Counted(std::size_t pair, int bits) const {
  Number frequency(bits + 96);
  if (spec_.frequency_count != 0) {
    mpfr_set_d(frequency, Listed(pair), MPFR_RNDN);
    mpfr_mul_d(frequency, frequency, spec_.position_scale, MPFR_RNDN);
    return frequency;
  }
  Number exponent(bits + 96), base(bits + 96);
  mpfr_set_d(exponent, -2.0 * static_cast<double>(pair), MPFR_RNDN);
  mpfr_div_d(exponent, exponent, ExponentDim(), MPFR_RNDN);
  mpfr_set_d(base, spec_.base, MPFR_RNDN);
  mpfr_div_d(base, base, spec_.min_timescale, MPFR_RNDN);
  mpfr_pow(frequency, base, exponent, MPFR_RNDN);
  mpfr_mul_d(frequency, frequency, spec_.min_timescale, MPFR_RNDN);
  mpfr_mul_d(frequency, frequency, spec_.position_scale, MPFR_RNDN);
  return frequency;
}

// The same frequency in radians.
Number Oracle::Frequency(std::size_t pair, int bits) const {
  Number frequency = Counted(pair, bits), pi(bits + 96);
  if (spec_.unit == POSENC_RADIANS) return frequency;
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_mul(frequency, frequency, pi, MPFR_RNDN);
  if (spec_.unit == POSENC_TURNS) mpfr_mul_2ui(frequency, frequency, 1, MPFR_RNDN);
  return frequency;
}

double Oracle::Listed(std::size_t pair) const {
  if (spec_.frequencies != nullptr) return spec_.frequencies[pair];
  return static_cast<double>(spec_.frequencies_f32[pair]);
}

double Oracle::ExponentDim() const {
  return spec_.exponent_dim == 0.0 ? static_cast<double>(spec_.dim) : spec_.exponent_dim;
}

// The angle in quarter turns, modulo 4, with a relative error below 2^-bits, for frequencies in turns or half
// turns. Next to an integer bits cancel, so the angle is computed again with kManyBits. If it is still next
// to an integer, it is that integer: listed frequencies are exact, and with a base and an exponent_dim below
// 2^1100 only a rational frequency comes so close.
Number Oracle::QuarterTurns(std::size_t pair, double position, int bits) const {
  const int lost = bits < kManyBits ? 320 : 1264;  // 64 bits for the integer, the others for the fraction
  Number turns = Counted(pair, bits + lost), four(MPFR_PREC_MIN);
  mpfr_mul_d(turns, turns, position, MPFR_RNDN);
  mpfr_mul_2ui(turns, turns, spec_.unit == POSENC_TURNS ? 2 : 1, MPFR_RNDN);
  if (mpfr_zero_p(turns) != 0 || mpfr_get_exp(turns) < 0) return turns;
  mpfr_set_ui(four, 4, MPFR_RNDN);
  mpfr_fmod(turns, turns, four, MPFR_RNDN);
  Number nearest(mpfr_get_prec(turns)), rest(mpfr_get_prec(turns));
  mpfr_rint(nearest, turns, MPFR_RNDN);
  mpfr_sub(rest, turns, nearest, MPFR_RNDN);
  if (mpfr_zero_p(rest) != 0) return nearest;
  if (mpfr_get_exp(rest) > 64 - lost) return turns;
  if (bits < kManyBits) return QuarterTurns(pair, position, kManyBits);
  return nearest;
}

// The angle in radians, with a relative error below 2^(2 - bits). With a phase rounding it is exact.
Number Oracle::Phase(std::size_t pair, double position, int bits) const {
  Number phase(bits);
  if (spec_.phase_rounding != POSENC_NO_PHASE_ROUNDING) {
    mpfr_set_d(phase, RoundedPhase(spec_, factors_[pair], pair, position), MPFR_RNDN);
  } else if (bits <= kFrequencyBits) {
    mpfr_mul_d(phase, factors_[pair], position, MPFR_RNDN);
  } else {
    mpfr_mul_d(phase, Frequency(pair, bits), position, MPFR_RNDN);
  }
  return phase;
}

// The error has two parts: |phase| * 2^(2 - bits) from the phase, and half a unit in the last place of the
// result. The sine is at most |phase|, and the cosine at most 1.
Oracle::Pair Oracle::Evaluate(std::size_t pair, double position, int bits) const {
  Pair result{Number(bits), Number(bits), false, 0, 0};
  Number phase(bits);
  if (spec_.unit != POSENC_RADIANS) {
    const Number turns = QuarterTurns(pair, position, bits);
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

// Doubles the precision until the rounding is certain. This always ends: the sine and the cosine of an
// algebraic number other than 0 are transcendental, so they are never a tie.
void Oracle::EvaluateAndRound(posenc_type type, std::size_t pair, double position, Rounding* sine,
                              Rounding* cosine) const {
  for (int bits = kDirectBits;; bits *= 2) {
    if (Evaluate(pair, position, bits).RoundBoth(type, sine, cosine)) return;
  }
}

// Angle addition: e^(i w (p + 1)) = e^(i w p) e^(i w). Every kAnchorRows rows it starts again from an anchor.
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

// Calls visit(row, pair, approximation) for each row and pair.
template <class Visit>
void Oracle::ForEachPair(std::int64_t first_position, std::size_t rows, const Visit& visit) const {
  OwnThreadCache();
  for (std::size_t i = 0; i < sine_at_.size(); ++i) {
    const auto visit_row = [&](std::size_t r, const Pair& pair) { visit(r, i, pair); };
    if (rows > 1 && spec_.phase_rounding == POSENC_NO_PHASE_ROUNDING) {
      AddAngles(i, first_position, rows, visit_row);
      continue;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int64_t position = first_position + static_cast<std::int64_t>(r);
      visit_row(r, Evaluate(i, static_cast<double>(position), kDirectBits));
    }
  }
}

// Calls put(column, bits) for the entries of a pair: both, or the only one that is in the row.
template <class Put>
void Oracle::PutPair(posenc_type type, std::size_t pair, std::int64_t position, const Pair& approximation,
                     Distances* distances, const Put& put) const {
  Rounding sine, cosine;
  if (!approximation.RoundBoth(type, &sine, &cosine)) {
    EvaluateAndRound(type, pair, static_cast<double>(position), &sine, &cosine);
  }
  if (sine_at_[pair] != kNone) {
    distances->See(sine, position, pair, true);
    put(sine_at_[pair], sine.bits);
  }
  if (cosine_at_[pair] != kNone) {
    distances->See(cosine, position, pair, false);
    put(cosine_at_[pair], cosine.bits);
  }
}

bool Oracle::IsPadding(double position) const {
  return spec_.has_padding && position == static_cast<double>(spec_.padding_position);
}

// The bits of an entry that is neither a sine nor a cosine. The offset has been added to the position.
std::uint64_t Oracle::OtherEntry(posenc_type type, Entry::Kind kind, double position) const {
  if (kind == Entry::kZero) return Pack(type, 0.0);
  if (kind == Entry::kPosition) return Pack(type, RoundTo(type, position));
  Rounding sine, cosine;
  EvaluateAndRound(type, 0, position, &sine, &cosine);
  return cosine.bits;
}

// Calls put(column, bits) for all columns that are neither a sine nor a cosine.
template <class Put>
void Oracle::PutOthers(posenc_type type, double position, const Put& put) const {
  for (const std::size_t column : others_) put(column, OtherEntry(type, entries_[column].kind, position));
}

void Oracle::Row(double position, double* out) const {
  OwnThreadCache();
  if (IsPadding(position)) {
    std::fill_n(out, dim(), 0.0);
    return;
  }
  const double p = position + static_cast<double>(spec_.position_offset);
  const auto put = [&](std::size_t column, std::uint64_t bits) {
    if (column != kNone) out[column] = Unpack(type_, bits);
  };
  for (std::size_t i = 0; i < sine_at_.size(); ++i) {
    Rounding sine, cosine;
    EvaluateAndRound(type_, i, p, &sine, &cosine);
    put(sine_at_[i], sine.bits);
    put(cosine_at_[i], cosine.bits);
  }
  PutOthers(type_, p, put);
}

Distances Oracle::Rows(std::int64_t first_position, std::size_t rows, double* out) const {
  Distances distances;
  const std::int64_t first = first_position + spec_.position_offset;
  const auto put_in = [&](std::size_t r) {
    return [=](std::size_t column, std::uint64_t bits) { out[r * dim() + column] = Unpack(type_, bits); };
  };
  ForEachPair(first, rows, [&](std::size_t r, std::size_t i, const Pair& pair) {
    PutPair(type_, i, first + static_cast<std::int64_t>(r), pair, &distances, put_in(r));
  });
  ForEachRow(first_position, rows, [&](std::size_t r, std::int64_t position) {
    PutOthers(type_, static_cast<double>(position + spec_.position_offset), put_in(r));
    if (IsPadding(static_cast<double>(position))) std::fill_n(out + r * dim(), dim(), 0.0);
  });
  return distances;
}

std::array<Distances, 3> Oracle::AllTables(std::int64_t first_position, std::size_t rows,
                                           const Tables& tables) const {
  std::array<Distances, 3> distances;
  const std::int64_t first = first_position + spec_.position_offset;
  const auto for_each_table = [&](const auto& visit) {
    visit(POSENC_F32, tables.float32);
    visit(POSENC_BF16, tables.bfloat16);
    visit(POSENC_F16, tables.float16);
  };
  const auto put_in = [&](auto* table, std::size_t r) {
    using Bits = std::remove_pointer_t<decltype(table)>;
    return
        [=](std::size_t column, std::uint64_t bits) { table[r * dim() + column] = static_cast<Bits>(bits); };
  };
  ForEachPair(first, rows, [&](std::size_t r, std::size_t i, const Pair& pair) {
    for_each_table([&](posenc_type type, auto* table) {
      PutPair(type, i, first + static_cast<std::int64_t>(r), pair,
              &distances[static_cast<std::size_t>(type - POSENC_F32)], put_in(table, r));
    });
  });
  ForEachRow(first_position, rows, [&](std::size_t r, std::int64_t position) {
    for_each_table([&](posenc_type type, auto* table) {
      PutOthers(type, static_cast<double>(position + spec_.position_offset), put_in(table, r));
      if (IsPadding(static_cast<double>(position))) std::fill_n(table + r * dim(), dim(), 0);
    });
  });
  return distances;
}

Number Oracle::ExactEntry(double position, std::size_t column) const {
  OwnThreadCache();
  const Entry& entry = entries_[column];
  const double p = position + static_cast<double>(spec_.position_offset);
  if (!entry.IsOfPair() || IsPadding(position)) {
    Number other(kDirectBits);
    mpfr_set_d(other, entry.kind == Entry::kPosition && !IsPadding(position) ? p : 0.0, MPFR_RNDN);
    return other;
  }
  Pair exact = Evaluate(entry.pair, p, kAnchorBits);
  return std::move(entry.sine() ? exact.sine : exact.cosine);
}

double Oracle::Ulp(double got, double position, std::size_t column) const {
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  const Number exact = ExactEntry(position, column);
  Number error(mpfr_get_prec(exact));
  mpfr_d_sub(error, got, exact, MPFR_RNDN);
  // Rounding the exact value towards zero keeps its exponent.
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
