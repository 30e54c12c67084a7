// What the rotary's kernels work on: one token's heads, its angles, and the pairs that wait for a slower
// tier.
#ifndef POSENC_SRC_KERNEL_HEADS_H_
#define POSENC_SRC_KERNEL_HEADS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "frequency/table.h"
#include "kernel/rows.h"
#include "kernel/targets.h"
#include "kernel/wide_sincos.h"
#include "number/compiler.h"
#include "number/double_double.h"
#include "number/elements.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// The types of elements that are read, and of results. They differ only if float32 becomes a 16-bit type.
struct ElementTypes {
  posenc_type from, to;

  bool operator==(const ElementTypes& other) const { return from == other.from && to == other.to; }
};

// The index of two such types in an array of kernels.
inline constexpr std::size_t kConversions = kSummandTypes + 2;
constexpr std::size_t IndexOf(ElementTypes types) {
  static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16> && POSENC_F16 == POSENC_BF16 + 1,
                "the last two indices are those of float32 that becomes bfloat16 or float16");
  const auto to = static_cast<std::size_t>(types.to);
  return types.from == types.to ? to : kSummandTypes + to - static_cast<std::size_t>(POSENC_BF16);
}

// Buffers have room for a piece of kMaxPiece pairs. Heads with more pairs are rotated piece by piece.
inline constexpr std::size_t kMaxPiece = 512;

// Behind the numbers of the pairs, arrays of cosines and sines have room for this many more, because kernels
// load and store whole vectors.
inline constexpr std::size_t kVectorPadding = kMaxVectorBytes / sizeof(float);
static_assert(kPadding >= kVectorPadding, "tables are read as whole vectors too");

// What a token's cosines and sines are added from: the cosines and sines of its anchor, a token before it,
// and of the offset from there. Arrays [pairs], readable as whole vectors. The offset's are null if the token
// is its own anchor.
struct AddedAngles {
  const double* cosines;
  const double* sines;
  const double* offset_cosines;
  const double* offset_sines;
};

// What multiplies cosines and sines: the real number G = amplitude * scale * factor. It is a product of two
// doubles and a float, and not rounded. The factor belongs to the token, and is 1 unless the tensor has
// factors. `inverse` negates the sines, which rotates back.
struct Gain {
  double amplitude, scale;
  float factor;
  bool inverse;

  // G as a sum of two doubles: exact if the factor is 1, else with an error below 2^-103.
  DoubleDouble Sum() const {
    const DoubleDouble product = ExactProduct(amplitude, scale);
    return factor == 1.0f ? product : Multiply(product, {static_cast<double>(factor), 0.0});
  }
  // G rounded to double, with an error below u + 2^-103. If G is a double, it has no error.
  double nearest() const { return factor == 1.0f ? amplitude * scale : Sum().high; }
  // A product of two numbers has no fewer digits than either of them. So G is a double only if amplitude *
  // scale is a double, too.
  bool IsDouble() const {
    if (ExactProduct(amplitude, scale).low != 0.0) return false;
    return factor == 1.0f || ExactProduct(amplitude * scale, static_cast<double>(factor)).low == 0.0;
  }
  bool IsOne() const { return amplitude == 1.0 && scale == 1.0 && factor == 1.0f; }

  // Copies member by member. Copies of the struct read wider words than were just stored, and wait for these
  // stores.
  void Copy(const Gain& from) {
    amplitude = from.amplitude;
    scale = from.scale;
    factor = from.factor;
    inverse = from.inverse;
  }
  bool operator==(const Gain& other) const {
    return amplitude == other.amplitude && scale == other.scale && factor == other.factor &&
           inverse == other.inverse;
  }
};

inline constexpr Gain kNoGain = {1.0, 1.0, 1.0f, false};

// Whether a pair's angle is exactly 0. Then the pair does not rotate, as its cosine is 1 and its sine 0.
inline bool IsZeroAngle(const FrequencyTable& table, double multiple, std::size_t pair) {
  return multiple == 0.0 || table.unreduced_high[pair] == 0.0;
}

// The angles and the gain of a token's rotation, and what counts the pairs that slower tiers decide.
struct Rotation {
  const FrequencyTable& table;
  const Multiples& multiples;
  const Gain& gain;
  Tally& tally;
  const Subnormals* flushing = nullptr;  // not null if the first tier flushes subnormal numbers to 0
};

// Which cache can hold the elements of a call until the next call, by their size: one of the core's own, one
// that cores share, or none.
enum class Cached { kByCore, kByShared, kNowhere };

// The parts of a token's heads that rotate, aligned to the size of their elements. Element e of head h is
// read from source + h * source_stride bytes, e elements on, and written to data + h * stride bytes, e
// elements on. ElementsOf(pairing, i, apart) are the elements of pair i. `source` may be `data` if both types
// are the same.
struct Heads {
  const unsigned char* source;
  unsigned char* data;
  std::size_t source_stride;
  std::size_t stride;
  std::size_t count;
  std::size_t pairs;
  std::size_t apart;  // elements from the first to the second of a half-split pair
  posenc_pairing pairing;
  Cached cached;
  posenc_type type;       // of the results
  std::size_t first = 0;  // the pair of the table that is pair 0 here, in exact arithmetic
};

// Which elements of a head belong to pair i. Half-split elements are `apart`.
struct PairIndex {
  std::size_t a, b;
};
inline PairIndex ElementsOf(posenc_pairing pairing, std::size_t i, std::size_t apart) {
  if (pairing == POSENC_NEIGHBOURS) return {2 * i, 2 * i + 1};
  return {i, i + apart};
}

// The largest size, in bytes, of cosines and sines [pairs] times the gain, in the layout of the exact kernel
// for elements of a type (PackedSinCos, pack_sincos-inl.h). Each pair has two cosines and two sines: one for
// each element, or for bfloat16 a high and a low part.
constexpr std::size_t PackedBytes(posenc_type type, std::size_t pairs) {
  const std::size_t padded = (pairs + kVectorPadding - 1) / kVectorPadding * kVectorPadding;
  return 4 * padded * (type == POSENC_BF16 ? sizeof(float) : sizeof(double));
}

// What a token's cosines and sines are multiplied by, factor = G and sine_factor = +-G, and how large the
// error of a sum is (MakeBounds, bounded_sums-inl.h). A term a c of a sum adds |a| (|c| relative + absolute)
// to the sum's bound; this covers the roundings of the sum as well:
//
//   direct angles  relative = kDirectRotationError (9 u)
//   added angles   absolute = kAddedRotationError * G (12 u G)
//   16-bit types   relative = kFloatRotationError (2.1 v), which covers direct angles as well
//
// With direct angles `absolute` is kMinSinCosError, until `TightenFor` has found no tiny cosine or sine.
struct SinCosBounds {
  double factor, sine_factor;
  double relative, absolute;
  bool are_direct;  // each cosine and sine has the right sign, and is 0 only if it is exactly 0
  bool has_zeros;   // some may be exactly 0, which has no error
  bool are_exact;  // G is so short that an element times +-G is exact, as are sums with a cosine or sine of 0
  std::uint8_t tries;  // how often RotateConverted or RotateFinite may still stop (kMostTries)
};

// A token's cosines and sines [pairs], without the gain: direct ones with a relative error of kDirectError,
// or added ones with an absolute error of kAddedAngleError. A kernel that needs direct ones overwrites the
// added ones.
struct TokenAngles {
  double* cosines;
  double* sines;
  bool are_direct;
  bool has_bounds;  // whether `bounds` belong to these angles and to the gain
  SinCosBounds bounds;
  std::size_t undecided_by_added;  // pairs that bounds of added angles have left undecided
};

// How far a loop over a token's heads, and over the pairs of each, has come: the next pair.
struct PairCursor {
  std::size_t head, pair;
};

// The queue of undecided pairs. They may belong to several tokens, and have the same types and gain.
struct UndecidedPairs {
  // The queue is resolved when it holds kFull pairs or more. kCapacity leaves room for what one vector, or
  // all deferred ones, may add to an almost full queue, and for loads of whole vectors.
  static constexpr std::size_t kFull = 32;
  static constexpr std::size_t kCapacity = kFull + 2 * kVectorPadding;

  ElementTypes types;
  std::size_t count;
  std::uint32_t pair[kCapacity];
  std::uint32_t a[kCapacity];  // bits of the pair's elements, in the low half for 16-bit types
  std::uint32_t b[kCapacity];
  double multiple[kCapacity];
  double high[kCapacity];  // the pair's phase step is high + low quarter turns
  double low[kCapacity];
  double cosine[kCapacity];  // of a pair that ResolveUndecidedPairs has left; NaN if doubles do not tell it
  double sine[kCapacity];
  unsigned char* x[kCapacity];  // where the rotated elements are stored
  unsigned char* y[kCapacity];
  SharedSinCos wide;
  bool is_paused = false;  // RotateAndQueue has stopped where it can go on

  void Clear(ElementTypes types_of_elements) {
    types = types_of_elements;
    count = 0;
    wide.Clear();
  }
  bool IsFull() const { return count >= kFull; }

  // Appends pairs: pair at.pair + k of head at.head for each bit k of `pairs`, except behind the table's
  // pairs. Their elements are read from `from`, half-split ones `apart`; rotated ones will go to the head's
  // data. There must be room.
  void Append(const Rotation& rotation, const Heads& heads, PairCursor at, std::uint64_t pairs,
              const void* from, std::size_t apart);

  // Moves pair `from` to `to`, which is not after it, but not its step.
  void Move(std::size_t from, std::size_t to) {
    pair[to] = pair[from];
    a[to] = a[from];
    b[to] = b[from];
    multiple[to] = multiple[from];
    x[to] = x[from];
    y[to] = y[from];
  }
};

// Whether multiple * reduced step and multiple * unreduced step differ by whole turns only. They do if the
// multiple is an integer. Doubles beyond 2^62 are not tried, because IsWhole converts to int64.
inline bool MayReduce(double multiple) {
  return multiple >= -0x1p62 && multiple <= 0x1p62 && IsWhole(multiple);
}

// The phase step of one pair, high + low quarter turns: reduced modulo eight if the multiple allows it.
struct PhaseStep {
  double high, low;

  PhaseStep(const FrequencyTable& table, double multiple, std::size_t pair) {
    const bool is_reduced = MayReduce(multiple);
    high = (is_reduced ? table.high : table.unreduced_high)[pair];
    low = (is_reduced ? table.low : table.unreduced_low)[pair];
  }
};

// LoadBits returns the bits of an element as a word, whose high half is 0 for 16-bit types. StoreBits stores
// them.
static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>, "these two know no other type");
inline std::uint32_t LoadBits(posenc_type type, const unsigned char* from) {
  std::uint32_t word;
  std::uint16_t half;
  if (type == POSENC_F32) return std::memcpy(&word, from, sizeof(word)), word;
  return std::memcpy(&half, from, sizeof(half)), half;
}
inline void StoreBits(posenc_type type, std::uint32_t bits, unsigned char* to) {
  const auto half = static_cast<std::uint16_t>(bits);
  if (type == POSENC_F32) {
    std::memcpy(to, &bits, sizeof(bits));
  } else {
    std::memcpy(to, &half, sizeof(half));
  }
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_HEADS_H_
