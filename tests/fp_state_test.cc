// Whatever floating-point state the caller has set, the bits are the same; and the state, control and
// status, comes back as it was.
#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <string>
#include <vector>

#include "per_target.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace posenc {
namespace {

#if defined(__SSE2__)
using Control = std::uint32_t;
constexpr Control kFlush = 0x8040;  // FTZ, DAZ
Control GetControl() { return _mm_getcsr(); }
void SetControl(Control control) { _mm_setcsr(control); }
#elif defined(__aarch64__)
using Control = std::uint64_t;
constexpr Control kFlush = Control{1} << 24;  // FZ
Control GetControl() {
  Control control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
void SetControl(Control control) { __asm__ volatile("msr fpcr, %0" : : "r"(control)); }
#else
using Control = int;
constexpr Control kFlush = 0;  // not known here
Control GetControl() { return std::fegetround(); }
void SetControl(Control control) { std::fesetround(control); }
#endif

struct Mode {
  const char* name;
  int rounding;
  Control control;  // set in addition
  bool trap;        // unmask all exceptions
};

const Mode kModes[] = {
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
  ~ModeScope() { std::fesetenv(&saved_); }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  std::fenv_t saved_;
};

// All that a call must leave as it was.
struct State {
  Control control;  // on x86 with the status flags of SSE
  int flags, rounding, trapped;

  static State Get() {
    State state{GetControl(), std::fetestexcept(FE_ALL_EXCEPT), std::fegetround(), 0};
#ifdef __GLIBC__
    state.trapped = fegetexcept();
#endif
    return state;
  }
};

// Runs `work` in a mode, with some status flags raised, and expects the state untouched.
template <class Work>
void RunIn(const Mode& mode, int raised, const Work& work) {
  State before{}, after{};
  {
    const ModeScope scope(mode);
    if (!mode.trap && raised != 0) std::feraiseexcept(raised);
    before = State::Get();
    work();
    after = State::Get();
  }
  EXPECT_EQ(after.control, before.control);
  EXPECT_EQ(after.flags, before.flags);
  EXPECT_EQ(after.rounding, before.rounding);
  EXPECT_EQ(after.trapped, before.trapped);
}

// Everything that a caller may call, into memory that is there already.
struct Calls {
  Status created = Status::kNotCreated;
  Encoder encoder;
  double last_frequency = 0.0;
  std::vector<float> written, at, added;

  void Run(const Spec& spec, std::int64_t first, std::size_t rows) {
    created = Encoder::Create(spec, &encoder);
    last_frequency = encoder.frequencies().Radians(encoder.frequencies().count() - 1);
    const std::int64_t positions[] = {0, -1, first, kMaxPosition};
    encoder.Write(first, rows, written.data(), spec.dim);
    encoder.WriteAt(positions, 4, at.data(), spec.dim);
    encoder.Add(first, rows, added.data(), spec.dim, 0.3f);
  }
};

class FpState : public PerTarget {};

TEST_P(FpState, DoesNotChangeTheBitsAndIsLeftAsItWas) {
  for (const Recipe recipe : {Recipe::kExact, Recipe::kF32PowDiv}) {
    for (const double scale : {1.0, 0x1p-100}) {  // 2^-100: tiny phases, which flushing must not touch
      if (recipe != Recipe::kExact && scale != 1.0) continue;
      Spec spec = MakeSpec(37, target());
      spec.recipe = recipe;
      spec.position_scale = scale;
      const std::size_t rows = IsReference() ? 5 : 100;
      const auto prepare = [&] {
        Calls calls;
        calls.written.resize(rows * spec.dim);
        calls.at.resize(4 * spec.dim);
        for (std::size_t k = 0; k < rows * spec.dim; ++k) {
          calls.added.push_back(0x1p-130f * static_cast<float>(k));  // subnormal ones among them
        }
        return calls;
      };
      Calls want = prepare();
      want.Run(spec, 1000, rows);
      ASSERT_EQ(want.created, Status::kOk);
      for (const Mode& mode : kModes) {
        for (const int raised : {0, FE_INVALID, FE_INEXACT | FE_UNDERFLOW}) {
          SCOPED_TRACE(std::string(mode.name) + ", flags " + std::to_string(raised));
          Calls got = prepare();
          RunIn(mode, raised, [&] { got.Run(spec, 1000, rows); });
          EXPECT_EQ(got.created, Status::kOk);
          EXPECT_EQ(got.last_frequency, want.last_frequency);
          EXPECT_TRUE(SameBits(got.written, want.written));
          EXPECT_TRUE(SameBits(got.at, want.at));
          EXPECT_TRUE(SameBits(got.added, want.added));
        }
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(FpState);

// The modes above are really set: an addition shows the rounding, a subnormal product the flushing.
TEST(FpStateOfThisTest, TakesEffect) {
  volatile float one = 1.0f, tiny = 0x1p-60f, small = 0x1p-130f;
  const auto in = [](const Mode& mode, const auto& compute) {
    const ModeScope scope(mode);
    volatile float result = compute();
    return result;
  };
  EXPECT_GT(in({"Upward", FE_UPWARD, 0, false}, [&] { return one + tiny; }), 1.0f);
  EXPECT_LT(in({"Downward", FE_DOWNWARD, 0, false}, [&] { return one - tiny; }), 1.0f);
  if (kFlush == 0) GTEST_SKIP() << "flushing subnormals is not known on this platform";
  EXPECT_EQ(in({"Flush", FE_TONEAREST, kFlush, false}, [&] { return small * one; }), 0.0f);
}

}  // namespace
}  // namespace posenc
