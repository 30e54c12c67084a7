#include "number/elements.h"

#include <cmath>
#include <cstring>

namespace posenc {
namespace internal {
namespace {

std::uint32_t Bits(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

float FromBits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

float Widen(posenc_type type, std::uint16_t bits) {
  if (type == POSENC_BF16) return FromBits(std::uint32_t{bits} << 16);
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  const int exponent = (bits >> 10) & 0x1F;
  const auto digits = static_cast<float>(bits & 0x3FF);
  if (exponent == 0) return sign * std::ldexp(digits, -24);
  if (exponent < 31) return sign * std::ldexp(digits + 1024.0f, exponent - 25);
  return FromBits((std::uint32_t{bits & 0x8000u} << 16) | 0x7F800000u | (std::uint32_t{bits & 0x3FFu} << 13));
}

std::uint16_t Narrow(posenc_type type, float x) {
  const std::uint32_t bits = Bits(x);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  if (type == POSENC_BF16) {
    if (std::isnan(x)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
  }
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7E00u);
  const float magnitude = std::fabs(x);
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7C00u);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  if (exponent < -13 || magnitude == 0.0f) exponent = -13;
  // In units of the last place, rounded to even; one too many digits carries into the exponent.
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 11 - exponent)));
  return static_cast<std::uint16_t>(sign + (static_cast<std::uint32_t>(exponent + 13) << 10) + units);
}

float Load(posenc_type type, const unsigned char* from) {
  if (type == POSENC_F32) {
    float x;
    std::memcpy(&x, from, sizeof(x));
    return x;
  }
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  return Widen(type, bits);
}

void Store(posenc_type type, float x, unsigned char* to) {
  if (type == POSENC_F32) {
    std::memcpy(to, &x, sizeof(x));
    return;
  }
  const std::uint16_t bits = Narrow(type, x);
  std::memcpy(to, &bits, sizeof(bits));
}

}  // namespace

void StoreDoubles(const double* entries, std::size_t count, std::size_t step, unsigned char* to) {
  for (std::size_t k = 0; k < count; ++k) {
    std::memcpy(to + k * step * sizeof(double), entries + k, sizeof(double));
  }
}

void StoreEntries(posenc_type type, const float* entries, const float* cosines, std::size_t first,
                  std::size_t end, const float* scale, const void* from, void* to) {
  const std::size_t size = ElementSize(type);
  const auto* source = static_cast<const unsigned char*>(from);
  auto* out = static_cast<unsigned char*>(to);
  for (std::size_t k = first; k < end; ++k) {
    float entry = cosines == nullptr ? entries[k] : (k % 2 == 0 ? entries : cosines)[k / 2];
    if (scale != nullptr) entry = Load(type, source + k * size) * *scale + entry;
    Store(type, entry, out + k * size);
  }
}

}  // namespace internal
}  // namespace posenc
