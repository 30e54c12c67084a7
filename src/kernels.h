// The one table of kernels: a row per compiled target. The library, the tests, the benchmarks and the
// tools all iterate this table.
#ifndef POSENC_SRC_KERNELS_H_
#define POSENC_SRC_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "frequencies.h"

namespace posenc {
namespace internal {

// Where the sines and cosines of a row go: entry i of each at offset + i * step.
struct Columns {
  std::size_t sines;    // ceil(dim / 2)
  std::size_t cosines;  // floor(dim / 2)
  std::size_t sine_offset;
  std::size_t cosine_offset;
  std::size_t step;  // 2 if interleaved, else 1
};

// What became of the entries that the rounding test could not decide.
struct Tally {
  std::size_t recomputed = 0;  // pairs taken again in wide arithmetic
  std::size_t undecided = 0;   // entries that even wide arithmetic could not decide (see reference.h)
};

// A block of rows: row r, at data + r * stride, is for positions[r].
struct Rows {
  const std::int64_t* positions;  // [count], |p| <= kMaxPosition
  std::size_t count;
  float* data;
  std::size_t stride;  // in elements
};

// Kernels are called with the default floating-point state (fp_state.h).
struct Kernels {
  std::int64_t target;  // Highway's target bit; 0 for the reference
  const char* name;

  // Fills high and low [PaddedPairs(count)]: pair i is the phase step first * ratio^i, in quarter turns
  // held as high + low. powers[k] is ratio^(2^k).
  void (*geometric)(DoubleDouble first, const DoubleDouble* powers, std::size_t count, double* high,
                    double* low);

  // data = PE
  Tally (*write)(const FrequencyTable& table, const Columns& columns, const Rows& rows);

  // data = data * scale + PE
  Tally (*add)(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale);
};

// All compiled rows, best first, the reference last.
const Kernels* const* AllKernels(std::size_t* count);

// Whether this CPU can run the row.
bool IsRunnable(const Kernels& kernels);

// The first runnable row.
const Kernels& BestKernels();

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNELS_H_
