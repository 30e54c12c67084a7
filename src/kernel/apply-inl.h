// Which kernel takes a call: runs of two rows or more go by angle addition; single rows, lists, phase
// roundings and rare layouts by the direct kernel. Included once per target.
#if defined(POSENC_SRC_KERNEL_APPLY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_APPLY_INL_H_
#undef POSENC_SRC_KERNEL_APPLY_INL_H_
#else
#define POSENC_SRC_KERNEL_APPLY_INL_H_
#endif

#include "hwy/highway.h"
#include "kernel/direct-inl.h"
#include "kernel/runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {

// The routines of an operation.
template <class Operation>
struct RoutinesOf {
  static constexpr DirectRoutine kDirect = kDirectRoutine<Operation>;
#if HWY_TARGET != HWY_SCALAR
  template <bool kInterleaved>
  static constexpr RunRoutine kRun = kRunRoutine<kInterleaved, Operation>;
#endif
};

// data = PE, or sources * scale + PE, as the operation says (store-inl.h). Returns how many pairs slower
// tiers decided.
template <class Routines>
Tally Apply(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
#if HWY_TARGET != HWY_SCALAR
  const bool interleaved = columns.Interleaved();
  // Rare, and not worth loops of their own: interleaved cosines first, and halves with one cosine more.
  const bool is_common = interleaved ? columns.SinesFirst() : columns.sines >= columns.cosines;
  if (rows.at.IsRun() && rows.at.count > 1 && table.has_offsets && is_common) {
    const auto& routine = interleaved ? Routines::template kRun<true> : Routines::template kRun<false>;
    return RunRows(routine, table, columns, rows, scale);
  }
#endif
  return DirectRows(Routines::kDirect, table, columns, rows, scale);
}

template <posenc_type kType>
Tally Write(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  return Apply<RoutinesOf<WriteOperation<kType>>>(table, columns, rows, 1.0f);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_APPLY_INL_H_
