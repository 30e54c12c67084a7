// A rotary, as all that is done with it sees it, and its calls: arguments are checked, then tokens walked.
#ifndef POSENC_SRC_CALL_ROTARY_H_
#define POSENC_SRC_CALL_ROTARY_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "frequency/table.h"
#include "kernel/rotary_kernels.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

struct Rotary {
  std::size_t head_dim;
  std::size_t offset;  // of the elements that turn
  std::size_t pairs;
  std::size_t axes;
  posenc_pairing from, to;
  posenc_arithmetic arithmetic;
  std::int64_t target;
  const RotaryKernels* kernels;
  RotaryTable table;
};

// Where tokens are: at first, first + 1, ... on all axes, or [axes, tokens] of a list.
struct TokenPositions {
  std::int64_t first;
  List list;
  std::size_t axes;
  std::size_t tokens;

  void At(std::size_t token, double* position) const {  // [axes]
    for (std::size_t k = 0; k < axes; ++k) {
      position[k] = list.IsNull() ? static_cast<double>(first + static_cast<std::int64_t>(token))
                                  : list.AsDouble(k * tokens + token);
    }
  }
};

// The tensors of a call.
struct Tensors {
  posenc_type type;
  const posenc_heads* heads;  // [count]
  std::size_t count;
};

// What the zeros of posenc_heads mean.
inline std::size_t SourceTokenStride(const posenc_heads& heads) {
  return heads.source_token_stride == 0 ? heads.token_stride : heads.source_token_stride;
}
inline std::size_t SourceHeadStride(const posenc_heads& heads) {
  return heads.source_head_stride == 0 ? heads.head_stride : heads.source_head_stride;
}
inline double ScaleOf(const posenc_heads& heads) { return heads.scale == 0.0 ? 1.0 : heads.scale; }
inline bool IsInPlace(const posenc_heads& heads, std::size_t tokens) {
  return heads.source == nullptr ||
         (heads.source == heads.data && (tokens < 2 || SourceTokenStride(heads) == heads.token_stride) &&
          (heads.heads < 2 || SourceHeadStride(heads) == heads.head_stride));
}

// Rows of a caller's cache: row first + t, or that of a list, of so many.
struct CacheRows {
  const posenc_cache& cache;
  std::size_t rows;
  std::int64_t first;
  List list;

  std::size_t At(std::size_t token) const {
    return static_cast<std::size_t>(list.IsNull() ? first + static_cast<std::int64_t>(token) : list[token]);
  }
};

// Each checks every argument before it writes; *bad_index, if given, is the first value of a list at fault.
posenc_status CallRotate(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors,
                         std::size_t* bad_index);
posenc_status CallRotateCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens,
                               const Tensors& tensors, std::size_t* bad_index);
posenc_status CallWriteCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache,
                             std::size_t* bad_index);

// Without checks.
Tally WalkTokens(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors);
void WalkCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens, const Tensors& tensors);
Tally WalkCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ROTARY_H_
