// Error bounds of the kernels' arithmetic, shared by code, tests and documents; PROOF.md argues them. u =
// 2^-53 is the relative error of one rounding to double, v = 2^-24 that of one to float.
#ifndef POSENC_SRC_NUMBER_BOUNDS_H_
#define POSENC_SRC_NUMBER_BOUNDS_H_

#include <cstdint>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// A direct result is used only if its reduced phase has |r| >= kMaxCancellation * |phase|. The phase has a
// relative error of 2^-97 from its step (frequency/table.h) and 2^-104 from the product, so r = high + low
// has one of u / 2.
inline constexpr double kMaxCancellation = 0x1p-43;

// The largest exact step, in quarter turns, of direct rows. Its phases are below 2^43, so that the reduced
// phase r is below 1/2 + 2^-10. (Larger phases of other steps fail the test for cancellation where r is not
// so small.)
inline constexpr double kLargestExactStep = 0x1p12;

// Smaller phases, in quarter turns, are left to wide arithmetic, since their sines may be subnormal floats.
inline constexpr double kMinPhase = 0x1p-126;

// Relative error of a sine or cosine in double (sincos-inl.h): u / 2 from r, u from the last sum, u from the
// product before it (without FMA), 0.4 u from the smaller terms, 0.03 u from the polynomial. In sum 2.9 u for
// the sine's polynomial, 2.2 u for the cosine's.
inline constexpr double kDirectError = 3 * 0x1p-53;

// The error of a sine or cosine as a sum of two doubles (sincos_double-inl.h) is the sum of two parts. The
// phase gives an absolute error of kPhaseErrorPerCancellation * kMaxCancellation times the phase: pi/2 times
// its 2^-97 and 2^-104. The polynomials, with those terms that are plain doubles, give a relative error of
// 2^-79; products and sums give 2^-100.
inline constexpr double kPhaseErrorPerCancellation = 0x1p-53;
inline constexpr double kDoubleError = 0x1p-78;

// Angle addition for doubles. A row is the product of the middle of its run, of the move to its group's
// anchor and of its offset, the latter two powers of half a step, 63 of them at most: 64 direct evaluations.
// Each is off by kDoubleError at most, in the first quarter turn by that times the angle in radians. To that
// come the errors of the phases, which add up to that of the largest phase of the run, and the rounding of
// the mirrored rows (products and sums of parts below 2^-27 and 2^-25, parts to 2^-81): 5.2 * 2^-79.
inline constexpr double kAddedEvaluations = 64;
inline constexpr double kAddedDoubleError = 0x1p-76;

// Rows of doubles leave larger and smaller phases, in quarter turns, to wide arithmetic: larger ones are not
// reduced by an integer exactly, and products of smaller ones are not exact. (Above 2^43 the error of the
// phase outweighs what the polynomials lose beyond |r| = 1/2.)
inline constexpr double kLargestPhase = 0x1p50;
inline constexpr double kMinDoublePhase = 0x1p-900;

// A direct result within so many ulps of a midpoint is undecided. A power of two.
inline constexpr std::uint64_t kDirectWindow = 8;
static_assert(kDirectError * 0x1p53 <= kDirectWindow, "the test must cover the error");

// The first try of direct rows has fewer terms (direct-inl.h). Its relative error: 2^-43.6 for the cosine,
// 2^-47.6 for the sine; at most 2^-42 from r; less than 2^-49 from roundings.
inline constexpr double kQuickError = 0x1p-41;
inline constexpr std::uint64_t kQuickWindow = std::uint64_t{1} << 12;
static_assert(kQuickError * 0x1p53 <= kQuickWindow, "the test must cover the error");

// The least |r| of that try. Phases below 2^33 quarter turns have an absolute error of 2^-64, 2^-42 of such
// an r.
inline constexpr double kMinQuick = 0x1p-22;

// The largest whole position of the first try of doubles: it has at most 18 binary digits, so that without
// FMA its products with numbers of 35 digits are exact.
inline constexpr double kMaxShort = 0x1p18;

// The first try of doubles (PROOF.md, "Rows of doubles"): the relative error of the sine, and the error of
// the cosine as a part of r^2. Positions are at most kMaxShort. |r| is at least kMinQuickDouble, and at least
// kMinQuickPart times |position|, a fourth of the largest phase; the phase's error is 2^-66.9 of such an r.
inline constexpr double kQuickSineError = 0x1p-65;
inline constexpr double kQuickCosineError = 0x1.ep-63;
inline constexpr double kQuickCosineErrorWithoutFma = 0x1.2p-61;
inline constexpr double kMinQuickDouble = 0x1p-20;
inline constexpr double kMinQuickPart = 0x1p-28;

// Absolute error of angle addition, a * b +- c * d. Of each unit vector, (a, c) and (b, d), one component is
// from the cosine's polynomial and the other from the sine's: sqrt((2.9^2 + 2.2^2) / 2) = 2.6 u for a vector.
// Products and sum, each at most 1, add 1.5 u. So one addition, to the anchor of a group, has 6.7 u, and a
// second one, to its rows, 10.8 u.
inline constexpr double kAngleAdditionError = 11 * 0x1p-53;
inline constexpr double kAddedInterval =
    12 * 0x1p-53;  // with the rounding of adding or subtracting the bound
static_assert(kAddedInterval >= kAngleAdditionError + 0x1p-53, "the interval must cover the error");

// An added entry is undecided if it is below kMinAdded, or near a midpoint: for float32 within kAddedWindow
// ulps of the double, for 16-bit types within the same part of a float's ulp. What rounds to the float after
// 2^-12 was at least 2^-12; what rounds below 2^-14 is subnormal in float16.
template <posenc_type kFormat>
inline constexpr double kMinAdded = kFormat == POSENC_F32 ? 0x1.000002p-12 : 0x1p-14;
inline constexpr std::uint64_t kAddedWindow = std::uint64_t{1} << 15;
static_assert(kAngleAdditionError <= kAddedWindow * 0x1p-64 && kAngleAdditionError <= 0x1p-14 * 0x1p-23,
              "the tests must cover the error");

// Lanes whose phases stay below this in a run are exempt from the test for small entries. Nothing cancels
// there but between steps of opposite signs, over at most 64 rows from positions of at least 1. So an added
// sine loses at most 7 bits to each addition, and its error stays far inside the window however small it is.
inline constexpr double kExemptQuarterTurns = 0.5;

// Absolute error of angle addition in float. The unit e = 2^-25 is the largest error of rounding a number
// below 1. The two unit vectors of rounded components give sqrt(2) each, the two sums 1 each, and without FMA
// the two products 1 each. (Where a sum reaches 1, so does the entry.) While the phases of a run stay below E
// <= 1/2 radian, the error of a sine is in units of E * 2^-24: 1.5 from the components, 1 from each sum, 1
// from each product but for a half.
inline constexpr double kFloatAngleAdditionError = 5 * 0x1p-25;
inline constexpr double kFloatAngleAdditionErrorWithoutFma = 7 * 0x1p-25;

// Rotation. Relative error of gain * cosine and gain * sine: kDirectError, u from the gain, which is a
// product of two doubles, and u from the product with it.
inline constexpr double kScaledError = 5 * 0x1p-53;
inline constexpr std::uint64_t kScaledWindow = 8;
static_assert(kScaledError * 0x1p53 <= kScaledWindow, "the test must cover the error");

// Error of a token's cosine and sine that are added from an anchor's, as a complex number of size 1:
// kDirectError, u from the offset, which is rounded, and 2 u from the complex product, without FMA (1 +
// sqrt(2)) u. So a cosine or sine of at least kMinAddedSinCos has a relative error of at most 2^12 times
// that, and 2 u more with the gain.
inline constexpr double kAddedAngleError = 6.5 * 0x1p-53;
inline constexpr double kMinAddedSinCos = 0x1p-12;
inline constexpr std::uint64_t kAddedAngleWindow = std::uint64_t{1} << 15;
static_assert(kAddedAngleError / kMinAddedSinCos + 2 * 0x1p-53 <= kAddedAngleWindow * 0x1p-53,
              "the test must cover the error");

// Rotation between bounds: error of a cos - b sin as a part of |a cos| + |b sin|, from direct angles:
// kScaledError, u from each product, u from the sum and u from adding the bound.
inline constexpr double kDirectRotationError = 9 * 0x1p-53;

// The same from added angles, as a part of (|a| + |b|) times the gain: kAddedAngleError and 2 u with the
// gain, u from the products, u from the sum, u from adding the bound.
inline constexpr double kAddedRotationError = 12 * 0x1p-53;

// Added to the error of a direct cosine or sine that is not exactly 0. It is far more than what tiny sines
// lose as doubles, and no product of it with an element underflows.
inline constexpr double kMinSinCosError = 0x1p-500;

// Direct cosines and sines that are larger need no kMinSinCosError: their products with an element and a
// gain, and the errors of these, are normal doubles.
inline constexpr double kMinPlainSinCos = 0x1p-300;

// For 16-bit types the sums and their bounds become floats, which are then added. Error as a part of |a cos|
// + |b sin|: v from the sum, v from adding the bound, a little from what the bound loses and from the errors
// in double; besides, absolutely, some subnormal floats.
inline constexpr double kFloatRotationError = 2.1 * 0x1p-24;
inline constexpr double kMinFloatRotationError = 0x1p-147;

// Quick rotation: from angles of either kind the error of a sum is at most 15 u m, where m is the gain times
// the larger of |a| and |b|. A window of kRotatedWindow ulps covers it if the sum is at least kMinPart of m,
// and a normal float.
inline constexpr std::uint64_t kRotatedWindow = std::uint64_t{1} << 16;
inline constexpr float kMinRotated = 0x1p-125f;

// The same in float, from cosines and sines in two parts, whose products with the high parts are exact. A
// window in ulps of the float, for a sum that is at least 0.79 * 2^-11 (float16) or 0.79 * 2^-14 (bfloat16)
// of m, or, where bfloat16 is tested by words, 2^-16 of the larger sum.
inline constexpr std::uint32_t kFloatRotatedWindow = 4;

// The least part of a pair's larger sum, which is at least m / sqrt(2), that a decided sum has.
template <posenc_type kType>
inline constexpr float kMinPart = kType == POSENC_F32   ? 0x1.54p-12f
                                  : kType == POSENC_F16 ? 0x1.2p-11f
                                                        : 0x1.2p-14f;
static_assert(15 * 0x1.001p-53 * 1.4142136 <= kRotatedWindow * 0x1p-53 * kMinPart<POSENC_F32>,
              "the window must cover the error");

// Words of two bfloat16 sums are tested by their bits: |x| is from 2^-74 to 2^54, and |y| within kWordOctaves
// powers of 2 of it.
inline constexpr std::uint16_t kMinWord = (127 - 74) << 7;
inline constexpr std::uint16_t kWordOctaves = 16;

// The largest gain of bfloat16's quick rotation: with larger ones the sums of low parts may overflow to the
// other infinity than those of high parts.
inline constexpr double kMaxQuickGain = 0x1p13;

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_BOUNDS_H_
