// The element types one value at a time, by the tools' arithmetic (format.h), which is not the library's.
#ifndef POSENC_TESTS_SCALAR_FORMATS_H_
#define POSENC_TESTS_SCALAR_FORMATS_H_

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "format.h"
#include "per_target.h"

namespace posenc {

template <class T>
inline constexpr oracle::Format kFormat = std::is_same_v<T, float>      ? oracle::Format::kFloat32
                                          : std::is_same_v<T, BFloat16> ? oracle::Format::kBFloat16
                                                                        : oracle::Format::kFloat16;

template <class T>
float Value(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    const unsigned infinity = std::is_same_v<T, BFloat16> ? 0x7F80 : 0x7C00;
    if ((x.bits & 0x7FFFu) > infinity) return std::numeric_limits<float>::quiet_NaN();
    return oracle::Unpack(kFormat<T>, x.bits);
  }
}

// To nearest, ties to even; some NaN for NaN.
template <class T>
T Nearest(double x) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(x);
  } else {
    if (std::isnan(x)) return {0x7FFF};
    return {static_cast<std::uint16_t>(oracle::Pack(kFormat<T>, oracle::RoundTo(kFormat<T>, x)))};
  }
}

// The same bits, or NaN both.
template <class T>
bool Equal(T a, T b) {
  return SameBits(a, b) || (std::isnan(Value(a)) && std::isnan(Value(b)));
}

// x * scale + pe as Add promises it: the product and the sum rounded to float, the sum then to T.
template <class T>
T Sum(T x, float scale, float pe) {
  const float product = Value(x) * scale;
  const float sum = product + pe;
  return Nearest<T>(static_cast<double>(sum));
}

// Activations of every size, and the special values at prime intervals.
template <class T>
std::vector<T> Activations(std::size_t count, unsigned seed = 5) {
  using Limits = std::numeric_limits<float>;
  const float specials[] = {0.0f,
                            -0.0f,
                            Limits::denorm_min(),
                            -1e-40f,
                            Limits::min(),
                            Limits::max(),
                            -Limits::max(),
                            0x1p-24f,
                            Limits::infinity(),
                            1.0f,
                            -Limits::infinity(),
                            0x1.fffffep-1f,
                            65504.0f,
                            -0x3p-16f,
                            0x1p-14f,
                            -1.0f,
                            Limits::quiet_NaN()};
  std::mt19937 random(seed);
  std::vector<T> x(count);
  for (T& value : x) {
    const auto mantissa = static_cast<double>(static_cast<int>(random() % (1u << 25)) - (1 << 24));
    value = Nearest<T>(std::ldexp(mantissa, -static_cast<int>(random() % 40) - 10));
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; i += 7) {
    x[i] = Nearest<T>(static_cast<double>(specials[next++ % std::size(specials)]));
  }
  return x;
}

}  // namespace posenc

#endif  // POSENC_TESTS_SCALAR_FORMATS_H_
