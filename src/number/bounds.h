// Error bounds of the kernels' double arithmetic, shared by code, tests and documents. u = 2^-53.
#ifndef POSENC_SRC_NUMBER_BOUNDS_H_
#define POSENC_SRC_NUMBER_BOUNDS_H_

#include <cstdint>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// A direct result is used only if its reduced phase has |r| >= kMaxCancellation * |phase|. The phase is
// good to 2^-97 (its step, frequency/table.h) and 2^-104 (the product); r = high + low is then good to u / 2.
inline constexpr double kMaxCancellation = 0x1p-43;

// Exact steps up to this, in quarter turns, make phases below 2^43, which r = phase + low less the integer
// next to `phase` leaves below 1/2 + 2^-10. (Of larger phases of other steps the test for cancellation flags
// what is not.)
inline constexpr double kLargestExactStep = 0x1p12;

// Smaller phases, in quarter turns, whose sines may be subnormal floats, are left to the last resort.
inline constexpr double kMinPhase = 0x1p-126;

// Relative error of the direct kernel: u / 2 from r, u from the last sum, u from the product under it
// (without FMA), 0.4 u from the smaller terms, 0.03 u from the polynomial: 2.9 u for the sine's
// polynomial, 2.2 u for the cosine's.
inline constexpr double kDirectError = 3 * 0x1p-53;

// The direct kernel for doubles: the absolute error is kPhaseErrorPerCancellation * kMaxCancellation of the
// phase (pi/2 times its 2^-97 and 2^-104), and relatively 2^-79 from the polynomials and those of their terms
// that are not sums of two doubles, 2^-100 from products and sums.
inline constexpr double kPhaseErrorPerCancellation = 0x1p-53;
inline constexpr double kDoubleError = 0x1p-78;

// Angle addition for doubles. A row is the product of the middle of its run, of the move to its group's
// anchor and of its offset, the latter two powers of half a step, 63 of them at most: 64 direct evaluations.
// Each is off by kDoubleError at most, in the first quarter turn by that times the angle in radians. To that
// come the errors of the phases, which add up to that of the largest phase of the run, and the rounding of
// the mirrored rows (products and sums of parts below 2^-27 and 2^-25, parts to 2^-81): 5.3 * 2^-79.
inline constexpr double kAddedEvaluations = 64;
inline constexpr double kAddedDoubleError = 0x1p-76;

// It leaves larger and smaller phases, in quarter turns, to the last resort: of those the reduction is not an
// integer's, of these the products are not exact. Above 2^43 the error of the phase outweighs what the
// polynomials lose beyond |r| = 1/2.
inline constexpr double kLargestPhase = 0x1p50;
inline constexpr double kMinDoublePhase = 0x1p-900;

// The rounding test of a direct result flags what lies within so many ulps of a midpoint. A power of two.
inline constexpr std::uint64_t kDirectWindow = 8;
static_assert(kDirectError * 0x1p53 <= kDirectWindow, "the test must cover the error");

// Before that, vectors are tried with fewer terms: good to 2^-43.6 (cosine), or 2^-47.6 and what r is off by,
// 2^-42 at most; and roundings, below 2^-49.
inline constexpr double kQuickError = 0x1p-41;
inline constexpr std::uint64_t kQuickWindow = std::uint64_t{1} << 12;
static_assert(kQuickError * 0x1p53 <= kQuickWindow, "the test must cover the error");

// Phases below 2^33 quarter turns are good to 2^-64, which is 2^-42 of an r that is at least this.
inline constexpr double kMinQuick = 0x1p-22;

// Up to here whole positions have 18 digits at most. Without FMA these are exact in products with 35 digits.
inline constexpr double kMaxShort = 0x1p18;

// The same for doubles: the sine's error relatively, the cosine's by r^2 (PROOF.md, "Rows of doubles").
// Positions are up to kMaxShort, and r at least these, the latter by |position|, a fourth of the largest
// phase, which is good to 2^-66.9 of such an r.
inline constexpr double kQuickSineError = 0x1p-65;
inline constexpr double kQuickCosineError = 0x1.ep-63;
inline constexpr double kQuickCosineErrorWithoutFma = 0x1.2p-61;
inline constexpr double kMinQuickDouble = 0x1p-20;
inline constexpr double kMinQuickPart = 0x1p-28;

// Angle addition: absolute error of a value a * b +- c * d. Of the unit vectors (a, c) and (b, d) one
// component is at least 0.7 and comes from the cosine's polynomial, the other from the sine's: sqrt((2.9^2
// + 2.2^2) / 2) = 2.6 u for each vector. Products and sum, each at most 1: 1.5 u. So 6.7 u after one
// addition, to the anchor of a group; 10.8 u after a second, to its rows.
inline constexpr double kAngleAdditionError = 11 * 0x1p-53;
inline constexpr double kAddedInterval = 12 * 0x1p-53;  // and of a sum or difference with that, half an ulp
static_assert(kAddedInterval >= kAngleAdditionError + 0x1p-53, "the bracket must cover the error");

// Added entries below the least are taken again; the others if they lie so near a midpoint: of floats
// within `kAddedWindow` ulps of the double, of shorter types within that of a float. What rounds to the float
// after 2^-12 was at least 2^-12; what float16 rounds below 2^-14 is subnormal.
template <posenc_type kFormat>
inline constexpr double kMinAdded = kFormat == POSENC_F32 ? 0x1.000002p-12 : 0x1p-14;
inline constexpr std::uint64_t kAddedWindow = std::uint64_t{1} << 15;
static_assert(kAngleAdditionError <= kAddedWindow * 0x1p-64 && kAngleAdditionError <= 0x1p-14 * 0x1p-23,
              "the tests must cover the error");

// While a phase stays within half a quarter turn, nothing cancels but between steps of opposite signs, of at
// most 64 rows in all, from positions of at least 1: an added sine loses at most 7 bits to each addition,
// and its error stays far inside the window however small it is. Such lanes are exempt from the test for
// small entries.
inline constexpr double kExemptQuarterTurns = 0.5;

// Absolute error of angle addition in float, in e = 2^-25, the most by which a number below 1 is rounded:
// unit vectors of rounded components, sqrt(2) each; with FMA two sums, 1 each, without it two products more.
// (Where a sum reaches 1, so does the entry.) While the phases of a run stay below E <= 1/2 radian, those of
// sines are E times 2^-24 each: 1.5 of the components, 1 for each sum, 1 for each product but for a half.
inline constexpr double kFloatAngleAdditionError = 5 * 0x1p-25;
inline constexpr double kFloatAngleAdditionErrorWithoutFma = 7 * 0x1p-25;

// Rotation. Relative error of gain * cosine and gain * sine: kDirectError, u from the gain, a product of two
// doubles, u from the product with it.
inline constexpr double kScaledError = 5 * 0x1p-53;
inline constexpr std::uint64_t kScaledWindow = 8;
static_assert(kScaledError * 0x1p53 <= kScaledWindow, "the test must cover the error");

// Of a token's turns added from an anchor's, as complex numbers of size 1: kDirectError, u from the offset,
// which is rounded, and 2 u from their product, without FMA (1 + sqrt(2)) u. So sines that are not small, of
// at least kMinAddedSinCos, have a relative error of 2^12 times that, and 2 u with the gain.
inline constexpr double kAddedAngleError = 6.5 * 0x1p-53;
inline constexpr double kMinAddedSinCos = 0x1p-12;
inline constexpr std::uint64_t kAddedAngleWindow = std::uint64_t{1} << 15;
static_assert(kAddedAngleError / kMinAddedSinCos + 2 * 0x1p-53 <= kAddedAngleWindow * 0x1p-53,
              "the test must cover the error");

// Rotation between bounds. Of a cos - b sin, with direct turns, by |a cos| + |b sin|: kScaledError, u for
// each product, u from the sum and u from adding the bound.
inline constexpr double kDirectRotationError = 9 * 0x1p-53;

// With added turns, by (|a| + |b|) times the gain: kAddedAngleError and 2 u with the gain, both as of complex
// numbers; u from the products, u from the sum, u from adding the bound.
inline constexpr double kAddedRotationError = 12 * 0x1p-53;

// What is added to the error of a direct turn that is not exactly 0: so much more than what tiny sines lose
// as doubles that no product of it and an element underflows.
inline constexpr double kMinSinCosError = 0x1p-500;

// Direct turns that are larger need neither: with an element and a gain their products, and the errors of
// these, are normal doubles.
inline constexpr double kMinPlainSinCos = 0x1p-300;

// Of shorter types than float the sums and their bounds become floats, and then are added up. By |a cos| +
// |b sin|, v = 2^-24 for the sum, v for what is added, a little for what the bound loses and for the errors
// in double; and as much as some subnormal floats.
inline constexpr double kFloatRotationError = 2.1 * 0x1p-24;
inline constexpr double kMinFloatRotationError = 0x1p-147;

// Quick rotation: with turns of either kind a sum is good to 15 u by m, the larger of |a| and |b| times the
// gain. A window of ulps covers that where a sum is at least so large a part of m; it must be a normal float.
inline constexpr std::uint64_t kRotatedWindow = std::uint64_t{1} << 16;
inline constexpr float kMinRotated = 0x1p-125f;

// In float with cosines and sines of two parts, the products with the high ones exact: ulps of a sum that is
// at least 0.79 * 2^-11 (float16) or 0.79 * 2^-14 (bfloat16) of m; where bfloat16 is tested by words, 2^-16
// of the larger sum.
inline constexpr std::uint32_t kFloatRotatedWindow = 4;

// Those parts, of the larger sum of a pair, which is at least m / sqrt(2), and a little more.
template <posenc_type kType>
inline constexpr float kMinPart = kType == POSENC_F32   ? 0x1.54p-12f
                                  : kType == POSENC_F16 ? 0x1.2p-11f
                                                        : 0x1.2p-14f;
static_assert(15 * 0x1.001p-53 * 1.4142136 <= kRotatedWindow * 0x1p-53 * kMinPart<POSENC_F32>,
              "the window must cover the error");

// Words of two bfloat16 sums are tested by their bits: x from 2^-74 to 2^54, and y within so many powers
// of 2.
inline constexpr std::uint16_t kMinWord = (127 - 74) << 7;
inline constexpr std::uint16_t kWordOctaves = 16;

// Of larger gains sums of low parts may overflow in bfloat16, the other way than those of high ones.
inline constexpr double kMaxQuickGain = 0x1p13;

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_BOUNDS_H_
