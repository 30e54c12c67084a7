// One row by SLEEF, libmvec and Eigen. This file is compiled once for each instruction set, in the namespace
// POSENC_BENCH_ISA. Eigen gets a separate namespace too (CMakeLists.txt), so that the linker does not merge
// inline functions of different instruction sets.
#include "simd_rows.h"

#include <immintrin.h>

#ifdef POSENC_BENCH_SLEEF
#include <sleef.h>
#endif
#ifdef POSENC_BENCH_EIGEN
#include <Eigen/Core>
#endif

#ifdef POSENC_BENCH_LIBMVEC
// libmvec's functions, as GCC calls them when it vectorizes sinf and cosf with -ffast-math.
extern "C" {
__m128 _ZGVbN4v_sinf(__m128);  // NOLINT
__m128 _ZGVbN4v_cosf(__m128);  // NOLINT
#ifdef __AVX2__
__m256 _ZGVdN8v_sinf(__m256);  // NOLINT
__m256 _ZGVdN8v_cosf(__m256);  // NOLINT
#endif
#ifdef __AVX512F__
__m512 _ZGVeN16v_sinf(__m512);  // NOLINT
__m512 _ZGVeN16v_cosf(__m512);  // NOLINT
#endif
}
#endif

#if defined(__AVX512F__)
#define POSENC_BENCH_CHOOSE(sse4, avx2, avx512) avx512
#elif defined(__AVX2__)
#define POSENC_BENCH_CHOOSE(sse4, avx2, avx512) avx2
#else
#define POSENC_BENCH_CHOOSE(sse4, avx2, avx512) sse4
#endif
#define POSENC_BENCH_QUOTE(text) #text
#define POSENC_BENCH_TEXT(macro) POSENC_BENCH_QUOTE(macro)

namespace posenc {
namespace bench {
namespace POSENC_BENCH_ISA {
namespace {

#include "simd_vectors-inl.h"

#ifdef POSENC_BENCH_SLEEF
#define POSENC_BENCH_SINCOSF \
  POSENC_BENCH_CHOOSE(Sleef_sincosf4_u10sse4, Sleef_sincosf8_u10avx2, Sleef_sincosf16_u10avx512f)
#define POSENC_BENCH_SINCOSD \
  POSENC_BENCH_CHOOSE(Sleef_sincosd2_u10sse4, Sleef_sincosd4_u10avx2, Sleef_sincosd8_u10avx512f)

void WriteSleefFloat(float position, const float* frequencies, std::size_t pairs, float* out) {
  const Floats p = Set(position);
  for (std::size_t i = 0; i < pairs; i += kFloats) {
    const auto r = POSENC_BENCH_SINCOSF(MulLoad(p, frequencies + i));
    StoreInterleaved(r.x, r.y, out + 2 * i);
  }
}

template <class T>
void WriteSleefDouble(double position, const double* frequencies, std::size_t pairs, T* out) {
  const Doubles p = Set(position);
  for (std::size_t i = 0; i < pairs; i += kDoubles) {
    const auto r = POSENC_BENCH_SINCOSD(MulLoad(p, frequencies + i));
    StoreInterleaved(r.x, r.y, out + 2 * i);
  }
}
#endif

#ifdef POSENC_BENCH_LIBMVEC
#define POSENC_BENCH_SINF POSENC_BENCH_CHOOSE(_ZGVbN4v_sinf, _ZGVdN8v_sinf, _ZGVeN16v_sinf)
#define POSENC_BENCH_COSF POSENC_BENCH_CHOOSE(_ZGVbN4v_cosf, _ZGVdN8v_cosf, _ZGVeN16v_cosf)

void WriteLibmvec(float position, const float* frequencies, std::size_t pairs, float* out) {
  const Floats p = Set(position);
  for (std::size_t i = 0; i < pairs; i += kFloats) {
    const Floats phase = MulLoad(p, frequencies + i);
    const Floats sines = POSENC_BENCH_SINF(phase);
    StoreInterleaved(sines, POSENC_BENCH_COSF(phase), out + 2 * i);
  }
}
#endif

#ifdef POSENC_BENCH_EIGEN
// Eigen writes whole vectors to contiguous arrays only, so each stretch of the row is interleaved afterwards.
void WriteEigen(float position, const float* frequencies, std::size_t pairs, float* out) {
  constexpr std::size_t kStretch = 256;
  alignas(64) float sines[kStretch], cosines[kStretch];
  using Array = Eigen::Array<float, Eigen::Dynamic, 1>;
  for (std::size_t begin = 0; begin < pairs; begin += kStretch) {
    const std::size_t count = pairs - begin < kStretch ? pairs - begin : kStretch;
    const auto size = static_cast<Eigen::Index>(count);
    const Eigen::Map<const Array> frequency(frequencies + begin, size);
    Eigen::Map<Array, Eigen::Aligned64>(sines, size) = (frequency * position).sin();
    Eigen::Map<Array, Eigen::Aligned64>(cosines, size) = (frequency * position).cos();
    for (std::size_t i = 0; i < count; i += kFloats) {
      StoreInterleaved(Load(sines + i), Load(cosines + i), out + 2 * (begin + i));
    }
  }
}
#endif

}  // namespace

SimdRows Rows() {
  SimdRows rows = {};
#ifdef POSENC_BENCH_SLEEF
#define POSENC_BENCH_SLEEF_VERSION \
  "SLEEF " POSENC_BENCH_TEXT(SLEEF_VERSION_MAJOR) "." POSENC_BENCH_TEXT(SLEEF_VERSION_MINOR) " "
  const char* double_label = POSENC_BENCH_SLEEF_VERSION POSENC_BENCH_TEXT(POSENC_BENCH_SINCOSD);
  rows.sleef_f64 = {WriteSleefDouble, double_label};
  rows.sleef_double = {WriteSleefDouble, double_label};
  rows.sleef_float = {WriteSleefFloat, POSENC_BENCH_SLEEF_VERSION POSENC_BENCH_TEXT(POSENC_BENCH_SINCOSF)};
#endif
#ifdef POSENC_BENCH_EIGEN
#define POSENC_BENCH_EIGEN_VERSION                                       \
  "Eigen " POSENC_BENCH_TEXT(EIGEN_WORLD_VERSION) "." POSENC_BENCH_TEXT( \
      EIGEN_MAJOR_VERSION) "." POSENC_BENCH_TEXT(EIGEN_MINOR_VERSION) " sin, cos, "
  rows.eigen = {WriteEigen, POSENC_BENCH_EIGEN_VERSION POSENC_BENCH_CHOOSE("SSE4.1", "AVX2", "AVX-512")};
#endif
#ifdef POSENC_BENCH_LIBMVEC
  rows.libmvec = {WriteLibmvec, "libmvec " POSENC_BENCH_TEXT(POSENC_BENCH_SINF) " and cosf"};
#endif
  return rows;
}

}  // namespace POSENC_BENCH_ISA
}  // namespace bench
}  // namespace posenc
