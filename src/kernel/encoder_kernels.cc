// The encoder's kernels, one row per target: foreach_target.h compiles this file once for each, and each pass
// adds its row. The last row is the reference.

#include "number/exact.h"

#include "kernel/encoder_kernels.h"

#include <cstddef>
#include <cstdint>

#include "kernel/highway_settings.h"
#include "number/cache_size.h"
#include "kernel/reference.h"
#include "kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/encoder_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#include "kernel/anchors-inl.h"
#include "kernel/angle_addition_double-inl.h"
#include "kernel/runs-inl.h"
#include "kernel/store-inl.h"

#ifndef POSENC_SRC_KERNEL_ENCODER_KERNELS_CC_
#define POSENC_SRC_KERNEL_ENCODER_KERNELS_CC_
namespace posenc {
namespace internal {
// The row of a target; null unless a pass below compiled it.
template <std::int64_t kTarget>
struct EncoderRow {
  static constexpr const EncoderKernels* kKernels = nullptr;
};
}  // namespace internal
}  // namespace posenc
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {

template <posenc_type kType>
Tally Add(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
  return RunOrDirectRows<AddOperation<kType>>(table, columns, rows, scale);
}

// x [count] = x * scale + entries, rounded to the type, in vectors if x is aligned; the rest one by one.
template <posenc_type kType>
void AddEntries(const float* entries, std::size_t count, float scale, void* x, std::uintptr_t ahead) {
  using Element = ElementOf<kType>;
  const AddOperation<kType> operation{scale};
  const NextRowPrefetch prefetch;
  const hn::ScalableTag<float> df;
  auto* to = static_cast<Element*>(x);
  std::size_t at = 0;
  if (reinterpret_cast<std::uintptr_t>(x) % sizeof(Element) == 0) {
    for (; at + hn::Lanes(df) <= count; at += hn::Lanes(df)) {
      prefetch(ahead + at * sizeof(Element));
      StoreLanes(operation, df, hn::LoadU(df, entries + at), to + at, to + at, false);
    }
  }
  auto* row = static_cast<unsigned char*>(x);
  StoreEntries(kType, entries, {}, at, count, &scale, {row, row});
}

constexpr EncoderKernels kEncoderKernels = {
#if HWY_TARGET == HWY_SCALAR
    nullptr,
#else
    &FillOffsets,
#endif
    {nullptr, &Write<POSENC_F32>, &Write<POSENC_BF16>, &Write<POSENC_F16>, &WriteDoubles},
    {nullptr, &Add<POSENC_F32>, &Add<POSENC_BF16>, &Add<POSENC_F16>},
    {nullptr, &AddEntries<POSENC_F32>, &AddEntries<POSENC_BF16>, &AddEntries<POSENC_F16>},
    {nullptr, nullptr, &Widen<POSENC_BF16>, &Widen<POSENC_F16>},
#if HWY_TARGET == HWY_SCALAR
    nullptr
#else
    &StreamCopies
#endif
};

}  // namespace HWY_NAMESPACE

template <>
struct EncoderRow<HWY_TARGET> {
  static constexpr const EncoderKernels* kKernels = &HWY_NAMESPACE::kEncoderKernels;
};

}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
namespace internal {
namespace {

template <posenc_type kType>
Tally ReferenceAdd(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
  return ReferenceRows(table, columns, rows, kType, &scale);
}

template <posenc_type kType>
void ReferenceAddEntries(const float* entries, std::size_t count, float scale, void* x,
                         std::uintptr_t /*ahead*/) {
  auto* row = static_cast<unsigned char*>(x);
  StoreEntries(kType, entries, {}, 0, count, &scale, {row, row});
}

constexpr EncoderKernels kReference = {
    nullptr,
    {nullptr, &ReferenceWrite<POSENC_F32>, &ReferenceWrite<POSENC_BF16>, &ReferenceWrite<POSENC_F16>,
     &ReferenceWrite<POSENC_F64>},
    {nullptr, &ReferenceAdd<POSENC_F32>, &ReferenceAdd<POSENC_BF16>, &ReferenceAdd<POSENC_F16>},
    {nullptr, &ReferenceAddEntries<POSENC_F32>, &ReferenceAddEntries<POSENC_BF16>,
     &ReferenceAddEntries<POSENC_F16>},
    {nullptr, nullptr, &WidenEntries<POSENC_BF16>, &WidenEntries<POSENC_F16>},
    nullptr};

}  // namespace

const EncoderKernels* EncoderKernelsOf(std::int64_t target) {
  return target == kReferenceTarget ? &kReference : RowOf<EncoderRow>(target);
}

}  // namespace internal
}  // namespace posenc
#endif  // HWY_ONCE
