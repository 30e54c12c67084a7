// Goes through the tokens of a rotary's call. The cosines and sines of a token are computed, or loaded from a
// cache, once for all heads of all tensors.
#include "number/exact.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "call/angles.h"
#include "call/cache_rows.h"
#include "call/norm.h"
#include "call/rotary.h"
#include "call/token_heads.h"
#include "kernel/head_norm.h"
#include "kernel/heads.h"
#include "kernel/rotate_token.h"
#include "number/compiler.h"
#include "number/fp_state.h"
#include "number/memory_thresholds.h"

namespace posenc {
namespace internal {
namespace {

// Guesses from the size of all tensors which cache holds them. A source counts if its type differs.
Cached WhatCaches(const Rotary& rotary, const Tensors& tensors, std::size_t tokens) {
  std::size_t head_bytes = 0;  // of all heads with one element each
  for (const posenc_heads& tensor : tensors) {
    const std::size_t read = tensor.type == tensors.source_type ? 0 : ElementSize(tensors.source_type);
    head_bytes += tensor.heads * (ElementSize(tensor.type) + read);
  }
  const std::size_t bytes = tokens * head_bytes * rotary.head_dim;
  if (bytes <= kCoreBytes) return Cached::kByCore;
  return bytes < kSharedBytes ? Cached::kByShared : Cached::kNowhere;
}

// A rotation that evaluates the angles of each token, or has exact arithmetic and angles that are ready.
class ByAngles {
 public:
  // One of the two is null.
  ByAngles(const Rotary& rotary, posenc_type from, const TokenPositions* positions, const TokensOfStep* ready)
      : rotary_(rotary),
        positions_(positions),
        ready_(ready),
        rotation_(rotary.kernels, rotary.table, rotary.arithmetic, from) {}

  void Begin(std::size_t t) {
    if (ready_ != nullptr) return rotation_.Begin(ready_->At(t, rotary_));
    double position[POSENC_MAX_AXES];
    positions_->At(t, position);
    rotation_.Begin(position);
  }
  void ReadAs(posenc_type from) { rotation_.ReadAs(from); }
  void Prepare(const Gain& gain, posenc_pairing pairing) { rotation_.Prepare(gain, pairing); }
  void Rotate(const Gain& gain, const Heads& heads) { rotation_.Rotate(gain, heads); }
  void RotateNormed(const Gain& gain, const Heads& heads, const FastFactors& norm) {
    rotation_.RotateNormed(gain, heads, norm);
  }
  void End() { rotation_.End(); }
  const Tally& tally() const { return rotation_.tally(); }

 private:
  const Rotary& rotary_;
  const TokenPositions* positions_;
  const TokensOfStep* ready_;
  HeadRotation rotation_;
};

// Buffers for cosines and sines [kPairBuffer] each.
struct FloatBuffers {
  float* cosines;
  float* sines;
};

// A rotation in float arithmetic by numbers that are ready: by rows of the caller's cache, or by angles.
class ByFloats {
 public:
  // One of `rows` and `ready` is null.
  ByFloats(const Rotary& rotary, posenc_type from, const CacheRows* rows, const TokensOfStep* ready,
           const FloatBuffers& buffers)
      : rotary_(rotary), from_(from), rows_(rows), ready_(ready), buffers_(buffers) {
    if (rows != nullptr) cache_.emplace(rotary, rows->cache, from);
  }

  void Begin(std::size_t t) {
    token_ = t;
    loaded_.amplitude = 0.0;
  }
  void ReadAs(posenc_type from) { from_ = from; }
  void Prepare(const Gain& gain, posenc_pairing /*pairing*/) {
    if (!(gain == loaded_)) Load(gain);
  }
  void Rotate(const Gain& gain, const Heads& heads) {
    if (!(gain == loaded_)) Load(gain);
    RotateByFloats(rotary_.kernels, from_, floats_.cosines, floats_.sines, heads);
  }
  void RotateNormed(const Gain& gain, const Heads& heads, const FastFactors& norm) {
    if (!(gain == loaded_)) Load(gain);
    rotary_.kernels->norm.rotate[heads.pairing](floats_.cosines, floats_.sines, heads, norm);
  }
  void End() {}

 private:
  void Load(const Gain& gain) {
    loaded_.Copy(gain);
    const auto [cosines, sines] = buffers_;
    floats_ = ready_ == nullptr ? cache_->Load(rows_->At(token_), gain, cosines, sines)
                                : FloatsOf(rotary_.kernels, rotary_.table, ready_->At(token_, rotary_), gain,
                                           cosines, sines);
  }

  const Rotary& rotary_;
  posenc_type from_;
  const CacheRows* rows_;
  const TokensOfStep* ready_;
  std::optional<CacheAccess> cache_;  // of the rows
  FloatBuffers buffers_;
  std::size_t token_ = 0;
  Gain loaded_{};          // the gain of floats_; no gain has an amplitude of 0
  SinCosFloats floats_{};  // the token's, times the gain
};

Gain GainOf(const posenc_heads& tensor, std::size_t t, double amplitude) {
  return {amplitude, ScaleOf(tensor), FactorOf(tensor, t), tensor.inverse != 0};
}

// Rotates the heads of all tensors, token by token: all heads of a token share its cosines and sines.
template <class Rotation>
void RotateTokens(const Rotary& rotary, const Tensors& tensors, std::size_t tokens, double amplitude,
                  Rotation& rotation, Tally* tally) {
  const Cached cached = WhatCaches(rotary, tensors, tokens);
  for (std::size_t t = 0; t < tokens; ++t) {
    rotation.Begin(t);
    for (const posenc_heads& tensor : tensors) {
      if (tensor.heads == 0) continue;
      TokenHeads(rotary, tensor, tokens, cached).Rotate(t, GainOf(tensor, t, amplitude), rotation, tally);
    }
  }
  rotation.End();
}

// The same for heads of several pieces, if tensors have norms. The mean of a head must be known before any
// piece of the head is overwritten. So such heads are rotated one by one, piece by piece, with angles of
// their own for each piece. with(piece, work) calls work(rotation) with a rotation of the piece.
template <class With>
POSENC_NOINLINE void RotateInPieces(const Rotary& rotary, const Tensors& tensors, std::size_t tokens,
                                    const With& with, Tally* tally) {
  const Cached cached = WhatCaches(rotary, tensors, tokens);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (const posenc_heads& tensor : tensors) {
      const TokenHeads all(rotary, tensor, tokens, cached);
      std::size_t first = 0;
      if (tensor.heads == 0 || !all.Find(t, &first)) continue;
      const Gain gain = GainOf(tensor, t, rotary.table.amplitude);
      // Without a norm, the heads of the token are one unit.
      HeadNorm norm = all.NormOf(t, all.At(first));
      const std::size_t units = tensor.norm == nullptr ? 1 : tensor.heads;
      for (std::size_t unit = 0; unit < units; ++unit) {
        ForEachPiece(rotary, [&](const Rotary& piece) {
          with(piece, [&](auto& rotation) {
            const TokenHeads part(piece, tensor, tokens, cached);
            rotation.Begin(t);
            if (tensor.norm == nullptr) {
              part.Rotate(t, gain, rotation, tally);
            } else {
              rotation.ReadAs(POSENC_F32);
              part.RotateGroup(norm, part.At(first), {unit, 1}, gain, rotation);
            }
            rotation.End();
          });
        });
      }
      tally->normalized += norm.recomputed();
    }
  }
}

// Whether a call must go through heads by RotateInPieces.
bool AreInPieces(const Rotary& rotary, const Tensors& tensors) {
  return rotary.pairs > kMaxPiece && HaveNorm(tensors);
}

// One of `positions` and `ready` is null.
Tally WalkByAngles(const Rotary& rotary, const TokenPositions* positions, const TokensOfStep* ready,
                   std::size_t tokens, const Tensors& tensors) {
  // Not a result of InFpState: copies of it read wider words than were just stored, and wait for all stores.
  Tally tally;
  const auto with = [&](const Rotary& piece, const auto& work) {
    ByAngles rotation(piece, tensors.source_type, positions, ready);
    work(rotation);
    tally += rotation.tally();
  };
  // A ByAngles takes most of the stack that a call may use. So there is one in each of two functions, and
  // neither calls the other.
  if (AreInPieces(rotary, tensors)) {
    InFpState([&] {
      RotateInPieces(rotary, tensors, tokens, with, &tally);
      return 0;
    });
  } else {
    InFpState([&] {
      ForEachPiece(rotary, [&](const Rotary& piece) {
        with(piece, [&](ByAngles& rotation) {
          RotateTokens(piece, tensors, tokens, piece.table.amplitude, rotation, &tally);
        });
      });
      return 0;
    });
  }
  return tally;
}

// One of `rows` and `ready` is null. Norms are only with `ready`. (Not inlined, so that its buffers are not
// on the stack of WalkByAngles, too.)
POSENC_NOINLINE void WalkByFloats(const Rotary& rotary, const CacheRows* rows, const TokensOfStep* ready,
                                  std::size_t tokens, const Tensors& tensors) {
  alignas(64) float cosines[kPairBuffer];
  alignas(64) float sines[kPairBuffer];
  InFpState([&] {
    Tally tally;
    const auto with = [&](const Rotary& piece, const auto& work) {
      ByFloats rotation(piece, tensors.source_type, rows, ready, {cosines, sines});
      work(rotation);
    };
    if (AreInPieces(rotary, tensors)) {
      RotateInPieces(rotary, tensors, tokens, with, &tally);
      return 0;
    }
    ForEachPiece(rotary, [&](const Rotary& piece) {
      const double amplitude = rows == nullptr ? piece.table.amplitude : 1.0;
      with(piece,
           [&](ByFloats& rotation) { RotateTokens(piece, tensors, tokens, amplitude, rotation, &tally); });
    });
    return 0;
  });
}

}  // namespace

// Not inlined, because few heads have several pieces, and each walk would have a copy of it.
POSENC_NOINLINE Rotary Rotary::Piece(std::size_t first_pair, std::size_t most) const {
  Rotary piece = *this;
  piece.pairs = std::min(most, pairs - first_pair);
  piece.table.frequencies = table.frequencies.Slice(first_pair, piece.pairs);
  return piece;
}

Tally WalkTokens(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors) {
  return WalkByAngles(rotary, &positions, nullptr, positions.tokens, tensors);
}

void WalkAngles(const Rotary& rotary, const TokensOfStep& ready, std::size_t tokens, const Tensors& tensors) {
  if (rotary.arithmetic == POSENC_EXACT) {
    WalkByAngles(rotary, nullptr, &ready, tokens, tensors);
  } else {
    WalkByFloats(rotary, nullptr, &ready, tokens, tensors);
  }
}

void WalkCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors) {
  WalkByFloats(rotary, &rows, nullptr, tokens, tensors);
}

Tally WalkCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache) {
  Tally tally;
  InFpState([&] {
    ForEachPiece(rotary, [&](const Rotary& piece) { tally += WriteRows(piece, positions, cache); });
    return 0;
  });
  return tally;
}

}  // namespace internal
}  // namespace posenc
