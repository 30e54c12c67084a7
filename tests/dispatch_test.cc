// The list of targets, and the table of kernels for each kind of handle. A build that loses a target fails
// here. The test prints which targets ran.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "hwy/highway.h"  // for its version
#include "kernel/encoder_kernels.h"
#include "kernel/rotary_kernels.h"
#include "kernel/targets.h"
#include "number/cache_size.h"
#include "per_target.h"
#if defined(__linux__)
#include <unistd.h>
#endif

namespace posenc {
namespace {

constexpr const char* kScalar = "SCALAR";
[[maybe_unused]] constexpr bool kHighway12 = HWY_MAJOR > 1 || HWY_MINOR >= 2;

// The targets that a build for this platform must contain, with Highway 1.0.3, or with 1.2.0 and later.
std::vector<std::string> Expected() {
#if defined(POSENC_ONE_TARGET)  // the target that the compiler's flags choose
  return {kReference};
#elif defined(__x86_64__)
  return {"AVX3_DL", "AVX3", "AVX2", "SSE4", kScalar, kReference};
#elif defined(__aarch64__) && defined(__clang__)
  return {"NEON", kScalar, kReference};
#elif defined(__aarch64__)
  return {"SVE2_128", "SVE_256", "SVE2", "SVE", "NEON", kScalar, kReference};
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
  if (kHighway12) return {"PPC10", "PPC9", "PPC8", kScalar, kReference};
#elif defined(__s390x__) && defined(__VEC__)
  if (kHighway12) return {"Z15", "Z14", kScalar, kReference};
#elif defined(__riscv_v)
  if (kHighway12) return {"RVV", kScalar, kReference};
#endif
  return {kScalar, kReference};
}

TEST(Dispatch, ExpectedTargetsOfThisPlatformAreCompiled) {
  const std::vector<posenc_target> targets = CompiledTargets();
  for (const std::string& expected : Expected()) {
    EXPECT_TRUE(std::any_of(targets.begin(), targets.end(),
                            [&](const posenc_target& target) { return target.name == expected; }))
        << expected << " is missing";
  }
#if defined(POSENC_ONE_TARGET)
  EXPECT_EQ(targets.size(), 2u);
#endif
}

TEST(Dispatch, PublicListIsTheListOfCompiledTargets) {
  std::int64_t bits[POSENC_MAX_TARGETS];
  const std::size_t count = internal::CompiledTargets(bits);
  const std::vector<posenc_target> targets = CompiledTargets();
  ASSERT_EQ(targets.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_STREQ(targets[i].name, internal::NameOf(bits[i]));
    EXPECT_EQ(targets[i].runnable, internal::IsRunnable(bits[i]) ? 1 : 0) << targets[i].name;
    EXPECT_EQ(targets[i].best, bits[i] == internal::BestTarget() ? 1 : 0) << targets[i].name;
  }
}

// Each table has all kernels of each compiled target, and no others. No two targets share a row. Rotaries
// have no kernels for the reference.
TEST(Dispatch, EveryNounHasARowPerCompiledTarget) {
  std::int64_t bits[POSENC_MAX_TARGETS];
  const std::size_t count = internal::CompiledTargets(bits);
  const std::set<std::int64_t> compiled(bits, bits + count);
  ASSERT_EQ(compiled.size(), count);
  std::set<const void*> rows;
  for (int n = -1; n < 63; ++n) {
    const std::int64_t bit = n < 0 ? internal::kReferenceTarget : std::int64_t{1} << n;
    const internal::EncoderKernels* encoder = internal::EncoderKernelsOf(bit);
    const internal::RotaryKernels* rotary = internal::RotaryKernelsOf(bit);
    EXPECT_EQ(encoder != nullptr, compiled.count(bit) != 0) << n;
    EXPECT_EQ(rotary != nullptr, compiled.count(bit) != 0 && bit != internal::kReferenceTarget) << n;
    if (encoder == nullptr) continue;
    EXPECT_TRUE(rows.insert(encoder).second) << n;
    for (const posenc_type type : internal::kEntries) {
      EXPECT_NE(encoder->write[type], nullptr) << n << ", type " << type;
      if (!internal::IsSummand(type)) continue;
      EXPECT_NE(encoder->add[type], nullptr) << n << ", type " << type;
      EXPECT_NE(encoder->add_entries[type], nullptr) << n << ", type " << type;
      EXPECT_EQ(encoder->widen[type] != nullptr, type != POSENC_F32) << n << ", type " << type;
    }
    if (rotary == nullptr) continue;
    EXPECT_TRUE(rows.insert(rotary).second) << n;
    EXPECT_TRUE(rotary->sin_cos != nullptr && rotary->offset != nullptr && rotary->add != nullptr) << n;
    EXPECT_TRUE(rotary->pairs_per_pass != nullptr && rotary->resolve != nullptr) << n;
    EXPECT_EQ(rotary->fill_offsets, encoder->fill_offsets) << n;
    const internal::NormKernels& norm = rotary->norm;
    EXPECT_TRUE(norm.sums != nullptr && norm.inverses != nullptr && norm.bound != nullptr) << n;
    EXPECT_TRUE(norm.head != nullptr && norm.part != nullptr && norm.closely != nullptr) << n;
    EXPECT_NE(norm.sum_closely, nullptr) << n;
    EXPECT_TRUE(norm.fast_sum != nullptr && norm.fast_inverses != nullptr && norm.fast != nullptr) << n;
    EXPECT_TRUE(norm.rotate[POSENC_HALF_SPLIT] != nullptr && norm.rotate[POSENC_NEIGHBOURS] != nullptr) << n;
    for (const posenc_type type : internal::kEntries) {
      EXPECT_NE(rotary->round[type], nullptr) << n << ", type " << type;
      EXPECT_EQ(rotary->write[type], rotary->fill_offsets == nullptr ? nullptr : encoder->write[type]) << n;
      if (!internal::IsSummand(type)) continue;
      EXPECT_EQ(rotary->widen[type] != nullptr, type != POSENC_F32) << n << ", type " << type;
      for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
        EXPECT_NE(rotary->pack[type][pairing], nullptr) << n << ", type " << type;
      }
    }
    for (const internal::ElementTypes types : {internal::ElementTypes{POSENC_F32, POSENC_F32},
                                               {POSENC_BF16, POSENC_BF16},
                                               {POSENC_F16, POSENC_F16},
                                               {POSENC_F32, POSENC_BF16},
                                               {POSENC_F32, POSENC_F16}}) {
      const std::size_t index = internal::IndexOf(types);
      EXPECT_NE(rotary->bounded[index], nullptr) << n << ", types " << index;
      EXPECT_NE(rotary->rest[index], nullptr) << n << ", types " << index;
      for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
        EXPECT_NE(rotary->quickly[index][pairing], nullptr) << n << ", types " << index;
        EXPECT_NE(rotary->fast[index][pairing], nullptr) << n << ", types " << index;
      }
    }
  }
}

TEST(Dispatch, NamesAreUniqueTheBestIsTheFirstRunnableTheReferenceLast) {
  std::set<std::string> names;
  std::string best;
  for (const posenc_target& target : CompiledTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_EQ(target.best, best.empty() && target.runnable != 0 ? 1 : 0) << target.name;
    if (target.best != 0) best = target.name;
  }
  EXPECT_EQ(Create(MakeSpec(8)).target(), best);
  EXPECT_STREQ(CompiledTargets().back().name, kReference);
  EXPECT_EQ(CompiledTargets().back().runnable, 1);
}

class EachTarget : public PerTarget {};

TEST_P(EachTarget, CanBeNamed) { EXPECT_STREQ(Create(MakeSpec(8, target())).target(), target()); }

POSENC_INSTANTIATE_PER_TARGET(EachTarget);

TEST(Dispatch, PrintsTheTargetsThatTheseTestsExecute) {
  std::string executed, lacking;
  for (const posenc_target& target : CompiledTargets()) {
    (target.runnable != 0 ? executed : lacking) +=
        std::string(" ") + target.name + (target.best != 0 ? "(best)" : "");
  }
  std::printf("Highway %d.%d, targets executed:%s\ntargets that this CPU lacks:%s\n", HWY_MAJOR, HWY_MINOR,
              executed.c_str(), lacking.empty() ? " none" : lacking.c_str());
  EXPECT_FALSE(executed.empty());
}

TEST(Dispatch, CreationAsksForTheFirstLevelCache) {
  ASSERT_STREQ(Create(MakeSpec(8)).target(), RunnableTargets()[0].name);
#if !defined(POSENC_X86)
  EXPECT_EQ(internal::FirstLevelCacheBytes(), 0u);
#elif defined(_SC_LEVEL1_DCACHE_SIZE)
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  if (bytes <= 0) GTEST_SKIP() << "the system does not tell the size";
  const std::size_t found = internal::FirstLevelCacheBytes();
  if (found == 0 && std::getenv("POSENC_EXPECTED_TARGETS") != nullptr) {
    GTEST_SKIP() << "emulated processors may lack the leaves of CPUID that tell the size";
  }
  EXPECT_EQ(found, static_cast<std::size_t>(bytes));
#else
  GTEST_SKIP() << "the system does not tell the size";
#endif
}

// Under emulation the CPU is known, and so are the targets that must run: "SVE NEON SCALAR REFERENCE".
TEST(Dispatch, TheTargetsExpectedOfThisCpuAreExecuted) {
  const char* expected = std::getenv("POSENC_EXPECTED_TARGETS");
  if (expected == nullptr) GTEST_SKIP() << "POSENC_EXPECTED_TARGETS is not set";
  std::string executed;
  for (const posenc_target& target : RunnableTargets())
    executed += std::string(executed.empty() ? "" : " ") + target.name;
  EXPECT_EQ(executed, expected);
}

}  // namespace
}  // namespace posenc
