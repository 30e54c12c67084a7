// Norms in float arithmetic (POSENC_FAST, rotary_norm_c.h). Included once per target.
//
//   sum:  sum k of sixteen has x_k^2, x_(k + 16)^2 and so on; sums 8, 4, 2 and 1 apart are added
//   r = 1 / sqrt(sum / d + epsilon),   n = (x r) factor
//
// Each operation rounds to float, and no FMA is used. So all targets give the same bits, whatever the length
// of their vectors. The error is FastNormError (posenc/accuracy.h), and proof/norm.md argues it.
#if defined(POSENC_SRC_KERNEL_NORM_FAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_NORM_FAST_INL_H_
#undef POSENC_SRC_KERNEL_NORM_FAST_INL_H_
#else
#define POSENC_SRC_KERNEL_NORM_FAST_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"
#include "kernel/heads.h"
#include "kernel/norm_reference.h"
#include "kernel/norm_rows.h"
#include "kernel/pairs-inl.h"
#include "kernel/simd-inl.h"
#include "kernel/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

// The length of vectors is not known, so the sixteen sums are in memory.
inline float SumSquaresFast(const float* x, std::size_t count) {
  HWY_ALIGN float sums[kFastSums] = {};
  std::size_t at = 0;
#if HWY_HAVE_SCALABLE
  const hn::CappedTag<float, kFastSums> df;
  const std::size_t lanes = hn::Lanes(df);
  if (kFastSums % lanes == 0) {
    for (; at + lanes <= count; at += lanes) {
      float* const to = sums + at % kFastSums;
      const auto v = hn::LoadU(df, x + at);
      hn::StoreU(hn::Add(hn::LoadU(df, to), hn::Mul(v, v)), df, to);
    }
  }
#endif
  AddSquares(x + at, count - at, at, sums);
  return SumOfSixteen(sums);
}

#else

// sum + x^2
HWY_INLINE EntryVec PlusSquare(const float* x, EntryVec sum) {
  const auto v = hn::LoadU(Entries(), x);
  return hn::Add(sum, hn::Mul(v, v));
}

// Adds the squares of 16 elements to the sixteen sums, which are in one, two or four vectors.
HWY_INLINE void PlusSixteenSquares(const float* x, EntryVec& sum0, EntryVec& sum1, EntryVec& sum2,
                                   EntryVec& sum3) {
  constexpr std::size_t kLanes = hn::MaxLanes(Entries());
  static_assert(kLanes == 4 || kLanes == 8 || kLanes == 16, "sixteen sums fill whole vectors");
  sum0 = PlusSquare(x, sum0);
  if constexpr (kLanes <= 8) sum1 = PlusSquare(x + kLanes, sum1);
  if constexpr (kLanes == 4) {
    sum2 = PlusSquare(x + 2 * kLanes, sum2);
    sum3 = PlusSquare(x + 3 * kLanes, sum3);
  }
}

// Four sums of sixteen, by adding those 8 apart and then those 4 apart. (A template, because other branches
// do not compile.)
template <class D, class V>
HWY_INLINE hn::Vec<hn::FixedTag<float, 4> > FourSums(D /*d*/, V sum0, V sum1, V sum2, V sum3) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  if constexpr (kLanes == 16) {
    const hn::Half<D> half;
    return FourSums(half, hn::LowerHalf(half, sum0), hn::UpperHalf(half, sum0), hn::Zero(half),
                    hn::Zero(half));
  } else if constexpr (kLanes == 8) {
    const hn::Half<D> half;
    const auto eight = hn::Add(sum0, sum1);
    return hn::Add(hn::LowerHalf(half, eight), hn::UpperHalf(half, eight));
  } else {
    return hn::Add(hn::Add(sum0, sum2), hn::Add(sum1, sum3));
  }
}

inline float SumSquaresFast(const float* x, std::size_t count) {
  auto sum0 = hn::Zero(Entries()), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  std::size_t at = 0;
  for (; at + kFastSums <= count; at += kFastSums) PlusSixteenSquares(x + at, sum0, sum1, sum2, sum3);
  if (at < count) {
    HWY_ALIGN float last[kFastSums] = {};  // no sum changes if a 0 is added
    std::memcpy(last, x + at, (count - at) * sizeof(float));
    PlusSixteenSquares(last, sum0, sum1, sum2, sum3);
  }
  auto sum = FourSums(Entries(), sum0, sum1, sum2, sum3);
  sum = hn::Add(sum, hn::Shuffle1032(sum));
  sum = hn::Add(sum, hn::Shuffle2301(sum));
  return hn::GetLane(sum);
}

#endif

// sums[h] = the sum of head h, h < heads. Heads are `stride` floats apart.
inline void SumHeadsFast(const float* x, std::size_t stride, std::size_t heads, std::size_t count,
                         float* sums) {
  for (std::size_t h = 0; h < heads; ++h) sums[h] = SumSquaresFast(x + h * stride, count);
}

// sums[k] becomes 1 / sqrt(sums[k] / count + epsilon), k < many. Numbers behind these, up to a whole vector,
// may change.
inline void InvertSumsFast(float* sums, std::size_t many, float count, float epsilon) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < many; ++k) sums[k] = ReferenceFastInverse(sums[k], count, epsilon);
#else
  const Entries df;
  for (std::size_t k = 0; k < many; k += hn::Lanes(df)) {
    const auto mean = hn::Add(hn::Div(hn::LoadU(df, sums + k), hn::Set(df, count)), hn::Set(df, epsilon));
    hn::StoreU(hn::Div(hn::Set(df, 1.0f), hn::Sqrt(mean)), df, sums + k);
  }
#endif
}

// n = (x r) factor for a row. The factors are the row's weights.
inline void NormalizeFast(const NormRow& row, float inverse) {
  const Entries df;
  const auto r = hn::Set(df, inverse);
  std::size_t at = 0;
  for (; at + hn::Lanes(df) <= row.count; at += hn::Lanes(df)) {
    const auto n = hn::Mul(hn::Mul(hn::LoadU(df, row.x + at), r), hn::LoadU(df, row.weights + at));
    hn::StoreU(n, df, row.n + at);
  }
  ReferenceNormalizeFast({row.x + at, row.weights + at, row.count - at, row.plus_one, row.n + at}, inverse);
}

// Normalizes a vector of pairs, half-split elements `apart`: a has the first elements, b the second ones.
template <posenc_pairing kPairing>
HWY_INLINE void NormalizePairs(const float* from, std::size_t apart, EntryVec inverse, EntryVec factor_a,
                               EntryVec factor_b, EntryVec& a, EntryVec& b) {
  const Entries df;
  if constexpr (kPairing == POSENC_HALF_SPLIT) {  // whole vectors, because elements are in the L1 cache
    a = hn::LoadU(df, from);
    b = hn::LoadU(df, from + apart);
  } else {
    LoadPairs<POSENC_F32, kPairing>(df, from, apart, a, b);
  }
  a = hn::Mul(hn::Mul(a, inverse), factor_a);
  b = hn::Mul(hn::Mul(b, inverse), factor_b);
}

// Rotates a vector of pairs.
template <posenc_pairing kPairing>
HWY_INLINE void RotatePairs(EntryVec a, EntryVec b, EntryVec cosine, EntryVec sine, float* to,
                            std::size_t apart) {
  const Words dw;
  const auto x = hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine));
  const auto y = hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine));
  StoreElements<POSENC_F32, kPairing>(Entries(), hn::BitCast(dw, x), hn::BitCast(dw, y), to, apart);
}

// Normalizes and rotates whole heads: all elements rotate, and results are float32. Heads share cosines,
// sines and factors in registers: their elements are in the L1 cache, where their sums have been computed.
template <posenc_pairing kPairing>
void RotateNormed(const float* cosines, const float* sines, const Heads& heads, const FastFactors& norm) {
  using One = Head<POSENC_F32, POSENC_F32>;
  const Entries df;
  const std::size_t lanes = hn::Lanes(df), pairs = heads.pairs, apart = heads.apart, count = heads.count;
  const One first(heads, 0);
  const std::size_t source_stride = heads.source_stride / sizeof(float),
                    stride = heads.stride / sizeof(float);
  const float *const inverse = norm.inverse, *const factors = norm.factors;
  const std::size_t factor_stride = norm.stride;
  // Elements that no cache holds come from the next groups of heads.
  if (heads.cached == Cached::kNowhere) PrefetchFarAhead(first.source, count * pairs);
  EntryVec factor_a, factor_b, a, b;
  std::size_t i = 0;
  for (; i + lanes <= pairs; i += lanes) {
    const std::size_t element = i * kStep<kPairing>;
    const auto cosine = hn::LoadU(df, cosines + i), sine = hn::LoadU(df, sines + i);
    LoadPairs<POSENC_F32, kPairing>(df, factors + element, apart, factor_a, factor_b);
    const float* from = first.source + element;
    float* to = first.data + element;
    for (std::size_t h = 0; h < count; ++h, from += source_stride, to += stride) {
      if (factor_stride != 0) {
        LoadPairs<POSENC_F32, kPairing>(df, factors + h * factor_stride + element, apart, factor_a, factor_b);
      }
      NormalizePairs<kPairing>(from, apart, hn::Set(df, inverse[h]), factor_a, factor_b, a, b);
      RotatePairs<kPairing>(a, b, cosine, sine, to, apart);
    }
  }
  if (i == pairs) return;
  const auto cosine = hn::LoadU(df, cosines + i), sine = hn::LoadU(df, sines + i);
  LastPairs<POSENC_F32, POSENC_F32, kPairing, Entries> last, last_factors;
  for (std::size_t h = 0; h < count; ++h) {
    const One head(heads, h);
    last.Read(head.source, i, pairs, apart);
    last_factors.Read(factors + h * factor_stride, i, pairs, apart);
    LoadPairs<POSENC_F32, kPairing>(df, last_factors.elements, lanes, factor_a, factor_b);
    NormalizePairs<kPairing>(last.elements, lanes, hn::Set(df, inverse[h]), factor_a, factor_b, a, b);
    RotatePairs<kPairing>(a, b, cosine, sine, last.Results(), lanes);
    last.Write(head.data, i, pairs, apart);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_NORM_FAST_INL_H_
