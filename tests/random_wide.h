// Random wide numbers, and a suite for both widths (256 and 1,024 bits).
#ifndef POSENC_TESTS_RANDOM_WIDE_H_
#define POSENC_TESTS_RANDOM_WIDE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "number/wide.h"

namespace posenc {
namespace internal {

inline std::mt19937_64& Random() {
  static std::mt19937_64 random(17);
  return random;
}

// Random limbs. Some are all zeros or all ones, because carries go wrong there.
template <int kLimbs>
Wide<kLimbs> RandomWide(int max_exponent) {
  Wide<kLimbs> x;
  for (std::uint64_t& limb : x.limb) {
    const std::uint64_t kind = Random()() % 8;
    limb = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : Random()();
  }
  x.limb[kLimbs - 1] |= std::uint64_t{1} << 63;
  const auto span = 2 * static_cast<std::uint64_t>(max_exponent) + 1;
  x.exponent = static_cast<std::int64_t>(Random()() % span) - max_exponent;
  x.negative = Random()() % 2 != 0;
  return x;
}

inline double RandomDouble() {
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(Random()())),
                    static_cast<int>(Random()() % 120) - 124);
}

// 2^exponent
template <int kLimbs>
Wide<kLimbs> PowerOfTwo(std::int64_t exponent, bool negative = false) {
  Wide<kLimbs> x = FromInteger<kLimbs>(1);
  x.exponent += exponent;
  x.negative = negative;
  return x;
}

// A random positive finite number, perhaps subnormal. Half of them are near 1.
inline double RandomPositive() {
  double x = 0.0;
  while (!(x > 0.0 && std::isfinite(x))) {
    const std::uint64_t bits = Random()();
    std::memcpy(&x, &bits, sizeof(x));
    if (bits % 2 == 0)
      x = 1.0 + std::ldexp(static_cast<double>(bits >> 32) - 0x1p31, -32 - static_cast<int>(bits / 2 % 20));
  }
  return x;
}

template <class Width>
class WideTest : public testing::Test {};

using Widths = testing::Types<Wide256, Wide1024>;
struct WidthName {
  template <class Width>
  static std::string GetName(int /*index*/) {
    return std::to_string(Width::kBits) + "Bits";
  }
};
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_TESTS_RANDOM_WIDE_H_
