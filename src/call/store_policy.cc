// From which size on calls use streaming stores, and the alignment that streaming stores need.
#include "number/exact.h"

#include "call/store_policy.h"

#include <algorithm>
#include <cstdint>

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kLine = 64;

// Calls stream if they write at least this number of bytes; then streaming is 1.5 to 2 times as fast. The
// limit is well above the size of L2: up to there, cached stores are as fast, and leave the rows in the cache
// for the caller. It is below the size of a usual L3. The real size of L3 cannot be asked for, because
// operating systems may report a wrong one: one virtual machine reported the 384 MB of a whole socket, of
// which a core can use 32 MB.
constexpr std::size_t kStreamBytes = std::size_t{4} << 20;

// Whether an address, and all strides and offsets, are multiples of a cache line. `others` is the bitwise or
// of the strides and offsets.
bool AreWholeLines(const void* data, std::size_t others) {
  return (reinterpret_cast<std::uintptr_t>(data) | others) % kLine == 0;
}

}  // namespace

bool ShouldStream(const Columns& columns, std::size_t element_size, std::uint64_t rows, const void* data,
                  std::size_t stride) {
  // Interleaved pairs begin at the lower offset. In halves, sines and cosines each begin at their offset.
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
