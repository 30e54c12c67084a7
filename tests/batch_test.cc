// AddBatch is one Add for each sequence, bit for bit, however their positions lie.
#include <gtest/gtest.h>

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

using Firsts = std::vector<std::int64_t>;

// Equal, overlapping, touching and disjoint, in any order, negative, at the ends of the range.
std::vector<Firsts> AllFirsts(std::size_t rows) {
  const auto n = static_cast<std::int64_t>(rows);
  const std::int64_t last = kMaxPosition - n + 1;
  return {{0},
          {-n / 2},
          {5, 5, 5, 5, 5, 5, 5},
          {0, -1, -2, -3, -n / 2, 7, 1},
          {n, 0, 2 * n, -n, 3 * n, 3 * n + 1, 10 * n},
          {1000000, -1000000, 1000000 + n, 0, 0, -n, -1000000 + n - 1},
          {-kMaxPosition, last, last - 1, -kMaxPosition + 1, 0, last, -1},
          {-40, -7}};
}

struct Shape {
  std::size_t rows, row_gap, batch_gap;
};

// The sequences lie in a room of activations, of which the gaps must stay.
template <class T, class Position>
void ExpectAddOfEach(const Encoder& encoder, const Firsts& wide, const Shape& shape, float scale) {
  const std::size_t dim = encoder.dim(), row_stride = dim + shape.row_gap;
  const std::size_t batch_stride = shape.rows * row_stride + shape.batch_gap;
  std::vector<Position> firsts;
  for (const std::int64_t first : wide) {
    if (first > std::numeric_limits<Position>::max()) return;
    firsts.push_back(static_cast<Position>(first));
  }
  const auto room = Activations<T>((firsts.size() - 1) * batch_stride + (shape.rows - 1) * row_stride + dim);
  auto want = room, got = room;
  for (std::size_t b = 0; b < firsts.size(); ++b) {
    ASSERT_EQ(encoder.Add(firsts[b], shape.rows, &want[b * batch_stride], row_stride, scale), Status::kOk);
  }
  std::size_t bad_index = 4711;
  ASSERT_EQ(encoder.AddBatch(firsts.data(), firsts.size(), shape.rows, got.data(), batch_stride, row_stride,
                             scale, &bad_index),
            Status::kOk);
  EXPECT_EQ(bad_index, 4711u);
  for (std::size_t k = 0; k < want.size(); ++k) {
    ASSERT_TRUE(Equal(got[k], want[k]))
        << "sequence " << k / batch_stride << ", row " << k % batch_stride / row_stride << ", column "
        << k % batch_stride % row_stride << ": " << Value(got[k]) << ", not " << Value(want[k]);
  }
}

class Batch : public PerTarget {
 protected:
  std::vector<Shape> Shapes() const {
    if (IsReference()) return {{1, 0, 0}, {3, 1, 5}};
    return {{1, 0, 0}, {5, 0, 0}, {33, 3, 11}, {70, 0, 1}};
  }
};

// Pairs are walked 128 at a time: dims with fewer, with a cosine less than the second part, with more.
TEST_P(Batch, IsAddOfEachSequence) {
  for (const std::size_t dim : {1u, 5u, 64u, 257u, 600u}) {
    if (IsReference() && dim > 64) continue;
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      const float scale = std::sqrt(static_cast<float>(dim));
      for (const Shape& shape : Shapes()) {
        for (const Firsts& firsts : AllFirsts(shape.rows)) {
          SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout) << ", " << shape.rows
                                          << " rows from " << testing::PrintToString(firsts));
          ForEachType([&](auto element) {
            using T = decltype(element);
            ExpectAddOfEach<T, std::int64_t>(encoder, firsts, shape, scale);
            if (dim == 64) ExpectAddOfEach<T, std::int32_t>(encoder, firsts, shape, 1.0f);
          });
        }
      }
    }
  }
}

// More sequences than share their blocks.
TEST_P(Batch, OfManySequences) {
  const Encoder encoder = Create(MakeSpec(24, target()));
  Firsts firsts;
  for (std::int64_t b = 0; b < 131; ++b) firsts.push_back(b % 7 == 0 ? 1000 * b : -(b % 5));
  ExpectAddOfEach<float, std::int64_t>(encoder, firsts, {3, 1, 2}, 1.5f);
}

TEST_P(Batch, OfARecipe) {
  Spec spec = MakeSpec(300, target());
  spec.recipe = Recipe::kF32PowDiv;
  for (const Layout layout : kLayouts) {
    spec.layout = layout;
    const Encoder encoder = Create(spec);
    const std::size_t rows = IsReference() ? 2 : 40;
    ForEachType([&](auto element) {
      ExpectAddOfEach<decltype(element), std::int64_t>(encoder, {3, 0, 3, -30}, {rows, 2, 3}, 2.0f);
    });
  }
}

// Equal sequences at guarded ends of memory, also at odd addresses.
TEST_P(Batch, GuardPagesAndAnyAlignment) {
  const std::size_t batch = 2, rows = IsReference() ? 2 : 9;
  const std::int32_t firsts[] = {-4, -4};
  for (const std::size_t dim : {1u, 6u, 33u, 64u, 257u}) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachType([&](auto element) {
        using T = decltype(element);
        std::vector<T> want(rows * dim);
        ASSERT_EQ(encoder.Add(-4, rows, want.data(), dim), Status::kOk);
        const std::size_t bytes = batch * want.size() * sizeof(T);
        GuardedPages pages(bytes + 1);
        for (auto* data : {pages.begin(), pages.begin() + 1, pages.end() - bytes, pages.end() - bytes - 1}) {
          std::memset(data, 0, bytes);
          ASSERT_EQ(encoder.AddBatch(firsts, batch, rows, reinterpret_cast<T*>(data), rows * dim, dim),
                    Status::kOk);
          for (std::size_t b = 0; b < batch; ++b) {
            ASSERT_EQ(std::memcmp(data + b * bytes / batch, want.data(), bytes / batch), 0)
                << "dim " << dim << ", " << Name(layout) << ", sequence " << b;
          }
        }
      });
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(Batch);

constexpr std::size_t kDim = 8, kRows = 3;
constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();

template <class T>
class Failing {
 public:
  template <class Position>
  void Expect(Status want, const Position* firsts, std::size_t batch, std::size_t batch_stride,
              std::size_t* bad_index = nullptr) {
    EXPECT_EQ(encoder_.AddBatch(firsts, batch, kRows, x_.data(), batch_stride, kDim, 1.0f, bad_index), want);
    EXPECT_TRUE(SameBits(x_, std::vector<T>(x_.size())));
  }

 private:
  const Encoder encoder_ = Create(MakeSpec(kDim));
  std::vector<T> x_ = std::vector<T>(7 * kRows * kDim);
};

TEST(BatchErrors, FirstPositionsOutOfRange) {
  ForEachType([](auto element) {
    Failing<decltype(element)> failing;
    for (const std::int64_t bad :
         {kMaxPosition - 1, kMaxPosition + 1, -kMaxPosition - 1, std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min()}) {
      for (const std::size_t index : {0u, 3u, 6u}) {
        Firsts firsts(7, kMaxPosition - static_cast<std::int64_t>(kRows) + 1);
        firsts[index] = firsts.back() = bad;
        std::size_t bad_index = 4711;
        failing.Expect(Status::kPositionOutOfRange, firsts.data(), 7, kRows * kDim, &bad_index);
        EXPECT_EQ(bad_index, index);
        failing.Expect(Status::kPositionOutOfRange, firsts.data(), 7, kRows * kDim);
      }
    }
  });
}

TEST(BatchErrors, BadBatches) {
  ForEachType([](auto element) {
    Failing<decltype(element)> failing;
    const std::vector<std::int32_t> firsts(7);
    const std::int32_t* none = nullptr;
    failing.Expect(Status::kNullPointer, none, 7, kRows * kDim);
    failing.Expect(Status::kNullPointer, static_cast<const std::int64_t*>(nullptr), 1, 0);
    failing.Expect(Status::kStrideTooSmall, firsts.data(), 7, kRows * kDim - 1);
    failing.Expect(Status::kStrideTooSmall, firsts.data(), 2, 0);
    failing.Expect(Status::kSizeOverflow, firsts.data(), 7, kMaxSize);
    failing.Expect(Status::kSizeOverflow, firsts.data(), 7, kMaxSize / 8);
    failing.Expect(Status::kSizeOverflow, firsts.data(), kMaxSize, kRows * kDim);
    failing.Expect(Status::kSizeOverflow, firsts.data(), kMaxSize / 8 + 1, 32);  // wraps around to 0
    failing.Expect(Status::kOk, none, 0, 0);
  });
}

TEST(BatchErrors, NothingToDoIsFine) {
  const Encoder encoder = Create(MakeSpec(kDim));
  const std::int32_t firsts[] = {0, 0};
  float* nothing = nullptr;
  EXPECT_EQ(encoder.AddBatch(firsts, 0, kRows, nothing, 0, kDim), Status::kOk);
  EXPECT_EQ(encoder.AddBatch(firsts, 2, 0, nothing, 0, kDim), Status::kOk);
  EXPECT_EQ(encoder.AddBatch(firsts, 2, kRows, nothing, kRows * kDim, kDim), Status::kNullPointer);
  float x[kRows * kDim] = {};
  EXPECT_EQ(encoder.AddBatch(firsts, 1, kRows, x, 0, kDim), Status::kOk);  // one sequence needs no stride
  EXPECT_EQ(x[1], 1.0f);
}

}  // namespace
}  // namespace posenc
