// Rows by the scalar path (wide_sincos.h): the kernels of the target REFERENCE, and the last tier of all
// other targets.
#ifndef POSENC_SRC_KERNEL_REFERENCE_H_
#define POSENC_SRC_KERNEL_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/rows.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Pairs at one position, and what counts how they are decided. Pair begin + k has the angle multiples[k] *
// step.
struct PairsAt {
  const FrequencyTable& table;
  Multiples multiples;
  std::size_t begin;
  Tally& tally;

  PairsAt From(std::size_t k) const { return {table, multiples.From(k), begin + k, tally}; }
};

// Replaces sine and cosine, each rounded once to a type, of the pairs for which undecided[k] != 0, k < lanes.
// Value, float or double, holds the type's numbers. The sine and cosine of pair k are at k * step.
template <class Value>
void RecomputePairs(const PairsAt& pairs, posenc_type type, const std::uint64_t* undecided, std::size_t lanes,
                    Value* sines, Value* cosines, std::size_t step);

// data = PE, each entry rounded once to a type; or sources * scale + PE if scale is not null, where PE,
// product and sum are each rounded to float, and the sum to the type last.
Tally ReferenceRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, posenc_type type,
                    const float* scale);

template <posenc_type kType>
Tally ReferenceWrite(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  return ReferenceRows(table, columns, rows, kType, nullptr);
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_REFERENCE_H_
