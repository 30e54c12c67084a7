// The size of the first-level data cache.
#ifndef POSENC_SRC_NUMBER_CACHE_SIZE_H_
#define POSENC_SRC_NUMBER_CACHE_SIZE_H_

#include <cstddef>
#include <cstdint>

#include "number/compiler.h"

namespace posenc {
namespace internal {

// Asks the processor and remembers its answer. Creation does so, because CPUID takes a microsecond in a
// virtual machine, and calls neither wait nor lock.
void AskFirstLevelCache();

// The size in bytes. It is 0 if the processor does not tell it, or has not been asked.
std::size_t FirstLevelCacheBytes();

// Whether the cache has the size that Intel has had since 2019 and AMD since 2024.
inline bool HasLargeFirstLevelCache() { return FirstLevelCacheBytes() >= 48 * 1024; }

// Prefetches a line that a sum reads a row later. With a first-level cache of 48 KB (Zen 5), which has room
// for it beside the tables of angles, sums beyond the caches are 1.2 to 1.5 times as fast with the line
// there. With 32 KB (Zen 4) they are 1.4 times as fast with the line in the second-level cache.
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
