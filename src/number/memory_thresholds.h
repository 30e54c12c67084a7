// From which sizes on calls treat memory in another way, and how many bytes ahead loops prefetch. Each number
// was measured, and its comment names the machine if that was recorded. Measure on a second machine before
// you change a number, because what helps one may cost another.
#ifndef POSENC_SRC_NUMBER_MEMORY_THRESHOLDS_H_
#define POSENC_SRC_NUMBER_MEMORY_THRESHOLDS_H_

#include <cstddef>

namespace posenc {
namespace internal {

// Streaming stores.

// Calls of encoders stream if they write at least this number of bytes. Up to 8 MB cached stores are as fast,
// and leave the rows in the cache for the caller; from 16 MB on streaming is 1.5 to 1.9 times as fast (Zen 4,
// float32, not the only program). The limit is below the size of a usual L3. The real size of L3 cannot be
// asked for, because operating systems may report a wrong one: one virtual machine reported the 384 MB of a
// whole socket, of which a core can use 32 MB.
inline constexpr std::size_t kStreamBytes = std::size_t{4} << 20;

// Sums with grids walk a matrix of at least this size once for several axes, not once for each axis. So
// memory is read and written in order: up to 1.4 times as fast beyond the caches, but only 0.6 times as fast
// in them (Zen 4, not the only program).
inline constexpr std::size_t kAddInOrderBytes = 2 * kStreamBytes;

// Caches.

// Rotation takes it that a core's own caches hold tensors of at most kCoreBytes, and that a shared cache
// holds tensors of less than kSharedBytes. If no cache holds them, kernels prefetch far ahead. On a Zen 4
// with 32 MB of L3, that made calls with 20 MB 1.3 times as fast, but calls with 10 MB only 0.84 times as
// fast.
inline constexpr std::size_t kCoreBytes = std::size_t{1} << 20;
inline constexpr std::size_t kSharedBytes = std::size_t{16} << 20;

// The first-level cache that Intel has had since 2019 and AMD since 2024. There is room in it for a line of
// the next row beside the tables of angles: on a Zen 5 (48 KB), sums beyond the caches are 1.2 to 1.5 times
// as fast with the line there. On a Zen 4 (32 KB) they are 1.4 times as fast with the line in the
// second-level cache.
inline constexpr std::size_t kLargeFirstLevelBytes = std::size_t{48} << 10;

// How many bytes of rows a written grid computes before it copies them. Each row is read for many copies, so
// the rows must stay in L2. (The machine was not recorded.)
inline constexpr std::size_t kCopiedBytes = std::size_t{32} << 10;

// Prefetches: how many bytes ahead.

// Rows that are written and straddle lines. On a Sapphire Rapids 512 x 512 floats took 1.7 times as long
// without.
inline constexpr std::size_t kWriteAhead = 512;

// Heads that are rotated. The lines belong to the next heads or the next tokens. Hardware prefetching alone
// comes too late: without this a Xeon took 1.7 times as long in DRAM.
inline constexpr std::size_t kHeadsAhead = 2048;

// Heads that are rotated exactly: from here on into a farther cache, because the arithmetic takes time. With
// 16,384 tokens this was 1.06 to 1.15 times as fast. Prefetching all of it at once was no faster. (The
// machine was not recorded.)
inline constexpr std::size_t kHeadsFarAhead = 4096;

// How far apart the heads may lie that AVX-512 reads together, 512 bytes at a time, if they are rotated with
// POSENC_FAST and no cache holds them: up to 1.1 times as fast on a Zen 5, but 0.4 times as fast for heads
// that lie farther apart.
inline constexpr std::size_t kTogetherStride = 2048;

// Heads that are rotated with POSENC_FAST and that no cache holds, into a farther cache. This rotation waits
// for memory only, so it gains where a core prefetches little by itself: 1.25 times as fast on a Zen 4 in
// DRAM.
inline constexpr std::size_t kFastHeadsAhead = 8192;

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_MEMORY_THRESHOLDS_H_
