// The peers scalar_libm and scalar_libm_f64: the loop of inference runtimes, in one type, which computes the
// frequency again for each entry.
#include <cmath>
#include <string>
#include <type_traits>

#include "peers.h"

namespace posenc {
namespace bench {
namespace {

template <class T>
void WriteScalarLibm(int first, std::size_t rows, std::size_t dim, T* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const T position = static_cast<T>(first) + static_cast<T>(row);
    for (std::size_t i = 0; i < dim / 2; ++i) {
      const T frequency = std::exp(-std::log(T{10000}) * static_cast<T>(2 * i) / static_cast<T>(dim));
      const T angle = position * frequency;
      out[row * dim + 2 * i] = std::sin(angle);
      out[row * dim + 2 * i + 1] = std::cos(angle);
    }
  }
}

}  // namespace

template <class T>
Peer<T> ScalarLibm() {
  const std::string f = std::is_same_v<T, float> ? "f" : "";
  std::string label = "libm exp" + f + ", sin" + f + ", cos" + f + " per entry";
#ifndef __clang__
  label += " (GCC makes the last two sincos" + f + ")";
#endif
  return {f.empty() ? "scalar_libm_f64" : "scalar_libm", label,
          [](std::size_t dim) -> typename Peer<T>::Writer {
            return [dim](int first, std::size_t rows, T* out) { WriteScalarLibm(first, rows, dim, out); };
          },
          ""};
}

template Peer<float> ScalarLibm<float>();
template Peer<double> ScalarLibm<double>();

}  // namespace bench
}  // namespace posenc
