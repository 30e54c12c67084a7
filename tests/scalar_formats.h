// The types of entries one value at a time, by the oracle's arithmetic, which is not the library's.
#ifndef POSENC_TESTS_SCALAR_FORMATS_H_
#define POSENC_TESTS_SCALAR_FORMATS_H_

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "oracle/format.h"
#include "per_target.h"

namespace posenc {

// As a float; a double stays one.
template <class T>
auto Value(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    const unsigned infinity = std::is_same_v<T, BFloat16> ? 0x7F80 : 0x7C00;
    if ((x.bits & 0x7FFFu) > infinity) return std::numeric_limits<float>::quiet_NaN();
    return static_cast<float>(oracle::Unpack(TypeOf<T>(), x.bits));
  }
}

// To nearest, ties to even; some NaN for NaN.
template <class T>
T Nearest(double x) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    if (std::isnan(x)) return {0x7FFF};
    return {static_cast<std::uint16_t>(oracle::Pack(TypeOf<T>(), oracle::RoundTo(TypeOf<T>(), x)))};
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
  const double specials[] = {
      0.0,     -0.0,     0x1p-149,    -1e-40,    0x1p-126,      0x1.fffffep127, -0x1.fffffep127,
      0x1p-24, HUGE_VAL, 1.0,         -HUGE_VAL, 0x1.fffffep-1, 65504.0,        -0x3p-16,
      0x1p-14, -1.0,     std::nan("")};
  std::mt19937 random(seed);
  std::vector<T> x(count);
  for (T& value : x) {
    const auto mantissa = static_cast<double>(static_cast<int>(random() % (1u << 25)) - (1 << 24));
    value = Nearest<T>(std::ldexp(mantissa, -static_cast<int>(random() % 40) - 10));
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; i += 7) {
    x[i] = Nearest<T>(specials[next++ % std::size(specials)]);
  }
  return x;
}

}  // namespace posenc

#endif  // POSENC_TESTS_SCALAR_FORMATS_H_
