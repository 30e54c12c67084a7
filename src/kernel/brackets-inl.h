// Both ends of an interval around a value, rounded to 16 bits: where they agree, that is what the value
// rounds to, since rounding is monotonic. Included once per target.
#if defined(POSENC_SRC_KERNEL_BRACKETS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_BRACKETS_INL_H_
#undef POSENC_SRC_KERNEL_BRACKETS_INL_H_
#else
#define POSENC_SRC_KERNEL_BRACKETS_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"
#include "kernel/store-inl.h"
#include "number/compiler.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Float16 is rounded by an instruction, or by hand. (It leaves 1 vector in 8 open at large positions: with
// AVX-512 that is no gain, or a loss.)
constexpr bool kConvertsHalves = kHasFloat16 && !kIsAvx512;
constexpr bool kRoundsHalves = kIsSse4 && !kHasFloat16;
template <class Operation>
constexpr bool kAddsInFloat = Operation::kType == POSENC_BF16 ||
                              (Operation::kType == POSENC_F16 && !Operation::kReads &&
                               (kConvertsHalves || kRoundsHalves));

// Values that are rounded: 16 bits each, or the upper halves of words.
using HalfVec = hn::Vec<hn::Rebind<std::uint16_t, Entries>>;
template <class Operation>
using RoundedVec = std::conditional_t<Operation::kType == POSENC_F16 && kConvertsHalves, HalfVec, WordVec>;

// What RoundBoth collects besides the bits in which ends differ.
template <class Operation>
HWY_INLINE WordVec NoMarks() {
  return hn::Set(Words(), Operation::kReads ? 0x7FFF7FFFu : 0u);
}

// Rounds both ends and returns the bits in which they differ, and others below those that are kept.
template <class Operation>
HWY_INLINE WordVec RoundBoth(EntryVec upper, EntryVec lower, WordVec& rounded, WordVec& marks) {
  const Words dw;
  if constexpr (Operation::kType == POSENC_F16) {
    // 13 bits are dropped. The exponent becomes 113 less, for which subnormal numbers borrow from the sign,
    // so that bit 30 is set; then 1 more.
    const auto bias = hn::Set(dw, 0x1000u - (113u << 23));
    const auto biased = hn::Add(hn::BitCast(dw, upper), bias);
    marks = hn::Or(marks, biased);
    const auto sign = hn::And(biased, hn::Set(dw, 0x80000000u));
    rounded = hn::Or(hn::ShiftLeft<3>(hn::Add(biased, hn::Set(dw, 1u << 23))), sign);
    return hn::Xor(biased, hn::Add(hn::BitCast(dw, lower), bias));
  } else {
    // Ties away from zero. Of ties the lower half is the least signed number: of sums, marks are the least.
    const hn::Repartition<std::int16_t, Words> d16;
    const auto bias = hn::Set(dw, 0x8000);
    rounded = hn::Add(hn::BitCast(dw, upper), bias);
    if constexpr (Operation::kReads) {
      const auto both = hn::Min(hn::BitCast(d16, upper), hn::BitCast(d16, lower));
      marks = hn::BitCast(dw, hn::Min(hn::BitCast(d16, marks), both));
    }
    return hn::Xor(rounded, hn::Add(hn::BitCast(dw, lower), bias));
  }
}

// Whether there are ends that differ; numbers below float16's normal ones, if rounded by hand; or, of sums,
// ties, which go to even (or a -0: its upper half looks like one), or a `total` that is no number: a NaN was
// added, or infinities of both signs.
template <class Operation>
HWY_INLINE bool AnyUndecided(WordVec differ, WordVec marks, EntryVec total) {
  const Words dw;
  const auto upper = hn::Set(dw, 0xFFFF0000u), tie = hn::Set(dw, 0x80008000u);
  if constexpr (Operation::kType == POSENC_F16) {
    return AnyIn(hn::Or(hn::And(differ, hn::Set(dw, 0xFFFFE000u)), hn::And(marks, hn::Set(dw, 0x40000000u))),
                 hn::Set(dw, 0xFFFFFFFFu));
  } else if constexpr (Operation::kReads) {
    return AnyTold(differ, upper, marks, tie, total);
  } else {
    return AnyIn(differ, upper);
  }
}

// The upper halves of s and c as [s0 c0 s1 c1 ...].
HWY_INLINE void StoreInterleaved(WordVec s, WordVec c, std::uint16_t* to, bool stream) {
  const hn::ScalableTag<std::uint16_t> d16;
  if constexpr (kBigEndian) {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, hn::ShiftRight<16>(c)), hn::BitCast(d16, s)), to, stream);
  } else {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, c), hn::BitCast(d16, hn::ShiftRight<16>(s))), to, stream);
  }
}

HWY_INLINE void StoreNarrow(WordVec upper_halves, std::uint16_t* to, bool stream) {
  StoreNarrow(Entries(), hn::ShiftRight<16>(upper_halves), to, stream);
}

// The same of float16, by an instruction.
template <class Operation>
HWY_INLINE HalfVec RoundBoth(EntryVec upper, EntryVec lower, HalfVec& rounded, WordVec& /*marks*/) {
  rounded = ToFloat16(Entries(), upper);
  return hn::Xor(rounded, ToFloat16(Entries(), lower));
}

template <class Operation>
HWY_INLINE bool AnyUndecided(HalfVec differ, WordVec /*marks*/, EntryVec /*total*/) {
  const hn::Rebind<std::uint16_t, Entries> d16;
  return !hn::AllTrue(d16, hn::Eq(differ, hn::Zero(d16)));
}

HWY_INLINE void StoreInterleaved(HalfVec s, HalfVec c, std::uint16_t* to, bool stream) {
  const Words dw;
  const hn::ScalableTag<std::uint16_t> d16;
  const auto words = hn::Or(hn::PromoteTo(dw, s), hn::ShiftLeft<16>(hn::PromoteTo(dw, c)));
  StoreVector(d16, hn::BitCast(d16, words), to, stream);
}

HWY_INLINE void StoreNarrow(HalfVec v, std::uint16_t* to, bool stream) {
  StoreVector(hn::Rebind<std::uint16_t, Entries>(), v, to, stream);
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_BRACKETS_INL_H_
