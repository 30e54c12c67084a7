#include "number/exact.h"

#include <algorithm>
#include <cmath>

#include "oracle/format.h"
#include "verify/expected.h"

#ifdef POSENC_HAVE_MPFR

namespace posenc {
namespace tools {

const Expected::Operands& Expected::OperandsOf(posenc_type type) {
  if (operands_row_ != calls_->row() || operands_rows_ != calls_->rows()) operands_.clear();
  operands_row_ = calls_->row();
  operands_rows_ = calls_->rows();
  Operands& made = operands_[type];
  if (!made.pairs.empty()) return made;
  const posenc_type from = calls_->SourceType(type);
  for (const InputPair& pair : calls_->Pairs(type)) {
    made.pairs.push_back(oracle::Unpack(from, pair.a));
    made.pairs.push_back(oracle::Unpack(from, pair.b));
  }
  if (case_.HasNorm()) Normalize(type, &made);
  return made;
}

// Normalizes the elements of pairs, and makes the results of all others.
void Expected::Normalize(posenc_type type, Operands* made) {
  const std::size_t dim = case_.rotary.head_dim, paired = 2 * case_.pairs(), rest = dim - paired;
  made->rest = calls_->Rest(type);
  for (std::size_t r = 0; r < calls_->rows(); ++r) {
    for (const bool is_k : {false, true}) {
      const std::size_t end = is_k ? case_.heads() : case_.q_heads;
      std::size_t together = 1;
      for (std::size_t h = is_k ? case_.q_heads : 0; h < end; h += together) {
        const bool is_normed = case_.HasNorm(is_k);
        if (is_normed && case_.norm.mean == Mean::kToken) together = end - h;
        std::vector<double> all(together * dim);
        if (is_normed) all = Normalized(MeansOf(type, r, h, together));
        for (std::size_t n = 0; n < together * dim; ++n) {
          const std::size_t head = h + n / dim, at = r * case_.heads() + head, e = n % dim;
          if (e >= paired) {
            std::uint64_t& bits = made->rest[at * rest + e - paired];
            bits = RestOf(type, calls_->row() + r, head, bits, all[n]);
          } else if (is_normed) {
            made->pairs[at * paired + e] = all[n];
          }
        }
      }
    }
  }
}

// The elements of some heads of a prepared row, from `head` on.
Expected::Means Expected::MeansOf(posenc_type type, std::size_t r, std::size_t head,
                                  std::size_t heads) const {
  const std::size_t dim = case_.rotary.head_dim, paired = 2 * case_.pairs();
  const posenc_type from = calls_->SourceType(type);
  const std::vector<InputPair>& pairs = calls_->Pairs(type);
  const std::vector<std::uint64_t>& rest = calls_->Rest(type);
  const std::vector<std::uint64_t>& weights = calls_->Weights(head >= case_.q_heads);
  Means means;
  for (std::size_t n = 0; n < heads * dim; ++n) {
    const std::size_t at = r * case_.heads() + head + n / dim, e = n % dim;
    const InputPair* const pair = e < paired ? &pairs[(at * paired + e) / 2] : nullptr;
    const std::uint64_t bits = pair == nullptr ? rest[at * (dim - paired) + e - paired]
                               : e % 2 == 0    ? pair->a
                                               : pair->b;
    means.x.push_back(oracle::Unpack(from, bits));
    // Without weights n_i is x_i 1 / sqrt(...), or with plus_one x_i (1 + 1) / sqrt(...).
    means.weights.push_back(
        weights.empty() ? 1.0 : oracle::Unpack(case_.norm.weight_type, weights[n % weights.size()]));
  }
  return means;
}

// The n_i, as numbers.
std::vector<double> Expected::Normalized(const Means& means) const {
  if (case_.rotary.arithmetic != POSENC_EXACT) return NormalizedFast(means);
  std::vector<double> all;
  oracle::NormOracle norm(means.x.data(), means.x.size(), case_.norm.epsilon);
  for (std::size_t n = 0; n < means.x.size(); ++n) {
    const std::uint64_t bits = norm.Normalize(means.x[n], means.weights[n], case_.norm.plus_one).bits;
    all.push_back(oracle::Unpack(POSENC_F32, bits));
  }
  return all;
}

// The same in POSENC_FAST, where each step is rounded to float. Computing a step in double and rounding it to
// float is the same as rounding once.
std::vector<double> Expected::NormalizedFast(const Means& means) const {
  constexpr std::size_t kSums = 16;
  const auto to_float = [](double x) { return oracle::RoundTo(POSENC_F32, x); };
  const std::size_t dim = case_.rotary.head_dim;
  std::vector<std::size_t> at(dim);  // of the elements in memory, among those of `means`
  for (std::size_t n = 0; n < dim; ++n) at[calls_->PlaceInHead(case_.rotary.pairing, n)] = n;
  double sum = 0.0;
  for (std::size_t head = 0; head < means.x.size(); head += dim) {
    double sums[kSums] = {};
    for (std::size_t n = 0; n < dim; ++n) {  // in the order of memory
      double& part = sums[n % kSums];
      const double x = means.x[head + at[n]];
      part = to_float(part + to_float(x * x));
    }
    for (std::size_t apart = kSums / 2; apart > 0; apart /= 2) {
      for (std::size_t k = 0; k < apart; ++k) sums[k] = to_float(sums[k] + sums[k + apart]);
    }
    sum = to_float(sum + sums[0]);
  }
  const double mean = to_float(sum / static_cast<double>(means.x.size()));
  const double root = to_float(std::sqrt(to_float(mean + to_float(case_.norm.epsilon))));
  const double inverse = to_float(1.0 / root);
  std::vector<double> all;
  for (std::size_t n = 0; n < means.x.size(); ++n) {
    const double gain = case_.norm.plus_one ? to_float(1.0 + means.weights[n]) : means.weights[n];
    all.push_back(to_float(to_float(means.x[n] * inverse) * gain));
  }
  return all;
}

// The result of an element that is not rotated. `bits` are those of the element, which counts if the tensor
// has no norm.
std::uint64_t Expected::RestOf(posenc_type type, std::size_t row, std::size_t head, std::uint64_t bits,
                               double normalized) const {
  const bool is_k = head >= case_.q_heads;
  const posenc_type from = calls_->SourceType(type);
  const double factor = is_k ? 1.0 : static_cast<double>(case_.Factor(row));
  const double element = case_.HasNorm(is_k) ? normalized : oracle::Unpack(from, bits);
  const bool keeps_nans = case_.rotary.arithmetic == POSENC_EXACT || !std::isnan(element);
  if (!case_.HasNorm(is_k) && from == type && factor == 1.0 && keeps_nans) return bits;
  return oracle::Pack(type, oracle::RoundTo(type, element * factor));  // the product is exact
}

std::string Expected::ExactNorm(posenc_type type, const Element& element) const {
  const bool is_k = element.head >= case_.q_heads;
  if (!case_.HasNorm(is_k)) return "";
  const std::size_t dim = case_.rotary.head_dim, r = element.row - calls_->row(),
                    first = is_k ? case_.q_heads : 0;
  const bool is_token = case_.norm.mean == Mean::kToken;
  const std::size_t end = is_k ? case_.heads() : case_.q_heads, head = is_token ? first : element.head;
  const Means means = MeansOf(type, r, head, is_token ? end - first : 1);
  oracle::NormOracle norm(means.x.data(), means.x.size(), case_.norm.epsilon);
  const std::size_t n = (element.head - head) * dim + 2 * element.pair;
  const auto exact = [&](std::size_t e) {
    return norm.Exact(means.x[e], means.weights[e], case_.norm.plus_one);
  };
  return "; normalized exactly " + exact(n) + " and " + exact(n + 1);
}

}  // namespace tools
}  // namespace posenc

#endif
