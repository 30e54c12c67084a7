// Elements to rotate: random ones, and those that are hard. The same on every machine.
#ifndef POSENC_TOOLS_VERIFY_INPUTS_H_
#define POSENC_TOOLS_VERIFY_INPUTS_H_

#include <cstdint>

#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

enum class Inputs {
  kEvery,       // all of those below by turns
  kNormal,      // of about the same size, as in models
  kAny,         // any finite bits: ratios up to the largest
  kCancelling,  // one of the results is what remains of two equal products
  kMiddle,      // a result near the middle of two neighbours
  kTiny,        // subnormal elements and results, zeros, and the least numbers
  kLarge,       // results around the largest number
  kSpecial,     // infinities, NaNs, zeros, and others beside them
  kMixed,       // mostly of about the same size, with some of all the others among them
};

// Bits of the type.
struct InputPair {
  std::uint64_t a, b;
};

// Of a kind, by a random number; cosine and sine, without gain, are those of the pair's angle. The gain,
// which only kMixed knows, is that of the results.
InputPair MakeInput(Inputs inputs, posenc_type type, std::uint64_t random, double cosine, double sine,
                    double gain = 1.0);

// A random number for each of its arguments.
std::uint64_t HashOf(std::uint64_t seed, std::uint64_t row, std::uint64_t head, std::uint64_t pair);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_INPUTS_H_
