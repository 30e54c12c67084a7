// What memory itself allows on this machine: the yardsticks of every other figure.
//
// What is stored must not be zero: some CPUs (seen on Zen 5) write zeros to memory at twice the speed of
// anything else, so that no table could keep up.
#ifndef POSENC_BENCH_MEMORY_LIMITS_H_
#define POSENC_BENCH_MEMORY_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace posenc {
namespace bench {

using BFloat16Pair = std::uint32_t;

// Each runs at the widest vector of this CPU. Buffers [count] are 64-byte aligned; count is a multiple of 64.
void FillMemset(float* out, std::size_t count);  // as the C library does it
void FillStores(float* out, std::size_t count);  // ordinary stores, through the caches
void FillStream(float* out, std::size_t count);  // streaming stores, around the caches, with their fence
void AddTable(const float* table, float* x, std::size_t count);  // x += table
void AddTable(const BFloat16Pair* table, BFloat16Pair* x, std::size_t count);
void Scale(float factor, float* x, std::size_t count);  // x *= factor

const char* LimitsTarget();  // the instruction set that these run on, as Highway calls it

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_MEMORY_LIMITS_H_
