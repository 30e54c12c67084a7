#include "number/exact.h"

#include "call/norm.h"

#include <cstdint>
#include <cstring>

#include "number/bounds.h"
#include "number/elements.h"
#include "spec/check_members.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

// Whether a norm may have this epsilon. Compares bits, because the caller's floating-point state may take a
// subnormal number for zero. Bits of positive doubles have the order of the doubles. -0 is allowed, as 0.
bool IsEpsilon(double epsilon) {
  const auto bits_of = [](double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  };
  const std::uint64_t bits = bits_of(epsilon);
  return bits << 1 == 0 || (bits >= bits_of(kMinEpsilon) && bits <= bits_of(1.0));
}

}  // namespace

posenc_status CheckNorm(const posenc_norm& norm, std::size_t heads, std::size_t head_dim) {
  if (!IsFlag(norm.plus_one)) return rule::norm_plus_one;
  if (!IsFlag(norm.over_heads)) return rule::norm_over_heads;
  if (!IsEpsilon(norm.epsilon)) return rule::norm_epsilon;
  if (norm.weight == nullptr && (norm.weight_type != posenc_type{} || norm.plus_one != 0))
    return rule::null_norm_weight;
  if (norm.weight != nullptr && !IsSummand(norm.weight_type)) return rule::norm_weight_type;
  const bool are_few = norm.over_heads == 0 || heads <= POSENC_MAX_NORM_ELEMENTS / head_dim;
  return are_few ? rule::ok : rule::norm_elements;
}

Bytes WeightBytes(const posenc_norm& norm, std::size_t heads, std::size_t head_dim) {
  if (norm.weight == nullptr) return {nullptr, 0};
  const std::size_t rows = norm.over_heads != 0 ? heads : 1;
  return {norm.weight, rows * head_dim * ElementSize(norm.weight_type)};
}

bool HaveNorm(const Tensors& tensors) {
  for (std::size_t i = 0; tensors.heads != nullptr && i < tensors.count; ++i) {
    if (tensors.heads[i].norm != nullptr) return true;
  }
  return false;
}

}  // namespace internal
}  // namespace posenc
