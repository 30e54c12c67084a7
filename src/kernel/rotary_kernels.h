// The rotary's kernels: a row per compiled target (targets.h).
#ifndef POSENC_SRC_KERNEL_ROTARY_KERNELS_H_
#define POSENC_SRC_KERNEL_ROTARY_KERNELS_H_

#include <cstdint>

#include "frequency/table.h"
#include "kernel/heads.h"
#include "kernel/rows.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// Called with the default floating-point state (number/fp_state.h). Arrays are indexed by posenc_type and
// posenc_pairing; cosines and sines, aligned, have room for kVectorPadding more than the pairs, and may be
// written there.
struct RotaryKernels {
  // Cosines and sines of a token, as doubles with a relative error of at most kDirectError.
  Tally (*sin_cos)(const FrequencyTable& table, const Token& token, double* cosines, double* sines);

  // Those of an offset, of a small whole position: arrays of just the pairs. Null in the scalar path.
  void (*offset)(const FrequencyTable& table, double offset, double* cosines, double* sines);

  // Cosines and sines from an anchor's and an offset's, with an absolute error of at most kAddedAngleError;
  // null in the scalar path.
  void (*add)(const AddedAngles& added, std::size_t pairs, double* cosines, double* sines);

  // From those of `turn`: gain * cosine and gain * sine, correctly rounded to the type.
  Tally (*round[kEntryTypes])(const FrequencyTable& table, const Token& token, const Gain& gain,
                              const double* cosines, const double* sines, void* rounded_cosines,
                              void* rounded_sines);

  // The same from an anchor's and an offset's; null in the scalar path.
  Tally (*round_added[kSummandTypes])(const FrequencyTable& table, const Token& token, const Gain& gain,
                                      const AddedAngles& added, void* rounded_cosines, void* rounded_sines);

  // to [count] = from, as floats; of bfloat16 and float16.
  void (*widen[kSummandTypes])(const void* from, std::size_t count, void* to);

  // Those times the gain, as `exact` takes them.
  void (*place[kSummandTypes][2])(const double* cosines, const double* sines, std::size_t pairs,
                                  const Gain& gain, PlacedSinCosRoom& placed);

  // Rotates a token's heads, each element correctly rounded, but for the pairs that are left in `open`: these
  // await `close`, with the same type and gain. Added turns may become direct ones.
  Tally (*exact[kSummandTypes][2])(const Rotation& rotation, TokenAngles& angles,
                                   const PlacedSinCosRoom& placed, const Heads& heads,
                                   UndecidedPairs& undecided);
  void (*resolve)(posenc_type type, const FrequencyTable& table, const Gain& gain, UndecidedPairs& undecided,
                  Tally& tally);

  // The same in POSENC_FAST.
  void (*fast[kSummandTypes][2])(const float* cosines, const float* sines, const Heads& heads);
};

// The row of a target; null if it is not compiled.
const RotaryKernels* RotaryKernelsOf(std::int64_t target);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ROTARY_KERNELS_H_
