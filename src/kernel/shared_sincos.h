// The wide sines and cosines that a call needed last, so that all heads of a token share them.
#ifndef POSENC_SRC_KERNEL_SHARED_SINCOS_H_
#define POSENC_SRC_KERNEL_SHARED_SINCOS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernel/wide_sincos.h"

namespace posenc {
namespace internal {

// Those of kCount pairs at most, each at one multiple: pair i is entry i % kCount. Not initialised but by
// Clear, since most calls need none.
template <int kLimbs, std::size_t kCount>
class SharedSinCosOf {
 public:
  void Clear() { used_ = 0; }

  // The turn of a pair at a multiple: make(), unless it is here.
  template <class Make>
  WideSinCos<kLimbs> Find(std::size_t pair, double multiple, const Make& make) {
    const std::size_t k = pair % kCount;
    Entry& entry = entries_[k];
    const bool is_used = (used_ >> k & 1) != 0;
    if (is_used && entry.pair == pair && entry.multiple == multiple) {
      WideSinCos<kLimbs> sin_cos;
      std::memcpy(&sin_cos, entry.sin_cos, sizeof(sin_cos));
      return sin_cos;
    }
    const WideSinCos<kLimbs> sin_cos = make();
    used_ |= std::uint64_t{1} << k;
    entry.pair = pair;
    entry.multiple = multiple;
    std::memcpy(entry.sin_cos, &sin_cos, sizeof(sin_cos));
    return sin_cos;
  }

 private:
  static_assert(kCount <= 64, "a bit each");
  struct Entry {
    std::size_t pair;
    double multiple;
    alignas(WideSinCos<kLimbs>) unsigned char sin_cos[sizeof(WideSinCos<kLimbs>)];
  };

  std::uint64_t used_;
  Entry entries_[kCount];
};

struct SharedSinCos {
  SharedSinCosOf<4, 16> usual;
  SharedSinCosOf<kMaxLimbs, 2> widest;

  void Clear() {
    usual.Clear();
    widest.Clear();
  }
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_SHARED_SINCOS_H_
