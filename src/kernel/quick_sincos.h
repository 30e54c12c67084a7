// What the quick loops of rotation take, and what they leave: the same of all targets with vectors as long,
// so that one may have another's loop.
#ifndef POSENC_SRC_KERNEL_QUICK_TURNS_H_
#define POSENC_SRC_KERNEL_QUICK_TURNS_H_

#include <cstddef>
#include <cstdint>

#include "kernel/undecided_pairs.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// Cosines and sines times kSinCosScale of the type, of neighbours spread, and for shorter types than float
// what their high parts leave.
template <class Value>
struct QuickSinCos {
  const Value* cosines;
  const Value* sines;
  const Value* low_cosines;
  const Value* low_sines;
};

// Vectors of pairs that are stored, though a few lanes of their test are open: where they are, and what of.
template <posenc_type kType, std::size_t kLanes>
struct NotedVectorsOf {
  static constexpr std::size_t kMax = 8, kFewLanes = 2, kMaxPairs = 2 * kFewLanes;

  std::size_t count = 0;
  Progress at[kMax];
  std::size_t pairs[kMax];
  std::uint8_t lanes[kMax][8];  // a bit each
  alignas(kLanes * sizeof(float)) ElementOf<kType> elements[kMax][(kType == POSENC_F32 ? 2 : 4) * kLanes];
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_QUICK_TURNS_H_
