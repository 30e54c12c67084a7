// Compiled once per target: every pass adds its row.

#include "kernel/tile_kernels.h"

#include <cstddef>
#include <cstdint>

#include "kernel/attainable.h"
#include "kernel/reference.h"
#include "kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/tile_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#include "kernel/anchors-inl.h"
#include "kernel/apply-inl.h"

#ifndef POSENC_SRC_KERNEL_TILE_KERNELS_CC_
#define POSENC_SRC_KERNEL_TILE_KERNELS_CC_
namespace posenc {
namespace internal {
// The row of a target; null unless a pass below compiled it.
template <std::int64_t kTarget>
struct TileRow {
  static constexpr const TileKernels* kKernels = nullptr;
};
}  // namespace internal
}  // namespace posenc
#endif

// No HWY_BEFORE_NAMESPACE: this defines no function, of which Clang would warn.
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {

constexpr TileKernels kTileKernels = {
#if HWY_TARGET == HWY_SCALAR
    nullptr,
#else
    &FillOffsets,
#endif
    &Write<POSENC_F32>};

}  // namespace HWY_NAMESPACE

template <>
struct TileRow<HWY_TARGET> {
  static constexpr const TileKernels* kKernels = &HWY_NAMESPACE::kTileKernels;
};

}  // namespace internal
}  // namespace posenc

#if HWY_ONCE
namespace posenc {
namespace internal {
namespace {

constexpr TileKernels kReference = {nullptr, &ReferenceWrite<POSENC_F32>};

}  // namespace

const TileKernels* TileKernelsOf(std::int64_t target) {
  return target == kReferenceTarget ? &kReference : RowOf<TileRow>(target);
}

}  // namespace internal
}  // namespace posenc
#endif  // HWY_ONCE
