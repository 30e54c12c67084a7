// What a rotary spec must be, but for what only its frequencies tell.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_CHECKS_H_
#define POSENC_SRC_FREQUENCY_ROTARY_CHECKS_H_

#include "frequency/schedule.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// Puts rotary_dim and exponent_dim for the 0 that means them. What the scaling does not use must not be a
// NaN, and nothing more.
posenc_status CheckRotarySpec(posenc_rotary_spec* spec);

inline bool IsYarn(const posenc_rotary_spec& spec) {
  return spec.scaling == POSENC_YARN || spec.scaling == POSENC_YARN_LOG;
}

// The list of factors that counts; of count 0 if the scaling has none.
FrequencyList FactorsOf(const posenc_rotary_spec& spec);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_CHECKS_H_
