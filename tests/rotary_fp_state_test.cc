// Whatever floating-point state the caller has set, a rotary's bits are the same; and the state, control and
// status, comes back as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "rotary_every_call.h"
#include "fp_modes.h"

namespace posenc {
namespace {

// Everything that a caller may call. Of double positions one is a NaN: comparisons with it raise an
// exception.
struct RotaryCalls {
  posenc_rotary_spec spec;
  bool ok = false;
  posenc_status refused = POSENC_OK, bad_scale = POSENC_OK, bad_spec = POSENC_OK;
  double radians = 0.0, amplitude = 0.0;
  EveryRotaryCall<float> float32;
  EveryRotaryCall<BFloat16> bfloat16;
  EveryRotaryCall<Float16> float16;

  explicit RotaryCalls(const posenc_rotary_spec& the_spec)
      : spec(the_spec), float32(the_spec), bfloat16(the_spec), float16(the_spec) {}

  void Run() {
    posenc_rotary* rotary = nullptr;
    ok = posenc_rotary_create(&spec, &rotary) == POSENC_OK;
    ok = ok && float32.Run(rotary) && bfloat16.Run(rotary) && float16.Run(rotary);
    radians = posenc_rotary_radians(rotary, 3);
    amplitude = posenc_rotary_amplitude(rotary);
    const double positions[] = {std::nan(""), 0.1, 0.1, 0.1};
    float x[65536 / 64];
    posenc_heads heads{};
    heads.data = x;
    heads.heads = 1;
    heads.token_stride = spec.head_dim;
    refused = posenc_rotate_at(rotary, POSENC_F64, positions, 1, POSENC_F32, &heads, 1, nullptr);
    heads.scale = std::nan("");
    bad_scale = posenc_rotate(rotary, 0, 1, POSENC_F32, &heads, 1);
    posenc_rotary_destroy(rotary);
    posenc_rotary_spec bad = spec;
    bad.base = std::nan("");
    bad_spec = posenc_rotary_create(&bad, &rotary);
  }

  void ExpectSame(const RotaryCalls& want) const {
    EXPECT_TRUE(ok);
    EXPECT_EQ(refused, POSENC_POSITION_OUT_OF_RANGE);
    EXPECT_EQ(bad_scale, POSENC_BAD_AMPLITUDE);
    EXPECT_EQ(bad_spec, POSENC_BAD_BASE);
    EXPECT_EQ(radians, want.radians);
    EXPECT_EQ(amplitude, want.amplitude);
    const auto expect = [](const auto& got, const auto& right) {
      EXPECT_TRUE(SameBits(got.out, right.out));
      EXPECT_TRUE(SameBits(got.cos, right.cos));
      EXPECT_TRUE(SameBits(got.sin, right.sin));
    };
    expect(float32, want.float32);
    expect(bfloat16, want.bfloat16);
    expect(float16, want.float16);
  }
};

class RotaryFpState : public PerTarget {};

TEST_P(RotaryFpState, DoesNotChangeTheBitsAndIsLeftAsItWas) {
  std::vector<posenc_rotary_spec> specs = RotarySpecsOfEveryKind(target());
  if (IsReference()) specs.resize(2);
  for (const posenc_rotary_spec& spec : specs) {
    RotaryCalls want(spec);
    want.Run();
    ASSERT_TRUE(want.ok);
    for (const Mode& mode : kModes) {
      for (const int raised : {0, FE_INVALID, FE_INEXACT | FE_UNDERFLOW}) {
        SCOPED_TRACE(std::string(mode.name) + ", flags " + std::to_string(raised));
        RotaryCalls got(spec);
        RunIn(mode, raised, [&] { got.Run(); });
        got.ExpectSame(want);
      }
    }
  }
}

// Scalings, whose constants are computed at creation, and the memory that one needs.
TEST_P(RotaryFpState, OfScalings) {
  const double factors[] = {1.5, 0.1, 3.0, 1e3};
  posenc_rotary_spec spec = MakeRotarySpec(8, target());
  spec.factor = 3.7;
  spec.length = 100000.0;
  spec.original_length = 8192.0;
  spec.factors = spec.long_factors = factors;
  spec.factor_count = 4;
  for (posenc_scaling scaling = POSENC_NO_SCALING; scaling <= POSENC_FREQUENCY_FACTORS; ++scaling) {
    spec.scaling = scaling;
    RotaryCalls want(spec);
    want.Run();
    ASSERT_TRUE(want.ok) << scaling;
    for (const Mode& mode : kModes) {
      SCOPED_TRACE(testing::Message() << mode.name << ", scaling " << scaling);
      RotaryCalls got(spec);
      std::size_t bytes = 0, bytes_here = 0;
      ASSERT_EQ(posenc_rotary_memory_size(&spec, &bytes), POSENC_OK);
      RunIn(mode, 0, [&] {
        if (!IsReference()) got.Run();
        posenc_rotary_memory_size(&spec, &bytes_here);
      });
      if (!IsReference()) got.ExpectSame(want);
      EXPECT_EQ(bytes_here, bytes);
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryFpState);

}  // namespace
}  // namespace posenc
