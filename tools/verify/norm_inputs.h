// Makes weights and elements for norms: random ones, and ones that are hard to round. They are the same on
// every machine.
#ifndef POSENC_TOOLS_VERIFY_NORM_INPUTS_H_
#define POSENC_TOOLS_VERIFY_NORM_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

enum class NormWeights {
  kNone,        // a null pointer
  kNormal,      // of the sizes that models have, of both signs
  kAroundOne,   // from 1/2 to 2
  kDigits,      // an odd number with any number of digits, times a power of two
  kTinyDigits,  // the same, but so small that results are subnormal
  kHalves,      // plus 1 they are midpoints of two floats, if their type has enough digits
  kNearHalves,  // plus 1 they are next to midpoints, where 1 + weight is 2^-47 to 2^-44 away
  kTiny,        // subnormal weights, zeros, and the smallest normal numbers
  kLarge,       // around the largest number
  kAny,         // any finite bits
  kOdd          // mostly kNormal, and some infinities, NaNs, zeros and -1
};

enum class NormInputs {
  kPairs,  // pairs of elements as in other rotations (inputs.h), and such elements between them
  kEqual,  // all elements of a mean have the same magnitude
  kTies,   // the mean is the square of a number, and many n_i are midpoints of two floats or two results
  kBeside  // the same, but for one unit in the sum of squares, or for one of the smallest numbers
};

// The bits of a weight.
std::uint64_t MakeWeight(NormWeights kind, posenc_type type, std::uint64_t random);

// The elements that share a mean, for kEqual, kTies and kBeside. weights [count] are those of the elements.
// Returns the bits of the elements.
std::vector<std::uint64_t> MakeNormInputs(NormInputs kind, posenc_type type, posenc_type result_type,
                                          double epsilon, bool plus_one, const std::vector<double>& weights,
                                          std::uint64_t random);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_NORM_INPUTS_H_
