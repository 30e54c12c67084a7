// Makes elements to rotate: random elements, and elements that are hard to round. They are the same on every
// machine.
#ifndef POSENC_TOOLS_VERIFY_INPUTS_H_
#define POSENC_TOOLS_VERIFY_INPUTS_H_

#include <cstdint>

#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

enum class Inputs {
  kEvery,       // a mixture of the kinds from kNormal to kLarge
  kNormal,      // elements of about the same size, as in models
  kAny,         // any finite bits, so the elements of a pair may have very different sizes
  kCancelling,  // a result is the difference of two almost equal products
  kMiddle,      // a result is near the midpoint of two neighbours
  kTiny,        // subnormal elements and results, zeros, and the smallest normal numbers
  kLarge,       // results near the largest number
  kSpecial,     // infinities, NaNs, zeros and the largest and smallest numbers, beside ordinary elements
  kMixed,       // mostly kNormal, with some elements of the kinds above
  kAroundOne,   // elements from 1/2 to 2
  kEqual,       // elements of the same size, or powers of two
  kFew,         // elements of few digits, of which many products are midpoints
  kZeros,       // a zero, or two
  kSparse,      // zeros, and one ordinary pair among 64
  kSmallest,    // a result is next to a midpoint of the smallest numbers
  kLargest,     // elements of about the largest size
  kNans,        // NaNs of all kinds, beside ones and each other
  kInfinities,  // infinities, beside ones, zeros and each other
  kBits,        // any bits
};

// The two elements of a pair, as bits of the type.
struct InputPair {
  std::uint64_t a, b;
};

// Makes a pair of this kind from a random number. Its elements have a type, and results another one or the
// same. `cosine` and `sine` belong to the angle of the pair, without a gain. `gain` is the product of
// amplitude and scale; only kMixed uses it.
InputPair MakeInput(Inputs inputs, posenc_type type, posenc_type result_type, std::uint64_t random,
                    double cosine, double sine, double gain = 1.0);

// A random number that depends on all arguments.
std::uint64_t HashOf(std::uint64_t seed, std::uint64_t row, std::uint64_t head, std::uint64_t pair);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_INPUTS_H_
