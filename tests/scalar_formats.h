// The types of entries, one value at a time, in the oracle's arithmetic, which shares nothing with the
// library's.
#ifndef POSENC_TESTS_SCALAR_FORMATS_H_
#define POSENC_TESTS_SCALAR_FORMATS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <type_traits>
#include <vector>

#include "number/elements.h"
#include "oracle/format.h"
#include "per_target.h"

namespace posenc {

static_assert(internal::kAreAllEntries<POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64>,
              "CanonicalNan and OddNan know no other type");

// The value as a float; a double stays a double.
template <class T>
auto Value(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return static_cast<float>(oracle::Unpack(TypeOf<T>(), x.bits));
  }
}

template <class T>
T FromBits(std::uint64_t bits) {
  T x;
  if constexpr (std::is_same_v<T, float>) {
    const auto narrow = static_cast<std::uint32_t>(bits);
    std::memcpy(&x, &narrow, sizeof(x));
  } else if constexpr (std::is_same_v<T, double>) {
    std::memcpy(&x, &bits, sizeof(x));
  } else {
    x.bits = static_cast<std::uint16_t>(bits);
  }
  return x;
}

// The NaN that the library writes.
template <class T>
T CanonicalNan() {
  return FromBits<T>(std::is_same_v<T, double>     ? 0x7FF8000000000000
                     : std::is_same_v<T, float>    ? 0x7FC00000
                     : std::is_same_v<T, BFloat16> ? 0x7FC0
                                                   : 0x7E00);
}

// Rounds to nearest, ties to even.
template <class T>
T Nearest(double x) {
  if (std::isnan(x)) return CanonicalNan<T>();
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    return {static_cast<std::uint16_t>(oracle::Pack(TypeOf<T>(), oracle::RoundTo(TypeOf<T>(), x)))};
  }
}

// x * scale + pe as Add promises it: the product and the sum are rounded to float, and the sum then to T. A
// NaN becomes the canonical one. The exception is a float NaN with a scale that makes no NaN: it becomes
// quiet.
template <class T>
T Sum(T x, float scale, float pe) {
  if constexpr (std::is_same_v<T, float>) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    if (std::isnan(x) && std::isfinite(scale) && scale != 0.0f) return FromBits<T>(bits | 0x00400000);
  }
  const float product = Value(x) * scale;
  const float sum = product + pe;
  return Nearest<T>(static_cast<double>(sum));
}

// Whether `got` is this sum. Some processors keep no bits of a NaN.
template <class T>
bool IsSum(T got, T x, float scale, float pe) {
  const T want = Sum(x, scale, pe);
  return SameBits(got, want) || (std::isnan(Value(want)) && SameBits(got, CanonicalNan<T>()));
}

// NaNs that are quiet, signaling or negative, with and without payload, as the bits of a float or their upper
// half.
template <class T>
T OddNan(std::size_t k) {
  constexpr std::uint32_t kBFloat16s[] = {0x7F81, 0xFFC0, 0xFFFF, 0x7FD5, 0xFF80 | 0x21};
  constexpr std::uint32_t kFloat16s[] = {0x7C01, 0xFE00, 0xFFFF, 0x7E55, 0xFC21};
  const std::uint32_t bits = (std::is_same_v<T, Float16> ? kFloat16s : kBFloat16s)[k % 5];
  return FromBits<T>(std::is_same_v<T, float> ? bits << 16 | (k % 2) * 0xABCD : bits);
}

// Activations of every size. At prime intervals there are special values and NaNs of all kinds.
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
    if constexpr (!std::is_same_v<T, double>) {
      if (std::isnan(Value(x[i]))) x[i] = OddNan<T>(next / std::size(specials));
    }
  }
  return x;
}

}  // namespace posenc

#endif  // POSENC_TESTS_SCALAR_FORMATS_H_
