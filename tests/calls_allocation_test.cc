// Only the creation of a handle allocates, and it allocates one block. Calls that need 1,024 bits do not
// allocate either. If memory is lacking, creation fails and says so.
#include <gtest/gtest.h>

#include <cstddef>

#include "allocations.h"
#include "hard_calls.h"
#include "per_target.h"

namespace posenc {
namespace {

class CallsAllocation : public PerTarget {};

TEST_P(CallsAllocation, OnlyCreationAllocates) {
  for (int kind = 0; kind < kHardKinds; ++kind) {
    Setting setting(target(), IsReference() ? 9 : 131, IsReference() ? 2 : 7);
    SetHardKind(kind, &setting);
    ASSERT_TRUE(setting.Create());
    ForEachCall(setting, [&](Call& call) {
      MakeHard(&call);
      const std::size_t before = allocations;
      const posenc_status status = call();
      EXPECT_EQ(allocations, before + (call.function.Allocates() ? 1 : 0))
          << call.function.name;  // the counter works
      EXPECT_EQ(status, POSENC_OK) << call.function.name;
    });
  }
}

TEST_P(CallsAllocation, NoneOfARefusedCall) {
  Setting setting(target());
  ASSERT_TRUE(setting.Create());
  ForEachCall(setting, [&](Call& call) {
    if (call.runs.empty()) return;
    *call.runs[0].first = call.runs[0].most + 1;
    const std::size_t before = allocations;
    const posenc_status status = call();
    EXPECT_EQ(allocations, before) << call.function.name;  // the counter works
    EXPECT_NE(status, POSENC_OK) << call.function.name;
  });
}

TEST_P(CallsAllocation, OutOfMemoryIsAStatus) {
  const Setting setting(target(), 64);
  ForEachCall(setting, [&](Call& call) {
    if (!call.function.Allocates()) return;
    const auto before = call.Results();
    exhausted = true;
    const posenc_status status = call();
    exhausted = false;
    EXPECT_EQ(status, Refusal(POSENC_NO_MEMORY, "could not be allocated")) << call.function.name;
    EXPECT_TRUE(call.Results() == before) << call.function.name;
  });
}

POSENC_INSTANTIATE_PER_TARGET(CallsAllocation);

}  // namespace
}  // namespace posenc
