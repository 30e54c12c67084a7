// The only unit that is compiled once per target. Every pass adds its row; the last one makes the table.

#include "kernels.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "reference.h"

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE  // each target exactly once
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#include "direct-inl.h"
#include "direct_double-inl.h"
#include "geometric-inl.h"
#include "runs-inl.h"

#ifndef POSENC_SRC_KERNELS_CC_
#define POSENC_SRC_KERNELS_CC_
namespace posenc {
namespace internal {
// The row of a target bit; null unless a pass below compiled it.
template <std::int64_t kTarget>
inline constexpr const Kernels* kRow = nullptr;
}  // namespace internal
}  // namespace posenc
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {

// Lists and recipes take the direct kernel, runs the rotations.
template <class Operation>
Tally Apply(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
#if HWY_TARGET != HWY_SCALAR
  if (rows.positions == nullptr && table.rotations != nullptr) {
    const bool interleaved = columns.step == 2;
    const auto& routine = interleaved ? kRotateRoutine<true, Operation> : kRotateRoutine<false, Operation>;
    return RotatedRows(routine, table, columns, rows, scale);
  }
#endif
  return DirectRows(kDirectRoutine<Operation>, table, columns, rows, scale);
}

template <ElementType kType>
Tally Write(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  return Apply<WriteOperation<kType>>(table, columns, rows, 1.0f);
}

template <ElementType kType>
Tally Add(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
  return Apply<AddOperation<kType>>(table, columns, rows, scale);
}

template <ElementType kType>
void AddEntries(const float* entries, std::size_t count, float scale, void* x) {
  auto* to = static_cast<unsigned char*>(x);
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % sizeof(ElementOf<kType>) == 0;
  StoreRun<AddOperation<kType>>(scale, entries, nullptr, count, to, to, aligned, false);
}

constexpr const char* kNamespaceName = HWY_STR(HWY_NAMESPACE);  // "N_AVX2"
constexpr Kernels kKernels = {HWY_TARGET,
                              kNamespaceName + 2,
                              &Geometric,
#if HWY_TARGET == HWY_SCALAR
                              nullptr,
#else
                              &MakeRotations,
#endif
                              {&Write<kFloat32>, &Write<kBFloat16>, &Write<kFloat16>, &WriteDoubles},
                              {&Add<kFloat32>, &Add<kBFloat16>, &Add<kFloat16>},
                              {&AddEntries<kFloat32>, &AddEntries<kBFloat16>, &AddEntries<kFloat16>}};

}  // namespace HWY_NAMESPACE

template <>
inline constexpr const Kernels* kRow<HWY_TARGET> = &HWY_NAMESPACE::kKernels;

}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
namespace internal {
namespace {

struct Table {
  const Kernels* rows[kMaxTargets] = {};
  std::size_t count = 0;
};

// Lower target bits are better.
template <std::size_t... kBits>
constexpr Table MakeTable(std::index_sequence<kBits...> /*bits*/) {
  Table table;
  for (const Kernels* row : {kRow<std::int64_t{1} << kBits>...}) {
    if (row != nullptr) table.rows[table.count++] = row;
  }
  table.rows[table.count++] = &kReferenceKernels;
  return table;
}

constexpr Table kTable = MakeTable(std::make_index_sequence<63>());

}  // namespace

const Kernels* const* AllKernels(std::size_t* count) {
  *count = kTable.count;
  return kTable.rows;
}

#ifdef HWY_COMPILE_ONLY_STATIC
bool IsRunnable(const Kernels& /*kernels*/) { return true; }  // by the compiler's flags; libhwy is not there
#else
bool IsRunnable(const Kernels& kernels) {
  // The baseline needs no asking; a Highway built by another compiler may know it by another name. Asked
  // once, because CPUID takes tens of microseconds in a virtual machine.
  static const std::int64_t runnable = hwy::SupportedTargets() | HWY_STATIC_TARGET | HWY_SCALAR | HWY_EMU128;
  return kernels.target == 0 || (runnable & kernels.target) != 0;
}
#endif

const Kernels& BestKernels() {
  const Kernels* const* row = kTable.rows;
  while (!IsRunnable(**row)) ++row;
  return **row;
}

}  // namespace internal
}  // namespace posenc
#endif  // HWY_ONCE
