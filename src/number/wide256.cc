#include "number/wide_arithmetic.h"

namespace posenc {
namespace internal {

POSENC_INSTANTIATE_WIDE(4)

double ApproximateLog(double x) {
  const Wide256 wide = FromDouble<4>(x);
  const double m = ScaleDouble(static_cast<double>(wide.limb[3] >> 11), -53);  // 1/2 <= m < 1
  const bool is_small = m < 0.70710678118654752;
  const double y = is_small ? 2.0 * m : m;
  const double z = (y - 1.0) / (y + 1.0), z2 = z * z;
  double sum = 0.0;  // log(y) = 2 atanh(z)
  for (int n = 15; n > 1; n -= 2) sum = (sum + 1.0 / n) * z2;
  const auto exponent = static_cast<double>(wide.exponent - (is_small ? 1 : 0));
  return exponent * 0.69314718055994531 + 2.0 * (z + z * sum);
}

}  // namespace internal
}  // namespace posenc
