// Runs so large that they are written past the caches: the rows are those of small calls, and what lies
// between and around them keeps its bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "call/encoder.h"
#include "call/store_policy.h"
#include "guarded_pages.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kMostRows = 1 << 18;

constexpr unsigned char kCanary = 0xA5;

bool AreCanaries(const void* begin, const void* end) {
  return std::all_of(static_cast<const unsigned char*>(begin), static_cast<const unsigned char*>(end),
                     [](unsigned char byte) { return byte == kCanary; });
}

internal::Columns ColumnsOf(Layout layout, std::size_t dim) {
  Spec spec;
  spec.dim = dim;
  spec.layout = layout;
  internal::Encoder encoder;
  EXPECT_EQ(internal::PlaceColumns(ToC(spec), &encoder), POSENC_OK);
  return encoder.columns;
}

// The fewest rows that are streamed; 0 if not even many are.
template <class T>
std::size_t StreamedRows(Layout layout, std::size_t dim, const T* data, std::size_t stride) {
  const auto streams = [&](std::size_t rows) {
    return internal::ShouldStream(ColumnsOf(layout, dim), sizeof(T), rows, data, stride);
  };
  if (!streams(kMostRows)) return 0;
  std::size_t cached = 0, streamed = kMostRows;
  while (streamed - cached > 1) {
    const std::size_t middle = (cached + streamed) / 2;
    (streams(middle) ? streamed : cached) = middle;
  }
  return streamed;
}

// One call for all rows, against small ones.
template <class T>
void ExpectRowsOfSmallCalls(const Encoder& encoder, std::int64_t first, std::size_t rows,
                            std::size_t stride) {
  const std::size_t dim = encoder.dim();
  GuardedPages pages(rows * stride * sizeof(T));
  std::memset(pages.begin(), kCanary, static_cast<std::size_t>(pages.end() - pages.begin()));
  T* const data = reinterpret_cast<T*>(pages.begin());
  ASSERT_EQ(encoder.Write(first, rows, data, stride), Status::kOk);
  EXPECT_TRUE(AreCanaries(data + rows * stride, pages.end()));
  constexpr std::size_t kPiece = 100;
  for (std::size_t begin = 0; begin < rows; begin += kPiece) {
    const std::size_t count = std::min(kPiece, rows - begin);
    const auto want = Write<T>(encoder, first + static_cast<std::int64_t>(begin), count);
    for (std::size_t r = 0; r < count; ++r) {
      const T* row = data + (begin + r) * stride;
      ASSERT_TRUE(SameBits(row, &want[r * dim], dim)) << "row " << begin + r;
      ASSERT_TRUE(AreCanaries(row + dim, row + stride)) << "row " << begin + r;
    }
  }
}

class Stream : public PerTarget {};

template <class T>
std::size_t ExpectStreamedRows(const Encoder& encoder, std::size_t stride) {
  GuardedPages pages(1);  // where any cache line begins
  const auto* data = reinterpret_cast<const T*>(pages.begin());
  const std::size_t rows = StreamedRows(encoder.layout(), encoder.dim(), data, stride);
  if (rows == 0) return 0;
  // From a few rows below 0 on, so that the direct kernel and both signs take part.
  ExpectRowsOfSmallCalls<T>(encoder, -37, rows, stride);
  ExpectRowsOfSmallCalls<T>(encoder, -37, rows - 1, stride);
  return rows;
}

TEST_P(Stream, RowsAreThoseOfSmallCalls) {
  if (IsReference()) GTEST_SKIP() << "too slow for " << kReference;
  struct Shape {
    std::size_t dim, stride;
  };
  // Full lines, halves that end within lines or not, odd dims, gaps.
  constexpr Shape kShapes[] = {{64, 64}, {63, 64}, {31, 32}, {96, 128}, {127, 128}, {512, 512}};
  for (const Layout layout : kLayouts) {
    ForEachEntryType([&](auto element) {
      using T = decltype(element);
      std::size_t streamed = 0;
      for (const Shape& shape : kShapes) {
        SCOPED_TRACE(testing::Message()
                     << "dim " << shape.dim << ", stride " << shape.stride << ", " << Name(layout));
        const Encoder encoder = Create(MakeSpec(shape.dim, target(), layout));
        streamed += ExpectStreamedRows<T>(encoder, shape.stride) != 0 ? 1u : 0u;
      }
      EXPECT_GE(streamed, 2u) << Name(layout);  // so both ways are taken
    });
  }
}

POSENC_INSTANTIATE_PER_TARGET(Stream);

// Only whole cache lines, and only if there are many.
TEST(StorePolicy, StreamsWholeLines) {
  GuardedPages pages(1);
  const auto* data = reinterpret_cast<const float*>(pages.begin());
  const internal::Columns columns = ColumnsOf(Layout::kInterleaved, 64);
  EXPECT_TRUE(internal::ShouldStream(columns, sizeof(float), kMostRows, data, 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), 64, data, 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), kMostRows, data + 4, 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), kMostRows, data, 68));
}

}  // namespace
}  // namespace posenc
