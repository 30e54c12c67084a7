// SLEEF with 512-bit vectors.
#include <immintrin.h>
#include <sleef.h>

#include "sleef_rows.h"

namespace posenc {
namespace bench {

void SleefRowAvx512(double position, const double* frequencies, std::size_t pairs, float* out) {
  const __m512i interleave = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512d p = _mm512_set1_pd(position);
  for (std::size_t i = 0; i < pairs; i += 8) {
    const Sleef___m512d_2 r = Sleef_sincosd8_u10avx512f(_mm512_mul_pd(p, _mm512_loadu_pd(frequencies + i)));
    // The masks take all; GCC 12 warns about the undefined source of the maskless intrinsic.
    const __m512 sines = _mm512_castps256_ps512(_mm512_maskz_cvtpd_ps(0xff, r.x));
    const __m512 cosines = _mm512_castps256_ps512(_mm512_maskz_cvtpd_ps(0xff, r.y));
    _mm512_storeu_ps(out + 2 * i, _mm512_permutex2var_ps(sines, interleave, cosines));
  }
}

}  // namespace bench
}  // namespace posenc
