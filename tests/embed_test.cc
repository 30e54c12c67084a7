// Embed is a gather followed by Add, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "guarded_pages.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr std::size_t kVocabulary = 41;
constexpr std::int64_t kFirst = -21;

template <class Id>
std::vector<Id> Ids(std::size_t rows) {
  std::vector<Id> ids(rows);
  for (std::size_t r = 0; r < rows; ++r) ids[r] = static_cast<Id>((r * r * 7 + 3) % kVocabulary);
  ids.front() = static_cast<Id>(kVocabulary - 1);
  return ids;
}

class Embed : public PerTarget {
 protected:
  std::size_t rows() const { return IsReference() ? 4 : 90; }
};

// table [kVocabulary, table_stride] and out [rows, stride] at any address.
template <class T, class Id>
void ExpectGatheredAndAdded(const Encoder& encoder, std::size_t rows, const T* table,
                            std::size_t table_stride, T* out, std::size_t stride, float scale) {
  const std::size_t dim = encoder.dim();
  const std::vector<Id> ids = Ids<Id>(rows);
  std::vector<T> want(rows * dim), before(rows * stride), after(rows * stride);
  const auto used = [&](std::size_t r) { return (r + 1 < rows ? stride : dim) * sizeof(T); };
  for (std::size_t r = 0; r < rows; ++r) {
    std::memcpy(&want[r * dim], table + static_cast<std::size_t>(ids[r]) * table_stride, dim * sizeof(T));
    std::memset(reinterpret_cast<unsigned char*>(out + r * stride), 0x5A, used(r));
    std::memcpy(&before[r * stride], out + r * stride, used(r));
  }
  ASSERT_EQ(encoder.Add(kFirst, rows, want.data(), dim, scale), Status::kOk);
  std::size_t bad_index = 4711;
  ASSERT_EQ(encoder.Embed(ids.data(), rows, table, kVocabulary, table_stride, kFirst, out, stride, scale,
                          &bad_index),
            Status::kOk);
  EXPECT_EQ(bad_index, 4711u);
  for (std::size_t r = 0; r < rows; ++r) {
    std::memcpy(&after[r * stride], out + r * stride, used(r));
    for (std::size_t j = 0; j < dim; ++j) {
      ASSERT_TRUE(Equal(after[r * stride + j], want[r * dim + j])) << "row " << r << ", column " << j;
    }
    ASSERT_TRUE(r + 1 == rows || SameBits(&after[r * stride + dim], &before[r * stride + dim], stride - dim));
  }
}

TEST_P(Embed, IsGatherAndAdd) {
  for (const std::size_t dim : {1u, 5u, 64u, 131u}) {
    for (const Layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout));
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      const float scale = std::sqrt(static_cast<float>(dim));
      ForEachType([&](auto element) {
        using T = decltype(element);
        for (const std::size_t gap : {0u, 3u}) {
          const auto table = Activations<T>(kVocabulary * (dim + gap));
          std::vector<T> out(rows() * (dim + 2));
          ExpectGatheredAndAdded<T, std::int32_t>(encoder, rows(), table.data(), dim + gap, out.data(),
                                                  dim + 2, scale);
          ExpectGatheredAndAdded<T, std::int64_t>(encoder, rows(), table.data(), dim + gap, out.data(), dim,
                                                  1.0f);
        }
      });
    }
  }
}

// Nothing is read past the last row of the table nor written past the last of out; any alignment will do.
TEST_P(Embed, GuardPagesAndAnyAlignment) {
  for (const std::size_t dim : {1u, 6u, 33u, 64u, 130u}) {
    for (const Layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout));
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachType([&](auto element) {
        using T = decltype(element);
        const auto x = Activations<T>(kVocabulary * dim);
        const std::size_t table_bytes = x.size() * sizeof(T), out_bytes = rows() * dim * sizeof(T);
        GuardedPages table_pages(table_bytes + 1), out_pages(out_bytes + 1);
        for (const std::size_t shift : {0u, 1u}) {
          unsigned char* table = table_pages.end() - table_bytes - shift;
          std::memcpy(table, x.data(), table_bytes);
          ExpectGatheredAndAdded<T, std::int32_t>(
              encoder, rows(), reinterpret_cast<const T*>(table), dim,
              reinterpret_cast<T*>(out_pages.end() - out_bytes - (1 - shift)), dim, 1.5f);
        }
      });
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(Embed);

constexpr std::size_t kDim = 8, kRows = 100;
constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();

// Every call fails with `want` and leaves out as it was.
template <class T>
class Failing {
 public:
  template <class Id>
  void Expect(Status want, const Id* ids, std::size_t rows, const T* table, std::size_t vocabulary,
              std::size_t table_stride, std::size_t* bad_index = nullptr) {
    EXPECT_EQ(
        encoder_.Embed(ids, rows, table, vocabulary, table_stride, 0, out_.data(), kDim, 1.0f, bad_index),
        want);
    EXPECT_TRUE(SameBits(out_, std::vector<T>(out_.size())));
  }

 private:
  const Encoder encoder_ = Create(MakeSpec(kDim));
  std::vector<T> out_ = std::vector<T>(kRows * kDim);
};

template <class T, class Id>
void ExpectBadIds() {
  const std::vector<T> table(kVocabulary * kDim);
  Failing<T> failing;
  using Limits = std::numeric_limits<Id>;
  for (const Id bad : {Id{-1}, Limits::min(), static_cast<Id>(kVocabulary), Limits::max()}) {
    for (const std::size_t index : {std::size_t{0}, std::size_t{64}, kRows - 1}) {
      std::vector<Id> ids = Ids<Id>(kRows);
      ids[index] = ids.back() = bad;
      std::size_t bad_index = 4711;
      failing.Expect(Status::kIdOutOfRange, ids.data(), kRows, table.data(), kVocabulary, kDim, &bad_index);
      EXPECT_EQ(bad_index, index);
      failing.Expect(Status::kIdOutOfRange, ids.data(), kRows, table.data(), kVocabulary, kDim);
    }
  }
}

TEST(EmbedErrors, IdsOutsideTheVocabulary) {
  ForEachType([](auto element) {
    ExpectBadIds<decltype(element), std::int32_t>();
    ExpectBadIds<decltype(element), std::int64_t>();
  });
}

TEST(EmbedErrors, BadTables) {
  ForEachType([](auto element) {
    using T = decltype(element);
    const std::vector<T> table(kVocabulary * kDim);
    const std::vector<std::int32_t> ids(kRows);
    const std::int32_t* no_ids = nullptr;
    Failing<T> failing;
    failing.Expect(Status::kNullPointer, no_ids, kRows, table.data(), kVocabulary, kDim);
    failing.Expect(Status::kNullPointer, static_cast<const std::int64_t*>(nullptr), 1, table.data(),
                   kVocabulary, kDim);
    failing.Expect(Status::kNullPointer, ids.data(), kRows, static_cast<const T*>(nullptr), kVocabulary,
                   kDim);
    failing.Expect(Status::kStrideTooSmall, ids.data(), kRows, table.data(), kVocabulary, kDim - 1);
    failing.Expect(Status::kStrideTooSmall, ids.data(), kRows, table.data(), kVocabulary, 0);
    failing.Expect(Status::kSizeOverflow, ids.data(), kRows, table.data(), kMaxSize, kDim);
    failing.Expect(Status::kSizeOverflow, ids.data(), kRows, table.data(), kVocabulary, kMaxSize / 4);
    failing.Expect(Status::kSizeOverflow, ids.data(), kRows, table.data(), kMaxSize / 8 + 1, kDim);
    std::size_t bad_index = 4711;
    failing.Expect(Status::kIdOutOfRange, ids.data(), kRows, table.data(), 0, kDim, &bad_index);
    EXPECT_EQ(bad_index, 0u);
    failing.Expect(Status::kIdOutOfRange, ids.data(), 1, static_cast<const T*>(nullptr), 0, kDim);
    failing.Expect(Status::kOk, no_ids, 0, table.data(), kVocabulary, kDim);
    failing.Expect(Status::kOk, no_ids, 0, static_cast<const T*>(nullptr), 0, kDim);
  });
}

}  // namespace
}  // namespace posenc
