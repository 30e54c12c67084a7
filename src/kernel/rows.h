// What kernels work on: rows of a matrix, and where their columns go.
#ifndef POSENC_SRC_KERNEL_ROWS_H_
#define POSENC_SRC_KERNEL_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "number/cache_size.h"
#include "number/elements.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Where the sines and cosines of a row are stored: the i-th of each at column offset + i * step. There may be
// one more of either.
struct Columns {
  std::size_t sines;
  std::size_t cosines;
  std::size_t sine_offset;
  std::size_t cosine_offset;
  std::size_t step;  // 2 if interleaved, else 1

  std::size_t pairs() const { return sines < cosines ? cosines : sines; }
  bool Interleaved() const { return step == 2; }
  bool SinesFirst() const { return sine_offset < cosine_offset; }

  // Whether the loops over runs are for these columns. Two kinds of columns are rare and have no such loops:
  // interleaved columns with cosines first, and halves with one cosine more.
  bool AreCommon() const { return Interleaved() ? SinesFirst() : sines >= cosines; }
};

// Positions of rows: a run, or a list in any order; |p| <= POSENC_MAX_POSITION.
struct Positions {
  const double* list;  // [count]; or null: first, first + 1, ...
  std::int64_t first;
  std::size_t count;

  bool IsRun() const { return list == nullptr; }
  double operator[](std::size_t r) const {
    return list != nullptr ? list[r] : static_cast<double>(first + static_cast<std::int64_t>(r));
  }
};

// A block of at most kMax rows. Row r, [dim], is at data + r * stride elements.
struct Rows {
  static constexpr std::size_t kMax = 64;

  Positions at;
  void* data;
  std::size_t stride;
  const void* const* sources;  // [at.count] rows to add to; if null, the rows of data
  bool stream;                 // whether to store past the caches: only aligned vectors; the caller fences
  std::uint64_t padded = 0;    // for lists: bit r is set if row r is padding; kernels do not read it
};

// Row r of a matrix of rows that are `stride` elements apart.
inline unsigned char* RowAt(void* data, std::size_t stride, std::size_t element_size, std::size_t r) {
  return static_cast<unsigned char*>(data) + r * stride * element_size;
}

// Row r of a block.
inline Row RowAt(const Rows& rows, std::size_t element_size, std::size_t r) {
  unsigned char* const to = RowAt(rows.data, rows.stride, element_size, r);
  return {rows.sources == nullptr ? to : static_cast<const unsigned char*>(rows.sources[r]), to};
}

// The factors by which steps are multiplied to make the phases of one position, or of one token: the position
// itself; or a list, of rounded phases (whose steps are one radian) or of the positions of the pairs' axes.
struct Multiples {
  const double* list;  // [pairs from some pair on, and to the end of a vector]; or null: the position for all
  double position;

  double operator[](std::size_t k) const { return list != nullptr ? list[k] : position; }
  Multiples From(std::size_t k) const { return {list == nullptr ? nullptr : list + k, position}; }
};

// How many pairs slower tiers decided.
struct Tally {
  std::size_t doubles = 0;       // pairs that arithmetic in float, or rotation's quick test, left to double
  std::size_t direct = 0;        // pairs that angle addition left to the direct kernel
  std::size_t recomputed = 0;    // pairs left to RecomputePairs
  std::size_t widest = 0;        // of these, pairs left to 1,024 bits
  std::size_t wide_sin_cos = 0;  // sines and cosines made in 256 bits, and in 1,024; whole turns need none
  std::size_t normalized = 0;    // elements of norms, not pairs, that were left to integers

  Tally& operator+=(const Tally& other) {
    doubles += other.doubles;
    direct += other.direct;
    recomputed += other.recomputed;
    widest += other.widest;
    wide_sin_cos += other.wide_sin_cos;
    normalized += other.normalized;
    return *this;
  }
};

// Row i belongs to the places (o, i, j) of [outer, rows, inner]:
//
//   row i             from + i * from_stride                                        `bytes` long
//   place (o, i, j)   to + o * outer_stride + (i * inner + j) * to_stride
//
// Strides are in bytes. A row and a place are the same or do not overlap.
struct Copies {
  const unsigned char* from;
  std::size_t from_stride;
  std::size_t rows;
  std::size_t bytes;  // of a row
  unsigned char* to;
  std::size_t to_stride;
  std::size_t inner;
  std::size_t outer;
  std::size_t outer_stride;

  // Calls copy(row, place) for each place of each row, unless both are the same; outer first, then rows, then
  // inner.
  template <class Copy>
  void ForEach(const Copy& copy) const {
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < rows; ++i) {
        const unsigned char* const row = from + i * from_stride;
        for (std::size_t j = 0; j < inner; ++j) {
          unsigned char* const place = to + o * outer_stride + (i * inner + j) * to_stride;
          if (place != row) copy(row, place);
        }
      }
    }
  }
};

// What angle addition in float reads. The arrays start at the chunk's first pair.
struct MirroredFloats {
  const float* errors;
  const float* sines;
  const float* cosines;
  const float* offset[2];
};

// The sine and the cosine of an offset from an anchor, of each pair.
struct OffsetSinCos {
  const double* sines;
  const double* cosines;

  OffsetSinCos From(std::size_t at) const { return {sines + at, cosines + at}; }
};

// The positions of mirrored rows, before and after their anchor, and what angle addition reads for them. The
// arrays start at the chunk's first pair.
struct MirroredAngles {
  std::int64_t position[2];
  std::size_t begin;  // the chunk's first pair
  const double* sines;
  const double* cosines;
  const float* small;
  OffsetSinCos offset;
  MirroredFloats floats;  // if angles are added in float
};

struct MirroredRows {
  Row row[2];
  std::uintptr_t next[2];  // addresses of rows to prefetch, which may lie beyond the table
  NextRowPrefetch prefetch;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_ROWS_H_
