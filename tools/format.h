// The element types, with values held as floats, which hold those of all three exactly. Shares nothing with
// the library's own conversions.
#ifndef POSENC_TOOLS_FORMAT_H_
#define POSENC_TOOLS_FORMAT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace posenc {
namespace oracle {

enum class Format { kFloat32, kBFloat16, kFloat16 };

constexpr int Digits(Format format) {
  return format == Format::kFloat32 ? 24 : format == Format::kBFloat16 ? 8 : 11;
}

// The least positive number is 2^LeastExponent.
constexpr int LeastExponent(Format format) {
  return format == Format::kFloat32 ? -149 : format == Format::kBFloat16 ? -133 : -24;
}

// Numbers from 2^EndExponent on are infinite.
constexpr int EndExponent(Format format) { return format == Format::kFloat16 ? 16 : 128; }

// log2 of the distance between neighbouring numbers of the format around x.
inline int SpacingExponent(Format format, double x) {
  int exponent = LeastExponent(format);
  if (x != 0.0) std::frexp(x, &exponent);
  return std::max(exponent - Digits(format), LeastExponent(format));
}

// To nearest, ties to even. Infinities and NaNs stay.
inline float RoundTo(Format format, double x) {
  if (x == 0.0 || !std::isfinite(x)) return static_cast<float>(x);
  const int spacing = SpacingExponent(format, x);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -spacing)), spacing);
  if (std::fabs(rounded) < std::ldexp(1.0, EndExponent(format))) return static_cast<float>(rounded);
  return static_cast<float>(std::copysign(HUGE_VAL, x));
}

inline std::uint32_t FloatBits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// The bit pattern of a number of the format (not NaN), in the low 32 or 16 bits.
inline std::uint32_t Pack(Format format, float value) {
  const std::uint32_t bits = FloatBits(value);
  if (format == Format::kFloat32) return bits;
  if (format == Format::kBFloat16) return bits >> 16;
  const std::uint32_t sign = bits >> 31 << 15;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (std::isinf(magnitude)) return sign | 0x7C00u;
  const int spacing = SpacingExponent(format, magnitude);
  // The leading digit of a normal number, 2^10 units, counts as one of the exponent.
  const auto units = static_cast<std::uint32_t>(std::ldexp(magnitude, -spacing));
  return sign + (static_cast<std::uint32_t>(spacing - LeastExponent(format)) << 10) + units;
}

// The value of a bit pattern. A NaN of float16 comes out as an infinity.
inline float Unpack(Format format, std::uint32_t bits) {
  if (format == Format::kFloat16) {
    const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
    const std::uint32_t exponent = bits >> 10 & 0x1Fu, digits = bits & 0x3FFu;
    if (exponent == 0x1F) return static_cast<float>(sign * HUGE_VAL);
    const std::uint32_t units = exponent == 0 ? digits : digits + 0x400u;
    return static_cast<float>(
        std::ldexp(sign * units, LeastExponent(format) + std::max(static_cast<int>(exponent) - 1, 0)));
  }
  const std::uint32_t float_bits = format == Format::kBFloat16 ? bits << 16 : bits;
  float value;
  std::memcpy(&value, &float_bits, sizeof(value));
  return value;
}

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_FORMAT_H_
