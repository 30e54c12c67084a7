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
  std::size_t doubles = 0;     // pairs of bfloat16 rows that rotations in float left to those in double
  std::size_t direct = 0;      // pairs of rotated rows taken again by the direct kernel
  std::size_t recomputed = 0;  // pairs taken again in wide arithmetic
  std::size_t undecided = 0;   // entries that even wide arithmetic could not decide (see reference.h)

  Tally& operator+=(const Tally& other) {
    doubles += other.doubles;
    direct += other.direct;
    recomputed += other.recomputed;
    undecided += other.undecided;
    return *this;
  }
};

// The storage types of rows; an index into the kernels below.
enum ElementType : std::size_t {
  kFloat32,
  kBFloat16,
  kFloat16,
  kSummandTypes,  // those that encodings are added to
  kFloat64 = kSummandTypes,
  kElementTypes
};

// A block of rows. Row r, [dim], is at data + r * stride elements.
struct Rows {
  static constexpr std::size_t kMax = 64;

  const double* positions;  // [count] of any order, |p| <= kMaxPosition; or null: first, first + 1, ...
  std::int64_t first;
  std::size_t count;  // at most kMax
  void* data;
  std::size_t stride;
  const void* const* sources;  // [count] rows to add to; or null: those of data
  bool stream;                 // past the caches; whole, aligned vectors only

  double Position(std::size_t r) const {
    return positions != nullptr ? positions[r] : static_cast<double>(first + static_cast<std::int64_t>(r));
  }
};

// Kernels are called with the default floating-point state (fp_state.h).
struct Kernels {
  std::int64_t target;  // Highway's target bit; 0 for the reference
  const char* name;

  // Fills high and low [count, padded]: pair i is the phase step first * ratio^i, in quarter turns
  // held as high + low. powers[k] is ratio^(2^k).
  void (*geometric)(DoubleDouble first, const DoubleDouble* powers, std::size_t count, double* high,
                    double* low);

  // Fills rotations, [kRotations][2][table.padded], from table.high and table.low; null if the target
  // does not use them.
  void (*rotations)(const FrequencyTable& table, double* rotations);

  // data = PE, rounded to the element type.
  Tally (*write[kElementTypes])(const FrequencyTable& table, const Columns& columns, const Rows& rows);

  // data = sources * scale + PE in float, rounded to the element type.
  Tally (*add[kSummandTypes])(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                              float scale);

  // x [count] = x * scale + entries, as add does it.
  void (*add_entries[kSummandTypes])(const float* entries, std::size_t count, float scale, void* x);
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
