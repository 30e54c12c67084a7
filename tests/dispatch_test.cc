// The table of kernels: a build that loses a target fails here, and the list that was tested is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "hwy/highway.h"  // its version
#include "kernels.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr const char* kSimple = "SCALAR|EMU128";  // either will do; which one depends on the compiler
[[maybe_unused]] constexpr bool kHighway12 = HWY_MAJOR > 1 || HWY_MINOR >= 2;

// The targets that a build for this platform must contain, with Highway 1.0.3 or with 1.2.0 and every later
// version.
std::vector<std::string> Expected() {
#if defined(POSENC_ONE_TARGET)  // whichever the compiler's flags say
  return {kReference};
#elif defined(__x86_64__)
  return {"AVX3_DL", "AVX3", "AVX2", "SSE4", "SSSE3", kSimple, kReference};
#elif defined(__aarch64__) && defined(__clang__)
  return {"NEON", kSimple, kReference};
#elif defined(__aarch64__)
  return {"SVE2_128", "SVE_256", "SVE2", "SVE", "NEON", kSimple, kReference};
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
  if (kHighway12) return {"PPC10", "PPC9", "PPC8", kSimple, kReference};
#elif defined(__s390x__) && defined(__VEC__)
  if (kHighway12) return {"Z15", "Z14", kSimple, kReference};
#elif defined(__riscv_v)
  if (kHighway12) return {"RVV", kSimple, kReference};
#endif
  return {kSimple, kReference};
}

bool Matches(const std::string& name, const std::string& alternatives) {
  return ("|" + alternatives + "|").find("|" + name + "|") != std::string::npos;
}

TEST(Dispatch, ExpectedTargetsOfThisPlatformAreCompiled) {
  const std::vector<Target> targets = CompiledTargets();
  for (const std::string& expected : Expected()) {
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
  std::printf("Highway %d.%d, targets executed:%s\ntargets that this CPU lacks:%s\n", HWY_MAJOR, HWY_MINOR,
              executed.c_str(), lacking.empty() ? " none" : lacking.c_str());
  EXPECT_FALSE(executed.empty());
}

// Under emulation the CPU is known, and with it what must run: "SVE NEON SCALAR REFERENCE".
TEST(Dispatch, TheTargetsExpectedOfThisCpuAreExecuted) {
  const char* expected = std::getenv("POSENC_EXPECTED_TARGETS");
  if (expected == nullptr) GTEST_SKIP() << "POSENC_EXPECTED_TARGETS is not set";
  std::string executed;
  for (const Target& target : RunnableTargets())
    executed += std::string(executed.empty() ? "" : " ") + target.name;
  EXPECT_EQ(executed, expected);
}

}  // namespace
}  // namespace posenc
