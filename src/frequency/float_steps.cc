#include "frequency/float_steps.h"

#include <cmath>
#include <limits>

#include "frequency/schedule.h"

namespace posenc {
namespace internal {

double NearestOrTie(Wide256 x, posenc_type type) {
  constexpr int kBits = kFrequencyBits<4> - 4;
  bool decided = true;
  const double nearest = RoundToType(x, type, kBits, &decided);
  if (decided) return nearest;
  Wide256 half = FromInteger<4>(1);  // of the last bit of 64
  half.exponent = x.exponent - 64;
  half.negative = x.negative;
  x = Add(x, half);
  x.limb[0] = x.limb[1] = x.limb[2] = 0;
  return RoundToType(x, type, kBits, &decided);
}

float NearestFloat(double x) {
  constexpr double kLargest = 0x1.ffffffp127;  // and from there on infinite
  if (x < kLargest && x > -kLargest) return static_cast<float>(x);
  return x > 0.0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
}

float NearestFloat(const Wide256& x) { return NearestFloat(NearestOrTie(x, POSENC_F32)); }

float QuotientAsFloat(double a, double b) {
  return a == 0.0 ? 0.0f : NearestFloat(Divide(FromDouble<4>(a), FromDouble<4>(b)));
}

double ExpAsType(double exponent, const Wide256& log, posenc_type type) {
  constexpr double kBeyond = 800.0;
  if (log.IsZero()) return 1.0;
  const double estimate = exponent * ToDouble(log);
  if (!(estimate <= kBeyond)) return std::numeric_limits<double>::infinity();
  if (estimate < -kBeyond) return 0.0;
  return NearestOrTie(Exp(Multiply(FromDouble<4>(exponent), log)), type);
}

float ExpAsFloat(double exponent, const Wide256& log) {
  return NearestFloat(ExpAsType(exponent, log, POSENC_F32));
}

bool IsRegular(float x) { return x != 0.0f && std::isfinite(x); }

}  // namespace internal
}  // namespace posenc
