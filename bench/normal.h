// Elements that models have.
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

// x, at least 2^-14 and less than 2^16, without the bits that T lacks.
template <class T>
T Truncate(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  if constexpr (std::is_same_v<T, BFloat16>) {
    return T{static_cast<std::uint16_t>(bits >> 16)};
  } else if constexpr (std::is_same_v<T, Float16>) {
    constexpr std::uint32_t kBiases = std::uint32_t{127 - 15} << 23;  // of the exponents
    const std::uint32_t magnitude = ((bits & 0x7FFFFFFF) - kBiases) >> 13;
    return T{static_cast<std::uint16_t>((bits >> 16 & 0x8000) | magnitude)};
  } else {
    return x;
  }
}

// A scale of sums: x becomes PE - x, and with the next one itself again but for roundings.
inline constexpr float kAlternating = -1.0f;

// Normally distributed elements, the same ones in each run; those of a large x repeat.
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
