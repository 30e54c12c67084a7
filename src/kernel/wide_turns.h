// The wide sines and cosines that a call needed last, so that all heads of a token share them.
#ifndef POSENC_SRC_KERNEL_WIDE_TURNS_H_
#define POSENC_SRC_KERNEL_WIDE_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernel/wide_turn.h"

namespace posenc {
namespace internal {

// Those of kCount pairs at most, each at one multiple: pair i is entry i % kCount. Not initialised but by
// Clear, since most calls need none.
template <int kLimbs, std::size_t kCount>
class WideTurnsOf {
 public:
  void Clear() { used_ = 0; }

  // The turn of a pair at a multiple: make(), unless it is here.
  template <class Make>
  WideTurn<kLimbs> Find(std::size_t pair, double multiple, const Make& make) {
    const std::size_t k = pair % kCount;
    Entry& entry = entries_[k];
    const bool is_used = (used_ >> k & 1) != 0;
    if (is_used && entry.pair == pair && entry.multiple == multiple) {
      WideTurn<kLimbs> turn;
      std::memcpy(&turn, entry.turn, sizeof(turn));
      return turn;
    }
    const WideTurn<kLimbs> turn = make();
    used_ |= std::uint64_t{1} << k;
    entry.pair = pair;
    entry.multiple = multiple;
    std::memcpy(entry.turn, &turn, sizeof(turn));
    return turn;
  }

 private:
  static_assert(kCount <= 64, "a bit each");
  struct Entry {
    std::size_t pair;
    double multiple;
    alignas(WideTurn<kLimbs>) unsigned char turn[sizeof(WideTurn<kLimbs>)];
  };

  std::uint64_t used_;
  Entry entries_[kCount];
};

struct WideTurns {
  WideTurnsOf<4, 16> usual;
  WideTurnsOf<kMostLimbs, 2> widest;

  void Clear() {
    usual.Clear();
    widest.Clear();
  }
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_WIDE_TURNS_H_
