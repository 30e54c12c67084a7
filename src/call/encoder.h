// An encoder, as all that is done with it sees it.
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

// The column of a row besides its pairs, if there is one.
struct OddColumn {
  std::size_t at = kNoColumn;
  bool is_cosine = false;  // of pair 0; else it is zero
};

struct Encoder {
  std::size_t dim;
  posenc_layout layout;
  Columns columns;  // of the pairs
  OddColumn odd;
  bool input_first;     // column 0 is the position
  std::int64_t offset;  // of positions: what is passed is less by this
  bool has_padding;     // rows at `padding`, as passed, are zero
  std::int64_t padding;
  bool nan_rows;             // posenc_spec's
  std::uint64_t table_rows;  // posenc_spec's
  std::int64_t target;
  const EncoderKernels* kernels;
  FrequencyTable table;

  // To the nearest double, which of integers is exact.
  double Shifted(double position) const { return position + static_cast<double>(offset); }

  bool HasPairsOnly() const { return odd.at == kNoColumn && !input_first; }
};

// Where the columns of a spec go. Sets columns, odd and input_first.
posenc_status PlaceColumns(const posenc_spec& spec, Encoder* encoder);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_ENCODER_H_
