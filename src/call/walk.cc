// Walks the rows of a call in blocks.

#include <algorithm>

#include "call/call.h"
#include "call/store_policy.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {

Tally WalkRows(const Call& call, std::int64_t first, const List& positions, std::size_t rows,
               const Matrix& matrix, const Lookup* lookup) {
  return InFpState([&] {
    const std::size_t size = call.element_size();
    Rows block{};
    block.stride = matrix.stride;
    block.stream = call.scale == nullptr && positions.IsNull() &&
                   ShouldStream(call.encoder.columns, size, rows, matrix.data, matrix.stride);
    double list[Rows::kMax];
    const void* sources[Rows::kMax];
    if (!positions.IsNull()) block.at.list = list;
    if (lookup != nullptr) block.sources = sources;
    Tally tally;
    for (std::size_t begin = 0; begin < rows; begin += Rows::kMax) {
      const std::size_t count = std::min(rows - begin, Rows::kMax);
      block.at.first = first + static_cast<std::int64_t>(begin);
      block.at.count = count;
      block.data = static_cast<unsigned char*>(matrix.data) + begin * matrix.stride * size;
      if (!positions.IsNull()) {
        for (std::size_t r = 0; r < count; ++r) list[r] = positions.AsDouble(begin + r);
      }
      if (lookup != nullptr) {
        for (std::size_t r = 0; r < count; ++r) {
          const auto id = static_cast<std::size_t>(lookup->ids[begin + r]);
          sources[r] = static_cast<const unsigned char*>(lookup->table) + id * lookup->stride * size;
        }
      }
      tally += call.Apply(block);
    }
    return tally;
  });
}

}  // namespace internal
}  // namespace posenc
