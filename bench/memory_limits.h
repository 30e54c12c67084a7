// What memory allows on this machine. All other figures are compared with these rates.
//
// The loops never store zeros: some CPUs (seen on Zen 5) write zeros to memory twice as fast as other data,
// so that no table could keep up.
#ifndef POSENC_BENCH_MEMORY_LIMITS_H_
#define POSENC_BENCH_MEMORY_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace posenc {
namespace bench {

using BFloat16Pair = std::uint32_t;

// Each function uses the widest vectors of this CPU. Buffers [count] are 64-byte aligned, and count is a
// multiple of 64.
void FillMemset(float* out, std::size_t count);  // the C library's memset
void FillStores(float* out, std::size_t count);  // ordinary stores, which go through the caches
void FillStream(float* out, std::size_t count);  // streaming stores, which bypass the caches, and their fence
void AddTable(const float* table, float* x, std::size_t count);  // x += table
void AddTable(const BFloat16Pair* table, BFloat16Pair* x, std::size_t count);
void Scale(float factor, float* x, std::size_t count);  // x *= factor

const char* LimitsTarget();  // Highway's name for the instruction set of these functions

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_MEMORY_LIMITS_H_
