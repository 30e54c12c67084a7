#include "call/store_policy.h"

#include <algorithm>
#include <cstdint>

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kLine = 64;

// Well above a second-level cache, since up to there cached stores are as fast and the caller finds its rows
// warm; below any third-level cache worth the name, whose size the operating system may not know (on one
// virtual machine it reports the 384 MB of a whole socket, of which a core has 32). Beyond, streaming is
// 1.5 to 2 times as fast.
constexpr std::size_t kStreamBytes = std::size_t{4} << 20;

}  // namespace

bool ShouldStream(const Columns& columns, std::size_t element_size, std::uint64_t rows, const void* data,
                  std::size_t stride) {
  // In turns the later offset is not where anything begins.
  const std::size_t first = std::min(columns.sine_offset, columns.cosine_offset) * element_size;
  const std::size_t second =
      columns.InTurns() ? 0 : std::max(columns.sine_offset, columns.cosine_offset) * element_size;
  const bool whole_lines = reinterpret_cast<std::uintptr_t>(data) % kLine == 0 &&
                           stride * element_size % kLine == 0 && first % kLine == 0 && second % kLine == 0;
  const std::size_t bytes = (columns.sines + columns.cosines) * element_size;  // of a row
  return whole_lines && std::min<std::uint64_t>(rows, kStreamBytes) * bytes >= kStreamBytes;
}

bool IsBeyondCaches(std::size_t bytes) { return bytes >= kStreamBytes; }

bool ShouldStreamCopies(std::size_t bytes, std::size_t row_bytes, const void* data,
                        std::size_t stride_bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % kLine == 0 && stride_bytes % kLine == 0 &&
         row_bytes % kLine == 0 && IsBeyondCaches(bytes);
}

}  // namespace internal
}  // namespace posenc
