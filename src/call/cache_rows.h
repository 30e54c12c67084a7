// The rows of a caller's cache: which columns hold the cosines and the sines, and how a row is written and
// read.
#ifndef POSENC_SRC_CALL_CACHE_ROWS_H_
#define POSENC_SRC_CALL_CACHE_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "call/rotary.h"
#include "kernel/heads.h"
#include "kernel/token_angles.h"
#include "number/compiler.h"
#include "number/elements.h"
#include "posenc/rotary_cache_c.h"

namespace posenc {
namespace internal {

// In which columns a row of a cache holds the cosine and the sine of pair i. The cosine is in column step * i
// of the first table. With two tables, the sine is in the same column of the second table; with one table, it
// is in column sines + step * i. If `copy` is not 0, each number is repeated `copy` columns later.
struct CacheColumns {
  std::size_t sines, step, copy;

  bool HasTwoTables() const { return sines == 0; }
  std::size_t Count(std::size_t pairs) const { return HasTwoTables() && copy == 0 ? pairs : 2 * pairs; }
};
inline CacheColumns ColumnsOf(posenc_cache_layout layout, const Rotary& rotary) {
  // Two tables in which both elements of a pair have a column, so each number is there twice.
  const auto in_both = [&](posenc_pairing pairing) {
    return CacheColumns{0, ElementsOf(pairing, 1, rotary.head_pairs).a,
                        ElementsOf(pairing, 0, rotary.head_pairs).b};
  };
  switch (layout) {
    case POSENC_CACHE_HALVES:
      break;
    case POSENC_CACHE_DUPLICATED:
      return in_both(rotary.from);
    case POSENC_CACHE_COS_SIN:
      return {rotary.head_pairs, 1, 0};
    case POSENC_CACHE_PAIRS:
      return {1, 2, 0};
    case POSENC_CACHE_HALVES_TWICE:
      return in_both(POSENC_HALF_SPLIT);
  }
  return {0, 1, 0};
}

// A cache that is written, with the members of one that is read.
inline posenc_const_cache ReadOnly(const posenc_cache& cache, std::size_t rows) {
  return {cache.layout, cache.type, cache.cos, cache.sin, cache.row_stride, rows};
}

// Reads or writes rows of a cache, in any layout.
class CacheAccess {
 public:
  // `from` is the type of the elements that rows rotate. To write rows, `cache` must be from ReadOnly.
  CacheAccess(const Rotary& rotary, const posenc_const_cache& cache, posenc_type from = POSENC_F32)
      : rotary_(rotary),
        type_(cache.type),
        size_(ElementSize(cache.type)),
        stride_(cache.row_stride * size_),
        shortens_nans_(from == POSENC_BF16 && cache.type != POSENC_BF16) {
    const CacheColumns columns = ColumnsOf(cache.layout, rotary);
    const std::size_t first = columns.step * rotary.First();
    const auto bytes_of = [](const void* table) {
      return static_cast<unsigned char*>(const_cast<void*>(table));  // only Store writes
    };
    cos_ = bytes_of(cache.cos) + first * size_;
    sin_ = bytes_of(columns.HasTwoTables() ? cache.sin : cache.cos) + (first + columns.sines) * size_;
    is_interleaved_ = columns.step == 2;
    copy_ = columns.copy * size_;
    are_floats_ = type_ == POSENC_F32 && !is_interleaved_ && rotary.pairs % kVectorPadding == 0 &&
                  (AddressOf(cos_) | AddressOf(sin_) | stride_) % alignof(float) == 0;
  }

  // Writes a row. cosines and sines [pairs] have the cache's type.
  void Store(std::size_t row, const unsigned char* cosines, const unsigned char* sines) const;

  // Where kernels for runs write rows themselves: `columns` from the address that it returns on. Interleaved
  // numbers are first written one after another; FinishRow puts them where they belong, and repeats numbers.
  // Both tables must be aligned to their elements.
  unsigned char* PlaceRuns(Columns* columns) const;
  void FinishRow(std::size_t row) const;
  bool FinishesRows() const { return is_interleaved_ || copy_ != 0; }

  // Returns a row's numbers times a gain. The gain must have the amplitude 1, because the numbers include the
  // rotary's amplitude. If the cache has these products as floats, they stay there. Otherwise they are in
  // cosines and sines [pairs + kVectorPadding], with zeros after the pairs. For elements of bfloat16 each NaN
  // becomes the canonical one: fast rotation rounds by adding to the lower 16 bits, which must be 0 in a NaN.
  SinCosFloats Load(std::size_t row, const Gain& gain, float* cosines, float* sines) const {
    const unsigned char *const cos = cos_ + row * stride_, *const sin = sin_ + row * stride_;
    if (are_floats_ && !gain.inverse && gain.scale == 1.0 && gain.factor == 1.0f) {
      const SinCosFloats there = {reinterpret_cast<const float*>(cos), reinterpret_cast<const float*>(sin)};
      if (!shortens_nans_ || !HasNans(there)) return there;
    }
    LoadFrom(cos, gain.scale, gain.factor, cosines);
    LoadFrom(sin, gain.inverse ? -gain.scale : gain.scale, gain.factor, sines);
    return {cosines, sines};
  }

 private:
  bool HasNans(const SinCosFloats& row) const;
  void LoadFrom(const unsigned char* from, double scale, float factor, float* to) const;
  void Interleave(const unsigned char* a, const unsigned char* b, unsigned char* to) const;

  const Rotary& rotary_;
  posenc_type type_;
  std::size_t size_;           // the bytes of an element
  std::size_t stride_;         // the bytes from a row to the next one
  unsigned char *cos_, *sin_;  // where the cosines and sines of row 0 begin
  bool is_interleaved_;        // whether cosines, and sines, of neighbouring pairs are two columns apart
  std::size_t copy_;           // bytes from a number to its repetition; 0 if it is not repeated
  bool are_floats_;            // whether rows are floats that kernels can load as whole vectors
  bool shortens_nans_;
};

// Writes a row for each token. Call it in posenc's floating-point state (number/fp_state.h).
Tally WriteRows(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CACHE_ROWS_H_
