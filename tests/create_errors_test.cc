// Bad input to Create: every status has a case that produces it and a message of its own, and the objects
// that were to be created keep their old contents. call_errors_test.cc has the statuses of calls.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kDim = 8;

TEST(StatusMessages, AreDistinctSentences) {
  std::set<std::string> messages;
  for (int value = 0; value <= static_cast<int>(Status::kBadStructSize); ++value) {
    const char* message = StatusMessage(static_cast<Status>(value));
    ASSERT_NE(message, nullptr) << value;
    EXPECT_STRNE(message, "") << value;
    EXPECT_TRUE(messages.insert(message).second) << value << ": " << message;
  }
  EXPECT_EQ(messages.count(StatusMessage(static_cast<Status>(4711))), 0u);
  EXPECT_STRNE(StatusMessage(static_cast<Status>(-1)), "");
}

// Create fails with `want`, and the objects that it was to fill still work as before.
void ExpectCreateFails(const Spec& spec, Status want) {
  Encoder encoder = Create(MakeSpec(kDim));
  const std::vector<float> before = Write(encoder, 7, 3);
  EXPECT_EQ(Encoder::Create(spec, &encoder), want);
  EXPECT_EQ(encoder.dim(), kDim);
  EXPECT_TRUE(SameBits(Write(encoder, 7, 3), before));
  if (want == Status::kBadLayout) return;  // not a property of frequencies

  Frequencies frequencies;
  ASSERT_EQ(Frequencies::Create(MakeSpec(kDim), &frequencies), Status::kOk);
  const double last = frequencies.Radians(3);
  EXPECT_EQ(Frequencies::Create(spec, &frequencies), want);
  EXPECT_EQ(frequencies.count(), kDim / 2);
  EXPECT_EQ(frequencies.Radians(3), last);
}

void ExpectCreates(const Spec& spec) {
  Encoder encoder;
  EXPECT_EQ(Encoder::Create(spec, &encoder), Status::kOk);
  EXPECT_EQ(encoder.dim(), spec.dim);
}

TEST(CreateErrors, NullPointer) {
  EXPECT_EQ(Encoder::Create(MakeSpec(kDim), nullptr), Status::kNullPointer);
  EXPECT_EQ(Frequencies::Create(MakeSpec(kDim), nullptr), Status::kNullPointer);
}

TEST(CreateErrors, BadDim) {
  ExpectCreateFails(Spec(), Status::kBadDim);
  ExpectCreateFails(MakeSpec(kMaxDim + 1), Status::kBadDim);
  ExpectCreateFails(MakeSpec(std::numeric_limits<std::size_t>::max()), Status::kBadDim);
  ExpectCreates(MakeSpec(1));
}

TEST(CreateErrors, BadBase) {
  for (const double base : {kNaN, kInfinity, -kInfinity, 0.0, -0.0, -10000.0}) {
    Spec spec = MakeSpec(kDim);
    spec.base = base;
    ExpectCreateFails(spec, Status::kBadBase);
  }
}

TEST(CreateErrors, BadExponentDim) {
  for (const double exponent_dim : {kNaN, kInfinity, -kInfinity, 0.0, -0.0}) {
    Spec spec = MakeSpec(kDim);
    spec.exponent_dim = exponent_dim;
    ExpectCreateFails(spec, Status::kBadExponentDim);
  }
}

TEST(CreateErrors, BadPositionScale) {
  Spec spec = MakeSpec(kDim);
  for (const double scale : {kNaN, kInfinity, -kInfinity}) {
    spec.position_scale = scale;
    ExpectCreateFails(spec, Status::kBadPositionScale);
  }
  spec.position_scale = 0.5;
  spec.recipe = Recipe::kF32PowDiv;
  ExpectCreateFails(spec, Status::kBadPositionScale);
}

TEST(CreateErrors, BadLayoutAndRecipe) {
  Spec spec = MakeSpec(kDim);
  spec.layout = static_cast<Layout>(3);
  ExpectCreateFails(spec, Status::kBadLayout);
  spec = MakeSpec(kDim);
  spec.recipe = static_cast<Recipe>(2);
  ExpectCreateFails(spec, Status::kBadRecipe);
}

TEST(CreateErrors, FrequencyOutOfRange) {
  Spec spec = MakeSpec(kDim);
  spec.base = 1.0;
  for (const double limit : {0x1p31, 0x1p-126}) {
    const double outside = std::nextafter(limit, limit > 1.0 ? kInfinity : 0.0);
    for (const double sign : {1.0, -1.0}) {
      spec.position_scale = sign * limit;
      ExpectCreates(spec);
      spec.position_scale = sign * outside;
      ExpectCreateFails(spec, Status::kFrequencyOutOfRange);
    }
  }
  spec.position_scale = 0.0;
  ExpectCreates(spec);
  spec = MakeSpec(kDim);
  for (const double base : {1e-300, 1e300, std::numeric_limits<double>::denorm_min()}) {
    spec.base = base;
    ExpectCreateFails(spec, Status::kFrequencyOutOfRange);
  }
  spec = MakeSpec(kDim);
  for (const double exponent_dim : {1e-3, -1e-3, std::numeric_limits<double>::denorm_min()}) {
    spec.exponent_dim = exponent_dim;
    ExpectCreateFails(spec, Status::kFrequencyOutOfRange);
  }
}

TEST(CreateErrors, UnknownTarget) {
  for (const char* name : {"", "AVX", "avx2", "AVX2 ", "REFERENCE2"}) {
    ExpectCreateFails(MakeSpec(kDim, name), Status::kUnknownTarget);
  }
}

TEST(CreateErrors, UnavailableTarget) {
  bool found = false;
  for (const Target& target : CompiledTargets()) {
    if (target.runnable) continue;
    found = true;
    ExpectCreateFails(MakeSpec(kDim, target.name), Status::kUnavailableTarget);
  }
  if (!found) GTEST_SKIP() << "this CPU runs every compiled target";
}

TEST(NotCreated, IsEmpty) {
  const Encoder encoder;
  EXPECT_EQ(encoder.dim(), 0u);
  EXPECT_STREQ(encoder.target(), "");
  EXPECT_EQ(encoder.frequencies().count(), 0u);
  EXPECT_TRUE(std::isnan(Frequencies().Radians(0)));
}

TEST(Moved, EncodersWork) {
  Encoder first = Create(MakeSpec(kDim));
  const std::vector<float> want = Write(first, 9, 2);
  Encoder second = std::move(first);
  EXPECT_TRUE(SameBits(Write(second, 9, 2), want));
  EXPECT_EQ(first.dim(), 0u);  // NOLINT(bugprone-use-after-move): as before Create
  EXPECT_STREQ(first.target(), "");
  float x = 0.0f;
  EXPECT_EQ(first.Write(0, 1, &x, 1), Status::kNotCreated);
  first = Create(MakeSpec(4));
  second = std::move(first);
  EXPECT_EQ(second.dim(), 4u);
  EXPECT_EQ(first.dim(), kDim);  // NOLINT(bugprone-use-after-move): exchanged
  EXPECT_TRUE(SameBits(Write(first, 9, 2), want));
}

// The documented size: 176 bytes a pair and 12 KB.
TEST(Memory, IsWhatTheHeaderSays) {
  for (const std::size_t dim : {1u, 512u, 1024u, 2048u, 4096u, 1u << 20}) {
    std::size_t bytes = 0;
    ASSERT_EQ(Encoder::MemorySize(MakeSpec(dim), &bytes), Status::kOk);
    EXPECT_LE(bytes, 176 * ((dim + 1) / 2) + 12 * 1024) << "dim " << dim;
  }
}

}  // namespace
}  // namespace posenc
