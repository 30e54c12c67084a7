// Rotation of a token's heads in float arithmetic (POSENC_FAST). Included once per target.
//
//   x = a c - b s, y = b c + a s
//
// c and s are G cos and G sin of the token's angle, G the gain, each rounded once to float. Products and sum
// round to float: no FMA is used, so that all targets give the same bits. For results of 16-bit types the
// float is rounded once more.
//
// Error before that: kMaxFastUlp (2 ulps) of hypot(a, b) if G is 1, else kMaxScaledFastUlp (3 ulps) of G
// hypot(a, b); both constants are in posenc/accuracy.h, and proof/rotation.md argues them.
// Worst known of 4 * 10^7 random inputs and 2 * 10^7 beside the worst of these:
//
//   1.91 ulps, G = 1  a = 0x1.a7444cp-1, b = 0x1.2007e2p-1, angle 22795 * 0x1.bc2e7c9ef3eb4p-1 quarter turns:
//                     x is 0x1.fff67p-1, want 0x1.fff673d40a374p-1
//   2.22 ulps         a = 0x1.5fa876p-1, b = 0x1.20e44ap-1, angle 94 * 0x1.9c5bb75246d1fp-1,
//                     G = 0x1.1ffef0cc2b9dcp0: x is 0x1.f2e7fcp-1, want 0x1.f2e7f7900343cp-1
#if defined(POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#undef POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#else
#define POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "kernel/fast_step-inl.h"
#include "kernel/pairs-inl.h"
#include "number/cache_size.h"
#include "number/memory_thresholds.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rotates one vector of pairs; half-split elements are `apart`. Cosines and sines [lanes].
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
HWY_INLINE void RotateVectorFast(const ElementOf<kFrom>* from, ElementOf<kTo>* to, std::size_t apart,
                                 const float* cosines, const float* sines) {
  const hn::ScalableTag<float> df;
  hn::Vec<hn::ScalableTag<float>> a, b;
  LoadPairs<kFrom, kPairing>(df, from, apart, a, b);
  const auto cosine = hn::LoadU(df, cosines), sine = hn::LoadU(df, sines);
  const auto x = hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine));
  const auto y = hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine));
  StoreElements<kTo, kPairing>(df, RoundPlainly<kTo>(df, x), RoundPlainly<kTo>(df, y), to, apart);
}

// Consecutive heads of a token: `count` of them, from head `begin` on.
struct HeadGroup {
  std::size_t begin, count;
};

// Rotates the pairs from `first` on of a group of heads, a vector at a time; the last ones of a head in a
// buffer.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
HWY_NOINLINE void RotateRestFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                                 const Heads& heads, HeadGroup group, std::size_t first) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>()), pairs = heads.pairs;
  for (std::size_t h = group.begin; h < group.begin + group.count; ++h) {
    const Head<kFrom, kTo> head(heads, h);
    std::size_t i = first;
    for (; i + lanes <= pairs; i += lanes) {
      RotateVectorFast<kFrom, kTo, kPairing>(head.source + i * kStep<kPairing>,
                                             head.data + i * kStep<kPairing>, heads.apart, cosines + i,
                                             sines + i);
    }
    if (i == pairs) continue;
    LastPairs<kFrom, kTo, kPairing, hn::ScalableTag<float>> last;
    last.Read(head.source, i, pairs, heads.apart);
    RotateVectorFast<kFrom, kTo, kPairing>(last.elements, last.Results(), lanes, cosines + i, sines + i);
    last.Write(head.data, i, pairs, heads.apart);
  }
}

// Whether a strip (RotateStrip) has 64 pairs. Heads of 128 elements are then read and written from their
// first element to the last, one after another. Neighbours that become 16-bit types have strips of 32 pairs:
// more would take 10 KB of code.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
constexpr bool kStripIsHead = kHasAvx512 &&
                              (kPairing == POSENC_HALF_SPLIT || kFrom == POSENC_BF16 || kTo == POSENC_F32);

#if HWY_TARGET != HWY_SCALAR

// Whether RotateStrip is worth it for the type. Float16 takes so long to convert without instructions for it
// that keeping cosines and sines in registers gains nothing.
template <posenc_type kTo>
constexpr bool kHasStrips = kTo != POSENC_F16 || kHasFloat16;

// Rotates the pairs of two or four steps, from pair `first` on, of a group of heads: cosines and sines stay
// in registers.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, bool kIsNear, int kSteps>
HWY_INLINE void RotateStrip(const float* cosines, const float* sines, const Heads& heads, HeadGroup group,
                            std::size_t first) {
  using Step = FastStep<kFrom, kTo, kPairing, kIsNear>;
  constexpr bool kHasFour = kSteps == 4;
  const std::size_t step = Step::Pairs(), next = step * kStep<kPairing>;
  EntryVec c0, c1, c2, c3, s0, s1, s2, s3;
  [[maybe_unused]] EntryVec c4, c5, c6, c7, s4, s5, s6, s7;
  Step::LoadCosines(cosines + first, c0, c1);
  Step::LoadSines(sines + first, s0, s1);
  Step::LoadCosines(cosines + first + step, c2, c3);
  Step::LoadSines(sines + first + step, s2, s3);
  if constexpr (kHasFour) {
    Step::LoadCosines(cosines + first + 2 * step, c4, c5);
    Step::LoadSines(sines + first + 2 * step, s4, s5);
    Step::LoadCosines(cosines + first + 3 * step, c6, c7);
    Step::LoadSines(sines + first + 3 * step, s6, s7);
  }
  // What the loop needs is in variables. For all the compiler knows, a store might change `heads`.
  const Head<kFrom, kTo> head(heads, group.begin);
  const auto* const source = head.source + first * kStep<kPairing>;
  auto* const data = head.data + first * kStep<kPairing>;
  const std::size_t source_stride = heads.source_stride / sizeof(*source);
  const std::size_t stride = heads.stride / sizeof(*data), apart = heads.apart;
  std::size_t read = 0, written = 0;
  for (std::size_t left = group.count; left != 0; --left, read += source_stride, written += stride) {
    const auto* const from = source + read;
    auto* const to = data + written;
    Step::Rotate(from, to, apart, c0, s0, c1, s1);
    Step::Rotate(from + next, to + next, apart, c2, s2, c3, s3);
    if constexpr (kHasFour) {
      Step::Rotate(from + 2 * next, to + 2 * next, apart, c4, s4, c5, s5);
      Step::Rotate(from + 3 * next, to + 3 * next, apart, c6, s6, c7, s7);
    }
  }
}

#endif  // HWY_SCALAR

// Rotates a group of heads strip by strip, then the pairs that fill no strip.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, bool kIsNear>
HWY_INLINE void RotateGroupFast(const float* cosines, const float* sines, const Heads& heads,
                                HeadGroup group) {
  const std::size_t pairs = heads.pairs;
  std::size_t first = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kHasStrips<kTo>) {
    using Step = FastStep<kFrom, kTo, kPairing, kIsNear>;
    constexpr int kSteps = Step::kIsInPlace && kStripIsHead<kFrom, kTo, kPairing> ? 4 : 2;
    const std::size_t strip = kSteps * Step::Pairs();
    for (; first + strip <= pairs; first += strip) {
      RotateStrip<kFrom, kTo, kPairing, kIsNear, kSteps>(cosines, sines, heads, group, first);
    }
    if (kSteps == 4 && first + strip / 2 <= pairs) {
      RotateStrip<kFrom, kTo, kPairing, kIsNear, 2>(cosines, sines, heads, group, first);
      first += strip / 2;
    }
  }
#endif
  if (first < pairs) RotateRestFast<kFrom, kTo, kPairing>(cosines, sines, heads, group, first);
}

// How many heads AVX-512 reads together if no cache holds them: as many as have 256 pairs, but at least one.
// With a head at a time the loop takes 1.02 to 1.15 times as long, with eight heads of 128 floats 1.1 times
// (Zen 4).
HWY_INLINE std::size_t HeadsTogether(std::size_t pairs) { return pairs <= 128 ? 256 / pairs : 1; }

// Rotates a token's heads in groups, whose size depends on where the elements are:
//
// - In the core's own caches eight heads share cosines and sines in registers (strips). If a strip is a whole
//   head, all heads do. Otherwise each head is read once for each of its strips, and many heads whose
//   distance is a multiple of 4 KB would evict each other from the L1 cache between two strips.
// - In a shared cache they do so if a strip is a whole head of 128 elements (AVX-512), or if the L1 cache has
//   48 KB (Zen 5: 1.2 to 1.3 times as fast). Otherwise heads are read one by one and prefetched, because
//   strips are read at half the rate of whole heads (Zen 3).
// - In DRAM all heads are read one by one and prefetched. AVX-512 reads some consecutive heads at a time
//   instead, and relies on the far prefetch alone, unless the heads lie apart (kTogetherStride).
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing>
HWY_NOINLINE void RotateFast(const float* HWY_RESTRICT cosines, const float* HWY_RESTRICT sines,
                             const Heads& heads) {
  const bool in_strips = heads.cached == Cached::kByCore ||
                         (heads.cached == Cached::kByShared && (kHasAvx512 || HasLargeFirstLevelCache()));
  const bool in_order = kHasAvx512 && heads.source_stride <= kTogetherStride;
  const bool is_near = heads.cached == Cached::kByCore;
  const bool is_one_strip = kStripIsHead<kFrom, kTo, kPairing> && heads.pairs <= 64;
  const std::size_t in_strip = is_near && is_one_strip ? heads.count : 8;
  const std::size_t most = in_strips ? in_strip : in_order ? HeadsTogether(heads.pairs) : 1;
  for (std::size_t begin = 0; begin < heads.count; begin += most) {
    const HeadGroup group = {begin, HWY_MIN(heads.count - begin, most)};
    const auto* const source = Head<kFrom, kTo>(heads, begin).source;
    if (heads.cached == Cached::kNowhere) PrefetchFarAhead(source, group.count * heads.pairs);
    if (!in_strips && !in_order) PrefetchAhead<false>(source, 0, heads.pairs);
    if (kLoadsHalves<kFrom> && is_near) {
      RotateGroupFast<kFrom, kTo, kPairing, true>(cosines, sines, heads, group);
    } else {
      RotateGroupFast<kFrom, kTo, kPairing, false>(cosines, sines, heads, group);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROTATE_FAST_INL_H_
