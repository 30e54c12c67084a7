// After creation nothing allocates; and a creation that cannot allocate says so. Every allocation of this
// program goes through the functions below.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "every_call.h"
#include "per_target.h"
#include "verify/hard_angles.h"

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
  for (const PhaseRounding rounding : {PhaseRounding::kNone, PhaseRounding::kF32PowDiv}) {
    Spec spec = MakeSpec(kDim, target());
    spec.phase_rounding = rounding;
    Encoder encoder;
    spec.nan_rows = true;
    const std::size_t before_creation = allocations;
    ASSERT_EQ(Encoder::Create(spec, &encoder), Status::kOk);
    EXPECT_EQ(allocations, before_creation + 1);  // one block; so the counter counts
    ForEachEntryType([&](auto element) {
      EveryCall<decltype(element)> calls(kDim, -100, rows, rows);
      const std::size_t before = allocations;
      const bool ok = calls.Run(encoder);
      encoder.Write(kMaxPosition, rows, calls.out.data(), kDim);  // an error
      const double nan = std::nan("");
      encoder.WriteAt(&nan, 1, calls.out.data(), kDim);
      EXPECT_EQ(allocations, before);
      EXPECT_TRUE(ok);
    });
    const std::size_t before = allocations;
    encoder.Radians(3);
    StatusMessage(Encoder::Create(spec, nullptr));
    posenc_targets(nullptr, 0);
    EXPECT_EQ(allocations, before);
  }
}

// Not even by what takes 1,024 bits.
TEST_P(Allocation, NoneOfTheLastResort) {
  const tools::HardAngle angle = tools::HardAngles()[0];
  Spec spec = MakeSpec(2, target());
  spec.position_scale = angle.scale;
  spec.frequencies = {&angle.frequency, nullptr, 1, FrequencyUnit::kRadians};
  const Encoder encoder = Create(spec);
  double out[2];
  const std::size_t before = allocations;
  EXPECT_EQ(encoder.WriteAt(&angle.position, 1, out, 2), Status::kOk);
  EXPECT_EQ(allocations, before);
}

TEST_P(Allocation, NoneInCallersMemory) {
  const Spec spec = MakeSpec(131, target());
  std::vector<unsigned char> memory(std::size_t{1} << 17);
  const std::size_t before = allocations;
  {
    std::size_t bytes = 0;
    Encoder encoder;
    ASSERT_EQ(Encoder::MemorySize(spec, &bytes), Status::kOk);
    ASSERT_EQ(Encoder::CreateIn(spec, memory.data(), memory.size(), &encoder), Status::kOk);
    ASSERT_LE(bytes, memory.size());
  }
  EXPECT_EQ(allocations, before);
}

TEST_P(Allocation, OutOfMemoryIsAStatus) {
  Encoder encoder = Create(MakeSpec(8));
  const std::vector<float> want = Write(encoder, 7, 3);
  exhausted = true;
  const Status status = Encoder::Create(MakeSpec(64, target()), &encoder);
  exhausted = false;
  EXPECT_EQ(status, Status::kOutOfMemory);
  EXPECT_EQ(encoder.dim(), 8u);
  EXPECT_TRUE(SameBits(Write(encoder, 7, 3), want));
}

POSENC_INSTANTIATE_PER_TARGET(Allocation);

}  // namespace
}  // namespace posenc
