// Floating-point states that a caller may have set, and a check that a call does not change them.
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
inline constexpr Control kFlush = 0;  // unknown on this platform
inline Control GetControl() { return std::fegetround(); }
inline void SetControl(Control control) { std::fesetround(control); }
#endif

// The x87's rounding, precision and exceptions, both masked and raised. C libraries for Windows keep them
// apart from the state of SSE.
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
  Control control;  // more control bits to set
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

// Sets a mode for the lifetime of the object. Status flags are cleared first.
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
    SetControl(control_);  // MinGW's fesetenv does not restore it
  }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  const Control control_ = GetControl();
  std::fenv_t saved_;
};

// The state that a call must not change.
struct State {
  Control control;  // on x86 includes the status flags of SSE
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
#ifdef __MINGW32__  // its C library raises exceptions on the x87 only
  SetControl(GetControl() | static_cast<Control>(flags));
#endif
}

// Runs `work` in a mode with some status flags raised, and expects that the state does not change.
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
