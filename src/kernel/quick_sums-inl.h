// The exact rotation's first tier: sums with an error of a few ulps, and a test that no midpoint is near.
// Included once per target.
//
//   x = a c - b s, y = b c + a s; c = G cos and s = G sin, for gain G and the token's angle
//
// m is the larger of |a| and |b|. `RotateQuickly` (rotate_quickly-inl.h) stores what the test decides, defers
// vectors with few undecided lanes, and leaves the others to `BoundedRotation` (rotate_bounded-inl.h).
//
// A *worst known* error is the largest of 4 * 10^7 random inputs and 2 * 10^7 beside the worst of these (G in
// [1, 2), |a| and |b| in [1/4, 1]), measured in 64 digits against SinCosSums (2^-78) and confirmed by MPFR.
// proof/rotation_quick.md argues the bounds.
#if defined(POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
#undef POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
#else
#define POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A token's cosines and sines times the gain, c and s, as PackSinCos wrote them:
//
//   float32       c * kSinCosScale = cosines, s * kSinCosScale = sines; the low parts are not read
//   16-bit types  c = cosines + low_cosines, s = sines + low_sines
//
// Arrays are [pairs]; if kTakesSinCosPerElement [2 * pairs], an entry for each element of neighbours.
template <class Value>
struct QuickSinCos {
  const Value* cosines;
  const Value* sines;
  const Value* low_cosines;
  const Value* low_sines;
  float least_cut;  // the least sum that is decided, if sums are cut (kCutsSums)
};

#if HWY_TARGET != HWY_SCALAR

// Returns u c + v s in double, or u c - v s (kMinus), for float32; u and v are elements.
//
//   cosine, sine  [lanes] c and s
//
// Error: below 15 * 2^-53 G m, with direct or added angles. kRotatedWindow covers it if the sum is at least
// kMinPart of the pair's larger sum. With FMA the second product is exact.
// Worst known, in units of 2^-53 G m:
//   4.77, direct  a = 0x1.e40eb4p-1, b = -0x1.e43446p-1, angle 10 * 0x1.93711a63857eep-5 quarter turns,
//                 G = 0x1.7ef5a68084d29p0: x is 0x1.00090170a8d15p1, want 0x1.00090170a8d17p1
//   5.96, added   a = 0x1.7499d0p-1, b = 0x1.748ac4p-1, angle 466 * 0x1.0b752b37a48acp-6, 7 behind its
//                 anchor, G = 0x1.f8f657558a173p0: x is 0x1.0028d55f41080p1, want 0x1.0028d55f4107ep1
//   without FMA
//   5.53, direct  a = 0x1.26a11ap-2, b = 0x1.268976p-2, angle 606 * 0x1.78ca41e62791fp-8,
//                 G = 0x1.498557af2e7b6p0: x is 0x1.0c0a1fca9ab74p-1, want 0x1.0c0a1fca9ab76p-1
//   6.65, added   a = 0x1.4a18d4p-2, b = -0x1.4a148ap-2, angle 16313 * 0x1.db2fdbc801c73p-4, 3 behind its
//                 anchor, G = 0x1.2239e2c28a164p0: x is 0x1.089318b19afbcp-1, want 0x1.089318b19afbap-1
template <bool kMinus>
HWY_INLINE DoubleVec SumInDouble(DoubleVec u, DoubleVec v, const double* cosine, const double* sine) {
  const Doubles d;
  const auto product = hn::Mul(u, hn::LoadU(d, cosine));
  return kMinus ? MinusProduct(v, hn::LoadU(d, sine), product) : hn::MulAdd(v, hn::LoadU(d, sine), product);
}

// A vector of high and low parts of c and s, for 16-bit types. They are references, because a vector cannot
// be a member if its size is unknown to the compiler (SVE, RVV).
struct FloatSinCos {
  const EntryVec &cosines, &sines, &low_cosines, &low_sines;
};
HWY_INLINE void LoadSinCos(const QuickSinCos<float>& from, std::size_t i, EntryVec& cosines, EntryVec& sines,
                           EntryVec& low_cosines, EntryVec& low_sines) {
  const Entries df;
  cosines = hn::LoadU(df, from.cosines + i);
  sines = hn::LoadU(df, from.sines + i);
  low_cosines = hn::LoadU(df, from.low_cosines + i);
  low_sines = hn::LoadU(df, from.low_sines + i);
}

// Returns u c + v s in float, or u c - v s (kMinus), for 16-bit types; u and v are elements. The high parts
// come first: their products are exact, so that their sum rounds once.
//
// Error: below kFloatRotatedWindow (4 ulps of the sum), with direct or added angles, if the sum is at least
// kMinPart of the pair's larger sum.
// Worst known (direct angles with FMA; 2.50 ulps as well without FMA and with added angles):
//   2.50 ulps  float16: a = 0x1.b74p-2, b = -0x1.b9p-2, angle 70982 * 0x1.79709145c7f88p-10 quarter turns,
//              G = 0x1.d8b057ac3aae9p0: x is -0x1.fff972p-1, want -0x1.fff96cfffe631p-1
//   2.50 ulps  bfloat16: a = 0x1.56p-1, b = -0x1.5ap-1, angle 100837 * 0x1.369a6216307dbp-2,
//              G = 0x1.2c7f9a2bb7c8ap0: x is -0x1.ffff58p-1, want -0x1.ffff53000b4e5p-1
template <bool kMinus>
HWY_INLINE EntryVec SumInFloat(EntryVec u, EntryVec v, const FloatSinCos& sin_cos) {
  const auto product = hn::Mul(u, sin_cos.cosines);
  const auto high = PlusProduct<kMinus>(v, sin_cos.sines, product);
  const auto sum = PlusProduct<kMinus>(v, sin_cos.low_sines, high);
  return PlusProduct<false>(u, sin_cos.low_cosines, sum);
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_QUICK_SUMS_INL_H_
