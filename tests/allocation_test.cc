// After creation nothing allocates; and a creation that cannot allocate says so.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "allocations.h"
#include "every_call.h"
#include "per_target.h"
#include "verify/hard_angles.h"

namespace posenc {
namespace {

class Allocation : public PerTarget {};

TEST_P(Allocation, OnlyCreateAllocates) {
  constexpr std::size_t kDim = 131;
  const std::size_t rows = IsReference() ? 4 : 500;
  for (const PhaseRounding rounding : {PhaseRounding::kNone, PhaseRounding::kF32PowDiv}) {
    Spec spec = MakeSpec(kDim, target());
    spec.phase_rounding = rounding;
    Encoder encoder;
    spec.nan_rows = true;
    const std::size_t before_creation = allocations;
    ASSERT_EQ(Encoder::Create(spec, &encoder), Status::kOk);
    EXPECT_EQ(allocations, before_creation + 1);  // one block; so the counter counts
    ForEachEntryType([&](auto element) {
      EveryCall<decltype(element)> calls(kDim, -100, rows, rows);
      const std::size_t before = allocations;
      const bool ok = calls.Run(encoder);
      encoder.Write(kMaxPosition, rows, calls.out.data(), kDim);  // an error
      const double nan = std::nan("");
      encoder.WriteAt(&nan, 1, calls.out.data(), kDim);
      EXPECT_EQ(allocations, before);
      EXPECT_TRUE(ok);
    });
    const std::size_t before = allocations;
    encoder.Radians(3);
    StatusMessage(Encoder::Create(spec, nullptr));
    posenc_targets(nullptr, 0);
    EXPECT_EQ(allocations, before);
  }
}

// Not even by what takes 1,024 bits.
TEST_P(Allocation, NoneOfTheLastResort) {
  const tools::HardAngle angle = tools::HardAngles()[0];
  Spec spec = MakeSpec(2, target());
  spec.position_scale = angle.scale;
  spec.frequencies = {&angle.frequency, nullptr, 1, FrequencyUnit::kRadians};
  const Encoder encoder = Create(spec);
  double out[2];
  const std::size_t before = allocations;
  EXPECT_EQ(encoder.WriteAt(&angle.position, 1, out, 2), Status::kOk);
  EXPECT_EQ(allocations, before);
}

TEST_P(Allocation, NoneInCallersMemory) {
  const Spec spec = MakeSpec(131, target());
  std::vector<unsigned char> memory(std::size_t{1} << 17);
  const std::size_t before = allocations;
  {
    std::size_t bytes = 0;
    Encoder encoder;
    ASSERT_EQ(Encoder::MemorySize(spec, &bytes), Status::kOk);
    ASSERT_EQ(Encoder::CreateIn(spec, memory.data(), memory.size(), &encoder), Status::kOk);
    ASSERT_LE(bytes, memory.size());
  }
  EXPECT_EQ(allocations, before);
}

TEST_P(Allocation, OutOfMemoryIsAStatus) {
  Encoder encoder = Create(MakeSpec(8));
  const std::vector<float> want = Write(encoder, 7, 3);
  exhausted = true;
  const Status status = Encoder::Create(MakeSpec(64, target()), &encoder);
  exhausted = false;
  EXPECT_EQ(status, Status::kOutOfMemory);
  EXPECT_EQ(encoder.dim(), 8u);
  EXPECT_TRUE(SameBits(Write(encoder, 7, 3), want));
}

POSENC_INSTANTIATE_PER_TARGET(Allocation);

}  // namespace
}  // namespace posenc
