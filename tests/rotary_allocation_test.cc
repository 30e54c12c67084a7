// After the creation of a rotary nothing allocates, not even what takes 1,024 bits; and a creation that
// cannot allocate says so.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "allocations.h"
#include "rotary_every_call.h"

namespace posenc {
namespace {

class RotaryAllocation : public PerTarget {};

TEST_P(RotaryAllocation, OnlyCreateAllocates) {
  for (const posenc_rotary_spec& spec : RotarySpecsOfEveryKind(target())) {
    posenc_rotary* rotary = nullptr;
    std::size_t before = allocations;
    ASSERT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_OK);
    EXPECT_EQ(allocations, before + 1);  // one block; so the counter counts
    ForEachType([&](auto element) {
      EveryRotaryCall<decltype(element)> calls(spec);
      const std::size_t before_calls = allocations;
      const bool ok = calls.Run(rotary);
      posenc_rotate(rotary, kMaxPosition, 5, POSENC_F32, nullptr, 1);  // an error
      EXPECT_EQ(allocations, before_calls);
      EXPECT_TRUE(ok);
    });
    before = allocations;
    std::size_t bytes = 0;
    posenc_rotary_spec preset;
    EXPECT_EQ(posenc_rotary_memory_size(&spec, &bytes), POSENC_OK);
    posenc_rotary_radians(rotary, 3);
    posenc_rotary_spec_preset(&preset, sizeof(preset), "llama3", 128);
    posenc_rotary_presets(nullptr, 0);
    posenc_rotary_destroy(rotary);
    EXPECT_EQ(allocations, before);
  }
}

TEST_P(RotaryAllocation, NoneInCallersMemory) {
  const posenc_rotary_spec spec = MakeRotarySpec(38, target());
  std::vector<unsigned char> memory(std::size_t{1} << 16);
  const std::size_t before = allocations;
  posenc_rotary* rotary = nullptr;
  const posenc_status status = posenc_rotary_create_in(&spec, memory.data(), memory.size(), &rotary);
  posenc_rotary_destroy(rotary);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(status, POSENC_OK);
}

TEST_P(RotaryAllocation, OutOfMemoryIsAStatus) {
  const posenc_rotary_spec spec = MakeRotarySpec(38, target());
  posenc_rotary* rotary = nullptr;
  exhausted = true;
  const posenc_status status = posenc_rotary_create(&spec, &rotary);
  exhausted = false;
  EXPECT_EQ(status, POSENC_OUT_OF_MEMORY);
  EXPECT_EQ(rotary, nullptr);
}

POSENC_INSTANTIATE_PER_TARGET(RotaryAllocation);

}  // namespace
}  // namespace posenc
