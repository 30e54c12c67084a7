// The pairs that a loop of rotation leaves open, as they wait to be closed.
#ifndef POSENC_SRC_KERNEL_OPEN_PAIRS_H_
#define POSENC_SRC_KERNEL_OPEN_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "frequency/table.h"
#include "kernel/heads.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Whether a multiple of a reduced step differs from that of the whole one by whole turns.
inline bool MayReduce(double multiple) {
  return multiple >= -0x1p62 && multiple <= 0x1p62 && IsWhole(multiple);
}

// The phase step of one pair.
struct PhaseStep {
  double high, low;

  PhaseStep(const FrequencyTable& table, double multiple, std::size_t pair) {
    const bool is_reduced = MayReduce(multiple);
    high = (is_reduced ? table.high : table.whole_high)[pair];
    low = (is_reduced ? table.low : table.whole_low)[pair];
  }
};

// Where a loop over heads and their pairs is.
struct Progress {
  std::size_t head, pair;
};

// Bits of an element of a type.
inline std::uint32_t LoadBits(posenc_type type, const unsigned char* from) {
  std::uint32_t word;
  std::uint16_t half;
  if (type == POSENC_F32) return std::memcpy(&word, from, sizeof(word)), word;
  return std::memcpy(&half, from, sizeof(half)), half;
}
inline void StoreBits(posenc_type type, std::uint32_t bits, unsigned char* to) {
  const auto half = static_cast<std::uint16_t>(bits);
  if (type == POSENC_F32) {
    std::memcpy(to, &bits, sizeof(bits));
  } else {
    std::memcpy(to, &half, sizeof(half));
  }
}

// Adds some of the pairs from `at` on, whose elements lie at `from`, to the open ones: a bit each.
void QueueUndecided(posenc_type type, std::uint64_t pairs, const void* from, std::size_t apart, Progress at,
                    const Rotation& rotation, const Heads& heads, UndecidedPairs& undecided);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_OPEN_PAIRS_H_
