// The heads of one tensor, token by token: where a token's heads are read and written, and how they come to a
// rotation. Heads with a norm are normalized on the way.
#ifndef POSENC_SRC_CALL_TOKEN_HEADS_H_
#define POSENC_SRC_CALL_TOKEN_HEADS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "call/rotary.h"
#include "call/slots.h"
#include "kernel/head_norm.h"
#include "kernel/heads.h"
#include "kernel/rotate_token.h"
#include "number/compiler.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// Passes the heads of one token after another to a rotation (rotary_walk.cc). A rotation is a class with
// these functions:
//
//   ReadAs         says the type of the heads that come next
//   Prepare        makes the token's cosines and sines times a gain. This may take much stack, so it comes
//                  before functions with buffers
//   Rotate         rotates heads; it may leave some of their pairs for later
//   RotateNormed   normalizes and rotates heads in float arithmetic
//   End            stores the pairs that are left
class TokenHeads {
 public:
  TokenHeads(const Rotary& rotary, const posenc_heads& tensor, std::size_t tokens, Cached cached)
      : rotary_(rotary),
        tensor_(tensor),
        types_{tensor.norm == nullptr ? SourceType(tensor) : POSENC_F32, tensor.type},
        source_size_(ElementSize(types_.from)),
        size_(ElementSize(types_.to)),
        cached_(cached) {
    in_place_ = IsInPlace(tensor, tokens);
    is_direct_ = IsAligned(tensor.data, size_) && rotary.from == rotary.to &&
                 (in_place_ || tensor.norm != nullptr || IsAligned(tensor.source, source_size_));
  }

  // Rotates all heads of token t at once. If heads are unaligned, or if the pairing changes, each head is
  // copied to a buffer instead, rotated there, and copied back. If the tensor has slots, but none for this
  // token, nothing is written. If the tensor has a norm, the heads are normalized first. Inlined, because a
  // call of one token takes only a few hundred nanoseconds.
  template <class Rotation>
  POSENC_INLINE void Rotate(std::size_t t, const Gain& gain, Rotation& rotation, Tally* tally) const {
    std::size_t first = 0;
    if (!Find(t, &first)) return;
    Heads heads = At(first);
    // Pairs that are left belong to earlier tokens, which must not be stored after this one.
    if (tensor_.slots != nullptr && MayRepeatSlot(*tensor_.slots, t)) rotation.End();
    rotation.ReadAs(types_.from);
    if (tensor_.norm != nullptr) return NormalizeAndRotate(t, heads, gain, rotation, tally);
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

  // Finds where token t is written: *first becomes its first element, counted from the tensor's data. Returns
  // false if it is not written.
  bool Find(std::size_t t, std::size_t* first) const {
    *first = t * tensor_.token_stride;
    return tensor_.slots == nullptr || FindSlot(*tensor_.slots, t, first);
  }

  // The heads that are written from an element on, and read there too.
  Heads At(std::size_t first) const {
    const std::size_t stride = tensor_.head_stride * size_;
    auto* data = static_cast<unsigned char*>(tensor_.data) + (first + rotary_.offset) * size_;
    return {data,       data,    stride,   stride, tensor_.heads, rotary_.pairs, rotary_.head_pairs,
            rotary_.to, cached_, types_.to};
  }

  // The norm of the tensor, if it has one, for token t, which goes to these heads. If heads are normalized
  // piece by piece, a piece may be overwritten before the next one is read.
  HeadNorm NormOf(std::size_t t, const Heads& heads) const {
    static constexpr posenc_norm kNone = {};
    const posenc_norm& norm = tensor_.norm == nullptr ? kNone : *tensor_.norm;
    const posenc_type type = SourceType(tensor_);
    const std::size_t size = ElementSize(type);
    NormSource source = {type, heads.data - rotary_.offset * size_, heads.stride, heads.count,
                         rotary_.head_dim};
    if (!in_place_) {
      source.elements =
          static_cast<const unsigned char*>(tensor_.source) + t * SourceTokenStride(tensor_) * size;
      source.stride = SourceHeadStride(tensor_) * size;
    }
    const bool is_overwritten = in_place_ && (norm.over_heads != 0 || rotary_.head_dim > kNormBuffer);
    return HeadNorm(rotary_.kernels, rotary_.arithmetic, norm, source, is_overwritten);
  }

  // Normalizes a group of heads in a buffer, and rotates them from there. `heads` is from At, and the
  // group is one that HeadsFrom allows. Not inlined, because its buffer takes 4 KB of stack.
  template <class Rotation>
  POSENC_NOINLINE void RotateGroup(HeadNorm& norm, const Heads& heads, NormRange group, const Gain& gain,
                                   Rotation& rotation) const {
    alignas(64) float n[kNormBuffer];
    const std::size_t head_dim = rotary_.head_dim;
    Heads part = heads;
    part.data += group.first * heads.stride;
    part.count = group.count;
    part.source = reinterpret_cast<const unsigned char*>(n);
    part.source_stride = head_dim * sizeof(float);
    part.cached = Cached::kByCore;
    if (head_dim <= kNormBuffer) {
      norm.Normalize(group, {0, head_dim}, n);
      part.source += rotary_.offset * sizeof(float);
      StoreRests(part, gain.factor);
      return RotateNormalized(part, n + rotary_.offset, gain, rotation);
    }
    if (rotary_.First() == 0) StoreLargeRests(norm, part, group, gain.factor, n);
    const std::size_t first = rotary_.offset + FirstElement(rotary_.from);
    if (rotary_.from == POSENC_HALF_SPLIT) {
      norm.Normalize(group, {first, rotary_.pairs}, n);
      norm.Normalize(group, {first + rotary_.head_pairs, rotary_.pairs}, n + rotary_.pairs);
    } else {
      norm.Normalize(group, {first, 2 * rotary_.pairs}, n);
    }
    part.source = reinterpret_cast<const unsigned char*>(n);
    part.data += FirstElement(rotary_.to) * size_;
    RotateNormalized(part, n, gain, rotation);
  }

 private:
  static bool IsAligned(const void* p, std::size_t size) {
    return (reinterpret_cast<std::uintptr_t>(p) & (size - 1)) == 0;
  }

  // The element of a head at which the pairs begin.
  std::size_t FirstElement(posenc_pairing pairing) const {
    return ElementsOf(pairing, rotary_.First(), rotary_.head_pairs).a;
  }

  // Normalizes all heads of token t, group by group, and rotates each group. Not inlined, so that rotations
  // without a norm are as fast as without this code.
  template <class Rotation>
  POSENC_NOINLINE void NormalizeAndRotate(std::size_t t, const Heads& heads, const Gain& gain,
                                          Rotation& rotation, Tally* tally) const {
    HeadNorm norm = NormOf(t, heads);
    rotation.Prepare(gain, heads.pairing);
    const bool at_once = norm.TakesElements() && is_direct_ && types_.to == POSENC_F32 &&
                         rotary_.head_dim == 2 * rotary_.pairs && rotary_.head_dim <= kNormBuffer &&
                         rotary_.pairs % kFastPairs == 0;
    for (NormRange group = {0, 0}; group.first < heads.count; group.first += group.count) {
      group.count = norm.HeadsFrom(group.first, at_once);
      if (at_once) {
        RotateElements(norm, heads, group, gain, rotation);
      } else {
        RotateGroup(norm, heads, group, gain, rotation);
      }
    }
    tally->normalized += norm.recomputed();
  }

  // Normalizes and rotates a group of whole heads in float arithmetic, without a buffer.
  template <class Rotation>
  POSENC_NOINLINE void RotateElements(HeadNorm& norm, const Heads& heads, NormRange group, const Gain& gain,
                                      Rotation& rotation) const {
    alignas(64) float room[kNormBuffer];
    float inverses[kNormHeads];
    const FastFactors factors = norm.Factors(group, room, inverses);
    const NormSource& source = norm.source();
    const Heads part = {source.At(group.first, 0),
                        heads.data + group.first * heads.stride,
                        source.stride,
                        heads.stride,
                        group.count,
                        heads.pairs,
                        heads.apart,
                        heads.pairing,
                        heads.cached,
                        heads.type};
    rotation.RotateNormed(gain, part, factors);
  }

  // Stores the elements of a head that do not rotate, if the head does not fit into the buffer n.
  void StoreLargeRests(HeadNorm& norm, const Heads& heads, NormRange head, float factor, float* n) const {
    const std::size_t after = rotary_.offset + 2 * rotary_.head_pairs;
    for (const NormRange rest : {NormRange{0, rotary_.offset}, NormRange{after, rotary_.head_dim - after}}) {
      for (std::size_t at = 0; at < rest.count; at += kNormBuffer) {
        const NormRange elements = {rest.first + at, std::min(kNormBuffer, rest.count - at)};
        norm.Normalize(head, elements, n);
        unsigned char* const to = heads.data + (elements.first - rotary_.offset) * size_;
        StoreRest(rotary_.kernels, types_, n, elements.count, factor, to);
      }
    }
  }

  // Rotates normalized heads, whose pairs begin at n, which is heads.source: at once, or one by one in the
  // buffer where they are. There, half-split elements are `pairs` apart.
  template <class Rotation>
  void RotateNormalized(const Heads& heads, float* n, const Gain& gain, Rotation& rotation) const {
    if (is_direct_ && heads.apart == rotary_.pairs) {
      rotation.Rotate(gain, heads);
    } else {
      RotateInTheirBuffer(heads, n, gain, rotation);
    }
  }

  template <class Rotation>
  POSENC_NOINLINE void RotateInTheirBuffer(const Heads& heads, float* n, const Gain& gain,
                                           Rotation& rotation) const {
    alignas(64) unsigned char short_results[2 * kMaxPiece * sizeof(std::uint16_t)];
    for (std::size_t h = 0; h < heads.count; ++h, n += rotary_.head_dim) {
      auto* const elements = reinterpret_cast<unsigned char*>(n);
      if (rotary_.from != rotary_.to) ChangePairing(elements);
      unsigned char* const results = types_.to == POSENC_F32 ? elements : short_results;
      rotation.Rotate(gain, Heads{elements, results, 0, 0, 1, heads.pairs, heads.pairs, heads.pairing,
                                  Cached::kByCore, types_.to});
      rotation.End();  // before the next head takes the results' buffer
      Copy(size_, results, heads.pairing, heads.pairs, heads.data + h * heads.stride, heads.apart);
    }
  }

  // Brings a head's pairs of floats into the pairing that is written. Not inlined, so that its buffer is not
  // on the stack while the head is rotated.
  POSENC_NOINLINE void ChangePairing(unsigned char* elements) const {
    unsigned char changed[2 * kMaxPiece * sizeof(float)];
    Copy(sizeof(float), elements, rotary_.from, rotary_.pairs, changed, rotary_.pairs);
    std::memcpy(elements, changed, 2 * rotary_.pairs * sizeof(float));
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
  ElementTypes types_;              // of what rotates and of results; after a norm float32 rotates
  std::size_t source_size_, size_;  // of an element
  Cached cached_;
  bool in_place_, is_direct_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_TOKEN_HEADS_H_
