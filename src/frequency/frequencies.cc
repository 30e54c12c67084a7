// What encoders and rotaries compute alike from their frequencies.
#include "number/exact.h"

#include "frequency/frequencies.h"

#include "frequency/nearest.h"

namespace posenc {
namespace internal {

Wide256 Frequencies::Radians(std::size_t pair) const {
  return Multiply(In256Bits(pair), RadiansPerQuarterTurn<4>());
}

double Frequencies::NearestRadians(std::size_t pair) const {
  const Wide256 radians = Radians(pair);
  return radians.IsZero() ? 0.0 : NearestOrTie(radians, POSENC_F64);
}

}  // namespace internal
}  // namespace posenc
