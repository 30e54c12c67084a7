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

template <class Operation>
constexpr bool kAddsInFloat = Operation::kType == POSENC_BF16 ||
                              (Operation::kType == POSENC_F16 && !Operation::kReads &&
                               (kConvertsHalves || kRoundsHalves));

// The bound of a cosine's error; a sine's is less while phases are small (`MakeAnchors`). For sums with
// elements 2^-24 more: 2^-25 because they are sums with the entry rounded to float, and as much again where
// the first addition of an upper end reaches 1.
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
//
//   load(r, x_sine, x_cosine)  loads x, the elements of the row before (r = 0) or after the anchor (r = 1)
template <class Operation, class Load>
HWY_INLINE bool MirroredFloatEntries(const MirroredFloats& angles, std::size_t at, const Load& load,
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
  EntryVec x_sine0, x_cosine0, x_sine1, x_cosine1;
  load(0, x_sine0, x_cosine0);
  load(1, x_sine1, x_cosine1);
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
  const auto load = [&](int r, EntryVec& x_sine, EntryVec& x_cosine) POSENC_INLINE_LAMBDA {
    if constexpr (Operation::kReads) {
      LoadSources<kInterleaved>(operation, c, r == 0 ? from0 : from1, i, x_sine, x_cosine);
    } else {
      x_sine = x_cosine = hn::Zero(Entries());
    }
  };
  RoundedVec<Operation> sine0, cosine0, sine1, cosine1;
  for (; i < end; i += hn::Lanes(Entries())) {
    if (HWY_UNLIKELY(MirroredFloatEntries<Operation>(p, i - begin, load, sine0, cosine0, sine1, cosine1)))
      break;
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
