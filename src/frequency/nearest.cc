// Rounds numbers of 256 bits, and doubles, to the nearest float or double.
#include "number/exact.h"

#include "frequency/nearest.h"

#include <limits>

#include "frequency/frequencies.h"

namespace posenc {
namespace internal {

double NearestOrTie(Wide256 x, posenc_type type) {
  constexpr int kBits = kFrequencyBits<4> - 4;
  bool decided = true;
  const double nearest = RoundToType(x, type, kBits, &decided);
  if (decided) return nearest;
  Wide256 half = FromInteger<4>(1);  // half of the lowest of x's top 64 bits
  half.exponent = x.exponent - 64;
  half.negative = x.negative;
  x = Add(x, half);
  x.limb[0] = x.limb[1] = x.limb[2] = 0;
  return RoundToType(x, type, kBits, &decided);
}

float NearestFloat(double x) {
  constexpr double kLargest = 0x1.ffffffp127;  // this and anything larger rounds to infinity
  if (x < kLargest && x > -kLargest) return static_cast<float>(x);
  return x > 0.0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
}

float NearestFloat(const Wide256& x) { return NearestFloat(NearestOrTie(x, POSENC_F32)); }

}  // namespace internal
}  // namespace posenc
