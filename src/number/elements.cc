#include "number/exact.h"

#include "number/elements.h"

#include <cstring>

namespace posenc {
namespace internal {
namespace {

static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>, "these functions know no other type");
static_assert(kAreAllEntries<POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64>,
              "StoreNans knows no other type");

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

// A 16-bit element as a float.
float Widen(posenc_type type, std::uint16_t bits) {
  if (type == POSENC_BF16) return FromBits(std::uint32_t{bits} << 16);
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 0x1Fu,
                      digits = bits & 0x3FFu;
  if (exponent == 0) return FromBits(sign | Bits(static_cast<float>(digits) * 0x1p-24f));
  const std::uint32_t wide_exponent = exponent == 31 ? 255 : exponent + 112;
  return FromBits(sign | wide_exponent << 23 | digits << 13);
}

// x rounded to a 16-bit type, ties to even; NaNs become the canonical one.
std::uint16_t Narrow(posenc_type type, float x) {
  const std::uint32_t bits = Bits(x), magnitude = bits & 0x7FFFFFFFu;
  const bool is_nan = magnitude > 0x7F800000u;
  if (type == POSENC_BF16) {
    if (is_nan) return kNanBits<POSENC_BF16>;
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
  }
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  if (is_nan) return kNanBits<POSENC_F16>;
  if (magnitude >= Bits(65520.0f)) return static_cast<std::uint16_t>(sign | 0x7C00u);
  // A normal float16 loses 13 digits, a subnormal one more. Rounding up may carry into the exponent, which is
  // then right.
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent > 112) {
    const std::uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign + (rounded >> 13) - (112u << 10));
  }
  if (exponent < 102) return static_cast<std::uint16_t>(sign);  // x is below half of 2^-24, the least float16
  const std::uint32_t digits = (magnitude & 0x7FFFFFu) | 0x800000u, shift = 126 - exponent;
  const std::uint32_t half = 1u << (shift - 1), odd = (digits >> shift) & 1u;
  return static_cast<std::uint16_t>(sign + ((digits + half - 1 + odd) >> shift));
}

}  // namespace

float LoadElement(posenc_type type, const unsigned char* from) {
  if (type == POSENC_F32) {
    float x;
    std::memcpy(&x, from, sizeof(x));
    return x;
  }
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  return Widen(type, bits);
}

void StoreElement(posenc_type type, float x, unsigned char* to) {
  if (type == POSENC_F32) {
    std::memcpy(to, &x, sizeof(x));
    return;
  }
  const std::uint16_t bits = Narrow(type, x);
  std::memcpy(to, &bits, sizeof(bits));
}

void StoreDoubles(const double* entries, std::size_t count, std::size_t step, unsigned char* to) {
  for (std::size_t k = 0; k < count; ++k) {
    std::memcpy(to + k * step * sizeof(double), entries + k, sizeof(double));
  }
}

void StoreEntries(posenc_type type, const float* entries, EntryOrder order, std::size_t first,
                  std::size_t end, const float* scale, Row row) {
  const std::size_t size = ElementSize(type);
  for (std::size_t k = first; k < end; ++k) {
    float entry = entries[order[k]];
    if (scale != nullptr) entry = LoadElement(type, row.from + k * size) * *scale + entry;
    StoreElement(type, entry, row.to + k * size);
  }
}

template <posenc_type kType>
void WidenEntries(const void* from, std::size_t count, void* to) {
  for (std::size_t k = 0; k < count; ++k) {
    const float entry = LoadElement(kType, static_cast<const unsigned char*>(from) + k * ElementSize(kType));
    StoreElement(POSENC_F32, entry, static_cast<unsigned char*>(to) + k * sizeof(entry));
  }
}
template void WidenEntries<POSENC_BF16>(const void*, std::size_t, void*);
template void WidenEntries<POSENC_F16>(const void*, std::size_t, void*);

void MakeNansCanonical(std::size_t count, void* row) {
  auto* to = static_cast<unsigned char*>(row);
  for (std::size_t k = 0; k < count; ++k, to += sizeof(float)) {
    const float entry = LoadElement(POSENC_F32, to);
    if (entry != entry) StoreNans(POSENC_F32, 1, to);
  }
}

void StoreNans(posenc_type type, std::size_t count, void* to) {
  const std::uint64_t f64 = std::uint64_t{0x7FF8} << 48;
  const std::uint32_t f32 = kNanBits<POSENC_F32>;
  const auto f16 =
      static_cast<std::uint16_t>(type == POSENC_BF16 ? kNanBits<POSENC_BF16> : kNanBits<POSENC_F16>);
  const void* nan = &f16;
  if (type == POSENC_F32) nan = &f32;
  if (type == POSENC_F64) nan = &f64;
  const std::size_t size = ElementSize(type);
  for (std::size_t k = 0; k < count; ++k) std::memcpy(static_cast<unsigned char*>(to) + k * size, nan, size);
}

}  // namespace internal
}  // namespace posenc
