// Asks CPUID for the size of the first-level data cache.
#include "number/exact.h"

#include "number/cache_size.h"

#include <atomic>

#ifdef POSENC_X86
#ifdef _MSC_VER
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

namespace posenc {
namespace internal {
namespace {

#ifdef POSENC_X86

struct Registers {
  unsigned a, b, c, d;
};

// The registers after CPUID; zeros if the processor lacks the leaf.
Registers Cpuid(unsigned leaf, unsigned subleaf) {
  Registers r = {};
#ifdef _MSC_VER
  int most[4], values[4];
  __cpuid(most, static_cast<int>(leaf & 0x80000000u));
  if (static_cast<unsigned>(most[0]) < leaf) return r;
  __cpuidex(values, static_cast<int>(leaf), static_cast<int>(subleaf));
  r = {static_cast<unsigned>(values[0]), static_cast<unsigned>(values[1]), static_cast<unsigned>(values[2]),
       static_cast<unsigned>(values[3])};
#else
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
#endif
  return r;
}

// The size that a leaf of "deterministic cache parameters" gives, Intel's 4 or AMD's 8000001Dh; 0 if it gives
// none. Each subleaf describes a cache; type 1 is a data cache.
std::size_t DataCacheBytes(unsigned leaf) {
  for (unsigned subleaf = 0; subleaf < 8; ++subleaf) {
    const Registers r = Cpuid(leaf, subleaf);
    const unsigned type = r.a & 31, level = r.a >> 5 & 7;
    if (type == 0) break;
    if (type != 1 || level != 1) continue;
    const std::size_t ways = (r.b >> 22) + 1, partitions = (r.b >> 12 & 0x3FF) + 1, line = (r.b & 0xFFF) + 1;
    return ways * partitions * line * (std::size_t{r.c} + 1);
  }
  return 0;
}

std::size_t AskProcessor() {
  const std::size_t bytes = DataCacheBytes(4);
  return bytes != 0 ? bytes : DataCacheBytes(0x8000001D);
}

#else

std::size_t AskProcessor() { return 0; }

#endif

std::atomic<std::size_t> cache_bytes{0};

}  // namespace

void AskFirstLevelCache() {
  // Threads that ask at the same time store the same answer.
  if (FirstLevelCacheBytes() == 0) cache_bytes.store(AskProcessor(), std::memory_order_relaxed);
}

std::size_t FirstLevelCacheBytes() { return cache_bytes.load(std::memory_order_relaxed); }

}  // namespace internal
}  // namespace posenc
