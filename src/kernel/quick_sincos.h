// What the quick loop of the exact rotation reads, and what it defers. These types depend on the length of a
// target's vectors only, so that a target can use the loop of another one with vectors of the same length.
#ifndef POSENC_SRC_KERNEL_QUICK_SINCOS_H_
#define POSENC_SRC_KERNEL_QUICK_SINCOS_H_

#include <cstddef>
#include <cstdint>

#include "kernel/heads.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// A token's cosines and sines times the gain, c and s, as PlaceSinCos wrote them:
//
//   float32       c * kSinCosScale = cosines, s * kSinCosScale = sines; the low parts are not read
//   16-bit types  c = cosines + low_cosines, s = sines + low_sines
//
// Arrays are [pairs]; if kTakesSinCosPerElement [2 * pairs], an entry for each element of neighbours.
template <class Value>
struct QuickSinCos {
  const Value* cosines;
  const Value* sines;
  const Value* low_cosines;
  const Value* low_sines;
};

// Deferred vectors: those that were stored although one or two lanes of their test are undecided. Their
// elements are kept, because rotation in place overwrites them. QueueDeferred queues the undecided pairs.
//
//   at        the first pair of each vector
//   pairs     how many pairs it has
//   lanes     its undecided lanes, a bit each; a lane tests one or two pairs
//   elements  a copy of its elements: all a, then all b, if half-split; else neighbours as they were
template <posenc_type kType, std::size_t kLanes>
struct DeferredVectorsOf {
  static constexpr std::size_t kMax = 8, kFewLanes = 2, kMaxPairs = 2 * kFewLanes;

  std::size_t count = 0;
  Progress at[kMax];
  std::size_t pairs[kMax];
  std::uint8_t lanes[kMax][8];
  alignas(kLanes * sizeof(float)) ElementOf<kType> elements[kMax][(kType == POSENC_F32 ? 2 : 4) * kLanes];
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_QUICK_SINCOS_H_
