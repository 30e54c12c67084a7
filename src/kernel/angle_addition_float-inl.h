// Runs of rows of 16-bit types by angle addition in float, between bounds: each entry, or its sum with an
// element, is computed with the error bound added and with it subtracted. If both ends round to the same 16
// bits, so does the real number. Angle addition in double decides the others. Included once
// per target.
#if defined(POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
#undef POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
#else
#define POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"
#include "kernel/anchors-inl.h"
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
constexpr bool kConvertsHalves = kHasFloat16 && !kHasAvx512;
constexpr bool kRoundsHalves = kHasSse4 && !kHasFloat16;
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

// The bound of a cosine's error; a sine's is less while phases are small (`MakeAnchors`). For sums 2^-24
// more, since they are sums with the entry rounded to float: 2^-25, and as much again where a sum reaches 1.
template <class Operation>
constexpr double kFloatError = (kHasFma ? kFloatAngleAdditionError : kFloatAngleAdditionErrorWithoutFma) +
                               (Operation::kReads ? 0x1p-24 : 0.0);

// One vector of pairs of two mirrored rows, from pair `at` of the chunk on, rounded to 16 bits
// (`RoundInterval`): entries, or x + entries. For the row before the anchor, with the anchor's s, c and the
// offset's rs, rc as floats:
//
//   sine0   = s rc - c rs, between s rc - error - c rs and s rc + error - c rs
//   cosine0 = c rc + s rs, with the same interval; the row after the anchor has the other signs
//
// Error: absolutely kFloatAngleAdditionError, 5 e of e = 2^-25; without FMA 7 e,
// kFloatAngleAdditionErrorWithoutFma.
// Worst known, as in anchors-inl.h, of both ends with their bound taken off: 4.55 e, without FMA 5.85 e:
//
//   with     cosine, position 2440473 of the run from 2440442, step 0x1.a92d9b3b482a1p-3 -
//            0x1.5b7be4ce207dcp-57: got -0x1.f94f21p-1, want -0x1.f94f258b9da0a636p-1
//   without  sine, position 2123 of the run from 2088, step 0x1.83d7181574aadp-4 - 0x1.894b65348ebd8p-58:
//            got 0x1.ffb415p-1, want 0x1.ffb40f26eb18f814p-1
//
// Sines of small phases came to 0.66 of their bound, without FMA to 0.6. Returns whether any lane is
// undecided: `AnyUndecided`. `AngleAdditionLoop` takes such vectors.
template <class Operation>
HWY_INLINE bool MirroredFloatEntries(const MirroredFloats& angles, std::size_t at, EntryVec x_sine0,
                                     EntryVec x_cosine0, EntryVec x_sine1, EntryVec x_cosine1,
                                     RoundedVec<Operation>& sine0, RoundedVec<Operation>& cosine0,
                                     RoundedVec<Operation>& sine1, RoundedVec<Operation>& cosine1) {
  const Entries df;
  const auto s = hn::LoadU(df, angles.sines + at);
  const auto c = hn::LoadU(df, angles.cosines + at);
  const auto rc = hn::LoadU(df, angles.offset[0] + at);
  const auto rs = hn::LoadU(df, angles.offset[1] + at);
  const auto sine_error = hn::LoadU(df, angles.errors + at);
  const auto cosine_error = hn::Set(df, static_cast<float>(kFloatError<Operation>));
  const auto s_upper = hn::MulAdd(s, rc, sine_error);
  const auto s_lower = hn::MulSub(s, rc, sine_error);
  const auto c_upper = hn::MulAdd(c, rc, cosine_error);
  const auto c_lower = hn::MulSub(c, rc, cosine_error);
  auto total = hn::Zero(df);
  auto marks = NoMarks<Operation>();
  const auto round = [&](EntryVec upper, EntryVec lower, EntryVec x, RoundedVec<Operation>& rounded)
                         HWY_ATTR {
                           if constexpr (Operation::kReads) {
                             upper = hn::Add(x, upper);
                             lower = hn::Add(x, lower);
                             total = hn::Add(total, upper);
                           }
                           return RoundInterval<Operation>(upper, lower, rounded, marks);
                         };
  auto differ = round(MinusProduct(c, rs, s_upper), MinusProduct(c, rs, s_lower), x_sine0, sine0);
  differ = hn::Or(differ, round(hn::MulAdd(s, rs, c_upper), hn::MulAdd(s, rs, c_lower), x_cosine0, cosine0));
  differ = hn::Or(differ, round(hn::MulAdd(c, rs, s_upper), hn::MulAdd(c, rs, s_lower), x_sine1, sine1));
  differ =
      hn::Or(differ, round(MinusProduct(s, rs, c_upper), MinusProduct(s, rs, c_lower), x_cosine1, cosine1));
  return AnyUndecided<Operation>(differ, marks, total);
}

// Loads a vector of pairs of bfloat16 elements, times the scale: apart, the elements that sines are added to,
// and the elements that cosines are added to.
template <bool kInterleaved, class Operation>
HWY_INLINE void LoadSources(const Operation& operation, const Columns& columns, const std::uint16_t* from,
                            std::size_t i, EntryVec& sines, EntryVec& cosines) {
  const Entries df;
  const auto scale = hn::Set(df, operation.scale);
  if constexpr (kInterleaved) {
    const Words dw;
    const hn::Repartition<std::uint16_t, Words> d16;
    const auto words = hn::BitCast(dw, hn::LoadU(d16, from + 2 * i));
    const auto low = hn::ShiftLeft<16>(words), high = hn::And(words, hn::Set(dw, 0xFFFF0000u));
    sines = hn::Mul(hn::BitCast(df, kBigEndian ? high : low), scale);
    cosines = hn::Mul(hn::BitCast(df, kBigEndian ? low : high), scale);
  } else {
    sines = hn::Mul(LoadAsFloat<POSENC_BF16>(df, from + columns.sine_offset + i), scale);
    cosines = hn::Mul(LoadAsFloat<POSENC_BF16>(df, from + columns.cosine_offset + i), scale);
  }
}

// The hot loop of 16 bits: as `AngleAdditionLoop`, which takes the vector at which this one stops.
template <bool kInterleaved, class Operation>
HWY_NOINLINE std::size_t AngleAdditionFloatLoop(float scale, const Columns& columns,
                                                const MirroredAngles& angles, const MirroredRows& rows,
                                                bool stream, std::size_t i, std::size_t end) {
  const Operation operation{scale};
  const MirroredFloats p = angles.floats;
  const Columns c = columns;
  const std::size_t begin = angles.begin;
  const std::size_t first = kInterleaved ? columns.sine_offset : 0;
  const auto* from0 = reinterpret_cast<const std::uint16_t*>(rows.row[0].from) + first;
  const auto* from1 = reinterpret_cast<const std::uint16_t*>(rows.row[1].from) + first;
  auto* to0 = reinterpret_cast<std::uint16_t*>(rows.row[0].to) + first;
  auto* to1 = reinterpret_cast<std::uint16_t*>(rows.row[1].to) + first;
  [[maybe_unused]] const std::uintptr_t next0 = rows.next[0] + first * sizeof(*to0);
  [[maybe_unused]] const std::uintptr_t next1 = rows.next[1] + first * sizeof(*to1);
  [[maybe_unused]] const NextRowPrefetch prefetch_next = rows.prefetch;
  [[maybe_unused]] const bool prefetches = Prefetches(to0, stream);
  const auto prefetch = [&](std::size_t column) POSENC_INLINE_LAMBDA {
    if constexpr (Operation::kReads) {
      prefetch_next(next0 + column * sizeof(*to0));
      prefetch_next(next1 + column * sizeof(*to1));
    } else if (HWY_UNLIKELY(prefetches)) {
      PrefetchNear(AddressOf(to0 + column) + kWriteAhead);
      PrefetchNear(AddressOf(to1 + column) + kWriteAhead);
    }
  };
  auto x_sine0 = hn::Zero(Entries()), x_cosine0 = x_sine0, x_sine1 = x_sine0, x_cosine1 = x_sine0;
  RoundedVec<Operation> sine0, cosine0, sine1, cosine1;
  for (; i < end; i += hn::Lanes(Entries())) {
    if constexpr (Operation::kReads) {
      LoadSources<kInterleaved>(operation, c, from0, i, x_sine0, x_cosine0);
      LoadSources<kInterleaved>(operation, c, from1, i, x_sine1, x_cosine1);
    }
    if (HWY_UNLIKELY(MirroredFloatEntries<Operation>(p, i - begin, x_sine0, x_cosine0, x_sine1, x_cosine1,
                                                     sine0, cosine0, sine1, cosine1))) {
      break;
    }
    if constexpr (kInterleaved) {
      prefetch(2 * i);
      StoreInterleaved(sine0, cosine0, to0 + 2 * i, stream);
      StoreInterleaved(sine1, cosine1, to1 + 2 * i, stream);
    } else {
      prefetch(c.sine_offset + i);
      prefetch(c.cosine_offset + i);
      StoreNarrow(sine0, to0 + c.sine_offset + i, stream);
      StoreNarrow(cosine0, to0 + c.cosine_offset + i, stream);
      StoreNarrow(sine1, to1 + c.sine_offset + i, stream);
      StoreNarrow(cosine1, to1 + c.cosine_offset + i, stream);
    }
  }
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
