// Every call of the C ABI writes what the C++ call writes, for every type; also through an encoder in the
// caller's memory, whatever its alignment.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "c_encoder.h"
#include "guarded_pages.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 37, kStride = 41, kRows = 9, kVocabulary = 5;
constexpr std::int64_t kFirst = -4;
constexpr float kScale = 1.5f;

Spec SpecOf(const char* target, Layout layout = Layout::kSinCos) {
  Spec spec = MakeSpec(kDim, target, layout);
  spec.base = 500000.0;
  spec.exponent_dim = 40.0;
  spec.position_scale = 0.75;
  return spec;
}

// What `call` makes of the same activations in C++ and in C.
template <class T, class Call, class CCall>
void ExpectSame(std::size_t entries, const Call& call, const CCall& c_call) {
  std::vector<T> want = Activations<T>(entries), got = want;
  ASSERT_EQ(call(want.data()), Status::kOk);
  ASSERT_EQ(c_call(got.data()), POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
}

template <class T>
void ExpectSameRuns(const Encoder& e, const posenc_encoder* c) {
  constexpr posenc_type kType = kCType<T>;
  ExpectSame<T>(
      kRows * kStride, [&](T* x) { return e.Write(kFirst, kRows, x, kStride); },
      [&](void* x) { return posenc_write(c, kFirst, kRows, kType, x, kStride); });
  ExpectSame<T>(
      kRows * kStride, [&](T* x) { return e.Add(kFirst, kRows, x, kStride, kScale); },
      [&](void* x) { return posenc_add(c, kFirst, kRows, kType, x, kStride, kScale); });
}

template <class T, class Integer>
void ExpectSameLists(const Encoder& e, const posenc_encoder* c) {
  constexpr posenc_type kType = kCType<T>, kInteger = kCType<Integer>;
  std::vector<Integer> list(kRows), ids(kRows);
  for (std::size_t r = 0; r < kRows; ++r) {
    list[r] = static_cast<Integer>(r * r * 100) - 7;
    ids[r] = static_cast<Integer>(r % kVocabulary);
  }
  const std::vector<T> table = Activations<T>(kVocabulary * kStride, 9);
  ExpectSame<T>(
      kRows * kStride, [&](T* x) { return e.WriteAt(list.data(), kRows, x, kStride); },
      [&](void* x) { return posenc_write_at(c, kInteger, list.data(), kRows, kType, x, kStride, nullptr); });
  ExpectSame<T>(
      kRows * kStride, [&](T* x) { return e.AddAt(list.data(), kRows, x, kStride, kScale); },
      [&](void* x) {
        return posenc_add_at(c, kInteger, list.data(), kRows, kType, x, kStride, kScale, nullptr);
      });
  ExpectSame<T>(
      kRows * kStride,
      [&](T* x) {
        return e.Embed(ids.data(), kRows, table.data(), kVocabulary, kStride, kFirst, x, kStride, kScale);
      },
      [&](void* x) {
        return posenc_embed(c, kInteger, ids.data(), kRows, kType, table.data(), kVocabulary, kStride, kFirst,
                            x, kStride, kScale, nullptr);
      });
  const std::size_t batch = 3, batch_stride = kRows * kStride + 2;
  ExpectSame<T>(
      batch * batch_stride,
      [&](T* x) { return e.AddBatch(list.data(), batch, kRows, x, batch_stride, kStride, kScale); },
      [&](void* x) {
        return posenc_add_batch(c, kInteger, list.data(), batch, kRows, kType, x, batch_stride, kStride,
                                kScale, nullptr);
      });
}

template <class T, class Position>
void ExpectSameWrites(const Encoder& e, const posenc_encoder* c) {
  const std::vector<Position> positions = {static_cast<Position>(-2.75), static_cast<Position>(1e6 + 0.1)};
  std::vector<T> want(2 * kStride), got = want;
  ASSERT_EQ(e.WriteAt(positions.data(), 2, want.data(), kStride), Status::kOk);
  ASSERT_EQ(
      posenc_write_at(c, kCType<Position>, positions.data(), 2, kCType<T>, got.data(), kStride, nullptr),
      POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
  ASSERT_EQ(e.Write(kFirst, 2, want.data(), kStride), Status::kOk);
  ASSERT_EQ(posenc_write(c, kFirst, 2, kCType<T>, got.data(), kStride), POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
}

void ExpectSameCalls(const Encoder& e, const posenc_encoder* c) {
  ExpectSameWrites<double, double>(e, c);
  ExpectSameWrites<double, std::int32_t>(e, c);
  ExpectSameWrites<double, std::int64_t>(e, c);
  ForEachType([&](auto entry) {
    using T = decltype(entry);
    ExpectSameRuns<T>(e, c);
    ExpectSameLists<T, std::int32_t>(e, c);
    ExpectSameLists<T, std::int64_t>(e, c);
    ExpectSameWrites<T, double>(e, c);
    const double position = 0.375;
    ExpectSame<T>(
        kStride, [&](T* x) { return e.AddAt(&position, 1, x, kStride, kScale); },
        [&](void* x) {
          return posenc_add_at(c, POSENC_F64, &position, 1, kCType<T>, x, kStride, kScale, nullptr);
        });
  });
}

class CCalls : public PerTarget {};

TEST_P(CCalls, WriteTheSameBits) {
  for (const Layout layout : kLayouts) {
    const Spec spec = SpecOf(target(), layout);
    const Encoder encoder = Create(spec);
    const CEncoder c(spec);
    EXPECT_STREQ(posenc_encoder_target(c.get()), target());
    EXPECT_EQ(posenc_encoder_layout(c.get()), static_cast<posenc_layout>(layout));
    EXPECT_EQ(posenc_encoder_dim(c.get()), kDim);
    EXPECT_EQ(posenc_encoder_frequency_count(c.get()), encoder.frequencies().count());
    EXPECT_EQ(posenc_encoder_radians(c.get(), 3), encoder.frequencies().Radians(3));
    ExpectSameCalls(encoder, c.get());
  }
}

TEST_P(CCalls, OfListedFrequencies) {
  const std::vector<double> doubles((kDim + 1) / 2, 0.3);
  const std::vector<float> floats(doubles.begin(), doubles.end());
  for (const FrequencyUnit unit :
       {FrequencyUnit::kRadians, FrequencyUnit::kHalfTurns, FrequencyUnit::kTurns}) {
    Spec spec = MakeSpec(kDim, target());
    spec.frequencies = {doubles.data(), nullptr, doubles.size(), unit};
    ExpectSameCalls(Create(spec), CEncoder(spec).get());
    spec.frequencies = {nullptr, floats.data(), floats.size(), unit};
    ExpectSameCalls(Create(spec), CEncoder(spec).get());
  }
}

TEST_P(CCalls, OfARecipe) {
  Spec spec = MakeSpec(kDim, target());
  spec.recipe = Recipe::kF32PowDiv;
  ExpectSameCalls(Create(spec), CEncoder(spec).get());
}

// The least memory that will do, at every alignment, ends at a page that nobody may touch; less is refused.
TEST_P(CCalls, InCallersMemory) {
  for (const Recipe recipe : {Recipe::kExact, Recipe::kF32PowDiv}) {
    Spec spec = MakeSpec(kDim, target());
    spec.recipe = recipe;
    const Encoder encoder = Create(spec);
    const posenc_spec c_spec = ToC(spec);
    std::size_t bytes = 0;
    ASSERT_EQ(posenc_encoder_memory_size(&c_spec, &bytes), POSENC_OK);
    GuardedPages pages(bytes + 128);
    for (std::size_t shift = 0; shift < 128; ++shift) {
      unsigned char* memory = pages.end() - bytes - shift;
      posenc_encoder* c = nullptr;
      ASSERT_EQ(posenc_encoder_create_in(&c_spec, memory, bytes, &c), POSENC_OK) << shift;
      std::vector<float> want(kRows * kDim), got = want;
      ASSERT_EQ(encoder.Write(kFirst, kRows, want.data(), kDim), Status::kOk);
      ASSERT_EQ(posenc_write(c, kFirst, kRows, POSENC_F32, got.data(), kDim), POSENC_OK);
      EXPECT_TRUE(SameBits(got, want));
      if (shift == 0) ExpectSameCalls(encoder, c);
      posenc_encoder_destroy(c);
    }
    std::memset(pages.begin(), 0x5A, bytes);
    const std::vector<unsigned char> before(pages.begin(), pages.begin() + bytes);
    posenc_encoder* c = nullptr;
    for (const std::size_t less : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 256}) {
      EXPECT_EQ(posenc_encoder_create_in(&c_spec, pages.begin(), less, &c), POSENC_MEMORY_TOO_SMALL);
    }
    EXPECT_EQ(c, nullptr);
    EXPECT_EQ(std::memcmp(pages.begin(), before.data(), bytes), 0);
  }
}

// The same in C++: the encoder may be moved, its memory not; and it may be made again in the same memory.
TEST_P(CCalls, EncodersInCallersMemory) {
  const Spec spec = SpecOf(target());
  const Encoder encoder = Create(spec);
  std::size_t bytes = 0;
  ASSERT_EQ(Encoder::MemorySize(spec, &bytes), Status::kOk);
  std::vector<unsigned char> memory(bytes);
  Encoder placed;
  for (int times = 0; times < 2; ++times) {
    ASSERT_EQ(Encoder::CreateIn(spec, memory.data(), bytes, &placed), Status::kOk);
    Encoder moved = std::move(placed);
    EXPECT_TRUE(SameBits(Write(moved, kFirst, kRows), Write(encoder, kFirst, kRows)));
    placed = std::move(moved);
  }
  EXPECT_EQ(Encoder::CreateIn(spec, memory.data(), bytes / 2, &placed), Status::kMemoryTooSmall);
  EXPECT_EQ(Encoder::CreateIn(spec, nullptr, bytes, &placed), Status::kNullPointer);
  EXPECT_EQ(Encoder::CreateIn(spec, memory.data(), bytes, nullptr), Status::kNullPointer);
  EXPECT_EQ(Encoder::CreateIn(spec, &placed, sizeof(placed), &placed), Status::kBuffersOverlap);
  Spec over = spec;
  EXPECT_EQ(Encoder::CreateIn(over, &over, sizeof(over), &placed), Status::kBuffersOverlap);
  EXPECT_EQ(Encoder::MemorySize(spec, nullptr), Status::kNullPointer);
  EXPECT_EQ(Encoder::MemorySize(Spec(), &bytes), Status::kBadDim);
  EXPECT_TRUE(SameBits(Write(placed, kFirst, kRows), Write(encoder, kFirst, kRows)));
}

// Lists of any alignment.
TEST_P(CCalls, TakeMisalignedLists) {
  const Spec spec = SpecOf(target());
  const CEncoder c(spec);
  const std::vector<std::int64_t> positions = Consecutive(kFirst, kRows);
  unsigned char bytes[kRows * sizeof(std::int64_t) + 8];
  std::vector<float> want(kRows * kDim), got = want;
  ASSERT_EQ(posenc_write(c.get(), kFirst, kRows, POSENC_F32, want.data(), kDim), POSENC_OK);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    std::memcpy(bytes + shift, positions.data(), kRows * sizeof(positions[0]));
    ASSERT_EQ(
        posenc_write_at(c.get(), POSENC_I64, bytes + shift, kRows, POSENC_F32, got.data(), kDim, nullptr),
        POSENC_OK);
    EXPECT_TRUE(SameBits(got, want)) << shift;
  }
}

POSENC_INSTANTIATE_PER_TARGET(CCalls);

}  // namespace
}  // namespace posenc
