#include "number/exact.h"

#include "kernel/head_norm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernel/rotate_token.h"
#include "number/bounds.h"
#include "number/compiler.h"

namespace posenc {
namespace internal {
namespace {

// Kernels write whole vectors of doubles.
constexpr std::size_t kDoublePadding = kMaxVectorBytes / sizeof(double);

bool IsAligned(const void* p) { return AddressOf(p) % sizeof(float) == 0; }

// to [count] = from [count] as floats. Any alignment.
void ReadFloats(const RotaryKernels* kernels, posenc_type type, const unsigned char* from, std::size_t count,
                float* to) {
  if (type == POSENC_F32) {
    std::memcpy(to, from, count * sizeof(float));
  } else {
    WidenToFloats(kernels, type, from, count, to);
  }
}

float WithCanonicalNan(double x) {
  const auto rounded = static_cast<float>(x);
  if (rounded == rounded) return rounded;
  float nan;
  StoreNans(POSENC_F32, 1, &nan);
  return nan;
}

}  // namespace

HeadNorm::HeadNorm(const RotaryKernels* kernels, posenc_arithmetic arithmetic, const posenc_norm& norm,
                   const NormSource& source, bool is_overwritten)
    : target_(kernels),
      kernels_(kernels == nullptr ? nullptr : &kernels->norm),
      arithmetic_(arithmetic),
      norm_(norm),
      source_(source),
      is_over_heads_(norm.over_heads != 0),
      is_overwritten_(is_overwritten) {}

std::size_t HeadNorm::HeadsFrom(std::size_t head, bool at_once) const {
  if (at_once && !is_over_heads_) return source_.heads - head;  // they share their weights
  const std::size_t fit = std::max<std::size_t>(kNormBuffer / source_.head_dim, 1);
  return std::min({fit, kNormHeads, source_.heads - head});
}

// The elements of a head, as aligned floats: in the caller's memory, or read to `room`.
const float* HeadNorm::Read(std::size_t head, NormRange elements, float* room) const {
  const unsigned char* from = source_.At(head, elements.first);
  if (source_.type == POSENC_F32 && IsAligned(from)) return reinterpret_cast<const float*>(from);
  ReadFloats(target_, source_.type, from, elements.count, room);
  return room;
}

// The weights of a group of heads. In float arithmetic they include the 1 that plus_one adds.
HeadNorm::Weights HeadNorm::ReadWeights(NormRange heads, NormRange elements, float* room) const {
  const std::size_t count = elements.count, head_dim = source_.head_dim;
  if (norm_.weight == nullptr) {
    std::fill(room, room + count, 1.0f);
    return {room, 0};
  }
  const std::size_t size = ElementSize(norm_.weight_type);
  const std::size_t begin = (is_over_heads_ ? heads.first * head_dim : 0) + elements.first;
  const unsigned char* from = static_cast<const unsigned char*>(norm_.weight) + begin * size;
  const bool adds_one = norm_.plus_one != 0 && IsFast();
  if (norm_.weight_type == POSENC_F32 && IsAligned(from) && !adds_one) {
    return {reinterpret_cast<const float*>(from), is_over_heads_ ? head_dim : 0};
  }
  const std::size_t rows = is_over_heads_ ? heads.count : 1;
  for (std::size_t k = 0; k < rows; ++k) {
    ReadFloats(target_, norm_.weight_type, from + k * head_dim * size, count, room + k * count);
  }
  for (std::size_t k = 0; adds_one && k < rows * count; ++k) room[k] = 1.0f + room[k];
  return {room, is_over_heads_ ? count : 0};
}

NormRow HeadNorm::RowOf(const float* x, const float* weights, std::size_t count, float* n) const {
  return {x, weights, count, norm_.plus_one != 0, n};
}

double HeadNorm::SumOf(const float* x, std::size_t count) const {
  if (kernels_ == nullptr) return ReferenceSquares(x, count);
  double sum;
  kernels_->sums(x, 0, 1, count, &sum);
  return sum;
}

// The sum of squares of all elements of a mean, read piece by piece to room [size].
double HeadNorm::SumOfMean(std::size_t head, float* room, std::size_t size) const {
  const NormRange heads = HeadsOfMean(head);
  double sum = 0.0;
  for (std::size_t h = heads.first; h < heads.first + heads.count; ++h) {
    for (std::size_t at = 0; at < source_.head_dim; at += size) {
      const std::size_t count = std::min(size, source_.head_dim - at);
      sum += SumOf(Read(h, {at, count}, room), count);
    }
  }
  return sum;
}

float HeadNorm::FastSumOf(const float* x, std::size_t count) const {
  if (kernels_ != nullptr) return kernels_->fast_sum(x, count);
  float sums[kFastSums] = {};
  AddSquares(x, count, 0, sums);
  return SumOfSixteen(sums);
}

// The sum of a head that may be larger than the room.
float HeadNorm::FastSumOfHead(std::size_t head, float* room) const {
  const std::size_t head_dim = source_.head_dim;
  const bool is_in_memory = source_.type == POSENC_F32 && IsAligned(source_.At(head, 0));
  if (is_in_memory || head_dim <= kNormBuffer) return FastSumOf(Read(head, {0, head_dim}, room), head_dim);
  float sums[kFastSums] = {};
  for (std::size_t at = 0; at < head_dim; at += kNormBuffer) {
    const std::size_t count = std::min(kNormBuffer, head_dim - at);
    AddSquares(Read(head, {at, count}, room), count, at, sums);
  }
  return SumOfSixteen(sums);
}

void HeadNorm::SetMean(std::size_t head, double sum) {
  const auto count = static_cast<double>(ElementsOfMean());
  if (kernels_ == nullptr) return SetInverse(head, ReferenceInverseRoot(sum / count + norm_.epsilon));
  double inverses[1 + kDoublePadding] = {sum};
  kernels_->inverses(inverses, 1, count, norm_.epsilon);
  SetInverse(head, inverses[0]);
}

void HeadNorm::SetInverse(std::size_t head, double inverse) {
  inverse_ = inverse;
  has_close_ = false;
  exact_.Clear();
  measured_ = MeanOf(head);
}

void HeadNorm::SetFastMean(std::size_t head, float sum) {
  const auto count = static_cast<float>(ElementsOfMean());
  const auto epsilon = static_cast<float>(norm_.epsilon);
  if (kernels_ == nullptr) {
    fast_inverse_ = ReferenceFastInverse(sum, count, epsilon);
  } else {
    float inverses[1 + kVectorPadding] = {sum};
    kernels_->fast_inverses(inverses, 1, count, epsilon);
    fast_inverse_ = inverses[0];
  }
  measured_ = MeanOf(head);
}

// Computes the mean of a head, or of the token, piece by piece.
void HeadNorm::Measure(std::size_t head, float* room, float* weight_room) {
  const NormRange heads = HeadsOfMean(head);
  if (IsFast()) {
    float sum = FastSumOfHead(heads.first, room);
    for (std::size_t h = 1; h < heads.count; ++h) sum = sum + FastSumOfHead(h, room);
    return SetFastMean(head, sum);
  }
  SetMean(head, SumOfMean(head, room, kNormBuffer));
  if (!is_overwritten_ || !HasRoot() || AreDecided(heads, room, weight_room)) return;
  if (kernels_ != nullptr) Close(head);
  Exact(head);
}

// Whether the kernel decides all elements of some heads. The results are lost, as there is no room for them.
bool HeadNorm::AreDecided(NormRange heads, float* room, float* weight_room) const {
  if (kernels_ == nullptr) return false;
  const double error = NormError(ElementsOfMean());
  for (std::size_t h = heads.first; h < heads.first + heads.count; ++h) {
    for (std::size_t at = 0; at < source_.head_dim; at += kNormBuffer) {
      const NormRange elements = {at, std::min(kNormBuffer, source_.head_dim - at)};
      const Weights weights = ReadWeights({h, 1}, elements, weight_room);
      const NormRow row = RowOf(Read(h, elements, room), weights.first, elements.count, room);
      if (!kernels_->part(row, inverse_, error)) return false;
    }
  }
  return true;
}

// The ladder of norms, for a mean of d elements. A tier keeps an element only if all numbers within its error
// round to this element:
//
//   tier             takes                                    error          leaves
//   1  head, part    rows of a head                           (d/2 + 16) u   a head in 36,000, if d is 128
//   2  closely       rows with an undecided element, in sums  2^-98, or      n_i within this error of a
//                    of two doubles                           (d u)^2 more   midpoint, if ties are not known
//   3  NormalizeOne  one element at a time: the interval of   none           (nothing)
//                    tier 1, and integers if it is undecided
//
// In nearly all heads the sum of squares fits into two doubles (Close). Then the error of tier 2 is 2^-98,
// and it knows ties. It also knows n_i that a tiny epsilon separates from a midpoint. There is one exception:
// factors 1 + weight that are no doubles.
//
// Tier 2 takes a row as a whole. Tier 3 takes the elements that tier 2 leaves. The reference has tier 3 only,
// and computes all elements by integers.
void HeadNorm::Normalize(NormRange heads, NormRange elements, float* n) {
  const bool are_heads = !is_over_heads_ && elements.count == source_.head_dim;
  if (are_heads && kernels_ != nullptr && !IsFast() && elements.count <= kSharedFactors) {
    NormalizeHeads(heads, n);
  } else {
    NormalizeParts(heads, elements, n);
  }
}

// Tier 1 for whole heads that share their factors. All sums come first, so that the roots of all heads are
// computed in vectors, and no head waits for its root. Not inlined, because of its arrays.
POSENC_NOINLINE void HeadNorm::NormalizeHeads(NormRange heads, float* n) {
  alignas(64) float weight_room[kSharedFactors];
  alignas(64) double lower[kSharedFactors + kDoublePadding], upper[kSharedFactors + kDoublePadding];
  alignas(64) double inverses[kNormHeads + kDoublePadding] = {};
  const NormRange all = {0, source_.head_dim};
  const float* x = Read(heads.first, all, n);
  std::size_t stride = source_.stride / sizeof(float);
  if (x == n) {
    stride = all.count;
    for (std::size_t k = 1; k < heads.count; ++k) Read(heads.first + k, all, n + k * stride);
  }
  const float* const weights = ReadWeights({heads.first, 1}, all, weight_room).first;
  kernels_->sums(x, stride, heads.count, all.count, inverses);
  kernels_->inverses(inverses, heads.count, static_cast<double>(all.count), norm_.epsilon);
  kernels_->bound(RowOf(x, weights, all.count, n), NormError(all.count), lower, upper);
  for (std::size_t k = 0; k < heads.count; ++k) {
    const NormRow row = RowOf(x + k * stride, weights, all.count, n + k * all.count);
    if (kernels_->head(row, inverses[k], lower, upper)) continue;
    SetInverse(heads.first + k, inverses[k]);
    Decide(heads.first + k, all, row);
  }
}

// All other rows. Not inlined, because of its room for weights.
POSENC_NOINLINE void HeadNorm::NormalizeParts(NormRange heads, NormRange elements, float* n) {
  alignas(64) float weight_room[kNormBuffer];
  const bool is_whole_mean = !is_over_heads_ && elements.count == source_.head_dim;
  if (!is_whole_mean && measured_ != MeanOf(heads.first)) Measure(heads.first, n, weight_room);
  const Weights weights = ReadWeights(heads, elements, weight_room);
  const double error = NormError(ElementsOfMean());
  for (std::size_t k = 0; k < heads.count; ++k) {
    const std::size_t head = heads.first + k;
    float* const to = n + k * elements.count;
    const NormRow row = RowOf(Read(head, elements, to), weights.Of(k), elements.count, to);
    if (IsFast()) {
      if (measured_ != MeanOf(head)) SetFastMean(head, FastSumOf(row.x, row.count));
      kernels_ == nullptr ? ReferenceNormalizeFast(row, fast_inverse_) : kernels_->fast(row, fast_inverse_);
    } else {
      if (measured_ != MeanOf(head)) SetMean(head, SumOf(row.x, row.count));
      if (kernels_ == nullptr || !kernels_->part(row, inverse_, error)) Decide(head, elements, row);
    }
  }
}

bool HeadNorm::TakesElements() const {
  return IsFast() && kernels_ != nullptr && source_.type == POSENC_F32 && IsAligned(source_.elements);
}

FastFactors HeadNorm::Factors(NormRange heads, float* room, float* inverses) {
  if (is_over_heads_) {
    if (measured_ != 0) Measure(0, room, room);
    std::fill(inverses, inverses + heads.count, fast_inverse_);
  }
  const Weights weights = ReadWeights(heads, {0, source_.head_dim}, room);
  return {is_over_heads_ ? inverses : nullptr, weights.first, weights.stride,
          static_cast<float>(norm_.epsilon)};
}

// The last two tiers, for a row that the first one has left undecided.
void HeadNorm::Decide(std::size_t head, NormRange elements, const NormRow& row) {
  const bool is_close = kernels_ != nullptr && HasRoot();
  if (kernels_ != nullptr) {
    // Tier 1 may have overwritten what was read to n.
    const float* const x = row.x == row.n ? Read(head, elements, row.n) : row.x;
    const NormRow again = RowOf(x, row.weights, row.count, row.n);
    if (!is_close) return NormalizeWithoutRoot(again);
    if (kernels_->closely(again, Close(head))) return;
  }
  const unsigned char* from = source_.At(head, elements.first);
  const std::size_t size = ElementSize(source_.type);
  for (std::size_t k = 0; k < row.count; ++k, from += size) {
    if (is_close && row.n[k] == row.n[k]) continue;
    row.n[k] = NormalizeOne(head, LoadElement(source_.type, from), row.weights[k]);
  }
}

// Normalizes a row whose mean is infinite, 0 or a NaN. An infinite mean divides as in IEEE arithmetic. If the
// mean is 0, all elements are 0, and 0 / 0 is a NaN. If the mean is a NaN, all n_i are NaNs, too.
void HeadNorm::NormalizeWithoutRoot(const NormRow& row) const {
  if (inverse_ != 0.0) return StoreNans(POSENC_F32, row.count, row.n);
  for (std::size_t k = 0; k < row.count; ++k) {
    row.n[k] = WithCanonicalNan(EstimateNormalized(row.x[k], row.weights[k], row.plus_one, 0.0));
  }
}

// The mean of a head, or of the token, for tier 2. None of its elements may have been overwritten, unless
// this mean is known. Not inlined, because of its room.
POSENC_NOINLINE const CloseMean& HeadNorm::Close(std::size_t head) {
  if (has_close_) return close_;
  constexpr std::size_t kRoom = 256;  // of a small stack
  alignas(64) float room[kRoom];
  constexpr int kBias = 1023;
  const std::size_t count = ElementsOfMean();
  // 2^k is larger than the root of the sum of squares. The sum that follows has no error if all elements are
  // multiples of 2^(k - digits).
  const double mean = 1.0 / (inverse_ * inverse_);
  const bool is_small = mean < 2.0 * norm_.epsilon;  // the mean of squares is far below
  const double about =
      (is_small ? SumOfMean(head, room, kRoom) : mean * static_cast<double>(count)) * (1.0 + 0x1p-30);
  std::uint64_t bits;
  std::memcpy(&bits, &about, sizeof(bits));
  const int k = (static_cast<int>(bits >> 52) - kBias + 2) >> 1;
  const int digits = std::min(50, (106 - (64 - LeadingZeros(count))) / 2);
  bits = static_cast<std::uint64_t>(digits - k + kBias) << 52;
  double scale;
  std::memcpy(&scale, &bits, sizeof(scale));
  const NormRange heads = HeadsOfMean(head);
  double sum[2] = {0.0, 0.0};
  is_sum_exact_ = true;
  for (std::size_t h = heads.first; h < heads.first + heads.count; ++h) {
    for (std::size_t at = 0; at < source_.head_dim; at += kRoom) {
      const std::size_t some = std::min(kRoom, source_.head_dim - at);
      const bool is_exact = kernels_->sum_closely(Read(h, {at, some}, room), some, scale, sum);
      is_sum_exact_ = is_sum_exact_ && is_exact;
    }
  }
  sum_ = ExactSum(sum[0], sum[1]);
  close_ = CloseMeanOf(sum_, is_sum_exact_, count, norm_.epsilon, inverse_);
  has_close_ = true;
  return close_;
}

float HeadNorm::NormalizeOne(std::size_t head, float x, float weight) {
  const bool plus_one = norm_.plus_one != 0;
  const double product = EstimateNormalized(x, weight, plus_one, 1.0), n = product * inverse_;
  // Zeros, infinities and NaNs are what IEEE arithmetic makes of them.
  if (product == 0.0 || product - product != 0.0 || !HasRoot()) return WithCanonicalNan(n);
  if (kernels_ != nullptr) {
    const double error = NormError(ElementsOfMean());
    const auto below = static_cast<float>(n * (1.0 - error)), above = static_cast<float>(n * (1.0 + error));
    if (below == above) return below;
  }
  ++recomputed_;
  return Exact(head).Round(x, weight, plus_one, n);
}

// The exact mean of a head, or of the token. None of its elements may have been overwritten, unless the mean
// is known.
const ExactMean& HeadNorm::Exact(std::size_t head) {
  if (exact_.IsSet()) return exact_;
  if (has_close_ && is_sum_exact_) {
    exact_.Set(sum_, ElementsOfMean(), norm_.epsilon);
    return exact_;
  }
  NormSource elements = source_;
  elements.elements = source_.At(MeanOf(head), 0);
  elements.heads = is_over_heads_ ? source_.heads : 1;
  exact_.Set(elements, norm_.epsilon);
  return exact_;
}

}  // namespace internal
}  // namespace posenc
