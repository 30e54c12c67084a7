// The encoder's kernels: a row per compiled target (targets.h). The library, the tests, the benchmarks and
// the tools all use these rows.
#ifndef POSENC_SRC_KERNEL_ENCODER_KERNELS_H_
#define POSENC_SRC_KERNEL_ENCODER_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/rows.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// The kernels of one target. They need the default floating-point state (number/fp_state.h). Arrays are
// indexed by posenc_type; a type that an operation does not have is null.
struct EncoderKernels {
  // Fills the table's offsets from its steps; null if the target does not use them.
  void (*fill_offsets)(const FrequencyTable& table);

  // data = PE, rounded to the type.
  Tally (*write[kEntryTypes])(const FrequencyTable& table, const Columns& columns, const Rows& rows);

  // data = sources * scale + PE in float. PE is rounded to float, and the sum to the type.
  Tally (*add[kSummandTypes])(const FrequencyTable& table, const Columns& columns, const Rows& rows,
                              float scale);

  // x [count] = x * scale + entries [count], as `add` does it. Also prefetches `count` elements from the
  // address `ahead` on, the x of a later call. Any address is valid.
  void (*add_entries[kSummandTypes])(const float* entries, std::size_t count, float scale, void* x,
                                     std::uintptr_t ahead);

  // to [count] = from [count], as floats; for bfloat16 and float16.
  void (*widen[kSummandTypes])(const void* from, std::size_t count, void* to);

  // Copies rows past the caches, which are whole lines, to places that begin at lines; null if the target has
  // no vectors.
  void (*stream_copies)(const Copies& copies);
};

// The row of a target; null if it is not compiled.
const EncoderKernels* EncoderKernelsOf(std::int64_t target);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ENCODER_KERNELS_H_
