// The few vector operations that simd_rows.cc and rotary_vectors-inl.h need, for the instruction set that
// they are compiled for. Only these two include it, inside the namespace of the instruction set.
#include <cstddef>

#if defined(__AVX512F__)

using Floats = __m512;
using Doubles = __m512d;
inline Floats Set(float value) { return _mm512_set1_ps(value); }
inline Doubles Set(double value) { return _mm512_set1_pd(value); }
inline Floats MulLoad(Floats a, const float* b) { return _mm512_mul_ps(a, _mm512_loadu_ps(b)); }
inline Doubles MulLoad(Doubles a, const double* b) { return _mm512_mul_pd(a, _mm512_loadu_pd(b)); }
inline Floats Load(const float* from) { return _mm512_loadu_ps(from); }

inline void StoreInterleaved(Floats sines, Floats cosines, float* out) {
  const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(sines, low, cosines));
  _mm512_storeu_ps(out + 16, _mm512_permutex2var_ps(sines, high, cosines));
}

inline void StoreInterleaved(Doubles sines, Doubles cosines, float* out) {
  const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512 s = _mm512_castps256_ps512(_mm512_cvtpd_ps(sines));
  const __m512 c = _mm512_castps256_ps512(_mm512_cvtpd_ps(cosines));
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(s, low, c));
}

inline void StoreInterleaved(Doubles sines, Doubles cosines, double* out) {
  const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
  const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(4));
  _mm512_storeu_pd(out, _mm512_permutex2var_pd(sines, low, cosines));
  _mm512_storeu_pd(out + 8, _mm512_permutex2var_pd(sines, high, cosines));
}

#elif defined(__AVX2__)

using Floats = __m256;
using Doubles = __m256d;
inline Floats Set(float value) { return _mm256_set1_ps(value); }
inline Doubles Set(double value) { return _mm256_set1_pd(value); }
inline Floats MulLoad(Floats a, const float* b) { return _mm256_mul_ps(a, _mm256_loadu_ps(b)); }
inline Doubles MulLoad(Doubles a, const double* b) { return _mm256_mul_pd(a, _mm256_loadu_pd(b)); }
inline Floats Load(const float* from) { return _mm256_loadu_ps(from); }

inline void StoreInterleaved(Floats sines, Floats cosines, float* out) {
  const __m256 even = _mm256_unpacklo_ps(sines, cosines);
  const __m256 odd = _mm256_unpackhi_ps(sines, cosines);
  _mm256_storeu_ps(out, _mm256_permute2f128_ps(even, odd, 0x20));
  _mm256_storeu_ps(out + 8, _mm256_permute2f128_ps(even, odd, 0x31));
}

inline void StoreInterleaved(Doubles sines, Doubles cosines, float* out) {
  const __m128 s = _mm256_cvtpd_ps(sines);
  const __m128 c = _mm256_cvtpd_ps(cosines);
  _mm_storeu_ps(out, _mm_unpacklo_ps(s, c));
  _mm_storeu_ps(out + 4, _mm_unpackhi_ps(s, c));
}

inline void StoreInterleaved(Doubles sines, Doubles cosines, double* out) {
  const __m256d even = _mm256_unpacklo_pd(sines, cosines);
  const __m256d odd = _mm256_unpackhi_pd(sines, cosines);
  _mm256_storeu_pd(out, _mm256_permute2f128_pd(even, odd, 0x20));
  _mm256_storeu_pd(out + 4, _mm256_permute2f128_pd(even, odd, 0x31));
}

#else

using Floats = __m128;
using Doubles = __m128d;
inline Floats Set(float value) { return _mm_set1_ps(value); }
inline Doubles Set(double value) { return _mm_set1_pd(value); }
inline Floats MulLoad(Floats a, const float* b) { return _mm_mul_ps(a, _mm_loadu_ps(b)); }
inline Doubles MulLoad(Doubles a, const double* b) { return _mm_mul_pd(a, _mm_loadu_pd(b)); }
inline Floats Load(const float* from) { return _mm_loadu_ps(from); }

inline void StoreInterleaved(Floats sines, Floats cosines, float* out) {
  _mm_storeu_ps(out, _mm_unpacklo_ps(sines, cosines));
  _mm_storeu_ps(out + 4, _mm_unpackhi_ps(sines, cosines));
}

inline void StoreInterleaved(Doubles sines, Doubles cosines, float* out) {
  _mm_storeu_ps(out, _mm_unpacklo_ps(_mm_cvtpd_ps(sines), _mm_cvtpd_ps(cosines)));
}

inline void StoreInterleaved(Doubles sines, Doubles cosines, double* out) {
  _mm_storeu_pd(out, _mm_unpacklo_pd(sines, cosines));
  _mm_storeu_pd(out + 2, _mm_unpackhi_pd(sines, cosines));
}

#endif

constexpr std::size_t kFloats = sizeof(Floats) / sizeof(float);
constexpr std::size_t kDoubles = sizeof(Doubles) / sizeof(double);
