// The scalar path: every pair in 256-bit arithmetic, without Highway and sharing no angle arithmetic with
// the kernels. It is the last row of the kernel table, and the last resort of all others.
#ifndef POSENC_SRC_REFERENCE_H_
#define POSENC_SRC_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "frequencies.h"
#include "kernels.h"

namespace posenc {
namespace internal {

// Replaces the entries of the pairs first + k for which flags[k] != 0, k < lanes, at one position, rounded
// to the format of a type; Value, float or double, holds its numbers.
template <class Value>
void RecomputePairs(const FrequencyTable& table, ElementType format, double position, std::size_t first,
                    const std::uint64_t* flags, std::size_t lanes, Value* sines, Value* cosines,
                    Tally& tally);

extern const Kernels kReferenceKernels;

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_REFERENCE_H_
