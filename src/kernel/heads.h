// What the rotary's kernels work on: one token's heads, and what they are turned by.
#ifndef POSENC_SRC_KERNEL_HEADS_H_
#define POSENC_SRC_KERNEL_HEADS_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/targets.h"
#include "kernel/shared_sincos.h"
#include "number/double_double.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

inline constexpr std::size_t kMaxRotaryPairs = POSENC_MAX_ROTARY_DIM / 2;

// Kernels may write, and want to read, so many numbers behind those of the pairs.
inline constexpr std::size_t kVectorPadding = kMaxVectorBytes / sizeof(float);
static_assert(kPadding >= kVectorPadding, "tables are read so too");

// Where a token is: a multiple of each frequency, or the same of all.
struct Token {
  const double* multiples;  // [the table's padded], or null
  double position;

  double operator[](std::size_t pair) const { return multiples != nullptr ? multiples[pair] : position; }
};

// Turns as sums: those of a token before it, the anchor, and of the offset from there, arrays that can be
// read as whole vectors.
struct AddedAngles {
  const double* cosines;
  const double* sines;
  const double* offset_cosines;
  const double* offset_sines;
};

// What cosines and sines are multiplied by, as a real number: amplitude * scale; and whether sines are
// negated.
struct Gain {
  double amplitude, scale;
  bool inverse;

  double nearest() const { return amplitude * scale; }
  bool IsDouble() const { return ExactProduct(amplitude, scale).low == 0.0; }
  bool operator==(const Gain& other) const {
    return amplitude == other.amplitude && scale == other.scale && inverse == other.inverse;
  }
};

// Whether a pair's phase is exactly 0, so that its cosine is 1 and its sine 0.
inline bool IsZeroAngle(const FrequencyTable& table, double multiple, std::size_t pair) {
  return multiple == 0.0 || table.whole_high[pair] == 0.0;
}

// What a rotation is by.
struct Rotation {
  const FrequencyTable& table;
  const Token& token;
  const Gain& gain;
};

// What holds the elements of a call from one to the next, by their size.
enum class Cached { kByCore, kByShared, kNowhere };

// The parts of a token's heads that turn: element e of head h is at data + h * stride bytes, e elements on;
// what it is made of at source, which may be data. Elements are aligned to their size.
struct Heads {
  const unsigned char* source;
  unsigned char* data;
  std::size_t source_stride;
  std::size_t stride;
  std::size_t count;
  std::size_t pairs;
  posenc_pairing pairing;
  Cached cached;
};

// The elements of pair i of so many, the second after the first.
struct PairIndex {
  std::size_t a, b;
};
inline PairIndex ElementsOf(posenc_pairing pairing, std::size_t i, std::size_t pairs) {
  if (pairing == POSENC_NEIGHBOURS) return {2 * i, 2 * i + 1};
  return {i, i + pairs};
}

// Room for a token's turns times one gain, as the exact kernel of a type and pairing takes them.
struct PlacedSinCosRoom {
  alignas(64) unsigned char bytes[4 * kMaxRotaryPairs * sizeof(double)];
};

// The turns of a token's pairs as a kernel takes them: direct ones, with small relative errors, or added
// ones, with small absolute errors, which a kernel replaces by direct ones if it needs these.
struct TokenAngles {
  double* cosines;
  double* sines;
  bool are_direct;
};

// Pairs of one gain that a loop could not round, of any tokens, until they are closed.
struct UndecidedPairs {
  static constexpr std::size_t kFull = 32;
  static constexpr std::size_t kCapacity = kFull + 2 * kVectorPadding;  // they are read as whole vectors

  std::size_t count;
  std::uint32_t pair[kCapacity];
  std::uint32_t a[kCapacity];  // bits of the elements
  std::uint32_t b[kCapacity];
  double multiple[kCapacity];
  double high[kCapacity];  // the pair's phase step
  double low[kCapacity];
  unsigned char* x[kCapacity];  // where the elements go
  unsigned char* y[kCapacity];
  SharedSinCos wide;

  void Clear() {
    count = 0;
    wide.Clear();
  }
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_HEADS_H_
