// Checks and copies the caller's lists, and derives rational frequencies from the numbers of a formula.
#include "number/exact.h"

#include "frequency/formula.h"

#include <cmath>

#include "spec/rules.h"

namespace posenc {
namespace internal {

double* FrequencyList::MoveTo(double* copy) {
  if (count == 0) return copy;
  for (std::size_t i = 0; i < count; ++i) copy[i] = (*this)[i];
  doubles = copy;
  floats = nullptr;
  return copy + count;
}

posenc_status CheckList(const FrequencyList& list, std::size_t pairs, bool rounding_takes_it) {
  if (list.doubles == nullptr && list.floats == nullptr) {
    return list.count == 0 ? rule::ok : rule::frequencies_missing;
  }
  if (list.doubles != nullptr && list.floats != nullptr) return rule::frequencies_twice;
  if (list.count != pairs) return rule::frequency_count;
  if (!rounding_takes_it) return rule::list_rounding;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!std::isfinite(list[i])) return rule::frequencies_finite;
  }
  return rule::ok;
}

RationalStep Formula::RationalQuotient(std::size_t entry, double divisor) const {
  if (unit == POSENC_RADIANS || scale == 0.0 || (IsListed() && list[entry] == 0.0)) return {};
  const Exponent exponent = IsListed() ? Exponent{1, 1} : ExponentOf(entry, exponent_dim);
  RationalProduct product;
  product.Multiply(unit == POSENC_HALF_TURNS ? 2.0 : 4.0);
  product.Multiply(scale);
  product.Multiply(IsListed() ? list[entry] : base, exponent);
  if (min_timescale != 1.0) product.Multiply(min_timescale, {exponent.d - exponent.n, exponent.d});
  product.Multiply(divisor, {-1, 1});
  return product.Step();
}

}  // namespace internal
}  // namespace posenc
