// Goes through the tokens of a rotary's call. The cosines and sines of a token are computed, or loaded from a
// cache, once for all heads of all tensors.
#include "number/exact.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "call/cache_rows.h"
#include "call/rotary_sincos.h"
#include "number/compiler.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

// Guesses from the size of all tensors which cache holds them. Kernels prefetch far ahead if no cache does.
// On a Zen 4 with 32 MB of L3, that made calls with 20 MB 1.3 times as fast, but calls with 10 MB only 0.84
// times as fast.
Cached WhatCaches(const Rotary& rotary, const Tensors& tensors, std::size_t tokens) {
  std::size_t heads = 0;
  for (std::size_t i = 0; i < tensors.count; ++i) heads += tensors.heads[i].heads;
  const std::size_t bytes = tokens * heads * rotary.head_dim * ElementSize(tensors.type);
  if (bytes <= std::size_t{1} << 20) return Cached::kByCore;
  return bytes < std::size_t{16} << 20 ? Cached::kByShared : Cached::kNowhere;
}

// Gives the heads of a tensor to a rotation, token by token.
class TokenHeads {
 public:
  TokenHeads(const Rotary& rotary, posenc_type type, const posenc_heads& tensor, std::size_t tokens,
             Cached cached)
      : rotary_(rotary), tensor_(tensor), size_(ElementSize(type)), cached_(cached) {
    in_place_ = IsInPlace(tensor, tokens);
    is_direct_ =
        IsAligned(tensor.data) && (in_place_ || IsAligned(tensor.source)) && rotary.from == rotary.to;
  }

  // Calls rotate(heads, false) for all heads of token t at once. If heads are unaligned, or if the pairing
  // changes, each head is copied to a buffer and back instead. Then rotate(head, true) is called for each
  // head, and must leave no pair for later.
  template <class Rotate>
  void ForToken(std::size_t t, const Rotate& rotate) const {
    const std::size_t stride = tensor_.head_stride * size_;
    auto* data =
        static_cast<unsigned char*>(tensor_.data) + (t * tensor_.token_stride + rotary_.offset) * size_;
    Heads heads = {data,       data,   stride, stride, tensor_.heads, rotary_.pairs, rotary_.head_pairs,
                   rotary_.to, cached_};
    if (!in_place_) {
      heads.source = static_cast<const unsigned char*>(tensor_.source) +
                     (t * SourceTokenStride(tensor_) + rotary_.offset) * size_;
      heads.source_stride = SourceHeadStride(tensor_) * size_;
      if (rotary_.First() == 0) CopyRest(heads);
    }
    heads.source += FirstElement(rotary_.from) * size_;
    heads.data += FirstElement(rotary_.to) * size_;
    if (is_direct_) {
      rotate(heads, false);
    } else {
      ForEachInBuffer(heads, rotate);
    }
  }

 private:
  bool IsAligned(const void* p) const { return (reinterpret_cast<std::uintptr_t>(p) & (size_ - 1)) == 0; }

  // The element of a head at which the pairs begin.
  std::size_t FirstElement(posenc_pairing pairing) const {
    return ElementsOf(pairing, rotary_.First(), rotary_.head_pairs).a;
  }

  // Not inlined, because its buffer takes 4 KB of stack, which calls without a buffer should not need.
  template <class Rotate>
  POSENC_NOINLINE void ForEachInBuffer(const Heads& heads, const Rotate& rotate) const {
    alignas(64) unsigned char buffer[2 * kMaxPiece * sizeof(float)];
    for (std::size_t h = 0; h < heads.count; ++h) {
      Copy(heads.source + h * heads.source_stride, rotary_.from, heads.apart, buffer, heads.pairs);
      rotate(Heads{buffer, buffer, 0, 0, 1, heads.pairs, heads.pairs, heads.pairing, Cached::kByCore}, true);
      Copy(buffer, heads.pairing, heads.pairs, heads.data + h * heads.stride, heads.apart);
    }
  }

  // Copies pairs from one pairing into the pairing that is written. In half-split pairing, `apart` and
  // `apart_to` are the distances between the two elements of a pair.
  void Copy(const unsigned char* from, posenc_pairing pairing, std::size_t apart, unsigned char* to,
            std::size_t apart_to) const {
    const std::size_t pairs = rotary_.pairs;
    if (pairing == rotary_.to) {
      const std::size_t halves = pairing == POSENC_HALF_SPLIT ? 2 : 1, bytes = 2 * pairs * size_ / halves;
      for (std::size_t k = 0; k < halves; ++k) {
        std::memcpy(to + k * apart_to * size_, from + k * apart * size_, bytes);
      }
      return;
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      const PairIndex old = ElementsOf(pairing, i, apart), now = ElementsOf(rotary_.to, i, apart_to);
      std::memcpy(to + now.a * size_, from + old.a * size_, size_);
      std::memcpy(to + now.b * size_, from + old.b * size_, size_);
    }
  }

  // Copies the elements of a head that do not rotate, before and after the ones that do.
  void CopyRest(const Heads& heads) const {
    const std::size_t before = rotary_.offset * size_, rotated = 2 * rotary_.head_pairs * size_;
    const std::size_t after = rotary_.head_dim * size_ - before - rotated;
    if (before + after == 0) return;
    for (std::size_t h = 0; h < heads.count; ++h) {
      const unsigned char* from = heads.source + h * heads.source_stride;
      unsigned char* to = heads.data + h * heads.stride;
      std::memcpy(to - before, from - before, before);
      std::memcpy(to + rotated, from + rotated, after);
    }
  }

  const Rotary& rotary_;
  const posenc_heads& tensor_;
  std::size_t size_;
  Cached cached_;
  bool in_place_, is_direct_;
};

// Calls rotate(gain, heads, must_complete) for the heads of token t in all tensors (TokenHeads::ForToken).
template <class Rotate>
void ForTensors(const Rotary& rotary, const Tensors& tensors, std::size_t tokens, Cached cached,
                std::size_t t, double amplitude, const Rotate& rotate) {
  for (std::size_t i = 0; i < tensors.count; ++i) {
    const posenc_heads& tensor = tensors.heads[i];
    if (tensor.heads == 0) continue;
    const Gain gain{amplitude, ScaleOf(tensor), tensor.inverse != 0};
    TokenHeads(rotary, tensors.type, tensor, tokens, cached)
        .ForToken(t, [&](const Heads& heads, bool must_complete) { rotate(gain, heads, must_complete); });
  }
}

// Calls walk(rotary). If a head has more pairs than the buffers, calls walk(piece) for each piece of the
// rotary instead.
template <class Walk>
Tally ForEachPiece(const Rotary& rotary, const Walk& walk) {
  if (rotary.pairs <= kMaxPiece) return walk(rotary);
  Tally tally;
  Rotary piece = rotary;
  for (std::size_t first = 0; first < rotary.pairs; first += piece.pairs) {
    piece.pairs = std::min(kMaxPiece, rotary.pairs - first);
    piece.table.frequencies = rotary.table.frequencies.Slice(first, piece.pairs);
    tally += walk(piece);
  }
  return tally;
}

Tally RotateTokens(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors) {
  return InFpState([&] {
    HeadSinCos sin_cos(rotary);
    const Cached cached = WhatCaches(rotary, tensors, positions.tokens);
    Tally tally;
    for (std::size_t t = 0; t < positions.tokens; ++t) {
      tally += sin_cos.Take(positions, t);
      ForTensors(rotary, tensors, positions.tokens, cached, t, rotary.table.scaling.amplitude,
                 [&](const Gain& gain, const Heads& heads, bool must_complete) {
                   tally += sin_cos.Rotate(tensors.type, gain, heads);
                   if (must_complete) tally += sin_cos.Resolve(tensors.type);
                 });
    }
    tally += sin_cos.Resolve(tensors.type);
    return tally;
  });
}

Tally RotateByCache(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors) {
  return InFpState([&] {
    alignas(64) float cosines[kPairBuffer], sines[kPairBuffer];
    const Cached cached = WhatCaches(rotary, tensors, tokens);
    const CacheColumns columns = ColumnsOf(rows.cache.layout, rotary);
    for (std::size_t t = 0; t < tokens; ++t) {
      const CacheRow row(rotary, rows.cache, columns, rows.At(t));
      Gain loaded{};  // the gain of cosines and sines; no tensor has a gain of 0
      ForTensors(rotary, tensors, tokens, cached, t, 1.0, [&](const Gain& gain, const Heads& heads, bool) {
        if (!(gain == loaded)) row.Load(gain, cosines, sines);
        loaded = gain;
        rotary.kernels->fast[tensors.type][heads.pairing](cosines, sines, heads);
      });
    }
    return Tally{};
  });
}

Tally WriteCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache) {
  return InFpState([&] {
    alignas(64) unsigned char cosines[kPairBuffer * sizeof(double)], sines[kPairBuffer * sizeof(double)];
    TokenSinCos sin_cos(rotary);
    const Gain gain{rotary.table.scaling.amplitude, 1.0, false};
    const CacheColumns columns = ColumnsOf(cache.layout, rotary);
    Tally tally;
    for (std::size_t t = 0; t < positions.tokens; ++t) {
      tally += sin_cos.Take(positions, t);
      tally += sin_cos.Round(cache.type, gain, cosines, sines);
      CacheRow(rotary, cache, columns, t).Store(cosines, sines);
    }
    return tally;
  });
}

}  // namespace

Tally WalkTokens(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors) {
  return ForEachPiece(rotary, [&](const Rotary& piece) { return RotateTokens(piece, positions, tensors); });
}

void WalkCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors) {
  ForEachPiece(rotary, [&](const Rotary& piece) { return RotateByCache(piece, rows, tokens, tensors); });
}

Tally WalkCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache) {
  return ForEachPiece(rotary, [&](const Rotary& piece) { return WriteCache(piece, positions, cache); });
}

}  // namespace internal
}  // namespace posenc
