// Normally distributed elements, as models have them.
#ifndef POSENC_BENCH_NORMAL_H_
#define POSENC_BENCH_NORMAL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "posenc/posenc.h"

namespace posenc {
namespace bench {

// x with the lower bits cut off that T does not have. |x| is at least 2^-14 and less than 2^16.
template <class T>
T Truncate(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  if constexpr (std::is_same_v<T, BFloat16>) {
    return T{static_cast<std::uint16_t>(bits >> 16)};
  } else if constexpr (std::is_same_v<T, Float16>) {
    constexpr std::uint32_t kBiases = std::uint32_t{127 - 15} << 23;  // difference of the exponents' biases
    const std::uint32_t magnitude = ((bits & 0x7FFFFFFF) - kBiases) >> 13;
    return T{static_cast<std::uint16_t>((bits >> 16 & 0x8000) | magnitude)};
  } else {
    return x;
  }
}

// A scale for sums in place. x becomes PE - x, and the next sum makes it x again, except for rounding errors.
// So elements do not grow.
inline constexpr float kAlternating = -1.0f;

// Fills x with normally distributed elements, the same ones in each run. A large x repeats them.
template <class T>
void FillNormal(T* x, std::size_t count) {
  static const std::vector<T> some = [] {
    std::vector<T> values((std::size_t{1} << 18) + 128);
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (T& value : values) {
      const float drawn = normal(random);
      value = Truncate<T>(std::copysign(std::max(std::fabs(drawn), 0x1p-14f), drawn));
    }
    return values;
  }();
  for (std::size_t i = 0; i < count; i += some.size()) {
    std::memcpy(x + i, some.data(), std::min(some.size(), count - i) * sizeof(T));
  }
}

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_NORMAL_H_
