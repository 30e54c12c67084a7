// Streaming needs whole cache lines, and is worth it from kStreamBytes on.
#include "number/exact.h"

#include "call/store_policy.h"

#include <algorithm>
#include <cstdint>

#include "number/memory_thresholds.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kLine = 64;

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

bool ShouldStreamCopies(std::size_t bytes, std::size_t row_bytes, const void* data,
                        std::size_t stride_bytes) {
  return AreWholeLines(data, stride_bytes | row_bytes) && bytes >= kStreamBytes;
}

}  // namespace internal
}  // namespace posenc
