// Conversions between doubles and the bits of every type of entries. A double holds every value of every type
// exactly. This code is independent of the library's conversions; it shares only the traits of the types
// (posenc/accuracy.h).
#ifndef POSENC_TOOLS_ORACLE_FORMAT_H_
#define POSENC_TOOLS_ORACLE_FORMAT_H_

#include <cmath>
#include <cstdint>
#include <cstring>

#include "posenc/accuracy.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace oracle {

// Rounds x to the nearest number of the type, ties to even. Infinities and NaNs are unchanged.
inline double RoundTo(posenc_type type, double x) {
  if (type == POSENC_F64 || x == 0.0 || !std::isfinite(x)) return x;
  const int spacing = SpacingExponent(type, x);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -spacing)), spacing);
  if (std::fabs(rounded) < std::ldexp(1.0, TraitsOf(type).max_exponent)) return rounded;
  return std::copysign(HUGE_VAL, x);
}

// The bits of `value`, which must be a number of the type, in the low bits of the result. Every NaN becomes
// the quiet, positive NaN without a payload.
inline std::uint64_t Pack(posenc_type type, double value) {
  const ElementTraits traits = TraitsOf(type);
  const int bits = 8 * static_cast<int>(traits.size);
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (bits - 1);
  if (!std::isfinite(value)) {
    const int exponents = traits.max_exponent - traits.min_exponent + 2;  // finite numbers, and one more
    const std::uint64_t infinity = static_cast<std::uint64_t>(exponents) << (traits.digits - 1);
    return std::isnan(value) ? infinity | std::uint64_t{1} << (traits.digits - 2) : sign | infinity;
  }
  if (value == 0.0) return sign;
  const int spacing = SpacingExponent(type, value);
  // The leading digit of a normal number is not stored; here it carries into the exponent and adds 1.
  const auto units = static_cast<std::uint64_t>(std::ldexp(std::fabs(value), -spacing));
  return sign + (static_cast<std::uint64_t>(spacing - traits.least_exponent()) << (traits.digits - 1)) +
         units;
}

// The value with these bits. Every NaN gives the same NaN.
inline double Unpack(posenc_type type, std::uint64_t bits) {
  const ElementTraits traits = TraitsOf(type);
  const int width = 8 * static_cast<int>(traits.size);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << (width - 1));
  const double sign = magnitude == bits ? 1.0 : -1.0;
  const auto exponent = static_cast<int>(magnitude >> (traits.digits - 1));
  const std::uint64_t digits = magnitude & ((std::uint64_t{1} << (traits.digits - 1)) - 1);
  if (exponent == traits.max_exponent - traits.min_exponent + 2) {
    return digits == 0 ? sign * HUGE_VAL : std::nan("");
  }
  const std::uint64_t units = exponent == 0 ? digits : digits | std::uint64_t{1} << (traits.digits - 1);
  return sign *
         std::ldexp(static_cast<double>(units), traits.least_exponent() + (exponent > 0 ? exponent - 1 : 0));
}

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_FORMAT_H_
