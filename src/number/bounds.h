// Error bounds of the kernels' arithmetic, and the windows and limits of the tests that rely on them. Each
// comment says what a constant bounds, how the number comes about, which page argues it, and what uses it.
//
// Errors are relative unless said otherwise. u = 2^-53 is the error of one rounding to double, v = 2^-24 that
// of one to float. Phases and steps are in quarter turns; r is a phase less the nearest integer. A window of
// n means that a result within n ulps of a midpoint is undecided, in ulps of the result before it is rounded
// to its type.
#ifndef POSENC_SRC_NUMBER_BOUNDS_H_
#define POSENC_SRC_NUMBER_BOUNDS_H_

#include <cstddef>
#include <cstdint>

#include "number/elements.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// PROOF.md, "The angle".

// The least |r| as a part of |phase| with which a direct entry can be decided. The error of the phase is
// 2^-97 from its step (frequency/table.h; in truth 26 * 2^-103) and 2^-104 from the product, so at this limit
// r has an error of at most u/2. Used by ReducedSinCos and the direct kernels, through
// FrequencyTable::min_uncancelled.
inline constexpr double kMinUncancelled = 0x1p-43;

// The largest step of a table whose phases all are exact, so that none is tested for cancellation. Positions
// are up to 2^31, so its phases are at most 2^43, and |r| is at most 1/2 + 2^-10: the integer is the one
// nearest to the phase's high part, whose ulp is at most 2^-10 below 2^43. (Larger phases with inexact steps
// all fail the test for cancellation.) Used by frequency/table.cc.
inline constexpr double kLargestExactStep = 0x1p12;

// The least |phase| of a direct row of floats or of 16-bit types: the sine of a smaller one may be a
// subnormal float, which the windows do not cover. Used by EvaluateFully (direct-inl.h).
inline constexpr double kMinPhase = 0x1p-126;

// proof/direct.md, the direct kernel.

// Error of a sine or cosine in double (sincos-inl.h): u / 2 from r, u from the last sum, u from the product
// before it (without FMA), 0.4 u from the smaller terms and 0.05 u from the polynomial make 2.95 u for the
// sine. The cosine has 2.2 u, and 2.8 u where |r| exceeds 1/2. Used by direct rows of floats and 16-bit
// types, and by a token's angles.
inline constexpr double kDirectError = 3 * 0x1p-53;

// Error of a sine or cosine as a sum of two doubles (sincos_double-inl.h), in two parts. The phase gives an
// absolute one, kPhaseErrorPerUncancelled * kMinUncancelled * |phase|: 2^-96, which is more than pi/2 times
// the phase's 2^-97 and 2^-104. The polynomials, whose first sums are plain doubles, give 2^-78.5 (cosine)
// and 2^-79.1 (sine); products and sums 2^-100. Used by rows and caches of doubles.
inline constexpr double kPhaseErrorPerUncancelled = 0x1p-53;
inline constexpr double kDoubleError = 0x1p-78;

// Rows and caches of doubles leave |phase| above kLargestPhase, for which the reduction may not find the
// nearest integer, and below kMinDoublePhase, whose products are not exact, to wide arithmetic. (Above 2^43
// |r| may exceed 1/2, but there the error of the phase outweighs what the polynomials lose.) kLargestPhase
// also limits what `reference.cc` tries in double beside quarter turns.
inline constexpr double kLargestPhase = 0x1p50;
inline constexpr double kMinDoublePhase = 0x1p-900;

// Window of kDirectError; a power of two. Used by EvaluateFully (direct-inl.h).
inline constexpr std::uint64_t kDirectWindow = 8;
static_assert(kDirectError * 0x1p53 <= kDirectWindow, "the test must cover the error");

// Error and window of the first try of direct rows, with fewer terms (EvaluateQuickly): 2^-43.6 from the
// cosine's polynomial or 2^-47.6 from the sine's, at most 2^-42 from r, less than 2^-44 from roundings.
inline constexpr double kQuickError = 0x1p-41;
inline constexpr std::uint64_t kQuickWindow = std::uint64_t{1} << 12;
static_assert(kQuickError * 0x1p53 <= kQuickWindow, "the test must cover the error");

// The least |r| that this first try decides. Its phases are below 2^33 and have an absolute error of 2^-64,
// which is 2^-42 of such an r. Pairs with smaller steps are not tried, as they would fail at small positions
// (frequency/table.cc).
inline constexpr double kMinQuick = 0x1p-22;

// The largest phase in radians, under a phase rounding, that this first try takes: phases in quarter turns
// are then below 2^33 as well (proof/direct.md). Used by frequency/table.cc.
inline constexpr double kMaxQuickPhase = 0x1p33;

// The largest whole position whose products with numbers of 35 binary digits are exact: it has 18, and a
// double 53. Without FMA first tries reduce such phases without Dekker's halves (sincos-inl.h,
// sincos_double-inl.h); rows of doubles are tried first only up to here, even with FMA.
inline constexpr double kMaxShort = 0x1p18;

// Errors of the first try of direct rows of doubles (direct_double-inl.h): of the sine relatively, of the
// cosine absolutely, as a part of r^2. proof/direct.md adds them up: 0.45 * 2^-64, 1.61 * 2^-63 and, without
// FMA, 3.92 * 2^-63; a search found 0.33, 1.15 and 3.42.
inline constexpr double kQuickSineError = 0x1p-65;
inline constexpr double kQuickCosineError = 0x1.ep-63;
inline constexpr double kQuickCosineErrorWithoutFma = 0x1.2p-61;

// The least |r| of that try, in itself and as a part of |position|. The former leaves room for the roundings
// of low parts. Phases are at most 4 |position|, good to 2^-96.9, which is 2^-66.9 of such an r.
inline constexpr double kMinQuickDouble = 0x1p-20;
inline constexpr double kMinQuickPart = 0x1p-28;

// proof/addition.md, angle addition.

// Absolute error of a row in a run of floats or of 16-bit types, after two angle additions a * b +- c * d. Of
// the unit vectors (a, c) and (b, d) one component is at least 0.7 and comes from the cosine's polynomial,
// the other from the sine's: sqrt((2.94^2 + 2.2^2) / 2) = 2.6 u for each vector. Products and sum add 1.25 u
// to an entry, and 1.83 u to a vector. So the first addition, to the anchor of a group, leaves 2.6 + 2.6 +
// 1.83 = 7.03 u, and the second, to its rows, 7.03 + 2.6 + 1.25 < 10.9 u. (A sum that reaches 1 may be off by
// more, but such an entry rounds to 1 in any case.) Used by angle_addition-inl.h and rounding_windows-inl.h.
inline constexpr double kAngleAdditionError = 11 * 0x1p-53;

// Half the width of an entry's interval: the error, and u by which each end is rounded. Used by FinishPairs.
inline constexpr double kAddedInterval = 12 * 0x1p-53;
static_assert(kAddedInterval >= kAngleAdditionError + 0x1p-53, "the interval must cover the error");

// An added entry is undecided if it is smaller than kMinAdded, or near a midpoint: for float32 within a
// window of kAddedWindow; for 16-bit types if its sum, as a float, is a midpoint or a midpoint's neighbour on
// the side of zero.
// What rounds to the float after 2^-12 was at least 2^-12, where an ulp is 2^-64 and the window 16 u. From
// 2^-14, the least normal float16, an ulp of a float is 2^-37, far more than the error. Used by the loop of
// angle_addition-inl.h.
template <posenc_type kFormat>
inline constexpr double kMinAdded = kFormat == POSENC_F32                             ? 0x1.000002p-12
                                    : kFormat == POSENC_BF16 || kFormat == POSENC_F16 ? 0x1p-14
                                                                                      : NoValueFor(kFormat);
inline constexpr std::uint64_t kAddedWindow = std::uint64_t{1} << 15;
static_assert(kAngleAdditionError <= kAddedWindow * 0x1p-64 && kAngleAdditionError <= 0x1p-14 * 0x1p-23,
              "the tests must cover the error");

// While the phases of a pair stay within this in a run, its entries need not be at least kMinAdded. (Entries
// of float16 must be, because small ones are subnormal.) Only sin M cos S - cos M sin S cancels, over at most
// 64 rows, at positions of at least 1. So at position 1, where most cancels, an added sine is off by at most
// 470 u of the step (proof/addition.md, "Small phases"), which is far inside the window.
inline constexpr double kExemptQuarterTurns = 0.5;

// If a step of an encoder is nearer than this to half turns, in quarter turns, but not equal to them, then
// the encoder does not use angle addition. The step's sines may be below 2^-126, the least normal float: the
// window test is wrong for these numbers, and TruncatedFloats makes other numbers of them. Such steps
// belong to frequencies next to whole turns, and to frequencies below pi/2 * 2^-126 radians (the least is
// 2^-126).
inline constexpr double kMinAddedStep = 0x1p-126;

// proof/addition_float_double.md, angle addition in float, and for doubles.

// Absolute error of angle addition in float (angle_addition_float-inl.h), in e = 2^-25, the most by which a
// number below 1 is rounded to float: sqrt(2) from each of two unit vectors with rounded components, 1 from
// each of two sums, which makes 4.9; without FMA 1 from each of two products, which makes 6.9. (A sum that
// reaches 1 rounds by 2, but such an entry rounds to 1 in any case.) While the phases of a run stay below E
// <= 1/2 radian the error of a sine is at most 3.5, without FMA 4.5, in units of 2^-24 E: 1.5 from the
// components, 1 from each sum, and without FMA 1 from the products.
inline constexpr double kFloatAngleAdditionError = 5 * 0x1p-25;
inline constexpr double kFloatAngleAdditionErrorWithoutFma = 7 * 0x1p-25;

// Rows of doubles in runs (angle_addition_double-inl.h): absolute error, in three parts.
//
// - A row is a product of at most kAddedEvaluations direct evaluations: the middle of its run, and at most 63
//   times half a step for the move to its group's anchor and for its offset. Each is off by kDoubleError at
//   most; within the first quarter turn by that times the angle in radians.
// - The errors of their phases add up to the error of the largest phase of the run.
// - kAddedDoubleError bounds the rounding of the mirrored rows, 5.2 * 2^-79 without FMA: products 1, sums of
//   parts below 2^-26 1, the last two sums 2, high parts 0.5, low parts 0.7.
inline constexpr double kAddedEvaluations = 64;
inline constexpr double kAddedDoubleError = 0x1p-76;

// proof/rotation.md and proof/rotation_quick.md. c and s are a token's cosine and sine, a and b a pair's
// elements, G is the gain, and m the larger of |a| and |b|. Direct angles are evaluated from their phases;
// added ones are sums of an anchor's angle and an offset.

// Error and window of G c and G s with direct angles: kDirectError, u from the gain, which is a product of
// numbers rounded to double, and u from the product with it. Used by cached cosines and sines
// (token_sincos-inl.h).
inline constexpr double kScaledError = 5 * 0x1p-53;
inline constexpr std::uint64_t kScaledWindow = 8;
static_assert(kScaledError * 0x1p53 <= kScaledWindow, "the test must cover the error");

// Absolute error of an added angle, as the complex number c + i s of size 1: kDirectError of the anchor, u
// from the offset, which is rounded to double, 2 u from their product (without FMA (1 + sqrt(2)) u). Used by
// the caches of token_sincos-inl.h and, within kAddedRotationError, by rotation.
inline constexpr double kAddedAngleError = 6.5 * 0x1p-53;

// The least |c| and |s|, and the window, with which a cache takes them from added angles. There the error is
// 2^12 times kAddedAngleError, and 2 u more from the gain.
inline constexpr double kMinAddedSinCos = 0x1p-12;
inline constexpr std::uint64_t kAddedAngleWindow = std::uint64_t{1} << 15;
static_assert(kAddedAngleError / kMinAddedSinCos + 2 * 0x1p-53 <= kAddedAngleWindow * 0x1p-53,
              "the test must cover the error");

// Error of a sum a c - b s between bounds (bounded_sums-inl.h), as a part of |a c| + |b s|, with direct
// angles: kScaledError, u from each product with an element, u from the sum, u from adding the bound: 8 u.
// The scalar path takes it for angles beside quarter turns as well (rotary_reference.cc).
inline constexpr double kDirectRotationError = 9 * 0x1p-53;

// The same with added angles, as a part of G (|a| + |b|): kAddedAngleError and 2 u with the gain; u from the
// products, u from the sum, u from adding the bound: 11.5 u.
inline constexpr double kAddedRotationError = 12 * 0x1p-53;

// Added to the error of each direct c and s of a token that is not exactly 0, if one of the token is not
// above kMinPlainSinCos. It is far more than what tiny sines lose as doubles, and no product of it with an
// element underflows. Used by bounded_sums-inl.h.
inline constexpr double kMinSinCosError = 0x1p-500;

// If all c and s of a token are larger, their products with elements and a gain, and the errors of these, are
// normal doubles, and kMinSinCosError is not needed.
inline constexpr double kMinPlainSinCos = 0x1p-300;

// Error of a sum between bounds for 16-bit types: sum and bound become floats, which are then added. As a
// part of |a c| + |b s|: v from the sum, v from adding the bound, 0.1 v for what the bound loses as a float
// and for the errors in double. Besides, absolutely, kMinFloatRotationError: three roundings of subnormal
// floats, 2^-150 each.
inline constexpr double kFloatRotationError = 2.1 * 0x1p-24;
inline constexpr double kMinFloatRotationError = 0x1p-147;

// Quick rotation (quick_sums-inl.h) of float32, in double: with either kind of angle the error of a sum is at
// most 15 u G m. The window covers this error if a sum is at least 15 / 2^16 of G m. A sum must also be a
// normal float: kMinRotated. If sums are cut while subnormal results are flushed to 0, it must be at least
// kMinFlushed: two products may lose 2^-126 each, and the window has room for 2^-44 of a sum.
inline constexpr std::uint64_t kRotatedWindow = std::uint64_t{1} << 16;
inline constexpr float kMinRotated = 0x1p-125f;
inline constexpr float kMinFlushed = 0x1p-80f;

// Quick rotation of 16-bit types, in float: window in ulps of a float. G c and G s are in two parts each, and
// products with the high parts are exact. Low parts and their products round by 1 ulp, the sum of the high
// products by 1, its sum with the first low product by 1, and the last sum by 1/2. Together they are below 4
// ulps of a sum of at least 0.79 * 2^-11 (float16) or 0.79 * 2^-14 (bfloat16) of G m. Words of bfloat16
// (below) have at most 3.7 ulps.
inline constexpr std::uint32_t kFloatRotatedWindow = 4;

// The least part of a pair's larger sum that a decided sum is. As the larger sum is at least G m / sqrt(2), a
// decided one is at least 1 / sqrt(2) of this part of G m, which the two windows above ask for.
template <posenc_type kType>
inline constexpr float kMinPart = kType == POSENC_F32    ? 0x1.54p-12f
                                  : kType == POSENC_F16  ? 0x1.2p-11f
                                  : kType == POSENC_BF16 ? 0x1.2p-14f
                                                         : NoValueFor(kType);
static_assert(15 * 0x1.001p-53 * 1.4142136 <= kRotatedWindow * 0x1p-53 * kMinPart<POSENC_F32>,
              "the window must cover the error");

// Quick rotation of float32 to a 16-bit type: the sums in double, rounded to float. The window in ulps of a
// float covers this rounding, which is half an ulp (2^-13 more if sums are cut), and the error of a sum that
// is at least kMinConvertedPart * G m / sqrt(2).
inline constexpr std::uint32_t kConvertedWindow = 1;
inline constexpr float kMinConvertedPart = 0x1p-23f;
static_assert(15 * 0x1.001p-53 * 1.4142136 <=
                  (kConvertedWindow - 0.5 - 0x1p-12) * 0x1p-24 * kMinConvertedPart,
              "the window must cover the error and the rounding to float");

// The second tier, 16-bit types, without bounds (RoundConverted): the sums in double, rounded to float. With
// either kind of angle a sum is off by 17 u G hypot(a, b) before it is rounded. In places of the smaller
// float of a pair, this is 2^-7 if the larger one is finite, and less than about 2^kConvertedOctaves times
// the smaller one. If the larger one is an infinity, the sum may be as much larger as G is, which makes 0.38
// ulp.
inline constexpr std::int32_t kConvertedOctaves = 16;
inline constexpr double kMaxConvertedGain = 0x1p8;

// Instead of kMinPart, where sums of bfloat16 are tested two in a word, by their bits: |x| is at least 2^-74
// and less than 2^54, so that no difference of bits wraps around, and |y| within kWordOctaves powers of 2 of
// it, so that 3.7 ulps cover the error (proof/rotation_quick.md, "Words"). kMinWord is the upper half of the
// float 2^-74.
inline constexpr std::uint16_t kMinWord = (127 - 74) << 7;
inline constexpr std::uint16_t kWordOctaves = 16;

// The largest gain with which bfloat16 is rotated quickly (rotate_token.cc). With larger ones products with
// low parts may overflow, to the infinity opposite to the infinity of the high products' sum.
inline constexpr double kMaxQuickGain = 0x1p13;

// The largest gain with which bfloat16 is rotated quickly while subnormal elements are flushed to 0
// (Subnormals). Then two elements lose 2^-126 G each, and products and sums 2^-126 each, at most 2^-117 in
// all. That is 2^-4 ulp of a decided sum, which is at least 2^-90.
inline constexpr double kMaxFlushGain = 0x1p8;

// proof/norm.md, norms.

// The least epsilon of a norm other than 0. With this limit, and the limits of float32, the comparisons of
// norm_reference.cc take at most 621 bits.
inline constexpr double kMinEpsilon = 0x1p-126;

// The relative error of x g / sqrt(mean + epsilon) in double, and of the ends of its interval, is below
// NormError(d), where d counts the elements of the mean. Half of d u comes from the sum of d squares, which
// are exact. Up to 8.1 u come from the quotient by d, epsilon, the root, 1 + weight and products. The value
// is a multiple of 2 u, so that 1 + error and 1 - error are doubles. Used by norm-inl.h and head_norm.cc.
constexpr double NormError(std::size_t count) {
  const std::size_t units = count / 4 + 8;  // of 2 u
  return static_cast<double>(units) * 0x1p-52;
}

// The same for x g / sqrt(mean + epsilon) as a sum of two doubles, if the sum of squares has no error:
// kCloseNormError, which is more than 80 u^2. Otherwise the sum adds (d u)^2. Used by norm-inl.h.
inline constexpr double kCloseNormError = 0x1p-98;
constexpr double CloseNormError(std::size_t count, bool is_exact) {
  const double part = static_cast<double>(count) * 0x1p-53;
  return is_exact ? kCloseNormError : kCloseNormError + part * part;
}

// The part of a midpoint by which norm-inl.h moves it to one side before it is rounded to float. It is less
// than the half of an ulp, 2^-25, and more than doubles lose.
inline constexpr double kNormNudge = 0x1p-30;

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_BOUNDS_H_
