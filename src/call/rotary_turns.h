// What turns a token: its cosines and sines, for a cache or for all its heads.
#ifndef POSENC_SRC_CALL_ROTARY_TURNS_H_
#define POSENC_SRC_CALL_ROTARY_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "call/rotary.h"
#include "kernel/heads.h"
#include "kernel/rotary_kernels.h"

namespace posenc {
namespace internal {

// Buffers that follow each other are not nearly a multiple of 4 KB apart, where loads would wait for stores.
inline constexpr std::size_t kTurnBuffer = kMaxRotaryPairs + 64;
static_assert(kTurnPadding <= 64, "vectors end in it");

// Where a token is that others are a little behind.
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

  // How far a position is from there, the same on all axes, whole and no further than kMaxOffset; else 0.
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

// A token's turns: those of the last anchor, and what is added to them.
class TokenTurns {
 public:
  explicit TokenTurns(const Rotary& rotary) : rotary_(rotary), anchor_(rotary.axes) {}

  Tally Take(const TokenPositions& positions, std::size_t t) {
    positions.At(t, position_);
    token_ = {nullptr, position_[0]};
    if (rotary_.table.HasMultiples()) {
      rotary_.table.FillMultiples(position_, multiples_);
      token_.multiples = multiples_;
    }
    offset_ = rotary_.table.has_offsets ? anchor_.OffsetOf(position_) : 0;
    if (offset_ != 0) return {};
    anchor_.Set(position_);
    return rotary_.kernels->turn(rotary_.table.frequencies, token_, cosines_, sines_);
  }

  // Times a gain, rounded to a type: [pairs], with room for kTurnPadding more.
  Tally Round(posenc_type type, const Gain& gain, void* cosines, void* sines) const {
    const RotaryKernels& kernels = *rotary_.kernels;
    const FrequencyTable& frequencies = rotary_.table.frequencies;
    if (offset_ != 0 && type != POSENC_F64) {
      return kernels.round_added[type](frequencies, token_, gain, Added(), cosines, sines);
    }
    return kernels.round[type](frequencies, token_, gain, cosines_, sines_, cosines, sines);
  }

 protected:
  AddedTurns Added() const {
    const double* offset_cosines = rotary_.table.OffsetCosines(offset_);
    return {cosines_, sines_, offset_cosines, offset_cosines + rotary_.pairs};
  }

  const Rotary& rotary_;
  Anchor anchor_;
  std::size_t offset_ = 0;  // from the anchor to the token
  double position_[POSENC_MAX_AXES] = {};
  Token token_{};
  alignas(64) double multiples_[kTurnBuffer];  // across lines of a cache loads take twice as long
  alignas(64) double cosines_[kTurnBuffer];    // of the anchor
  alignas(64) double sines_[kTurnBuffer];
};

// The turns of a token's heads, as they take them.
class HeadTurns : private TokenTurns {
 public:
  explicit HeadTurns(const Rotary& rotary) : TokenTurns(rotary) {
    if (rotary.arithmetic != POSENC_EXACT) return;
    shared_.exact.open.Clear();
    ClearPadding(cosines_, sines_);
    if (rotary.pairs <= kMaxAddedPairs) ClearPadding(shared_.exact.cosines, shared_.exact.sines);
  }

  Tally Take(const TokenPositions& positions, std::size_t t) {
    const Tally tally = TokenTurns::Take(positions, t);
    are_placed_ = false;
    angles_ = {cosines_, sines_, true};
    if (offset_ != 0 && rotary_.arithmetic == POSENC_EXACT) {
      angles_ = {shared_.exact.cosines, shared_.exact.sines, false};
      rotary_.kernels->add(Added(), rotary_.pairs, shared_.exact.cosines, shared_.exact.sines);
    }
    return tally;
  }

  Tally Rotate(posenc_type type, const Gain& gain, const Heads& heads) {
    Tally tally;
    if (rotary_.arithmetic == POSENC_FAST) {
      tally = TakeFloats(gain);
      rotary_.kernels->fast[type][heads.pairing](shared_.floats.cosines, shared_.floats.sines, heads);
      return tally;
    }
    if (!(gain == gain_)) {
      tally += Close(type);
      gain_ = gain;
      are_placed_ = false;
    }
    if (!are_placed_) {
      rotary_.kernels->place[type][heads.pairing](angles_.cosines, angles_.sines, heads.pairs, gain,
                                                  shared_.exact.turns);
    }
    are_placed_ = true;
    tally += rotary_.kernels->exact[type][heads.pairing]({rotary_.table.frequencies, token_, gain}, angles_,
                                                         shared_.exact.turns, heads, shared_.exact.open);
    return tally;
  }

  // Whatever Rotate has left open.
  Tally Close(posenc_type type) {
    Tally tally;
    const bool has_open = rotary_.arithmetic == POSENC_EXACT && shared_.exact.open.count != 0;
    if (has_open) rotary_.kernels->close(type, rotary_.table.frequencies, gain_, shared_.exact.open, tally);
    return tally;
  }

 private:
  struct Floats {
    alignas(64) float cosines[kTurnBuffer];
    alignas(64) float sines[kTurnBuffer];
  };
  struct Exact {
    OpenPairs open;
    PlacedTurnsRoom turns;
    alignas(64) double cosines[kMaxAddedPairs + kTurnPadding];
    alignas(64) double sines[kMaxAddedPairs + kTurnPadding];
  };
  union Shared {  // of the exact arithmetic or the fast one: stack is scarce
    Exact exact;
    Floats floats;
  };

  // Up to the end of the longest vector that the last pair is in: it is read, and nothing depends on it.
  template <class T>
  void ClearPadding(T* cosines, T* sines) const {
    const std::size_t rest = rotary_.pairs % kTurnPadding;
    if (rest == 0) return;
    std::memset(cosines + rotary_.pairs, 0, (kTurnPadding - rest) * sizeof(T));
    std::memset(sines + rotary_.pairs, 0, (kTurnPadding - rest) * sizeof(T));
  }

  Tally TakeFloats(const Gain& gain) {
    if (are_placed_ && gain == gain_) return {};
    gain_ = gain;
    are_placed_ = true;
    const Tally tally = Round(POSENC_F32, gain, shared_.floats.cosines, shared_.floats.sines);
    ClearPadding(shared_.floats.cosines, shared_.floats.sines);
    return tally;
  }

  TokenAngles angles_{};     // of the token, for the exact arithmetic
  Gain gain_{};              // of what is shared by tensors
  bool are_placed_ = false;  // the turns of the token
  Shared shared_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ROTARY_TURNS_H_
