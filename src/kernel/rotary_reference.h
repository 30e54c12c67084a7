// Caches and rotation by the scalar path (wide_sincos.h): what the target REFERENCE does, and the last tier
// of all other targets.
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

// Stores gain * cosine and gain * sine, each rounded once to a type, of the pairs first + k for which
// undecided[k] != 0, k < lanes. They become element k of the arrays, which may have any alignment.
void RecomputeSinCos(const Rotation& rotation, posenc_type type, std::size_t first,
                     const std::uint64_t* undecided, std::size_t lanes, void* cosines, void* sines);

// A pair that is rotated: the type of the results, the elements (a, b), and the angle, as the number of the
// pair and a multiple. Cosine and sine are good to kDirectRotationError and spare wide arithmetic some pairs;
// they may be NaNs.
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

// What the reference does in place of kernels (token_angles.cc, rotate_token.cc): it resolves every pair at
// once.
void ReferenceRound(const Rotation& rotation, posenc_type type, void* cosines, void* sines);
void ReferenceExact(const Rotation& rotation, posenc_type from, const Heads& heads, SharedSinCos& wide);
void ReferenceFast(posenc_type from, const Heads& heads, const float* cosines, const float* sines);

// to[k] = from[k] * factor, k < count, rounded once. NaNs become the canonical one. Any alignment.
void ReferenceRest(ElementTypes types, const void* from, std::size_t count, float factor, void* to);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ROTARY_REFERENCE_H_
