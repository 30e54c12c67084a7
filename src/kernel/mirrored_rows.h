// What the hot loops of angle addition take: the same of all targets, so that one may have another's loop.
#ifndef POSENC_SRC_KERNEL_MIRRORED_ROWS_H_
#define POSENC_SRC_KERNEL_MIRRORED_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "kernel/rows.h"
#include "number/cache_size.h"

namespace posenc {
namespace internal {

// What angles are added from in float; the arrays start at the chunk's first pair.
struct MirroredFloats {
  const float* errors;
  const float* sines;
  const float* cosines;
  const float* offset[2];
};

// The positions of mirrored rows, before and after their anchor, and what their entries are added from: the
// arrays start at the chunk's first pair.
struct MirroredAngles {
  std::int64_t position[2];
  std::size_t begin;  // the chunk's first pair
  const double* sines;
  const double* cosines;
  const float* small;
  const double* offset;
  std::size_t padded;
  MirroredFloats floats;  // if angles are added in float
};

struct MirroredRows {
  Row row[2];
  const unsigned char* next[2];  // that are prefetched
  NextRowPrefetch prefetch;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_MIRRORED_ROWS_H_
