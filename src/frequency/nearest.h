// Rounds numbers to the nearest float or double, as frameworks do after each step of a computation.
#ifndef POSENC_SRC_FREQUENCY_NEAREST_H_
#define POSENC_SRC_FREQUENCY_NEAREST_H_

#include <cmath>

#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// x rounded to the nearest number of a type, ties to even. If 256 bits cannot tell x from a midpoint, it is
// one: only quotients, and powers with an integer exponent, come so close.
double NearestOrTie(Wide256 x, posenc_type type);

// Like a cast to float, but also defined for values beyond float's range: they become infinite.
float NearestFloat(double x);
float NearestFloat(const Wide256& x);

// Whether x is neither 0 nor infinite nor a NaN.
inline bool IsRegular(float x) { return x != 0.0f && std::isfinite(x); }

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_NEAREST_H_
