// Where the entries of a row go: the layouts against each other, odd dims, strides.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kRows = 5;
constexpr std::int64_t kFirst = 1000;

std::vector<std::size_t> Dims(bool reference) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 1; dim <= 130; dim += reference ? 13 : 1) dims.push_back(dim);
  return dims;
}

class LayoutTest : public PerTarget {
 protected:
  template <class T = float>
  std::vector<T> Rows(std::size_t dim, Layout layout) const {
    return Write<T>(Create(MakeSpec(dim, target(), layout)), kFirst, kRows);
  }
};

// [sin_0 .. | cos_0 ..] and [cos_0 .. | sin_0 ..] are the columns of [sin_0 cos_0 sin_1 ...] moved.
TEST_P(LayoutTest, HalvesHoldTheInterleavedColumns) {
  for (const std::size_t dim : Dims(IsReference())) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      const std::size_t sines = (dim + 1) / 2, cosines = dim / 2;
      const auto interleaved = Rows<T>(dim, Layout::kInterleaved);
      const auto sin_cos = Rows<T>(dim, Layout::kSinCos);
      const auto cos_sin = Rows<T>(dim, Layout::kCosSin);
      for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t j = 0; j < dim; ++j) {
          const std::size_t i = j / 2;
          const bool sine = j % 2 == 0;
          const T want = interleaved[r * dim + j];
          EXPECT_TRUE(SameBits(sin_cos[r * dim + (sine ? i : sines + i)], want))
              << "dim " << dim << ", column " << j;
          EXPECT_TRUE(SameBits(cos_sin[r * dim + (sine ? cosines + i : i)], want))
              << "dim " << dim << ", column " << j;
        }
      }
    });
  }
}

// An odd dim is the next even dim with the same exponent_dim, less the last cosine.
TEST_P(LayoutTest, OddDimLacksTheLastCosine) {
  for (const std::size_t dim : Dims(IsReference())) {
    if (dim % 2 == 0) continue;
    Spec spec = MakeSpec(dim + 1, target());
    spec.exponent_dim = static_cast<double>(dim);
    const auto even = Write(Create(spec), kFirst, kRows);
    const auto odd = Rows(dim, Layout::kInterleaved);
    for (std::size_t r = 0; r < kRows; ++r) {
      EXPECT_TRUE(SameBits(&odd[r * dim], &even[r * (dim + 1)], dim)) << "dim " << dim << ", row " << r;
    }
  }
}

// sin_0 at position p is sin(p): no layout may move a sine where a cosine belongs.
TEST_P(LayoutTest, FirstSineAndCosineAreThoseOfThePosition) {
  for (const Layout layout : kLayouts) {
    const auto row = Write(Create(MakeSpec(2, target(), layout)), 1, 1);
    const bool sine_first = layout != Layout::kCosSin;
    EXPECT_EQ(row[sine_first ? 0 : 1], 0.84147098480789650665f) << Name(layout);
    EXPECT_EQ(row[sine_first ? 1 : 0], 0.54030230586813971740f) << Name(layout);
  }
}

// Writes rows `gap` columns apart between canaries, and expects them and the canaries.
template <class T>
void ExpectCanaries(const Encoder& encoder, std::size_t gap) {
  constexpr unsigned char kCanary = 0xA5;
  const std::size_t dim = encoder.dim(), stride = dim + gap;
  const auto want = Write<T>(encoder, kFirst, kRows);
  std::vector<T> added(kRows * dim);
  ASSERT_EQ(encoder.Add(kFirst, kRows, added.data(), dim), Status::kOk);
  std::vector<T> room(kRows * stride + 2 * gap);
  std::memset(room.data(), kCanary, room.size() * sizeof(T));
  const std::vector<T> canaries = room;
  T* out = room.data() + gap;
  const auto expect = [&](const std::vector<T>& rows, const char* call) {
    EXPECT_TRUE(SameBits(room.data(), canaries.data(), gap)) << call << ", dim " << dim;
    for (std::size_t r = 0; r < kRows; ++r) {
      EXPECT_TRUE(SameBits(out + r * stride, &rows[r * dim], dim))
          << call << ", dim " << dim << ", row " << r;
      EXPECT_TRUE(SameBits(out + r * stride + dim, canaries.data(), gap))
          << call << ", dim " << dim << ", row " << r;
    }
  };
  for (std::size_t r = 0; r < kRows; ++r) std::memset(out + r * stride, 0, dim * sizeof(T));
  ASSERT_EQ(encoder.Add(kFirst, kRows, out, stride), Status::kOk);
  expect(added, "Add");
  ASSERT_EQ(encoder.Write(kFirst, kRows, out, stride), Status::kOk);
  expect(want, "Write");
}

// Rows may lie apart; the columns between them, and what surrounds the table, keep their bytes.
TEST_P(LayoutTest, ColumnsPastDimKeepTheirBytes) {
  for (const std::size_t dim : Dims(IsReference())) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      for (const std::size_t gap : {1u, 3u, 16u}) {
        ForEachType([&](auto element) { ExpectCanaries<decltype(element)>(encoder, gap); });
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(LayoutTest);

}  // namespace
}  // namespace posenc
