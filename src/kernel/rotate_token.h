// Rotates the heads of one token after another. A rotation has a protocol: begin a token, rotate its heads,
// and end. HeadRotation calls the kernels of a target (rotary_kernels.h) in the right order. It also calls
// the scalar reference, which has no such kernels: a null pointer stands for it.
#ifndef POSENC_SRC_KERNEL_ROTATE_TOKEN_H_
#define POSENC_SRC_KERNEL_ROTATE_TOKEN_H_

#include <cstddef>
#include <new>

#include "frequency/rotary_table.h"
#include "kernel/heads.h"
#include "kernel/norm_rows.h"
#include "kernel/rotary_kernels.h"
#include "kernel/rotary_reference.h"
#include "kernel/token_angles.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// Rotates a token's heads, whose elements have the type `from`, in float arithmetic (POSENC_FAST), by cosines
// and sines of the caller, [pairs] and finite numbers up to kVectorPadding more.
inline void RotateByFloats(const RotaryKernels* kernels, posenc_type from, const float* cosines,
                           const float* sines, const Heads& heads) {
  if (kernels == nullptr) return ReferenceFast(from, heads, cosines, sines);
  kernels->fast[IndexOf({from, heads.type})][heads.pairing](cosines, sines, heads);
}

// to [count] = from [count] as floats, for bfloat16 and float16.
void WidenToFloats(const RotaryKernels* kernels, posenc_type type, const void* from, std::size_t count,
                   float* to);

// to [count] = from [count] * factor, rounded once, for elements that do not rotate. Any alignment. NaNs
// become the canonical one, unless the types are equal and the factor is 1.
void StoreRest(const RotaryKernels* kernels, ElementTypes types, const void* from, std::size_t count,
               float factor, void* to);

// Rotates the heads of one token after another. Elements have one type until ReadAs says another one; each
// tensor has a type of results.
class HeadRotation : private AnchorAngles {
 public:
  HeadRotation(const RotaryKernels* kernels, const RotaryTable& table, posenc_arithmetic arithmetic,
               posenc_type from);

  // Goes on to the token at a position [axes].
  void Begin(const double* position);

  // Goes on to a token whose angles are ready, in exact arithmetic. They must stay until the next Begin.
  void Begin(const ReadyAngles& ready);

  // Elements of the heads that come next have this type. Results do not depend on the type of other heads.
  void ReadAs(posenc_type from) {
    if (from != from_) ChangeType(from);
  }

  // Makes the token's cosines and sines times a gain, for results in a pairing. Rotate does so, too, but then
  // all stack that its caller uses is taken.
  void Prepare(const Gain& gain, posenc_pairing pairing);

  // Rotates heads of the token. It may leave some of their pairs for later: then it keeps addresses of the
  // heads until End.
  void Rotate(const Gain& gain, const Heads& heads);

  // Normalizes and rotates heads of float32 in float arithmetic (NormKernels). There must be kernels.
  void RotateNormed(const Gain& gain, const Heads& heads, const FastFactors& norm);

  // Stores the pairs that are left. The next Rotate may follow.
  void End();

  using AnchorAngles::tally;

 private:
  struct Floats {
    alignas(64) float cosines[kPairBuffer];
    alignas(64) float sines[kPairBuffer];
  };
  struct Exact {
    UndecidedPairs undecided;
    alignas(64) unsigned char packed[PackedBytes(POSENC_F32, kMaxPiece)];
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

  // Whether tier 1 flushes subnormal numbers to 0.
  enum class Flushing { kNotYet, kOn, kNoMore };

  void ChangeType(posenc_type from);
  void Pack(const Gain& gain, posenc_pairing pairing);
  void RotateExactly(const Heads& whole);
  std::size_t CountLastPairs(const Heads& heads) const;
  PairCursor RotateFlushing(Rotation& rotation, const Heads& heads, PairCursor at);
  void NoticeSubnormals();
  void RotateLastPairs(const Heads& heads, std::size_t last);
  void Resolve();
  std::size_t PairsPerPass(posenc_pairing pairing);

  posenc_arithmetic arithmetic_;
  posenc_type from_;       // the type of the elements
  TokenAngles angles_{};   // the token's cosines and sines, in exact arithmetic
  Gain gain_{};            // what the packed cosines and sines were multiplied by
  Subnormals subnormals_;  // in exact arithmetic
  Flushing flushing_ = Flushing::kNotYet;
  bool is_packed_ = false;        // whether the token's cosines and sines times gain_ are packed
  const void* ready_ = nullptr;   // packed for bfloat16 when the angles were made, or null
  const void* packed_ = nullptr;  // packed for exact arithmetic: in shared_, or ready_
  std::size_t pass_ = 0;          // the pairs that the first tier takes at once; 0 if not yet known
  Shared shared_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ROTATE_TOKEN_H_
