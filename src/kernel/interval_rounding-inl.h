// Rounding an interval to 16 bits: where both ends round to one number, so does every real number between
// them, because rounding is monotonic. Included once per target.
//
// An end may also be rounded otherwise than to nearest even where that is cheaper, as long as the rounding is
// monotonic and right for all that is no midpoint.
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

// Float16 is rounded by AVX2's instruction, or by integer operations (SSE4). With AVX-512 it is not tried:
// one vector in 8 is undecided at large positions, which costs as much as is gained, or more.
constexpr bool kConvertsHalves = kHasFloat16 && !kIsAvx512;
constexpr bool kRoundsHalves = kIsSse4 && !kHasFloat16;
template <class Operation>
constexpr bool kAddsInFloat = Operation::kType == POSENC_BF16 ||
                              (Operation::kType == POSENC_F16 && !Operation::kReads &&
                               (kConvertsHalves || kRoundsHalves));

// Rounded ends: vectors of 16 bits, or words whose upper halves are the results.
using HalfVec = hn::Vec<hn::Rebind<std::uint16_t, Entries>>;
template <class Operation>
using RoundedVec = std::conditional_t<Operation::kType == POSENC_F16 && kConvertsHalves, HalfVec, WordVec>;

// What `RoundInterval` begins to collect `marks` from.
template <class Operation>
HWY_INLINE WordVec NoMarks() {
  return hn::Set(Words(), Operation::kReads ? 0x7FFF7FFFu : 0u);
}

// Rounds both ends of each lane's interval to 16 bits:
//
//   rounded   the upper end, in the upper half of each word
//   marks     collects what else leaves lanes undecided: of written float16, bit 30 if the upper end is below
//             2^-14; of sums with bfloat16, the least half words, 0x8000 if a lower one is that of a midpoint
//
// Both roundings take midpoints away from zero, and are right otherwise: bfloat16 everywhere, float16 from
// 2^-14 on. Returns the bits in which the rounded ends differ, and bits below these that say nothing.
// `AnyUndecided` tests both.
template <class Operation>
HWY_INLINE WordVec RoundInterval(EntryVec upper, EntryVec lower, WordVec& rounded, WordVec& marks) {
  const Words dw;
  if constexpr (Operation::kType == POSENC_F16) {
    // Half a place is added, 13 bits are to be dropped, and the exponent is lowered by 113. Below 2^-14 this
    // borrows from the sign, and leaves bit 30 set. Then 1 is added to the exponent.
    const auto bias = hn::Set(dw, 0x1000u - (113u << 23));
    const auto biased = hn::Add(hn::BitCast(dw, upper), bias);
    marks = hn::Or(marks, biased);
    const auto sign = hn::And(biased, hn::Set(dw, 0x80000000u));
    rounded = hn::Or(hn::ShiftLeft<3>(hn::Add(biased, hn::Set(dw, 1u << 23))), sign);
    return hn::Xor(biased, hn::Add(hn::BitCast(dw, lower), bias));
  } else {
    // The lower half of a midpoint is 0x8000, the least signed number, so the minimum finds any.
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

// Whether any lane is undecided, from what `RoundInterval` returned and collected for a vector:
//
//   written    the rounded ends differ, or float16 that is rounded by hand is below 2^-14
//   sums       also if an end is a midpoint, which goes to even, or a -0, whose upper half looks like one; or
//              if `total`, the sum of all upper ends, is a NaN: one was added, or infinities of both signs
//
// Undecided vectors go to the hot loop in double (`AngleAdditionLoop`).
template <class Operation>
HWY_INLINE bool AnyUndecided(WordVec differ, WordVec marks, EntryVec total) {
  const Words dw;
  const auto upper = hn::Set(dw, 0xFFFF0000u), tie = hn::Set(dw, 0x80008000u);
  if constexpr (Operation::kType == POSENC_F16) {
    return AnyBit(hn::Or(hn::And(differ, hn::Set(dw, 0xFFFFE000u)), hn::And(marks, hn::Set(dw, 0x40000000u))),
                  hn::Set(dw, 0xFFFFFFFFu));
  } else if constexpr (Operation::kReads) {
    return AnyBitTieOrNan(differ, upper, marks, tie, total);
  } else {
    return AnyBit(differ, upper);
  }
}

// Stores the upper halves of s and c as [s0 c0 s1 c1 ...].
HWY_INLINE void StoreInterleaved(WordVec s, WordVec c, std::uint16_t* to, bool stream) {
  const hn::ScalableTag<std::uint16_t> d16;
  if constexpr (kBigEndian) {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, hn::ShiftRight<16>(c)), hn::BitCast(d16, s)), to, stream);
  } else {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, c), hn::BitCast(d16, hn::ShiftRight<16>(s))), to, stream);
  }
}

// Stores the upper halves of words, one behind the other.
HWY_INLINE void StoreNarrow(WordVec upper_halves, std::uint16_t* to, bool stream) {
  StoreNarrow(Entries(), hn::ShiftRight<16>(upper_halves), to, stream);
}

// The same of float16, by an instruction.
template <class Operation>
HWY_INLINE HalfVec RoundInterval(EntryVec upper, EntryVec lower, HalfVec& rounded, WordVec& /*marks*/) {
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
