// Goes through the tokens of a rotary's call. The cosines and sines of a token are computed, or loaded from a
// cache, once for all heads of all tensors.
#include "number/exact.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

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
  for (std::size_t i = 0; i < tensors.count; ++i) {
    const posenc_heads& tensor = tensors.heads[i];
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

// A rotation in float arithmetic by numbers that are ready: by rows of the caller's cache, or by angles.
class ByFloats {
 public:
  ByFloats(const Rotary& rotary, posenc_type from, const CacheRows& rows, const CacheAccess& cache)
      : rotary_(rotary), from_(from), rows_(&rows), cache_(&cache) {}
  ByFloats(const Rotary& rotary, posenc_type from, const TokensOfStep& ready)
      : rotary_(rotary), from_(from), ready_(&ready) {}

  void Begin(std::size_t t) {
    token_ = t;
    loaded_ = {};
  }
  void ReadAs(posenc_type from) { from_ = from; }
  void Rotate(const Gain& gain, const Heads& heads) {
    if (!(gain == loaded_)) Load(gain);
    RotateByFloats(rotary_.kernels, from_, floats_.cosines, floats_.sines, heads);
  }
  void RotateNormed(const Gain& gain, const Heads& heads, const FastFactors& norm) {
    if (!(gain == loaded_)) Load(gain);
    rotary_.kernels->norm.rotate[heads.pairing](floats_.cosines, floats_.sines, heads, norm);
  }
  void End() {}
  Tally tally() const { return {}; }

 private:
  void Load(const Gain& gain) {
    loaded_ = gain;
    floats_ = ready_ == nullptr ? cache_->Load(rows_->At(token_), gain, cosines_, sines_)
                                : FloatsOf(rotary_.kernels, rotary_.table, ready_->At(token_, rotary_), gain,
                                           cosines_, sines_);
  }

  const Rotary& rotary_;
  posenc_type from_;
  const CacheRows* rows_ = nullptr;
  const CacheAccess* cache_ = nullptr;
  const TokensOfStep* ready_ = nullptr;
  std::size_t token_ = 0;
  Gain loaded_{};          // the gain of floats_; no tensor has a gain of 0
  SinCosFloats floats_{};  // the token's, times the gain
  alignas(64) float cosines_[kPairBuffer];
  alignas(64) float sines_[kPairBuffer];
};

Gain GainOf(const posenc_heads& tensor, std::size_t t, double amplitude) {
  return {amplitude, ScaleOf(tensor), FactorOf(tensor, t), tensor.inverse != 0};
}

// Rotates the heads of all tensors, token by token: all heads of a token share its cosines and sines.
template <class Rotation>
Tally RotateTokens(const Rotary& rotary, const Tensors& tensors, std::size_t tokens, double amplitude,
                   Rotation& rotation) {
  const Cached cached = WhatCaches(rotary, tensors, tokens);
  Tally tally;
  for (std::size_t t = 0; t < tokens; ++t) {
    rotation.Begin(t);
    for (std::size_t i = 0; i < tensors.count; ++i) {
      const posenc_heads& tensor = tensors.heads[i];
      if (tensor.heads == 0) continue;
      TokenHeads(rotary, tensor, tokens, cached).Rotate(t, GainOf(tensor, t, amplitude), rotation, tally);
    }
  }
  rotation.End();
  tally += rotation.tally();
  return tally;
}

// The same for heads of several pieces, if tensors have norms. The mean of a head must be known before any
// piece of the head is overwritten. So such heads are rotated one by one, piece by piece, with angles of
// their own for each piece. with(piece, work) calls work(rotation) with a rotation of the piece.
template <class With>
Tally RotateInPieces(const Rotary& rotary, const Tensors& tensors, std::size_t tokens, const With& with) {
  const Cached cached = WhatCaches(rotary, tensors, tokens);
  const double amplitude = rotary.table.amplitude;
  Tally tally;
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t i = 0; i < tensors.count; ++i) {
      const posenc_heads& tensor = tensors.heads[i];
      const TokenHeads all(rotary, tensor, tokens, cached);
      std::size_t first = 0;
      if (tensor.heads == 0 || !all.Find(t, &first)) continue;
      const Gain gain = GainOf(tensor, t, amplitude);
      // Without a norm, the heads of the token are one unit.
      HeadNorm norm = all.NormOf(t, all.At(first));
      const std::size_t units = tensor.norm == nullptr ? 1 : tensor.heads;
      for (std::size_t unit = 0; unit < units; ++unit) {
        tally += ForEachPiece(rotary, [&](const Rotary& piece) {
          return with(piece, [&](auto& rotation) {
            const TokenHeads part(piece, tensor, tokens, cached);
            Tally of_part;
            rotation.Begin(t);
            if (tensor.norm == nullptr) {
              part.Rotate(t, gain, rotation, of_part);
            } else {
              rotation.ReadAs(POSENC_F32);
              part.RotateGroup(norm, part.At(first), {unit, 1}, gain, rotation);
            }
            rotation.End();
            of_part += rotation.tally();
            return of_part;
          });
        });
      }
      tally.normalized += norm.recomputed();
    }
  }
  return tally;
}

// Whether a call must go through heads by RotateInPieces.
bool AreInPieces(const Rotary& rotary, const Tensors& tensors) {
  return rotary.pairs > kMaxPiece && HaveNorm(tensors);
}

// One of `positions` and `ready` is null.
Tally WalkByAngles(const Rotary& rotary, const TokenPositions* positions, const TokensOfStep* ready,
                   std::size_t tokens, const Tensors& tensors) {
  if (AreInPieces(rotary, tensors)) {
    return InFpState([&] {
      return RotateInPieces(rotary, tensors, tokens, [&](const Rotary& piece, const auto& work) {
        ByAngles rotation(piece, tensors.source_type, positions, ready);
        return work(rotation);
      });
    });
  }
  return ForEachPiece(rotary, [&](const Rotary& piece) {
    return InFpState([&] {
      ByAngles rotation(piece, tensors.source_type, positions, ready);
      return RotateTokens(piece, tensors, tokens, piece.table.amplitude, rotation);
    });
  });
}

}  // namespace

// Not inlined, because few heads have several pieces, and each walk would have a copy of it.
POSENC_NOINLINE Rotary Rotary::Piece(std::size_t first_pair) const {
  Rotary piece = *this;
  piece.pairs = std::min(kMaxPiece, pairs - first_pair);
  piece.table.frequencies = table.frequencies.Slice(first_pair, piece.pairs);
  return piece;
}

Tally WalkTokens(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors) {
  return WalkByAngles(rotary, &positions, nullptr, positions.tokens, tensors);
}

void WalkAngles(const Rotary& rotary, const TokensOfStep& ready, std::size_t tokens, const Tensors& tensors) {
  if (rotary.arithmetic == POSENC_EXACT) {
    WalkByAngles(rotary, nullptr, &ready, tokens, tensors);
    return;
  }
  if (AreInPieces(rotary, tensors)) {
    InFpState([&] {
      return RotateInPieces(rotary, tensors, tokens, [&](const Rotary& piece, const auto& work) {
        ByFloats rotation(piece, tensors.source_type, ready);
        return work(rotation);
      });
    });
    return;
  }
  ForEachPiece(rotary, [&](const Rotary& piece) {
    return InFpState([&] {
      ByFloats rotation(piece, tensors.source_type, ready);
      return RotateTokens(piece, tensors, tokens, piece.table.amplitude, rotation);
    });
  });
}

void WalkCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors) {
  ForEachPiece(rotary, [&](const Rotary& piece) {
    return InFpState([&] {
      const CacheAccess cache(piece, rows.cache, tensors.source_type);
      ByFloats rotation(piece, tensors.source_type, rows, cache);
      return RotateTokens(piece, tensors, tokens, 1.0, rotation);
    });
  });
}

Tally WalkCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache) {
  return ForEachPiece(rotary, [&](const Rotary& piece) {
    return InFpState([&] { return WriteRows(piece, positions, cache); });
  });
}

}  // namespace internal
}  // namespace posenc
