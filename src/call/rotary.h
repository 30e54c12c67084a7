// What is behind a rotary's handle, and its calls: each checks its arguments, then walks its tokens.
#ifndef POSENC_SRC_CALL_ROTARY_H_
#define POSENC_SRC_CALL_ROTARY_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "frequency/table.h"
#include "kernel/rotary_kernels.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_cache_c.h"

namespace posenc {
namespace internal {

struct Rotary {
  std::size_t head_dim;
  std::size_t offset;      // the first element of a head that is rotated
  std::size_t pairs;       // of a piece of the rotary, if it is one
  std::size_t head_pairs;  // of a head
  std::size_t axes;
  posenc_pairing from, to;  // pairing of the elements that are read, and of those that are written
  posenc_arithmetic arithmetic;
  std::int64_t target;
  const RotaryKernels* kernels;
  RotaryTable table;

  std::size_t First() const { return table.frequencies.first; }  // of the head's pairs, in a piece; else 0
};

// The positions of a call's tokens: first, first + 1, ... on all axes, or a list [axes, tokens].
struct TokenPositions {
  std::int64_t first;
  List list;
  std::size_t axes;
  std::size_t tokens;

  // Sets position [axes] to that of a token.
  void At(std::size_t token, double* position) const {
    for (std::size_t k = 0; k < axes; ++k) {
      position[k] = list.IsNull() ? static_cast<double>(first + static_cast<std::int64_t>(token))
                                  : list.AsDouble(k * tokens + token);
    }
  }
};

// The tensors of a call, which have the same tokens and, once they are checked, the same type.
struct Tensors {
  Tensors(const posenc_heads* tensors, std::size_t how_many)
      : type(tensors == nullptr || how_many == 0 ? POSENC_F32 : tensors->type),
        heads(tensors),
        count(how_many) {}

  posenc_type type;
  const posenc_heads* heads;  // [count]
  std::size_t count;
};

// Members of posenc_heads in which a zero stands for a default.
inline std::size_t SourceTokenStride(const posenc_heads& heads) {
  return heads.source_token_stride == 0 ? heads.token_stride : heads.source_token_stride;
}
inline std::size_t SourceHeadStride(const posenc_heads& heads) {
  return heads.source_head_stride == 0 ? heads.head_stride : heads.source_head_stride;
}
inline double ScaleOf(const posenc_heads& heads) { return heads.scale == 0.0 ? 1.0 : heads.scale; }
// Whether each head is written where it is read. Strides do not matter if there is only one token or head.
inline bool IsInPlace(const posenc_heads& heads, std::size_t tokens) {
  return heads.source == nullptr ||
         (heads.source == heads.data && (tokens < 2 || SourceTokenStride(heads) == heads.token_stride) &&
          (heads.heads < 2 || SourceHeadStride(heads) == heads.head_stride));
}

// The rows of a caller's cache that tokens take: row first + t, or list[t].
struct CacheRows {
  const posenc_cache& cache;
  std::size_t rows;  // that the cache has
  std::int64_t first;
  List list;  // [tokens], or null

  std::size_t At(std::size_t token) const {
    return static_cast<std::size_t>(list.IsNull() ? first + static_cast<std::int64_t>(token) : list[token]);
  }
};

// Where a row of a cache has the numbers of pair i. The cosine is in column step * i of the first table. The
// sine is in the same column of the second table or, if there is only one, in its column sines + step * i.
// Both are repeated `copy` columns later, unless that is 0.
struct CacheColumns {
  std::size_t sines, step, copy;

  bool HasTwoTables() const { return sines == 0; }
  std::size_t Count(std::size_t pairs) const { return HasTwoTables() && copy == 0 ? pairs : 2 * pairs; }
};
CacheColumns ColumnsOf(posenc_cache_layout layout, const Rotary& rotary);

// Each call checks every argument before it writes. If a value of a list is at fault, *bad_index is the
// first such value, unless bad_index is null.
posenc_status CallRotate(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors,
                         std::size_t* bad_index);
posenc_status CallRotateCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens,
                               const Tensors& tensors, std::size_t* bad_index);
posenc_status CallWriteCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache,
                             std::size_t* bad_index);

// The same without checks.
Tally WalkTokens(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors);
void WalkCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors);
Tally WalkCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ROTARY_H_
