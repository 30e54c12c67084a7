// After creation nothing allocates; and a creation that cannot allocate says so. Every allocation of this
// program goes through the functions below.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "c_encoder.h"
#include "per_target.h"

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<bool> exhausted{false};

bool Allocate() {
  ++allocations;
  return !exhausted;
}

}  // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define POSENC_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POSENC_SANITIZED 1
#endif

#if defined(__GLIBC__) && !defined(POSENC_SANITIZED)
extern "C" {
// glibc's own names for what the functions below replace.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) { return Allocate() ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) {
  return Allocate() ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* old, std::size_t size) { return Allocate() ? __libc_realloc(old, size) : nullptr; }
void* memalign(std::size_t alignment, std::size_t size) {
  return Allocate() ? __libc_memalign(alignment, size) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
}
#else
void* operator new(std::size_t size) {
  void* block = Allocate() ? std::malloc(size) : nullptr;
  if (block == nullptr) std::abort();
  return block;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return Allocate() ? std::malloc(size) : nullptr;
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  const auto align = static_cast<std::size_t>(alignment);
  return Allocate() ? std::aligned_alloc(align, (size + align - 1) / align * align) : nullptr;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
#endif

namespace posenc {
namespace {

class Allocation : public PerTarget {};

TEST_P(Allocation, OnlyCreateAllocates) {
  constexpr std::size_t kDim = 131;
  const std::size_t rows = IsReference() ? 4 : 500;
  for (const Recipe recipe : {Recipe::kExact, Recipe::kF32PowDiv}) {
    Spec spec = MakeSpec(kDim, target());
    spec.recipe = recipe;
    Encoder encoder;
    const std::size_t before_creation = allocations;
    ASSERT_EQ(Encoder::Create(spec, &encoder), Status::kOk);
    EXPECT_GT(allocations, before_creation);  // so the counter counts

    const std::vector<std::int32_t> narrow(rows, 1 << 20);
    const std::vector<std::int64_t> wide(rows, -kMaxPosition), ids(rows);
    ForEachType([&](auto element) {
      std::vector<decltype(element)> data(rows * kDim), table(kDim);
      const std::size_t before = allocations;
      encoder.Write(-100, rows, data.data(), kDim);
      encoder.WriteAt(narrow.data(), rows, data.data(), kDim);
      encoder.WriteAt(wide.data(), rows, data.data(), kDim);
      encoder.Add(-100, rows, data.data(), kDim);
      encoder.AddAt(narrow.data(), rows, data.data(), kDim, 2.0f);
      encoder.AddAt(wide.data(), rows, data.data(), kDim, 2.0f);
      encoder.Embed(ids.data(), rows, table.data(), 1, kDim, 0, data.data(), kDim);
      encoder.AddBatch(narrow.data(), 2, rows / 2, data.data(), rows / 2 * kDim, kDim);
      encoder.Write(kMaxPosition, rows, data.data(), kDim);  // an error
      EXPECT_EQ(allocations, before);
    });
    const std::vector<double> positions(rows, 0.1);
    std::vector<double> doubles(rows * kDim);
    const std::size_t before = allocations;
    encoder.Write(-100, rows, doubles.data(), kDim);
    encoder.WriteAt(positions.data(), rows, doubles.data(), kDim);
    encoder.frequencies().Radians(3);
    EXPECT_EQ(allocations, before);
  }
}

TEST_P(Allocation, OfTheCAbi) {
  constexpr std::size_t kDim = 131, kRows = 4;
  const posenc_spec spec = ToC(MakeSpec(kDim, target()));
  std::size_t bytes = 0;
  std::vector<unsigned char> memory(std::size_t{1} << 17);
  const double positions[kRows] = {0.5};
  double doubles[kRows * kDim] = {};
  const std::size_t before = allocations;
  posenc_encoder* encoder = nullptr;
  ASSERT_EQ(posenc_encoder_memory_size(&spec, &bytes), POSENC_OK);
  ASSERT_LE(bytes, memory.size());
  ASSERT_EQ(posenc_encoder_create_in(&spec, memory.data(), bytes, &encoder), POSENC_OK);
  float data[kRows * kDim] = {}, table[kDim] = {};
  const std::int32_t list[kRows] = {};
  EXPECT_EQ(posenc_write(encoder, 7, kRows, POSENC_F32, data, kDim), POSENC_OK);
  EXPECT_EQ(posenc_write_at(encoder, POSENC_I32, list, kRows, POSENC_F32, data, kDim, nullptr), POSENC_OK);
  EXPECT_EQ(posenc_write_at(encoder, POSENC_F64, positions, kRows, POSENC_F64, doubles, kDim, nullptr),
            POSENC_OK);
  EXPECT_EQ(posenc_add(encoder, 7, kRows, POSENC_F32, data, kDim, 1.0f), POSENC_OK);
  EXPECT_EQ(posenc_add_at(encoder, POSENC_I32, list, kRows, POSENC_F32, data, kDim, 1.0f, nullptr),
            POSENC_OK);
  EXPECT_EQ(posenc_embed(encoder, POSENC_I32, list, kRows, POSENC_F32, table, 1, kDim, 0, data, kDim, 1.0f,
                         nullptr),
            POSENC_OK);
  EXPECT_EQ(
      posenc_add_batch(encoder, POSENC_I32, list, kRows, 1, POSENC_F32, data, kDim, kDim, 1.0f, nullptr),
      POSENC_OK);
  posenc_status_message(posenc_write(encoder, 0, kRows, POSENC_F32, nullptr, kDim));
  posenc_encoder_destroy(encoder);
  posenc_targets(nullptr, 0);
  EXPECT_EQ(allocations, before);
  ASSERT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_OK);
  EXPECT_EQ(allocations, before + 1);  // one block
  posenc_encoder_destroy(encoder);
}

TEST_P(Allocation, OutOfMemoryIsAStatus) {
  Encoder encoder = Create(MakeSpec(8));
  const std::vector<float> want = Write(encoder, 7, 3);
  exhausted = true;
  const Status status = Encoder::Create(MakeSpec(64, target()), &encoder);
  exhausted = false;
  EXPECT_EQ(status, Status::kOutOfMemory);
  const posenc_spec spec = ToC(MakeSpec(64, target()));
  posenc_encoder* c_encoder = nullptr;
  exhausted = true;
  const posenc_status c_status = posenc_encoder_create(&spec, &c_encoder);
  exhausted = false;
  EXPECT_EQ(c_status, POSENC_OUT_OF_MEMORY);
  EXPECT_EQ(c_encoder, nullptr);
  EXPECT_EQ(encoder.dim(), 8u);
  EXPECT_TRUE(SameBits(Write(encoder, 7, 3), want));
}

POSENC_INSTANTIATE_PER_TARGET(Allocation);

}  // namespace
}  // namespace posenc
