#include "number/exact.h"

#include "oracle/format.h"
#include "verify/calls.h"

namespace posenc {
namespace tools {

void Calls::MakeWeights() {
  const Norm& norm = case_.norm;
  const std::size_t dim = case_.rotary.head_dim;
  for (const bool is_k : {false, true}) {
    if (!case_.HasNorm(is_k) || (norm.listed.empty() && norm.weights == NormWeights::kNone)) continue;
    const std::size_t heads = norm.mean == Mean::kHead ? 1 : is_k ? case_.k_heads : case_.q_heads;
    for (std::size_t n = 0; n < heads * dim; ++n) {
      weights_[is_k ? 1 : 0].push_back(
          norm.listed.empty()
              ? MakeWeight(norm.weights, norm.weight_type, HashOf(case_.seed, 0, is_k ? 0x77 : 0x33, n))
              : oracle::Pack(norm.weight_type, norm.listed[n % dim % norm.listed.size()]));
    }
  }
}

// Makes the elements that are not rotated. Replaces elements that must suit each other or the weights.
void Calls::MakeForNorm(posenc_type type, HeadElements* made) const {
  const Norm& norm = case_.norm;
  const posenc_type from = SourceType(type);
  const std::size_t dim = case_.rotary.head_dim, paired = 2 * case_.pairs(), heads = case_.heads();
  made->rest.resize(rows_ * heads * (dim - paired));
  const auto element = [&](std::size_t r, std::size_t h, std::size_t n) -> std::uint64_t& {
    const std::size_t head = r * heads + h;
    if (n >= paired) return made->rest[head * (dim - paired) + n - paired];
    InputPair& pair = made->pairs[(head * paired + n) / 2];
    return n % 2 == 0 ? pair.a : pair.b;
  };
  for (std::size_t k = 0; k < rows_ * heads * dim; ++k) {
    const std::size_t r = k / dim / heads, h = k / dim % heads, n = k % dim;
    if (!case_.elements.empty()) {
      element(r, h, n) = oracle::Pack(from, case_.elements[n % case_.elements.size()]);
    } else if (n >= paired) {
      const Inputs inputs = (row_ + r + h + n) % case_.rare == 0 ? case_.inputs : Inputs::kNormal;
      element(r, h, n) = MakeInput(inputs, from, type, HashOf(case_.seed, row_ + r, h, n), 1.0, 0.0).a;
    }
  }
  for (const bool is_k : {false, true}) {
    if (norm.inputs == NormInputs::kPairs || !case_.HasNorm(is_k)) continue;
    const std::size_t first = is_k ? case_.q_heads : 0, end = is_k ? heads : case_.q_heads;
    const std::size_t together = norm.mean == Mean::kHead ? 1 : end - first;
    const std::vector<std::uint64_t>& bits = Weights(is_k);
    std::vector<double> weights(together * dim, norm.plus_one ? 0.0 : 1.0);
    for (std::size_t n = 0; n < bits.size(); ++n) weights[n] = oracle::Unpack(norm.weight_type, bits[n]);
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t h = first; h < end; h += together) {
        const std::vector<std::uint64_t> all =
            MakeNormInputs(norm.inputs, from, type, norm.epsilon, norm.plus_one, weights,
                           HashOf(case_.seed, row_ + r, h, dim));
        for (std::size_t n = 0; n < all.size(); ++n) element(r, h + n / dim, n % dim) = all[n];
      }
    }
  }
}

void Calls::SetNorm(const Case& as, bool is_k, PassedNorm* passed) const {
  const std::vector<std::uint64_t>& bits = Weights(is_k);
  const std::size_t dim = as.rotary.head_dim;
  passed->weights.Reset(as.norm.weight_type, bits.size());
  for (std::size_t n = 0; n < bits.size(); ++n) {
    passed->weights.Set(n / dim * dim + PlaceInHead(as.rotary.pairing, n % dim), bits[n]);
  }
  posenc_norm& norm = passed->norm;
  norm = {};
  norm.weight = bits.empty() ? nullptr : passed->weights.data();
  if (!bits.empty()) norm.weight_type = as.norm.weight_type;
  norm.epsilon = as.norm.epsilon;
  norm.plus_one = as.norm.plus_one ? 1 : 0;
  norm.over_heads = as.norm.mean == Mean::kToken ? 1 : 0;
}

}  // namespace tools
}  // namespace posenc
