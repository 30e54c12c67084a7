// The size from which calls stream, and the alignment that streaming needs.
#include "number/exact.h"

#include "call/store_policy.h"

#include <algorithm>
#include <cstdint>

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kLine = 64;

// Well above the size of L2, up to which cached stores are as fast, and leave the rows in the cache for the
// caller. Below the size of any usual L3; it cannot be asked for, because operating systems may report
// another one (on one virtual machine the 384 MB of a whole socket, of which a core has 32). Above, streaming
// is 1.5 to 2 times as fast.
constexpr std::size_t kStreamBytes = std::size_t{4} << 20;

// Whether an address and all strides and offsets, whose bits `others` unites, are multiples of a line.
bool AreWholeLines(const void* data, std::size_t others) {
  return (reinterpret_cast<std::uintptr_t>(data) | others) % kLine == 0;
}

}  // namespace

bool ShouldStream(const Columns& columns, std::size_t element_size, std::uint64_t rows, const void* data,
                  std::size_t stride) {
  // Interleaved pairs begin at the lower offset; sines and cosines in halves each at its own.
  const std::size_t offsets = columns.Interleaved() ? std::min(columns.sine_offset, columns.cosine_offset)
                                                    : columns.sine_offset | columns.cosine_offset;
  const std::size_t row_bytes = (columns.sines + columns.cosines) * element_size;
  return AreWholeLines(data, (stride | offsets) * element_size) &&
         std::min<std::uint64_t>(rows, kStreamBytes) * row_bytes >= kStreamBytes;
}

bool IsBeyondCaches(std::size_t bytes) { return bytes >= kStreamBytes; }

bool ShouldStreamCopies(std::size_t bytes, std::size_t row_bytes, const void* data,
                        std::size_t stride_bytes) {
  return AreWholeLines(data, stride_bytes | row_bytes) && IsBeyondCaches(bytes);
}

}  // namespace internal
}  // namespace posenc
