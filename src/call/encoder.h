// What an encoder's handle contains: where the columns of a row are, how positions are treated, and the
// kernels with their table of frequencies.
#ifndef POSENC_SRC_CALL_ENCODER_H_
#define POSENC_SRC_CALL_ENCODER_H_

#include <cstddef>
#include <cstdint>

#include "frequency/table.h"
#include "kernel/encoder_kernels.h"
#include "kernel/rows.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline constexpr std::size_t kNoColumn = SIZE_MAX;

// With an odd dim: the column that belongs to no pair. There is none if that column is half a pair.
struct OddColumn {
  std::size_t at = kNoColumn;
  bool is_cosine = false;  // it repeats the cosine of pair 0; else it is zero
};

struct Encoder {
  std::size_t dim;
  posenc_layout layout;
  Columns columns;  // the columns of pairs
  OddColumn odd;
  bool input_first;          // column 0 is the position itself
  std::int64_t offset;       // added to the positions that callers pass
  bool has_padding;          // whether rows at position `padding` are zero
  std::int64_t padding;      // compared with the caller's positions, before the offset is added
  bool nan_rows;             // as in posenc_spec
  std::uint64_t table_rows;  // as in posenc_spec
  std::int64_t target;
  const EncoderKernels* kernels;
  FrequencyTable table;

  // The position that is encoded, rounded to double. A sum of integers below 2^53 is exact.
  double Shifted(double position) const { return position + static_cast<double>(offset); }

  // Whether every column belongs to a pair.
  bool HasPairsOnly() const { return odd.at == kNoColumn && !input_first; }
};

// Sets columns, odd and input_first from the spec. Fails if the layout does not allow the odd_column.
posenc_status PlaceColumns(const posenc_spec& spec, Encoder* encoder);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ENCODER_H_
