// One row of SLEEF's double sincos per vector length. Each lives in a file compiled for its instruction set,
// because only there does sleef.h declare the function and Clang pass its vectors as SLEEF expects them.
#ifndef POSENC_BENCH_SLEEF_ROWS_H_
#define POSENC_BENCH_SLEEF_ROWS_H_

#include <cstddef>

namespace posenc {
namespace bench {

// frequencies [pairs], out [2 * pairs]; pairs is a multiple of 8.
void SleefRowAvx512(double position, const double* frequencies, std::size_t pairs, float* out);
void SleefRowAvx2(double position, const double* frequencies, std::size_t pairs, float* out);
void SleefRowSse2(double position, const double* frequencies, std::size_t pairs, float* out);

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_SLEEF_ROWS_H_
