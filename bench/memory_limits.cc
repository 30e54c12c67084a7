// The loops that measure what memory allows, compiled for each instruction set.
#include "memory_limits.h"

#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "memory_limits.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

void FillStores(float* HWY_RESTRICT out, std::size_t count) {
  const D d;
  const auto value = hn::Set(d, 1.25f);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) hn::Store(value, d, out + i);
}

void FillStream(float* HWY_RESTRICT out, std::size_t count) {
  const D d;
  const auto value = hn::Set(d, 1.25f);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) hn::Stream(value, d, out + i);
  hwy::FlushStream();
}

void AddTable(const float* HWY_RESTRICT table, float* HWY_RESTRICT x, std::size_t count) {
  const D d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Add(hn::Load(d, x + i), hn::Load(d, table + i)), d, x + i);
  }
}

// Adds two neighbouring bfloat16 in each word, rounding each to nearest. Does not look for NaNs.
void AddBFloat16Pairs(const BFloat16Pair* HWY_RESTRICT table, BFloat16Pair* HWY_RESTRICT x,
                      std::size_t count) {
  const D d;
  const hn::RebindToUnsigned<D> words;
  const auto high = hn::Set(words, 0xFFFF0000u), one = hn::Set(words, 1), bias = hn::Set(words, 0x7FFF);
  const auto sum = [&](auto a, auto b) HWY_ATTR {
    const auto bits = hn::BitCast(words, hn::Add(hn::BitCast(d, a), hn::BitCast(d, b)));
    return hn::Add(bits, hn::Add(bias, hn::And(hn::ShiftRight<16>(bits), one)));
  };
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto a = hn::Load(words, x + i), b = hn::Load(words, table + i);
    const auto low_sum = sum(hn::ShiftLeft<16>(a), hn::ShiftLeft<16>(b));
    const auto high_sum = sum(hn::And(a, high), hn::And(b, high));
    const auto both = hn::Or(hn::ShiftRight<16>(low_sum), hn::And(high_sum, high));
    hn::Store(both, words, x + i);
  }
}

void Scale(float factor, float* HWY_RESTRICT x, std::size_t count) {
  const D d;
  const auto by = hn::Set(d, factor);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Load(d, x + i), by), d, x + i);
  }
}

const char* LimitsTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace bench
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
namespace bench {

HWY_EXPORT(FillStores);
HWY_EXPORT(FillStream);
HWY_EXPORT(AddTable);
HWY_EXPORT(AddBFloat16Pairs);
HWY_EXPORT(Scale);
HWY_EXPORT(LimitsTarget);

void FillMemset(float* out, std::size_t count) {
  constexpr int kByte = 0x3c;  // fills floats with 0.0115
  std::memset(out, kByte, count * sizeof(float));
}
void FillStores(float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(FillStores)(out, count); }
void FillStream(float* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(FillStream)(out, count); }
void AddTable(const float* table, float* x, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddTable)(table, x, count);
}
void AddTable(const BFloat16Pair* table, BFloat16Pair* x, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddBFloat16Pairs)(table, x, count);
}
void Scale(float factor, float* x, std::size_t count) { HWY_DYNAMIC_DISPATCH(Scale)(factor, x, count); }
const char* LimitsTarget() { return HWY_DYNAMIC_DISPATCH(LimitsTarget)(); }

}  // namespace bench
}  // namespace posenc
#endif  // HWY_ONCE
