// No byte outside the rows is read or written, and any alignment will do.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "guarded_pages.h"
#include "per_target.h"

namespace posenc {
namespace {

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

// What Write and Add to zeros must give.
template <class T>
struct Wanted {
  std::vector<T> written, added;

  Wanted(const Encoder& encoder, std::size_t rows)
      : written(Write<T>(encoder, kFirst, rows)), added(written.size()) {
    EXPECT_EQ(encoder.Add(kFirst, rows, added.data(), encoder.dim()), Status::kOk);
  }
};

// `data` [rows, stride], whose last row ends after dim columns, becomes what is wanted by Write and by Add.
template <class T>
void ExpectRows(const Encoder& encoder, std::size_t rows, std::size_t stride, unsigned char* data,
                const Wanted<T>& want) {
  const std::size_t dim = encoder.dim();
  auto* out = reinterpret_cast<T*>(data);
  const auto expect = [&](const std::vector<T>& table, const char* call) {
    for (std::size_t r = 0; r < rows; ++r) {
      ASSERT_EQ(std::memcmp(data + r * stride * sizeof(T), &table[r * dim], dim * sizeof(T)), 0)
          << call << ": dim " << dim << ", stride " << stride << ", row " << r << " of " << rows;
    }
  };
  ASSERT_EQ(encoder.Write(kFirst, rows, out, stride), Status::kOk);
  expect(want.written, "Write");
  for (std::size_t r = 0; r < rows; ++r) std::memset(data + r * stride * sizeof(T), 0, dim * sizeof(T));
  ASSERT_EQ(encoder.Add(kFirst, rows, out, stride), Status::kOk);
  expect(want.added, "Add");
}

TEST_P(Memory, GuardPagesRightBeforeAndRightAfter) {
  GuardedPages pages((kMaxRows + 1) * 200 * sizeof(float));
  for (const std::size_t dim : Dims()) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachType([&](auto element) {
        using T = decltype(element);
        const Wanted<T> want(encoder, IsReference() ? 7 : kMaxRows);
        for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{7}, kMaxRows}) {
          if (IsReference() && rows == kMaxRows) continue;
          for (const std::size_t stride : {dim, dim + 5}) {
            const std::size_t bytes = ((rows - 1) * stride + dim) * sizeof(T);
            ExpectRows(encoder, rows, stride, pages.begin(), want);
            ExpectRows(encoder, rows, stride, pages.end() - bytes, want);
            ExpectRows(encoder, rows, stride, pages.end() - bytes - 1, want);
          }
        }
      });
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

// Every offset from a cache line, in whole elements and in bytes.
TEST_P(Memory, AnyAlignment) {
  constexpr std::size_t kRows = 6;
  for (const std::size_t dim : {1u, 6u, 33u, 64u}) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachType([&](auto element) {
        using T = decltype(element);
        const Wanted<T> want(encoder, kRows);
        const std::size_t stride = dim + 1;
        std::vector<unsigned char> room(64 + kRows * stride * sizeof(T) + 64);
        for (const std::size_t offset :
             {0u, 1u, 2u, 3u, 4u, 8u, 12u, 15u, 16u, 20u, 28u, 32u, 36u, 60u, 63u}) {
          const auto address = reinterpret_cast<std::uintptr_t>(room.data());
          ExpectRows(encoder, kRows, stride, room.data() + (64 - address % 64) % 64 + offset, want);
        }
      });
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(Memory);

}  // namespace
}  // namespace posenc
