// No byte outside the rows is read or written, and any alignment will do.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

// Bytes between two pages that nobody may touch.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (bytes + page_ - 1) / page_ * page_;
    void* map = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) std::abort();
    map_ = static_cast<unsigned char*>(map);
    if (mprotect(begin(), size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedPages() { munmap(map_, size_ + 2 * page_); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  unsigned char* begin() { return map_ + page_; }
  unsigned char* end() { return begin() + size_; }

 private:
  std::size_t page_, size_;
  unsigned char* map_;
};

constexpr std::size_t kMaxRows = 70;
constexpr std::int64_t kFirst = -3;

class Memory : public PerTarget {
 protected:
  std::vector<std::size_t> Dims() const {
    std::vector<std::size_t> dims;
    for (std::size_t dim = 1; dim <= 130; dim += IsReference() ? 31 : 1) dims.push_back(dim);
    return dims;
  }
};

// `data` [rows, stride], whose last row ends after dim columns, becomes `want` by Write and by Add.
void ExpectRows(const Encoder& encoder, std::size_t rows, std::size_t stride, unsigned char* data,
                const std::vector<float>& want) {
  const std::size_t dim = encoder.dim();
  auto* out = reinterpret_cast<float*>(data);
  const auto expect = [&](const char* call) {
    for (std::size_t r = 0; r < rows; ++r) {
      ASSERT_EQ(std::memcmp(data + r * stride * sizeof(float), &want[r * dim], dim * sizeof(float)), 0)
          << call << ": dim " << dim << ", stride " << stride << ", row " << r << " of " << rows;
    }
  };
  ASSERT_EQ(encoder.Write(kFirst, rows, out, stride), Status::kOk);
  expect("Write");
  for (std::size_t r = 0; r < rows; ++r)
    std::memset(data + r * stride * sizeof(float), 0, dim * sizeof(float));
  ASSERT_EQ(encoder.Add(kFirst, rows, out, stride), Status::kOk);
  expect("Add");
}

TEST_P(Memory, GuardPagesRightBeforeAndRightAfter) {
  GuardedPages pages((kMaxRows + 1) * 200 * sizeof(float));
  for (const std::size_t dim : Dims()) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      const std::vector<float> want = Write(encoder, kFirst, kMaxRows);
      for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{7}, kMaxRows}) {
        if (IsReference() && rows == kMaxRows) continue;
        for (const std::size_t stride : {dim, dim + 5}) {
          const std::size_t bytes = ((rows - 1) * stride + dim) * sizeof(float);
          ExpectRows(encoder, rows, stride, pages.begin(), want);
          ExpectRows(encoder, rows, stride, pages.end() - bytes, want);
        }
      }
    }
  }
}

template <class Position>
void ReadPositionsAtTheEndOfAPage(const Encoder& encoder, std::size_t rows) {
  GuardedPages pages(rows * sizeof(Position));
  const std::vector<float> want = Write(encoder, kFirst, rows);
  for (auto* data : {pages.begin(), pages.end() - rows * sizeof(Position)}) {
    auto* positions = reinterpret_cast<Position*>(data);
    for (std::size_t r = 0; r < rows; ++r) {
      positions[r] = static_cast<Position>(kFirst + static_cast<std::int64_t>(r));
    }
    std::vector<float> got(want.size());
    ASSERT_EQ(encoder.WriteAt(positions, rows, got.data(), encoder.dim()), Status::kOk);
    EXPECT_TRUE(SameBits(got, want)) << rows << " rows";
  }
}

TEST_P(Memory, GuardPagesAroundPositions) {
  const Encoder encoder = Create(MakeSpec(10, target()));
  for (const std::size_t rows : {1u, 2u, 3u, 5u, 64u, 65u, 131u}) {
    ReadPositionsAtTheEndOfAPage<std::int32_t>(encoder, rows);
    ReadPositionsAtTheEndOfAPage<std::int64_t>(encoder, rows);
  }
}

// Every offset from a cache line, in whole floats and in bytes.
TEST_P(Memory, AnyAlignment) {
  for (const std::size_t dim : {1u, 6u, 33u, 64u}) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      constexpr std::size_t kRows = 6;
      const std::vector<float> want = Write(encoder, kFirst, kRows);
      const std::size_t stride = dim + 1;
      std::vector<unsigned char> room(64 + kRows * stride * sizeof(float) + 64);
      for (const std::size_t offset : {0u, 1u, 2u, 3u, 4u, 8u, 12u, 15u, 16u, 20u, 28u, 32u, 36u, 60u, 63u}) {
        const auto address = reinterpret_cast<std::uintptr_t>(room.data());
        ExpectRows(encoder, kRows, stride, room.data() + (64 - address % 64) % 64 + offset, want);
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(Memory);

}  // namespace
}  // namespace posenc
