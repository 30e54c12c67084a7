// Goes through the tokens of a rotary's call. The cosines and sines of a token are computed, or loaded from a
// cache, once for all heads of all tensors.
#include "number/exact.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "call/angles.h"
#include "call/cache_rows.h"
#include "call/rotary.h"
#include "call/slots.h"
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

// The heads of a tensor, token by token.
class TokenHeads {
 public:
  TokenHeads(const Rotary& rotary, const posenc_heads& tensor, std::size_t tokens, Cached cached)
      : rotary_(rotary),
        tensor_(tensor),
        types_{SourceType(tensor), tensor.type},
        source_size_(ElementSize(types_.from)),
        size_(ElementSize(types_.to)),
        cached_(cached) {
    in_place_ = IsInPlace(tensor, tokens);
    is_direct_ = IsAligned(tensor.data, size_) && (in_place_ || IsAligned(tensor.source, source_size_)) &&
                 rotary.from == rotary.to;
  }

  // Rotates all heads of token t at once. If heads are unaligned, or if the pairing changes, each head is
  // copied to a buffer instead, rotated there, and copied back. If the tensor has slots, but none for this
  // token, nothing is written.
  template <class Rotation>
  void Rotate(std::size_t t, const Gain& gain, Rotation& rotation) const {
    const std::size_t stride = tensor_.head_stride * size_;
    std::size_t first = t * tensor_.token_stride;
    if (tensor_.slots != nullptr) {
      if (!FindSlot(*tensor_.slots, t, &first)) return;
      // Pairs that are left belong to earlier tokens, which must not be stored after this one.
      if (MayRepeatSlot(*tensor_.slots, t)) rotation.End();
    }
    auto* data = static_cast<unsigned char*>(tensor_.data) + (first + rotary_.offset) * size_;
    Heads heads = {data,       data,    stride,   stride, tensor_.heads, rotary_.pairs, rotary_.head_pairs,
                   rotary_.to, cached_, types_.to};
    if (!in_place_) {
      heads.source = static_cast<const unsigned char*>(tensor_.source) +
                     (t * SourceTokenStride(tensor_) + rotary_.offset) * source_size_;
      heads.source_stride = SourceHeadStride(tensor_) * source_size_;
    }
    if (rotary_.First() != 0) {
      heads.source += FirstElement(rotary_.from) * source_size_;
      heads.data += FirstElement(rotary_.to) * size_;
    } else if (!in_place_ || gain.factor != 1.0f) {
      StoreRests(heads, gain.factor);  // once for each head, with its first piece
    }
    if (is_direct_) {
      rotation.Rotate(gain, heads);
    } else {
      RotateInBuffer(heads, gain, rotation);
    }
  }

 private:
  static bool IsAligned(const void* p, std::size_t size) {
    return (reinterpret_cast<std::uintptr_t>(p) & (size - 1)) == 0;
  }

  // The element of a head at which the pairs begin.
  std::size_t FirstElement(posenc_pairing pairing) const {
    return ElementsOf(pairing, rotary_.First(), rotary_.head_pairs).a;
  }

  // Not inlined, because its buffers take 6 KB of stack, which calls without a buffer should not need.
  template <class Rotation>
  POSENC_NOINLINE void RotateInBuffer(const Heads& heads, const Gain& gain, Rotation& rotation) const {
    alignas(64) unsigned char buffer[2 * kMaxPiece * sizeof(float)];
    alignas(64) unsigned char short_results[2 * kMaxPiece * sizeof(std::uint16_t)];  // if the types differ
    unsigned char* const results = types_.from == types_.to ? buffer : short_results;
    for (std::size_t h = 0; h < heads.count; ++h) {
      Copy(source_size_, heads.source + h * heads.source_stride, rotary_.from, heads.apart, buffer,
           heads.pairs);
      rotation.Rotate(gain, Heads{buffer, results, 0, 0, 1, heads.pairs, heads.pairs, heads.pairing,
                                  Cached::kByCore, types_.to});
      rotation.End();  // before the next head takes the buffers
      Copy(size_, results, heads.pairing, heads.pairs, heads.data + h * heads.stride, heads.apart);
    }
  }

  // Copies pairs of elements of a size from one pairing into the pairing that is written. In half-split
  // pairing, `apart` and `apart_to` are the distances between the two elements of a pair.
  void Copy(std::size_t size, const unsigned char* from, posenc_pairing pairing, std::size_t apart,
            unsigned char* to, std::size_t apart_to) const {
    const std::size_t pairs = rotary_.pairs;
    if (pairing == rotary_.to) {
      const std::size_t halves = pairing == POSENC_HALF_SPLIT ? 2 : 1, bytes = 2 * pairs * size / halves;
      for (std::size_t k = 0; k < halves; ++k) {
        std::memcpy(to + k * apart_to * size, from + k * apart * size, bytes);
      }
      return;
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      const PairIndex old = ElementsOf(pairing, i, apart), now = ElementsOf(rotary_.to, i, apart_to);
      std::memcpy(to + now.a * size, from + old.a * size, size);
      std::memcpy(to + now.b * size, from + old.b * size, size);
    }
  }

  // Stores the elements of heads that do not rotate, before and after the ones that do: converted to the type
  // of the results, and multiplied by the token's factor. Not inlined, because most tensors need it not.
  POSENC_NOINLINE void StoreRests(const Heads& heads, float factor) const {
    const std::size_t before = rotary_.offset, rotated = 2 * rotary_.head_pairs;
    const std::size_t after = rotary_.head_dim - before - rotated;
    if (before + after == 0) return;
    for (std::size_t h = 0; h < heads.count; ++h) {
      const unsigned char* from = heads.source + h * heads.source_stride;
      unsigned char* to = heads.data + h * heads.stride;
      StoreRest(rotary_.kernels, types_, from - before * source_size_, before, factor, to - before * size_);
      StoreRest(rotary_.kernels, types_, from + rotated * source_size_, after, factor, to + rotated * size_);
    }
  }

  const Rotary& rotary_;
  const posenc_heads& tensor_;
  ElementTypes types_;
  std::size_t source_size_, size_;  // of an element
  Cached cached_;
  bool in_place_, is_direct_;
};

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
  void Rotate(const Gain& gain, const Heads& heads) { rotation_.Rotate(gain, heads); }
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
  void Rotate(const Gain& gain, const Heads& heads) {
    if (!(gain == loaded_)) Load(gain);
    RotateByFloats(rotary_.kernels, from_, floats_.cosines, floats_.sines, heads);
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

// Rotates the heads of all tensors, token by token: all heads of a token share its cosines and sines.
template <class Rotation>
void RotateTokens(const Rotary& rotary, const Tensors& tensors, std::size_t tokens, double amplitude,
                  Rotation& rotation) {
  const Cached cached = WhatCaches(rotary, tensors, tokens);
  for (std::size_t t = 0; t < tokens; ++t) {
    rotation.Begin(t);
    for (const posenc_heads& tensor : tensors) {
      if (tensor.heads == 0) continue;
      const Gain gain{amplitude, ScaleOf(tensor), FactorOf(tensor, t), tensor.inverse != 0};
      TokenHeads(rotary, tensor, tokens, cached).Rotate(t, gain, rotation);
    }
  }
  rotation.End();
}

// One of `positions` and `ready` is null.
Tally WalkByAngles(const Rotary& rotary, const TokenPositions* positions, const TokensOfStep* ready,
                   std::size_t tokens, const Tensors& tensors) {
  return InFpState([&] {
    Tally tally;
    ForEachPiece(rotary, [&](const Rotary& piece) {
      ByAngles rotation(piece, tensors.source_type, positions, ready);
      RotateTokens(piece, tensors, tokens, piece.table.amplitude, rotation);
      tally += rotation.tally();
    });
    return tally;
  });
}

// One of `rows` and `ready` is null.
void WalkByFloats(const Rotary& rotary, const CacheRows* rows, const TokensOfStep* ready, std::size_t tokens,
                  const Tensors& tensors) {
  // They are here, because compilers do not inline functions with so much stack.
  alignas(64) float cosines[kPairBuffer];
  alignas(64) float sines[kPairBuffer];
  InFpState([&] {
    ForEachPiece(rotary, [&](const Rotary& piece) {
      ByFloats rotation(piece, tensors.source_type, rows, ready, {cosines, sines});
      RotateTokens(piece, tensors, tokens, rows == nullptr ? piece.table.amplitude : 1.0, rotation);
    });
    return 0;
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
  } else {
    WalkByFloats(rotary, nullptr, &ready, tokens, tensors);
  }
}

void WalkCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors) {
  WalkByFloats(rotary, &rows, nullptr, tokens, tensors);
}

Tally WalkCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache) {
  return InFpState([&] {
    Tally tally;
    ForEachPiece(rotary, [&](const Rotary& piece) { tally += WriteRows(piece, positions, cache); });
    return tally;
  });
}

}  // namespace internal
}  // namespace posenc
