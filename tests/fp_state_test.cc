// Whatever floating-point state the caller has set, the bits are the same; and the state, control and
// status, comes back as it was.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "per_target.h"
#include "scalar_formats.h"

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

// What calls give for one type, in memory that is there before.
template <class T>
struct Outputs {
  std::vector<T> written, at, added, embedded, batched;

  Outputs(std::size_t dim, std::size_t rows)
      : written(rows * dim), at(4 * dim), added(rows * dim), embedded(2 * dim), batched(2 * rows * dim) {
    std::size_t k = 0;
    for (auto* x : {&added, &batched}) {
      for (T& value : *x)
        value = Nearest<T>(std::ldexp(static_cast<double>(k % 200), k % 3 == 0 ? -130 : -24)), ++k;
    }
  }

  void Run(const Encoder& encoder, std::int64_t first) {
    const std::size_t dim = encoder.dim(), rows = written.size() / dim;
    const std::int64_t positions[] = {0, -1, first, kMaxPosition};
    const std::int32_t ids[] = {1, 0}, firsts[] = {5, 6};
    encoder.Write(first, rows, written.data(), dim);
    encoder.WriteAt(positions, 4, at.data(), dim);
    encoder.Add(first, rows, added.data(), dim, 0.3f);
    encoder.Embed(ids, 2, added.data(), 2, dim, first, embedded.data(), dim, 0.3f);
    encoder.AddBatch(firsts, 2, rows, batched.data(), rows * dim, dim, 0.3f);
  }

  void ExpectSame(const Outputs& want) const {
    EXPECT_TRUE(SameBits(written, want.written));
    EXPECT_TRUE(SameBits(at, want.at));
    EXPECT_TRUE(SameBits(added, want.added));
    EXPECT_TRUE(SameBits(embedded, want.embedded));
    EXPECT_TRUE(SameBits(batched, want.batched));
  }
};

// Positions of all sizes, one of them a NaN: comparisons with it raise an exception, conversions too.
struct DoubleOutputs {
  static constexpr std::size_t kRows = 7;
  std::vector<float> float32;
  std::vector<double> float64;
  Status refused = Status::kOk;

  explicit DoubleOutputs(std::size_t dim) : float32(kRows * dim), float64(kRows * dim) {}

  void Run(const Encoder& encoder) {
    const std::size_t dim = encoder.dim();
    const double positions[kRows + 1] = {0.1,    -1e9 - 0.3, 0x1p-1074, 0x1.000003p-126,
                                         0x1p31, -0.0,       12.5,      std::nan("")};
    encoder.WriteAt(positions, kRows, float32.data(), dim);
    encoder.WriteAt(positions, kRows, float64.data(), dim);
    refused = encoder.WriteAt(positions, kRows + 1, float64.data(), dim);
  }

  void ExpectSame(const DoubleOutputs& want) const {
    EXPECT_TRUE(SameBits(float32, want.float32));
    EXPECT_TRUE(SameBits(float64, want.float64));
    EXPECT_EQ(refused, Status::kPositionOutOfRange);
  }
};

// Everything that a caller may call.
struct Calls {
  Spec spec;
  std::size_t rows;
  Status created = Status::kNotCreated;
  Encoder encoder;
  double last_frequency = 0.0;
  Outputs<float> float32{spec.dim, rows};
  Outputs<BFloat16> bfloat16{spec.dim, rows};
  Outputs<Float16> float16{spec.dim, rows};
  DoubleOutputs doubles{spec.dim};

  Calls(const Spec& the_spec, std::size_t row_count) : spec(the_spec), rows(row_count) {}

  void Run(std::int64_t first) {
    created = Encoder::Create(spec, &encoder);
    last_frequency = encoder.frequencies().Radians(encoder.frequencies().count() - 1);
    float32.Run(encoder, first);
    bfloat16.Run(encoder, first);
    float16.Run(encoder, first);
    doubles.Run(encoder);
  }

  void ExpectSame(const Calls& want) const {
    EXPECT_EQ(created, Status::kOk);
    EXPECT_EQ(last_frequency, want.last_frequency);
    float32.ExpectSame(want.float32);
    bfloat16.ExpectSame(want.bfloat16);
    float16.ExpectSame(want.float16);
    doubles.ExpectSame(want.doubles);
  }
};

class FpState : public PerTarget {};

TEST_P(FpState, DoesNotChangeTheBitsAndIsLeftAsItWas) {
  for (const Recipe recipe : {Recipe::kExact, Recipe::kF32PowDiv}) {
    // 2^-25 and 2^-100: tiny phases, subnormal as float16, which flushing must not touch.
    for (const double scale : {1.0, 0x1p-25, 0x1p-100}) {
      if (recipe != Recipe::kExact && scale != 1.0) continue;
      Spec spec = MakeSpec(37, target());
      spec.recipe = recipe;
      spec.position_scale = scale;
      const std::size_t rows = IsReference() ? 5 : 100;
      Calls want(spec, rows);
      want.Run(1000);
      ASSERT_EQ(want.created, Status::kOk);
      for (const Mode& mode : kModes) {
        for (const int raised : {0, FE_INVALID, FE_INEXACT | FE_UNDERFLOW}) {
          SCOPED_TRACE(std::string(mode.name) + ", flags " + std::to_string(raised));
          Calls got(spec, rows);
          RunIn(mode, raised, [&] { got.Run(1000); });
          got.ExpectSame(want);
        }
      }
    }
  }
}

// Listed frequencies are converted and compared as well: floats that are NaNs, subnormal, or not for a
// double.
TEST_P(FpState, OfListedFrequencies) {
  const float frequencies[] = {0x1p-126f, 0.1f, 5e8f, 0.0f};
  const float bad[] = {std::nanf(""), 0x1p-149f, 1.0f, 1.0f};
  Spec spec = MakeSpec(8, target());
  spec.frequencies = {nullptr, frequencies, 4, FrequencyUnit::kHalfTurns};
  Spec bad_spec = spec;
  bad_spec.frequencies.floats = bad;
  Calls want(spec, 5);
  want.Run(100);
  ASSERT_EQ(want.created, Status::kOk);
  for (const Mode& mode : kModes) {
    SCOPED_TRACE(mode.name);
    Calls got(spec, 5);
    Status refused = Status::kOk;
    RunIn(mode, 0, [&] {
      got.Run(100);
      refused = Encoder::Create(bad_spec, &got.encoder);
    });
    got.ExpectSame(want);
    EXPECT_EQ(refused, Status::kBadFrequencies);
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
