// Runs so large that stores bypass the caches. The rows equal the rows of small calls, and bytes between and
// around them do not change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "api/handle.h"
#include "call/encoder.h"
#include "call/store_policy.h"
#include "guarded_pages.h"
#include "kernel_calls.h"
#include "per_target.h"
#include "posenc/grid_c.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxRows = 1 << 18;

constexpr unsigned char kCanary = 0xA5;

bool AreCanaries(const void* begin, const void* end) {
  return std::all_of(static_cast<const unsigned char*>(begin), static_cast<const unsigned char*>(end),
                     [](unsigned char byte) { return byte == kCanary; });
}

internal::Columns ColumnsOf(posenc_layout layout, std::size_t dim) {
  Spec spec;
  spec.dim = dim;
  spec.layout = layout;
  internal::Encoder encoder;
  EXPECT_EQ(internal::PlaceColumns(spec, &encoder), POSENC_OK);
  return encoder.columns;
}

// The smallest number of rows that is streamed, or 0 if even kMaxRows rows are not.
template <class T>
std::size_t StreamedRows(posenc_layout layout, std::size_t dim, const T* data, std::size_t stride) {
  const auto streams = [&](std::size_t rows) {
    return internal::ShouldStream(ColumnsOf(layout, dim), sizeof(T), rows, data, stride);
  };
  if (!streams(kMaxRows)) return 0;
  std::size_t cached = 0, streamed = kMaxRows;
  while (streamed - cached > 1) {
    const std::size_t middle = (cached + streamed) / 2;
    (streams(middle) ? streamed : cached) = middle;
  }
  return streamed;
}

// Compares one call for all rows with small calls.
template <class T>
void ExpectRowsOfSmallCalls(const Encoder& encoder, std::int64_t first, std::size_t rows,
                            std::size_t stride) {
  const std::size_t dim = encoder.dim();
  GuardedPages pages(rows * stride * sizeof(T));
  std::memset(pages.begin(), kCanary, static_cast<std::size_t>(pages.end() - pages.begin()));
  T* const data = reinterpret_cast<T*>(pages.begin());
  ASSERT_EQ(encoder.Write(first, rows, {data, stride}), POSENC_OK);
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
  GuardedPages pages(1);  // begins a cache line
  const auto* data = reinterpret_cast<const T*>(pages.begin());
  const std::size_t rows = StreamedRows(encoder.layout(), encoder.dim(), data, stride);
  if (rows == 0) return 0;
  // Begins below 0, so that the direct kernel and both signs take part.
  ExpectRowsOfSmallCalls<T>(encoder, -37, rows, stride);
  ExpectRowsOfSmallCalls<T>(encoder, -37, rows - 1, stride);
  return rows;
}

TEST_P(Stream, RowsAreThoseOfSmallCalls) {
  if (IsReference()) GTEST_SKIP() << "too slow for " << kReference;
  struct Shape {
    std::size_t dim, stride;
  };
  // Full cache lines, halves that end inside a line or not, odd dims, and gaps between rows.
  constexpr Shape kShapes[] = {{64, 64}, {63, 64}, {31, 32}, {96, 128}, {127, 128}, {512, 512}};
  for (const posenc_layout layout : kLayouts) {
    ForEachEntryType([&](auto element) {
      using T = decltype(element);
      std::size_t streamed = 0;
      for (const Shape& shape : kShapes) {
        SCOPED_TRACE(testing::Message()
                     << "dim " << shape.dim << ", stride " << shape.stride << ", " << Name(layout));
        const Encoder encoder = Create(MakeSpec(shape.dim, target(), layout));
        streamed += ExpectStreamedRows<T>(encoder, shape.stride) != 0 ? 1u : 0u;
      }
      EXPECT_GE(streamed, 2u) << Name(layout);  // so both kinds of stores are used
    });
  }
}

// Parts of a table that the spec says is large, compared with small calls of an encoder without that.
TEST_P(Stream, PartsOfATableAreItsRows) {
  if (IsReference()) GTEST_SKIP() << "too slow for " << kReference;
  constexpr std::size_t kDim = 64, kStride = 128, kRows = 300;
  for (const posenc_layout layout : kLayouts) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      Spec spec = MakeSpec(kDim, target(), layout);
      const auto want = Write<T>(Create(spec), -37, kRows);
      spec.table_rows = UINT64_MAX;
      const Encoder encoder = Create(spec);
      GuardedPages pages(kRows * kStride * sizeof(T));
      T* const data = reinterpret_cast<T*>(pages.begin());
      for (const std::size_t part : {1u, 2u, 17u, 64u, 100u}) {
        SCOPED_TRACE(testing::Message() << Name(layout) << ", parts of " << part);
        std::memset(data, kCanary, kRows * kStride * sizeof(T));
        for (std::size_t begin = 0; begin < kRows; begin += part) {
          ASSERT_EQ(encoder.Write(static_cast<std::int64_t>(begin) - 37, std::min(part, kRows - begin),
                                  {data + begin * kStride, kStride}),
                    POSENC_OK);
        }
        for (std::size_t r = 0; r < kRows; ++r) {
          ASSERT_TRUE(SameBits(data + r * kStride, &want[r * kDim], kDim)) << "row " << r;
          ASSERT_TRUE(AreCanaries(data + r * kStride + kDim, data + (r + 1) * kStride)) << "row " << r;
        }
      }
    });
  }
}

POSENC_INSTANTIATE_PER_TARGET(Stream);

// An encoder whose kernels write nothing, but record whether they should stream.
class Spy {
 public:
  explicit Spy(std::uint64_t table_rows) : handle_{{}, false} {
    Spec spec = MakeSpec(kDim);
    spec.table_rows = table_rows;
    encoder_ = Create(spec);
    handle_.encoder = InsideOf(encoder_);
    handle_.encoder.kernels = &kernels_;
    kernels_.write[POSENC_F32] = [](const internal::FrequencyTable&, const internal::Columns&,
                                    const internal::Rows& rows) { return Saw(rows); };
    kernels_.add[POSENC_F32] = [](const internal::FrequencyTable&, const internal::Columns&,
                                  const internal::Rows& rows, float) { return Saw(rows); };
  }

  static constexpr std::size_t kDim = 1024;  // 1,024 rows of floats are 4 MiB

  bool Streams(std::size_t rows, float* out, std::size_t stride = kDim) {
    EXPECT_EQ(posenc_write(&handle_, 0, rows, PointerTo(Rows(POSENC_F32, out, stride))), POSENC_OK);
    return streamed_;
  }
  bool AddStreams(std::size_t rows, float* x) {
    EXPECT_EQ(posenc_add(&handle_, 0, rows, PointerTo(Rows(POSENC_F32, x, kDim)), 1.0f), POSENC_OK);
    return streamed_;
  }
  bool ListStreams(float* out) {
    const std::int32_t positions[] = {0, 1};
    EXPECT_EQ(posenc_write_at(&handle_, PointerTo(List(POSENC_I32, positions)), 2,
                              PointerTo(Rows(POSENC_F32, out, kDim)), nullptr),
              POSENC_OK);
    return streamed_;
  }
  bool GridStreams(float* out) {
    posenc_grid_axis axis{};
    axis.encoder = &handle_;
    axis.count = 2;
    EXPECT_EQ(posenc_write_grid(&axis, 1, 0, PointerTo(Rows(POSENC_F32, out, kDim)), nullptr, nullptr),
              POSENC_OK);
    return streamed_;
  }

 private:
  static internal::Tally Saw(const internal::Rows& rows) {
    streamed_ = rows.stream;
    return {};
  }

  inline static bool streamed_;
  Encoder encoder_;
  posenc_encoder handle_;
  internal::EncoderKernels kernels_{};
};

TEST(StorePolicy, PartsOfALargeTableAreStreamed) {
  GuardedPages pages(1024 * Spy::kDim * sizeof(float));
  auto* const out = reinterpret_cast<float*>(pages.begin());
  // A table of `huge` rows has 2^64 bytes, which overflow 64 bits.
  Spy unknown(0), small(1023), large(1024), huge(std::uint64_t{1} << 52), all(UINT64_MAX);
  for (const std::size_t rows : {1u, 64u, 1023u}) {
    EXPECT_FALSE(unknown.Streams(rows, out)) << rows;
    EXPECT_FALSE(small.Streams(rows, out)) << rows;
    EXPECT_TRUE(large.Streams(rows, out)) << rows;
    EXPECT_TRUE(huge.Streams(rows, out)) << rows;
    EXPECT_TRUE(all.Streams(rows, out)) << rows;
  }
  EXPECT_TRUE(unknown.Streams(1024, out));
  EXPECT_TRUE(small.Streams(1024, out));
  EXPECT_FALSE(large.Streams(1, out + 1));
  EXPECT_FALSE(large.Streams(2, out, Spy::kDim + 1));
}

// Sums and lists are never streamed. Neither are the rows of a grid's axis, because they are copied within
// the matrix.
TEST(StorePolicy, OnlyRunsThatAreWrittenAreParts) {
  GuardedPages pages(64 * Spy::kDim * sizeof(float));
  auto* const out = reinterpret_cast<float*>(pages.begin());
  Spy all(UINT64_MAX);
  EXPECT_FALSE(all.AddStreams(64, out));
  EXPECT_FALSE(all.ListStreams(out));
  EXPECT_FALSE(all.GridStreams(out));
}

// Streams only whole cache lines, and only if there are many.
TEST(StorePolicy, StreamsWholeLines) {
  GuardedPages pages(1);
  const auto* data = reinterpret_cast<const float*>(pages.begin());
  const internal::Columns columns = ColumnsOf(POSENC_INTERLEAVED, 64);
  EXPECT_TRUE(internal::ShouldStream(columns, sizeof(float), kMaxRows, data, 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), 64, data, 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), kMaxRows, data + 4, 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), kMaxRows, data, 68));
}

}  // namespace
}  // namespace posenc
