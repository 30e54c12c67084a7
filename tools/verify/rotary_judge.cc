#include "verify/rotary_judge.h"

#include <algorithm>
#include <cmath>

#include "command/specs.h"
#include "oracle/format.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle/rounding.h"
#endif
#include "verify/findings.h"

namespace posenc {
namespace tools {

RotaryElement ElementOf(const RotaryCase& c, posenc_pairing pairing, std::size_t row, std::size_t column) {
  const std::size_t pairs = c.pairs();
  if (c.call == RotaryCall::kWriteCache) {
    switch (c.layout) {
      case POSENC_CACHE_DUPLICATED: {
        const std::size_t e = column % (2 * pairs);
        const bool is_neighbours = c.spec.pairing == POSENC_NEIGHBOURS;
        return {row, 0, is_neighbours ? e / 2 : e % pairs, true, column >= 2 * pairs};
      }
      case POSENC_CACHE_PAIRS:
        return {row, 0, column / 2, true, column % 2 == 1};
      default:
        return {row, 0, column % pairs, true, column >= pairs};
    }
  }
  const std::size_t head = column / c.spec.head_dim, e = column % c.spec.head_dim - c.spec.rotary_offset;
  if (e >= 2 * pairs) return {row, head, 0, false, false};  // also what is before the offset
  if (pairing == POSENC_NEIGHBOURS) return {row, head, e / 2, true, e % 2 == 1};
  return {row, head, e % pairs, true, e >= pairs};
}

#ifdef POSENC_HAVE_MPFR

RotaryJudge::RotaryJudge(const RotaryCase& c, RotaryCalls* calls)
    : case_(c), calls_(calls), oracle_(c.spec) {}

oracle::Turn RotaryJudge::TurnOf(std::size_t row, std::size_t pair, bool is_k) {
  const bool is_cache = case_.call == RotaryCall::kWriteCache;
  const oracle::Gain gain{is_k || is_cache ? 1.0 : case_.scale, !is_cache && case_.inverse};
  return {&oracle_, pair, case_.Position(oracle_.axis(pair), row), gain};
}

void RotaryJudge::Rotate(const posenc_type* types, std::size_t count, std::vector<InputPair>* rotated,
                         oracle::Distances* distances) {
  const std::size_t pairs = case_.pairs(), heads = case_.heads();
  for (std::size_t k = 0; k < count; ++k) rotated[k] = calls_->Pairs(types[k]);
  for (std::size_t r = 0; r < calls_->rows(); ++r) {
    for (std::size_t i = 0; i < pairs; ++i) {
      oracle::Turn turns[2] = {TurnOf(calls_->row() + r, i, false), TurnOf(calls_->row() + r, i, true)};
      const auto position = static_cast<std::int64_t>(case_.Position(oracle_.axis(i), calls_->row() + r));
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t h = 0; h < heads; ++h) {
          InputPair& pair = rotated[k][(r * heads + h) * pairs + i];
          oracle::Rounding x, y;
          turns[h < case_.q_heads ? 0 : 1].Rotate(types[k], oracle::Unpack(types[k], pair.a),
                                                  oracle::Unpack(types[k], pair.b), &x, &y);
          distances[k].See(x, position, i, false);
          distances[k].See(y, position, i, true);
          pair = {x.bits, y.bits};
        }
      }
    }
  }
}

// Each step rounded to float; sums and products of floats are rounded once by way of double.
InputPair RotaryJudge::RotateFast(std::size_t row, std::size_t pair, bool is_k, const InputPair& in) {
  const auto to_float = [](double x) { return oracle::RoundTo(POSENC_F32, x); };
  double c, s;
  if (case_.call == RotaryCall::kRotateCached) {
    const std::size_t cache_row = calls_->CacheRow(row);
    const auto scaled = [&](std::size_t e) {
      oracle::Rounding rounding;
      const oracle::Real product =
          oracle::Real(calls_->CacheEntry(cache_row, e), 2 * 53) * (is_k ? 1.0 : case_.scale);
      oracle::RoundExact(POSENC_F32, product.number(), &rounding);
      return oracle::Unpack(POSENC_F32, rounding.bits);
    };
    c = scaled(pair);
    s = scaled(case_.pairs() + pair) * (case_.inverse ? -1.0 : 1.0);
  } else {
    oracle::Rounding cosine, sine;
    TurnOf(row, pair, is_k).RoundBoth(POSENC_F32, &cosine, &sine);
    c = oracle::Unpack(POSENC_F32, cosine.bits);
    s = oracle::Unpack(POSENC_F32, sine.bits);
  }
  const double a = oracle::Unpack(case_.type, in.a), b = oracle::Unpack(case_.type, in.b);
  const double x = to_float(to_float(a * c) - to_float(b * s));
  const double y = to_float(to_float(b * c) + to_float(a * s));
  const auto pack = [&](double v) { return oracle::Pack(case_.type, oracle::RoundTo(case_.type, v)); };
  return {pack(x), pack(y)};
}

void RotaryJudge::ExpectCaches(const posenc_type* types, std::size_t count, Entries* entries,
                               oracle::Distances* distances) {
  const std::size_t columns = case_.columns();
  std::vector<oracle::Rounding> rounded(2 * case_.pairs() * count);
  for (std::size_t k = 0; k < count; ++k) entries[k].Reset(types[k], calls_->rows() * columns);
  for (std::size_t r = 0; r < calls_->rows(); ++r) {
    const std::size_t row = calls_->row() + r;
    for (std::size_t i = 0; i < case_.pairs(); ++i) {
      oracle::Turn turn = TurnOf(row, i, false);
      for (std::size_t k = 0; k < count; ++k) {
        oracle::Rounding* const of_pair = &rounded[2 * (case_.pairs() * k + i)];
        turn.RoundBoth(types[k], &of_pair[0], &of_pair[1]);
      }
    }
    for (std::size_t column = 0; column < columns; ++column) {
      const RotaryElement element = ElementOf(case_, case_.spec.pairing, row, column);
      const auto position = static_cast<std::int64_t>(case_.Position(oracle_.axis(element.pair), row));
      for (std::size_t k = 0; k < count; ++k) {
        const oracle::Rounding& rounding =
            rounded[2 * (case_.pairs() * k + element.pair) + (element.is_second ? 1 : 0)];
        entries[k].Set(r * columns + column, rounding.bits);
        distances[k].See(rounding, position, element.pair, element.is_second);
      }
    }
  }
}

void RotaryJudge::Expect(posenc_pairing pairing, Entries* entries, oracle::Distances* distances) {
  if (case_.call == RotaryCall::kWriteCache) return ExpectCaches(&case_.type, 1, entries, distances);
  std::vector<InputPair> rotated;
  if (case_.call == RotaryCall::kRotate && case_.spec.arithmetic == POSENC_EXACT) {
    Rotate(&case_.type, 1, &rotated, distances);
  } else {
    rotated = calls_->Pairs(case_.type);
    const std::size_t pairs = case_.pairs(), heads = case_.heads();
    for (std::size_t k = 0; k < rotated.size(); ++k) {
      const bool is_k = k / pairs % heads >= case_.q_heads;
      rotated[k] = RotateFast(calls_->row() + k / pairs / heads, k % pairs, is_k, rotated[k]);
    }
  }
  calls_->Arrange(case_.type, rotated, pairing, entries);
}

// Whether it is the rounding of a real number.
bool RotaryJudge::IsMeasured(const RotaryElement& element) const {
  if (case_.call == RotaryCall::kWriteCache) return true;
  return element.turns && case_.call == RotaryCall::kRotate && case_.spec.arithmetic == POSENC_EXACT;
}

// That number is u cosine + v sine.
void RotaryJudge::PartsOf(const RotaryElement& element, posenc_type type, double* u, double* v) {
  if (case_.call == RotaryCall::kWriteCache) {
    *u = element.is_second ? 0.0 : 1.0;
    *v = 1.0 - *u;
    return;
  }
  const std::size_t r = element.row - calls_->row();
  const InputPair& in =
      calls_->Pairs(type)[(r * case_.heads() + element.head) * case_.pairs() + element.pair];
  const double a = oracle::Unpack(type, in.a), b = oracle::Unpack(type, in.b);
  *u = element.is_second ? b : a;
  *v = element.is_second ? a : -b;
}

double RotaryJudge::Ulp(const RotaryElement& element, posenc_type type, double got) {
  if (!IsMeasured(element)) return 0.0;
  double u, v;
  PartsOf(element, type, &u, &v);
  return TurnOf(element.row, element.pair, element.head >= case_.q_heads).Ulp(type, got, u, v);
}

std::string RotaryJudge::Exact(const RotaryElement& element, posenc_type type) {
  if (!IsMeasured(element)) return element.turns ? "of three roundings" : "which does not turn";
  double u, v;
  PartsOf(element, type, &u, &v);
  const std::string exact = TurnOf(element.row, element.pair, element.head >= case_.q_heads).Exact(u, v);
  if (case_.call == RotaryCall::kWriteCache) return "exact " + exact;
  const auto show = [&](double x) { return ShowEntry(type, oracle::Pack(type, x)); };
  return show(u) + " cos + " + show(v) + " sin, exact " + exact;
}

#else

RotaryJudge::RotaryJudge(const RotaryCase& c, RotaryCalls* calls)
    : calls_(calls), reference_(MakeRotary(c.spec, kReferenceName)) {}

void RotaryJudge::Rotate(const posenc_type*, std::size_t, std::vector<InputPair>*, oracle::Distances*) {}

void RotaryJudge::ExpectCaches(const posenc_type*, std::size_t, Entries*, oracle::Distances*) {}

void RotaryJudge::Expect(posenc_pairing, Entries* entries, oracle::Distances*) {
  Written written;
  calls_->Call(reference_.get(), &written);
  *entries = written.entries;
}

double RotaryJudge::Ulp(const RotaryElement&, posenc_type, double) { return 0.0; }

std::string RotaryJudge::Exact(const RotaryElement&, posenc_type) { return "unknown without MPFR"; }

#endif

}  // namespace tools
}  // namespace posenc
