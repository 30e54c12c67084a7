// A tile: rows of an encoding as floats. A call computes them once, and adds them wherever they belong: to
// the sequences of a batch, or to the cells of a grid.
#ifndef POSENC_SRC_CALL_TILE_H_
#define POSENC_SRC_CALL_TILE_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "number/compiler.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

// The size of a tile, in floats: 24 KB. It is on the stack, which the kernels need, too.
inline constexpr std::size_t kTileFloats = std::size_t{12} << 9;

// Computes rows [rows, dim] of an encoding, with all columns, correctly rounded to float. `first` and
// `positions` are as for WalkRows.
inline void FillTile(const Encoder& encoder, std::int64_t first, const List& positions, std::size_t rows,
                     float* tile) {
  WalkRows({encoder, POSENC_F32}, first, positions, rows, {tile, encoder.dim});
}

// Adds `count` columns of rows of a tile, [rows, dim], to rows times *call.scale that are row_bytes apart.
// While a row is added, the next one is prefetched.
inline void AddFromTile(const Call& call, const float* entries, std::size_t dim, std::size_t count,
                        std::size_t rows, unsigned char* to, std::size_t row_bytes) {
  const auto add_entries = call.encoder.kernels->add_entries[call.type];
  const bool makes_nans = call.MakesNans();
  for (std::size_t r = 0; r < rows; ++r) {
    unsigned char* const row = to + r * row_bytes;
    add_entries(entries + r * dim, count, *call.scale, row, AddressOf(row) + row_bytes);
    if (makes_nans) MakeNansCanonical(count, row);
  }
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_TILE_H_
