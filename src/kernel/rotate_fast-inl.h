// Rotation of a token's heads in the plain arithmetic of floats. Included once per target.
#if defined(POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "kernel/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Words of a vector of pairs in plain arithmetic.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> RoundPlainly(DF df, hn::Vec<DF> v) {
  if constexpr (kType == POSENC_F32) {
    return hn::BitCast(hn::RebindToUnsigned<DF>(), v);
  } else if constexpr (kType == POSENC_BF16) {
    return RoundToBFloat16(df, v);
  } else {
    return Float16Bits(df, v);
  }
}

template <posenc_type kType, posenc_pairing kPairing>
HWY_INLINE void RotateVectorFast(const ElementOf<kType>* from, ElementOf<kType>* to, std::size_t apart,
                                 const float* cosines, const float* sines) {
  const hn::ScalableTag<float> df;
  hn::Vec<hn::ScalableTag<float>> a, b;
  LoadPairs<kType, kPairing>(df, from, apart, a, b);
  const auto cosine = hn::LoadU(df, cosines), sine = hn::LoadU(df, sines);
  const auto x = hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine));
  const auto y = hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine));
  StorePairs<kType, kPairing>(df, RoundPlainly<kType>(df, x), RoundPlainly<kType>(df, y), to, apart);
}

template <posenc_type kType, posenc_pairing kPairing>
HWY_NOINLINE void RotateFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                             const Heads& heads) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>()), pairs = heads.pairs;
  for (std::size_t h = 0; h < heads.count; ++h) {
    const Head<kType> head(heads, h);
    if (heads.are_far) FetchFarAhead(head.source, pairs);
    std::size_t i = 0;
    for (; i + lanes <= pairs; i += lanes) {
      FetchAhead<false>(head.source, i, lanes);
      RotateVectorFast<kType, kPairing>(head.source + i * kStep<kPairing>, head.data + i * kStep<kPairing>,
                                        pairs, cosines + i, sines + i);
    }
    if (i == pairs) continue;
    LastPairs<kType, kPairing, hn::ScalableTag<float>> last;
    last.Read(head.source, i, pairs, pairs);
    RotateVectorFast<kType, kPairing>(last.elements, last.elements, lanes, cosines + i, sines + i);
    last.Write(head.data, i, pairs, pairs);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
