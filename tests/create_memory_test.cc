// Creation in memory that its arguments lie in: refused, and nothing is written.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 8;
constexpr double kDoubles[kDim / 2] = {1.0, 0.1, 0.01, 0.001};
constexpr float kFloats[kDim / 2] = {1.0f, 0.1f, 0.01f, 0.001f};

posenc_spec GoodSpec() { return ToC(MakeSpec(kDim)); }

TEST(CreateInMemory, MemoryOverlapsArguments) {
  union {
    unsigned char bytes[1 << 16];
    struct {
      posenc_spec spec;
      posenc_encoder* encoder;
    } arguments;
  } memory = {};
  const posenc_spec spec = GoodSpec();
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

// The handle comes before the tables, and is no place for the list either; a list behind the memory is fine.
template <class T>
void ExpectNoOverlapWith(const T (&list)[kDim / 2], const T* posenc_spec::*member) {
  unsigned char memory[1 << 16] = {};
  posenc_encoder* encoder = nullptr;
  posenc_spec spec = GoodSpec();
  spec.frequency_count = kDim / 2;
  constexpr std::size_t kLast = sizeof(memory) - sizeof(list);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{64}, kLast}) {
    std::memcpy(memory + at, list, sizeof(list));
    spec.*member = reinterpret_cast<const T*>(memory + at);
    EXPECT_EQ(posenc_encoder_create_in(&spec, memory, kLast + 1, &encoder), POSENC_BUFFERS_OVERLAP) << at;
    EXPECT_EQ(encoder, nullptr);
    EXPECT_EQ(std::memcmp(memory + at, list, sizeof(list)), 0);
  }
  EXPECT_EQ(posenc_encoder_create_in(&spec, memory, kLast, &encoder), POSENC_OK);
}

TEST(CreateInMemory, MemoryOverlapsList) {
  ExpectNoOverlapWith(kDoubles, &posenc_spec::frequencies);
  ExpectNoOverlapWith(kFloats, &posenc_spec::frequencies_f32);
}

// Nowhere is no place that overlaps.
TEST(CreateInMemory, NoMemoryOverlapsNothing) {
  posenc_spec spec = GoodSpec();
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&spec, &spec, 0, &encoder), POSENC_MEMORY_TOO_SMALL);
  EXPECT_EQ(posenc_encoder_create_in(&spec, &spec.base, 0, &encoder), POSENC_MEMORY_TOO_SMALL);
  EXPECT_EQ(posenc_encoder_create_in(&spec, &encoder, 0, &encoder), POSENC_MEMORY_TOO_SMALL);
  EXPECT_EQ(encoder, nullptr);
}

}  // namespace
}  // namespace posenc
