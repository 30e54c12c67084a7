// Runs so large that they are written past the caches: the rows are those of small calls, and what lies
// between and around them keeps its bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "kernel_calls.h"
#include "per_target.h"
#include "store_policy.h"

namespace posenc {
namespace {

constexpr std::size_t kMostRows = 1 << 18;
constexpr std::size_t kLine = 64;

// Elements on whole cache lines, filled with a canary.
template <class T>
class Room {
 public:
  explicit Room(std::size_t count) : bytes_(count * sizeof(T)) {
    data_ = static_cast<unsigned char*>(::operator new(bytes_ + 2 * kLine, kAlignment));
    std::memset(data_, kCanary, bytes_ + 2 * kLine);
  }
  ~Room() { ::operator delete(data_, kAlignment); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  T* data() { return reinterpret_cast<T*>(data_ + kLine); }
  bool SurroundingsAreUntouched() const {
    return AreCanaries(data_, kLine) && AreCanaries(data_ + kLine + bytes_, kLine);
  }
  static bool AreCanaries(const void* from, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(from);
    return std::all_of(p, p + bytes, [](unsigned char byte) { return byte == kCanary; });
  }

 private:
  static constexpr std::align_val_t kAlignment{kLine};
  static constexpr unsigned char kCanary = 0xA5;
  std::size_t bytes_;
  unsigned char* data_;
};

// The fewest rows that are streamed; 0 if not even many are.
template <class T>
std::size_t StreamedRows(Layout layout, std::size_t dim, const T* data, std::size_t stride) {
  const auto streams = [&](std::size_t rows) {
    return internal::ShouldStream(internal::MakeColumns(layout, dim), sizeof(T), rows, data, stride);
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
  Room<T> room(rows * stride);
  ASSERT_EQ(encoder.Write(first, rows, room.data(), stride), Status::kOk);
  EXPECT_TRUE(room.SurroundingsAreUntouched());
  constexpr std::size_t kPiece = 100;
  for (std::size_t begin = 0; begin < rows; begin += kPiece) {
    const std::size_t count = std::min(kPiece, rows - begin);
    const auto want = Write<T>(encoder, first + static_cast<std::int64_t>(begin), count);
    for (std::size_t r = 0; r < count; ++r) {
      const T* row = room.data() + (begin + r) * stride;
      ASSERT_TRUE(SameBits(row, &want[r * dim], dim)) << "row " << begin + r;
      ASSERT_TRUE(Room<T>::AreCanaries(row + dim, (stride - dim) * sizeof(T))) << "row " << begin + r;
    }
  }
}

class Stream : public PerTarget {};

template <class T>
std::size_t ExpectStreamedRows(const Encoder& encoder, std::size_t stride) {
  Room<T> line(1);
  const std::size_t rows = StreamedRows(encoder.layout(), encoder.dim(), line.data(), stride);
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
    ForEachType([&](auto element) {
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
  Room<float> room(64);
  const internal::Columns columns = internal::MakeColumns(Layout::kInterleaved, 64);
  EXPECT_TRUE(internal::ShouldStream(columns, sizeof(float), kMostRows, room.data(), 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), 64, room.data(), 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), kMostRows, room.data() + 4, 64));
  EXPECT_FALSE(internal::ShouldStream(columns, sizeof(float), kMostRows, room.data(), 68));
}

}  // namespace
}  // namespace posenc
