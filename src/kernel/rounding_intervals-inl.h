// Rounding (rounding-inl.h), intervals: a result is decided if both ends of its interval, the result plus its
// bound and the result less its bound, round to the same number. Rounding is monotonic, so the real number
// between the ends rounds to this number too. Included once per target.
//
//   test            rounds to                        for
//   RoundSum        double, sums of two doubles      rows and caches of doubles
//   RoundQuickly    the same, with FMA               their first try
//   RoundBetween    any type, of any exponent        caches of 16-bit types, single rotated pairs
//   RoundEnds       the same                         float32 rotated to 16-bit types
//   RoundToFloats   float                            rotated float32
//   RoundPairsBetween  float and odd float           runs
//   RoundToShort    16-bit types, in float           rotated 16-bit types
//   RoundInterval   16-bit types, in float           runs of 16-bit types
#if defined(POSENC_SRC_KERNEL_ROUNDING_INTERVALS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROUNDING_INTERVALS_INL_H_
#undef POSENC_SRC_KERNEL_ROUNDING_INTERVALS_INL_H_
#else
#define POSENC_SRC_KERNEL_ROUNDING_INTERVALS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "number/bounds.h"
#include "hwy/highway.h"
#include "kernel/rounding_packing-inl.h"
#include "kernel/simd-inl.h"
#include "kernel/store-inl.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Ziv's rounding test: rounded = the double nearest to every real number within `error` of high + low, if
// there is one. The returned mask has the undecided lanes, in which the ends of the interval round
// differently. `error` includes what low +- error round by. Where it is 0 the sum is exact, and decided.
// `rounded` is never -0, as low + 0 is not.
HWY_INLINE hn::Mask<Doubles> RoundSum(DoubleVec high, DoubleVec low, DoubleVec error, DoubleVec& rounded) {
  rounded = hn::Add(high, hn::Add(low, error));
  return hn::Ne(rounded, hn::Add(high, hn::Sub(low, error)));
}

// `RoundSum` with the bound |factor| * error, which FMA adds in one step.
HWY_INLINE hn::Mask<Doubles> RoundQuickly(DoubleVec high, DoubleVec low, DoubleVec factor, double error,
                                          DoubleVec& rounded) {
  const auto bound = hn::Set(Doubles(), error);
  rounded = hn::Add(high, hn::MulAdd(factor, bound, low));
  return hn::Ne(rounded, hn::Add(high, MinusProduct(factor, bound, low)));
}

// The ends of an interval: sum + bound and sum - bound. A sum of +0 or -0 with a bound of 0 gives +0
// twice: 0 - bound is +0, where -bound would be -0.
template <class D, class V>
HWY_INLINE V Above(D /*d*/, V sum, V bound) {
  return hn::Add(sum, bound);
}
template <class D, class V>
HWY_INLINE V Below(D d, V sum, V bound) {
  return hn::Add(sum, hn::Sub(hn::Zero(d), bound));
}

// How doubles are rounded to a format of floats, whatever their exponent.
struct FormatRounding {
  double least;  // the power of 2 that stands for all smaller numbers: subnormal ones have its last place
  double magic;  // times a power of 2: a number that has the last place of numbers of the format this large
};
template <posenc_type kFormat>
constexpr FormatRounding kFormatRounding = {TwoTo(TraitsOf(kFormat).min_exponent - 1),
                                            1.5 * TwoTo(53 - TraitsOf(kFormat).digits)};

// v rounded to the nearest number of the format, ties to even, as a float; subnormal numbers of the format
// are right too. (A number beyond the format's largest keeps its exponent here; the store makes it infinite.)
//
// Adding and subtracting 1.5 * 2^(53 - digits) times v's power of 2 leaves exactly the format's digits.
HWY_INLINE FloatVec RoundToFormat(const FormatRounding& format, DoubleVec v) {
  const Doubles d;
  const Longs du;
  const auto exponent = hn::And(hn::BitCast(du, v), hn::Set(du, std::uint64_t{0x7FF} << 52));
  const auto least = hn::Set(d, format.least);
  // An infinite v would make an infinite `magic`, and infinity - infinity a NaN.
  const auto scale = hn::Min(hn::Max(hn::BitCast(d, exponent), least), hn::Set(d, 0x1p300));
  const auto magic = hn::Mul(scale, hn::Set(d, format.magic));
  const auto nearest = hn::Sub(hn::Add(v, magic), magic);
  return ToFloats(hn::CopySign(nearest, v));
}

// Rounds an interval to a format: rounded = its upper end, rounded. Returns the bits in which the lower end,
// rounded, differs (a zero of the other sign does): 0 if the lane is decided. Then every number of the
// interval rounds to `rounded`.
HWY_INLINE WordsAs<Floats> RoundEnds(const FormatRounding& format, DoubleVec sum, DoubleVec bound,
                                     FloatVec& rounded) {
  const hn::RebindToUnsigned<Floats> du;
  const auto below = RoundToFormat(format, Below(Doubles(), sum, bound));
  rounded = RoundToFormat(format, Above(Doubles(), sum, bound));
  return hn::Xor(hn::BitCast(du, below), hn::BitCast(du, rounded));
}

// The same. Returns the undecided lanes.
HWY_INLINE hn::Mask<Doubles> RoundBetween(const FormatRounding& format, DoubleVec sum, DoubleVec bound,
                                          FloatVec& rounded) {
  const hn::RebindToSigned<Floats> di;
  const auto differ = hn::Ne(hn::BitCast(di, RoundEnds(format, sum, bound, rounded)), hn::Zero(di));
  // Highway cannot make a mask of doubles from one of floats; the mask goes through 1.0f and 0.0f.
  const Doubles d;
  const auto one =
      hn::IfThenElse(hn::RebindMask(Floats(), differ), hn::Set(Floats(), 1.0f), hn::Zero(Floats()));
  return hn::Ne(hn::PromoteTo(d, one), hn::Zero(d));
}

// The same for float, where conversions round: bits = the upper end. Returns the bits in which the rounded
// ends differ: 0 if the lane is decided.
HWY_INLINE WordsAs<Floats> RoundToFloats(DoubleVec sum, DoubleVec bound, WordsAs<Floats>& bits) {
  const Doubles d;
  const hn::RebindToUnsigned<Floats> du;
  bits = hn::BitCast(du, ToFloats(Above(d, sum, bound)));
  return hn::Xor(bits, hn::BitCast(du, ToFloats(Below(d, sum, bound))));
}

// Entries [a0 b0 a1 b1 ...]: both vectors plus `error`, rounded to floats, or to odd floats (kOdd). Returns
// the lanes that are decided.
template <bool kOdd>
HWY_INLINE hn::Mask<Entries> RoundPairsBetween(DoubleVec a, DoubleVec b, DoubleVec error, EntryVec& entries) {
  entries = ToRoundedFloats<kOdd>(hn::Add(a, error), hn::Add(b, error));
  return hn::Eq(entries, ToRoundedFloats<kOdd>(hn::Sub(a, error), hn::Sub(b, error)));
}

// Both ends rounded to bfloat16, midpoints away from 0: rounded = the upper end, in the upper half of each
// word. Returns the bits in which the ends differ; of these the bits in the lower halves say nothing.
template <class DF>
HWY_INLINE WordsAs<DF> RoundEndsToBFloat16(DF /*df*/, hn::Vec<DF> above, hn::Vec<DF> below,
                                           WordsAs<DF>& rounded) {
  const hn::RebindToUnsigned<DF> du;
  const auto half = hn::Set(du, 0x8000u);
  rounded = hn::Add(hn::BitCast(du, above), half);
  return hn::Xor(rounded, hn::Add(hn::BitCast(du, below), half));
}

// The same as RoundToFloats for 16-bit types, from sums and bounds in float. The low half of each word of
// `bits` holds the rounded number. Returns the bits in which the ends differ. For bfloat16 only the bits in
// the high half of each word count.
//
// are_exact: bounds may be 0, so that a sum may be a midpoint and yet decided: it goes to even. Float16Bits
// does that in any case.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> RoundToShort(DF df, hn::Vec<DF> sum, hn::Vec<DF> bound, bool are_exact,
                                    WordsAs<DF>& bits) {
  const hn::RebindToUnsigned<DF> du;
  const auto above = Above(df, sum, bound), below = Below(df, sum, bound);
  if constexpr (kType == POSENC_F16) {
    bits = Float16Bits(df, above);
    return hn::Xor(bits, Float16Bits(df, below));
  } else {
    static_assert(kType == POSENC_BF16);
    WordsAs<DF> to;
    const auto differ = RoundEndsToBFloat16(df, above, below, to);
    if (HWY_UNLIKELY(are_exact)) {
      const auto off_tie =
          hn::Or(hn::And(to, hn::Set(du, 0xFFFFu)), hn::Xor(hn::BitCast(du, above), hn::BitCast(du, below)));
      to = hn::IfThenElse(hn::Eq(off_tie, hn::Zero(du)), hn::And(to, hn::Set(du, 0xFFFE0000u)), to);
    }
    bits = hn::ShiftRight<16>(to);
    return differ;
  }
}

#if HWY_TARGET != HWY_SCALAR

// Float16 is rounded by AVX2's instruction, or by integer operations (SSE4). With AVX-512 it is not tried:
// one vector in 8 is undecided at large positions, which costs as much as is gained, or more.
constexpr bool kConvertsHalves = kHasFloat16 && !kHasAvx512;
constexpr bool kRoundsHalves = kHasSse4 && !kHasFloat16;
// Rounded ends: vectors of 16 bits, or words whose upper halves are the results.
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
    static_assert(Operation::kType == POSENC_BF16);
    // The lower half of a midpoint is 0x8000, the least signed number, so the minimum finds any.
    const hn::Repartition<std::int16_t, Words> d16;
    const auto differ = RoundEndsToBFloat16(Entries(), upper, lower, rounded);
    if constexpr (Operation::kReads) {
      const auto both = hn::Min(hn::BitCast(d16, upper), hn::BitCast(d16, lower));
      marks = hn::BitCast(dw, hn::Min(hn::BitCast(d16, marks), both));
    }
    return differ;
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
  } else {
    static_assert(Operation::kType == POSENC_BF16);
    return Operation::kReads ? AnyBitTieOrNan(differ, upper, marks, tie, total) : AnyBit(differ, upper);
  }
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

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_ROUNDING_INTERVALS_INL_H_
