// Elements that do not rotate: they are converted to the type of the results, and multiplied by a factor.
// Included once per target.
#if defined(POSENC_SRC_KERNEL_REST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_REST_INL_H_
#undef POSENC_SRC_KERNEL_REST_INL_H_
#else
#define POSENC_SRC_KERNEL_REST_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernel/rotary_reference.h"
#include "kernel/rounding-inl.h"
#include "kernel/store-inl.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Stores a vector of floats, rounded to the type. NaNs become the canonical one.
template <posenc_type kTo, class DF>
HWY_INLINE void StoreRounded(DF df, hn::Vec<DF> v, ElementOf<kTo>* to) {
  const auto canonical = WithCanonicalNans(df, v);
  if constexpr (kTo == POSENC_F32) {
    hn::StoreU(canonical, df, to);
  } else {
    hn::StoreU(NarrowTo16(df, RoundPlainly<kTo>(df, canonical)), hn::Rebind<std::uint16_t, DF>(), to);
  }
}

// Converts and scales whole vectors of elements, and returns how many elements these are.
//
// The product of an element and the factor is exact in double, and then rounded once. (A product of float32
// that is stored as float32 is rounded by the multiplication itself.)
template <posenc_type kFrom, posenc_type kTo>
HWY_INLINE std::size_t ScaleVectors(const ElementOf<kFrom>* from, std::size_t count, float factor,
                                    ElementOf<kTo>* to) {
  const hn::ScalableTag<float> df;
  std::size_t at = 0;
  if (kTo == POSENC_F32 || (kFrom != kTo && factor == 1.0f)) {
    const auto factors = hn::Set(df, factor);
    for (; at + hn::Lanes(df) <= count; at += hn::Lanes(df)) {
      const auto elements = LoadAsFloat<kFrom>(df, from + at);
      StoreRounded<kTo>(df, kTo == POSENC_F32 ? hn::Mul(elements, factors) : elements, to + at);
    }
    return at;
  }
  const Doubles d;
  const Floats floats;
  const auto factors = hn::Set(d, static_cast<double>(factor));
  for (; at + hn::Lanes(d) <= count; at += hn::Lanes(d)) {
    const auto product = hn::Mul(hn::PromoteTo(d, LoadAsFloat<kFrom>(floats, from + at)), factors);
    StoreRounded<kTo>(floats, RoundToFormat(kFormatRounding<kTo>, product), to + at);
  }
  return at;
}

// to[k] = from[k] * factor, k < count, rounded once to the type, for factors of 2^-64 to 2^64. NaNs become
// the canonical one.
template <posenc_type kFrom, posenc_type kTo>
void ConvertRest(const void* from, std::size_t count, float factor, void* to) {
  const auto* source = static_cast<const ElementOf<kFrom>*>(from);
  auto* out = static_cast<ElementOf<kTo>*>(to);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(from) % sizeof(*source) == 0 &&
                          reinterpret_cast<std::uintptr_t>(to) % sizeof(*out) == 0;
  const std::size_t done = is_aligned ? ScaleVectors<kFrom, kTo>(source, count, factor, out) : 0;
  ReferenceRest({kFrom, kTo}, static_cast<const unsigned char*>(from) + done * sizeof(*source), count - done,
                factor, static_cast<unsigned char*>(to) + done * sizeof(*out));
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_REST_INL_H_
