// The rotary's table of kernels. This file is compiled once per target; every pass adds its row.

#include "number/exact.h"

#include "kernel/rotary_kernels.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernel/highway_settings.h"
#include "kernel/rotary_reference.h"
#include "kernel/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/rotary_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#include "kernel/rotate-inl.h"
#include "kernel/rotate_fast-inl.h"

#ifndef POSENC_SRC_KERNEL_ROTARY_KERNELS_CC_
#define POSENC_SRC_KERNEL_ROTARY_KERNELS_CC_
namespace posenc {
namespace internal {
// The kernels of a target; null unless a pass below compiled it.
template <std::int64_t kTarget>
struct RotaryRow {
  static constexpr const RotaryKernels* kKernels = nullptr;
};

// The instances of a template for each type of elements, for each pairing, and for both.
#define POSENC_TYPES(function) \
  { nullptr, &function<POSENC_F32>, &function<POSENC_BF16>, &function<POSENC_F16> }
#define POSENC_PAIRINGS(function, type) \
  { &function<type, POSENC_HALF_SPLIT>, &function<type, POSENC_NEIGHBOURS> }
#define POSENC_TYPES_AND_PAIRINGS(function)                                            \
  {                                                                                    \
    {}, POSENC_PAIRINGS(function, POSENC_F32), POSENC_PAIRINGS(function, POSENC_BF16), \
        POSENC_PAIRINGS(function, POSENC_F16)                                          \
  }
}  // namespace internal
}  // namespace posenc
#endif

// No HWY_BEFORE_NAMESPACE, as there is no function in here: Clang would warn of an attribute without one.
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {

constexpr RotaryKernels kRotaryKernels = {&SinCosOfToken,
                                          &SinCosOfOffset,
                                          &AddTokenAngles,
                                          {nullptr, &RoundSinCos<POSENC_F32>, &RoundSinCos<POSENC_BF16>,
                                           &RoundSinCos<POSENC_F16>, &RoundSinCosToDouble},
                                          POSENC_TYPES(RoundAddedAngles),
                                          {nullptr, nullptr, &Widen<POSENC_BF16>, &Widen<POSENC_F16>},
                                          POSENC_TYPES_AND_PAIRINGS(PlaceSinCos),
                                          POSENC_TYPES_AND_PAIRINGS(RotateExact),
                                          &ResolveUndecidedPairs,
                                          POSENC_TYPES_AND_PAIRINGS(RotateFast)};

}  // namespace HWY_NAMESPACE

template <>
struct RotaryRow<HWY_TARGET> {
  static constexpr const RotaryKernels* kKernels = &HWY_NAMESPACE::kRotaryKernels;
};

}  // namespace internal
}  // namespace posenc

#if HWY_ONCE
// The scalar path (rotary_reference.h): every pair is resolved at once, so that nothing is placed or queued.
namespace posenc {
namespace internal {
namespace {

template <posenc_type kType>
Tally Round(const FrequencyTable& table, const Multiples& multiples, const Gain& gain,
            const double* /*cosines*/, const double* /*sines*/, void* rounded_cosines, void* rounded_sines) {
  return ReferenceRound(table, multiples, gain, kType, rounded_cosines, rounded_sines);
}

template <posenc_type, posenc_pairing>
void PlaceNone(const double* /*cosines*/, const double* /*sines*/, std::size_t /*pairs*/,
               const Gain& /*gain*/, PlacedSinCosRoom& /*placed*/) {}

template <posenc_type kType, posenc_pairing>
Tally Exact(const Rotation& rotation, TokenAngles& /*angles*/, const PlacedSinCosRoom& /*placed*/,
            const Heads& heads, UndecidedPairs& /*undecided*/) {
  return ReferenceExact(rotation, kType, heads);
}

void ResolveNone(posenc_type /*type*/, const FrequencyTable& /*table*/, const Gain& /*gain*/,
                 UndecidedPairs& /*undecided*/, Tally& /*tally*/) {}

template <posenc_type kType, posenc_pairing>
void Fast(const float* cosines, const float* sines, const Heads& heads) {
  ReferenceFast(kType, heads, cosines, sines);
}

constexpr RotaryKernels kReference = {
    &ReferenceSinCos,
    nullptr,
    nullptr,
    {nullptr, &Round<POSENC_F32>, &Round<POSENC_BF16>, &Round<POSENC_F16>, &Round<POSENC_F64>},
    {},
    {nullptr, nullptr, &WidenEntries<POSENC_BF16>, &WidenEntries<POSENC_F16>},
    POSENC_TYPES_AND_PAIRINGS(PlaceNone),
    POSENC_TYPES_AND_PAIRINGS(Exact),
    &ResolveNone,
    POSENC_TYPES_AND_PAIRINGS(Fast)};

}  // namespace

const RotaryKernels* RotaryKernelsOf(std::int64_t target) {
  return target == kReferenceTarget ? &kReference : RowOf<RotaryRow>(target);
}

}  // namespace internal
}  // namespace posenc
#endif  // HWY_ONCE
