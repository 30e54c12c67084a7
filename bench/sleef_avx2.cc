// SLEEF with 256-bit vectors.
#include <immintrin.h>
#include <sleef.h>

#include "sleef_rows.h"

namespace posenc {
namespace bench {

void SleefRowAvx2(double position, const double* frequencies, std::size_t pairs, float* out) {
  const __m256d p = _mm256_set1_pd(position);
  for (std::size_t i = 0; i < pairs; i += 4) {
    const Sleef___m256d_2 r = Sleef_sincosd4_u10avx2(_mm256_mul_pd(p, _mm256_loadu_pd(frequencies + i)));
    const __m128 sines = _mm256_cvtpd_ps(r.x);
    const __m128 cosines = _mm256_cvtpd_ps(r.y);
    _mm_storeu_ps(out + 2 * i, _mm_unpacklo_ps(sines, cosines));
    _mm_storeu_ps(out + 2 * i + 4, _mm_unpackhi_ps(sines, cosines));
  }
}

}  // namespace bench
}  // namespace posenc
