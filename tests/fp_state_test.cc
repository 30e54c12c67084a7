// Whatever floating-point state the caller has set, the bits are the same; and the state, control and
// status, comes back as it was.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "every_call.h"
#include "fp_modes.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// Everything that a caller may call. Of double positions one is a NaN: comparisons with it raise an
// exception.
struct Calls {
  Spec spec;
  Encoder encoder;
  bool ok = false;
  Status refused = Status::kOk;
  double last_frequency = 0.0;
  EveryCall<float> float32;
  EveryCall<BFloat16> bfloat16;
  EveryCall<Float16> float16;
  EveryCall<double> float64;

  Calls(const Spec& the_spec, std::size_t rows)
      : spec(the_spec),
        float32(spec.dim, 1000, rows, 7),
        bfloat16(spec.dim, 1000, rows, 7),
        float16(spec.dim, 1000, rows, 7),
        float64(spec.dim, 1000, rows, 7) {
    Fill(&float32);
    Fill(&bfloat16);
    Fill(&float16);
  }

  void Run() {
    ok = Encoder::Create(spec, &encoder) == Status::kOk;
    last_frequency = encoder.Radians(encoder.frequency_count() - 1);
    ok = ok && float32.Run(encoder) && bfloat16.Run(encoder) && float16.Run(encoder) && float64.Run(encoder);
    const double positions[] = {0.1, std::nan("")};
    refused = encoder.WriteAt(positions, 2, float64.table.data(), spec.dim);
  }

  void ExpectSame(const Calls& want) const {
    EXPECT_TRUE(ok);
    EXPECT_EQ(refused, Status::kPositionOutOfRange);
    EXPECT_EQ(last_frequency, want.last_frequency);
    EXPECT_TRUE(SameBits(float32.out, want.float32.out));
    EXPECT_TRUE(SameBits(bfloat16.out, want.bfloat16.out));
    EXPECT_TRUE(SameBits(float16.out, want.float16.out));
    EXPECT_TRUE(SameBits(float64.out, want.float64.out));
  }

 private:
  // With numbers that are subnormal, or whose products are.
  template <class T>
  static void Fill(EveryCall<T>* calls) {
    std::size_t k = 0;
    for (std::vector<T>* x : {&calls->out, &calls->table}) {
      for (T& value : *x) {
        value = Nearest<T>(std::ldexp(static_cast<double>(k % 200), k % 3 == 0 ? -130 : -24));
        ++k;
      }
    }
  }
};

class FpState : public PerTarget {};

TEST_P(FpState, DoesNotChangeTheBitsAndIsLeftAsItWas) {
  for (const PhaseRounding rounding : {PhaseRounding::kNone, PhaseRounding::kF32PowDiv}) {
    // 2^-25 and 2^-100: tiny phases, subnormal as float16, which flushing must not touch.
    for (const double scale : {1.0, 0x1p-25, 0x1p-100}) {
      if (rounding != PhaseRounding::kNone && scale != 1.0) continue;
      Spec spec = MakeSpec(37, target());
      spec.phase_rounding = rounding;
      spec.position_scale = scale;
      const std::size_t rows = IsReference() ? 4 : 100;
      Calls want(spec, rows);
      want.Run();
      ASSERT_TRUE(want.ok);
      for (const Mode& mode : kModes) {
        for (const int raised : {0, FE_INVALID, FE_INEXACT | FE_UNDERFLOW}) {
          SCOPED_TRACE(std::string(mode.name) + ", flags " + std::to_string(raised));
          Calls got(spec, rows);
          RunIn(mode, raised, [&] { got.Run(); });
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
  Calls want(spec, 4);
  want.Run();
  ASSERT_TRUE(want.ok);
  for (const Mode& mode : kModes) {
    SCOPED_TRACE(mode.name);
    Calls got(spec, 4);
    Status refused = Status::kOk;
    RunIn(mode, 0, [&] {
      got.Run();
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
