// Multiplies steps. This is apart from geometric.cc because most of the time of a creation is spent here, so
// that compilers should make vectors of the loop.
#include "number/exact.h"

#include "frequency/products.h"

#include <algorithm>

#include "number/double_double.h"

namespace posenc {
namespace internal {

// Entries m .. 2m - 1 are entries 0 .. m - 1 times ratio^m, and squaring gives the next power of the ratio.
// An entry is a product of at most 24 factors.
void FillProducts(const Wide256& first, const Wide256& ratio, std::size_t count, double* high, double* low) {
  const DoubleDouble start = ToDoubleDouble(first);
  high[0] = start.high;
  low[0] = start.low;
  Wide256 power = ratio;
  for (std::size_t m = 1; m < count; m *= 2) {
    const DoubleDouble factor = ToDoubleDouble(power);
    const std::size_t end = std::min(m, count - m);  // one condition, so that compilers make vectors of this
    for (std::size_t i = 0; i < end; ++i) {
      const DoubleDouble step = Multiply(DoubleDouble{high[i], low[i]}, factor);
      high[m + i] = step.high;
      low[m + i] = step.low;
    }
    if (2 * m < count) power = Multiply(power, power);  // the next one might overflow
  }
}

}  // namespace internal
}  // namespace posenc
