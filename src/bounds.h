// Error bounds of the kernels' double arithmetic, shared by code, tests and documents.
#ifndef POSENC_SRC_BOUNDS_H_
#define POSENC_SRC_BOUNDS_H_

#include <cstdint>

namespace posenc {
namespace internal {

// A reduced phase r is used only if |r| >= kMaxCancellation * |phase|. The phase is good to 2^-97 (its
// step, frequencies.h) plus 2^-104 (the product), so r is to 2^-51.9, its own last rounding included.
inline constexpr double kMaxCancellation = 0x1p-45;

// Relative error of the direct kernel, in units of 2^-53: r 2.1, polynomial 0.4, its last two or three
// roundings 3.5 at most; together below 2^-50.4.
inline constexpr double kDirectError = 0x1p-50;

// The same in ulps of a double: kDirectError / 2^-53. A power of two.
inline constexpr std::uint64_t kDirectWindow = 8;

// 2/pi = high + low to 2^-107: quarter turns in a radian.
inline constexpr double kTwoOverPiHigh = 0x1.45f306dc9c883p-1;
inline constexpr double kTwoOverPiLow = -0x1.6b01ec5417056p-55;

static_assert(kDirectError * 0x1p53 <= kDirectWindow, "the rounding test must cover the error");
static_assert((kDirectWindow & (kDirectWindow - 1)) == 0, "the rounding test masks with it");

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_BOUNDS_H_
