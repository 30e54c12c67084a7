// What an encoder's spec says about pairs and frequencies, and the checks of its members.
#ifndef POSENC_SRC_FREQUENCY_ENCODER_SPEC_H_
#define POSENC_SRC_FREQUENCY_ENCODER_SPEC_H_

#include <cstddef>

#include "frequency/formula.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Whether a row has a sine or cosine at all. If not, its frequencies count as 0.
bool HasPairs(const posenc_spec& spec);

// The number of pairs of a row, where half a pair counts as one. At least 1, even for rows without pairs.
std::size_t PairCount(const posenc_spec& spec);

// base and exponent_dim as the phase rounding uses them: some roundings first round them to float.
double BaseOf(const posenc_spec& spec);
double ExponentDimOf(const posenc_spec& spec);

FrequencyList ListOf(const posenc_spec& spec);

// Checks each member by itself, and the members that clash. Other files check the rest: the range of
// frequencies (geometric.h), struct_size (spec/versioned.h), target (kernel/targets.h), columns
// (call/columns.cc) and padding (api/encoder.cc).
posenc_status CheckSpec(const posenc_spec& spec);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ENCODER_SPEC_H_
