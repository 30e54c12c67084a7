// The scalar path: every pair in 256-bit arithmetic, without Highway and sharing no angle arithmetic with
// the kernels. It is the last row of every table of kernels, and the last resort of all others.
#ifndef POSENC_SRC_KERNEL_REFERENCE_H_
#define POSENC_SRC_KERNEL_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/rows.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Replaces the entries of the pairs first + k for which flags[k] != 0, k < lanes, at one position, rounded
// to a type; Value, float or double, holds its numbers, of pair first + k at k * step. multiples begin at
// pair first.
template <class Value>
void RecomputePairs(const FrequencyTable& table, posenc_type type, const Multiples& multiples,
                    std::size_t first, const std::uint64_t* flags, std::size_t lanes, Value* sines,
                    Value* cosines, Tally& tally, std::size_t step = 1);

// data = PE rounded to the type, or sources * scale + PE if scale is not null.
Tally ReferenceRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, posenc_type type,
                    const float* scale);

template <posenc_type kType>
Tally ReferenceWrite(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  return ReferenceRows(table, columns, rows, kType, nullptr);
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_REFERENCE_H_
