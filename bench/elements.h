// Elements of any type: as numbers, and as buffers that calls rotate in place.
#ifndef POSENC_BENCH_ELEMENTS_H_
#define POSENC_BENCH_ELEMENTS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "normal.h"
#include "posenc/posenc.h"

namespace posenc {
namespace bench {

inline double ToDouble(float x) { return static_cast<double>(x); }
inline double ToDouble(BFloat16 x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float wide;
  std::memcpy(&wide, &bits, sizeof(wide));
  return static_cast<double>(wide);
}
inline double ToDouble(Float16 x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) size = HUGE_VAL;
  return (x.bits & 0x8000) != 0 ? -size : size;
}

// Elements that one pass after another rotates in place. They are filled anew now and then, because rounding
// errors add up.
template <class T>
class Elements {
 public:
  Elements(T* x, std::size_t count) : x_(x), count_(count) { FillNormal(x_, count_); }

  void BeginPass() {
    if (++passes_ % kPasses == 0) FillNormal(x_, count_);
  }

 private:
  static constexpr std::size_t kPasses = 256;
  T* x_;
  std::size_t count_, passes_ = 0;
};

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_ELEMENTS_H_
