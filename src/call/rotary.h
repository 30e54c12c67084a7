// What a rotary's handle contains, and the calls of a rotary. Each call checks its arguments, then goes
// through its tokens one by one.
#ifndef POSENC_SRC_CALL_ROTARY_H_
#define POSENC_SRC_CALL_ROTARY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "call/call.h"
#include "call/checks.h"
#include "frequency/rotary_table.h"
#include "kernel/heads.h"
#include "kernel/rotary_kernels.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_cache_c.h"

namespace posenc {
namespace internal {

// A rotary, or a piece of one: if a head has more pairs than fit into buffers on the stack, calls rotate the
// head piece by piece, each with some of the pairs.
struct Rotary {
  std::size_t head_dim;
  std::size_t offset;      // the first element of a head that rotates
  std::size_t pairs;       // the pairs of this piece
  std::size_t head_pairs;  // the pairs of the whole head
  std::size_t axes;
  posenc_pairing from, to;  // the pairing of the elements that are read, and of the ones that are written
  posenc_arithmetic arithmetic;
  std::int64_t target;
  const RotaryKernels* kernels;  // null: the reference
  RotaryTable table;

  // The pair of the head at which this piece begins.
  std::size_t First() const { return table.frequencies.first; }

  // The piece of this rotary that begins at a pair: `most` pairs, or the rest.
  Rotary Piece(std::size_t first_pair, std::size_t most) const;
};

// Calls walk(rotary). If a head has more pairs than the buffers, `most`, calls walk(piece) for each piece of
// the rotary instead. There is one call of `walk`, so that compilers inline it.
template <class Walk>
void ForEachPiece(const Rotary& rotary, const Walk& walk, std::size_t most = kMaxPiece) {
  const bool is_whole = rotary.pairs <= most;
  Rotary piece;
  for (std::size_t first = 0; first < rotary.pairs; first += most) {
    if (!is_whole) piece = rotary.Piece(first, most);
    walk(is_whole ? rotary : piece);
  }
}

class StepAngles;  // call/angles.h
struct TokensOfStep;

// The positions of a call's tokens: a list [axes, tokens], or first, first + 1, ... on all axes.
struct TokenPositions {
  std::int64_t first;
  List list;
  std::size_t axes;
  std::size_t tokens;

  // Sets position [axes] to the position of a token.
  void At(std::size_t token, double* position) const {
    for (std::size_t k = 0; k < axes; ++k) {
      position[k] = list.IsNull() ? static_cast<double>(first + static_cast<std::int64_t>(token))
                                  : list.AsDouble(k * tokens + token);
    }
  }
};

// The type of a tensor's elements that are read; a source_type of 0 means the type of the result.
inline posenc_type SourceType(const posenc_heads& heads) {
  return heads.source_type == posenc_type{} ? heads.type : heads.source_type;
}

// The tensors of a call. All have the same tokens. The checks (rotary_checks.cc) make sure that all are read
// as the same type.
struct Tensors {
  Tensors(const posenc_heads* tensors, std::size_t how_many)
      : source_type(tensors == nullptr || how_many == 0 ? POSENC_F32 : SourceType(*tensors)),
        heads(tensors),
        count(how_many) {}

  const posenc_heads* begin() const { return heads; }
  const posenc_heads* end() const { return heads + count; }

  posenc_type source_type;
  const posenc_heads* heads;  // [count]
  std::size_t count;
};

// Members of posenc_heads in which 0 means a default: their values.
inline std::size_t SourceTokenStride(const posenc_heads& heads) {
  return heads.source_token_stride == 0 ? heads.token_stride : heads.source_token_stride;
}
inline std::size_t SourceHeadStride(const posenc_heads& heads) {
  return heads.source_head_stride == 0 ? heads.head_stride : heads.source_head_stride;
}
inline double ScaleOf(const posenc_heads& heads) { return heads.scale == 0.0 ? 1.0 : heads.scale; }
inline float FactorOf(const posenc_heads& heads, std::size_t token) {
  float factor = 1.0f;
  if (heads.token_factors != nullptr)
    std::memcpy(&factor, heads.token_factors + token, sizeof(factor));  // the array may have any alignment
  return factor;
}
// Whether each head is written where it was read. The strides do not matter if there is only one token, or
// one head. A tensor with two types is never in place, because it needs a source. Nor are heads with slots.
inline bool IsInPlace(const posenc_heads& heads, std::size_t tokens) {
  if (SourceType(heads) != heads.type) return false;
  return heads.source == nullptr || (heads.source == heads.data && heads.slots == nullptr &&
                                     (tokens < 2 || SourceTokenStride(heads) == heads.token_stride) &&
                                     (heads.heads < 2 || SourceHeadStride(heads) == heads.head_stride));
}

// Which row of the caller's cache a token t uses: row list[t], or first + t without a list.
struct CacheRows {
  const posenc_const_cache& cache;
  std::int64_t first;
  List list;  // [tokens] or null

  std::size_t At(std::size_t token) const {
    return static_cast<std::size_t>(list.IsNull() ? first + static_cast<std::int64_t>(token) : list[token]);
  }
};

// Each call checks every argument before it writes anything. If a value of a list is wrong, *bad_index is the
// index of the first wrong value; bad_index may be null.
posenc_status CallRotate(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors,
                         std::size_t* bad_index);
posenc_status CallRotateCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens,
                               const Tensors& tensors, std::size_t* bad_index);
posenc_status CallRotateByAngles(const Rotary& rotary, const StepAngles& angles, std::int64_t first,
                                 std::size_t tokens, const Tensors& tensors);
posenc_status CallWriteCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache,
                             std::size_t* bad_index);

// Checks the positions of one or more tokens, which must not overlap `written`, what the call writes.
posenc_status CheckTokens(const TokenPositions& positions, const Bytes& written, std::size_t* bad_index);

// The same calls without checks.
Tally WalkTokens(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors);
void WalkCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors);
void WalkAngles(const Rotary& rotary, const TokensOfStep& ready, std::size_t tokens, const Tensors& tensors);
Tally WalkCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ROTARY_H_
