// Results have the same bits on every target, for every way to split the rows, and in every layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "oracle/columns.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kDims[] = {1, 2, 7, 64, 134, 515};
constexpr std::int64_t kFirst[] = {-40, 4095, (1 << 24) - 7, POSENC_MAX_POSITION - 200, -POSENC_MAX_POSITION};

// The target before the reference in the table, without SIMD. Other targets are compared with it.
const char* Plain() {
  const std::vector<posenc_target> targets = RunnableTargets();
  return targets[targets.size() > 1 ? targets.size() - 2 : 0].name;
}

class Identical : public PerTarget {
 protected:
  // The reference computes every entry in wide arithmetic, so it gets fewer rows.
  std::size_t rows() const { return IsReference() ? 9 : 201; }
  bool Skips(std::size_t dim) const { return IsReference() && dim > 134; }
};

TEST_P(Identical, TargetsAgree) {
  for (const std::size_t dim : kDims) {
    if (Skips(dim)) continue;
    for (const posenc_layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      const Encoder plain = Create(MakeSpec(dim, Plain(), layout));
      for (const std::int64_t first : kFirst) {
        ForEachEntryType([&](auto element) {
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
      ASSERT_EQ(encoder.Write(first + static_cast<std::int64_t>(r), count,
                              {parts + r * encoder.dim(), encoder.dim()}),
                POSENC_OK);
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

// Other layouts have the same columns as [sin_0 cos_0 sin_1 ...], in another order. With the same
// exponent_dim, an odd dim has the columns of the next even dim without the last cosine (or sine).
TEST_P(Identical, LayoutsHoldTheSameColumns) {
  constexpr std::size_t kRows = 5;
  for (std::size_t dim = 1; dim <= 130; dim += IsReference() ? 13 : 1) {
    Spec even = MakeSpec(dim + dim % 2, target());
    even.exponent_dim = static_cast<double>(dim);
    ForEachEntryType([&](auto element) {
      using T = decltype(element);
      const auto want = Write<T>(Create(even), 1000, kRows);
      for (const posenc_layout layout : kLayouts) {
        const Spec spec = MakeSpec(dim, target(), layout);
        const std::vector<oracle::Entry> entries = oracle::EntriesOf(spec);
        const auto rows = Write<T>(Create(spec), 1000, kRows);
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const std::size_t column = k % dim;
          const std::size_t from = 2 * entries[column].pair + (entries[column].sine() ? 0 : 1);
          ASSERT_TRUE(SameBits(rows[k], want[k / dim * even.dim + from]))
              << "dim " << dim << ", " << Name(layout) << ", column " << column;
        }
      }
    });
  }
}

POSENC_INSTANTIATE_PER_TARGET(Identical);

}  // namespace
}  // namespace posenc
