// The size of the first-level data cache.
#ifndef POSENC_SRC_NUMBER_CACHE_SIZE_H_
#define POSENC_SRC_NUMBER_CACHE_SIZE_H_

#include <cstddef>
#include <cstdint>

#include "number/compiler.h"
#include "number/memory_thresholds.h"

namespace posenc {
namespace internal {

// Asks the processor and remembers its answer. Creation does so, because CPUID takes a microsecond in a
// virtual machine, and calls neither wait nor lock.
void AskFirstLevelCache();

// The size in bytes. It is 0 if the processor does not tell it, or has not been asked.
std::size_t FirstLevelCacheBytes();

inline bool HasLargeFirstLevelCache() { return FirstLevelCacheBytes() >= kLargeFirstLevelBytes; }

// Prefetches a line that a sum reads a row later, into the first-level cache if it is large.
class NextRowPrefetch {
 public:
  NextRowPrefetch() : into_first_level_(HasLargeFirstLevelCache()) {}
  POSENC_PREFETCHES operator()(std::uintptr_t line) const {
    into_first_level_ ? PrefetchNear(line) : PrefetchFar(line);
  }

 private:
  bool into_first_level_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_CACHE_SIZE_H_
