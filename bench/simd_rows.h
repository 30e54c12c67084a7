// One row by the vector functions of other libraries. simd_rows.cc is compiled once for each instruction set:
// only then do the libraries declare the functions, and Clang passes vectors in registers.
#ifndef POSENC_BENCH_SIMD_ROWS_H_
#define POSENC_BENCH_SIMD_ROWS_H_

#include <cstddef>

namespace posenc {
namespace bench {

// frequencies [pairs], out [2 * pairs]. pairs is a multiple of 16. The phase is position * frequency. The
// phase, its sine and its cosine are of type Phase; the results are then rounded to T.
template <class Phase, class T>
struct SimdRow {
  void (*write)(Phase position, const Phase* frequencies, std::size_t pairs, T* out);
  const char* label;  // says exactly what runs
};

// `write` is null if the library was not found at configure time.
struct SimdRows {
  SimdRow<double, double> sleef_f64;
  SimdRow<double, float> sleef_double;
  SimdRow<float, float> sleef_float, eigen, libmvec;
};

namespace sse4 {
SimdRows Rows();
}
namespace avx2 {
SimdRows Rows();
}
namespace avx512 {
SimdRows Rows();
}

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_SIMD_ROWS_H_
