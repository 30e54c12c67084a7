// The table of kernels: a build that loses a target fails here, and the list that was tested is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "kernels.h"
#include "per_target.h"

namespace posenc {
namespace {

// The targets that a build for this platform must contain with Highway 1.0.3 and every later version.
// ("SCALAR|EMU128": either will do; which one depends on the compiler.)
const std::vector<std::string> kExpected = {
#if defined(POSENC_ONE_TARGET)  // whichever the compiler's flags say
#elif defined(__x86_64__)
    "AVX3_DL",  "AVX3", "AVX2", "SSE4", "SSSE3", "SCALAR|EMU128",
#elif defined(__aarch64__) && defined(__clang__)
    "NEON",
#elif defined(__aarch64__)
    "SVE2",
    "SVE",
    "NEON",
#endif
    kReference,
};

bool Matches(const std::string& name, const std::string& alternatives) {
  return ("|" + alternatives + "|").find("|" + name + "|") != std::string::npos;
}

TEST(Dispatch, ExpectedTargetsOfThisPlatformAreCompiled) {
  const std::vector<Target> targets = CompiledTargets();
  for (const std::string& expected : kExpected) {
    EXPECT_TRUE(std::any_of(targets.begin(), targets.end(),
                            [&](const Target& target) { return Matches(target.name, expected); }))
        << expected << " is missing";
  }
#if defined(POSENC_ONE_TARGET)
  EXPECT_EQ(targets.size(), 2u);
#endif
}

TEST(Dispatch, PublicListIsTheKernelTable) {
  std::size_t count = 0;
  const internal::Kernels* const* kernels = internal::AllKernels(&count);
  const std::vector<Target> targets = CompiledTargets();
  ASSERT_EQ(targets.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_STREQ(targets[i].name, kernels[i]->name);
    EXPECT_EQ(targets[i].runnable, internal::IsRunnable(*kernels[i])) << targets[i].name;
    EXPECT_EQ(targets[i].best, kernels[i] == &internal::BestKernels()) << targets[i].name;
  }
}

TEST(Dispatch, NamesAreUnique) {
  std::set<std::string> names;
  for (const Target& target : CompiledTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
  }
}

TEST(Dispatch, ReferenceIsLastAndAlwaysRuns) {
  const std::vector<Target> targets = CompiledTargets();
  ASSERT_FALSE(targets.empty());
  EXPECT_STREQ(targets.back().name, kReference);
  EXPECT_TRUE(targets.back().runnable);
}

TEST(Dispatch, BestIsTheFirstRunnableOne) {
  const std::vector<Target> targets = CompiledTargets();
  const auto first = std::find_if(targets.begin(), targets.end(), [](const Target& t) { return t.runnable; });
  ASSERT_NE(first, targets.end());
  EXPECT_TRUE(first->best);
  EXPECT_EQ(std::count_if(targets.begin(), targets.end(), [](const Target& t) { return t.best; }), 1);
  EXPECT_STREQ(Create(MakeSpec(8)).target(), first->name);
}

class EachTarget : public PerTarget {};

TEST_P(EachTarget, CanBeNamed) { EXPECT_STREQ(Create(MakeSpec(8, target())).target(), target()); }

POSENC_INSTANTIATE_PER_TARGET(EachTarget);

TEST(Dispatch, PrintsTheTargetsThatTheseTestsExecute) {
  std::string executed, lacking;
  for (const Target& target : CompiledTargets()) {
    (target.runnable ? executed : lacking) += std::string(" ") + target.name + (target.best ? "(best)" : "");
  }
  std::printf("targets executed:%s\ntargets that this CPU lacks:%s\n", executed.c_str(),
              lacking.empty() ? " none" : lacking.c_str());
  EXPECT_FALSE(executed.empty());
}

}  // namespace
}  // namespace posenc
