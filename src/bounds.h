// Error bounds of the kernels' double arithmetic, shared by code, tests and documents. u = 2^-53.
#ifndef POSENC_SRC_BOUNDS_H_
#define POSENC_SRC_BOUNDS_H_

#include <cstdint>

namespace posenc {
namespace internal {

// A direct result is used only if its reduced phase has |r| >= kMaxCancellation * |phase|. The phase is
// good to 2^-97 (its step, frequencies.h) and 2^-104 (the product); r = high + low is then good to u / 2.
inline constexpr double kMaxCancellation = 0x1p-43;

// Relative error of the direct kernel: u / 2 from r, u from the last sum, u from the product under it
// (without FMA), 0.4 u from the smaller terms, 0.03 u from the polynomial: 2.9 u for the sine's
// polynomial, 2.2 u for the cosine's.
inline constexpr double kDirectError = 3 * 0x1p-53;

// The rounding test of a direct result flags what lies within so many ulps of a midpoint. A power of two.
inline constexpr std::uint64_t kDirectWindow = 4;
static_assert(kDirectError * 0x1p53 <= kDirectWindow, "the test must cover the error");

// Absolute error of a rotated entry a * b +- c * d. Of the unit vectors (a, c) and (b, d) one component is
// at least 0.7 and comes from the cosine's polynomial, the other from the sine's: sqrt((2.9^2 + 2.2^2) / 2)
// = 2.6 u for each vector. Products and sum, each at most 1: 1.5 u.
inline constexpr double kRotatedError = 7 * 0x1p-53;

// Rotated entries below 2^-kRotatedSmall are computed again; the others if they lie within kRotatedWindow
// ulps of a midpoint. From there on the ulp of a double is at least 2^-(kRotatedSmall + 52).
inline constexpr int kRotatedSmall = 13;
inline constexpr std::uint64_t kRotatedWindow = std::uint64_t{1} << 15;
static_assert(kRotatedError * 0x1p65 <= kRotatedWindow && kRotatedSmall + 52 == 65,
              "the test must cover the error");

// While a phase stays within half a quarter turn, nothing cancels but between rows on opposite sides of
// an anchor: there a rotated sine loses at most the factor (anchor + reach) / 1, and its error stays far
// inside the window however small it is. Such lanes are exempt from the test for small entries.
inline constexpr double kExemptQuarterTurns = 0.5;

// 2/pi = high + low to 2^-107: quarter turns in a radian.
inline constexpr double kTwoOverPiHigh = 0x1.45f306dc9c883p-1;
inline constexpr double kTwoOverPiLow = -0x1.6b01ec5417056p-55;

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_BOUNDS_H_
