// The loop that inference runtimes write: everything in float, the frequency taken anew for each entry.
#include <cmath>

#include "peers.h"

namespace posenc {
namespace bench {
namespace {

#ifdef __clang__
constexpr char kLabel[] = "libm expf, sinf, cosf per entry";
#else
constexpr char kLabel[] = "libm expf, sinf, cosf per entry (GCC makes the last two sincosf)";
#endif

void WriteScalarLibm(int first, std::size_t rows, std::size_t dim, float* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const float position = static_cast<float>(first) + static_cast<float>(row);
    for (std::size_t i = 0; i < dim / 2; ++i) {
      const float frequency =
          std::exp(-std::log(10000.0f) * static_cast<float>(2 * i) / static_cast<float>(dim));
      const float angle = position * frequency;
      out[row * dim + 2 * i] = std::sin(angle);
      out[row * dim + 2 * i + 1] = std::cos(angle);
    }
  }
}

}  // namespace

Peer ScalarLibm() {
  return {"scalar_libm", kLabel,
          [](std::size_t dim) -> Peer::Writer {
            return [dim](int first, std::size_t rows, float* out) { WriteScalarLibm(first, rows, dim, out); };
          },
          ""};
}

}  // namespace bench
}  // namespace posenc
