// The rows of a caller's cache: which columns hold the cosines and the sines, and how a row is written and
// read.
#ifndef POSENC_SRC_CALL_CACHE_ROWS_H_
#define POSENC_SRC_CALL_CACHE_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "call/call.h"
#include "call/rotary.h"
#include "kernel/heads.h"
#include "kernel/rotate_token.h"
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
CacheColumns ColumnsOf(posenc_cache_layout layout, const Rotary& rotary);

// Reads or writes rows of a cache, in any layout.
class CacheAccess {
 public:
  // `from` is the type of the elements that rows rotate.
  CacheAccess(const Rotary& rotary, const posenc_cache& cache, posenc_type from = POSENC_F32);

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
  SinCosFloats Load(std::size_t row, const Gain& gain, float* cosines, float* sines) const;

 private:
  bool AreFloats() const;  // whether rows are floats that kernels can load as whole vectors
  bool HaveLongNans(const float* from) const;  // whether there are NaNs that must become the canonical one
  void LoadFrom(const unsigned char* from, double scale, float factor, float* to) const;
  void Interleave(const unsigned char* a, const unsigned char* b, unsigned char* to) const;

  const Rotary& rotary_;
  posenc_type type_;
  std::size_t size_, bytes_;   // the bytes of one element, and of one element for each pair
  std::size_t stride_;         // the bytes from a row to the next one
  unsigned char *cos_, *sin_;  // where the cosines and sines of row 0 begin
  bool is_interleaved_;        // whether cosines, and sines, of neighbouring pairs are two columns apart
  std::size_t copy_;           // bytes from a number to its repetition; 0 if it is not repeated
  bool shortens_nans_;
};

// Writes a row for each token. Call it in posenc's floating-point state (number/fp_state.h).
Tally WriteRows(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CACHE_ROWS_H_
