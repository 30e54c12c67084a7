// What the fuzzers share: a check that ends the run, memory that AddressSanitizer watches to the byte, and
// calls in another rounding mode.
#ifndef POSENC_TESTS_FUZZ_FUZZING_H_
#define POSENC_TESTS_FUZZ_FUZZING_H_

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace posenc {
namespace fuzz {

#define POSENC_FUZZ_CHECK(condition) \
  if (!(condition)) ::posenc::fuzz::Fail(#condition, __FILE__, __LINE__)

[[noreturn]] inline void Fail(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
  std::abort();
}

// Exactly so many bytes, so that AddressSanitizer notices one more, at an offset from an aligned address.
class Memory {
 public:
  Memory(std::size_t size, std::size_t offset, const std::vector<std::uint8_t>& pattern)
      : bytes_(static_cast<std::uint8_t*>(std::malloc(offset + size))), offset_(offset), size_(size) {
    for (std::size_t i = 0; i < size; ++i) data()[i] = pattern[i % pattern.size()];
  }
  std::uint8_t* data() const { return bytes_.get() + offset_; }
  std::size_t size() const { return size_; }
  friend bool operator==(const Memory& a, const Memory& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data(), b.data(), a.size_) == 0);
  }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t offset_, size_;
};

// Calls function() in a rounding mode, which it must leave alone.
template <class Function>
auto WithRounding(int rounding, const Function& function) {
  std::fesetround(rounding);
  const auto result = function();
  POSENC_FUZZ_CHECK(std::fegetround() == rounding);
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_FUZZING_H_
