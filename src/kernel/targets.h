// The instruction sets that this library is compiled for, the same for every noun's table of kernels. A
// target is Highway's bit of it, 0 the reference.
#ifndef POSENC_SRC_KERNEL_TARGETS_H_
#define POSENC_SRC_KERNEL_TARGETS_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline constexpr std::int64_t kReferenceTarget = 0;

// Vectors that are runnable have so many at most: SVE's 2048 bits, AVX-512's 512. RISC-V's have no end, and
// what the compiler keeps of them on the stack grows with them.
#ifdef __aarch64__
inline constexpr std::size_t kMostVectorBytes = 256;
#else
inline constexpr std::size_t kMostVectorBytes = 64;
#endif

// Fills targets, best first, the reference last, and returns how many there are.
std::size_t CompiledTargets(std::int64_t (&targets)[POSENC_MAX_TARGETS]);

const char* NameOf(std::int64_t target);

// Whether this CPU can run it.
bool IsRunnable(std::int64_t target);

// The first runnable one.
std::int64_t BestTarget();

// That of a name, the best one if name is null.
posenc_status FindTarget(const char* name, std::int64_t* target);

// Row<target>::kKernels, null if there is no such row. Each pass of a unit that is compiled once per target
// specializes Row, a template of that unit's own.
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
