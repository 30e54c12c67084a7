// Bad input to creation through the C ABI: a status, nothing written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "c_encoder.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 8;
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();

// Creation in all three ways fails with `want` and sets nothing.
void ExpectCreateFails(const posenc_spec* spec, posenc_status want) {
  alignas(64) static unsigned char memory[1 << 16];
  auto* const untouched = reinterpret_cast<posenc_encoder*>(memory);
  posenc_encoder* encoder = untouched;
  std::size_t bytes = 4711;
  EXPECT_EQ(posenc_encoder_create(spec, &encoder), want) << posenc_status_message(want);
  EXPECT_EQ(posenc_encoder_memory_size(spec, &bytes), want);
  EXPECT_EQ(posenc_encoder_create_in(spec, memory, sizeof(memory), &encoder), want);
  EXPECT_EQ(encoder, untouched);
  EXPECT_EQ(bytes, 4711u);
  EXPECT_TRUE(std::all_of(std::begin(memory), std::end(memory), [](unsigned char b) { return b == 0; }));
}

TEST(CCreateErrors, NullPointers) {
  const posenc_spec spec = ToC(MakeSpec(kDim));
  ExpectCreateFails(nullptr, POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_encoder_create(&spec, nullptr), POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_encoder_memory_size(&spec, nullptr), POSENC_NULL_POINTER);
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&spec, nullptr, 1 << 20, &encoder), POSENC_NULL_POINTER);
  char memory[64];
  EXPECT_EQ(posenc_encoder_create_in(&spec, memory, sizeof(memory), nullptr), POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_spec_init(nullptr, sizeof(spec)), POSENC_NULL_POINTER);
}

TEST(CCreateErrors, StructSize) {
  constexpr std::size_t kFirstSize = sizeof(posenc_spec);
  posenc_spec spec = ToC(MakeSpec(kDim));
  const posenc_spec before = spec;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kFirstSize - 1, std::size_t{4097},
                                 std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(posenc_spec_init(&spec, size), POSENC_BAD_STRUCT_SIZE);
    EXPECT_EQ(std::memcmp(&spec, &before, sizeof(spec)), 0);
    spec.struct_size = size;
    ExpectCreateFails(&spec, POSENC_BAD_STRUCT_SIZE);
    spec = before;
  }
}

// A caller with a newer header: fine while what this version lacks is not used.
TEST(CCreateErrors, NewerStructs) {
  struct Newer {
    posenc_spec spec;
    std::int64_t member;
  } newer;
  newer.member = 1;
  ASSERT_EQ(posenc_spec_init(&newer.spec, sizeof(newer)), POSENC_OK);
  EXPECT_EQ(newer.member, 0);
  newer.spec.dim = kDim;
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create(&newer.spec, &encoder), POSENC_OK);
  posenc_encoder_destroy(encoder);
  newer.member = std::int64_t{1} << 56;
  ExpectCreateFails(&newer.spec, POSENC_BAD_STRUCT_SIZE);
  posenc_spec spec = ToC(MakeSpec(kDim));
  spec.reserved = 1;
  ExpectCreateFails(&spec, POSENC_BAD_STRUCT_SIZE);
}

// A member that is added later must not fall into padding, where struct_size does not tell.
static_assert(offsetof(posenc_spec, reserved) + sizeof(posenc_spec::reserved) == sizeof(posenc_spec), "");

TEST(CCreateErrors, UnknownValues) {
  const posenc_spec good = ToC(MakeSpec(kDim));
  for (const std::int32_t value : {kMinInt, -1, 3, 255, 256, 257, 65536, kMaxInt}) {
    posenc_spec spec = good;
    spec.layout = value;
    ExpectCreateFails(&spec, POSENC_BAD_LAYOUT);
    spec = good;
    spec.recipe = value;
    ExpectCreateFails(&spec, POSENC_BAD_RECIPE);
  }
  posenc_spec spec = good;
  spec.target = "";
  ExpectCreateFails(&spec, POSENC_UNKNOWN_TARGET);
}

TEST(CCreateErrors, BadNumbers) {
  const posenc_spec good = ToC(MakeSpec(kDim));
  posenc_spec spec = good;
  spec.dim = 0;
  ExpectCreateFails(&spec, POSENC_BAD_DIM);
  spec = good;
  spec.base = 0.0;
  ExpectCreateFails(&spec, POSENC_BAD_BASE);
  spec = good;
  spec.exponent_dim = std::numeric_limits<double>::quiet_NaN();
  ExpectCreateFails(&spec, POSENC_BAD_EXPONENT_DIM);
  spec = good;
  spec.position_scale = std::numeric_limits<double>::infinity();
  ExpectCreateFails(&spec, POSENC_BAD_POSITION_SCALE);
  spec.position_scale = 1e300;
  ExpectCreateFails(&spec, POSENC_FREQUENCY_OUT_OF_RANGE);
}

TEST(CCreateErrors, BadFrequencies) {
  const double doubles[kDim / 2] = {1.0, 0.1, 0.01, 0.001};
  const float floats[kDim / 2] = {1.0f, 0.1f, 0.01f, 0.001f};
  posenc_spec good = ToC(MakeSpec(kDim));
  good.frequencies = doubles;
  good.frequency_count = kDim / 2;
  posenc_encoder* encoder = nullptr;
  ASSERT_EQ(posenc_encoder_create(&good, &encoder), POSENC_OK);
  posenc_encoder_destroy(encoder);
  posenc_spec spec = good;
  spec.frequencies_f32 = floats;
  ExpectCreateFails(&spec, POSENC_BAD_FREQUENCIES);
  spec = good;
  spec.frequencies = nullptr;
  ExpectCreateFails(&spec, POSENC_BAD_FREQUENCIES);
  for (const std::size_t count :
       {std::size_t{0}, kDim / 2 - 1, kDim, std::numeric_limits<std::size_t>::max()}) {
    spec = good;
    spec.frequency_count = count;
    ExpectCreateFails(&spec, POSENC_BAD_FREQUENCIES);
  }
  for (const std::int32_t unit : {kMinInt, -1, 3, 256, 65536, kMaxInt}) {
    spec = good;
    spec.frequency_unit = unit;
    ExpectCreateFails(&spec, POSENC_BAD_FREQUENCIES);
  }
}

TEST(CCreateErrors, MemoryOverlapsArguments) {
  union {
    unsigned char bytes[1 << 16];
    struct {
      posenc_spec spec;
      posenc_encoder* encoder;
    } arguments;
  } memory = {};
  const posenc_spec spec = ToC(MakeSpec(kDim));
  memory.arguments.spec = spec;
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&memory.arguments.spec, &memory, sizeof(memory), &encoder),
            POSENC_BUFFERS_OVERLAP);
  EXPECT_EQ(posenc_encoder_create_in(&spec, &memory, sizeof(memory), &memory.arguments.encoder),
            POSENC_BUFFERS_OVERLAP);
  EXPECT_EQ(encoder, nullptr);
  EXPECT_EQ(memory.arguments.encoder, nullptr);
  EXPECT_EQ(std::memcmp(&memory.arguments.spec, &spec, sizeof(spec)), 0);
}

// The handle comes before the tables, and is no place for the list either.
TEST(CCreateErrors, MemoryOverlapsList) {
  unsigned char memory[1 << 16] = {};
  const float list[kDim / 2] = {1.0f, 0.1f, 0.01f, 0.001f};
  posenc_encoder* encoder = nullptr;
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{1}, std::size_t{64}, sizeof(memory) - sizeof(list)}) {
    std::memcpy(memory + at, list, sizeof(list));
    posenc_spec spec = ToC(MakeSpec(kDim));
    spec.frequencies_f32 = reinterpret_cast<const float*>(memory + at);
    spec.frequency_count = kDim / 2;
    EXPECT_EQ(posenc_encoder_create_in(&spec, memory, sizeof(memory), &encoder), POSENC_BUFFERS_OVERLAP)
        << at;
    EXPECT_EQ(encoder, nullptr);
    EXPECT_EQ(std::memcmp(memory + at, list, sizeof(list)), 0);
  }
}

}  // namespace
}  // namespace posenc
