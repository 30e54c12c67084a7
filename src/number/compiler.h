// All that is neither plain C++17 nor Highway. Only some compilers or processors have it, so each part has a
// portable alternative or an #error.
#ifndef POSENC_SRC_NUMBER_COMPILER_H_
#define POSENC_SRC_NUMBER_COMPILER_H_

#include <cstdint>
#include <cstring>

#include "number/exact.h"

// POSENC_X86: an x86 that computes doubles by SSE2, as GCC and Clang or MSVC call it.
#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
#define POSENC_X86 1
#include <xmmintrin.h>
#endif

// Marks a lambda that a hot loop calls: HWY_ATTR, and HWY_INLINE where -O2 would not inline it.
#if defined(__GNUC__)
#define POSENC_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))
#else
#define POSENC_INLINE_LAMBDA HWY_ATTR
#endif

// Marks a function that compilers should inline, although it is large and has several callers.
#if defined(__GNUC__)
#define POSENC_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define POSENC_INLINE __forceinline
#else
#define POSENC_INLINE inline
#endif

// Marks a function whose frame is so large that the other paths of its callers should not have it.
#if defined(__GNUC__)
#define POSENC_NOINLINE __attribute__((noinline))
#elif defined(_MSC_VER)
#define POSENC_NOINLINE __declspec(noinline)
#else
#define POSENC_NOINLINE
#endif

// Marks a function of which GCC should make no copy with other parameters: the linker would not merge the
// copies of two object files.
#if defined(__GNUC__) && !defined(__clang__)
#define POSENC_NOCLONE __attribute__((noclone))
#else
#define POSENC_NOCLONE
#endif

// Marks a pointer: what is written through it is not read through another one.
#if defined(__GNUC__) || defined(_MSC_VER)
#define POSENC_RESTRICT __restrict
#else
#define POSENC_RESTRICT
#endif

// Marks a loop that should not be unrolled. It stands before the loop.
#if defined(__clang__)
#define POSENC_ROLLED _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#define POSENC_ROLLED _Pragma("GCC unroll 1")
#else
#define POSENC_ROLLED
#endif

namespace posenc {
namespace internal {

// Whether the high word of a 64-bit number comes first in memory.
#ifdef __BYTE_ORDER__
inline constexpr bool kBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
#else
inline constexpr bool kBigEndian = false;  // compilers without the macro know no such machine
#endif

// Orders streaming stores before all later stores, by waiting until they are done.
inline void FenceStreams() {
#ifdef POSENC_X86
  _mm_sfence();
#endif
}

// The high half of a * b + c + d, which never exceeds 128 bits.
inline std::uint64_t MultiplyAdd(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                                 std::uint64_t* low) {
#ifdef __SIZEOF_INT128__
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 sum = static_cast<Uint128>(a) * b + c + d;
  *low = static_cast<std::uint64_t>(sum);
  return static_cast<std::uint64_t>(sum >> 64);
#else
  const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
  const std::uint64_t low0 = a0 * b0, mid0 = a1 * b0, mid1 = a0 * b1;
  const std::uint64_t carry = ((low0 >> 32) + (mid0 & 0xFFFFFFFFu) + (mid1 & 0xFFFFFFFFu)) >> 32;
  std::uint64_t high = a1 * b1 + (mid0 >> 32) + (mid1 >> 32) + carry;
  std::uint64_t sum = a * b + c;
  high += sum < c ? 1 : 0;
  sum += d;
  high += sum < d ? 1 : 0;
  *low = sum;
  return high;
#endif
}

// a + b + *carry. *carry is 0 or 1, and becomes the carry out.
inline std::uint64_t AddLimbs(std::uint64_t a, std::uint64_t b, std::uint64_t* carry) {
#ifdef __SIZEOF_INT128__
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 sum = static_cast<Uint128>(a) + b + *carry;
  *carry = static_cast<std::uint64_t>(sum >> 64);
  return static_cast<std::uint64_t>(sum);
#else
  const std::uint64_t sum = a + b, all = sum + *carry;
  *carry = (sum < b ? 1 : 0) | (all < sum ? 1 : 0);
  return all;
#endif
}

// The number of zero bits above the highest bit of x, which is not 0.
inline int LeadingZeros(std::uint64_t x) {
#ifdef __GNUC__
  return __builtin_clzll(x);
#else
  int zeros = 0;
  for (int step = 32; step > 0; step /= 2) {
    if ((x >> (64 - step)) == 0) {
      zeros += step;
      x <<= step;
    }
  }
  return zeros;
#endif
}

// The address of p. A line to prefetch may lie beyond any array, where no pointer may point. So its address
// is an integer.
inline std::uintptr_t AddressOf(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// Prefetch a line of memory into the first- or the second-level cache. The address may be invalid. (GCC drops
// calls of functions that only prefetch, but not of these.)
// NOLINTBEGIN(performance-no-int-to-ptr)
#if defined(__GNUC__)
#define POSENC_PREFETCHES __attribute__((always_inline)) inline void
POSENC_PREFETCHES PrefetchNear(std::uintptr_t line) {
  __builtin_prefetch(reinterpret_cast<const void*>(line), 0, 3);
}
POSENC_PREFETCHES PrefetchFar(std::uintptr_t line) {
  __builtin_prefetch(reinterpret_cast<const void*>(line), 0, 2);
}
#elif defined(POSENC_X86)
#define POSENC_PREFETCHES inline void
POSENC_PREFETCHES PrefetchNear(std::uintptr_t line) {
  _mm_prefetch(reinterpret_cast<const char*>(line), _MM_HINT_T0);
}
POSENC_PREFETCHES PrefetchFar(std::uintptr_t line) {
  _mm_prefetch(reinterpret_cast<const char*>(line), _MM_HINT_T1);
}
#else
#define POSENC_PREFETCHES inline void
POSENC_PREFETCHES PrefetchNear(std::uintptr_t /*line*/) {}
POSENC_PREFETCHES PrefetchFar(std::uintptr_t /*line*/) {}
#endif
// NOLINTEND(performance-no-int-to-ptr)

// The registers of the floating-point environment. Call Read, then SetDefault, then Restore. The C library's
// fegetenv is not used: it is in libm, and need not know how this processor flushes subnormal numbers.
#if defined(__aarch64__)
class FpRegisters {
 public:
  void Read() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(control_));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status_));
  }
  void SetDefault() const {
    if (control_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
  }
  void Restore() const {
    if (control_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(control_));
    __asm__ volatile("msr fpsr, %0" : : "r"(status_));
  }

 private:
  std::uint64_t control_, status_;
};
#elif defined(__wasm__)
class FpRegisters {  // WebAssembly has no such registers and always computes in the default environment
 public:
  void Read() {}
  void SetDefault() const {}
  void Restore() const {}
};
#else
// One register holds everything: rounding, masks, flushing, flags.
#if defined(POSENC_X86)
struct FpRegister {
  using Value = unsigned;
  static constexpr Value kDefault = 0x1F80, kFlags = 0x3F;
  static Value Get() { return _mm_getcsr(); }
  static void Set(Value value) { _mm_setcsr(value); }
};
#elif defined(__riscv_flen)
struct FpRegister {
  using Value = unsigned long;
  static constexpr Value kDefault = 0, kFlags = 0x1F;
  static Value Get() {
    Value value;
    __asm__ volatile("frcsr %0" : "=r"(value));
    return value;
  }
  static void Set(Value value) { __asm__ volatile("fscsr %0" : : "r"(value)); }
};
#elif defined(__powerpc64__)
struct FpRegister {
  using Value = std::uint64_t;
  static constexpr Value kDefault = 0, kFlags = ~Value{0xFF};
  static Value Get() {
    double bits;
    __asm__ volatile("mffs %0" : "=d"(bits));
    Value value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  static void Set(Value value) {
    double bits;
    std::memcpy(&bits, &value, sizeof(bits));
    __asm__ volatile("mtfsf 255, %0" : : "d"(bits));  // only the lower half, which controls doubles
  }
};
#elif defined(__s390x__)
struct FpRegister {
  using Value = unsigned;
  static constexpr Value kDefault = 0, kFlags = 0x00F80000;
  static Value Get() {
    Value value;
    __asm__ volatile("efpc %0" : "=d"(value));
    return value;
  }
  static void Set(Value value) { __asm__ volatile("sfpc %0" : : "d"(value)); }
};
#elif defined(__arm__) && defined(__ARM_FP)
struct FpRegister {
  using Value = unsigned;
  static constexpr Value kDefault = 0, kFlags = 0xF800009F;
  static Value Get() {
    Value value;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(value));
    return value;
  }
  static void Set(Value value) { __asm__ volatile("vmsr fpscr, %0" : : "r"(value)); }
};
#else
#error "posenc sets the floating-point state of its calls: say here how this processor's is read and written"
#endif
class FpRegisters {
 public:
  void Read() { saved_ = FpRegister::Get(); }
  void SetDefault() const {
    if ((saved_ & ~FpRegister::kFlags) != FpRegister::kDefault) FpRegister::Set(FpRegister::kDefault);
  }
  void Restore() const {
    if (FpRegister::Get() != saved_) FpRegister::Set(saved_);
  }

 private:
  FpRegister::Value saved_;
};
#endif

// How the processor treats subnormal numbers. On Intel's processors a product takes some 150 cycles if an
// operand or the result is subnormal. Processors other than x86 tell nothing here, and are not changed.
#ifdef POSENC_X86
class Subnormals {
 public:
  // Reads the state, and forgets what operations have met before.
  void Begin() {
    const FpRegister::Value value = FpRegister::Get();
    state_ = value & ~kMet;
    if (value != state_) FpRegister::Set(state_);
  }
  // Whether an operation has met a subnormal number since Begin or Keep: an operand, or an inexact result.
  static bool WereMet() { return (FpRegister::Get() & kMet) != 0; }
  // From now on a subnormal result is 0, and so is a subnormal operand if `operands` is set. Such a zero
  // costs nothing.
  void Flush(bool operands) const {
    FpRegister::Set(state_ | kFlushResults | (operands ? kFlushOperands : 0));
  }
  // Ends Flush.
  void Keep() const { FpRegister::Set(state_); }

 private:
  static constexpr FpRegister::Value kMet = 0x12, kFlushOperands = 0x40, kFlushResults = 0x8000;

  FpRegister::Value state_ = FpRegister::kDefault;
};
#else
class Subnormals {
 public:
  void Begin() {}
  static bool WereMet() { return false; }
  void Flush(bool /*operands*/) const {}
  void Keep() const {}
};
#endif

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_COMPILER_H_
