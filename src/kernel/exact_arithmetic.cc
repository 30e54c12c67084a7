// Asks each target, as it was compiled, whether it rounds a product before it adds something to it.
// number/exact.h says why that is needed, and which flags only such a question can find.

#include "number/exact.h"

#include "kernel/exact_arithmetic.h"

#include <cstdint>

#include "kernel/highway_settings.h"
#include "kernel/targets.h"
#include "number/compiler.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/exact_arithmetic.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#ifndef POSENC_SRC_KERNEL_EXACT_ARITHMETIC_CC_
#define POSENC_SRC_KERNEL_EXACT_ARITHMETIC_CC_
namespace posenc {
namespace internal {

// Asks a target.
using Question = bool (*)();

// The question of a target; null unless a pass below compiled it.
template <std::int64_t kTarget>
struct ExactRow {
  static constexpr const Question* kKernels = nullptr;
};

}  // namespace internal
}  // namespace posenc
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {

// (1 + e)(1 - e) = 1 - e^2 rounds to 1, so the sum is 0, unless it takes the product without rounding it. The
// compiler must not know the numbers.
bool IsExact() {
  const auto rounds = [](auto e) POSENC_INLINE_LAMBDA {
    volatile decltype(e) factors[2] = {1 + e, 1 - e}, summand = -1;
    const decltype(e) a = factors[0], b = factors[1], c = summand;
    return a * b + c == 0;
  };
  return rounds(0x1p-30) && rounds(0x1p-15f);
}

constexpr Question kQuestion = &IsExact;

}  // namespace HWY_NAMESPACE

template <>
struct ExactRow<HWY_TARGET> {
  static constexpr const Question* kKernels = &HWY_NAMESPACE::kQuestion;
};

}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
namespace internal {

bool IsExact(std::int64_t target) {
  return (*RowOf<ExactRow>(target == kReferenceTarget ? HWY_STATIC_TARGET : target))();
}

}  // namespace internal
}  // namespace posenc
#endif  // HWY_ONCE
