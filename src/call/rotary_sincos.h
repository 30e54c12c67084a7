// Computes the cosines and sines of a token's angles once, and uses them for all heads of the token, or for a
// row of a cache.
#ifndef POSENC_SRC_CALL_ROTARY_SINCOS_H_
#define POSENC_SRC_CALL_ROTARY_SINCOS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "call/rotary.h"
#include "kernel/heads.h"
#include "kernel/rotary_kernels.h"

namespace posenc {
namespace internal {

// The size of a buffer of cosines or sines. There are 64 numbers more than pairs, so that adjacent buffers
// are not a multiple of 4 KB apart: at that distance loads wait for unrelated stores (4K aliasing).
inline constexpr std::size_t kPairBuffer = kMaxPiece + 64;
static_assert(kVectorPadding <= 64, "a last vector may reach past the pairs");

// The anchor: the last token whose angles were evaluated. Angles of tokens after it come by angle addition.
class Anchor {
 public:
  explicit Anchor(std::size_t axes) : axes_(axes) {}

  void Set(const double* position) {
    is_whole_ = true;
    for (std::size_t k = 0; k < axes_; ++k) {
      position_[k] = position[k];
      is_whole_ = is_whole_ && IsWhole(position[k]);
    }
  }

  // How far a position is ahead of the anchor, 1 .. kMaxOffset. Returns 0 if angle addition cannot be used:
  // if the distance is not the same integer on all axes, or is out of that range.
  std::size_t OffsetOf(const double* position) const {
    const double offset = position[0] - position_[0];
    if (!is_whole_ || !(offset >= 1.0 && offset <= static_cast<double>(kMaxOffset))) return 0;
    for (std::size_t k = 0; k < axes_; ++k) {
      if (!IsWhole(position[k]) || position[k] - position_[k] != offset) return 0;
    }
    return static_cast<std::size_t>(offset);
  }

 private:
  std::size_t axes_;
  bool is_whole_ = false;
  double position_[POSENC_MAX_AXES] = {};
};

// The cosines and sines for one token after another. It stores the cosines and sines of the last anchor, and
// the offset from the anchor to the token.
class TokenSinCos {
 public:
  explicit TokenSinCos(const Rotary& rotary) : rotary_(rotary), anchor_(rotary.axes) {}

  // Goes on to token t: evaluates its angles, unless they can be added to the anchor's.
  Tally Take(const TokenPositions& positions, std::size_t t) {
    positions.At(t, position_);
    multiples_ = {nullptr, position_[0]};
    if (rotary_.table.HasMultiples()) {
      rotary_.table.FillMultiples(position_, list_);
      multiples_.list = list_;
    }
    offset_ = rotary_.table.has_offsets ? anchor_.OffsetOf(position_) : 0;
    if (offset_ != 0) return {};
    anchor_.Set(position_);
    return rotary_.kernels->sin_cos(rotary_.table.frequencies, multiples_, cosines_, sines_);
  }

  // Writes the token's cosines and sines [pairs], times a gain and rounded to a type. The arrays must have
  // room for kVectorPadding numbers more.
  Tally Round(posenc_type type, const Gain& gain, void* cosines, void* sines) const {
    const RotaryKernels& kernels = *rotary_.kernels;
    const FrequencyTable& frequencies = rotary_.table.frequencies;
    if (offset_ != 0 && IsSummand(type)) {
      return kernels.round_added[type](frequencies, multiples_, gain, Added(), cosines, sines);
    }
    return kernels.round[type](frequencies, multiples_, gain, cosines_, sines_, cosines, sines);
  }

 protected:
  AddedAngles Added() const {
    const double* offset_cosines = rotary_.table.OffsetCosines(offset_);
    return {cosines_, sines_, offset_cosines, offset_cosines + rotary_.pairs};
  }

  const Rotary& rotary_;
  Anchor anchor_;
  std::size_t offset_ = 0;  // from the anchor to the token
  double position_[POSENC_MAX_AXES] = {};
  Multiples multiples_{};
  alignas(64) double list_[kPairBuffer];     // aligned, because loads across cache lines take twice as long
  alignas(64) double cosines_[kPairBuffer];  // the anchor's
  alignas(64) double sines_[kPairBuffer];
};

// Rotates the heads of one token after another.
class HeadSinCos : private TokenSinCos {
 public:
  explicit HeadSinCos(const Rotary& rotary) : TokenSinCos(rotary), shared_(rotary.arithmetic) {
    if (rotary.arithmetic != POSENC_EXACT) return;
    shared_.exact.undecided.Clear();
    ClearPadding(cosines_, sines_);
    if (rotary.pairs <= kMaxAddedPairs) ClearPadding(shared_.exact.cosines, shared_.exact.sines);
  }

  Tally Take(const TokenPositions& positions, std::size_t t) {
    const Tally tally = TokenSinCos::Take(positions, t);
    are_placed_ = false;
    angles_ = {cosines_, sines_, true};
    if (offset_ != 0 && rotary_.arithmetic == POSENC_EXACT) {
      angles_ = {shared_.exact.cosines, shared_.exact.sines, false};
      rotary_.kernels->add(Added(), rotary_.pairs, shared_.exact.cosines, shared_.exact.sines);
    }
    return tally;
  }

  // Rotates heads of the token. In exact arithmetic some pairs may be left for later: Resolve computes them.
  Tally Rotate(posenc_type type, const Gain& gain, const Heads& heads) {
    const RotaryKernels& kernels = *rotary_.kernels;
    const bool is_fast = rotary_.arithmetic == POSENC_FAST;
    Tally tally;
    if (!(gain == gain_)) {
      tally += Resolve(type);
      gain_ = gain;
      are_placed_ = false;
    }
    if (!are_placed_ && is_fast) {
      tally += Round(POSENC_F32, gain, shared_.floats.cosines, shared_.floats.sines);
      ClearPadding(shared_.floats.cosines, shared_.floats.sines);
    } else if (!are_placed_) {
      kernels.place[type][heads.pairing](angles_.cosines, angles_.sines, heads.pairs, gain,
                                         shared_.exact.sin_cos);
    }
    are_placed_ = true;
    if (is_fast) {
      kernels.fast[type][heads.pairing](shared_.floats.cosines, shared_.floats.sines, heads);
    } else {
      tally += kernels.exact[type][heads.pairing]({rotary_.table.frequencies, multiples_, gain}, angles_,
                                                  shared_.exact.sin_cos, heads, shared_.exact.undecided);
    }
    return tally;
  }

  // Computes the pairs that Rotate left for later.
  Tally Resolve(posenc_type type) {
    Tally tally;
    const bool has_undecided = rotary_.arithmetic == POSENC_EXACT && shared_.exact.undecided.count != 0;
    if (has_undecided)
      rotary_.kernels->resolve(type, rotary_.table.frequencies, gain_, shared_.exact.undecided, tally);
    return tally;
  }

 private:
  struct Floats {
    alignas(64) float cosines[kPairBuffer];
    alignas(64) float sines[kPairBuffer];
  };
  struct Exact {
    UndecidedPairs undecided;
    PlacedSinCosRoom sin_cos;
    alignas(64) double cosines[kMaxAddedPairs + kVectorPadding];
    alignas(64) double sines[kMaxAddedPairs + kVectorPadding];
  };
  union Shared {  // each arithmetic needs only one of them, and the stack is small
    Exact exact;
    Floats floats;

    // Begins the lifetime of the member that is needed. Its bytes stay uninitialized.
    explicit Shared(posenc_arithmetic arithmetic) {
      if (arithmetic == POSENC_EXACT) {
        ::new (static_cast<void*>(&exact)) Exact;
      } else {
        ::new (static_cast<void*>(&floats)) Floats;
      }
    }
  };

  // Writes zeros after the last pair, up to the end of the longest vector that contains the last pair.
  // Kernels load them, but no result depends on them.
  template <class T>
  void ClearPadding(T* cosines, T* sines) const {
    const std::size_t rest = rotary_.pairs % kVectorPadding;
    if (rest == 0) return;
    std::memset(cosines + rotary_.pairs, 0, (kVectorPadding - rest) * sizeof(T));
    std::memset(sines + rotary_.pairs, 0, (kVectorPadding - rest) * sizeof(T));
  }

  TokenAngles angles_{};     // the token's cosines and sines, in exact arithmetic
  Gain gain_{};              // the gain that the numbers in shared_ were multiplied by
  bool are_placed_ = false;  // whether shared_ holds the token's cosines and sines times gain_
  Shared shared_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ROTARY_SINCOS_H_
