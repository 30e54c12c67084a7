// What is behind an encoder's handle: the columns of its rows, its positions, its kernels and their table.
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

// The column that an odd dim leaves beside the pairs, unless that is half a pair.
struct OddColumn {
  std::size_t at = kNoColumn;
  bool is_cosine = false;  // the cosine of pair 0 once more; else a zero
};

struct Encoder {
  std::size_t dim;
  posenc_layout layout;
  Columns columns;  // of the pairs
  OddColumn odd;
  bool input_first;     // column 0 is the position
  std::int64_t offset;  // is added to positions that callers pass
  bool has_padding;     // rows at position `padding`, before the offset, are zero
  std::int64_t padding;
  bool nan_rows;             // as in posenc_spec
  std::uint64_t table_rows;  // as in posenc_spec
  std::int64_t target;
  const EncoderKernels* kernels;
  FrequencyTable table;

  // The position that is encoded, rounded to double; exact if the sum of integers is below 2^53.
  double Shifted(double position) const { return position + static_cast<double>(offset); }

  bool HasPairsOnly() const { return odd.at == kNoColumn && !input_first; }
};

// Sets columns, odd and input_first from the spec, whose layout and odd_column it checks.
posenc_status PlaceColumns(const posenc_spec& spec, Encoder* encoder);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ENCODER_H_
