#include "number/exact.h"

#include "verify/expected.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "oracle/format.h"
#include "verify/describe.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle/rounding.h"
#endif

namespace posenc {
namespace tools {
namespace {

constexpr posenc_type kCacheTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16,
                                       POSENC_F64};  // begins with kSharedTypes
constexpr std::size_t kCacheRows = 1024;             // rows in a chunk of a cache

// The pairing in which an exact rotation writes its result.
[[maybe_unused]] posenc_pairing OutputPairing(const posenc_rotary_spec& spec) {
  return spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
}

}  // namespace

std::vector<Variant> VariantsOf(const Case& c, bool is_area) {
  if (!is_area) return {{c, c.is_rotary() ? "Rotate" : "Write", 0, 0}};
  std::vector<Variant> variants;
  const auto add = [&](posenc_type type, const char* call, std::size_t answer, std::size_t numbers) -> Case& {
    Variant& variant = variants.emplace_back(Variant{c, call, answer, numbers});
    variant.as.type = type;
    variant.as.Label("type", TraitsOf(type).name);
    return variant.as;
  };
  for (std::size_t k = 0; k < std::size(kCacheTypes); ++k) {
    const posenc_type type = kCacheTypes[k];
    if (c.operation == Operation::kWriteCache) {
      add(type, c.list == 0 ? "WriteCache" : "WriteCacheAt", k, k);
    } else if (k < std::size(kSharedTypes) && c.is_rotary()) {
      Case& halves = add(type, "RotateHalves", 2 * k, k);
      halves.rotary.pairing = POSENC_HALF_SPLIT;
      halves.Label("pairing", "half_split");
      Case& neighbours = add(type, "RotateNeighbours", 2 * k + 1, k);
      neighbours.rotary.pairing = POSENC_NEIGHBOURS;
      neighbours.Label("pairing", "neighbours");
    } else if (k < std::size(kSharedTypes)) {
      add(type, "Write", k, k);
      Case& list = add(type, "WriteAt", k, k);
      list.list = POSENC_F64;
      list.Label("list", "f64");
    }
  }
  return variants;
}

bool IsWritten(const Case& as, std::size_t row) {
  return as.operation != Operation::kWriteCache || as.type == POSENC_F32 || row / kCacheRows % 7 == 0;
}

std::size_t ChunkRows(const Case& c, bool is_area) {
  if (!c.is_rotary()) return is_area ? 4096 : 512;
  if (!is_area) return 32;
  return c.operation == Operation::kWriteCache ? kCacheRows : 8;
}

#ifdef POSENC_HAVE_MPFR

namespace {

bool IsPosition(double p) { return std::fabs(p) <= 0x1p31; }  // false for NaN

}  // namespace

Expected::Expected(const Case& c, bool is_area, Calls* calls) : case_(c), is_area_(is_area), calls_(calls) {
  if (c.is_rotary()) {
    rotary_.emplace(c.rotary);
  } else {
    // Add rounds the encoding to float32 before it adds it.
    encoder_.emplace(c.encoder, c.operation == Operation::kAdd ? POSENC_F32 : c.type);
  }
}

Answers Expected::Compute() {
  if (case_.operation == Operation::kWriteCache) return Caches();
  if (case_.is_rotary()) return Rotations();
  return is_area_ ? EncodingsInSharedTypes() : Encodings();
}

Answers Expected::Encodings() const {
  const std::size_t dim = case_.encoder.dim, row = calls_->row(), rows = calls_->rows();
  Answers answers{{Entries(case_.type, rows * dim)}, std::vector<oracle::Distances>(1)};
  std::vector<double> values(rows * dim, std::numeric_limits<double>::quiet_NaN());
  if (case_.list == 0) {
    const auto first = static_cast<std::int64_t>(case_.Position(0, row));
    answers.distances[0] = encoder_->Rows(first, rows, values.data());
  }
  for (std::size_t r = 0; case_.list != 0 && r < rows; ++r) {
    const double position = case_.Position(0, row + r);
    if (IsPosition(position)) encoder_->Row(position, &values[r * dim]);
  }
  const bool is_sum = case_.operation == Operation::kAdd;
  if (is_sum) answers.distances[0] = {};
  for (std::size_t i = 0; i < rows * dim; ++i) {
    const double value =
        is_sum ? Sum(calls_->AddInput(case_.type, row + i / dim, i % dim), values[i]) : values[i];
    answers.entries[0].Set(i, oracle::Pack(case_.type, value));
  }
  return answers;
}

double Expected::Sum(std::uint64_t input, double value) const {
  const auto x = static_cast<float>(oracle::Unpack(case_.type, input));
  const float product = x * static_cast<float>(case_.scale);
  const float sum = product + static_cast<float>(value);
  return oracle::RoundTo(case_.type, static_cast<double>(sum));
}

Answers Expected::EncodingsInSharedTypes() const {
  Answers answers;
  for (const posenc_type type : kSharedTypes) {
    answers.entries.emplace_back(type, calls_->rows() * case_.encoder.dim);
  }
  const auto data = [&](std::size_t k) { return answers.entries[k].data(); };
  const auto distances =
      encoder_->AllTables(static_cast<std::int64_t>(case_.Position(0, calls_->row())), calls_->rows(),
                          {static_cast<std::uint32_t*>(data(0)), static_cast<std::uint16_t*>(data(1)),
                           static_cast<std::uint16_t*>(data(2))});
  answers.distances.assign(distances.begin(), distances.end());
  return answers;
}

oracle::Angle Expected::AngleOf(std::size_t row, std::size_t pair, bool is_k) {
  const bool is_cache = case_.operation == Operation::kWriteCache;
  oracle::Gain gain{1.0, !is_cache && case_.inverse};
  if (!is_k && !is_cache) {
    gain.scale = case_.scale;
    gain.factor = case_.Factor(row);
  }
  const auto at = [&](std::size_t axis) { return case_.Position(axis, row); };
  return {&*rotary_, pair, rotary_->PositionOf(pair, at), gain};
}

Answers Expected::Caches() {
  const posenc_type* types = is_area_ ? kCacheTypes : &case_.type;
  Case last = case_;
  last.type = POSENC_F64;
  const bool has_all = is_area_ && IsWritten(last, calls_->row());
  const std::size_t count = has_all ? std::size(kCacheTypes) : 1, columns = case_.columns();
  Answers answers;
  answers.distances.resize(count);
  for (std::size_t k = 0; k < count; ++k) answers.entries.emplace_back(types[k], calls_->rows() * columns);
  std::vector<oracle::Rounding> rounded(2 * case_.pairs() * count);
  for (std::size_t r = 0; r < calls_->rows(); ++r) {
    const std::size_t row = calls_->row() + r;
    for (std::size_t i = 0; i < case_.pairs(); ++i) {
      oracle::Angle angle = AngleOf(row, i, false);
      for (std::size_t k = 0; k < count; ++k) {
        oracle::Rounding* const of_pair = &rounded[2 * (case_.pairs() * k + i)];
        angle.RoundBoth(types[k], &of_pair[0], &of_pair[1]);
      }
    }
    for (std::size_t column = 0; column < columns; ++column) {
      const Element element = ElementOf(case_, row, column);
      const auto position = static_cast<std::int64_t>(case_.Position(rotary_->axis(element.pair), row));
      for (std::size_t k = 0; k < count; ++k) {
        const oracle::Rounding& rounding =
            rounded[2 * (case_.pairs() * k + element.pair) + (element.is_second ? 1 : 0)];
        answers.entries[k].Set(r * columns + column, rounding.bits);
        answers.distances[k].See(rounding, position, element.pair, element.is_second);
      }
    }
  }
  return answers;
}

Answers Expected::Rotations() {
  const bool is_exact = case_.operation == Operation::kRotate && case_.rotary.arithmetic == POSENC_EXACT;
  const posenc_type* types = is_area_ ? kSharedTypes : &case_.type;
  const std::size_t count = is_area_ ? std::size(kSharedTypes) : 1;
  const std::size_t pairs = case_.pairs(), heads = case_.heads();
  Answers answers;
  answers.distances.resize(count);
  std::vector<std::vector<InputPair>> rotated(count);
  std::vector<const Operands*> operands;
  for (std::size_t k = 0; k < count; ++k) {
    operands.push_back(&OperandsOf(types[k]));
    rotated[k].resize(calls_->rows() * heads * pairs);
  }
  for (std::size_t r = 0; r < calls_->rows(); ++r) {
    const std::size_t row = calls_->row() + r;
    for (std::size_t i = 0; i < pairs; ++i) {
      oracle::Angle angles[2] = {AngleOf(row, i, false), AngleOf(row, i, true)};
      const auto position = static_cast<std::int64_t>(case_.Position(rotary_->axis(i), row));
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t h = 0; h < heads; ++h) {
          const std::size_t at = (r * heads + h) * pairs + i;
          const double a = operands[k]->pairs[2 * at], b = operands[k]->pairs[2 * at + 1];
          InputPair& pair = rotated[k][at];
          const bool is_k = h >= case_.q_heads;
          oracle::Angle& angle = angles[is_k ? 1 : 0];
          if (!is_exact) {
            pair = RotateFast(row, i, is_k, &angle, a, b);
            continue;
          }
          oracle::Rounding x, y;
          angle.Rotate(types[k], a, b, &x, &y);
          answers.distances[k].See(x, position, i, false);
          answers.distances[k].See(y, position, i, true);
          pair = {x.bits, y.bits};
        }
      }
    }
  }
  const std::vector<posenc_pairing> pairings =
      is_area_ ? std::vector<posenc_pairing>{POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}
               : std::vector<posenc_pairing>{OutputPairing(case_.rotary)};
  for (std::size_t k = 0; k < count; ++k) {
    for (const posenc_pairing pairing : pairings) {
      calls_->Arrange(types[k], rotated[k], operands[k]->rest, pairing, true,
                      &answers.entries.emplace_back());
    }
  }
  return answers;
}

// Computes a rotation in POSENC_FAST, where each step is rounded to float. Computing a step in double and
// rounding it to float is the same as rounding once.
InputPair Expected::RotateFast(std::size_t row, std::size_t pair, bool is_k, oracle::Angle* angle, double a,
                               double b) const {
  const auto to_float = [](double x) { return oracle::RoundTo(POSENC_F32, x); };
  double c, s;
  if (case_.operation == Operation::kRotateCached) {
    const std::size_t cache_row = calls_->CacheRow(row);
    const auto scaled = [&](std::size_t e) {
      oracle::Rounding rounding;
      const oracle::Real product = oracle::Real(calls_->CacheEntry(cache_row, e), 24 + 53 + 24) *
                                   (is_k ? 1.0 : case_.scale) *
                                   (is_k ? 1.0 : static_cast<double>(case_.Factor(row)));  // exact
      oracle::RoundExact(POSENC_F32, product.number(), &rounding);
      return oracle::Unpack(POSENC_F32, rounding.bits);
    };
    c = scaled(pair);
    s = scaled(case_.pairs() + pair) * (case_.inverse ? -1.0 : 1.0);
  } else {
    oracle::Rounding cosine, sine;
    angle->RoundBoth(POSENC_F32, &cosine, &sine);
    c = oracle::Unpack(POSENC_F32, cosine.bits);
    s = oracle::Unpack(POSENC_F32, sine.bits);
  }
  const double x = to_float(to_float(a * c) - to_float(b * s));
  const double y = to_float(to_float(b * c) + to_float(a * s));
  const auto pack = [&](double v) { return oracle::Pack(case_.type, oracle::RoundTo(case_.type, v)); };
  return {pack(x), pack(y)};
}

Expected::Element Expected::ElementOf(const Case& as, std::size_t row, std::size_t column) const {
  const std::size_t pairs = as.pairs();
  if (as.operation == Operation::kWriteCache) {
    switch (as.cache_layout) {
      case POSENC_CACHE_DUPLICATED: {
        const std::size_t e = column % (2 * pairs);
        const bool is_neighbours = as.rotary.pairing == POSENC_NEIGHBOURS;
        return {row, 0, is_neighbours ? e / 2 : e % pairs, true, column >= 2 * pairs};
      }
      case POSENC_CACHE_PAIRS:
        return {row, 0, column / 2, true, column % 2 == 1};
      case POSENC_CACHE_HALVES_TWICE:
        return {row, 0, column % pairs, true, column >= 2 * pairs};
      default:
        return {row, 0, column % pairs, true, column >= pairs};
    }
  }
  const std::size_t dim = as.rotary.head_dim, head = column / dim, e = column % dim - as.rotary.rotary_offset;
  if (e >= 2 * pairs) return {row, head, 0, false, false};  // not rotated; before the offset `e` wraps around
  if (OutputPairing(as.rotary) == POSENC_NEIGHBOURS) return {row, head, e / 2, true, e % 2 == 1};
  return {row, head, e % pairs, true, e >= pairs};
}

// Whether the element is the rounding of a known real number, so that its error can be measured.
bool Expected::IsMeasured(const Element& element) const {
  if (case_.operation == Operation::kWriteCache) return true;
  return element.is_rotated && case_.operation == Operation::kRotate &&
         case_.rotary.arithmetic == POSENC_EXACT;
}

// Sets u and v so that this real number is u cosine + v sine.
void Expected::PartsOf(const Element& element, posenc_type type, double* u, double* v) {
  if (case_.operation == Operation::kWriteCache) {
    *u = element.is_second ? 0.0 : 1.0;
    *v = 1.0 - *u;
    return;
  }
  const std::size_t r = element.row - calls_->row();
  const std::size_t at = (r * case_.heads() + element.head) * case_.pairs() + element.pair;
  const double a = OperandsOf(type).pairs[2 * at], b = OperandsOf(type).pairs[2 * at + 1];
  *u = element.is_second ? b : a;
  *v = element.is_second ? a : -b;
}

double Expected::Ulp(const Case& as, std::size_t row, std::size_t column, std::uint64_t got) {
  const double value = oracle::Unpack(as.type, got);
  if (!as.is_rotary()) {
    const double position = case_.Position(0, row);
    if (as.operation == Operation::kAdd) return 0.0;
    if (!IsPosition(position)) return std::numeric_limits<double>::infinity();
    return oracle::Oracle(as.encoder, as.type).Ulp(value, position, column);
  }
  const Element element = ElementOf(as, row, column);
  if (!IsMeasured(element)) return 0.0;
  double u, v;
  PartsOf(element, as.type, &u, &v);
  return AngleOf(row, element.pair, element.head >= case_.q_heads).Ulp(as.type, value, u, v);
}

std::string Expected::Exact(const Case& as, std::size_t row, std::size_t column) {
  if (!as.is_rotary()) {
    const double position = case_.Position(0, row);
    const std::string exact = IsPosition(position) ? encoder_->Exact(position, column) : "NaN";
    if (as.operation != Operation::kAdd) return "exact " + exact;
    return "x " + ShowEntry(as.type, calls_->AddInput(as.type, row, column)) + ", encoding " + exact;
  }
  const Element element = ElementOf(as, row, column);
  if (!IsMeasured(element))
    return element.is_rotated ? "the result of three roundings" : "an element that is not rotated";
  double u, v;
  PartsOf(element, as.type, &u, &v);
  const std::string exact = AngleOf(row, element.pair, element.head >= case_.q_heads).Exact(u, v);
  if (as.operation == Operation::kWriteCache) return "exact " + exact;
  const posenc_type from =
      case_.HasNorm(element.head >= case_.q_heads) ? POSENC_F32 : calls_->SourceType(as.type);
  const auto show = [&](double x) { return ShowEntry(from, oracle::Pack(from, x)); };
  return show(u) + " cos + " + show(v) + " sin, exact " + exact + ExactNorm(as.type, element);
}

#else

Expected::Expected(const Case& c, bool is_area, Calls* calls)
    : case_(c), is_area_(is_area), calls_(calls), reference_(c, kReferenceName) {}

Answers Expected::Compute() {
  Answers answers{std::vector<Entries>(1), std::vector<oracle::Distances>(1)};
  double seconds;
  calls_->Call(case_, reference_, &answers.entries[0], &seconds);
  return answers;
}

double Expected::Ulp(const Case&, std::size_t, std::size_t, std::uint64_t) { return 0.0; }

std::string Expected::Exact(const Case&, std::size_t, std::size_t) { return "unknown without MPFR"; }

#endif

}  // namespace tools
}  // namespace posenc
