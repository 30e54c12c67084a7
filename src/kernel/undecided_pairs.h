// The queue of undecided pairs: how a loop of the exact rotation appends to it.
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

// Whether multiple * reduced step and multiple * whole step are the same angle, but for whole turns. They are
// if the multiple is an integer; doubles beyond 2^62 are not tried, because IsWhole converts to int64.
inline bool MayReduce(double multiple) {
  return multiple >= -0x1p62 && multiple <= 0x1p62 && IsWhole(multiple);
}

// The phase step of one pair, high + low quarter turns: reduced modulo eight if the multiple allows it.
struct PhaseStep {
  double high, low;

  PhaseStep(const FrequencyTable& table, double multiple, std::size_t pair) {
    const bool is_reduced = MayReduce(multiple);
    high = (is_reduced ? table.high : table.whole_high)[pair];
    low = (is_reduced ? table.low : table.whole_low)[pair];
  }
};

// How far a loop over a token's heads, and over the pairs of each, has come: the next pair.
struct Progress {
  std::size_t head, pair;
};

// The bits of an element as a word, whose high half is 0 for 16-bit types; and back.
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

// Appends pairs to the queue: pair at.pair + k of head at.head for each bit k of `pairs`. The elements are
// read from `from`, half-split ones `apart`; rotated ones will go to the head's data. The queue must have
// room.
void QueueUndecided(posenc_type type, std::uint64_t pairs, const void* from, std::size_t apart, Progress at,
                    const Rotation& rotation, const Heads& heads, UndecidedPairs& undecided);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_OPEN_PAIRS_H_
