// SLEEF's double sincos (1 ULP) on the widest vector of this CPU: frequencies taken once, in double; the
// phase in double; the results rounded to float and interleaved.
#include <emmintrin.h>
#include <sleef.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "peers.h"
#include "sleef_rows.h"

namespace posenc {
namespace bench {
namespace {

using WriteRow = void (*)(double position, const double* frequencies, std::size_t pairs, float* out);

std::pair<WriteRow, const char*> WidestRow() {
  if (__builtin_cpu_supports("avx512f")) return {SleefRowAvx512, "sincosd8_u10avx512f"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {SleefRowAvx2, "sincosd4_u10avx2"};
  return {SleefRowSse2, "sincosd2_u10"};
}

Peer::Writer Prepare(WriteRow write_row, std::size_t dim) {
  std::vector<double> frequencies(dim / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
  }
  return [=](int first, std::size_t rows, float* out) {
    for (std::size_t row = 0; row < rows; ++row) {
      write_row(first + static_cast<double>(row), frequencies.data(), dim / 2, out + row * dim);
    }
  };
}

}  // namespace

void SleefRowSse2(double position, const double* frequencies, std::size_t pairs, float* out) {
  const __m128d p = _mm_set1_pd(position);
  for (std::size_t i = 0; i < pairs; i += 2) {
    const Sleef___m128d_2 r = Sleef_sincosd2_u10(_mm_mul_pd(p, _mm_loadu_pd(frequencies + i)));
    _mm_storeu_ps(out + 2 * i, _mm_unpacklo_ps(_mm_cvtpd_ps(r.x), _mm_cvtpd_ps(r.y)));
  }
}

Peer SleefDouble() {
  const auto [write_row, function] = WidestRow();
  const std::string version = std::to_string(SLEEF_VERSION_MAJOR) + "." + std::to_string(SLEEF_VERSION_MINOR);
  return {"sleef_double", "SLEEF " + version + " " + function,
          [write = write_row](std::size_t dim) { return Prepare(write, dim); }};
}

}  // namespace bench
}  // namespace posenc
