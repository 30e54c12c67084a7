// What a rotary's spec says about scalings and lists, and the checks of its members.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_SPEC_H_
#define POSENC_SRC_FREQUENCY_ROTARY_SPEC_H_

#include "frequency/formula.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

inline bool IsYarn(const posenc_rotary_spec& spec) {
  return IsOneOf(spec.scaling, POSENC_YARN, POSENC_YARN_LOG);
}

// Whether the scaling multiplies the base by a power of a factor (NtkFactor in scaling.cc).
inline bool IsNtk(const posenc_rotary_spec& spec) {
  return IsOneOf(spec.scaling, POSENC_NTK, POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK);
}

// Whether the scaling divides by listed factors.
inline bool TakesFactors(const posenc_rotary_spec& spec) {
  return IsOneOf(spec.scaling, POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS);
}

inline FrequencyList ListOf(const posenc_rotary_spec& spec) {
  return {spec.frequencies, spec.frequencies_f32, spec.frequency_count};
}

// The list of factors that applies: LongRoPE has one for short and one for long contexts. The list is empty
// if the scaling takes no factors.
FrequencyList FactorsOf(const posenc_rotary_spec& spec);

// The spec without lists and target. Objects that outlive the call of creation keep such a spec.
posenc_rotary_spec WithoutPointers(const posenc_rotary_spec& spec);

// Checks each member by itself, and the members that clash. Other files check the rest: the range of
// frequencies and made amplitudes (scaled.h), struct_size (spec/versioned.h) and target (kernel/targets.h).
// rotary_dim and exponent_dim are set if they are 0, which means the default. Members that the scaling does
// not use may have any value except NaN.
posenc_status CheckSpec(posenc_rotary_spec* spec);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_SPEC_H_
