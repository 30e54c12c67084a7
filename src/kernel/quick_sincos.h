// What the quick loop of the exact rotation reads, and what it defers. Targets with vectors of the same
// length share these types, so that one target can use another's loop.
#ifndef POSENC_SRC_KERNEL_QUICK_SINCOS_H_
#define POSENC_SRC_KERNEL_QUICK_SINCOS_H_

#include <cstddef>
#include <cstdint>

#include "kernel/heads.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// What PlaceSinCos wrote: c and s times kSinCosScale, spread if kTakesSpread. For 16-bit types c = cosines +
// low_cosines, s = sines + low_sines; float32 does not read the low parts.
template <class Value>
struct QuickSinCos {
  const Value* cosines;
  const Value* sines;
  const Value* low_cosines;
  const Value* low_sines;
};

// Deferred vectors: stored although one or two lanes of their test are undecided. Each has its place, the
// lanes in question, and a copy of its elements, which rotation in place overwrites. QueueDeferred queues the
// pairs.
template <posenc_type kType, std::size_t kLanes>
struct DeferredVectorsOf {
  static constexpr std::size_t kMax = 8, kFewLanes = 2, kMaxPairs = 2 * kFewLanes;

  std::size_t count = 0;
  Progress at[kMax];
  std::size_t pairs[kMax];
  std::uint8_t lanes[kMax][8];  // a bit for each undecided lane
  alignas(kLanes * sizeof(float)) ElementOf<kType> elements[kMax][(kType == POSENC_F32 ? 2 : 4) * kLanes];
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_QUICK_SINCOS_H_
