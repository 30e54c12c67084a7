// The targets: instruction sets that the library is compiled for, the same for every table of kernels. A
// target is one of Highway's bits, or 0 for the reference.
#ifndef POSENC_SRC_KERNEL_TARGETS_H_
#define POSENC_SRC_KERNEL_TARGETS_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline constexpr std::int64_t kReferenceTarget = 0;

// The most bytes of a vector that the library runs on: SVE's 2048 bits, elsewhere AVX-512's 512. RISC-V
// allows any length, but buffers on the stack grow with it.
#ifdef __aarch64__
inline constexpr std::size_t kMaxVectorBytes = 256;
#else
inline constexpr std::size_t kMaxVectorBytes = 64;
#endif

// Fills targets, best first, the reference last, and returns how many there are.
std::size_t CompiledTargets(std::int64_t (&targets)[POSENC_MAX_TARGETS]);

const char* NameOf(std::int64_t target);

// Whether this CPU runs the target.
bool IsRunnable(std::int64_t target);

// The first target of `CompiledTargets` that is runnable.
std::int64_t BestTarget();

// Finds a target by its name, the best one if name is null; refuses unknown names, targets that are not
// runnable, and targets that a compiler's flag made inexact.
posenc_status FindTarget(const char* name, std::int64_t* target);

// Returns Row<target>::kKernels, or null if there is no such row. Row is a template of the source file that
// is compiled once per target, and each pass specializes it.
template <template <std::int64_t> class Row, std::size_t... kBits>
auto RowOf(std::int64_t target, std::index_sequence<kBits...> /*bits*/) {
  decltype(Row<kReferenceTarget>::kKernels + 0) row = nullptr;
  static_cast<void>(
      ((target == std::int64_t{1} << kBits && (row = Row<std::int64_t{1} << kBits>::kKernels, true)) || ...));
  return row;
}
template <template <std::int64_t> class Row>
auto RowOf(std::int64_t target) {
  return RowOf<Row>(target, std::make_index_sequence<63>());
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_TARGETS_H_
