#include "number/exact.h"

#include "kernel/highway_settings.h"

#include "kernel/targets.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "hwy/targets.h"

#include "kernel/exact_arithmetic.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

std::size_t CompiledTargets(std::int64_t (&targets)[POSENC_MAX_TARGETS]) {
  std::size_t count = 0;
  for (int bit = 0; bit < 63; ++bit) {  // Highway's lower bits are better targets
    const std::int64_t target = std::int64_t{1} << bit;
    if ((static_cast<std::int64_t>(HWY_TARGETS) & target) != 0) targets[count++] = target;
  }
  targets[count++] = kReferenceTarget;
  return count;
}

const char* NameOf(std::int64_t target) {
  return target == kReferenceTarget ? "REFERENCE" : hwy::TargetName(target);
}

namespace {

// Whether a vector of this CPU fits kMaxVectorBytes: RISC-V's may be longer.
bool HasRoomForVectors() {
#ifdef __riscv
  std::size_t bytes;
  asm("csrr %0, 0xc22" : "=r"(bytes));  // vlenb, by its number: the assembler may not know of vectors
  return bytes <= kMaxVectorBytes;
#else
  return true;
#endif
}

}  // namespace

#ifdef HWY_COMPILE_ONLY_STATIC  // by the compiler's flags; libhwy is not there
bool IsRunnable(std::int64_t target) { return target != HWY_RVV || HasRoomForVectors(); }
#else
namespace {

// Bit i is set if this CPU runs the target i of `CompiledTargets`; 0 means that nobody has asked yet, because
// the reference runs everywhere. Asked once, because CPUID takes tens of microseconds in a virtual machine.
// Threads that ask at the same time store the same answer. A word of 32 bits needs no lock on any processor.
std::atomic<std::uint32_t> runnable{0};
static_assert(POSENC_MAX_TARGETS <= 32, "a bit each");

std::uint32_t AskProcessor(const std::int64_t* targets, std::size_t count) {
  // What this file is compiled for runs anyway; a Highway that another compiler built may know it by another
  // name.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET | HWY_SCALAR;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool runs = targets[i] == kReferenceTarget ||
                      ((supported & targets[i]) != 0 && (targets[i] != HWY_RVV || HasRoomForVectors()));
    bits |= std::uint32_t{runs} << i;
  }
  return bits;
}

}  // namespace

bool IsRunnable(std::int64_t target) {
  std::int64_t targets[POSENC_MAX_TARGETS];
  const std::size_t count = CompiledTargets(targets);
  std::uint32_t bits = runnable.load(std::memory_order_relaxed);
  if (bits == 0) {
    bits = AskProcessor(targets, count);
    runnable.store(bits, std::memory_order_relaxed);
  }
  const auto i = static_cast<std::size_t>(std::find(targets, targets + count, target) - targets);
  return i < count && (bits >> i & 1) != 0;
}
#endif

std::int64_t BestTarget() {
  std::int64_t targets[POSENC_MAX_TARGETS];
  CompiledTargets(targets);
  const std::int64_t* target = targets;
  while (!IsRunnable(*target)) ++target;
  return *target;
}

posenc_status FindTarget(const char* name, std::int64_t* target) {
  if (name == nullptr) {
    *target = BestTarget();
    return IsExact(*target) ? rule::ok : rule::inexact_build;
  }
  std::int64_t targets[POSENC_MAX_TARGETS];
  const std::size_t count = CompiledTargets(targets);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::strcmp(NameOf(targets[i]), name) != 0) continue;
    if (!IsRunnable(targets[i])) return rule::target_cpu;
    *target = targets[i];
    return IsExact(*target) ? rule::ok : rule::inexact_build;
  }
  return rule::target_name;
}

}  // namespace internal
}  // namespace posenc
