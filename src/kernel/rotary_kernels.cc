// The rotary's table of kernels. This file is compiled once per target; every pass adds its row.

#include "number/exact.h"

#include "kernel/rotary_kernels.h"

#include <cstdint>
#include <type_traits>

#include "kernel/highway_settings.h"
#include "kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/rotary_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#include "kernel/anchors-inl.h"
#include "kernel/angle_addition_double-inl.h"
#include "kernel/cache_row-inl.h"
#include "kernel/norm-inl.h"
#include "kernel/norm_fast-inl.h"
#include "kernel/pack_sincos-inl.h"
#include "kernel/rest-inl.h"
#include "kernel/rotate_bounded-inl.h"
#include "kernel/rotate_fast-inl.h"
#include "kernel/rotate_quickly-inl.h"
#include "kernel/runs-inl.h"
#include "kernel/token_sincos-inl.h"

#ifndef POSENC_SRC_KERNEL_ROTARY_KERNELS_CC_
#define POSENC_SRC_KERNEL_ROTARY_KERNELS_CC_
namespace posenc {
namespace internal {
// The kernels of a target; null unless a pass below compiled it.
template <std::int64_t kTarget>
struct RotaryRow {
  static constexpr const RotaryKernels* kKernels = nullptr;
};

// The instances of a template for each type of elements and for each pairing.
#define POSENC_PAIRINGS(function, type) \
  { &function<type, POSENC_HALF_SPLIT>, &function<type, POSENC_NEIGHBOURS> }
#define POSENC_SUMMANDS_AND_PAIRINGS(function)                                         \
  {                                                                                    \
    {}, POSENC_PAIRINGS(function, POSENC_F32), POSENC_PAIRINGS(function, POSENC_BF16), \
        POSENC_PAIRINGS(function, POSENC_F16)                                          \
  }
// The instances for the types of elements and results, in the order of IndexOf, and for each pairing.
#define POSENC_CONVERSIONS(function)                                                 \
  {                                                                                  \
    nullptr, &function<POSENC_F32, POSENC_F32>, &function<POSENC_BF16, POSENC_BF16>, \
        &function<POSENC_F16, POSENC_F16>, &function<POSENC_F32, POSENC_BF16>,       \
        &function<POSENC_F32, POSENC_F16>                                            \
  }
#define POSENC_PAIRINGS_OF(function, from, to) \
  { &function<from, to, POSENC_HALF_SPLIT>, &function<from, to, POSENC_NEIGHBOURS> }
#define POSENC_CONVERSIONS_AND_PAIRINGS(function)               \
  {                                                             \
    {}, POSENC_PAIRINGS_OF(function, POSENC_F32, POSENC_F32),   \
        POSENC_PAIRINGS_OF(function, POSENC_BF16, POSENC_BF16), \
        POSENC_PAIRINGS_OF(function, POSENC_F16, POSENC_F16),   \
        POSENC_PAIRINGS_OF(function, POSENC_F32, POSENC_BF16),  \
        POSENC_PAIRINGS_OF(function, POSENC_F32, POSENC_F16)    \
  }
}  // namespace internal
}  // namespace posenc
#endif

// No HWY_BEFORE_NAMESPACE, as there is no function in here: Clang would warn of an attribute without one.
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {

constexpr RotaryKernels kRotaryKernels = {
    &SinCosOfToken,
    &SinCosOfOffset,
    &AddTokenAngles,
    {nullptr, &RoundCacheRow<POSENC_F32>, &RoundCacheRow<POSENC_BF16>, &RoundCacheRow<POSENC_F16>,
     &RoundCacheRowToDouble},
#if HWY_TARGET == HWY_SCALAR
    nullptr,
    {},
#else
    // The linker merges these with the instances of encoder_kernels.cc.
    &FillOffsets,
    {nullptr, &Write<POSENC_F32>, &Write<POSENC_BF16>, &Write<POSENC_F16>, &WriteDoubles},
#endif
    {nullptr, nullptr, &Widen<POSENC_BF16>, &Widen<POSENC_F16>},
    POSENC_SUMMANDS_AND_PAIRINGS(PackSinCos),
    POSENC_CONVERSIONS_AND_PAIRINGS(RotateAndQueue),
    POSENC_CONVERSIONS(RotateBetweenBounds),
    &PairsPerPass,
    &ResolveUndecidedPairs,
    POSENC_CONVERSIONS_AND_PAIRINGS(RotateFast),
    POSENC_CONVERSIONS(ConvertRest),
    {&SumHeads,
     &InvertSums,
     &BoundFactors,
     &NormalizeHead,
     &Normalize,
     &NormalizeClosely,
     &SumClosely,
     &SumSquaresFast,
     &InvertSumsFast,
     &NormalizeFast,
     {&RotateNormed<POSENC_HALF_SPLIT>, &RotateNormed<POSENC_NEIGHBOURS>}}};

}  // namespace HWY_NAMESPACE

template <>
struct RotaryRow<HWY_TARGET> {
  static constexpr const RotaryKernels* kKernels = &HWY_NAMESPACE::kRotaryKernels;
};

}  // namespace internal
}  // namespace posenc

#if HWY_ONCE
namespace posenc {
namespace internal {

const RotaryKernels* RotaryKernelsOf(std::int64_t target) { return RowOf<RotaryRow>(target); }

}  // namespace internal
}  // namespace posenc
#endif  // HWY_ONCE
