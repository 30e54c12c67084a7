// The frequency schedule in vectors: a geometric sequence in double-double by doubling its length.
// Included once per target.
#if defined(POSENC_SRC_GEOMETRIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_GEOMETRIC_INL_H_
#undef POSENC_SRC_GEOMETRIC_INL_H_
#else
#define POSENC_SRC_GEOMETRIC_INL_H_
#endif

#include "frequencies.h"
#include "hwy/highway.h"
#include "sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// (high, low) [count, padded], entry i = first * ratio^i: entries m .. 2m - 1 are entries 0 .. m - 1 times
// powers[k] = ratio^m, m = 2^k. An entry is a product of at most 24 factors, each product good to 2^-102.
HWY_NOINLINE void Geometric(DoubleDouble first, const DoubleDouble* powers, std::size_t count, double* high,
                            double* low) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  high[0] = first.high;
  low[0] = first.low;
  for (std::size_t k = 0, m = 1; m < count; ++k, m *= 2) {
    const auto power_high = hn::Set(d, powers[k].high);
    const auto power_low = hn::Set(d, powers[k].low);
    const std::size_t end = HWY_MIN(m, count - m);
    // Whole vectors: what they write past 2m is written again by the next round, past count cleared below.
    for (std::size_t i = 0; i < end; i += lanes) {
      const auto a_high = hn::LoadU(d, high + i);
      const auto a_low = hn::LoadU(d, low + i);
      const auto product = hn::Mul(a_high, power_high);
      auto error = ProductError(d, a_high, power_high, product);
      error = hn::Add(error, hn::MulAdd(a_high, power_low, hn::Mul(a_low, power_high)));
      const auto sum = hn::Add(product, error);
      hn::StoreU(sum, d, high + m + i);
      hn::StoreU(hn::Sub(error, hn::Sub(sum, product)), d, low + m + i);
    }
  }
  for (std::size_t i = count; i < count + lanes; ++i) high[i] = low[i] = 0.0;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_GEOMETRIC_INL_H_
