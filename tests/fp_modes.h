// Floating-point states that a caller may have set, and that what is done in one leaves it as it was.
#ifndef POSENC_TESTS_FP_MODES_H_
#define POSENC_TESTS_FP_MODES_H_

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace posenc {

#if defined(__SSE2__) || defined(_M_X64)
using Control = std::uint32_t;
inline constexpr Control kFlush = 0x8040;  // FTZ, DAZ
inline Control GetControl() { return _mm_getcsr(); }
inline void SetControl(Control control) { _mm_setcsr(control); }
#elif defined(__aarch64__)
using Control = std::uint64_t;
inline constexpr Control kFlush = Control{1} << 24;  // FZ
inline Control GetControl() {
  Control control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void SetControl(Control control) { __asm__ volatile("msr fpcr, %0" : : "r"(control)); }
#else
using Control = int;
inline constexpr Control kFlush = 0;  // not known here
inline Control GetControl() { return std::fegetround(); }
inline void SetControl(Control control) { std::fesetround(control); }
#endif

// The x87's rounding, precision and exceptions, masked and seen, which C libraries of Windows keep apart.
inline std::uint32_t GetX87() {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  std::uint16_t control, status;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  __asm__ volatile("fnstsw %0" : "=m"(status));
  return static_cast<std::uint32_t>(control) << 16 | status;
#else
  return 0;
#endif
}

struct Mode {
  const char* name;
  int rounding;
  Control control;  // set in addition
  bool trap;        // unmask all exceptions
};

inline const Mode kModes[] = {
    {"Default", FE_TONEAREST, 0, false},    {"Upward", FE_UPWARD, 0, false},
    {"Downward", FE_DOWNWARD, 0, false},    {"TowardZero", FE_TOWARDZERO, 0, false},
    {"Flush", FE_TONEAREST, kFlush, false}, {"UpwardFlush", FE_UPWARD, kFlush, false},
#ifdef __GLIBC__
    {"Trap", FE_TONEAREST, 0, true},        {"DownwardFlushTrap", FE_DOWNWARD, kFlush, true},
#endif
};

// Sets a mode for its lifetime; all status flags start cleared.
class ModeScope {
 public:
  explicit ModeScope(const Mode& mode) {
    std::fegetenv(&saved_);
    std::fesetround(mode.rounding);
    if (mode.control != 0) SetControl(GetControl() | mode.control);
    std::feclearexcept(FE_ALL_EXCEPT);
#ifdef __GLIBC__
    if (mode.trap) feenableexcept(FE_ALL_EXCEPT);
#endif
  }
  ~ModeScope() {
    std::fesetenv(&saved_);
    SetControl(control_);  // which MinGW's fesetenv leaves as it is
  }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  const Control control_ = GetControl();
  std::fenv_t saved_;
};

// All that a call must leave as it was.
struct State {
  Control control;  // on x86 with the status flags of SSE
  std::uint32_t x87;
  int flags, rounding, trapped;

  static State Get() {
    State state{GetControl(), GetX87(), std::fetestexcept(FE_ALL_EXCEPT), std::fegetround(), 0};
#ifdef __GLIBC__
    state.trapped = fegetexcept();
#endif
    return state;
  }
};

inline void Raise(int flags) {
  std::feraiseexcept(flags);
#ifdef __MINGW32__  // whose C library raises them on the x87 only
  SetControl(GetControl() | static_cast<Control>(flags));
#endif
}

// Runs `work` in a mode, with some status flags raised, and expects the state untouched.
template <class Work>
void RunIn(const Mode& mode, int raised, const Work& work) {
  State before{}, after{};
  {
    const ModeScope scope(mode);
    if (!mode.trap && raised != 0) Raise(raised);
    before = State::Get();
    work();
    after = State::Get();
  }
  EXPECT_EQ(after.control, before.control);
  EXPECT_EQ(after.x87, before.x87);
  EXPECT_EQ(after.flags, before.flags);
  EXPECT_EQ(after.rounding, before.rounding);
  EXPECT_EQ(after.trapped, before.trapped);
}

}  // namespace posenc

#endif  // POSENC_TESTS_FP_MODES_H_
