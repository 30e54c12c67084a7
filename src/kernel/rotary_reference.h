// Rotation by the scalar path: each pair in 256-bit arithmetic or, where that leaves it open, in 1,024. It is
// the last row of the rotary's table of kernels, and the last resort of all others.
#ifndef POSENC_SRC_KERNEL_ROTARY_REFERENCE_H_
#define POSENC_SRC_KERNEL_ROTARY_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/heads.h"
#include "kernel/rows.h"
#include "kernel/wide_sincos.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// gain * cosine and gain * sine of the pairs first + k for which flags[k] != 0, k < lanes, rounded to a type;
// Value, float or double, holds its numbers.
template <class Value>
void RecomputeSinCos(const FrequencyTable& table, const Token& token, const Gain& gain, posenc_type type,
                     std::size_t first, const std::uint64_t* flags, std::size_t lanes, Value* cosines,
                     Value* sines, Tally& tally);

// What a pair (a, b) becomes, each element rounded to the type, one of float's or shorter; NaNs are the
// canonical one.
struct RotatedPair {
  float x, y;
};
RotatedPair RecomputePair(const FrequencyTable& table, double multiple, const Gain& gain, posenc_type type,
                          std::size_t pair, float a, float b, double cosine, double sine, SharedSinCos& wide,
                          Tally& tally);

// Whether products of elements with the gain are exact in double. (Longer gains make no ties.)
bool IsShort(const Gain& gain);

// The same of shorter types' elements in float. (They make ties of still shorter gains only.)
bool IsShortInFloat(const Gain& gain);

// The kernels of RotaryKernels.
Tally ReferenceSinCos(const FrequencyTable& table, const Token& token, double* cosines, double* sines);
Tally ReferenceRound(const FrequencyTable& table, const Token& token, const Gain& gain, posenc_type type,
                     void* cosines, void* sines);
Tally ReferenceExact(const Rotation& rotation, posenc_type type, const Heads& heads);
void ReferenceFast(posenc_type type, const Heads& heads, const float* cosines, const float* sines);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ROTARY_REFERENCE_H_
