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
#include "kernel/fast_step-inl.h"
#include "kernel/heads.h"
#include "kernel/norm_reference.h"
#include "kernel/norm_rows.h"
#include "kernel/pairs-inl.h"
#include "kernel/rotate_fast-inl.h"
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

using FourFloats = hn::FixedTag<float, 4>;
using FourVec = hn::Vec<FourFloats>;

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

// Four sums of sixteen: it adds each sum to the sum 8 places later, and then each result to the result 4
// places later. (A template, because other branches do not compile.)
template <class D, class V>
HWY_INLINE FourVec FourSums(D /*d*/, V sum0, V sum1, V sum2, V sum3) {
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

// The sums of four heads, by adding sums 2 apart and then those 1 apart.
HWY_INLINE FourVec AddFourSums(FourVec a, FourVec b, FourVec c, FourVec d) {
  const FourFloats df;
  const hn::RepartitionToWide<hn::RebindToUnsigned<FourFloats> > dw;
  const auto a2 = hn::BitCast(dw, a), b2 = hn::BitCast(dw, b), c2 = hn::BitCast(dw, c),
             d2 = hn::BitCast(dw, d);
  const auto ab = hn::Add(hn::BitCast(df, hn::InterleaveLower(dw, a2, b2)),
                          hn::BitCast(df, hn::InterleaveUpper(dw, a2, b2)));
  const auto cd = hn::Add(hn::BitCast(df, hn::InterleaveLower(dw, c2, d2)),
                          hn::BitCast(df, hn::InterleaveUpper(dw, c2, d2)));
  return hn::Add(hn::ConcatEven(df, cd, ab), hn::ConcatOdd(df, cd, ab));
}

// The last elements of a head, fewer than sixteen, and zeros. No sum changes if a 0 is added.
struct LastSquares {
  HWY_ALIGN float x[kFastSums] = {};

  HWY_NOINLINE LastSquares(const float* from, std::size_t count) {
    std::memcpy(x, from, count * sizeof(float));
  }
};

HWY_NOINLINE float SumSquaresFast(const float* x, std::size_t count) {
  auto sum0 = hn::Zero(Entries()), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  std::size_t at = 0;
  for (; at + kFastSums <= count; at += kFastSums) PlusSixteenSquares(x + at, sum0, sum1, sum2, sum3);
  if (at < count) PlusSixteenSquares(LastSquares(x + at, count - at).x, sum0, sum1, sum2, sum3);
  auto sum = FourSums(Entries(), sum0, sum1, sum2, sum3);
  sum = hn::Add(sum, hn::Shuffle1032(sum));
  sum = hn::Add(sum, hn::Shuffle2301(sum));
  return hn::GetLane(sum);
}

// The sums of four heads. Vectors have 8 or 16 lanes, so a head has only one or two vectors of sums, and each
// addition would wait 3 or 4 cycles for the one before. Therefore the heads take turns.
inline FourVec SumFourHeads(const float* x0, std::size_t stride, std::size_t count) {
  const Entries df;
  const float *const x1 = x0 + stride, *const x2 = x1 + stride, *const x3 = x2 + stride;
  auto a0 = hn::Zero(df), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0, none = a0;
  std::size_t at = 0;
  for (; at + kFastSums <= count; at += kFastSums) {
    PlusSixteenSquares(x0 + at, a0, a1, none, none);
    PlusSixteenSquares(x1 + at, b0, b1, none, none);
    PlusSixteenSquares(x2 + at, c0, c1, none, none);
    PlusSixteenSquares(x3 + at, d0, d1, none, none);
  }
  return AddFourSums(FourSums(df, a0, a1, none, none), FourSums(df, b0, b1, none, none),
                     FourSums(df, c0, c1, none, none), FourSums(df, d0, d1, none, none));
}

#endif

// sums[h] = the sum of head h, h < heads. Heads are `stride` floats apart. If no cache holds the elements,
// heads are read one by one: in DRAM turns take up to twice as long (Zen 4).
HWY_NOINLINE void SumHeadsFast(const float* x, std::size_t stride, std::size_t heads, std::size_t count,
                               [[maybe_unused]] Cached cached, float* sums) {
  std::size_t h = 0;
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
  if (hn::MaxLanes(Entries()) > 4 && cached != Cached::kNowhere && count % kFastSums == 0) {
    for (; h + 4 <= heads; h += 4) {
      hn::StoreU(SumFourHeads(x + h * stride, stride, count), FourFloats(), sums + h);
    }
  }
#endif
  for (; h < heads; ++h) sums[h] = SumSquaresFast(x + h * stride, count);
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

// Heads that are normalized and rotated, or the same part of each head: where the part of the first one is
// read and written, the distances to the next one, and how many there are. A vector of pairs is two vectors
// of elements, `apart`.
struct NormedHeads {
  const float* source;
  float* data;
  std::size_t source_stride, stride, count, apart;
};

// Whether neighbours stay beside each other: [c c c' c' ...] and [-s s -s' s' ...] rotate them (FastStep).
template <posenc_pairing kPairing>
constexpr bool kRotatesInPlace = kHasVectors&& kPairing == POSENC_NEIGHBOURS;

// Cosines and sines for a vector of pairs. c1 and s1 are for the second vector of elements.
template <posenc_pairing kPairing>
HWY_INLINE void LoadAngles(const float* cosines, const float* sines, EntryVec& c0, EntryVec& c1, EntryVec& s0,
                           EntryVec& s1) {
  if constexpr (kRotatesInPlace<kPairing>) {
#if HWY_TARGET != HWY_SCALAR
    using Step = FastStep<POSENC_F32, POSENC_F32, kPairing, true>;
    Step::LoadCosines(cosines, c0, c1);
    Step::LoadSines(sines, s0, s1);
#endif
  } else {
    c0 = c1 = hn::LoadU(Entries(), cosines);
    s0 = s1 = hn::LoadU(Entries(), sines);
  }
}

// Normalizes and rotates one vector of pairs of some heads. Cosines and sines stay in registers. The elements
// are in the L1 cache, where their sums have been computed. If heads have the same factors, these stay in
// registers too, and the elements `ahead` are prefetched unless `ahead` is 0. Else it is 0.
template <posenc_pairing kPairing>
HWY_INLINE void RotateNormedStrip(const float* cosines, const float* sines, const NormedHeads& heads,
                                  const FastFactors& norm, std::size_t ahead) {
  const Entries df;
  const std::size_t count = heads.count, apart = heads.apart, source_stride = heads.source_stride,
                    stride = heads.stride, factor_stride = norm.stride;
  const float *from = heads.source, *factors = norm.factors, *const inverse = norm.inverse;
  float* to = heads.data;
  EntryVec c0, c1, s0, s1;
  LoadAngles<kPairing>(cosines, sines, c0, c1, s0, s1);
  auto factor_a = hn::LoadU(df, factors), factor_b = hn::LoadU(df, factors + apart);
  for (std::size_t h = 0; h < count; ++h, from += source_stride, to += stride) {
    if (ahead != 0) {
      PrefetchNear(AddressOf(from + ahead));
      if constexpr (hn::MaxLanes(Entries()) > 8) PrefetchNear(AddressOf(from + ahead + apart));
    } else if (factor_stride != 0) {
      factor_a = hn::LoadU(df, factors + h * factor_stride);
      factor_b = hn::LoadU(df, factors + h * factor_stride + apart);
    }
    const auto r = hn::Set(df, inverse[h]);
    const auto a = hn::Mul(hn::Mul(hn::LoadU(df, from), r), factor_a);
    const auto b = hn::Mul(hn::Mul(hn::LoadU(df, from + apart), r), factor_b);
    if constexpr (kRotatesInPlace<kPairing>) {
      hn::StoreU(hn::Add(hn::Mul(a, c0), hn::Mul(hn::Reverse2(df, a), s0)), df, to);
      hn::StoreU(hn::Add(hn::Mul(b, c1), hn::Mul(hn::Reverse2(df, b), s1)), df, to + apart);
    } else {
      hn::StoreU(hn::Sub(hn::Mul(a, c0), hn::Mul(b, s0)), df, to);
      hn::StoreU(hn::Add(hn::Mul(b, c0), hn::Mul(a, s0)), df, to + apart);
    }
  }
}

// RotateNormed for a group of heads, whose inverses are known. (Structs are not copied: a copy reads wider
// words than were just stored, and waits for all stores before them.)
template <posenc_pairing kPairing>
HWY_NOINLINE void RotateNormedGroup(const float* cosines, const float* sines, const Heads& heads,
                                    HeadGroup group, const FastFactors& norm) {
  using One = Head<POSENC_F32, POSENC_F32>;
  const std::size_t lanes = hn::Lanes(Entries()), pairs = heads.pairs, count = group.count;
  const std::size_t source_stride = heads.source_stride / sizeof(float);
  const std::size_t apart = kPairing == POSENC_HALF_SPLIT ? heads.apart : lanes;
  const One first(heads, group.begin);
  // The next elements are prefetched. They are the heads behind these. If heads lie apart, they are the heads
  // of the next token. If no cache holds the elements, lines must be read in order. So they are prefetched
  // into a farther cache only.
  const bool is_far = heads.cached == Cached::kNowhere;
  if (is_far) PrefetchFarAhead(first.source, count * pairs);
  const std::size_t ahead = is_far || norm.stride != 0   ? 0
                            : source_stride == 2 * pairs ? count * source_stride
                                                         : 2 * pairs;
  std::size_t i = 0;
  for (; i + lanes <= pairs; i += lanes) {
    // A line of 64 bytes holds the elements of two vectors or more, so that these prefetch one line each.
    const bool is_second = kPairing == POSENC_HALF_SPLIT && lanes <= 8 && i % 16 >= 8 && ahead != 0;
    const std::size_t element = i * kStep<kPairing>;
    RotateNormedStrip<kPairing>(cosines + i, sines + i,
                                {first.source + element, first.data + element, source_stride,
                                 heads.stride / sizeof(float), count, apart},
                                {norm.inverse, norm.factors + element, norm.stride, 0.0f},
                                ahead + (is_second ? apart : 0));
  }
#if HWY_HAVE_SCALABLE
  // Vectors may have more than 16 lanes. (All others divide the pairs.)
  if (i == pairs) return;
  LastPairs<POSENC_F32, POSENC_F32, kPairing, Entries> last, last_factors;
  for (std::size_t h = 0; h < count; ++h) {
    const One head(heads, group.begin + h);
    last.Read(head.source, i, pairs, heads.apart);
    last_factors.Read(norm.factors + h * norm.stride, i, pairs, heads.apart);
    auto* const bytes = reinterpret_cast<unsigned char*>(last.elements);
    const Heads one = {bytes, bytes, 0, 0, 1, lanes, lanes, kPairing, Cached::kByCore, POSENC_F32};
    RotateNormedGroup<kPairing>(cosines + i, sines + i, one, {0, 1},
                                {norm.inverse + h, last_factors.elements, 0, 0.0f});
    last.Write(head.data, i, pairs, heads.apart);
  }
#endif
}

// Sums up heads whose inverses are not known, and rotates all heads by RotateNormedGroup for their pairing.
using RotateNormedFunction = void (*)(const float* cosines, const float* sines, const Heads& heads,
                                      HeadGroup group, const FastFactors& norm);
HWY_NOINLINE void RotateGroupsNormed(const float* cosines, const float* sines, const Heads& heads,
                                     const FastFactors& norm, RotateNormedFunction rotate) {
  if (norm.inverse != nullptr) return rotate(cosines, sines, heads, {0, heads.count}, norm);
  // Large groups wait less often for roots. 16 KB are half of an L1 cache. In DRAM fewer heads are better.
  constexpr std::size_t kMost = 32, kMostFar = 8, kMostFloats = 4096;
  HWY_ALIGN float inverse[kMost + kMaxLanes<Entries>] = {};
  const std::size_t elements = 2 * heads.pairs;
  const std::size_t most = heads.cached == Cached::kNowhere
                               ? kMostFar
                               : HWY_MIN(kMost, HWY_MAX(kMostFloats / elements, std::size_t{1}));
  for (std::size_t begin = 0; begin < heads.count; begin += most) {
    const HeadGroup group = {begin, HWY_MIN(heads.count - begin, most)};
    SumHeadsFast(Head<POSENC_F32, POSENC_F32>(heads, begin).source, heads.source_stride / sizeof(float),
                 group.count, elements, heads.cached, inverse);
    InvertSumsFast(inverse, group.count, static_cast<float>(elements), norm.epsilon);
    rotate(cosines, sines, heads, group, {inverse, norm.factors, norm.stride, 0.0f});
  }
}

// Normalizes and rotates whole heads of a multiple of kFastPairs pairs: all elements rotate, and results are
// float32. The heads of a group are read twice: for their sums, and then, from the L1 cache, to be normalized
// and rotated.
template <posenc_pairing kPairing>
void RotateNormed(const float* cosines, const float* sines, const Heads& heads, const FastFactors& norm) {
  RotateGroupsNormed(cosines, sines, heads, norm, &RotateNormedGroup<kPairing>);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_NORM_FAST_INL_H_
