// What the fuzzer is made of: a check that ends the run, calls in another rounding mode, the statuses that
// faults allow, and memory that AddressSanitizer watches to the byte.
#ifndef POSENC_TESTS_FUZZ_FUZZING_H_
#define POSENC_TESTS_FUZZ_FUZZING_H_

#include <fuzzer/FuzzedDataProvider.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "posenc/posenc_c.h"

namespace posenc {
namespace fuzz {

#define POSENC_FUZZ_CHECK(condition) \
  if (!(condition)) ::posenc::fuzz::Fail(#condition, __FILE__, __LINE__)

[[noreturn]] inline void Fail(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
  std::abort();
}

// True about once in n.
inline bool Rarely(FuzzedDataProvider& bytes, int n = 32) { return bytes.ConsumeIntegralInRange(1, n) == n; }

// Sizes, strides and counts that nothing has.
constexpr std::size_t kHuge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 + 1, SIZE_MAX / 8,
                                 std::size_t{1} << 32};

inline int MakeRounding(FuzzedDataProvider& bytes) {
  return bytes.PickValueInArray({FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO});
}

// Of fesetround and of exceptions that were raised; on x86 fegetround looks at the x87 only.
inline unsigned FpState() {
#ifdef __SSE2__
  return _mm_getcsr();
#else
  return static_cast<unsigned>(std::fegetround());
#endif
}

// Calls function() in a rounding mode, which it must leave alone.
template <class Function>
auto WithRounding(int rounding, const Function& function) {
  std::fesetround(rounding);
  const unsigned state = FpState();
  const auto result = function();
  POSENC_FUZZ_CHECK(FpState() == state);
  std::fesetround(FE_TONEAREST);
  return result;
}

// The faults of a call, each with its status. Which of several is reported is the library's choice.
class Faults {
 public:
  void AddIf(bool fault, posenc_status status) {
    AddPossible(fault, status);
    certain_ |= fault;
  }
  // One that the library need not see.
  void AddPossible(bool fault, posenc_status status) {
    if (fault) statuses_.push_back(status);
  }
  bool None() const { return statuses_.empty(); }

  // Whether a call with these faults may report that.
  bool Allow(posenc_status status) const {
    if (status == POSENC_OK) return !certain_;
    return std::find(statuses_.begin(), statuses_.end(), status) != statuses_.end();
  }

 private:
  std::vector<posenc_status> statuses_;
  bool certain_ = false;
};

// Exactly so many bytes, so that AddressSanitizer notices one more, at an offset from an aligned address,
// filled with a pattern.
class Memory {
 public:
  explicit Memory(std::size_t size = 0, std::size_t offset = 0,
                  const std::vector<std::uint8_t>& pattern = {0})
      : bytes_(static_cast<std::uint8_t*>(std::malloc(offset + size)), std::free),
        offset_(offset),
        size_(size) {
    for (std::size_t done = 0; done < size; done += pattern.size()) {
      std::memcpy(data() + done, pattern.data(), std::min(pattern.size(), size - done));
    }
  }
  std::uint8_t* data() const { return bytes_.get() + offset_; }
  std::size_t size() const { return size_; }
  friend bool operator==(const Memory& a, const Memory& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data(), b.data(), a.size_) == 0);
  }

 private:
  std::unique_ptr<std::uint8_t, void (*)(void*)> bytes_;
  std::size_t offset_, size_;
};

// Where a part of a call's memory is: in a block of its own, or in that of part 0.
struct Place {
  enum Side : std::uint8_t { kBefore, kAfter, kWithin, kApart } side = kApart;
  std::size_t shift = 0;  // in bytes, at most kMaxShift
  static constexpr std::size_t kMaxShift = 63;
};

Place MakePlace(bool apart, FuzzedDataProvider& bytes);

// The memory of a call. Part 0 is what it writes, the others are what it reads; those that share a block may
// touch or overlap.
class Parts {
 public:
  struct Part {
    std::size_t size;
    Place place;
    std::size_t alignment = 1;
  };
  Parts() = default;
  Parts(const std::vector<Part>& parts, std::size_t offset, const std::vector<std::uint8_t>& pattern);

  std::uint8_t* operator[](std::size_t part) const { return at_[part]; }

  // Whether so many bytes of part 0 and of another overlap.
  bool Overlap(std::size_t size, std::size_t part, std::size_t part_size) const;

  friend bool operator==(const Parts& a, const Parts& b) { return a.blocks_ == b.blocks_; }

 private:
  std::vector<Memory> blocks_;
  std::vector<std::uint8_t*> at_;
};

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_FUZZING_H_
