// The floating-point environment of a call: round to nearest, no flushing of subnormals, exceptions
// masked, whatever the caller has set. Control and status come back as they were.
#ifndef POSENC_SRC_FP_STATE_H_
#define POSENC_SRC_FP_STATE_H_

#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace posenc {
namespace internal {

// Saves the state and sets the default one, for the lifetime of the object.
class FpState {
 public:
  FpState(const FpState&) = delete;
  FpState& operator=(const FpState&) = delete;

#if defined(__x86_64__) || defined(__i386__)
  FpState() : saved_(_mm_getcsr()) {
    if ((saved_ & ~kStatusFlags) != kDefault) _mm_setcsr(kDefault);
  }
  ~FpState() {
    if (_mm_getcsr() != saved_) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kStatusFlags = 0x3F;
  static constexpr unsigned kDefault = 0x1F80;
  unsigned saved_;
#elif defined(__aarch64__)
  FpState() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(control_));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status_));
    if (control_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
  }
  ~FpState() {
    if (control_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(control_));
    __asm__ volatile("msr fpsr, %0" : : "r"(status_));
  }

 private:
  std::uint64_t control_, status_;
#else
  FpState() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FpState() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FP_STATE_H_
