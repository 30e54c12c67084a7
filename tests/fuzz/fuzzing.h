// What the fuzzers are made of: a check that ends the run, what is certain about a call, calls in another
// rounding mode, numbers of arrays, and memory that AddressSanitizer watches to the byte.
#ifndef POSENC_TESTS_FUZZ_FUZZING_H_
#define POSENC_TESTS_FUZZ_FUZZING_H_

#include <fuzzer/FuzzedDataProvider.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
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

using Bytes = FuzzedDataProvider;

constexpr std::int64_t kMaxPosition = POSENC_MAX_POSITION;
constexpr std::size_t kNoIndex = 4711;  // what bad_index is before a call

// True about once in n.
inline bool Rarely(Bytes& bytes, int n = 32) { return bytes.ConsumeIntegralInRange(1, n) == n; }

inline std::size_t MakeSize(std::size_t most, Bytes& bytes, std::size_t least = 0) {
  return bytes.ConsumeIntegralInRange<std::size_t>(least, most);
}

// Sizes, strides and counts that nothing has.
constexpr std::size_t kHuge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 + 1, SIZE_MAX / 8,
                                 std::size_t{1} << 32};

// A size instead of a right one.
inline std::size_t MakeWildSize(std::size_t right, Bytes& bytes) {
  const int choice = bytes.ConsumeIntegralInRange(0, 3);
  if (choice == 0) return bytes.PickValueInArray(kHuge);
  if (choice == 1) return MakeSize(200, bytes);
  return choice == 2 ? right + 1 - 2 * MakeSize(1, bytes)
                     : MakeSize(std::min<std::size_t>(2 * right, 400), bytes);
}

// Any value of an enum or flag, often one whose low byte is right.
std::int32_t MakeWildNumber(Bytes& bytes);
template <class Enum>
Enum MakeWildEnum(Bytes& bytes) {
  return static_cast<Enum>(MakeWildNumber(bytes));
}

// From `first` to `last`.
template <class Enum>
Enum MakeEnum(Enum first, Enum last, Bytes& bytes) {
  return static_cast<Enum>(bytes.ConsumeIntegralInRange<std::int32_t>(first, last));
}

// Any double, often one that is a limit or not a number.
double MakeWildReal(Bytes& bytes);

// Positions, with room for offsets and runs of some thousands on both sides.
std::int64_t MakePosition(Bytes& bytes);
double MakeDoublePosition(Bytes& bytes);

// Positions about the limits and beyond them.
std::int64_t MakeEdge(Bytes& bytes);

inline posenc_type MakePositionType(Bytes& bytes) {
  return bytes.PickValueInArray({POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64});
}

// All targets, as posenc_targets lists them: REFERENCE is the last.
std::vector<posenc_target> Targets();

// What is certain about the status of a call, which is never which one it is. What was made of valid parts
// only is accepted; what has a fault that the headers name is refused.
class Verdict {
 public:
  void Doubt(bool condition = true) { doubted_ |= condition; }
  void Refuse(bool condition = true) { refused_ |= condition; }
  bool Refused() const { return refused_; }

  void Check(posenc_status status) const {
    const char* message = posenc_status_message(status);
    POSENC_FUZZ_CHECK(std::strcmp(message, posenc_status_message(posenc_status{-1})) != 0);
    const bool is_refused = status != POSENC_OK;
    if (refused_ != is_refused && (refused_ || !doubted_)) Fail(message, "a certain call", status);
  }

 private:
  bool doubted_ = false, refused_ = false;
};

inline int MakeRounding(Bytes& bytes) {
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

inline bool IsEntryType(posenc_type type, bool is_added) {
  return type >= POSENC_F32 && type <= (is_added ? POSENC_F16 : POSENC_F64);
}
inline bool IsIntegerType(posenc_type type) { return type == POSENC_I32 || type == POSENC_I64; }
inline bool IsPositionType(posenc_type type) {
  return IsIntegerType(type) || type == POSENC_F32 || type == POSENC_F64;
}

// Of what is no type, the most.
inline std::size_t TypeSize(posenc_type type) {
  if (type == POSENC_BF16 || type == POSENC_F16) return 2;
  return type == POSENC_F32 || type == POSENC_I32 ? 4 : 8;
}

// Numbers of positions and ids, of any alignment.
double NumberAt(const std::uint8_t* at, posenc_type type);
std::int64_t IntegerAt(const std::uint8_t* at, posenc_type type);
void SetNumber(double value, posenc_type type, std::uint8_t* at);
void SetInteger(std::int64_t value, posenc_type type, std::uint8_t* at);

// Positions, or, with an end, indices below it; in one list of four some that are probably wrong.
std::vector<std::uint8_t> MakeNumbers(std::size_t count, posenc_type type, std::size_t end, Bytes& bytes);
constexpr std::size_t kNoEnd = SIZE_MAX;

// The pattern of an entry, in the low bits.
inline std::uint64_t BitsAt(const std::uint8_t* at, posenc_type type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, TypeSize(type));
  return bits;
}

// Exactly so many bytes, so that AddressSanitizer notices one more, at an offset from an aligned address,
// filled with a pattern.
class Memory {
 public:
  explicit Memory(std::size_t size = 0, std::size_t offset = 0,
                  const std::vector<std::uint8_t>& pattern = {0xA5});
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

Place MakePlace(bool apart, Bytes& bytes);

// The memory of a call. Parts that share a block may touch or overlap.
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

  friend bool operator==(const Parts& a, const Parts& b) { return a.blocks_ == b.blocks_; }

 private:
  std::vector<Memory> blocks_;
  std::vector<std::uint8_t*> at_;
};

// Memory that an argument claims. Sizes are long doubles, which hold those that do not fit the address space.
struct Claim {
  std::uintptr_t begin, end;
  bool is_written;

  Claim(const std::uint8_t* at, std::size_t size, bool written)
      : begin(reinterpret_cast<std::uintptr_t>(at)), end(begin + size), is_written(written) {}
};

// Whether something that is written shares a byte with anything else.
bool Conflict(const std::vector<Claim>& claims);

// A fuzzer owns memory of up to kOwned bytes a part. Calls that claim more are made only if they claim more
// than there can be, and must then be refused before they touch a byte.
constexpr std::size_t kOwned = 1 << 16, kMostRows = 1000;
inline bool ExceedsAddresses(long double extent) { return extent > static_cast<long double>(PTRDIFF_MAX); }
inline bool IsOwned(long double extent) { return extent <= kOwned; }
inline std::size_t Held(long double extent) {
  return IsOwned(extent) ? static_cast<std::size_t>(extent) : kOwned;
}

// Bytes from the first row's first entry to the last row's last one: of rows, batches, heads. 0 if any count
// is 0; of more than kMostRows rows more than is owned.
struct Step {
  std::size_t count, stride;
};
long double Extent(std::initializer_list<Step> steps, std::size_t width, std::size_t size);

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_FUZZING_H_
