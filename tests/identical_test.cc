// The same bits everywhere: on every target, for every split of the rows, through every call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kDims[] = {1, 2, 7, 64, 134, 515};
constexpr std::int64_t kFirst[] = {-40, 4095, (1 << 24) - 7, kMaxPosition - 200, -kMaxPosition};

// The row of the table before the reference: the one without SIMD, to which the others are compared.
const char* Plain() {
  const std::vector<Target> targets = RunnableTargets();
  return targets[targets.size() > 1 ? targets.size() - 2 : 0].name;
}

class Identical : public PerTarget {
 protected:
  // The reference computes every entry in wide arithmetic.
  std::size_t rows() const { return IsReference() ? 9 : 201; }
  bool Skips(std::size_t dim) const { return IsReference() && dim > 134; }
};

TEST_P(Identical, TargetsAgree) {
  for (const std::size_t dim : kDims) {
    if (Skips(dim)) continue;
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      const Encoder plain = Create(MakeSpec(dim, Plain(), layout));
      for (const std::int64_t first : kFirst) {
        EXPECT_TRUE(SameBits(Write(encoder, first, rows()), Write(plain, first, rows())))
            << target() << " differs from " << Plain() << ": dim " << dim << ", " << Name(layout) << ", from "
            << first;
      }
    }
  }
}

TEST_P(Identical, AnySplitOfTheRows) {
  std::mt19937 random(1);
  for (const std::size_t dim : {7u, 64u, 131u}) {
    const Encoder encoder = Create(MakeSpec(dim, target()));
    for (const std::int64_t first : kFirst) {
      const std::vector<float> whole = Write(encoder, first, rows());
      for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, std::size_t{100}}) {
        std::vector<float> parts(whole.size());
        for (std::size_t r = 0; r < rows();) {
          const std::size_t count = std::min<std::size_t>(rows() - r, 1 + random() % longest);
          ASSERT_EQ(encoder.Write(first + static_cast<std::int64_t>(r), count, &parts[r * dim], dim),
                    Status::kOk);
          r += count;
        }
        EXPECT_TRUE(SameBits(parts, whole))
            << "dim " << dim << ", from " << first << ", parts <= " << longest;
      }
    }
  }
}

TEST_P(Identical, EveryCallGivesTheSameRows) {
  const std::size_t count = rows();
  for (const std::size_t dim : {3u, 64u, 131u}) {
    const Encoder encoder = Create(MakeSpec(dim, target()));
    for (const std::int64_t first : {std::int64_t{-40}, (std::int64_t{1} << 31) - 400}) {
      const std::vector<float> run = Write(encoder, first, count);
      std::vector<std::int64_t> wide(count);
      std::vector<std::int32_t> narrow(count);
      for (std::size_t r = 0; r < count; ++r) {
        wide[r] = first + static_cast<std::int64_t>(r);
        narrow[r] = static_cast<std::int32_t>(wide[r]);
      }
      std::vector<float> at64(run.size()), at32(run.size()), added(run.size()), added64(run.size()),
          added32(run.size());
      ASSERT_EQ(encoder.WriteAt(wide.data(), count, at64.data(), dim), Status::kOk);
      ASSERT_EQ(encoder.WriteAt(narrow.data(), count, at32.data(), dim), Status::kOk);
      ASSERT_EQ(encoder.Add(first, count, added.data(), dim), Status::kOk);
      ASSERT_EQ(encoder.AddAt(wide.data(), count, added64.data(), dim), Status::kOk);
      ASSERT_EQ(encoder.AddAt(narrow.data(), count, added32.data(), dim), Status::kOk);
      EXPECT_TRUE(SameBits(at64, run)) << "WriteAt int64, dim " << dim;
      EXPECT_TRUE(SameBits(at32, run)) << "WriteAt int32, dim " << dim;
      EXPECT_TRUE(SameBits(added, run)) << "Add to zeros, dim " << dim;
      EXPECT_TRUE(SameBits(added64, run)) << "AddAt int64 to zeros, dim " << dim;
      EXPECT_TRUE(SameBits(added32, run)) << "AddAt int32 to zeros, dim " << dim;
    }
  }
}

TEST_P(Identical, PositionsInAnyOrder) {
  constexpr std::size_t kDim = 67;
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  std::mt19937_64 random(2);
  std::vector<std::int64_t> positions(rows());
  for (std::int64_t& p : positions) {
    p = static_cast<std::int64_t>(random() % (2 * kMaxPosition + 1)) - kMaxPosition;
  }
  positions.back() = positions.front();  // a position may come twice
  std::vector<float> table(positions.size() * kDim);
  ASSERT_EQ(encoder.WriteAt(positions.data(), positions.size(), table.data(), kDim), Status::kOk);
  for (std::size_t r = 0; r < positions.size(); ++r) {
    const std::vector<float> row = Write(encoder, positions[r], 1);
    EXPECT_TRUE(SameBits(row.data(), &table[r * kDim], kDim)) << "position " << positions[r];
  }
}

// Parity is exact: sin(-x) = -sin(x) and cos(-x) = cos(x) to the bit.
TEST_P(Identical, NegativePositionsMirror) {
  constexpr std::size_t kDim = 64;
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  for (std::int64_t p : {1, 2, 77, 4097, 1 << 20, (1 << 30) + 1}) {
    const std::vector<float> plus = Write(encoder, p, 1);
    std::vector<float> minus = Write(encoder, -p, 1);
    for (std::size_t j = 0; j < kDim; j += 2) minus[j] = -minus[j];
    EXPECT_TRUE(SameBits(plus, minus)) << p;
  }
}

TEST_P(Identical, PositionZeroIsPlusZeroAndOne) {
  const std::vector<float> row = Write(Create(MakeSpec(131, target())), 0, 1);
  for (std::size_t j = 0; j < row.size(); ++j) {
    EXPECT_TRUE(SameBits(row[j], j % 2 == 0 ? 0.0f : 1.0f)) << "column " << j << ": " << row[j];
  }
}

POSENC_INSTANTIATE_PER_TARGET(Identical);

}  // namespace
}  // namespace posenc
