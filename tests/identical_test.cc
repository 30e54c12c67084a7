// The same bits everywhere: on every target, for every split of the rows, through every call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "per_target.h"
#include "scalar_formats.h"

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
        ForEachType([&](auto element) {
          using T = decltype(element);
          EXPECT_TRUE(SameBits(Write<T>(encoder, first, rows()), Write<T>(plain, first, rows())))
              << target() << " differs from " << Plain() << ": dim " << dim << ", " << Name(layout)
              << ", from " << first;
        });
      }
    }
  }
}

TEST_P(Identical, AnySplitOfTheRows) {
  std::mt19937 random(1);
  const auto split = [&](const Encoder& encoder, std::int64_t first, std::size_t longest, auto* parts) {
    for (std::size_t r = 0; r < rows();) {
      const std::size_t count = std::min<std::size_t>(rows() - r, 1 + random() % longest);
      ASSERT_EQ(encoder.Write(first + static_cast<std::int64_t>(r), count, parts + r * encoder.dim(),
                              encoder.dim()),
                Status::kOk);
      r += count;
    }
  };
  for (const std::size_t dim : {7u, 64u, 131u}) {
    const Encoder encoder = Create(MakeSpec(dim, target()));
    for (const std::int64_t first : kFirst) {
      ForEachType([&](auto element) {
        const auto whole = Write<decltype(element)>(encoder, first, rows());
        for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, std::size_t{100}}) {
          auto parts = whole;
          std::fill(parts.begin(), parts.end(), element);
          split(encoder, first, longest, parts.data());
          EXPECT_TRUE(SameBits(parts, whole))
              << "dim " << dim << ", from " << first << ", parts <= " << longest;
        }
      });
    }
  }
}

// Write and WriteAt give the same rows, and so do Add and AddAt. (What Add gives to a 16-bit zero is rounded
// to float before.)
template <class T>
void ExpectEveryCallTheSame(const Encoder& encoder, std::int64_t first, std::size_t count) {
  const std::size_t dim = encoder.dim();
  const auto wide = Consecutive<std::int64_t>(first, count);
  const auto narrow = Consecutive<std::int32_t>(first, count);
  const std::vector<T> run = Write<T>(encoder, first, count);
  EXPECT_TRUE(SameBits(WriteAt<T>(encoder, wide), run)) << "WriteAt int64, dim " << dim;
  EXPECT_TRUE(SameBits(WriteAt<T>(encoder, narrow), run)) << "WriteAt int32, dim " << dim;
  std::vector<T> added(run.size()), added64(run.size()), added32(run.size());
  ASSERT_EQ(encoder.Add(first, count, added.data(), dim), Status::kOk);
  ASSERT_EQ(encoder.AddAt(wide.data(), count, added64.data(), dim), Status::kOk);
  ASSERT_EQ(encoder.AddAt(narrow.data(), count, added32.data(), dim), Status::kOk);
  const bool same_rounding = std::is_same_v<T, float>;
  EXPECT_TRUE(!same_rounding || SameBits(added, run)) << "Add to zeros, dim " << dim;
  EXPECT_TRUE(SameBits(added64, added)) << "AddAt int64 to zeros, dim " << dim;
  EXPECT_TRUE(SameBits(added32, added)) << "AddAt int32 to zeros, dim " << dim;
}

TEST_P(Identical, EveryCallGivesTheSameRows) {
  for (const std::size_t dim : {3u, 64u, 131u}) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      for (const std::int64_t first : {std::int64_t{-40}, (std::int64_t{1} << 31) - 400}) {
        ForEachType([&](auto element) { ExpectEveryCallTheSame<decltype(element)>(encoder, first, rows()); });
      }
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
  ForEachType([&](auto element) {
    using T = decltype(element);
    const std::vector<T> table = WriteAt<T>(encoder, positions);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const std::vector<T> row = Write<T>(encoder, positions[r], 1);
      EXPECT_TRUE(SameBits(row.data(), &table[r * kDim], kDim)) << "position " << positions[r];
    }
  });
}

// Parity is exact: sin(-x) = -sin(x) and cos(-x) = cos(x) to the bit.
TEST_P(Identical, NegativePositionsMirror) {
  constexpr std::size_t kDim = 64;
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  for (std::int64_t p : {1, 2, 77, 4097, 1 << 20, (1 << 30) + 1}) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      const std::vector<T> plus = Write<T>(encoder, p, 1), minus = Write<T>(encoder, -p, 1);
      for (std::size_t j = 0; j < kDim; ++j) {
        const float mirrored = j % 2 == 0 ? -Value(minus[j]) : Value(minus[j]);
        EXPECT_TRUE(SameBits(mirrored, Value(plus[j]))) << p << ", column " << j;
      }
    });
  }
}

TEST_P(Identical, PositionZeroIsPlusZeroAndOne) {
  const Encoder encoder = Create(MakeSpec(131, target()));
  ForEachType([&](auto element) {
    using T = decltype(element);
    const std::vector<T> row = Write<T>(encoder, 0, 1);
    for (std::size_t j = 0; j < row.size(); ++j) {
      EXPECT_TRUE(SameBits(Value(row[j]), j % 2 == 0 ? 0.0f : 1.0f)) << "column " << j;
    }
  });
}

POSENC_INSTANTIATE_PER_TARGET(Identical);

}  // namespace
}  // namespace posenc
