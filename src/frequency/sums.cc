// Phases that are sums over axes, as exact numbers.
#include "number/exact.h"

#include <cstddef>
#include <cstdint>

#include "frequency/scaling.h"
#include "frequency/schedule.h"

namespace posenc {
namespace internal {

// A position has digits from 2^31 to 2^-1074, a frequency times position_scale from 2^31 to 2^-231: its size
// is at least 2^-126, of 106 digits. So four products end below 2^64, and all their digits lie within 1,369
// places (PROOF.md, section 5).
ExactPhase SumOverAxes(const Schedule& schedule, const double* position, std::size_t pair) {
  constexpr int kLimbs = 22;
  const posenc_rotary_spec& spec = schedule.scaling->spec;
  const std::size_t pairs = spec.rotary_dim / 2;
  ExactPhase phase{{}, 0, spec.unit == POSENC_RADIANS};
  for (std::size_t k = 0; k < spec.axes; ++k) {
    const auto frequency = FromDouble<kLimbs>(schedule.list[k * pairs + pair]);
    phase.rest = Add(phase.rest, Multiply(FromDouble<kLimbs>(position[k]), frequency));
  }
  phase.rest = Multiply(phase.rest, FromDouble<kLimbs>(schedule.scale));
  if (phase.in_radians || phase.rest.IsZero()) return phase;
  phase.rest.exponent += spec.unit == POSENC_TURNS ? 2 : 1;
  const auto subtract = [&](int shift) {  // the nearest multiple of 2^shift
    Wide1408 part = phase.rest;
    part.exponent -= shift;
    const std::int64_t nearest = NearestInteger(part);
    Wide1408 multiple = FromInteger<kLimbs>(nearest);
    multiple.exponent += shift;
    phase.rest = Subtract(phase.rest, multiple);
    return nearest;
  };
  subtract(3);  // whole turns, as quarter turns may be more than 2^62
  phase.eighths = static_cast<int>(subtract(-1) & 7);
  return phase;
}

}  // namespace internal
}  // namespace posenc
