// Caches and rotation by the scalar path (wide_sincos.h): the last row of the rotary's table of kernels, and
// the last tier of all others.
#ifndef POSENC_SRC_KERNEL_ROTARY_REFERENCE_H_
#define POSENC_SRC_KERNEL_ROTARY_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/heads.h"
#include "kernel/reference.h"
#include "kernel/rows.h"
#include "kernel/wide_sincos.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Replaces gain * cosine and gain * sine, each rounded once to a type, of the pairs for which undecided[k] !=
// 0, k < lanes. Value, float or double, holds the type's numbers.
template <class Value>
void RecomputeSinCos(const PairsAt& pairs, const Gain& gain, posenc_type type, const std::uint64_t* undecided,
                     std::size_t lanes, Value* cosines, Value* sines);

// A pair that is rotated: its elements (a, b), of a type that is float or shorter, and its angle, which is
// that of pair `pair` at a multiple. Cosine and sine are good to kDirectRotationError and spare wide
// arithmetic some pairs; they may be NaNs.
struct UndecidedPair {
  posenc_type type;
  std::size_t pair;
  double multiple;
  float a, b;
  double cosine, sine;
};
struct RotatedPair {
  float x, y;
};

// The pair (a, b) rotated and multiplied by the gain, each element rounded once to the type. NaNs become the
// canonical one, and infinities what IEEE arithmetic makes of them. Whole quarter turns are exact products.
RotatedPair RecomputePair(const FrequencyTable& table, const Gain& gain, const UndecidedPair& undecided,
                          SharedSinCos& wide, Tally& tally);

// Whether products of floats with the gain are exact in double. Longer gains make no ties.
bool IsShort(const Gain& gain);

// Whether products of 16-bit elements with the gain are exact in float. Only shorter gains make ties of
// these.
bool IsShortInFloat(const Gain& gain);

// REFERENCE's row of RotaryKernels.
Tally ReferenceSinCos(const FrequencyTable& table, const Multiples& multiples, double* cosines,
                      double* sines);
Tally ReferenceRound(const FrequencyTable& table, const Multiples& multiples, const Gain& gain,
                     posenc_type type, void* cosines, void* sines);
Tally ReferenceExact(const Rotation& rotation, posenc_type type, const Heads& heads);
void ReferenceFast(posenc_type type, const Heads& heads, const float* cosines, const float* sines);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ROTARY_REFERENCE_H_
