// The angles of a step: cosines and sines of some tokens, made once, by which all layers of a model rotate.
#ifndef POSENC_SRC_CALL_ANGLES_H_
#define POSENC_SRC_CALL_ANGLES_H_

#include <cstddef>

#include "call/checks.h"
#include "call/rotary.h"
#include "kernel/token_angles.h"

namespace posenc {
namespace internal {

// What a handle of angles contains. The angles are in memory of the caller, which Fill writes and nothing
// changes afterwards. For each token there are
//
//   double  the position on the first axis, and padding up to kPositionBytes
//   double  multiples [pairs of the head], if the table has multiples
//   double  cosines and sines [pairs of the head] each
//   float   cosines and sines [pairs of the head] each, if the arithmetic is POSENC_FAST
//   bytes   [PackedBytes] what the exact kernel loads for elements of bfloat16, if it is POSENC_EXACT
//
// Each array has the padding that MakeAngles needs behind it.
class StepAngles {
 public:
  StepAngles(const Rotary& rotary, std::size_t tokens);

  bool AreOf(const Rotary& rotary) const { return rotary_ == &rotary; }
  std::size_t tokens() const { return tokens_; }

  // The bytes of one token, and of all tokens. The bytes of all must fit into the address space.
  std::size_t TokenBytes() const { return token_bytes_; }
  std::size_t ArrayBytes() const { return tokens_ * TokenBytes(); }

  // The memory that Fill has written.
  Bytes Memory() const { return {memory_, ArrayBytes()}; }

  // Makes the angles of all tokens in memory [ArrayBytes()], which must be aligned to 64 bytes.
  void Fill(const TokenPositions& positions, void* memory);

  // The angles of a token, for the pairs of a piece of the rotary.
  ReadyAngles At(std::size_t token, const Rotary& piece) const;

 private:
  AnglesRoom RoomOf(std::size_t token, std::size_t first_pair) const;

  const Rotary* rotary_;
  std::size_t tokens_, token_bytes_;
  std::size_t multiples_, doubles_, floats_;  // the numbers of an array of each kind, with padding, or 0
  unsigned char* memory_ = nullptr;
};

// The angles of a call's tokens: token t has the angles of token first + t.
struct TokensOfStep {
  const StepAngles& angles;
  std::size_t first;

  ReadyAngles At(std::size_t t, const Rotary& piece) const { return angles.At(first + t, piece); }
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ANGLES_H_
