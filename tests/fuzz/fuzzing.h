// What fuzzers make from their bytes: sizes, enums and numbers, both valid and invalid ones. Also a check
// that ends the run.
#ifndef POSENC_TESTS_FUZZ_FUZZING_H_
#define POSENC_TESTS_FUZZ_FUZZING_H_

#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <cstring>

#include "posenc/posenc_c.h"

namespace posenc {
namespace fuzz {

#define POSENC_FUZZ_CHECK(condition) \
  if (!(condition)) ::posenc::fuzz::Fail(#condition, __FILE__, __LINE__)

// Says what is judged, while something is.
inline std::function<std::string()> judged;

[[noreturn]] inline void Fail(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this is false: %s\n", file, line, condition);
  if (judged) std::fprintf(stderr, "judged: %s\n", judged().c_str());
  std::abort();
}

using Bytes = FuzzedDataProvider;

// True about once in n times.
inline bool Rarely(Bytes& bytes, int n = 32) { return bytes.ConsumeIntegralInRange(1, n) == n; }

inline std::size_t MakeSize(std::size_t most, Bytes& bytes, std::size_t least = 0) {
  return bytes.ConsumeIntegralInRange<std::size_t>(least, most);
}

// A size so large that this number of anything needs more bytes than there are addresses.
inline std::size_t MakeHuge(Bytes& bytes) {
  return bytes.PickValueInArray({SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 + 1});
}

// Any value for an enum or flag, often one with a valid low byte.
inline std::int32_t MakeWildEnum(Bytes& bytes) {
  if (bytes.ConsumeBool()) return bytes.ConsumeIntegralInRange<std::int32_t>(-1, 12);
  return bytes.ConsumeBool() ? bytes.ConsumeIntegral<std::int32_t>()
                             : bytes.ConsumeIntegralInRange<std::int32_t>(0, 12) | 256;
}

// Any double, often a limit or a NaN.
inline double MakeWildReal(Bytes& bytes) {
  if (bytes.ConsumeBool()) {
    return bytes.PickValueInArray({10000.0, 1.0, 500000.0, 0.5, 1e7, 0.0, -0.0, -1.0, 0x1p-40, 0x1p31, 3.0,
                                   1e300, HUGE_VAL, -HUGE_VAL, std::nan("")});
  }
  if (Rarely(bytes, 3)) {  // near the limits of frequencies and positions
    return bytes.PickValueInArray({0x1p-126, -0x1p-127, 0x0.8p-1022, 1e-320, 0x1p29, 0x1.45f306dc9c882p28,
                                   -0x1p31, 0x1.fffffffffffffp30, 0x1.0000000000001p31,
                                   -0x1.0000000000001p31});
  }
  if (bytes.ConsumeBool()) return bytes.ConsumeFloatingPointInRange(-1e6, 1e6);
  const auto bits = bytes.ConsumeIntegral<std::uint64_t>();
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Positions with room for offsets and runs of some thousands on both sides.
inline std::int64_t MakePosition(Bytes& bytes) {
  constexpr std::int64_t kMost = POSENC_MAX_POSITION - 4096;
  if (bytes.ConsumeBool()) return bytes.ConsumeIntegralInRange<std::int64_t>(-8, 15);
  if (bytes.ConsumeBool()) return bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
  return bytes.ConsumeIntegralInRange<std::int64_t>(-kMost, kMost);
}

inline double MakeDoublePosition(Bytes& bytes) {
  const int choice = bytes.ConsumeIntegralInRange(0, 7);
  if (choice == 0) return static_cast<double>(MakePosition(bytes));
  if (choice < 4) return bytes.ConsumeIntegral<std::int16_t>() / 16.0;
  return std::ldexp(bytes.ConsumeFloatingPointInRange(-1.0, 1.0),
                    bytes.ConsumeIntegralInRange(choice == 4 ? -1074 : 0, 30));
}

// Positions near the limits, and beyond them.
inline std::int64_t MakeEdge(Bytes& bytes) {
  const auto near = bytes.ConsumeIntegralInRange<std::int64_t>(-130, 130);
  const auto edge = bytes.PickValueInArray({INT64_MAX, INT64_MIN, std::int64_t{POSENC_MAX_POSITION},
                                            std::int64_t{-POSENC_MAX_POSITION}, std::int64_t{1} << 24});
  std::int64_t sum;
  return __builtin_add_overflow(edge, near, &sum) ? edge : sum;
}

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_FUZZING_H_
